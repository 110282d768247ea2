"""Everything that moves in time moves by this package: spans and records, steps, adjoints, progress and labels."""

from .adaptive import Marcher as Marcher, Span as Span, integrate as integrate
from .programs import kept_program as kept_program
from .progress import SimulationError as SimulationError, raise_if_failed as raise_if_failed
from .stored_stages import KEPT_STEPS as KEPT_STEPS
