"""The rowing boat of [KR13, VII]: boat, sliding seat, legs, trunk and two oars, with one closed loop."""

from .balance import HandleBalance as HandleBalance, balanced as balanced, boat_multipliers as boat_multipliers
from .laws import Stroke as Stroke, stroke as stroke
from .orbit import RowingCycle as RowingCycle, steady_stroke as steady_stroke
from .tree import RowingMotion as RowingMotion, model as model, rower_loop as rower_loop, scull as scull

# The most used names, which `dir(rower)` lists; other names are imported from their modules.
__all__ = (
    "model",
    "scull",
    "steady_stroke",
    "stroke",
)


def __dir__() -> list[str]:
    return sorted(__all__)
