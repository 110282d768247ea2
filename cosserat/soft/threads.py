"""Threads along a soft beam: tendons, muscles and pressure chambers at an offset from the centre line.

A thread runs at the offset D(X) in the sections from X0 to X1. With the strain ξ = (Γ, K),

    u = Γ + K × D + D',   l = ∫|u| dX,   Λ_act = T (u/|u|; D × u/|u|) on the routed interval

so that -∫ΦᵀBᵀΛ_act = -T ∂l/∂q, which is exactly the virtual work of the tension. u contains D' because a thread whose
offset changes is oblique to the section.
"""

import abc
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from gaits import AbstractTension, taut, tension_law
from hydro import Profile
from spatial import Numbers, cross, non_negative, number, one_of, positive, safe_norm
from spatial.checks import shaped
from spatial.printing import Printed
from spatial.user_warnings import warn

from .actuators import AbstractActuator, StrainedBody
from .routings import Offset, Routing, checked_routing, offset_at


class ThreadState(eqx.Module):
    """A thread at one instant.

    Attributes:
        length: length of the routed part [m].
        rate: rate of that length [m/s].
        tension: tension at the end where it is pulled [N]; negative for a chamber that pushes.
    """

    length: Float[Array, "*threads"]
    rate: Float[Array, "*threads"]
    tension: Float[Array, "*threads"]


class Course(eqx.Module):
    """The course of a thread through the sections, at the nodes of the body.

    Attributes:
        offset: D, in the section frame [m].
        slope: D' [-].
        direction: unit tangent, in the section frame, towards the tail [-].
        stretch: |u|, length of thread per length of body [-].
        weight: quadrature weight of the nodes on the routed interval, zero elsewhere [m].
        length: length of the routed part [m].
        rate: rate of that length [m/s].
    """

    offset: Float[Array, "loads 3"]
    slope: Float[Array, "loads 3"]
    direction: Float[Array, "loads 3"]
    stretch: Float[Array, "loads"]
    weight: Float[Array, "loads"]
    length: Float[Array, ""]
    rate: Float[Array, ""]

    def stress(self, tension: Float[Array, "loads"]) -> Float[Array, "loads 6"]:
        """T (t; D × t) on the routed interval, zero elsewhere [N, N·m]."""
        pull = jnp.where(self.weight > 0, tension, 0.0)[:, None] * self.direction
        return jnp.concatenate([pull, cross(self.offset, pull)], axis=1)


class Route(Printed):
    """Route of a thread along the body.

    Attributes:
        routing: offset (d2, d3) or (d1, d2, d3) in the section frame, or a function X -> offset [m].
        start: abscissa where it begins [m].
        stop: abscissa where it ends [m]; None for the tail.
    """

    routing: Routing | Offset
    start: float = eqx.field(static=True)
    stop: float | None = eqx.field(static=True)

    def __init__(self, name: str, routing: Routing | Numbers, start: float, stop: float | None):
        self.routing = checked_routing(f"{name}.routing", routing)
        self.start, self.stop = _place(f"{name}.start", start), None if stop is None else _place(f"{name}.stop", stop)
        if self.start < 0 or (self.stop is not None and self.stop <= self.start):
            raise ValueError(
                f"{name}: from start = {self.start:g} to stop = {self.stop:g} m: must run towards the tail, "
                "0 ≤ start < stop"
                if self.stop is not None
                else f"{name}.start = {self.start:g}: must not be negative [m]"
            )

    @property
    def ends(self) -> tuple[float, ...]:
        """Ends of the routed interval inside the body [m]."""
        return tuple(x for x in (self.start, self.stop) if x)

    def at(self, X: Float[Array, ""]) -> Float[Array, "3"]:
        """D at the abscissa X [m]; constant outside of the routed interval."""
        return offset_at(self.routing, jnp.clip(X, self.start, self.stop))

    def slope(self, X: Float[Array, ""]) -> Float[Array, "3"]:
        """D' at the abscissa X [-]."""
        inside = jnp.clip(X, self.start, self.stop)
        return jax.jvp(lambda X: offset_at(self.routing, X), (inside,), (jnp.ones(()),))[1]

    def course(self, along: StrainedBody) -> Course:
        """The thread in the strained body."""
        X, (gamma, kappa), (dgamma, dkappa) = along.X, _parts(along.strain), _parts(along.rate)
        D, slope = jax.vmap(self.at)(X), jax.vmap(self.slope)(X)
        u = gamma + cross(kappa, D) + slope
        stretch = safe_norm(u)
        direction = u / jnp.where(stretch > 0, stretch, 1.0)[:, None]
        inside = (X >= self.start) if self.stop is None else (X >= self.start) & (X <= self.stop)
        weight = jnp.where(inside, along.weight, 0.0)
        rate = jnp.sum(direction * (dgamma + cross(dkappa, D)), axis=1)
        return Course(D, slope, direction, stretch, weight, jnp.sum(weight * stretch), jnp.sum(weight * rate))

    def turning(self, along: StrainedBody, course: Course) -> Float[Array, "loads"]:
        """Angle through which the thread turns from its beginning to each node [rad].

        The direction R t turns by |t' + K × t| per metre. Kinks where a strain jumps are not counted.
        """
        (_, kappa), (dgamma, dkappa) = _parts(along.strain), _parts(along.slope())
        bend = jax.vmap(lambda X: jax.jvp(self.slope, (X,), (jnp.ones(()),))[1])(along.X)
        du = dgamma + cross(dkappa, course.offset) + cross(kappa, course.slope) + bend
        t, size = course.direction, jnp.where(course.stretch > 0, course.stretch, 1.0)[:, None]
        across = (du - t * jnp.sum(t * du, axis=1, keepdims=True)) / size + cross(kappa, t)
        return along.integral_from_head(jnp.where(course.weight > 0, safe_norm(across), 0.0))

    def check(self, name: str, profile: Profile) -> None:
        """Rejects offsets that are not finite; warns if the thread leaves the sections."""
        stop = float(np.asarray(profile.breaks)[-1]) if self.stop is None else self.stop
        X = jnp.asarray(self.start + (stop - self.start) * np.linspace(0.05, 0.95, 19))
        with jax.ensure_compile_time_eval():
            D, section = jax.vmap(self.at)(X), jax.vmap(profile)(X)
        if isinstance(D, Tracer) or isinstance(section.b, Tracer):
            return
        outside = ~np.asarray(section.contains(D[:, 1], D[:, 2]))
        D, b, c = np.asarray(D), np.asarray(section.b), np.asarray(section.c)
        if not np.all(np.isfinite(D)):
            where = float(X[int(np.argmin(np.isfinite(D).all(axis=1)))])
            raise ValueError(f"{name}.routing is {D[~np.isfinite(D)][0]} at X = {where:g} m: must be finite")
        if outside.any():
            k = int(np.argmax(outside))
            warn(
                f"{name}.routing: the offset ({D[k, 1]:.3g}, {D[k, 2]:.3g}) m at X = {float(X[k]):.3g} m lies outside "
                f"of the section, whose half width and height are {b[k]:.3g} and {c[k]:.3g} m.",
            )


class AbstractThread(AbstractActuator):
    """An actuator along a route."""

    route: eqx.AbstractVar[Route]

    @property
    def ends(self) -> tuple[float, ...]:
        """Ends of the routed interval inside the body [m]."""
        return self.route.ends

    def check(self, profile: Profile) -> None:
        """Rejects offsets that are not finite; warns if the thread leaves the sections."""
        self.route.check(type(self).__name__, profile)

    def state(self, along: StrainedBody, command: Float[Array, "commands"]) -> ThreadState:
        """Length, rate and tension at one instant; arguments as in `stress`."""
        course = self.route.course(along)
        return ThreadState(course.length, course.rate, self.pull(along.t, course, command))

    @abc.abstractmethod
    def pull(self, t: Float[Array, ""], course: Course, command: Float[Array, "commands"]) -> Float[Array, ""]:
        """Tension at the end where it is pulled [N].

        Args:
            t: time [s].
            course: course of the thread in the strained body.
            command: commands of this thread, of any unit.
        """


class Thread(AbstractThread):
    """A tendon or a muscle along a route: a tension T ≥ 0 at the offset D(X).

    A straight tendon at (d2, d3) bends the body towards itself: K3 = T d2 / EI3, K2 = -T d3 / EI2, and shortens it,
    Γ1 - 1 = -T / EA. A law that gives a negative tension leaves the thread slack: T = max(law, 0).

    With friction the tension decreases according to the capstan equation, T(X) = T exp(-μ θ(X)), with θ the angle
    through which the thread has turned since the end where it is pulled. This assumes that the whole thread slides
    towards that end; a thread that is paid out has the opposite sign, which is not modelled.

    If a thread ends inside the body, the strains jump there: let a piece of free strains end there too.

    Attributes:
        route: route of the thread.
        tension: law of the tension.
        friction: friction coefficient μ of the capstan equation [-]; None for none.
        pulled_from: end at which it is pulled, "start" or "stop".

    Example:
        >>> import cosserat
        >>> tendon = cosserat.Thread((0.006, 0.0), tension=8.0)
        >>> rod = cosserat.rod(length=0.5, b=0.01, c=0.015)
        >>> soft = cosserat.Soft(rod, cosserat.FreeStrains(modes={"K3": 3}), cosserat.Elastic(1e6),
        ...     actuators=tendon, head=cosserat.Clamped())
        >>> round(float(cosserat.equilibrium(soft).q[0]), 3)  # T d2 / EI3 [1/m]
        4.074
    """

    route: Route
    tension: AbstractTension
    friction: Float[Array, ""] | None
    pulled_from: str = eqx.field(static=True)

    def __init__(
        self,
        routing: Routing | Numbers,
        tension: AbstractTension | Any,
        start: float = 0.0,
        stop: float | None = None,
        *,
        friction: Numbers | None = None,
        pulled_from: str = "start",
    ):
        """The routing is an offset (d2, d3) or X -> offset; the tension a number, t -> number, or a `gaits` law [N]."""
        self.route = Route("Thread", routing, start, stop)
        self.tension = tension_law("Thread.tension", tension)
        if not isinstance(tension, AbstractTension) and not callable(tension):
            non_negative("Thread.tension", tension, "N")  # a thread does not push: see Chamber
        self.friction = None if friction is None else non_negative("Thread.friction", friction)
        if self.friction is not None:
            shaped("Thread.friction", self.friction, ())
        one_of("Thread.pulled_from", pulled_from, ("start", "stop"))
        self.pulled_from = pulled_from

    @property
    def commands(self) -> int:
        """Number of commands that its tension reads."""
        return self.tension.commands

    def stress(self, along: StrainedBody, command: Float[Array, "commands"]) -> Float[Array, "loads 6"]:
        """T (t; D × t) [N, N·m]."""
        course = self.route.course(along)
        tension = jnp.broadcast_to(self.pull(along.t, course, command), along.X.shape)
        if self.friction is not None:
            turned = self.route.turning(along, course)
            if self.pulled_from == "stop":
                turned = jnp.max(turned) - turned
            tension = tension * jnp.exp(-self.friction * turned)
        return course.stress(tension)

    def pull(self, t: Float[Array, ""], course: Course, command: Float[Array, "commands"]) -> Float[Array, ""]:
        """max(law, 0) [N]."""
        return taut(self.tension(t, course.length, course.rate, command))


class Chamber(AbstractThread):
    """A pressure chamber along a route: a thread that pushes with p A.

    Attributes:
        route: route of its centre line.
        pressure: law of the gauge pressure, in Pa instead of the N of a tension; negative for suction.
        area: area A of its cross-section [m²].

    Example:
        >>> import cosserat
        >>> bellows = cosserat.Chamber((0.006, 0.0), pressure=2e4, area=1e-4)
    """

    route: Route
    pressure: AbstractTension
    area: Float[Array, ""]

    def __init__(
        self,
        routing: Routing | Numbers,
        pressure: AbstractTension | Any,
        area: Numbers,
        start: float = 0.0,
        stop: float | None = None,
    ):
        """The routing is as in `Thread`; the pressure a number, t -> number, or a `gaits` law [Pa]."""
        self.route = Route("Chamber", routing, start, stop)
        self.pressure = tension_law("Chamber.pressure", pressure)
        self.area = positive("Chamber.area", area, "m²", ())

    @property
    def commands(self) -> int:
        """Number of commands that its pressure reads."""
        return self.pressure.commands

    def stress(self, along: StrainedBody, command: Float[Array, "commands"]) -> Float[Array, "loads 6"]:
        """-p A (t; D × t) [N, N·m]."""
        course = self.route.course(along)
        return course.stress(jnp.broadcast_to(self.pull(along.t, course, command), along.X.shape))

    def pull(self, t: Float[Array, ""], course: Course, command: Float[Array, "commands"]) -> Float[Array, ""]:
        """-p A [N]."""
        return -self.area * self.pressure(t, course.length, course.rate, command)


def _parts(strain):
    """Γ and K of the strains at nodes."""
    return strain[:, :3], strain[:, 3:]


def _place(name, value):
    """An abscissa as a plain number, because panels of the grid along X end there."""
    if isinstance(value, Tracer):
        raise ValueError(f"{name} is being traced: must be a plain number, since the grid along X ends there [m]")
    return float(number(name, value))
