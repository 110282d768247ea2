"""PyElastica and SoRoMoX beside the soft beam, on rods that both solve: elastic, pushed or let fall.

Equal work: each side runs at the coarsest setting of its list that ends within 1 % of a converged motion, in units of
the rod's length, for that setting and all finer ones. The lists of settings and their errors stand beside the numbers;
a run checks the error of the setting that it times. SoRoMoX is stable only at steps whose error is far below that: a
further row compares it with the soft beam at that error.

What PyElastica solves that the soft beam does not here: all six strains in space, at nodes that may touch each other.
The soft beam solves the strains that the motion has: three in the plane, or bending alone for a thread that does not
stretch. That is its point: strains that are left out do not limit its steps.
"""

# pyright: reportMissingImports=false
from collections.abc import Callable, Iterator
from typing import Any

import elastica
import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import hydro
from stepping import SemiImplicit
from stepping.tableaus import ARK5
from tests.benchmarks.elastica_rods import Collection, straight_rod
from tests.benchmarks.soromox_motion import (
    DENSITY as PCS_DENSITY,
    GRAVITY as PCS_GRAVITY,
    LENGTH as PCS_LENGTH,
    RECORDS,
    SECONDS,
    UPRIGHT,
    rod_of_soromox,
    same_soft_rod,
)
from tests.benchmarks.table import Row, at_least
from tests.benchmarks.timing import Work, interleaved, seconds
from validation.soft_bodies import soft_reference

ALLOWED = 0.01  # of the length of the rod
BOUND = 120.0  # s: a peer that would take longer is timed for a part of its steps


def peer_rows() -> Iterator[Row]:
    """The flying rod and the falling thread of PyElastica, the rod of SoRoMoX."""
    yield flying_row()
    yield thread_row()
    yield from soromox_rows()


class EndLoad(elastica.NoForces):
    """A dead force and moment on the last section: t -> factor of both."""

    def __init__(self, factor: Callable[[float], float], force: np.ndarray, moment: np.ndarray):
        self.factor, self.force, self.moment = factor, force, moment

    def apply_forces(self, system, time=0.0):
        """In the world [N]."""
        system.external_forces[:, -1] += self.factor(time) * self.force

    def apply_torques(self, system, time=0.0):
        """In the axes of the last element [N·m]."""
        system.external_torques[:, -1] += system.director_collection[:, :, -1] @ (self.factor(time) * self.moment)


def stepped(collection, rod, step: float, times: np.ndarray) -> np.ndarray:
    """Positions of the last node at these times; NaN once the steps are unstable."""
    stepper, t, done, found = elastica.PositionVerlet(), np.float64(0.0), 0, []
    with np.errstate(all="ignore"):
        for time in times:
            for _ in range(round(time / step) - done):
                t = stepper.step(collection, t, np.float64(step))
            done = round(time / step)
            found.append(rod.position_collection[:, -1].copy())
    return np.asarray(found)


def off(found: np.ndarray, exact: np.ndarray, length: float) -> float:
    """Greatest distance from the exact positions over the length; infinite where a number is lost."""
    distance = np.linalg.norm(np.asarray(found) - np.asarray(exact), axis=-1).max() / length
    return float(distance) if np.isfinite(distance) else np.inf


def checked(name: str, error: float) -> float:
    """The error, if it is within what is allowed."""
    if not error <= ALLOWED:
        raise AssertionError(f"{name}: the setting that is timed is off by {error:.1e}: {ALLOWED:.0e} is allowed")
    return error


# The flying rod: L = 10 m, EA = GA = 1e4 N, EI = 500 N·m², ρA = 1 kg/m, ρI = 10 kg·m, thrown by a load on its tail for
# 5 s, flying for 5 s more; its tail at these times by an independent computation.
FLIGHT = ("2.5", "5.0", "7.5", "10.0")
# Elements and step [s]: 8 elements leave 1.03e-2 at any step, 9 elements 8.0e-3 at 0.01 and 8.6e-3 at 0.0091; 10
# elements are unstable at 0.01 and leave 7.0e-3 at 0.0091.
FLYING_PEER = (9, 0.01)
# Modes a strain and step [s]: 2 modes leave 7e-2; 3 modes 1.4e-2 at 0.83, 4.3e-3 at 0.625, 2.6e-3 at 0.5. Eight nodes
# leave the same errors as 32.
FLYING_BEAM = (3, 0.625)


def _push(t):
    return 80.0 * 256.0 * (t / 5.0) ** 4 * (1.0 - t / 5.0) ** 4 if t < 5.0 else 0.0


def flying_peer(elements: int, step: float) -> np.ndarray:
    """Tail of the flying rod by PyElastica. Its round section of radius √40 m has the inertia; stiffness is set."""
    radius = np.sqrt(40.0)
    place = {"start": (0.0, 8.0, 0.0), "direction": (0.6, -0.8, 0.0)}
    rod = straight_rod(elements, 10.0, radius, 1.0 / (np.pi * radius**2), 1.0, shear=1.0, **place)
    rod.shear_matrix[...] = 1e4 * np.eye(3)[:, :, None]
    rod.bend_matrix[...] = 500.0 * np.eye(3)[:, :, None]
    collection = Collection()
    collection.append(rod)
    push = {"factor": _push, "force": np.array([0.1, 0.0, 0.0]), "moment": np.array([0.0, 0.0, -1.0])}
    collection.add_forcing_to(rod).using(EndLoad, **push)
    collection.finalize()
    return stepped(collection, rod, step, np.asarray(FLIGHT, float))


def flying_beam(modes: int, step: float) -> Callable[[], jax.Array]:
    """Tail of the flying rod by the soft beam: three strains in the plane."""
    b = np.sqrt(40.0)
    law = cosserat.Springs([1e4, 1e4, 1e4, 500.0, 500.0, 500.0])
    history = lambda t: jnp.where(t < 5.0, 80.0 * 256.0 * (t / 5.0) ** 4 * (1.0 - t / 5.0) ** 4, 0.0)  # noqa: E731
    load = cosserat.EndLoad(force=[0.1, 0, 0], moment=[0, 0, -1.0], history=history)
    free = cosserat.FreeStrains(modes={"G1": modes, "G2": modes, "K3": modes})
    soft = cosserat.Soft(cosserat.rod(10.0, b, 1.0, 1.0 / (np.pi * b)), free, law, loads=load)
    angle = np.arctan2(-0.8, 0.6)
    head = cosserat.HeadState([0.0, 8.0, 0.0], [np.cos(angle / 2), 0, 0, np.sin(angle / 2)])
    return tails(soft, hydro.Void(), 10.0, len(FLIGHT), head, cosserat.Panels(order=8), dt0=step)


def tails(soft, fluid, seconds, records, head, path=None, **steps: Any) -> Callable[[], jax.Array]:
    """Positions of the tail at even times, after the first; by implicit steps unless a solver is given."""
    how = {"samples": records + 1, "throw": False, "path": path, **steps}

    def run():
        swim = cosserat.rollout(soft, None, fluid, seconds, state=head, **how)
        assert swim.q is not None
        modes = swim.q
        tail = lambda k: cosserat.tail_pose(soft, modes[k], path=path)[0]  # noqa: E731
        place = lambda k: swim.state(k).position + swim.state(k).rotation @ tail(k)  # noqa: E731
        return jax.lax.map(place, 1 + jnp.arange(records))

    return run


# The thread: 1 m long, 1 mm thick, E = 1 GPa, 1000 kg/m³, held at one end, let go from the horizontal.
FALL = 0.1 * np.arange(1, 6)
YOUNG, RADIUS, DENSITY, GRAVITY = 1e9, 5e-4, 1000.0, 9.81
# Elements and step [s]: unstable at 9e-7 (shear across the thickness), stable at 8e-7; 10, 16, 24, 32 elements
# leave 9.1e-2, 5.0e-2, 3.1e-2, 2.2e-2: first order, since the first element is held whole.
THREAD_PEER = (80, 8e-7)
# Modes and step [s]: 4 modes leave 3.4e-2, 6 modes 8.1e-3 at 1/20, 6.4e-3 at 1/30, 6.2e-3 at 1/50; 8 modes 1.1e-3.
THREAD_BEAM, THREAD_EXACT = (6, 1 / 20), (20, 1 / 1000)


def thread_peer(elements: int, step: float, times: np.ndarray = FALL) -> np.ndarray:
    """Tail of the falling thread by PyElastica."""
    rod = straight_rod(elements, 1.0, RADIUS, DENSITY, YOUNG)
    collection = Collection()
    collection.append(rod)
    ends = {"constrained_position_idx": (0,), "constrained_director_idx": (0,)}
    collection.constrain(rod).using(elastica.OneEndFixedBC, **ends)
    collection.add_forcing_to(rod).using(elastica.GravityForces, acc_gravity=np.array([0.0, -GRAVITY, 0.0]))
    collection.finalize()
    return stepped(collection, rod, step, times)


def thread_beam(modes: int, step: float) -> Callable[[], jax.Array]:
    """Tail of the falling thread by the soft beam, which bends and does not stretch."""
    rod, law = cosserat.rod(1.0, RADIUS, RADIUS, DENSITY), cosserat.Elastic(YOUNG)
    soft = cosserat.Soft(rod, cosserat.FreeStrains(modes={"K3": modes}), law, head=cosserat.Clamped())
    weight = hydro.Weight(DENSITY, (0.0, -GRAVITY, 0.0))
    return tails(soft, weight, FALL[-1], len(FALL), cosserat.HeadState(), dt0=step)


def flying_row() -> Row:
    """Both at the coarsest setting within 1 %."""
    exact = np.asarray([soft_reference()["fs2d_smooth"]["times"][t]["tip"] for t in FLIGHT])
    there, here = flying_peer(*FLYING_PEER), jax.jit(flying_beam(*FLYING_BEAM))
    errors = checked("PyElastica", off(there, exact, 10.0)), checked("soft beam", off(np.asarray(here()), exact, 10.0))
    peer, beam = interleaved(
        {"peer": Work(lambda: flying_peer(*FLYING_PEER)), "beam": _repeated(here, 10)}, rounds=5
    ).values()
    how = (
        f"{peer.words}, {FLYING_PEER[0]} elements, step {FLYING_PEER[1]:g} s, error {errors[0]:.1e} / {beam.words}, "
        f"{FLYING_BEAM[0]} modes a strain, step {FLYING_BEAM[1]:g} s, error {errors[1]:.1e}"
    )
    return at_least("PyElastica / soft beam, flying rod, 10 s", peer.least / beam.least, 4, how)


def thread_row() -> Row:
    """Both at the coarsest setting within 1 %; a peer that would take longer than two minutes is extrapolated."""
    exact = np.asarray(jax.jit(thread_beam(*THREAD_EXACT))())
    here = jax.jit(thread_beam(*THREAD_BEAM))
    error = checked("soft beam", off(np.asarray(here()), exact, 1.0))
    elements, step = THREAD_PEER
    thread_peer(elements, step, np.asarray([10 * step]))  # compiles
    sample = 0.01 * FALL[-1]
    foreseen = seconds(lambda: thread_peer(elements, step, np.asarray([sample]))) * FALL[-1] / sample
    if foreseen > BOUND:
        peer, words = foreseen, f"{foreseen:.3g} s (extrapolated from {sample:g} s)"
    else:
        found = []
        peer = seconds(lambda: found.append(thread_peer(elements, step)))
        words = f"{peer:.3g} s, error {checked('PyElastica', off(found[0], exact, 1.0)):.1e}"
    beam = interleaved({"beam": _repeated(here, 10)}, rounds=5)["beam"]
    how = (
        f"{words}, {elements} elements, step {step:g} s / {beam.words}, {THREAD_BEAM[0]} modes of bending, step "
        f"{THREAD_BEAM[1]:g} s, error {error:.1e}"
    )
    return at_least("PyElastica / soft beam, falling thread (1 m, 1 mm, 1 GPa), 0.5 s", peer / beam.least, 100, how)


# Step [s] of SoRoMoX: 4e-4 is unstable (off by a quarter of the length), 3.5e-4 leaves 9e-8 and so do finer ones.
SOROMOX_PEER = 3.5e-4
# Step [s] and nodes of each of the two parts: 1/20 leaves 1.1e-2, 1/30 1.7e-3, 1/40 4.3e-4; 8 nodes leave the same.
SOROMOX_BEAM, SOROMOX_EXACT = (1 / 30, 4), (1 / 800, 16)
# Tolerance of adaptive steps and nodes: 1e-6 leaves 1.4e-7, 7e-7 8.5e-8, 1e-7 8e-9; 5 nodes leave 1.2e-7 at 7e-7.
SOROMOX_EQUAL = (7e-7, 6)


def soromox_beam(nodes: int, **steps: Any) -> Callable[[], jax.Array]:
    """Tip of SoRoMoX's rod by the soft beam: the same twelve freedoms."""
    weight, head = hydro.Weight(PCS_DENSITY, PCS_GRAVITY), cosserat.HeadState(quaternion=UPRIGHT)
    return tails(same_soft_rod(), weight, SECONDS, RECORDS, head, cosserat.Panels(order=nodes), **steps)


def soromox_rows() -> Iterator[Row]:
    """At the error that the step of SoRoMoX has where it is stable, and with both within 1 %."""
    (step, nodes), (finest, all_nodes) = SOROMOX_BEAM, SOROMOX_EXACT
    exact = np.asarray(jax.jit(soromox_beam(all_nodes, dt0=finest))())
    tolerance, few = SOROMOX_EQUAL
    adaptive = {"solver": SemiImplicit(ARK5), "rtol": tolerance, "atol": tolerance, "land": True}
    runs = {
        "SoRoMoX": jax.jit(rod_of_soromox(SOROMOX_PEER)),
        "equal": jax.jit(soromox_beam(few, **adaptive)),
        "coarse": jax.jit(soromox_beam(nodes, dt0=step)),
    }
    errors = {name: checked(name, off(np.asarray(run()), exact, PCS_LENGTH)) for name, run in runs.items()}
    if not errors["equal"] <= errors["SoRoMoX"]:
        raise AssertionError(f"the soft beam is off by {errors['equal']:.1e}, SoRoMoX by {errors['SoRoMoX']:.1e}")
    counts = {"SoRoMoX": 1, "equal": 5, "coarse": 10}
    times = interleaved({name: _repeated(run, counts[name]) for name, run in runs.items()}, rounds=3)
    peer = times["SoRoMoX"]
    there = f"{peer.words}, Tsit5 at steps of {SOROMOX_PEER:g} s, error {errors['SoRoMoX']:.1e}"
    name = "SoRoMoX / soft beam, its clamped rod in space of 12 constant strains, 3 s"
    how = f"{there} / {times['equal'].words}, adaptive steps, rtol {tolerance:g}, error {errors['equal']:.1e}"
    yield at_least(f"{name}, equal errors", peer.least / times["equal"].least, 20, how)
    how = f"{there} / {times['coarse'].words}, step 1/{round(1 / step)} s, error {errors['coarse']:.1e}"
    yield Row(f"{name}, coarsest steps within 1 %", peer.least / times["coarse"].least, "≥", None, how)


def _repeated(run: Callable[[], jax.Array], count: int) -> Work:
    """A compiled run, called `count` times."""

    def several():
        for _ in range(count):
            run().block_until_ready()

    return Work(several, count)
