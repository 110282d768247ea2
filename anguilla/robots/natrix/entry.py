"""Command-line entry of NATRIX, the surface snake of [XHLB23]: undulation at the surface, and its benchmarks."""

from collections.abc import Callable
from pathlib import Path

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

import hydro
import multibody
from anguilla.view.loop_figures import feedback_loop
from multibody.state import unchecked_state

from ..robot import Robot, Settings
from . import figures as drawn
from .film import natrix_film
from .gaze_control import gaze
from .laws import HeldShape, natrix_bending, natrix_shape, natrix_undulation
from .roll import CAPSIZED, REACH, rest_states
from .study import roll_map
from .tree import model

AMPLITUDE, FREQUENCY = 0.25, 1.39  # undulation inside the published capsizing band [rad], [Hz]
START = 2.0  # duration of the smooth start, our choice [s]
SETTLED = 1.0  # delay after the start, after which rolls with and without control are compared [s]
SHAPES = {"straight": 0.0, "wave of 0.25 rad": 0.25, "wave of 0.5 rad": 0.5}
SCAN = np.array([0.6, 0.8, 1.0, 1.2, 1.3, 1.33, 1.35, 1.37, 1.39, 1.41, 1.45, 1.5, 1.6, 1.8, 2.0, 2.5, 3.0])
SCAN_RUNS = 8


def run(settings: Settings) -> xr.Dataset:
    """Simulates the undulation (18) from rest with 5 degrees of heel, both benchmarks and the righting arms.

    With `feedback`, shells and neck stabilise the head, and the open loop is simulated for comparison.
    """
    tree, surface = model(), hydro.FreeSurface()
    rest = multibody.equilibrium(tree, jnp.zeros(14), surface)
    state = jax.tree.map(lambda part: part[0], rest_states(tree, surface, [REACH], rest))
    floats = settings.fluid != "void"
    wave = natrix_undulation(AMPLITUDE, FREQUENCY, start=START)
    dataset = multibody.simulate(
        tree,
        gaze(tree, surface, wave) if settings.feedback else wave,
        _water(settings),
        settings.t1,
        state=state,
        gravity=hydro.EARTH if floats else None,
        samples=settings.samples,
        rtol=settings.rtol,
        atol=settings.atol,
        progress=settings.progress,
    )
    R = dataset["rotation"].values[:, 0]
    roll = {"units": "rad", "long_name": "roll of the head, first Euler angle"}
    dataset = dataset.assign(head_roll=("time", np.arctan2(R[:, 2, 1], R[:, 2, 2]), roll))
    if settings.feedback:
        dataset = dataset.assign(_open_loop(tree, surface, wave, state, settings))
    dataset = dataset.assign(_rocking(tree, surface) | _bending(tree) | _righting(tree, surface))
    dataset.attrs |= {
        "robot": "natrix",
        "amplitude": AMPLITUDE,
        "frequency": FREQUENCY,
        "level": 0.0,
        "rest_frequencies": np.asarray(rest.frequencies),
        "rest_height": float(rest.coordinates[0]),
        "rest_pitch": float(rest.coordinates[2]),
        "mass": float(multibody.mass(tree)),
        "displaced": 1000.0 * float(multibody.displaced_volume(tree)),
    }
    return dataset


def _open_loop(tree, surface, wave, state, settings: Settings) -> dict[str, tuple]:
    """Roll of the head without control, with buoyancy only."""
    many = jax.tree.map(lambda part: part[None], state)
    steps = max(round(settings.t1 / 0.04), 1)
    run = multibody.float_march(tree, wave, surface, 0.04 * steps, many, dt=0.005, every=8)
    words = {"units": "rad", "long_name": "roll of the head without control"}
    time = {"units": "s", "long_name": "time of the open loop"}
    return {"open_time": ("open_loop", run.time, time), "open_roll": ("open_loop", run.roll[:, 0], words)}


def _open_loop_rms(dataset: xr.Dataset) -> float:
    """Root-mean-square roll without control, until the robot capsizes [rad]."""
    roll, time = dataset["open_roll"].values, dataset["open_time"].values
    upright = np.cumsum(np.abs(roll) > CAPSIZED) == 0
    return float(np.sqrt(np.mean(np.square(roll[upright & (time > START + SETTLED)]))))


def _water(settings: Settings) -> hydro.AbstractFluid:
    """The fluid of the settings: buoyancy only, as published; or also drag and added mass; or no fluid."""
    if settings.fluid == "void":
        return hydro.Void()
    flow = hydro.Morison(added_mass=settings.added_mass) if settings.fluid == "morison" else None
    return hydro.FreeSurface(flow=flow)


def figures(dataset: xr.Dataset) -> dict[str, Callable[[], Figure]]:
    """Counterparts of Figures 4, 5 and 6 (left) of the paper, righting arms, roll over time."""
    loop = {}
    if "open_roll" in dataset:
        loop["gaze"] = lambda: feedback_loop(dataset, {"roll": 0.0, "heading": 0.0, "pitch": 0.0})
    return loop | {
        "energy": lambda: drawn.energy_drift(dataset),
        "centre": lambda: drawn.centre_drift(dataset),
        "roll": lambda: drawn.head_roll(dataset),
        "righting": lambda: drawn.righting_arms(dataset),
        "response": lambda: drawn.roll_over_frequency(
            roll_map([AMPLITUDE], SCAN, rolls=SCAN_RUNS, chunk=1, progress=False)
        ),
    }


def lines(dataset: xr.Dataset) -> list[str]:
    """Equilibrium, benchmarks compared with the published values, and roll."""
    attrs = dataset.attrs
    roll = np.abs(np.rad2deg(dataset["head_roll"].values))
    frequencies = ", ".join(f"{f:.2f}" for f in attrs["rest_frequencies"])
    turned = "it capsizes" if roll.max() > 90 else "it stays upright"
    energy = float(np.abs(dataset["energy_change"]).max())
    centre = float(np.abs(dataset["centre_change"]).max())
    held = []
    if "open_roll" in dataset:
        late = dataset["time"].values > START + SETTLED
        least, most = np.sqrt(np.mean(np.square(dataset["head_roll"].values[late]))), _open_loop_rms(dataset)
        held = [
            f"gaze            roll of the head {np.rad2deg(least):.2f} deg rms under control, {np.rad2deg(most):.1f} "
            f"deg without: {most / least:.1f} times less"
        ]
    return held + [
        f"mass            {attrs['mass']:.3f} kg, displaces at most {attrs['displaced']:.3f} kg",
        f"at rest         centre of mass {1e3 * attrs['rest_height']:.2f} mm over the water, "
        f"pitch {np.rad2deg(attrs['rest_pitch']):.2f} deg, oscillates at {frequencies} Hz",
        f"energy          of a frozen shape, 10 s, RK4 1 ms: changes <= {energy:.1e} (published 1e-2)",
        f"centre of mass  in free bending, restarted at t_f: moves <= {centre:.1e} m (published 1e-4 m)",
        f"roll            <= {roll.max():.0f} deg at Q = {attrs['amplitude']:g} rad, F = {attrs['frequency']:g} Hz: "
        f"{turned} (published band 1.33-1.41 Hz)",
        "calibrated      masses, sections and the place of the band: the paper gives none of them",
    ]


def film(dataset: xr.Dataset, path: Path, *, fps: float, width: int, camera: str, progress: bool) -> Path:
    """The robot in the water with a fixed camera."""
    return natrix_film(dataset, path, fps=fps, width=width, progress=progress)


def _rocking(tree: multibody.Tree, surface: hydro.FreeSurface) -> dict[str, tuple]:
    """Figure 4: a frozen wave released with 5 degrees of heel, RK4 with 1 ms."""
    q = natrix_shape(0.4)
    rest = multibody.equilibrium(tree, q, surface)
    state = multibody.floating_state(tree, q, rest.coordinates + jnp.array([0.0, REACH, 0.0]))
    found = multibody.march(tree, HeldShape(q), surface, 10.0, dt=1e-3, every=10, state=state, gravity=hydro.EARTH)

    def energy(position, quaternion, twist):
        at = unchecked_state(position, quaternion, twist)
        height = multibody.centre_of_mass(tree, at, q)[2]
        moving = multibody.kinetic_energy(tree, at, q, jnp.zeros(14))
        return moving + multibody.mass(tree) * 9.81 * height + multibody.fluid_potential(tree, surface, at, q)

    energies = np.asarray(jax.jit(jax.vmap(energy))(found.position, found.quaternion, found.twist))
    least = float(energy(rest.state.position, rest.state.quaternion, rest.state.twist))
    time = {"units": "s", "long_name": "time of the rocking test"}
    change = {"units": "1", "long_name": "change of the energy over the energy of rocking"}
    return {
        "rocking_time": ("rocking", np.asarray(found.time), time),
        "energy_change": ("rocking", (energies - energies[0]) / (energies[0] - least), change),
    }


def _bending(tree: multibody.Tree) -> dict[str, tuple]:
    """Figure 5: free bending (17) without external forces; the integration restarts at t_f."""
    found = multibody.rollout(
        tree, natrix_bending(), None, 20.0, samples=401, solver=diffrax.Dopri8(), rtol=1e-11, atol=1e-12
    )
    at = lambda p, a, w, q: multibody.centre_of_mass(tree, unchecked_state(p, a, w), q)  # noqa: E731
    centre = np.asarray(jax.jit(jax.vmap(at))(found.position, found.quaternion, found.twist, found.joints))
    return {
        "bending_time": ("bending", np.asarray(found.time), {"units": "s", "long_name": "time of the bending test"}),
        "bending_angle": ("bending", np.asarray(found.joints[:, 3]), {"units": "rad", "long_name": "angle of joints"}),
        "centre_change": (
            ("bending", "axis"),
            centre - centre[0],
            {"units": "m", "long_name": "displacement of the centre of mass"},
        ),
    }


def _righting(tree: multibody.Tree, surface: hydro.FreeSurface) -> dict[str, tuple]:
    """Righting arms of frozen waves."""
    heel = np.deg2rad(np.arange(-180.0, 181.0, 5.0))
    arms = [multibody.righting_curve(tree, natrix_shape(Q), surface, heel).arm for Q in SHAPES.values()]
    return {
        "shape": ("shape", list(SHAPES), {"long_name": "held shape"}),
        "heel": ("heel", heel, {"units": "rad", "long_name": "heel"}),
        "righting_arm": (("shape", "heel"), np.stack(arms), {"units": "m", "long_name": "righting arm"}),
    }


NATRIX = Robot(
    help="14 bodies, rolling shells, 1.24 m: undulates on the water (Xie and others, 2023)",
    duration=20.0,
    period=1.0 / FREQUENCY,
    rate=50.0,
    processor=90.0,
    run=run,
    figures=figures,
    body=lambda dataset: dataset,
    lines=lines,
    film=film,
)
