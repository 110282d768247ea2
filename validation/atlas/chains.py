"""Robots of rigid modules that swim like eels: speed over frequency, amplitude and phase lag, in the tree engine."""

from dataclasses import dataclass

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

import cosserat
import gaits
import multibody
from multibody.immersion import Immersion
from spatial import quaternion_exp, quaternion_rate, unchecked_state
from stepping import Span, explicit_steps, unit_quaternions
from stepping.tableaus import Tableau

from .curve import Curves, CurveSwimmer, Panel, peaks, rises, trend, value
from .swimmer import Figure
from .water import OWN_REYNOLDS, water

DOPRI5 = Tableau.of(diffrax.Dopri5)
PLANE = np.asarray([0, 1, 5])  # non-zero components of the base's twist in planar motion
STEPS, TRANSIENT = 48, 12
_AMPHIBOT = (
    "A. Crespi, A. J. Ijspeert, AmphiBot II: an amphibious snake robot that crawls and swims using a central pattern "
    "generator, CLAWAR 2006"
)
_SALAMANDRA = (
    "A. Crespi, K. Karakasiliotis, A. Guignard, A. J. Ijspeert, Salamandra robotica II, IEEE Trans. Robotics 29, 2013"
)


class PhaseLag(eqx.Module):
    """Joint i of N bends sideways by amplitude sin 2π(t/period - waves i/N).

    Attributes:
        amplitude: amplitude of every joint [rad].
        period: period of the gait [s].
        waves: phase lag from the first module to the last, in waves on the body [-].
        joints: number of joints N.
    """

    amplitude: Float[Array, ""]
    period: Float[Array, ""]
    waves: Float[Array, ""]
    joints: int = eqx.field(static=True)

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "positions"]:
        """Quaternions of the joints, one after the other, at a time [s]."""
        lag = self.waves * jnp.arange(self.joints) / self.joints
        angle = self.amplitude * jnp.sin(2.0 * jnp.pi * (t / self.period - lag))
        return quaternion_exp(angle[:, None] * jnp.asarray([[0.0, 0.0, 1.0]])).ravel()


@dataclass(frozen=True)
class Robot:
    """A chain of modules with the same elliptic section and a blunt tail.

    Attributes:
        name: short, unique name.
        length: total length [m].
        width: lateral semi-axis [m].
        height: vertical semi-axis [m].
        links: number of rigid links; the first and the last are half a module long.
        usual: frequency [Hz], amplitude [degrees] and number of waves, used while another parameter is varied.
        frequencies: frequencies to try [Hz].
        amplitudes: amplitudes to try [degrees].
        waves: numbers of waves to try.
        fastest: published maximum speed [m/s]; None if not available.
    """

    name: str
    length: float
    width: float
    height: float
    links: int
    usual: tuple[float, float, float]
    frequencies: tuple[float, ...]
    amplitudes: tuple[float, ...]
    waves: tuple[float, ...]
    fastest: Figure | None


def swim_chain(robot: Robot, gaits_tried: Float[np.ndarray, "gaits 3"]) -> Float[np.ndarray, "gaits"]:
    """Steady speeds of gaits (frequency [Hz], amplitude [degrees], waves) [m/s]; NaN if no steady swim was found."""
    beam = cosserat.rod(robot.length, robot.width, robot.height)
    tree = multibody.from_beam(beam, robot.links)
    tried = jnp.asarray(gaits_tried, float)
    speeds = 0.3 * robot.length * tried[:, 0]
    for _ in range(OWN_REYNOLDS):
        speeds = _steady_speeds(tree, robot.length, tried, speeds)
    return np.asarray(speeds)


@eqx.filter_jit
def _steady_speeds(tree, length, tried, speeds):
    def one(gait):
        (frequency, degrees, waves), speed = gait
        law = PhaseLag(jnp.deg2rad(degrees), 1.0 / frequency, waves, tree.layout.bodies - 1)
        medium = multibody.immerse(tree, water(length, 1000.0, 1.0e-6, jnp.maximum(speed, 1e-3), None))
        return steady_chain(tree, law, medium, law.period, speed).speed

    return jax.lax.map(one, (tried, speeds))


class SteadyChain(eqx.Module):
    """A periodic swim in the plane.

    Attributes:
        speed: forward speed [m/s]; NaN if no swim was found.
        twist: twist of the base at the start of the period, in its frame [m/s, rad/s].
        multiplier: largest modulus of the Floquet multipliers; below 1 the swim is stable.
    """

    speed: Float[Array, ""]
    twist: Float[Array, "6"]
    multiplier: Float[Array, ""]


def steady_chain(
    tree: multibody.Tree,
    law: PhaseLag,
    medium: Immersion,
    period: Float[Array, ""],
    guess: Float[Array, ""],
) -> SteadyChain:
    """Finds the periodic motion in the plane.

    Args:
        tree: the chain, with the head as its base.
        law: periodic joint law, t -> positions.
        medium: the chain immersed in water.
        period: period of the law [s].
        guess: initial guess of the speed [m/s].
    """

    def rates(t, y):
        position, quaternion, twist = y
        state = unchecked_state(position, quaternion, twist)
        joints = multibody.law_motion(tree, law, t)
        rate = multibody.inverse_dynamics(tree, state, *joints, fluid=medium).base_acceleration
        return state.rotation @ twist[:3], quaternion_rate(quaternion, twist[3:]), rate

    whole = lambda moving: jnp.zeros(6).at[PLANE].set(moving)  # noqa: E731

    def swim(moving):
        start = (jnp.zeros(3), jnp.asarray([1.0, 0.0, 0.0, 0.0]), whole(moving))
        return explicit_steps(rates, start, Span.counted(0.0, period / STEPS, STEPS, 1), DOPRI5)

    first = jnp.asarray([-1.0, 0.0, 0.0]) * guess
    orbit = gaits.periodic_orbit(
        lambda moving, _: swim(moving)[2][-1, PLANE], first, transient=TRANSIENT, tolerance=1e-9, throw=False
    )
    position, quaternion, _ = swim(orbit.start)
    turn = unit_quaternions(quaternion)[-1]
    speed = gaits.steady_speed(displacement=position[-1], turn=turn, period=period)
    forward = jnp.where(position[-1, 0] < 0, speed, -speed)  # the head points along -x
    return SteadyChain(
        jnp.where(orbit.converged, forward, jnp.nan), whole(orbit.start), jnp.max(jnp.abs(orbit.multipliers))
    )


def chain_curves(robot: Robot) -> Curves:
    """Speed over frequency, amplitude and phase lag, one at a time."""
    frequency, amplitude, waves = robot.usual
    lines = (
        [(f, amplitude, waves) for f in robot.frequencies],
        [(frequency, a, waves) for a in robot.amplitudes],
        [(frequency, amplitude, w) for w in robot.waves],
    )
    speeds = swim_chain(robot, np.asarray([gait for line in lines for gait in line]))
    by_frequency, by_amplitude, by_waves = np.split(speeds, np.cumsum([len(line) for line in lines])[:-1])
    best = peaks(robot.waves, by_waves)
    shown = lambda x: ", ".join(f"{one:.3f}" for one in x) + " m/s"  # noqa: E731
    claims = [
        trend("speed rises with frequency", shown(by_frequency), rises(by_frequency)),
        trend("speed rises with amplitude", shown(by_amplitude), rises(by_amplitude)),
        trend(
            "speed has an optimum in the phase lag, near one wave on the body",
            f"at {best[0]:.2f} waves" if best else f"no inner maximum: {shown(by_waves)}",
            len(best) == 1 and 0.7 <= best[0] <= 1.3,
        ),
    ]
    if robot.fastest is not None:
        claims.append(value("greatest speed of all gaits tried", float(np.nanmax(speeds)), robot.fastest))
    names = ("frequency [Hz]", "amplitude of the joints [degrees]", "phase lag [waves on the body]")
    tried = (robot.frequencies, robot.amplitudes, robot.waves)
    panels = tuple(
        Panel(name, "speed [m/s]", x, tuple(y.tolist()), published=robot.fastest and robot.fastest.value)
        for name, x, y in zip(names, tried, (by_frequency, by_amplitude, by_waves), strict=True)
    )
    return Curves(robot.name, panels, tuple(claims))


AMPHIBOT_ROBOT = Robot(
    "amphibot",
    0.772,
    0.0165,
    0.0275,
    9,
    (1.0, 40.0, 1.0),
    (0.2, 0.4, 0.6, 0.8, 1.0),
    (10.0, 20.0, 30.0, 40.0),
    (0.25, 0.5, 0.75, 1.0, 1.25, 1.5),
    Figure(0.23, "m/s", _AMPHIBOT, from_memory=True),
)
SALAMANDRA_ROBOT = Robot(
    "salamandra",
    0.9,
    0.02,
    0.03,
    10,
    (1.0, 30.0, 1.0),
    (0.4, 0.7, 1.0, 1.3),
    (10.0, 20.0, 30.0),
    (0.25, 0.5, 0.75, 1.0, 1.25, 1.5),
    None,
)
_COMMON = (
    "equal joint amplitudes, neutral buoyancy under water (the robots swim at the surface), links of one elliptic "
    "section with half a module at both ends; "
)
_MISFIT = (
    "the friction of a smooth plate stands for a robot of blunt modules at the surface, which has several times the "
    "drag; with so little drag it swims nearly as fast as the wave, whose length along the path shrinks with amplitude"
)
AMPHIBOT = CurveSwimmer(
    name="amphibot",
    title="AmphiBot II, eight modules",
    source=_AMPHIBOT + ": length 0.772 m, section 33 × 55 mm, range of gaits, trends and greatest speed from memory",
    chosen=_COMMON + "the gait of the greatest speed (1 Hz, 40 degrees, one wave)",
    compute=lambda: chain_curves(AMPHIBOT_ROBOT),
    misfit=_MISFIT,
)
SALAMANDRA = CurveSwimmer(
    name="salamandra",
    title="Salamandra robotica II, nine modules, without its folded legs",
    source=_SALAMANDRA + ": sizes, range of gaits and trends from memory",
    chosen=_COMMON + "no legs; published as trends, since no speed is at hand",
    compute=lambda: chain_curves(SALAMANDRA_ROBOT),
    misfit=_MISFIT,
)
