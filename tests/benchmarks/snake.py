"""Crawling: the beam beside PyElastica's continuum snake, and gradients beside CMA-ES.

PyElastica's snake is an elastic rod. It gets the same friction (smoothed anisotropic Coulomb under the weight of each
element, on the centre line), and the wave is given to its rest curvature; the stiffness makes the curvature follow.
Its explicit steps must resolve the elastic waves of that stiff rod; with strains imposed there are none.
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
from anguilla import ground
from tests.benchmarks.elastica_rods import driven, straight_rod
from tests.benchmarks.table import Row, at_least, at_most
from tests.benchmarks.timing import Work, called, interleaved

ELEMENTS, LENGTH, RADIUS, DENSITY = 40, 0.35, 0.0105, 1000.0
AMPLITUDE, PERIOD, START = 0.6, 2.0, 1.0  # of the heading [rad], [s], of the start [s]
FORWARD, SIDEWAYS, WIDTH, GRAVITY = 0.1, 0.4, 1e-2, 9.81
PERIODS = 3  # the speed is that of the last
YOUNG = 2e7  # Pa: greatest bending by friction, about μ w λ²/4π² / EI, is 1 % of the greatest curvature
STEP = 4e-5  # s; stable to about dx / sqrt(E / density) = 6e-5 s
ALLOWED = 0.02  # of the speed


@njit(cache=False)
def _wave(curvature, s, t):
    """K3 of `gaits.serpenoid` on the inner nodes, with its start."""
    tau = min(max(t / START, 0.0), 1.0)
    start = tau - np.sin(2 * np.pi * tau) / (2 * np.pi)
    for k in range(s.size):
        phase = 2 * np.pi * (s[k] / LENGTH - t / PERIOD)
        curvature[0, k] = start * 2 * np.pi * AMPLITUDE / LENGTH * np.cos(phase)


@njit(cache=False)
def _friction(force, velocity, tangent, mass):
    """Smoothed Coulomb friction in the plane, half of each element's to each of its nodes; mass of the elements."""
    for k in range(tangent.shape[1]):
        tx, ty = tangent[0, k], tangent[1, k]
        norm = np.sqrt(tx * tx + ty * ty)
        tx, ty = tx / norm, ty / norm
        vx = 0.5 * (velocity[0, k] + velocity[0, k + 1])
        vy = 0.5 * (velocity[1, k] + velocity[1, k + 1])
        along, across = vx * tx + vy * ty, -vx * ty + vy * tx
        size = mass * GRAVITY / np.sqrt(vx * vx + vy * vy + WIDTH * WIDTH)
        f, g = -size * FORWARD * along, -size * SIDEWAYS * across
        fx, fy = f * tx - g * ty, f * ty + g * tx
        force[0, k] += 0.5 * fx
        force[0, k + 1] += 0.5 * fx
        force[1, k] += 0.5 * fy
        force[1, k + 1] += 0.5 * fy


class Floor(elastica.NoForces):
    """Dry friction on a level floor."""

    def apply_forces(self, system, time=0.0):
        """At the present velocity."""
        mass = DENSITY * np.pi * RADIUS**2 * LENGTH / ELEMENTS
        _friction(system.external_forces, system.velocity_collection, system.tangents, mass)


class Crawl(NamedTuple):
    """A run of PyElastica.

    Attributes:
        speed: of the centre of mass over the last period [m/s].
        lag: greatest distance of the curvature from the wave it should follow, relative to the greatest curvature.
    """

    speed: float
    lag: float


def crawl(step: float = STEP, young: float = YOUNG) -> Crawl:
    """A run by steps of so many seconds, of a rod of that modulus [Pa]."""
    rod = straight_rod(ELEMENTS, LENGTH, RADIUS, DENSITY, young)
    snake = driven(rod, _wave, LENGTH, Floor)
    stepper, t = elastica.PositionVerlet(), np.float64(0.0)
    places, lag, count = [], 0.0, round(PERIOD / step)
    for _ in range(PERIODS):
        places.append(_centre(rod))
        for _ in range(count):
            t = stepper.step(snake, t, np.float64(step))
        lag = max(lag, np.abs(rod.kappa[0] - rod.rest_kappa[0]).max() / np.abs(rod.rest_kappa[0]).max())
    return Crawl(float(np.linalg.norm(_centre(rod) - places[-1])) / PERIOD, float(lag))


def _centre(rod):
    return (rod.mass * rod.position_collection).sum(axis=1) / rod.mass.sum()


def beam_speed(rtol: float) -> jax.Array:
    """Speed of the centre of mass of the beam over the last period [m/s]."""
    body = cosserat.rod(LENGTH, RADIUS, RADIUS, DENSITY)
    gait = gaits.serpenoid(AMPLITUDE, LENGTH, PERIOD, begin=0.0, end=START)
    floor = ground.Friction(FORWARD, SIDEWAYS, density=DENSITY, width=WIDTH)
    times = PERIOD * jnp.array([0.0, PERIODS - 1.0, PERIODS])
    run = cosserat.rollout(body, gait, floor, times[-1], times=times, rtol=rtol, atol=1e-2 * rtol, throw=False)
    centre = [cosserat.energetics(body, gait, floor, run.state(k), run.time[k]).centre_w for k in (1, 2)]
    return jnp.linalg.norm(centre[1] - centre[0]) / PERIOD


def crawling_rows() -> Iterator[Row]:
    """Speed and wall time beside PyElastica; rollouts of a search beside CMA-ES."""
    there = crawl()
    here = float(jax.jit(beam_speed)(1e-6))
    stiffer = crawl(STEP / np.sqrt(2.0), 2.0 * YOUNG)
    off = abs(here - there.speed) / there.speed
    yield at_most(
        "crawling speed, beam against PyElastica's snake, relative difference",
        off,
        ALLOWED,
        f"{here:.5f} m/s against {there.speed:.5f} (curvature followed to {there.lag:.1%}), "
        f"{stiffer.speed:.5f} twice as stiff ({stiffer.lag:.1%})",
    )
    times = interleaved({"peer": Work(crawl), "beam": called(beam_speed, 1e-3, count=10)}, rounds=2)
    peer, beam = times["peer"], times["beam"]
    coarse = abs(float(jax.jit(beam_speed)(1e-3)) - here) / here
    yield Row(
        f"PyElastica ({ELEMENTS} elements) / beam, {PERIODS * PERIOD:g} s crawled",
        peer.least / beam.least,
        "≥",
        None,
        f"{peer.words} at steps of {STEP:.0e} s / {beam.words} at rtol 1e-3, error {coarse:.1e}",
    )
    yield from search_rows()


def search_rows() -> Iterator[Row]:
    """The fastest gait of the snake, six numbers: SLSQP with derivatives beside CMA-ES, from the same start.

    Both run to their end with the same tolerance; a rollout counts until the best value known is reached to 1e-4.
    """
    from anguilla.robots.snake import best_gait
    from anguilla.studies.cma_comparison import against_cma

    found = against_cma(
        "snake",
        -best_gait.crawling_speed,
        best_gait.first_gait(),
        best_gait.BOUNDS,
        best_gait.speed_model(),
        budget=1500,
        progress=False,
    )
    strategy, gradients = found.expected(found.strategy), found.expected(found.gradients)
    dearer = found.expected(found.gradients, found.price)
    best = f"best {-found.least:.5f} m/s, from {-found.before:.5f}"
    reached = f"reached by {found.successes(found.gradients)} and {found.successes(found.strategy)} searches"
    yield at_least(
        "rollouts to the fastest gait of the snake, CMA-ES / gradients, derivatives not counted",
        found.ratio(),
        20,
        f"{strategy:.0f} rollouts / {gradients:.0f} with six derivatives each; {best}; {reached}",
    )
    yield Row(
        "the same in processor time, derivatives counted",
        found.ratio(found.price),
        "≥",
        None,
        f"{strategy:.0f} rollouts / {gradients:.0f} that take {found.price:.1f} each, as long as {dearer:.0f}",
    )
