"""Balance of the rowing boat with six degrees of freedom: the hands raise and lower the oars against the roll.

A single scull with its rower is top-heavy. The righting stiffness of the water is 29 N·m/rad; the weight of the rower
above the water gives a destabilising stiffness more than ten times as large. Without control a roll grows by a factor e
every 0.2 s. Rowers balance with the height of their hands: an angular acceleration of the oars about the long axis
exerts the opposite couple on the boat, as with the pole of a tightrope walker.

Leaning the trunk is not effective, because the light hull rolls under the rower in reaction. The linear model of that
input has an unstable zero at 4.8/s close to its unstable pole at 4.6/s, so that no robust controller exists. The
support of a blade that rests on the water is not modelled.
"""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float

import gaits.feedback as fb
from gaits import Steered
from gaits.feedback.controller import Sensed
from gaits.feedback.loop import LoopMemory
from multibody.machine_on_hull import SINKS, Afloat, AfloatState
from spatial import Numbers, finite, positive, quaternion_conjugate, quaternion_multiply

from .laws import Stroke
from .orbit import RowingCycle
from .tree import HANDLES, RowingMotion

PHASES = 100  # instants of the stroke at which the roll is linearised
# Deviations that cost one: roll [rad], roll rate [rad/s], angle of the oars [rad], its rate [rad/s].
SCALES = (0.03, 0.2, 0.1, 1.0)
EFFORT = 10.0  # acceleration of the oars that costs one [rad/s²]
NEUTRAL = 1e-3  # distance from one within which a multiplier counts as neutral


class PolingMotion(eqx.Module):
    """(t, y) -> positions of all eight joints: a stroke, with both oars rotated by y about the long axis of the boat.

    Attributes:
        stroke: t -> positions of the other six joints.
    """

    stroke: Callable[[Float[Array, ""]], Float[Array, "6"]]

    def __call__(self, t: Float[Array, ""], y: Float[Array, "1"]) -> Float[Array, "8"]:
        """Positions of the joints [rad], [m] for an angle y of the oars, positive with the port blade up [rad]."""
        return jnp.concatenate([self.stroke(t), y, y])


class HandleBalance(fb.AbstractController):
    """Rotates the oars against the roll: d²δ/dt² = -K(t) (φ, dφ/dt, δ, dδ/dt).

    The gain depends on the phase of the stroke, because during the drive the force of the blades rotates with the oars.
    The memory holds the angle δ of the oars and its rate, so the command needs no servo (`gaits.feedback.Smooth`).

    Attributes:
        gain: K at evenly spaced phases of the stroke, interpolated linearly, for angles in the boat's frame
            [1/s², 1/s, 1/s², 1/s].
        period: period of the stroke [s].
        sensors: roll and gyroscope of the boat.
    """

    gain: Float[Array, "phases 4"]
    period: Float[Array, ""]
    sensors: tuple[fb.AbstractSensor, ...]

    def __init__(self, gain: Numbers, period: Numbers):
        self.gain = finite("HandleBalance.gain", gain, (None, 4))
        self.period = positive("HandleBalance.period", period, "s", ())
        self.sensors = (fb.Roll(), fb.Gyroscope())  # pyright: ignore[reportCallIssue]

    def start(self) -> Float[Array, "2"]:
        """Initial memory: zero angle of the oars [rad] and zero rate [rad/s]."""
        return jnp.zeros(2)

    def __call__(self, t: Float[Array, ""], sensed: Sensed, memory: Float[Array, "2"]):
        """Angle of the oars [rad], and the rates of the memory.

        Args:
            t: time [s].
            sensed: roll [rad] and gyroscope [rad/s].
            memory: angle of the oars [rad] and its rate [rad/s].
        """
        count = self.gain.shape[0]
        phase = count * jnp.mod(t / self.period, 1.0)
        k, share = jnp.floor(phase).astype(int), phase - jnp.floor(phase)
        gain = (1.0 - share) * self.gain[k % count] + share * self.gain[(k + 1) % count]
        state = jnp.stack([sensed["roll"], sensed["gyroscope"][0], memory[0], memory[1]])
        return memory[:1], jnp.stack([memory[1], -gain @ state])

    @property
    def channels(self) -> tuple[str, ...]:
        """Name of the command: the angle of the oars."""
        return ("oars",)

    @property
    def unit(self) -> str:
        """Unit of the commanded angle."""
        return "rad"


def roll_model(boat: Afloat, stroke: Stroke, states: AfloatState) -> Float[Array, "phases 3"]:
    """Derivatives a, b, c of the roll acceleration by roll, angle and acceleration of the oars along a stroke.

    The derivatives [1/s², 1/s², -] are exact for the boat with six degrees of freedom.

    Args:
        boat: result of `scull(freedoms=range(6), handles=True)`.
        stroke: motion of the rower.
        states: states of the boat at evenly spaced phases of the stroke, from the catch.
    """
    motion, count = RowingMotion(stroke), states.position.shape[0]

    def rolling(t, state, roll, angle, push):
        oars = lambda s: (angle + 0.5 * push * (s - t) ** 2)[None]  # noqa: E731
        posture = lambda s: PolingMotion(motion)(s, oars(s))  # noqa: E731
        return boat.rates(posture, t, heeled(state, roll))[1].acceleration[3]

    one = lambda row: jnp.stack(jax.jacfwd(rolling, argnums=(2, 3, 4))(*row, *jnp.zeros(3)))  # noqa: E731
    return jax.lax.map(one, (stroke.period * jnp.arange(count) / count, states))


def balanced(boat: Afloat, stroke: Stroke, start: AfloatState, *, effort: Numbers = EFFORT) -> Steered:
    """A stroke with feedback that balances the boat: a linear-quadratic regulator along the periodic stroke.

    The model is d²φ/dt² = a φ + b δ + c d²δ/dt² (`roll_model`), without the memory of the waves, sway and yaw. The
    gains are the periodic solution of the discrete Riccati equation at `PHASES` instants of the stroke.
    `boat_multipliers` gives the stability of the complete boat with these gains.

    Args:
        boat: result of `scull(freedoms=range(6), handles=True, fin=0.012)`.
        stroke: motion of the rower.
        start: state at the catch of the steady stroke, from `upright_start`.
        effort: acceleration of the oars that costs as much as a roll of 0.03 rad [rad/s²].
    """
    if HANDLES[0] not in boat.tree.joint_names or boat.freedoms != tuple(range(6)):
        raise ValueError(
            f"boat: has the joints {', '.join(boat.tree.joint_names)} and the freedoms {boat.freedoms}: must have "
            "handles that can be raised, and all six: scull(freedoms=range(6), handles=True)"
        )
    model = np.asarray(_along(boat, stroke, start))
    Q, R = np.diag(np.array(SCALES) ** -2.0), np.array([[float(positive("effort", effort, "rad/s²", ())) ** -2.0]])
    gain = periodic_gain([_step(row, float(stroke.period) / PHASES) for row in model], Q, R)
    hold = HandleBalance(gain, stroke.period)
    return Steered(PolingMotion(RowingMotion(stroke)), hold, servo=fb.Smooth())


@eqx.filter_jit
def _along(boat, stroke, start):
    still = lambda t: PolingMotion(RowingMotion(stroke))(t, jnp.zeros(1))  # noqa: E731
    states = boat.march(still, start, jnp.zeros(()), stroke.period, 4 * PHASES)
    return roll_model(boat, stroke, jax.tree.map(lambda part: part[:-1:4], states))


def _step(model, h):
    """Exact A and B over a time h with constant acceleration of the oars, for the state (φ, dφ/dt, δ, dδ/dt)."""
    from scipy.linalg import expm  # imported here because scipy is slow to import

    whole = np.zeros((5, 5))
    whole[0, 1] = whole[2, 3] = whole[3, 4] = 1.0
    whole[1, [0, 2, 4]] = model  # a, b, c
    found = expm(h * whole)
    return found[:4, :4], found[:4, 4:]


def periodic_gain(
    maps: list[tuple[np.ndarray, np.ndarray]], Q: np.ndarray, R: np.ndarray, rounds: int = 50, tolerance: float = 1e-10
) -> np.ndarray:
    """Gains of the regulator of x_{k+1} = A_k x_k + B_k u_k with periodic A and B.

    The Riccati recursion is iterated until its solution is periodic.

    Args:
        maps: (A_k, B_k) over one period.
        Q: weight of the state.
        R: weight of the command.
        rounds: maximum number of periods.
        tolerance: relative change of the solution over a period below which it is accepted as periodic.

    Raises:
        ValueError: the recursion does not become periodic.
    """
    P = Q
    for _ in range(rounds):
        before, gains = P, []
        for A, B in reversed(maps):
            K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
            P = Q + A.T @ P @ (A - B @ K)
            P = 0.5 * (P + P.T)
            gains.append(K[0])
        if np.abs(P - before).max() <= tolerance * np.abs(P).max():
            return np.array(gains[::-1])
    raise ValueError("the oars cannot balance this boat: Riccati's recursion does not become periodic")


def upright_start(boat: Afloat, plane: Afloat, cycle: RowingCycle) -> AfloatState:
    """State of the boat with six degrees of freedom at the catch of a steady stroke, without lateral motion.

    Args:
        boat: the boat with six degrees of freedom.
        plane: the boat in surge, heave and pitch for which the stroke was found.
        cycle: steady stroke of `plane`.
    """
    assert boat.hull is not None and plane.hull is not None
    first = jax.tree.map(lambda part: part[0], cycle.states)
    fed = np.any(np.asarray(boat.hull.radiation.feed)[:, list(plane.freedoms)] != 0, axis=1)
    if fed.sum() != plane.hull.radiation.order:
        raise ValueError("boat, plane: must differ by their freedoms and handles only")
    memory = jnp.zeros(fed.size).at[np.flatnonzero(fed)].set(first.memory)
    return AfloatState(first.position, first.quaternion, first.twist, memory, jnp.zeros(len(SINKS)))


def sitting(stroke: Stroke) -> Steered:
    """The same stroke by a rower who does not react to the roll, for comparison."""
    return Steered(
        PolingMotion(RowingMotion(stroke)), HandleBalance([[0.0, 0.0, 1.0, 2.0]], stroke.period), servo=fb.Smooth()
    )


def heeled(start: AfloatState, heel: Numbers) -> AfloatState:
    """A state of the boat, rotated about the long axis of the boat by an angle [rad]."""
    half = 0.5 * finite("heel", heel, ())
    turn = jnp.stack([jnp.cos(half), jnp.sin(half), jnp.zeros(()), jnp.zeros(())])
    return eqx.tree_at(lambda y: y.quaternion, start, quaternion_multiply(start.quaternion, turn))


def rolling(multipliers: Complex[Array, "n"]) -> float:
    """Largest modulus of the multipliers, without neutral ones: heading, and sway and yaw without resistance."""
    moduli = np.abs(np.asarray(multipliers))
    return float(moduli[np.abs(np.asarray(multipliers) - 1.0) > NEUTRAL].max())


def boat_multipliers(
    boat: Afloat, steered: Steered, start: AfloatState, period: Float[Array, ""], steps: int = 200
) -> tuple[Complex[Array, "n"], Float[Array, ""]]:
    """Floquet multipliers of the controlled boat over one stroke, and the periodicity defect of the stroke.

    Multipliers are sorted by decreasing modulus. The state is height, rotation, twist, memory of the waves, angle of
    the oars and its rate. It includes the heading, which has the multiplier 1.

    Args:
        boat: the boat with six degrees of freedom.
        steered: stroke and controller.
        start: state at the catch of the steady stroke.
        period: period of the stroke [s].
        steps: steps of the classical Runge-Kutta method per stroke.
    """
    order = start.memory.shape[0]

    def after(x):
        z, turn, twist, memory, angle = jnp.split(x, np.cumsum([1, 3, 6, order]))
        spun = quaternion_multiply(start.quaternion, jnp.concatenate([jnp.ones(1), 0.5 * turn]))
        state = AfloatState(
            start.position.at[2].add(z[0]),
            spun / jnp.linalg.norm(spun),
            start.twist + twist,
            start.memory + 10.0 * memory,
            start.work,
        )
        begin = LoopMemory((), angle, {sensor.name: () for sensor in steered.controller.sensors})
        states, record = boat.steered_march(steered, state, jnp.zeros(()), period, steps, begin)
        end = jax.tree.map(lambda part: part[-1], states)
        relative = quaternion_multiply(quaternion_conjugate(start.quaternion), end.quaternion)
        return jnp.concatenate(
            [
                end.position[2:] - start.position[2:],
                2.0 * relative[1:] / relative[0],
                end.twist - start.twist,
                (end.memory - start.memory) / 10.0,
                record.memory_at(-1).controller,
            ]
        )

    def both(x):
        value = after(x)
        return value, value

    slope, value = jax.jacfwd(both, has_aux=True)(jnp.zeros(12 + order))
    found = jnp.linalg.eigvals(slope)
    return found[jnp.argsort(-jnp.abs(found))], jnp.max(jnp.abs(value))
