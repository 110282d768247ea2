"""Everything that acts on the sections of a beam: the fluid and, if gravity is given, the weight."""

from hydro import AbstractFluid, Together, Void, Weight
from spatial import Numbers
from spatial.checks import of_kind

from .beam import Beam
from .soft.soft_beam import Soft


def surroundings(beam: Beam | Soft, fluid: AbstractFluid | None, gravity: Numbers | None) -> AbstractFluid:
    """The fluid, or the void when None, together with the weight of the beam when gravity is given.

    Args:
        beam: the body; its density gives the weight.
        fluid: fluid around it; None for none.
        gravity: acceleration of gravity in the world [m/s²]; None for none, as for a neutrally buoyant body.
    """
    fluid = Void() if fluid is None else fluid
    if gravity is None or not isinstance(beam, Beam | Soft):
        return fluid
    of_kind("fluid", fluid, AbstractFluid, "a hydro fluid, such as hydro.Morison() or hydro.Void()")
    weight = Weight(beam.density, gravity)
    return weight if isinstance(fluid, Void) else Together(fluid, weight)
