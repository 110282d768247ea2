"""The fast space path, on Gauss panels."""

import equinox as eqx
from jaxtyping import Array, Float

from hydro import AbstractFluid

from .beam import Beam
from .panel_loops import first_loop, second_loop
from .sampled_body import SampledBody, Stations, sample_body
from .space_path import AbstractSpacePath, BothLoops, HeadDynamics
from .state import HeadState
from .strain import Gait


class Panels(AbstractSpacePath):
    """Gauss panels along the body: the default space path.

    Attributes:
        order: number of Gauss nodes in one panel of the smooth grid.
        panels: number of panels of the smooth grid; increase it for waves shorter than about a third of the body, for
            bodies that coil in space, and for gaits that are only piecewise smooth in X.
    """

    order: int = eqx.field(static=True)
    panels: int = eqx.field(static=True)

    def __init__(self, order: int = 32, panels: int = 1):
        for name, value, least in (("order", order, 2), ("panels", panels, 1)):
            if not isinstance(value, int) or value < least:
                raise ValueError(f"Panels.{name} = {value!r}: must be an integer of at least {least}")
        self.order = order
        self.panels = panels

    def sample(self, beam: Beam, fluid: AbstractFluid) -> SampledBody:
        """Grids, matrices and lumped inertias."""
        return sample_body(beam, fluid, self.order, self.panels)

    def stations(self, body: SampledBody, X: Float[Array, "stations"]) -> Stations:
        """Maps from the nodes to the abscissae X [m]."""
        return body.stations(X)

    def head_dynamics(
        self, body: SampledBody, gait: Gait, fluid: AbstractFluid, state: HeadState, t: Float[Array, ""]
    ) -> HeadDynamics:
        """First space loop, (48)-(58)."""
        return first_loop(body, gait, fluid, state, t).dynamics

    def both_loops(
        self,
        body: SampledBody,
        gait: Gait,
        fluid: AbstractFluid,
        state: HeadState,
        t: Float[Array, ""],
        stations: Stations,
    ) -> BothLoops:
        """Both space loops, (48)-(66)."""
        first = first_loop(body, gait, fluid, state, t)
        return second_loop(body, gait, fluid, state, t, first, stations)
