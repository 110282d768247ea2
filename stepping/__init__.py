"""Time integration for all models: spans and records, steppers, adjoints, progress and labels."""

from .adaptive import Marcher as Marcher, integrate as integrate
from .fixed import explicit_steps as explicit_steps
from .implicit import implicit_steps as implicit_steps
from .implicit_adaptive import SemiImplicit as SemiImplicit
from .mechanism import AbstractMechanism as AbstractMechanism, Equations as Equations, Point as Point
from .programs import (
    compile_ahead as compile_ahead,
    one_simulation as one_simulation,
    program as program,
    short_program as short_program,
    unstored_program as unstored_program,
)
from .progress import (
    SimulationError as SimulationError,
    raise_if_failed as raise_if_failed,
    raise_if_not_finite as raise_if_not_finite,
)
from .record import AbstractMotion as AbstractMotion, unit_quaternions as unit_quaternions
from .span import Span as Span, break_times as break_times, listed_breaks as listed_breaks
from .stored_stages import STORED_STEPS as STORED_STEPS, StoredStages as StoredStages

# What users need first; everything else is reached in its module.
__all__ = (
    "AbstractMechanism",
    "Equations",
    "Point",
    "SemiImplicit",
    "SimulationError",
    "Span",
    "explicit_steps",
    "implicit_steps",
    "integrate",
)


def __dir__() -> list[str]:
    return sorted(__all__)
