"""Interface of a space path: inputs and outputs of the two space loops of [BPK06, VIII]."""

import abc
from typing import Any, Self

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import AbstractFluid
from spatial.checks import shown
from spatial.printing import Printed

from .beam import Beam
from .state import HeadState
from .strain import Gait


class HeadDynamics(eqx.Module):
    """The whole body reduced to its head: inertia @ d(twist)/dt = wrench. [BPK06, eq. (34)]

    Attributes:
        inertia: inertia of body and water, in the head frame [kg, kg·m, kg·m²].
        wrench: all other wrenches, in the head frame [N, N·m].
        twist_rate: d(twist)/dt of the head, in its frame [m/s², rad/s²].
    """

    inertia: Float[Array, "6 6"]
    wrench: Float[Array, "6"]
    twist_rate: Float[Array, "6"]


class BothLoops(eqx.Module):
    """Results of the two space loops at a set of stations. [BPK06, eqs. (48)-(66)]

    Attributes:
        head_twist_rate: d(twist)/dt of the head, in its frame [m/s², rad/s²].
        position_w: centre of the section in the world [m].
        quaternion: orientation of the section in the world.
        twist: twist of the section, in its frame [m/s, rad/s].
        twist_rate: d(twist)/dt [m/s², rad/s²].
        force_w: internal force n, in the world [N].
        moment: internal moment M, in the section frame [N·m].
        wake_power: power lost to the wake [W]; None for a fluid that carries no water along the body.
    """

    head_twist_rate: Float[Array, "6"]
    position_w: Float[Array, "stations 3"]
    quaternion: Float[Array, "stations 4"]
    twist: Float[Array, "stations 6"]
    twist_rate: Float[Array, "stations 6"]
    force_w: Float[Array, "stations 3"]
    moment: Float[Array, "stations 3"]
    wake_power: Float[Array, ""] | None = None


class AbstractSpacePath(Printed):
    """A method to integrate along the body from the head to the tail.

    Attributes:
        tolerance: allowed relative error [-]; infinite if the path controls its own error.
    """

    tolerance: eqx.AbstractVar[float]

    @property
    def in_words(self) -> str:
        """The grid in words, for messages."""
        return str(self)

    @abc.abstractmethod
    def sample(self, beam: Beam, fluid: AbstractFluid) -> Any:
        """Precomputes the quantities that are constant while a body moves in a fluid; called once per run."""

    @abc.abstractmethod
    def stations(self, body: Any, X: Float[Array, "stations"]) -> Any:
        """Prepares non-decreasing abscissae at which both loops will be evaluated; called once per run."""

    @abc.abstractmethod
    def head_dynamics(
        self, body: Any, gait: Gait, fluid: AbstractFluid, state: HeadState, t: Float[Array, ""]
    ) -> HeadDynamics:
        """First space loop: inertia and wrench of the whole body at the head."""

    @abc.abstractmethod
    def both_loops(
        self,
        body: Any,
        gait: Gait,
        fluid: AbstractFluid,
        state: HeadState,
        t: Float[Array, ""],
        stations: Any,
    ) -> BothLoops:
        """Both space loops: head, accelerations and internal wrench at prepared stations."""

    @abc.abstractmethod
    def grid(self, beam: Beam, fluid: AbstractFluid, body: Any) -> Any:
        """The body on Gauss nodes, for sums over it (mass, momentum, energy); `body` is the result of `sample`."""

    @abc.abstractmethod
    def sums_and_loops(
        self,
        body: Any,
        grid: Any,
        gait: Gait,
        fluid: AbstractFluid,
        state: HeadState,
        t: Float[Array, ""],
        stations: Any,
    ) -> tuple[Any, BothLoops]:
        """The first loop on `grid`, for the sums, and `both_loops`. A path may share work between the two."""

    def turn(self, body: Any, gait: Gait, times: Float[Array, "times"]) -> Float[Array, "times"]:
        """Angle turned within one panel at each time [s], relative to the greatest that the path resolves [-].

        Above one the body is coiled too tightly for the path. Zero for a path without panels.
        """
        return jnp.zeros(times.shape)

    def motion_decay(self, body: Any, gait: Gait, state: HeadState, t: Float[Array, ""]) -> Float[Array, ""] | None:
        """Decay of the expansions along X: size of their last terms relative to the greatest [-].

        None if the path controls its own error.
        """
        return None

    @property
    def counts(self) -> tuple[int, int] | None:
        """Number of panels, and of panels that replace each load panel; None for a path without panels."""
        return None

    def with_counts(self, panels: int, loads: int) -> Self:
        """The same path with other numbers of panels; a path without panels returns itself."""
        return self

    @property
    def fixed(self) -> bool:
        """Whether the numbers of panels are given, or the path has no panels."""
        return True

    def may_double(self, panels: int, loads: int) -> tuple[bool, bool]:
        """Whether the number of panels, and of panels that replace each load panel, may be doubled."""
        return False, False

    def on_panels(self) -> Any:
        """The path as `Panels`, which the equations of a soft beam need; a path without panels raises."""
        raise ValueError(f"path = {shown(self)}: a soft beam needs cosserat.Panels")

    def soft_loops(
        self, sampled: Any, now: Any, fluid: AbstractFluid, t: Float[Array, ""], X: Float[Array, "stations"]
    ) -> BothLoops:
        """Both loops of a soft beam whose accelerations are known, at the abscissae X [m].

        Args:
            sampled: the sampled beam, a `SampledSoft`.
            now: the beam at time t, a `SoftInstant`.
            fluid: the fluid around it.
            t: time [s].
            X: non-decreasing abscissae [m].
        """
        soft = sampled.soft
        if soft.loads or len(soft.head.free) < 6:
            raise ValueError(f"path = {shown(self)}: loads and heads that are held need cosserat.Panels")
        return self.both_loops(soft.beam, now.law, fluid, now.head, t, self.stations(soft.beam, X))

    def two_grids(self, beam: Beam, fluid: AbstractFluid) -> tuple[Any, Any]:
        """The body on this path's grid and on one twice as fine, for error estimates, and its `own_nodes` on them.

        The first axis of all arrays is the grid, so that one program evaluates both; the beam itself is left out. Only
        a path with panels has two grids: others control their own error.
        """
        raise ValueError(f"path = {shown(self)}: has no panels")

    @property
    @abc.abstractmethod
    def seconds(self) -> float:
        """Approximate computation time per simulated second, on a typical machine, for a gait period of 1 s [s]."""
