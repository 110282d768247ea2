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
from .rower import (
    RowingMotion as RowingMotion,
    rower as rower,
    rower_loop as rower_loop,
    scull as scull,
)
from .rower_orbit import (
    RowingCycle as RowingCycle,
    steady_stroke as steady_stroke,
)
from .rower_stroke import (
    Stroke as Stroke,
    stroke as stroke,
)
