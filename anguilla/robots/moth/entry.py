"""Command-line entry of the moth of [PBB13]: finds the hover for a chosen interpretation of the paper."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

import multibody
from anguilla.view.loop_figures import feedback_loop
from multibody.state import unchecked_state

from ..loop_record import loop_of, with_loop
from ..robot import Robot, Settings
from . import (
    READINGS,
    Accounts,
    Figures,
    Floquet,
    Hover,
    MothParameters,
    accounts,
    figures as drawn,
    flight,
    floquet,
    hover,
    hover_figures,
    published_lines,
)
from .energy_budget import air_forces
from .film import moth_film
from .hover_control import CHANNELS, gust_response, hover_hold

PERIOD = 0.04  # period of a stroke [s]
STROKES, GUST_START, GUST_STROKES = 60, 2, 8  # total, first stroke in the gust, duration of the gust [strokes]
GUST_SPEED = (0.5, 0.3)  # forward and to the right [m/s]


def run(settings: Settings) -> xr.Dataset:
    """Finds the hover, simulates it, and records it with its energy budget, multipliers and published figures."""
    if settings.fluid == "void":
        raise ValueError("fluid = 'void': without air the moth cannot hover")
    reading = settings.reading or "TB8"
    found = hover(flight(settings.sections or 4, reading))
    dataset = hovering(found, settings, reading)
    return _with_gust(dataset, found) if settings.feedback else dataset


def hovering(found: Hover, settings: Settings, reading: str = "TB8") -> xr.Dataset:
    """A hover of the moth of Table I, recorded with its energy budget, multipliers and published figures."""
    means, stroke = accounts(found)
    ours = hover_figures(found, means, stroke)
    return _labelled(_recorded(found, settings), found, means, ours, floquet(found), reading, MothParameters())


def figures(dataset: xr.Dataset) -> dict[str, Callable[[], Figure]]:
    """Counterparts of Figures 5 to 8 of the paper, the multipliers, and the response to a gust if it was simulated."""
    held = {"forward": 0.0, "right": 0.0, "up": 0.0}
    loop = {"gust": lambda: feedback_loop(loop_of(dataset, "gust"), held)} if "gust_command" in dataset else {}
    return loop | {
        "snapshots": lambda: drawn.moth_snapshots(dataset),
        "velocities": lambda: drawn.moth_velocities(dataset),
        "deformation": lambda: drawn.moth_deformation(dataset),
        "forces": lambda: drawn.moth_forces(dataset),
        "multipliers": lambda: drawn.moth_multipliers(dataset),
    }


def lines(dataset: xr.Dataset) -> list[str]:
    """Table of published and computed values, quality of the hover, and its stability."""
    attrs = dataset.attrs
    names = Figures.__dataclass_fields__
    ours = Figures(**{name: jnp.asarray(float(attrs[f"figure_{name}"])) for name in names})
    decisive = {kind: complex(*attrs[f"decisive_{kind}"]) for kind in ("sagittal", "lateral")}
    words = ", ".join(f"{kind} {value:.3f} (modulus {abs(value):.3f})" for kind, value in decisive.items())
    gust = []
    if "gust_command" in dataset:
        end, free = attrs["gust_end"], attrs["gust_end_open"]
        gust = [
            f"gust            {GUST_SPEED[0]:g} m/s ahead and {GUST_SPEED[1]:g} m/s across for {GUST_STROKES} strokes: "
            f"{1e3 * end:.2g} mm off after {STROKES} strokes, {1e3 * free:.3g} mm without control; greatest multiplier "
            f"of the closed loop {float(attrs['gust_multiplier']):.3f}"
        ]
    lasts = all(abs(value) < 1.0 for value in decisive.values())
    return gust + [
        f"reading         {attrs['reading']}: {READINGS[str(attrs['reading'])].words}",
        *published_lines({str(attrs["reading"]): ours}),
        f"hover           residual {float(attrs['residual']):.1e}; mean vertical force / weight - 1 = "
        f"{float(attrs['weight_defect']):.1e}",
        f"energy          motors {float(attrs['motor_power']):.4f} W = drag {float(attrs['drag_loss']):.4f} W + "
        f"dampers {float(attrs['damper_loss']):.4f} W, to {abs(float(attrs['energy_defect'])):.1e} of it",
        f"multipliers     largest: {words}",
        f"stability       {'disturbances decay' if lasts else 'disturbances grow: it needs control'}"
        " (four neutral: it may hover anywhere, facing any way)",
    ]


def film(dataset: xr.Dataset, path, *, fps: float, width: int, camera: str, progress: bool):
    """Fifty frames per stroke with a fixed camera."""
    return moth_film(dataset, path, fps=fps, width=width, progress=progress)


def _recorded(found: Hover, settings: Settings) -> xr.Dataset:
    machine = found.flight
    joints, rates = found.start.both_wings
    strokes = settings.t1 / PERIOD
    run = machine.fly(found.amplitude, found.start.thorax, joints, rates, strokes, samples=settings.samples)
    return multibody.recorded(machine.tree, machine.drive(found.amplitude), run, progress=settings.progress)


def _labelled(
    dataset: xr.Dataset,
    found: Hover,
    means: Accounts,
    ours: Figures,
    multipliers: Floquet,
    reading: str,
    numbers: MothParameters,
) -> xr.Dataset:
    force = np.asarray(_air_force(found, dataset))
    pairs = lambda values: np.stack([np.real(values), np.imag(values)], axis=-1)  # noqa: E731
    dataset = dataset.assign(
        air_force=(("time", "axis"), force, {"units": "N", "long_name": "force of the air on the moth, in the world"}),
    )
    for kind in ("sagittal", "lateral"):
        words = {"units": "1", "long_name": f"Floquet multipliers of {kind} disturbances (real, imaginary)"}
        dataset[f"multipliers_{kind}"] = (
            (f"{kind}_mode", "part"),
            pairs(np.asarray(getattr(multipliers, kind))),
            words,
        )
    decisive = {f"decisive_{kind}": pairs(np.asarray(multipliers.decisive(kind))) for kind in ("sagittal", "lateral")}
    dataset.attrs |= decisive | {
        "robot": "moth",
        "reading": reading,
        "period": PERIOD,
        "span": float(numbers.span),
        "chord": float(numbers.chord),
        "thorax": np.asarray(numbers.thorax),
        "weight": float(means.weight),
        "residual": float(found.residual),
        "weight_defect": float(means.weight_defect),
        "energy_defect": float(means.energy_defect),
        "motor_power": float(jnp.sum(means.motor_power)),
        "drag_loss": float(means.drag_loss),
        "damper_loss": float(means.damper_loss),
    }
    dataset.attrs |= {f"figure_{name}": float(getattr(ours, name)) for name in Figures.__dataclass_fields__}
    return dataset


def _with_gust(dataset: xr.Dataset, found: Hover) -> xr.Dataset:
    """Adds the response to a gust with the regulator, and the displacement of the moth without it."""
    hold = hover_hold(found)
    wind = np.zeros((STROKES, 3))
    wind[GUST_START : GUST_START + GUST_STROKES, :2] = GUST_SPEED[1], GUST_SPEED[0]
    held, free = gust_response(hold, wind), gust_response(hold, wind, closed=False)
    place = np.asarray(held.position)
    sensed = {name: (place[:, k], "m") for k, name in enumerate(("right", "forward", "up"))}
    dataset = with_loop(dataset, "gust", np.asarray(held.time), sensed, np.asarray(held.command), CHANNELS, "rad")
    dataset["gust_open_position"] = (
        ("gust_time", "axis"),
        np.asarray(free.position),
        {"units": "m", "long_name": "position without control"},
    )
    dataset.attrs |= {
        "gust_multiplier": float(jnp.abs(hold.regulator.multipliers[0])),
        "gust_end": float(np.linalg.norm(place[-1])),
        "gust_end_open": float(jnp.linalg.norm(free.position[-1])),
    }
    return dataset


@eqx.filter_jit
def _forces(tree, medium, position, quaternion, twist, rate, q, dq, ddq):
    def instant(row):
        place, turn, twist, rate, q, dq, ddq = row
        motion = multibody.Dynamics(rate, ddq, jnp.zeros_like(ddq))
        return jnp.sum(air_forces(tree, medium, unchecked_state(place, turn, twist), q, dq, motion), axis=0)

    return jax.lax.map(instant, (position, quaternion, twist, rate, q, dq, ddq))


def _air_force(found: Hover, dataset: xr.Dataset):
    names = ("head_position", "head_quaternion", "head_twist", "head_twist_rate")
    joints = ("joint_position", "joint_velocity", "joint_acceleration")
    tree = found.flight.tree
    rows = (jnp.asarray(dataset[name].values) for name in (*names, *joints))
    return _forces(tree, multibody.immerse(tree, found.flight.air), *rows)


MOTH = Robot(
    help="a thorax and two soft wings of passive joints: hovers at 25 Hz (Porez and others, 2013)",
    duration=PERIOD,
    period=PERIOD,
    rate=10000.0,
    processor=55.0,
    run=run,
    figures=figures,
    body=lambda dataset: dataset,
    lines=lines,
    film=film,
)
