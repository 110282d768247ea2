"""PyElastica beside the beam: a planar swim of the same length, wave and drag law, per simulated second.

What it solves that we do not: an elastic rod, whose shape follows from its stiffness; here the wave is given to its
rest curvature, and the stiffness is chosen so that the body follows within some per cent. Its explicit steps must
resolve the elastic waves; with strains imposed there are none. What it does not have: added mass, elliptic sections.
"""

# pyright: reportMissingImports=false
import itertools
import time
from collections.abc import Iterator
from typing import NamedTuple

import elastica
import numpy as np
from numba import njit

import cosserat
import gaits
import hydro

from .table import Row, at_least
from .timing import called, interleaved

ELEMENTS, LENGTH, RADIUS, DENSITY = 50, 2.0, 0.06, 1000.0
YOUNG = 3e7  # Pa: ten times less, and the distance swum changes by nine per cent
STEPS = 8e-4 * 0.5 ** np.arange(5)  # tried from the greatest [s]
SECONDS = 2.0


@njit(cache=False)
def _wave(curvature, s, t):
    """K3 of the planar gait on the inner nodes, with its start."""
    tau = min(max(t, 0.0), 1.0)
    start = tau - np.sin(2 * np.pi * tau) / (2 * np.pi)
    for k in range(s.size):
        curvature[0, k] = start * (s[k] ** 2 - 0.75 * s[k] + 1.0) * np.sin(2 * np.pi * (s[k] - t))


@njit(cache=False)
def _drag(force, velocity, tangent, lengths, axial, lateral):
    """Quadratic drag, along and across the body, half of each element's to each of its nodes."""
    for k in range(lengths.size):
        v = np.empty(3)
        along = 0.0
        for i in range(3):
            v[i] = 0.5 * (velocity[i, k] + velocity[i, k + 1])
            along += v[i] * tangent[i, k]
        across = 0.0
        for i in range(3):
            across += (v[i] - along * tangent[i, k]) ** 2
        across = np.sqrt(across)
        for i in range(3):
            f = -axial * abs(along) * along * tangent[i, k] - lateral * across * (v[i] - along * tangent[i, k])
            force[i, k] += 0.5 * lengths[k] * f
            force[i, k + 1] += 0.5 * lengths[k] * f


class Muscles(elastica.NoForces):
    """The wave of the rest curvature."""

    def __init__(self):
        self.s = LENGTH * np.arange(1, ELEMENTS) / ELEMENTS

    def apply_torques(self, system, time=0.0):
        """The wave at that time."""
        _wave(system.rest_kappa, self.s, time)


class Water(elastica.NoForces):
    """Drag with the coefficients of the eel, for a round section."""

    def apply_forces(self, system, time=0.0):
        """At the present velocity."""
        axial, lateral = 0.5 * 1000.0 * 0.01 * 2 * np.pi * RADIUS, 0.5 * 1000.0 * 2 * RADIUS
        _drag(system.external_forces, system.velocity_collection, system.tangents, system.lengths, axial, lateral)


class Swimmer(elastica.BaseSystemCollection, elastica.Forcing):
    """One rod with muscles in water."""


class Run(NamedTuple):
    """A swim of PyElastica.

    Attributes:
        cost: processor time per simulated second [s].
        travelled: by the nose [m].
        lag: greatest distance of the curvature from the wave it should follow, relative to the greatest curvature.
    """

    cost: float
    travelled: float
    lag: float


def swim(step: float) -> Run:
    """A swim by steps of so many seconds; a few of them first, which compile."""
    swimmer = Swimmer()
    rod = elastica.CosseratRod.straight_rod(
        ELEMENTS,
        np.zeros(3),
        np.array([1.0, 0.0, 0.0]),
        np.array([0.0, 0.0, 1.0]),
        LENGTH,
        RADIUS,
        DENSITY,
        youngs_modulus=YOUNG,
        shear_modulus=YOUNG / 3.0,
    )
    swimmer.append(rod)
    swimmer.add_forcing_to(rod).using(Muscles)
    swimmer.add_forcing_to(rod).using(Water)
    swimmer.finalize()
    stepper, t = elastica.PositionVerlet(), np.float64(0.0)
    for _ in range(20):
        t = stepper.step(swimmer, t, np.float64(step))
    count = int((SECONDS - t) / step)
    begin = time.process_time()
    for _ in range(count):
        t = stepper.step(swimmer, t, np.float64(step))
    spent = time.process_time() - begin
    lag = np.abs(rod.kappa - rod.rest_kappa).max() / np.abs(rod.rest_kappa).max()
    return Run(spent / (count * step), float(np.linalg.norm(rod.position_collection[:, 0])), float(lag))


def elastica_rows() -> Iterator[Row]:
    """PyElastica at the greatest step that is stable and within 1 % of half of it."""
    with np.errstate(all="ignore"):
        runs = [swim(step) for step in STEPS]
    close = [abs(a.travelled - b.travelled) < 0.01 * b.travelled for a, b in itertools.pairwise(runs)]
    if not any(close):
        raise RuntimeError(f"PyElastica has no stable step among {STEPS}")
    step, peer = STEPS[close.index(True)], runs[close.index(True)]

    def swimming():
        rod = cosserat.rod(LENGTH, RADIUS, RADIUS, DENSITY)
        return cosserat.rollout(rod, gaits.planar(), hydro.Morison(), 10.0, samples=2, throw=False).position

    ours = interleaved({"beam": called(swimming)})["beam"]
    yield at_least(
        f"PyElastica ({ELEMENTS} elements) / beam, per simulated second",
        peer.cost / (ours.least / 10.0),
        100,
        f"{peer.cost:.3g} s at steps of {step:.1e} s, wave followed to {peer.lag:.1%} / {ours.least / 10:.2g} s",
    )
