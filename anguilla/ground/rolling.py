"""Motion on ideal wheels: kinematic on three or more consistent wheels, dynamic with multipliers on fewer."""

from typing import cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool, Float, Int

from cosserat import Beam, HeadState
from cosserat.head_equation import check_model
from cosserat.panels import Panels
from cosserat.state import unchecked_state
from cosserat.strain import Gait
from hydro import AbstractFluid, Void
from multibody import JointLaw, Tree, immerse
from multibody.coordinates import check_law
from spatial import Numbers
from spatial.checks import callable_as, of_kind, refuse_if
from spatial.printing import Printed
from stepping import Marcher, Span, integrate, program

from .axles import FULL, PLANAR, constrained, independence, kinematic_twist, least_forces, nearest
from .wheels import AbstractRoller, RollingBeam, RollingTree, TreeWheels, Wheels

SLIP = 1e-6  # allowed slip of redundant wheels, relative to the speed of the shape
SINGULAR = 1e-4  # minimum independence of the wheels
_EXAMINED = 401  # times at which three or more wheels are examined


class Rolling(Printed):
    """A run on wheels.

    Attributes:
        time: output times [s].
        position: position of the head in the world [m].
        quaternion: unit quaternion of the head in the world.
        twist: twist of the head, in its frame [m/s, rad/s].
        twist_rate: d(twist)/dt, in the head frame [m/s², rad/s²].
        force: force of the ground on each wheel, along its axle [N]; the least-norm solution if wheels are redundant.
        slip: velocity of each wheel along its axle [m/s].
        wheel_power: power of the wheel forces [W]; zero without slip.
        torque: motor torques of a tree [N·m]; empty for a beam (see `rolling_wrench`).
        steps: accepted and rejected time steps.
        succeeded: whether the integration reached the last time.
    """

    time: Float[Array, "times"]
    position: Float[Array, "times 3"]
    quaternion: Float[Array, "times 4"]
    twist: Float[Array, "times 6"]
    twist_rate: Float[Array, "times 6"]
    force: Float[Array, "times wheels"]
    slip: Float[Array, "times wheels"]
    wheel_power: Float[Array, "times"]
    torque: Float[Array, "times freedoms"]
    steps: Int[Array, "2"]
    succeeded: Bool[Array, ""]

    def state(self, k: int | Int[Array, ""]) -> HeadState:
        """State of the head at the k-th output time."""
        return unchecked_state(self.position[k], self.quaternion[k], self.twist[k])


def roll(
    body: Beam | Tree,
    law: Gait | JointLaw,
    wheels: Wheels | TreeWheels,
    ground: AbstractFluid | None = None,
    t1: Numbers = 10.0,
    *,
    t0: Numbers = 0.0,
    state: HeadState | None = None,
    samples: int = 201,
    times: Numbers | None = None,
    path: Panels | None = None,
    rtol: Numbers = 1e-8,
    atol: Numbers = 1e-10,
    max_steps: int = 100_000,
    throw: bool = True,
) -> Rolling:
    """Rolls in the plane z = 0 on wheels that do not slip sideways. jit-, vmap- and grad-safe.

    With three wheels or more the motion of the head is kinematic: it follows from the shape. With one or two it is
    dynamic, with the wheel forces as multipliers; an initial state with side slip is projected by an impulse.

    Args:
        body: a beam, or a tree with all joints actuated.
        law: planar strain law (X, t) -> (Γ, K) of the beam, or joint law t -> positions of the tree.
        wheels: where the wheels are: `Wheels` on a beam, `TreeWheels` on a tree.
        ground: additional loads on the sections, such as `Friction`; None for no load.
        t1: last time [s].
        t0: first time [s].
        state: state of the head at t0, in the plane; its twist is not used with three wheels or more.
        samples: number of even output times, both ends included.
        times: increasing output times between t0 and t1 [s], instead of `samples`.
        path: nodes along a beam; `Panels()` when None.
        rtol: relative tolerance of the time step.
        atol: absolute tolerance of the time step [m, rad, m/s, rad/s].
        max_steps: maximum number of time steps.
        throw: raise if the wheels are singular or inconsistent, or if the run does not reach t1.

    Raises:
        ValueError: the axles of three wheels or more become parallel or meet in one point, or redundant wheels are
            inconsistent; the message states the time and the slip.

    Example:
        >>> import cosserat, gaits
        >>> from anguilla import ground
        >>> snake = cosserat.rod(1.0, b=0.02, c=0.02)
        >>> wheels = ground.Wheels.everywhere(snake)
        >>> run = ground.roll(snake, gaits.serpenoid(0.5, 1.0), wheels, t1=1.0, samples=2)
        >>> round(float(abs(run.position[-1, 0] + 1j * run.position[-1, 1])), 4)  # λ J0(0.5)
        0.9385
    """
    ground = Void() if ground is None else ground
    of_kind("body", body, Beam | Tree, "a cosserat.Beam or a multibody.Tree")
    callable_as("law", law, "(X, t) -> strain of a beam, or t -> positions of a tree")
    of_kind("ground", ground, AbstractFluid, "what acts on sections, such as ground.Friction(), or None")
    span = Span(t0, t1, samples, times)
    state = HeadState() if state is None else state
    _check_planar_state(state)
    marcher = Marcher(None, None, rtol, atol, None, max_steps, None, None)
    roller = roller_of(body, law, wheels, ground, path)
    count = roller_count(wheels)
    if throw:
        _refuse_slipping(roller, count, span)
    run = _integrate(roller, state, span, marcher, count)
    if not throw:
        return run
    words = "the time integration did not reach t1: the wheels are nearly singular, or max_steps is too small"
    return refuse_if(run, ~run.succeeded, words)


def roller_count(wheels: Wheels | TreeWheels) -> int:
    """Number of wheels."""
    return len(wheels.bodies) if isinstance(wheels, TreeWheels) else wheels.abscissae.shape[0]


def roller_of(
    body: Beam | Tree, law: Gait | JointLaw, wheels: Wheels | TreeWheels, ground: AbstractFluid, path: Panels | None
) -> AbstractRoller:
    """The body on its wheels; rejects invalid combinations. Arguments as in `roll`."""
    if isinstance(body, Tree):
        if not isinstance(wheels, TreeWheels):
            raise ValueError(f"wheels = {type(wheels).__name__}: a tree takes ground.TreeWheels(bodies)")
        check_law(body, cast("JointLaw", law))
        if len(body.passive_freedoms):
            raise ValueError(f"roll: joints {body.joint_names} must all be actuated: their motion is the shape's")
        wheels.rows(body)
        return RollingTree(body, cast("JointLaw", law), immerse(body, ground), wheels)
    if not isinstance(wheels, Wheels):
        raise ValueError(f"wheels = {type(wheels).__name__}: a beam takes ground.Wheels(abscissae)")
    path = Panels() if path is None else path
    check_model(body, cast("Gait", law), ground, path)
    wheels.check(body, path)
    _check_planar_gait(law, body.length)
    sampled = path.sample(body, ground)
    return RollingBeam(sampled, cast("Gait", law), ground, path, sampled.stations(wheels.abscissae).from_smooth)


def _check_planar_gait(gait, length):
    X = jnp.linspace(0.0, 1.0, 5) * length
    for t in (0.0, 0.3, 1.7):
        strain = jax.vmap(gait, (0, None))(X, jnp.asarray(t))
        off = jnp.max(jnp.abs(strain[:, jnp.array([2, 3, 4])]))
        if not isinstance(off, Tracer) and off > 1e-12:
            raise ValueError(
                f"gait bends or twists out of the plane by {float(off):g} at t = {t} s: on wheels a body moves in a "
                "plane, with Γ1, Γ2 and K3 only"
            )


def _check_planar_state(state):
    if not isinstance(state, HeadState):
        raise ValueError(f"state = {state!r}: must be a cosserat.HeadState")
    out = jnp.stack([*state.quaternion[1:3], *state.twist[2:5]])
    if not isinstance(out, Tracer) and np.abs(np.asarray(out)).max() > 1e-9:
        raise ValueError(
            f"state: quaternion {np.asarray(state.quaternion)}, twist {np.asarray(state.twist)}: must lie in the "
            "plane, turned about z only, with V3 = Ω1 = Ω2 = 0"
        )


def _refuse_slipping(roller, count, span):
    """Three wheels or more determine the motion by the shape alone, so they are checked before the integration."""
    if count < FULL or any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves((roller, span))):
        return
    times = jnp.linspace(span.t0, span.t1, _EXAMINED)
    found = _examined(roller, times)
    regular, turned, slip, speed = (np.asarray(value) for value in found)
    worst = int(np.argmin(regular))
    # For three wheels the determinant may change sign between two of the times.
    flips = np.flatnonzero(np.sign(turned[1:]) != np.sign(turned[:-1])) if count == FULL else np.zeros(0, int)
    if regular[worst] < SINGULAR or flips.size:
        when = float(times[int(flips[0]) if flips.size else worst])
        raise ValueError(
            f"wheels: near t = {when:.4g} s all axles are parallel or meet in one point, about which the body can turn "
            "freely: its motion is not determined. A symmetric wave does so twice a period on three wheels; more "
            "wheels, or a mean shape that is neither straight nor a circle, avoid it"
        )
    worst = int(np.argmax(slip))
    if slip[worst] > SLIP * speed.max():
        raise ValueError(
            f"wheels: at t = {float(times[worst]):.4g} s {count} wheels need a slip of {slip[worst]:.3g} m/s (the "
            f"shape moves at {speed.max():.3g} m/s): only a body that follows its leader, K̇3 = V1 K3', moves on "
            "more than three wheels without slip. Use three wheels or fewer, or ground.Friction with a large sideways "
            "coefficient"
        )


@program
def _examined(roller, times):
    def instant(t):
        J, b = roller.axles(t).constraint()
        slip = jnp.max(jnp.abs(J @ kinematic_twist(J, b) + b))
        return independence(J, roller.length), jnp.linalg.det(J[:FULL]), slip, jnp.max(jnp.abs(b))

    return jax.lax.map(instant, times)


@program
def _integrate(roller, state, span, marcher, count):
    """The compiled part of `roll`."""
    rows = np.array(PLANAR)
    kinematic = count >= FULL
    height = state.position[2]

    def head(y, twist):
        x, angle = y[:2], y[2]
        quaternion = jnp.stack([jnp.cos(angle / 2), 0.0 * angle, 0.0 * angle, jnp.sin(angle / 2)])
        return unchecked_state(jnp.concatenate([x, height[None]]), quaternion, jnp.zeros(6).at[rows].set(twist))

    def moving(t, y) -> tuple[Array, Array | None, Array, Array]:
        """Twist without slip, its rate (None if dynamic), J, and the remaining slip."""
        axles = roller.axles(t)
        J, b = axles.constraint()
        if kinematic:
            twist = kinematic_twist(J, b)
            rate = kinematic_twist(J, axles.bias(twist))
            return twist, rate, J, J @ twist + b
        twist = nearest(roller.planar_equations(head(y, jnp.zeros(3)), t)[0], y[3:], J, b)
        return twist, None, J, J @ twist + b

    def forces(t, y, twist, rate, J):
        inertia, wrench = roller.planar_equations(head(y, twist), t)
        if rate is not None:  # kinematic
            return rate, least_forces(J, inertia @ rate - wrench)
        return constrained(inertia, wrench, J, roller.axles(t).bias(twist))

    def field(t, y):
        twist, rate, J, _ = moving(t, y)
        c, s = jnp.cos(y[2]), jnp.sin(y[2])
        place = jnp.stack([c * twist[0] - s * twist[1], s * twist[0] + c * twist[1], twist[2]])
        if kinematic:
            return place
        return jnp.concatenate([place, forces(t, y, twist, rate, J)[0]])

    def recorded(t, y):
        twist, rate, J, slip = moving(t, y)
        rate, force = forces(t, y, twist, rate, J)
        here, rate6 = head(y, twist), jnp.zeros(6).at[rows].set(rate)
        torque = roller.torques(here, t, rate6, force) if isinstance(roller, RollingTree) else jnp.zeros(0)
        return here.position, here.quaternion, here.twist, rate6, force, slip, jnp.dot(force, slip), torque

    q = state.quaternion
    start = jnp.concatenate([state.position[:2], 2.0 * jnp.arctan2(q[3], q[0])[None]])
    start = start if kinematic else jnp.concatenate([start, state.twist[rows]])
    march = integrate(field, start, span, marcher, roller.law)
    record = jax.lax.map(lambda ty: recorded(*ty), (span.times, march.states))
    position, quaternion, twist, rate, force, slip, power, torque = record
    finished = march.reached & jnp.all(jnp.isfinite(march.states))
    return Rolling(span.times, position, quaternion, twist, rate, force, slip, power, torque, march.steps, finished)
