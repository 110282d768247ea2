"""A rigid body spinning in vacuum: Euler's equations solved by Jacobi elliptic functions."""

from typing import Any

import diffrax
import numpy as np
from scipy.special import ellipj

import cosserat
import hydro
import multibody as mb

from .closed_forms import GROUP
from .report import Measurement, check, require
from .subjects import straight

SPIN = 1e-10  # rad/s: rtol 1e-12 over a few revolutions
SIZES = (0.4, 0.10, 0.04)  # length and semi-axes along t2, t3 of the body [m]: moments of inertia I1 < I2 < I3
START = (0.8, 0.0, 2.0)  # angular velocity [rad/s], closer to t3, the axis of the largest moment of inertia
TIMES = np.linspace(0.0, 10.0, 11)


def _moments():
    """Mass [kg] and moments of inertia about the centre [kg·m²] of an elliptic cylinder."""
    length, b, c = SIZES
    mass = 1000.0 * np.pi * b * c * length
    return mass, mass * np.array([(b**2 + c**2) / 4, c**2 / 4 + length**2 / 12, b**2 / 4 + length**2 / 12])


def euler_poinsot(moments: np.ndarray, start: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Angular velocity in the principal axes [rad/s] (Landau and Lifshitz, Mechanics, article 37).

    Args:
        moments: I1 < I2 < I3 [kg·m²].
        start: angular velocity at t = 0, with a zero second component and closer to the third axis [rad/s].
        t: times [s].
    """
    I1, I2, I3 = moments
    twice_energy, square = moments @ start**2, moments**2 @ start**2
    require(square > twice_energy * I2 and start[1] == 0.0, "the start is not of the kind this solution is for")
    rate = np.sqrt((I3 - I2) * (square - twice_energy * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (twice_energy * I3 - square) / ((I3 - I2) * (square - twice_energy * I1))
    sn, cn, dn, _ = ellipj(rate * t, m)
    return np.stack(
        [
            np.sqrt((twice_energy * I3 - square) / (I1 * (I3 - I1))) * cn,
            np.sqrt((twice_energy * I3 - square) / (I2 * (I3 - I2))) * sn,
            np.sqrt((square - twice_energy * I1) / (I3 * (I3 - I1))) * dn,
        ],
        axis=1,
    )


def _against_jacobi(spin):
    expected = euler_poinsot(_moments()[1], np.array(START), TIMES)
    require(np.ptp(expected[:, 1]) > 0.1, "the body hardly nutates")
    return np.abs(np.asarray(spin) - expected).max(), 0.0, SPIN


_EULER = dict(
    group=GROUP,
    unit="rad/s",
    source="Euler-Poinsot motion by scipy.special.ellipj",
    meaning="the gyroscopic moment or the rotary inertia of a rigid body is wrong",
)


@check(title="a straight beam spinning freely for 10 s in vacuum", **_EULER)
def euler_poinsot_beam() -> Measurement:
    """The head is at one end; its velocity keeps the centre of mass at rest."""
    length, b, c = SIZES
    velocity = -np.cross(START, [0.5 * length, 0.0, 0.0])
    run = cosserat.rollout(
        cosserat.rod(length, b, c),
        straight,
        hydro.Void(),
        10.0,
        state=cosserat.HeadState(twist=np.concatenate([velocity, START])),
        times=TIMES,
        rtol=1e-12,
        atol=1e-13,
        solver=diffrax.Dopri8(),
        land=True,
    )
    return _against_jacobi(run.twist[:, 3:])


@check(title="a rigid tree spinning freely for 10 s in vacuum", **_EULER)
def euler_poinsot_tree() -> Measurement:
    """The same body as two halves on a fixed joint; the base frame is at one end."""
    length, b, c = SIZES
    mass, _ = _moments()
    half = 0.5 * mass * np.array([(b**2 + c**2) / 4, c**2 / 4 + length**2 / 48, b**2 / 4 + length**2 / 48])
    body: dict[str, Any] = dict(mass=0.5 * mass, centre=(0.25 * length, 0.0, 0.0), about_centre=np.diag(half))
    tree = mb.from_links(
        [mb.Link("front", **body), mb.Link("rear", "front", mb.fixed(position=(0.5 * length, 0.0, 0.0)), **body)]
    )
    velocity = -np.cross(START, [0.5 * length, 0.0, 0.0])
    state = mb.BaseState(twist=np.concatenate([velocity, START]))
    # Each output is the end of a separate run, because dense output has a lower order.
    spins = [np.array(START)]
    for t0, t1 in zip(TIMES[:-1], TIMES[1:], strict=True):
        run = mb.rollout(
            tree, None, None, t1, t0=t0, state=state, samples=2, solver=diffrax.Dopri8(), rtol=1e-12, atol=1e-13
        )
        state = run.state(-1)
        spins.append(np.asarray(run.twist[-1, 3:]))
    return _against_jacobi(np.stack(spins))
