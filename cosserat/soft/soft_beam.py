"""The soft beam: a body with free strains in addition to those imposed by a gait."""

import html
from collections.abc import Callable, Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float

from hydro import BodySection, Profile
from hydro.profile_drawing import profile_drawing
from spatial import Numbers, finite, solve
from spatial.checks import callable_as, of_kind, sequence, shaped, shown
from spatial.printing import Printed
from stepping import listed_breaks

from ..beam import Beam
from ..density import Density
from ..point_masses import PointMasses
from ..state import HeadState
from ..strain import Gait
from .actuators import AbstractActuator
from .head import AbstractHead, Free
from .laws import AbstractStress, check_law
from .loads import EndLoad, Load, check_load
from .pieces import check_overlap, cut_beam, inside, merged, piece_ends
from .strain_basis import FreeStrains, check_independent

STRAIGHT = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)

Rest = Float[Array, "6"] | Callable[[Float[Array, ""]], Float[Array, "6"]]


class Soft(Printed):
    """A beam with free strains that obey a stress-strain law, and strains imposed by a gait, in any combination.

        ξ(X, t) = imposed(X, t) + B Φ(X) q(t)

    The imposed strain is that of the gait, except for components that are free and not in series with the gait. For
    these it is the rest shape ξ*. `cosserat.rollout`, `simulate`, `steady_swim`, `internal_wrench` and `energetics`
    accept a soft beam in place of a beam.

    Attributes:
        beam: the body; its profile has a break where a free piece or an actuator begins or ends.
        pieces: free strains, with their interval and numbers of modes; () for none.
        law: elastic and viscous stress of the free strains.
        rest: rest shape ξ*(X) in the section frame, six numbers or a function of X [-, 1/m].
        actuators: muscles, threads and chambers that act on the free strains.
        loads: forces and moments other than those of the fluid.
        head: boundary condition of the head.

    Example:
        >>> import cosserat
        >>> tail = cosserat.FreeStrains(start=1.2, modes={"K3": 6})
        >>> soft = cosserat.Soft(cosserat.eel(), tail, cosserat.Elastic(young=1e5, damping_time=0.02))
        >>> soft.modes
        6
    """

    beam: Beam
    pieces: tuple[FreeStrains, ...]
    law: AbstractStress
    rest: Rest
    actuators: tuple[AbstractActuator, ...]
    loads: tuple[Load, ...]
    head: AbstractHead
    ends: tuple[tuple[float, float], ...] = eqx.field(static=True)

    def __init__(
        self,
        beam: Beam,
        pieces: FreeStrains | Sequence[FreeStrains],
        law: AbstractStress,
        *,
        rest: Numbers | Rest = STRAIGHT,
        actuators: AbstractActuator | Sequence[AbstractActuator] = (),
        loads: Load | Sequence[Load] = (),
        head: AbstractHead | None = None,
    ):
        if not isinstance(beam, Beam):
            raise ValueError(f"Soft.beam = {shown(beam)}: must be a cosserat.Beam")
        self.pieces = _several("pieces", pieces, FreeStrains, "a cosserat.FreeStrains")
        self.actuators = _several("actuators", actuators, AbstractActuator, "an actuator, as cosserat.ActiveStrain")
        words = "a cosserat.EndLoad or a cosserat.DistributedLoad, or several"
        self.loads = (loads,) if isinstance(loads, Load) else sequence("Soft.loads", loads, words)
        for load in self.loads:
            check_load(load)
        if not isinstance(law, AbstractStress):
            raise ValueError(f"Soft.law = {shown(law)}: must be a law, such as cosserat.Elastic(young=1e5)")
        self.head = Free() if head is None else head
        if not isinstance(self.head, AbstractHead):
            raise ValueError(
                f"Soft.head = {shown(head)}: must be a cosserat.Free(), Clamped(), Pinned() or Moved(path)"
            )
        if not self.head.free and any(isinstance(load, EndLoad) and load.at == "head" for load in self.loads):
            raise ValueError(
                f"Soft.loads: an EndLoad at the head does nothing to a head that is {type(self.head).__name__}: "
                "put it at the tail, or free the head"
            )
        self.law = law
        self.rest = rest if callable(rest) else finite("Soft.rest", rest, (6,))
        self.ends = tuple(piece_ends(piece, beam) for piece in self.pieces)
        check_overlap(self.pieces, self.ends)
        for piece in self.pieces:
            check_independent(piece)
        self.beam = cut_beam(beam, self.knots, [X for actuator in self.actuators for X in actuator.ends])
        check_law(law, self.profile, self.ends)
        if not isinstance(beam.profile.breaks, Tracer):
            for actuator in self.actuators:
                actuator.check(beam.profile)

    def __str__(self) -> str:
        parts = (self.beam, *self.pieces, self.law, *self.actuators, *self.loads, self.head)
        return f"Soft({', '.join(map(str, parts))})"

    def _repr_html_(self) -> str:
        """The text of `str` with a side view of the profile, for notebooks."""
        return f"<b>{html.escape(str(self))}</b><br>{profile_drawing(self.profile)}"

    @property
    def modes(self) -> int:
        """Number of free modes n."""
        return len(self.components)

    @property
    def commands(self) -> int:
        """Number of commands that its actuators read."""
        return sum(actuator.commands for actuator in self.actuators)

    def actuator_commands(self, command: Numbers | None) -> tuple[Float[Array, "_"], ...]:
        """The commands of each actuator, from the joint vector of all commands, of any unit; zero when None."""
        every = jnp.zeros(self.commands) if command is None else jnp.asarray(command, float)
        shaped("command", every, (self.commands,))
        ends = np.cumsum([actuator.commands for actuator in self.actuators])
        return tuple(jnp.split(every, ends[:-1])) if self.actuators else ()

    @property
    def is_beam(self) -> bool:
        """Whether it is equivalent to its beam: no free strain, a free head, no load."""
        return self.modes == 0 and len(self.head.free) == 6 and not self.loads

    @property
    def components(self) -> tuple[int, ...]:
        """Index in the strain vector of each mode."""
        return tuple(component for piece in self.pieces for component in piece.components)

    @property
    def profile(self) -> Profile:
        """The elliptic sections along the body."""
        return self.beam.profile

    @property
    def density(self) -> Density:
        """Density of the body, a number or a function of X [kg/m³]."""
        return self.beam.density

    def density_at(self, X: Float[Array, ""]) -> Float[Array, ""]:
        """Density at the abscissa X [kg/m³]."""
        return self.beam.density_at(X)

    @property
    def masses(self) -> PointMasses | None:
        """Point masses; None for none."""
        return self.beam.masses

    @property
    def nose_radius(self) -> Float[Array, ""]:
        """Radius of the nose [m]."""
        return self.beam.nose_radius

    @property
    def length(self) -> Float[Array, ""]:
        """Length L at rest [m]."""
        return self.beam.length

    @property
    def load_panels(self) -> tuple[int, ...]:
        """Panels of the load grid on each piece of the profile."""
        return self.beam.load_panels

    def section_inertia(self, section: BodySection, X: Float[Array, ""]) -> Float[Array, "6 6"]:
        """Inertia per metre of the section at X, in its frame [kg/m, kg·m]."""
        return self.beam.section_inertia(section, X)

    @property
    def break_times(self) -> tuple[Float[ArrayLike, "..."], ...]:
        """Times at which a load or one of its derivatives jumps [s]."""
        return listed_breaks(*self.loads)

    @property
    def knots(self) -> tuple[float, ...]:
        """Positions at which a free strain may jump, as fractions of the length, both ends included."""
        places = [
            begin + x * (end - begin)
            for piece, (begin, end) in zip(self.pieces, self.ends, strict=True)
            for x in (0.0, *piece.cuts, 1.0)
        ]
        return merged([0.0, *places, 1.0])

    def rest_strain(self, X: Float[Array, ""]) -> Float[Array, "6"]:
        """Rest shape ξ* at the abscissa X [-, 1/m]."""
        return jnp.asarray(self.rest(X), float) if callable(self.rest) else self.rest

    def functions(self, X: Float[Array, ""]) -> Float[Array, "modes"]:
        """Φ: the modes at the abscissa X [-]."""
        values = [jnp.zeros(0)]
        for piece, (begin, end) in zip(self.pieces, self.ends, strict=True):
            x = (X / self.length - begin) / (end - begin)
            values.append(jnp.where(inside(X / self.length, begin, end), piece.values(jnp.clip(x, 0.0, 1.0)), 0.0))
        return jnp.concatenate(values)

    def free_strain(self, X: Float[Array, ""], q: Float[Array, "modes"]) -> Float[Array, "6"]:
        """B Φ(X) q [-, 1/m]."""
        return selector(self.components) @ (self.functions(X) * q)

    def imposed(self, gait: Gait | None) -> "Imposed":
        """The strain imposed by a gait, as a law (X, t) -> strain; None for the rest shape."""
        return Imposed(self, gait)

    def strain(
        self, gait: Gait | None, t: Numbers, q: Numbers, dq: Numbers | None = None, ddq: Numbers | None = None
    ) -> "StrainAt":
        """The total strain about one instant, as a law (X, t) -> strain that can be used as the gait of a beam.

        Args:
            gait: imposed strains; None for the rest shape.
            t: time of the instant [s].
            q: modes at that time [-, 1/m].
            dq: rates of the modes; zero when None [1/s, 1/(m·s)].
            ddq: second rates of the modes; zero when None [1/s², 1/(m·s²)].
        """
        zero = jnp.zeros(self.modes)
        rates = (zero if x is None else jnp.asarray(x, float) for x in (dq, ddq))
        return StrainAt(Imposed(self, gait), jnp.asarray(t, float), jnp.asarray(q, float), *rates)


class Imposed(eqx.Module):
    """The imposed part of a soft beam's strain, a law of (X, t).

    Attributes:
        soft: the body.
        gait: strain law (X, t) -> (Γ, K); None for the rest shape.
    """

    soft: Soft
    gait: Gait | None

    def __call__(self, X: Float[Array, ""], t: Float[Array, ""]) -> Float[Array, "6"]:
        """Strain (Γ, K) at the abscissa X [m] and the time t [s], in the section frame [-, 1/m]."""
        rest = self.soft.rest_strain(X)
        if self.gait is None:
            return rest
        return jnp.where(self.passive(X), rest, self.gait(X, t))

    def passive(self, X: Float[Array, ""]) -> Array:
        """Components at X that are free and not in series with the gait."""
        mask = jnp.zeros(6, bool)
        for piece, (begin, end) in zip(self.soft.pieces, self.soft.ends, strict=True):
            if not piece.in_series:
                own = np.isin(np.arange(6), piece.components)
                mask = mask | (inside(X / self.soft.length, begin, end) & own)
        return mask

    @property
    def break_times(self) -> tuple:
        """Times at which a higher time derivative of the gait jumps [s]."""
        return listed_breaks(self.gait)


class StrainAt(eqx.Module):
    """Imposed and free strain about one instant, at which its value and first two rates are exact.

    Attributes:
        imposed: the imposed part.
        t: time of the instant [s].
        q: modes [-, 1/m].
        dq: rates of the modes [1/s, 1/(m·s)].
        ddq: second rates of the modes [1/s², 1/(m·s²)].
    """

    imposed: Imposed
    t: Float[Array, ""]
    q: Float[Array, "modes"]
    dq: Float[Array, "modes"]
    ddq: Float[Array, "modes"]

    def __call__(self, X: Float[Array, ""], t: Float[Array, ""]) -> Float[Array, "6"]:
        """Strain (Γ, K) at the abscissa X [m] and the time t [s], in the section frame [-, 1/m]."""
        s = t - self.t
        free = self.imposed.soft.free_strain(X, self.q + s * (self.dq + 0.5 * s * self.ddq))
        return self.imposed(X, t) + free


class SoftState(Printed):
    """State of the head and of the free modes.

    Attributes:
        head: pose and twist of the head.
        q: modes [-, 1/m].
        dq: rates of the modes [1/s, 1/(m·s)].
    """

    head: HeadState
    q: Float[Array, "modes"]
    dq: Float[Array, "modes"]

    def __init__(self, q: Numbers, dq: Numbers | None = None, head: HeadState | None = None):
        self.head = HeadState() if head is None else head
        if not isinstance(self.head, HeadState):
            raise ValueError(f"SoftState.head = {shown(head)}: must be a cosserat.HeadState")
        self.q = finite("SoftState.q", q, (None,))
        self.dq = jnp.zeros_like(self.q) if dq is None else finite("SoftState.dq", dq, self.q.shape)

    @property
    def position(self) -> Float[Array, "3"]:
        """Position of the nose in the world [m]."""
        return self.head.position

    @property
    def quaternion(self) -> Float[Array, "4"]:
        """Orientation of the head in the world."""
        return self.head.quaternion

    @property
    def twist(self) -> Float[Array, "6"]:
        """Twist of the head, in its frame [m/s, rad/s]."""
        return self.head.twist

    @property
    def rotation(self) -> Float[Array, "3 3"]:
        """Axes of the head in the world, as columns."""
        return self.head.rotation


def unchecked_soft_state(head: HeadState, q: Float[Array, "modes"], dq: Float[Array, "modes"]) -> SoftState:
    """Builds a `SoftState` without argument checks, for use inside compiled loops [-, 1/m; 1/s, 1/(m·s)]."""
    state = object.__new__(SoftState)
    for name, value in (("head", head), ("q", q), ("dq", dq)):
        object.__setattr__(state, name, value)
    return state


def start_of(soft: Soft, state: SoftState | HeadState | None) -> SoftState:
    """Initial state. Given only a head, all modes are zero; given None, the head is at rest too."""
    if state is None or isinstance(state, HeadState):
        return SoftState(np.zeros(soft.modes), head=state)
    if not isinstance(state, SoftState):
        raise ValueError(f"state = {shown(state)}: must be a cosserat.SoftState or a cosserat.HeadState")
    if state.q.shape != (soft.modes,):
        raise ValueError(f"state.q has shape {state.q.shape}: must be ({soft.modes},), one for each mode")
    return state


def soft_state(soft: Soft, strain: Callable[[Float[Array, ""]], Float[Array, "6"]], head: HeadState | None = None):
    """The state at rest whose free strains fit a given strain in the least-squares sense on each piece.

    Args:
        soft: the body.
        strain: X -> (Γ, K), of which the free components are fitted [-, 1/m].
        head: pose and twist of the head; at rest at the origin when None.
    """
    of_kind("soft", soft, Soft, "a cosserat.Soft")
    callable_as("strain", strain, "X -> (Γ, K)")
    if head is not None:
        of_kind("head", head, HeadState, "a cosserat.HeadState, or None")
    x, w = np.polynomial.legendre.leggauss(64)
    total, gram = jnp.zeros(soft.modes), jnp.zeros((soft.modes, soft.modes))
    same = np.equal.outer(soft.components, soft.components)
    for begin, end in zip(soft.knots[:-1], soft.knots[1:], strict=True):
        X = soft.length * (begin + (end - begin) * jnp.asarray(x + 1.0) / 2.0)
        phi = jax.vmap(soft.functions)(X)
        excess = jax.vmap(lambda X: (strain(X) - soft.rest_strain(X))[np.asarray(soft.components, int)])(X)
        weight = (end - begin) * jnp.asarray(w)[:, None]
        total = total + jnp.sum(weight * phi * excess, axis=0)
        gram = gram + same * (phi.T @ (weight * phi))
    return SoftState(solve(gram, total), head=head)


def selector(components: tuple[int, ...]) -> Float[Array, "6 modes"]:
    """Matrix B from the modes to the six strains."""
    return jnp.asarray(np.equal.outer(np.arange(6), np.asarray(components, int)), float)


def _several(name, given, kind, words):
    many = (given,) if isinstance(given, kind) else tuple(given) if isinstance(given, Sequence) else (given,)
    for one in many:
        if not isinstance(one, kind):
            raise ValueError(f"Soft.{name} has {shown(one)}: must be {words}, or several")
    return many
