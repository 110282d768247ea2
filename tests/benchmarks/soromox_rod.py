"""SoRoMoX beside the beam: a floating rod in vacuum under a wave of two bendings, one evaluation.

Both take the strains and their rates and give the same twelve numbers: the acceleration of the head, and the torques
that the six strain freedoms need. SoRoMoX has a rod of variable strain for that (GVS, floating base), whose Fourier
basis holds the wave exactly, with few freedoms beyond those of the wave; the rows of the base in its inertia matrix and
bias are solved for the acceleration. It tends to our figures with the fourth power of its step along the rod.

What it solves that we do not: the strains themselves, from elasticity, damping and tendons; joints between rods; one
inertia matrix for all freedoms, which controllers ask for. What it does not have: water; strains that are any function
of X and t; internal force and moment at any X. Our moment is projected onto its basis, to give as many torques.
"""

# pyright: reportMissingImports=false
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from soromox.systems.components import JointSpec, LinkSpec
from soromox.systems.gvs import GVS, GVSSegment, StrainBasisSpec

import cosserat
import gaits
import hydro
from tests.benchmarks.eel import TWIST
from tests.benchmarks.table import Row
from tests.benchmarks.timing import interleaved, looped

LENGTH, B, C, DENSITY = 2.0, 0.04, 0.06, 1000.0
# The fewest of 8, 12, 16, ... with all twelve numbers within 1 %. Acceleration and torques are off by 4e-3 and 3e-2 at
# 8, 1.5e-3 and 1.04e-2 at 12, 5e-4 and 3e-3 at 16, 2e-6 and 1.5e-5 at 64, each relative to the greatest of them.
GAUSS_POINTS, ALLOWED = 16, 0.01
BENDING2, BENDING3 = 0.5, 0.5  # offsets [1/m]; the wave has an amplitude of 1/m, a wavelength of 1 m, a period of 1 s
NODES, WEIGHTS = np.polynomial.legendre.leggauss(32)
STATIONS = 0.5 * LENGTH * (1.0 + NODES)


def soromox_rows() -> Iterator[Row]:
    """The twelve numbers by both; then the head's acceleration alone, all that our swims need."""
    theirs, ours, head = rod_of_soromox(), both_loops(), head_alone()
    found, expected = (np.asarray(f(jnp.asarray(3.3))) for f in (jax.jit(theirs), jax.jit(ours)))
    off = [np.max(np.abs(found - expected)[part]) / np.max(np.abs(expected[part])) for part in (np.s_[:6], np.s_[6:])]
    if max(off) > ALLOWED:
        raise AssertionError(f"SoRoMoX and the beam differ by {off[0]:.1e} in acceleration, {off[1]:.1e} in torques")
    there, here, first = interleaved(
        {"theirs": looped(theirs, 200), "ours": looped(ours, 200), "head": looped(head, 400)}
    ).values()
    name = "SoRoMoX (GVS rod, vacuum) / beam"
    yield Row(
        f"{name}, head acceleration and torques",
        there.least / here.least,
        "≥",
        None,
        f"{there.words} by 6 freedoms and {GAUSS_POINTS} Gauss points / {here.words}; "
        f"equal to {off[0]:.0e} in acceleration, {off[1]:.0e} in torques, as its order 4 allows",
    )
    yield Row(
        f"{name}, of which only the head acceleration",
        there.least / first.least,
        "≥",
        None,
        f"{there.words} / {first.words}; it assembles all freedoms at once",
    )


def rod_of_soromox():
    """t -> acceleration of the head and six torques, by SoRoMoX."""
    # Its semi-axes lie along y and z by their order, not by their size. The modulus is asked for and does not enter.
    link = LinkSpec.elliptical(
        length=LENGTH,
        semi_major=B,
        semi_minor=C,
        density=DENSITY,
        reference_strain=[0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        young_modulus=1e6,
        poisson_ratio=0.3,
    )
    basis = StrainBasisSpec("fourier", ("kappa_y", "kappa_z"), [0, 0, 2, 0, 0, 0])
    robot = GVS.from_segments(
        [GVSSegment(link, JointSpec("fixed"), basis, GAUSS_POINTS)], gravity=jnp.zeros(3), floating_base=True
    )
    v, omega = jnp.split(jnp.asarray(TWIST), 2)
    pose = jnp.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    def run(t):
        q, dq, ddq = coordinates(t)
        motion = robot.pack_velocity(dq, base_velocity=jnp.concatenate([omega, v]))
        inertia, bias, _ = robot.dynamics_terms(robot.pack_configuration(q, base_pose=pose), motion)
        base = -jnp.linalg.solve(inertia[:6, :6], bias[:6] + inertia[:6, 6:] @ ddq)
        torque = inertia[6:] @ jnp.concatenate([base, ddq]) + bias[6:]
        # Rates of components in the world there, in the moving frame here.
        return jnp.concatenate([base[3:] - jnp.cross(omega, v), base[:3], torque])

    return run


def coordinates(t):
    """The wave in its basis, and two rates: constant K2; K3 by 1, cos πX, sin πX, cos 2πX, sin 2πX [1/m]."""
    turn = 2.0 * jnp.pi
    s, c = jnp.sin(turn * t), jnp.cos(turn * t)
    still = jnp.zeros(4)
    return (
        jnp.stack([BENDING2, BENDING3, 0.0, 0.0, -s, c]),
        jnp.concatenate([still, turn * jnp.stack([-c, -s])]),
        jnp.concatenate([still, turn**2 * jnp.stack([s, -c])]),
    )


def both_loops():
    """t -> the same twelve numbers by the beam: M, from both space loops, projected onto the basis."""
    waves = [wave(k * np.pi * STATIONS) for k in (1, 2) for wave in (np.cos, np.sin)]
    modes = 0.5 * LENGTH * WEIGHTS * np.stack([np.ones_like(STATIONS), *waves])
    path, body, gait, state = beam()
    stations = path.stations(body, jnp.asarray(STATIONS))

    def run(t):
        loops = path.both_loops(body, gait, hydro.Void(), state, t, stations)
        torque = jnp.concatenate([modes[:1] @ loops.moment[:, 1], modes @ loops.moment[:, 2]])
        return jnp.concatenate([loops.head_twist_rate, torque])

    return run


def head_alone():
    """t -> acceleration of the head by the beam: its first space loop."""
    path, body, gait, state = beam()
    return lambda t: path.head_dynamics(body, gait, hydro.Void(), state, t).twist_rate


def beam():
    """The same rod and wave for the beam: path, sampled body, gait, state."""
    path = cosserat.Panels()
    gait = gaits.spiral(BENDING2, BENDING3, amplitude=(0.0, 0.0, 1.0), wavelength=1.0, period=1.0)
    body = path.sample(cosserat.rod(LENGTH, B, C, DENSITY), hydro.Void())
    return path, body, gait, cosserat.HeadState(twist=TWIST)
