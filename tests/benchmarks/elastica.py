"""PyElastica beside the beam: a planar swim of the same length, wave and drag law, per simulated second.

What it solves that we do not: an elastic rod, whose shape follows from its stiffness; here the wave is given to its
rest curvature, and the stiffness is chosen so that the body follows within some per cent. Its explicit steps must
resolve the elastic waves; with strains imposed there are none. What it does not have: added mass, elliptic sections.

Equal work: each side swims the same ten seconds at the coarsest setting from which on all finer ones end within 1 % of
a converged run of its own. The settings are its step and our relative tolerance.
"""

# pyright: reportMissingImports=false
from collections.abc import Iterator
from typing import NamedTuple

import elastica
import jax
import jax.numpy as jnp
import numpy as np
from numba import njit

import cosserat
import gaits
import hydro
from tests.benchmarks.elastica_rods import driven, straight_rod
from tests.benchmarks.table import Row, at_least
from tests.benchmarks.timing import Work, called, interleaved

ELEMENTS, LENGTH, RADIUS, DENSITY = 50, 2.0, 0.06, 1000.0
# Pa: the softest rod within 1 % of one twice as stiff, so the one with the greatest step. Swum in 10 s, each at its
# greatest stable step: 1.705 m at 3e6, 1.457 at 6e6, 1.371 at 1.2e7, 1.339 at 2.4e7, 1.326 at 4.8e7, 1.319 at 9.6e7;
# doubling 2.4e7 makes 1.03 %, doubling 2.5e7 0.99 %. The beam without added mass swims 1.320 m.
YOUNG = 2.5e7
TO_HALF = 4  # places from a step to half of it: so fine that the greatest stable step is missed by 19 % at most
STEPS = 8e-4 * 2.0 ** (-np.arange(17) / TO_HALF)  # from the greatest [s]
TOLERANCES, DEFAULT, CONVERGED = 10.0 ** -np.arange(2.0, 7.0), 1e-6, 1e-9
ALLOWED = 0.01  # of the distance swum
SECONDS = 10.0


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


class Water(elastica.NoForces):
    """Drag with the coefficients of the eel, for a round section."""

    def apply_forces(self, system, time=0.0):
        """At the present velocity."""
        axial, lateral = 0.5 * 1000.0 * 0.01 * 2 * np.pi * RADIUS, 0.5 * 1000.0 * 2 * RADIUS
        _drag(system.external_forces, system.velocity_collection, system.tangents, system.lengths, axial, lateral)


class Run(NamedTuple):
    """A swim of PyElastica; not finite where its step is too great.

    Attributes:
        travelled: by the nose [m].
        lag: greatest distance of the curvature from the wave it should follow, relative to the greatest curvature.
    """

    travelled: float
    lag: float


def swim(step: float, young: float = YOUNG) -> Run:
    """A swim by steps of so many seconds, of a rod of that modulus [Pa]."""
    rod = straight_rod(ELEMENTS, LENGTH, RADIUS, DENSITY, young)
    swimmer = driven(rod, _wave, LENGTH, Water)
    stepper, t = elastica.PositionVerlet(), np.float64(0.0)
    with np.errstate(all="ignore"):
        for k in range(round(SECONDS / step)):
            t = stepper.step(swimmer, t, np.float64(step))
            if k % 1000 == 0 and not np.isfinite(rod.position_collection[0, 0]):
                break
        lag = np.abs(rod.kappa - rod.rest_kappa).max() / np.abs(rod.rest_kappa).max()
    return Run(float(np.linalg.norm(rod.position_collection[:, 0])), float(lag))


def stable_swims(young: float = YOUNG) -> list[Run]:
    """Swims by ever smaller steps, the last one within 1 % of that of twice its step."""
    runs = []
    for step in STEPS:
        runs.append(swim(step, young))
        if len(runs) > TO_HALF and error(runs[-1 - TO_HALF].travelled, runs[-1].travelled) < ALLOWED:
            return runs
    raise RuntimeError(f"PyElastica has no stable, accurate step among {STEPS}")


def error(travelled: float, converged: float) -> float:
    """Distance of a distance swum from the converged one, relative to it."""
    return abs(travelled - converged) / converged


def coarsest(errors: list[float]) -> int:
    """Place of the first setting that, with all finer ones, is within what is allowed: none passes by luck."""
    wrong = [k for k, found in enumerate(errors) if not found < ALLOWED]
    if wrong and wrong[-1] == len(errors) - 1:
        raise RuntimeError(f"no setting ends within {ALLOWED:.0%}: {errors}")
    return wrong[-1] + 1 if wrong else 0


def elastica_rows() -> Iterator[Row]:
    """Both sides at their coarsest settings within 1 %; then ours at its default tolerance."""
    runs = stable_swims()
    peer_errors = [error(run.travelled, runs[-1].travelled) for run in runs]
    place = coarsest(peer_errors)
    step = STEPS[place]

    def swimming(rtol):
        rod = cosserat.rod(LENGTH, RADIUS, RADIUS, DENSITY)
        run = cosserat.rollout(rod, gaits.planar(), hydro.Morison(), SECONDS, samples=2, rtol=rtol, throw=False)
        return jnp.linalg.norm(run.position[-1])

    compiled = jax.jit(swimming)
    converged = float(compiled(CONVERGED))
    errors = [error(float(compiled(rtol)), converged) for rtol in TOLERANCES]
    rtol = TOLERANCES[coarsest(errors)]
    times = interleaved(
        {
            "peer": Work(lambda: swim(step)),
            "beam": called(swimming, rtol, count=10),
            "default": called(swimming, DEFAULT, count=10),
        },
        rounds=3,
    )
    peer = times["peer"]
    there = (
        f"{peer.words} at steps of {step:.1e} s, error {peer_errors[place]:.1e}, wave followed to {runs[place].lag:.1%}"
    )
    name = f"PyElastica ({ELEMENTS} elements) / beam, {SECONDS:g} s swum"
    beam, default = times["beam"], times["default"]
    yield at_least(
        f"{name}, both within {ALLOWED:.0%}",
        peer.least / beam.least,
        100,
        f"{there} / {beam.words} at rtol {rtol:.0e}, error {errors[coarsest(errors)]:.1e}",
    )
    yield Row(
        f"{name}, beam at its default tolerance",
        peer.least / default.least,
        "≥",
        None,
        f"{peer.words} / {default.words} at rtol {DEFAULT:.0e}, error {errors[list(TOLERANCES).index(DEFAULT)]:.1e}",
    )
