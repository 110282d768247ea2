"""Velocity fields of moving water, and their values relative to a moving section."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from spatial import Numbers, angular, cross, finite, linear, positive
from spatial.printing import Printed
from stepping import unstored_program

Stream = Callable[[Float[Array, "3"], Float[Array, ""]], Float[Array, "3"]]


class LocalFlow(eqx.Module):
    """The stream at one section, in the section's axes.

    Attributes:
        velocity: U = Rᵀu [m/s].
        rate: dU/dt in the axes of the moving, rotating section [m/s²].
        gradient: Rᵀ ∇u R with (∇u)_ij = ∂u_i/∂x_j [1/s]; None for a uniform stream.
        acceleration: acceleration of the water, Rᵀ(∂u/∂t + u·∇u) [m/s²]; None for a uniform, steady stream.
    """

    velocity: Float[Array, "3"]
    rate: Float[Array, "3"]
    gradient: Float[Array, "3 3"] | None
    acceleration: Float[Array, "3"] | None


def local_flow(
    current: Any, time: Float[Array, ""], rotation: Float[Array, "3 3"], position: Any, twist: Float[Array, "6"]
) -> LocalFlow:
    """The stream at a moving section: velocity, rate, gradient and acceleration in its axes.

    Args:
        current: velocity of the water in the world [m/s], or a function u(x, t).
        time: t [s].
        rotation: axes of the section in the world, as columns.
        position: centre of the section in the world [m].
        twist: twist of the section, in its frame [m/s, rad/s].
    """
    turned = lambda u: rotation.T @ u  # noqa: E731
    if not callable(current):
        U = turned(current)
        return LocalFlow(U, -cross(angular(twist), U), None, None)
    u, du_dt = jax.jvp(lambda t: current(position, t), (time,), (jnp.ones_like(time),))
    slope = jax.jacfwd(lambda x: current(x, time))(position)
    U, gradient = turned(u), rotation.T @ slope @ rotation
    unsteady = turned(du_dt)
    rate = unsteady + gradient @ linear(twist) - cross(angular(twist), U)
    return LocalFlow(U, rate, gradient, unsteady + gradient @ U)


def checked_current(name: str, current: Any) -> Any:
    """Checks a velocity of the water: three components, a function u(x, t), or None; returns it.

    Raises:
        ValueError: the value is none of these, or is not finite.
    """
    if current is None:
        return None
    if not callable(current):
        return finite(name, current, (3,))
    x, t = np.zeros(3), np.zeros(())
    try:
        shape = eqx.filter_eval_shape(current, x, t)
    except jax.errors.JAXTypeError as error:
        raise ValueError(f"{name}: must be written with jax.numpy: {str(error).splitlines()[0]}") from error
    if getattr(shape, "shape", None) != (3,):
        raise ValueError(f"{name}(x, t) returns {shape!r}: must be the three components of a velocity [m/s]")
    value = unstored_program(current)(jnp.asarray(x), jnp.asarray(t))
    if not isinstance(value, Tracer) and not np.all(np.isfinite(np.asarray(value))):
        raise ValueError(f"{name}(x, t) returns {np.asarray(value).tolist()} at x = 0, t = 0: must be finite [m/s]")
    return current


def water_velocity(fluid: Any, position: Float[Array, "3"], time: Float[Array, ""]) -> Float[Array, "3"]:
    """Velocity of the undisturbed fluid at a point, in the world [m/s]; zero for still water and the void.

    Args:
        fluid: any fluid; of a `Together`, the first part that moves counts.
        position: position in the world [m].
        time: t [s].
    """
    for part in getattr(fluid, "parts", (fluid,)):
        for name in ("current", "wind"):
            moving = getattr(part, name, None)
            if moving is not None:
                return moving if isinstance(moving, Array) else moving(position, time)
    return jnp.zeros(3)


class Shear(Printed):
    """A stream that changes linearly in space: u = velocity + gradient x.

    Attributes:
        velocity: velocity at the origin of the world, in its axes [m/s].
        gradient: ∂u_i/∂x_j in the world [1/s].
    """

    velocity: Float[Array, "3"]
    gradient: Float[Array, "3 3"]

    def __init__(self, velocity: Numbers, gradient: Numbers):
        self.velocity = finite("Shear.velocity", velocity, (3,))
        self.gradient = finite("Shear.gradient", gradient, (3, 3))

    def __call__(self, x: Float[Array, "3"], t: Float[Array, ""]) -> Float[Array, "3"]:
        """Velocity at a place of the world [m] and a time [s], in the world's axes [m/s]."""
        return self.velocity + self.gradient @ x


class VortexStreet(Printed):
    """Two staggered rows of line vortices along z that drift along x, as behind a cylinder, in a uniform stream.

    The complex velocity of a row of vortices of circulation Γ at the distance a from each other is
    -i Γ/(2a) cot(π(z - z0)/a) (von Kármán). A vortex core regularises it: (π core/a)² is added to |sin|². With the
    stream U along +x, the rows drift at U - Γ/(2a) tanh(π width/a), because each row moves with the velocity that the
    other induces.

    Attributes:
        speed: U, speed of the stream along x [m/s].
        circulation: Γ of each vortex [m²/s]; positive for a drag wake (the water between the rows is slowed).
        spacing: a, distance between vortices of one row [m].
        width: h, distance between the two rows [m].
        core: radius inside which a vortex rotates like a solid [m].
        phase: shift of the street along x at t = 0, in units of `spacing` [-].
        centre: y of the middle between the rows [m].
    """

    speed: Float[Array, ""]
    circulation: Float[Array, ""]
    spacing: Float[Array, ""]
    width: Float[Array, ""]
    core: Float[Array, ""]
    phase: Float[Array, ""]
    centre: Float[Array, ""]

    def __init__(
        self,
        speed: Numbers,
        circulation: Numbers,
        spacing: Numbers,
        width: Numbers | None = None,
        core: Numbers | None = None,
        phase: Numbers = 0.0,
        centre: Numbers = 0.0,
    ):
        self.speed = finite("VortexStreet.speed", speed, ())
        self.circulation = finite("VortexStreet.circulation", circulation, ())
        self.spacing = positive("VortexStreet.spacing", spacing, "m", ())
        self.width = 0.281 * self.spacing if width is None else positive("VortexStreet.width", width, "m", ())
        self.core = 0.1 * self.spacing if core is None else positive("VortexStreet.core", core, "m", ())
        self.phase = finite("VortexStreet.phase", phase, ())
        self.centre = finite("VortexStreet.centre", centre, ())

    @property
    def drift(self) -> Float[Array, ""]:
        """Velocity of the vortices along x [m/s]."""
        return self.speed - 0.5 * self.circulation / self.spacing * jnp.tanh(jnp.pi * self.width / self.spacing)

    @property
    def frequency(self) -> Float[Array, ""]:
        """Frequency at which vortices of one row pass a fixed point [Hz]."""
        return self.drift / self.spacing

    def __call__(self, x: Float[Array, "3"], t: Float[Array, ""]) -> Float[Array, "3"]:
        """Velocity at a place of the world [m] and a time [s], in the world's axes [m/s]."""
        along = x[0] - self.drift * t - self.phase * self.spacing
        y = x[1] - self.centre
        # The upper row rotates clockwise, so that the water between the rows is slower than the stream.
        upper = self._row(along, y - 0.5 * self.width, -self.circulation)
        lower = self._row(along - 0.5 * self.spacing, y + 0.5 * self.width, self.circulation)
        return jnp.stack([self.speed + upper[0] + lower[0], upper[1] + lower[1], jnp.zeros(())])

    def _row(self, x, y, circulation):
        """u - iv = -i Γ/(2a) cot(π(x + iy)/a), with the denominator regularised by the core."""
        k = 2.0 * jnp.pi / self.spacing
        soft = 0.5 * (k * self.core) ** 2
        below = jnp.cosh(k * y) - jnp.cos(k * x) + soft
        scale = 0.5 * circulation / self.spacing / below
        return -scale * jnp.sinh(k * y), scale * jnp.sin(k * x)
