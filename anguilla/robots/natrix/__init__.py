"""NATRIX, the snake robot of [XHLB23] that swims at the water surface: 14 bodies, 14 motors, six rolling shells."""

from .gaze_control import (
    GazeHold as GazeHold,
    decay_record as decay_record,
    gaze as gaze,
    identified_damping as identified_damping,
)
from .laws import (
    HeldShape as HeldShape,
    ShellLaw as ShellLaw,
    UndulationLaw as UndulationLaw,
    natrix_bending as natrix_bending,
    natrix_shape as natrix_shape,
    natrix_undulation as natrix_undulation,
)
from .orbit import natrix_orbit as natrix_orbit
from .roll import (
    REGIMES as REGIMES,
    initial_rolls as initial_rolls,
    rest_states as rest_states,
    roll_response as roll_response,
    undulating as undulating,
)
from .tree import model as model, natrix_solids as natrix_solids

# The most used names, which `dir(natrix)` lists; other names are imported from their modules.
__all__ = (
    "ShellLaw",
    "gaze",
    "model",
    "natrix_bending",
    "natrix_orbit",
    "natrix_shape",
    "natrix_undulation",
    "roll_response",
    "undulating",
)


def __dir__() -> list[str]:
    return sorted(__all__)
