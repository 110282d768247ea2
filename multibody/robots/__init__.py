"""The published machines."""

from .eel import (
    EEL_TORQUE_LIMITS as EEL_TORQUE_LIMITS,
    EelLaw as EelLaw,
    eel as eel,
    eel_law as eel_law,
)
