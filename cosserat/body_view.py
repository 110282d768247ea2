"""Beam with imposed or free strains at one instant, as seen by sensors."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from gaits.feedback.body_view import AbstractBodyView, Place
from hydro import AbstractFluid
from hydro.streams import water_velocity
from spatial import matrix_from_quaternion

from .panel_loops import first_loop, second_loop
from .reduction import carried
from .sampled_body import SampledBody
from .section_motion import body_shape, section_motion
from .state import HeadState
from .strain import Gait

STRAIGHT = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class BeamView(AbstractBodyView):
    """A beam at one instant.

    Attributes:
        t: time [s].
        head: pose and twist of the head.
        law: strain law (X, t) -> (Γ, K). At this instant its value and first rate are exact; if `rate` is given, its
            second rate is exact too.
        body: the beam sampled on its grids.
        fluid: the fluid around it.
        rate: d(twist)/dt of the head, in its frame [m/s², rad/s²]; None before the dynamics are solved.
    """

    t: Float[Array, ""]
    head: HeadState
    law: Gait
    body: SampledBody
    fluid: AbstractFluid
    rate: Float[Array, "6"] | None = None

    def pose(self, at: Place = None) -> tuple[Float[Array, "3"], Float[Array, "3 3"]]:
        """Position in the world [m] and axes in the world, as columns."""
        if at is None:
            return self.head.position, self.head.rotation
        motion, here = self._at(at)
        quaternion = motion.shape.quaternion @ here
        rotation = matrix_from_quaternion(quaternion / jnp.linalg.norm(quaternion))
        return self.head.position + self.head.rotation @ (motion.shape.position @ here), self.head.rotation @ rotation

    def twist(self, at: Place = None) -> Float[Array, "6"]:
        """Velocity (V, Ω) in the frame of the section [m/s, rad/s]."""
        if at is None:
            return self.head.twist
        motion, here = self._at(at)
        return motion.twist @ here

    def twist_rate(self, at: Place = None) -> Float[Array, "6"]:
        """d(twist)/dt in the frame of the section [m/s², rad/s²]."""
        rate = self._rate()
        if at is None:
            return rate
        motion, here = self._at(at)
        return (motion.twist_rate + carried(motion.shape.rotation, motion.shape.position, rate)) @ here

    def water(self, at: Place = None) -> Float[Array, "3"]:
        """Velocity of the undisturbed water, in the world [m/s]."""
        return water_velocity(self.fluid, self.pose(at)[0], self.t)

    def strain(self, X: Float[Array, ""]) -> Float[Array, "6"]:
        """Strain (Γ, K), in the section frame [-, 1/m]."""
        return self.law(self._abscissa(X), self.t)

    def moment(self, X: Float[Array, ""]) -> Float[Array, "3"]:
        """Internal moment that the head side exerts on the tail side, in the section frame [N·m]."""
        self._rate()
        stations = self.body.stations(self._abscissa(X)[None])
        first = first_loop(self.body, self.law, self.fluid, self.head, self.t)
        return second_loop(self.body, self.law, self.fluid, self.head, self.t, first, stations).moment[0]

    def _rate(self):
        if self.rate is None:
            raise ValueError("accelerations follow from the command: they are read through a filter, as Accelerometer")
        return self.rate

    def _at(self, at):
        """Motion of the sections, and the interpolation weights of the nodes at one abscissa."""
        shape = body_shape(self.body, self.law, self.t)[1]
        here = self.body.stations(self._abscissa(at)[None]).from_smooth[:, 0]
        return section_motion(shape, self.head.twist), here

    def _abscissa(self, X: Any) -> Float[Array, ""]:
        if X is None or isinstance(X, str):
            raise ValueError(f"at = {X!r}: a place on a beam is an abscissa X [m], or None for the head")
        if jnp.ndim(X) != 0:
            raise ValueError(f"at has shape {jnp.shape(X)}: this sensor needs one abscissa [m]")
        ends = self.body.beam.profile.breaks
        if not isinstance(X, Tracer) and not isinstance(ends, Tracer):
            length = float(np.asarray(ends)[-1])
            if not 0.0 <= float(np.asarray(X)) <= length * (1 + 1e-12):
                raise ValueError(
                    f"at = {float(np.asarray(X)):g}: must lie between the nose (0) and the tail ({length:g}) [m]"
                )
        return jnp.asarray(X, float)


def straight(X: Float[Array, ""], t: Float[Array, ""]) -> Float[Array, "6"]:
    """Strain law (X, t) -> (Γ, K) of the straight beam [-, 1/m], with X [m] and t [s]."""
    return jnp.asarray(STRAIGHT)
