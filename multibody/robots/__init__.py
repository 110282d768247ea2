"""The published machines."""

from .eel import (
    EEL_TORQUE_LIMITS as EEL_TORQUE_LIMITS,
)
from .eel import (
    EelLaw as EelLaw,
)
from .eel import (
    eel as eel,
)
from .eel import (
    eel_law as eel_law,
)
