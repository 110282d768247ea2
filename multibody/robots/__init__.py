"""The published machines."""

from .eel import (
    EEL_TORQUE_LIMITS as EEL_TORQUE_LIMITS,
    EelLaw as EelLaw,
    eel as eel,
    eel_law as eel_law,
)
from .moth import (
    MothParameters as MothParameters,
    StrokeLaw as StrokeLaw,
    moth as moth,
)
from .natrix import (
    natrix as natrix,
    natrix_solids as natrix_solids,
)
from .natrix_laws import (
    HeldShape as HeldShape,
    ShellLaw as ShellLaw,
    UndulationLaw as UndulationLaw,
    natrix_bending as natrix_bending,
    natrix_shape as natrix_shape,
    natrix_undulation as natrix_undulation,
)
