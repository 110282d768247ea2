"""Stabilisation of the head of NATRIX: the shells counteract its roll, the neck its yaw and pitch.

The righting couple that follows the lobed shells is small (0.003 N·m/rad, a hundredth of that of the wave-shaped body),
but the shells have 30 % of the roll inertia of their modules. The controller therefore uses them as reaction wheels:
the couple on the rest of the robot is -I_s d²r/dt². Pan and tilt turn the light head relative to the heavy body, so
that the head turns by almost minus their angle.
"""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

import gaits.feedback as fb
from gaits import Steered, identify
from gaits.feedback.controller import Sensed
from gaits.search.identified import Identified
from hydro import FreeSurface
from multibody.energy import mass
from multibody.floating_batch import float_march
from multibody.floating_hulls import displaced_volume
from multibody.floating_rest import equilibrium, floating_state
from multibody.kinematics import configuration
from multibody.small_matrices import inertia_in_base
from multibody.tree import Tree
from spatial import Numbers, finite, non_negative, positive

from .laws import JOINTS, HeldShape, UndulationLaw, natrix_shape
from .tree import SHELL_JOINTS

PAN, TILT = 0, 1  # indices in q of the joints that turn the head relative to the body
BANDWIDTH, RATIO = 2.5, 0.7  # natural frequency and damping ratio of the controlled roll [Hz], [-]
NECK_BANDWIDTH, NECK_RATIO = 7.0, 0.7  # those of the neck, faster because the head yaws at each beat [Hz], [-]
RECENTRING = 3.0  # rate at which shells and neck return to neutral, and at which the mean roll is followed [rad/s]
GazeMemory = tuple[Float[Array, "3"], Float[Array, "3"], Float[Array, ""]]  # y, dy/dt, running mean of the roll


class GazeLaw(eqx.Module):
    """An undulation with three commands: an angle added to all shells, and angles added to pan and tilt of the neck.

    Attributes:
        wave: the undulation.
    """

    wave: UndulationLaw

    def __call__(self, t: Float[Array, ""], y: Float[Array, "3"]) -> Float[Array, "14"]:
        """Positions of the joints for the angles y of shells, pan and tilt [rad]."""
        q = self.wave(t)
        return q.at[np.array(SHELL_JOINTS)].add(y[0]).at[PAN].add(y[1]).at[TILT].add(y[2])

    @property
    def break_times(self) -> tuple:
        """Times at which the undulation's derivatives jump [s]."""
        return self.wave.break_times


class GazeHold(fb.AbstractController):
    """Controls roll, heading and pitch of the head by angles y of the shells, of pan and of tilt.

        d²y/dt² = gain (angle - reference) + damping rate - ω₀² y - 2 ω₀ dy/dt

    The last two terms slowly return shells and neck to their neutral position. The reference of the roll is its own
    running mean, dm/dt = ω₀ (roll - m): reaction wheels cannot hold a mean couple, and with a reference of zero a mean
    roll of half a degree would turn the shells by gain/ω₀² times as much, over their lobes. The undulating body rights
    its mean roll itself. The memory holds y, dy/dt and m. The command results from the sensors by two integrations, so
    it needs no servo (`gaits.feedback.Smooth`).

    Attributes:
        gain: gains on roll, heading and pitch of the head frame [1/s²].
        damping: gains on their rates, in the head frame [1/s].
        recentring: ω₀ [rad/s].
        heading: reference heading [rad].
        sensors: attitude and gyroscope of the head.
    """

    gain: Float[Array, "3"]
    damping: Float[Array, "3"]
    recentring: Float[Array, ""]
    heading: Float[Array, ""]
    sensors: tuple[fb.AbstractSensor, ...]

    def __init__(self, gain: Numbers, damping: Numbers, recentring: Numbers = RECENTRING, heading: Numbers = 0.0):
        self.gain = finite("GazeHold.gain", gain, (3,))
        self.damping = finite("GazeHold.damping", damping, (3,))
        self.recentring = non_negative("GazeHold.recentring", recentring, "rad/s", ())
        self.heading = finite("GazeHold.heading", heading, ())
        self.sensors = (fb.Roll(), fb.Heading(), fb.Pitch(), fb.Gyroscope())  # pyright: ignore[reportCallIssue]

    def start(self) -> GazeMemory:
        """Initial memory: zero angles [rad], rates [rad/s] and mean roll [rad]."""
        return jnp.zeros(3), jnp.zeros(3), jnp.zeros(())

    def __call__(self, t: Float[Array, ""], sensed: Sensed, memory: GazeMemory):
        """Angles of shells, pan and tilt [rad], and the rates of the memory.

        Args:
            t: time [s].
            sensed: roll, heading, pitch [rad] and gyroscope [rad/s].
            memory: angles [rad], their rates [rad/s] and the running mean of the roll [rad].
        """
        y, dy, mean_roll = memory
        roll_rate, pitch_rate, yaw_rate = sensed["gyroscope"]
        off = jnp.stack([sensed["roll"] - mean_roll, sensed["heading"] - self.heading, sensed["pitch"]])
        # `Pitch` is positive nose up. So is a rotation about y, because x points to the tail.
        rate = jnp.stack([roll_rate, yaw_rate, pitch_rate])
        pull = self.gain * off + self.damping * rate
        return y, (dy, pull - self.recentring**2 * y - 2.0 * self.recentring * dy, self.recentring * off[0])

    @property
    def channels(self) -> tuple[str, ...]:
        """Angles added to the shells, to pan and to tilt."""
        return "shells", "pan", "tilt"

    @property
    def unit(self) -> str:
        """Unit of the commanded angles."""
        return "rad"


class RollInertia(eqx.Module):
    """Parameters of the roll of the straight robot.

    Attributes:
        whole: inertia of the robot about its axis [kg·m²].
        shells: inertia of the six shells about the same axis [kg·m²].
        stiffness: righting couple of the water [N·m/rad].
        damping: couple of the water per unit roll rate [N·m·s/rad].
    """

    whole: Float[Array, ""]
    shells: Float[Array, ""]
    stiffness: Float[Array, ""]
    damping: Float[Array, ""]


def roll_inertia(tree: Tree, surface: FreeSurface) -> RollInertia:
    """Inertia, stiffness and damping of the roll of the straight robot at rest."""
    place = configuration(tree, jnp.zeros(JOINTS))
    own = inertia_in_base(place.rotation, place.position, tree.inertia)[:, 3, 3]
    shells = jnp.sum(own[np.array(SHELL_JOINTS) + 1])
    rest = equilibrium(tree, jnp.zeros(JOINTS), surface)
    assert tree.strips is not None
    afloat = mass(tree) / (surface.density * displaced_volume(tree))  # share of the robot that is in the water
    wet = afloat * jnp.sum(tree.strips.points.weight)
    return RollInertia(jnp.sum(own), shells, rest.stiffness[1, 1], surface.roll_damping * wet)


def gaze(
    tree: Tree,
    surface: FreeSurface,
    wave: UndulationLaw,
    *,
    bandwidth: Numbers = BANDWIDTH,
    ratio: Numbers = RATIO,
    neck: bool = True,
    recentring: Numbers = RECENTRING,
    heading: Numbers = 0.0,
) -> Steered:
    """An undulation with feedback that stabilises the roll of the head and, with the neck, its heading and pitch.

    With inertia I, righting couple K and damping c of the roll (`roll_inertia`), and the inertia I_s of the shells,

        I d²φ/dt² + (c + I_s d) dφ/dt + (K + I_s k) φ = disturbance,   k = (I ω² - K)/I_s,   d = (2ζ I ω - c)/I_s

    The damping c of the water contributes to the damping ratio ζ; `identified_damping` finds it from a decay test.

    >>> import anguilla, hydro
    >>> from anguilla.robots import natrix
    >>> tree, water = natrix.model(), hydro.FreeSurface()
    >>> steered = natrix.gaze(tree, water, natrix.natrix_undulation(0.25, 1.36))
    >>> steered.controller.channels
    ('shells', 'pan', 'tilt')

    Args:
        tree: the robot.
        surface: the water, with its roll damping.
        wave: the undulation.
        bandwidth: natural frequency ω/2π of the roll under control [Hz].
        ratio: ζ, damping ratio of the roll under control [-].
        neck: whether pan and tilt hold heading and pitch.
        recentring: rate at which shells and neck return to neutral [rad/s].
        heading: reference heading [rad].
    """
    about = roll_inertia(tree, surface)
    omega, zeta = 2.0 * jnp.pi * positive("bandwidth", bandwidth, "Hz", ()), positive("ratio", ratio, "", ())
    k = (about.whole * omega**2 - about.stiffness) / about.shells
    d = (2.0 * zeta * about.whole * omega - about.damping) / about.shells
    fast = 2.0 * jnp.pi * NECK_BANDWIDTH if neck else jnp.zeros(())
    gain, damping = fast**2, 2.0 * NECK_RATIO * fast
    hold = GazeHold(jnp.stack([k, gain, gain]), jnp.stack([d, damping, damping]), recentring, heading)
    return Steered(GazeLaw(wave), hold, servo=fb.Smooth())


def decay_record(
    tree: Tree,
    surface: FreeSurface,
    *,
    heel: Numbers = 0.1,
    amplitude: Numbers = 0.25,
    duration: float = 3.0,
    dt: float = 0.01,
) -> Float[Array, "times"]:
    """Roll of a frozen wave released with a heel, as recorded by a decay test, at every second time step [rad].

    Args:
        tree: the robot.
        surface: the water.
        heel: initial roll beyond the equilibrium [rad].
        amplitude: Q of the frozen wave [rad].
        duration: duration of the record [s].
        dt: step of the classical Runge-Kutta method [s].
    """
    q = natrix_shape(amplitude)
    rest = equilibrium(tree, q, FreeSurface(surface.density, surface.gravity, surface.level))
    state = floating_state(tree, q, rest.coordinates.at[1].add(finite("heel", heel, ())))
    one = eqx.filter_vmap(lambda _: state)(jnp.zeros(1))
    return float_march(tree, HeldShape(q), surface, duration, one, dt=dt, every=2).roll[:, 0]


def identified_damping(
    tree: Tree, surface: FreeSurface, record: Float[Array, "times"], *, noise: float | None = None, **test: float
) -> Identified:
    """Roll damping of the water, from the record of a decay test, by `gaits.identify`.

    No decay test of NATRIX is published; tests and documentation use a synthetic record with noise.

    Args:
        tree: the robot.
        surface: the water with a first guess of `roll_damping` [N·s], which must be positive.
        record: roll over time, as returned by `decay_record` [rad].
        noise: standard deviation of the noise of the record [rad]; None if unknown.
        test: heel, amplitude, duration and dt of the test, as in `decay_record`.
    """
    if not surface.damped:
        raise ValueError("surface has no roll damping: give a first guess, as hydro.FreeSurface(roll_damping=0.01)")
    model = lambda water: decay_record(tree, water, **test)  # noqa: E731
    return identify(model, surface, {"roll_damping": (0.0, 1.0)}, record, noise=noise)
