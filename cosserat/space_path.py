"""The interface of a way along X: what the two space loops of [BPK06, VIII] take and give."""

import abc
from typing import Any

import equinox as eqx
from jaxtyping import Array, Float

from hydro import AbstractFluid

from .beam import Beam
from .state import HeadState
from .strain import Gait


class HeadDynamics(eqx.Module):
    """The whole body reduced to its head: inertia @ d(twist)/dt = wrench. [BPK06, eq. (34)]

    Attributes:
        inertia: of body and water, in the head frame [kg, kg·m, kg·m²].
        wrench: of all else, in the head frame [N, N·m].
        twist_rate: d(twist)/dt of the head, in its frame [m/s², rad/s²].
    """

    inertia: Float[Array, "6 6"]
    wrench: Float[Array, "6"]
    twist_rate: Float[Array, "6"]


class BothLoops(eqx.Module):
    """What the two space loops find at a set of stations. [BPK06, eqs. (48)-(66)]

    Attributes:
        head_twist_rate: d(twist)/dt of the head, in its frame [m/s², rad/s²].
        position_w: centre of the section in the world [m].
        quaternion: of the section in the world.
        twist: of the section, in its frame [m/s, rad/s].
        twist_rate: d(twist)/dt [m/s², rad/s²].
        force_w: internal force n, in the world [N].
        moment: internal moment M, in the section frame [N·m].
        wake_power: that water which leaves the body takes away [W]; None for a fluid that carries none along the body.
    """

    head_twist_rate: Float[Array, "6"]
    position_w: Float[Array, "stations 3"]
    quaternion: Float[Array, "stations 4"]
    twist: Float[Array, "stations 6"]
    twist_rate: Float[Array, "stations 6"]
    force_w: Float[Array, "stations 3"]
    moment: Float[Array, "stations 3"]
    wake_power: Float[Array, ""] | None = None


class AbstractSpacePath(eqx.Module):
    """A way to integrate along the body from the head to the tail."""

    @abc.abstractmethod
    def sample(self, beam: Beam, fluid: AbstractFluid) -> Any:
        """Prepares what stays the same while a body moves in a fluid; once per run, not per step."""

    @abc.abstractmethod
    def stations(self, body: Any, X: Float[Array, "stations"]) -> Any:
        """Prepares abscissae that do not decrease, at which both loops will be asked; once per run as well."""

    @abc.abstractmethod
    def head_dynamics(
        self, body: Any, gait: Gait, fluid: AbstractFluid, state: HeadState, t: Float[Array, ""]
    ) -> HeadDynamics:
        """First space loop: the head's dynamics."""

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
