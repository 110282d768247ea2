"""The fast space path, on Gauss panels."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from hydro import AbstractFluid
from spatial import positive
from spatial.checks import integer

from .beam import Beam
from .panel_limits import decay, panel_turns, relative_turn
from .panel_loops import FirstLoop, first_loop, second_loop
from .quadrature import LOAD_ORDER, cumulative, load_panels
from .sampled_body import GRID, SampledBody, Stations, sample_body, sample_body_on
from .section_motion import body_shape, section_motion
from .space_path import AbstractSpacePath, BothLoops, HeadDynamics
from .state import HeadState
from .strain import Gait

TOLERANCE = 2e-5
"""Relative error in head acceleration, n, M and power that the default path allows."""

MOST = 16  # greatest number of panels that is tried, and of panels that replace one load panel


class Panels(AbstractSpacePath):
    """Gauss panels along the body: the default space path.

    Numbers of panels that are not given are chosen automatically if body and gait are concrete: one panel and the
    body's own load panels if these meet the tolerance (as for the published gaits), otherwise as many as required. If
    body or gait is traced, the numbers cannot be chosen, and are one.

    >>> Panels(panels=4)  # four panels, whatever the gait
    Panels(order=32, panels=4, loads=None, tolerance=2e-05)
    >>> Panels(tolerance=1e-8)  # as many as eight digits take
    Panels(order=32, panels=None, loads=None, tolerance=1e-08)

    Attributes:
        order: Gauss nodes in one panel of the smooth grid.
        panels: number of panels of the smooth grid, which represents the shape; short waves and coiled bodies need
            more. None to choose automatically.
        loads: number of panels that replace each load panel of the body; loads with kinks need more. None to choose
            automatically.
        tolerance: allowed relative error of head acceleration, n, M and power; warnings refer to it [-].
    """

    order: int = eqx.field(static=True)
    panels: int | None = eqx.field(static=True)
    loads: int | None = eqx.field(static=True)
    tolerance: float = eqx.field(static=True)

    def __init__(
        self,
        order: int = GRID[0],
        panels: int | None = None,
        loads: int | None = None,
        tolerance: float = TOLERANCE,
    ):
        self.order = integer("Panels.order", order, 2)
        self.panels = None if panels is None else integer("Panels.panels", panels, 1)
        self.loads = None if loads is None else integer("Panels.loads", loads, 1)
        self.tolerance = float(positive("Panels.tolerance", tolerance, shape=()))

    @property
    def counts(self) -> tuple[int, int]:
        """Number of panels of the smooth grid, and of panels that replace each load panel; one if not yet chosen."""
        return self.panels or GRID[1], self.loads or GRID[2]

    @property
    def in_words(self) -> str:
        """The numbers of panels in words, for messages."""
        panels, loads = self.counts
        grid = f"{panels} panel{'s' if panels > 1 else ''} of {self.order} nodes"
        return grid if loads == 1 else f"{grid}, load panels cut in {loads}"

    @property
    def fixed(self) -> bool:
        """Whether both numbers of panels are given."""
        return self.panels is not None and self.loads is not None

    def with_counts(self, panels: int, loads: int) -> "Panels":
        """The same path with other numbers of panels."""
        return Panels(self.order, panels, loads, self.tolerance)

    def may_double(self, panels: int, loads: int) -> tuple[bool, bool]:
        """Whether each number may be doubled: only if it is not given, and up to sixteen times the default."""
        return self.panels is None and 2 * panels <= MOST, self.loads is None and 2 * loads <= MOST

    def on_panels(self) -> "Panels":
        """The path itself."""
        return self

    def soft_loops(
        self, sampled: Any, now: Any, fluid: AbstractFluid, t: Float[Array, ""], X: Float[Array, "stations"]
    ) -> BothLoops:
        """The second loop only; the results of the first are part of `now`."""
        stations = sampled.body.stations(X)
        return second_loop(sampled.body, now.law, fluid, now.head, t, now.first, stations, now.at_nose)

    def two_grids(self, beam: Beam, fluid: AbstractFluid) -> tuple[SampledBody, Stations]:
        """The path's own grid, preceded by as many panels of no width, and the grid with twice the panels."""
        panels, loads = self.counts
        edges, h = jnp.arange(2 * panels + 1), beam.length / panels
        knots = jnp.stack([h * jnp.maximum(edges - panels, 0), 0.5 * h * edges])
        empty, none = ((loads, loads), (2 * loads, 0))
        cuts = jax.tree.map(lambda *x: np.stack(x), load_panels(beam, *empty), load_panels(beam, *none))
        inside = np.stack([cumulative(LOAD_ORDER, *empty), cumulative(LOAD_ORDER, *none)])

        def sampled(knots, cuts, inside):
            body = sample_body_on(beam, fluid, self.order, 2 * panels, cuts, knots)
            return eqx.tree_at(lambda body: body.beam, body, None), body.own_nodes(inside)

        return jax.vmap(sampled)(knots, cuts, inside)

    def sample(self, beam: Beam, fluid: AbstractFluid) -> SampledBody:
        """Grids, matrices and lumped inertias."""
        return sample_body(beam, fluid, self.order, *self.counts)

    def grid(self, beam: Beam, fluid: AbstractFluid, body: SampledBody) -> SampledBody:
        """The sampled body itself."""
        return body

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
        return self.sums_and_loops(body, body, gait, fluid, state, t, stations)[1]

    def sums_and_loops(
        self,
        body: SampledBody,
        grid: SampledBody,
        gait: Gait,
        fluid: AbstractFluid,
        state: HeadState,
        t: Float[Array, ""],
        stations: Stations,
    ) -> tuple[FirstLoop, BothLoops]:
        """The first loop and both loops; the first loop is evaluated once."""
        first = first_loop(body, gait, fluid, state, t)
        return first, second_loop(body, gait, fluid, state, t, first, stations)

    def turn(self, body: SampledBody, gait: Gait, times: Float[Array, "times"]) -> Float[Array, "times"]:
        """Relative angle turned within a panel, from the first two factors of the orientation's expansion [-]."""
        return relative_turn(panel_turns(gait, body, times))

    def motion_decay(self, body: SampledBody, gait: Gait, state: HeadState, t: Float[Array, ""]) -> Float[Array, ""]:
        """Decay of the expansions of the sections' twists and their rates [-]."""
        return decay(section_motion(body_shape(body, gait, t)[1], state.twist), self.order)

    @property
    def seconds(self) -> float:
        """Five milliseconds per panel for each simulated second."""
        return 0.005 * max(self.counts)
