"""Command-line entry of the rowing boat of [KR13]: steady strokes, their power, and sensitivity to parameters."""

from collections.abc import Callable
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

import multibody
from anguilla.view.loop_figures import feedback_loop
from multibody.machine_on_hull import SINKS
from multibody.state import unchecked_state
from stepping.labels import coordinates

from ..loop_record import loop_of, with_loop
from ..robot import Robot, Settings
from . import figures as drawn
from .balance import balanced, boat_multipliers, heeled, rolling, sitting, upright_start
from .film import rower_film
from .laws import Stroke, stroke
from .optimum import better_stroke
from .orbit import RowingCycle, steady_stroke
from .tree import D2, D3, DIP, LEVER, RowingMotion, scull

PERIOD = 60.0 / 27.0  # [s]
FIN_AREA = 0.012  # fin of the boat with six degrees of freedom, not published [m²]
HEEL, BALANCED_STROKES = np.deg2rad(1.0), 3  # initial heel [rad] and number of strokes of the run with balance
PUBLISHED = {"40 % drive": 4.28, "50 % drive": 4.03}  # mean speeds [m/s]
MOTIONS = {
    "40 % drive": {"drive": 0.4},
    "50 % drive": {"drive": 0.5},
    "50 % drive, steep": {"drive": 0.5, "profile": "steep"},
}
CASES = {
    "as fitted": {},
    "L_e + 5 %": {"lever": 1.05 * LEVER},
    "L_e - 5 %": {"lever": 0.95 * LEVER},
    "blade area + 10 %": {"area": 1.1 * 0.082},
    "blade area - 10 %": {"area": 0.9 * 0.082},
    "k = 0.5": {"form": 0.5},
    "k = 0": {"form": 0.0},
    "k = 0, L_e 1.54 m": {"form": 0.0, "lever": 1.54},
    "no memory of waves": {"memory": False},
}


def run(settings: Settings) -> xr.Dataset:
    """Steady strokes of all motions and of changed parameters; with `optimise`, a faster one at the same power."""
    if settings.fluid is not None:
        raise ValueError(f"fluid = {settings.fluid!r}: the rowing boat has its own water (hull, waves, blades)")
    solve = eqx.filter_jit(steady_stroke)
    boat = scull()
    strokes: dict[str, Stroke] = {name: stroke(period=PERIOD, **how) for name, how in MOTIONS.items()}
    cycles = {name: solve(boat, made) for name, made in strokes.items()}
    first = cycles["40 % drive"]
    if settings.optimise:
        found = better_stroke(boat, strokes["40 % drive"], first, progress=settings.progress)
        strokes["optimised"] = found.gait
        cycles["optimised"] = solve(boat, found.gait)
    for name, cycle in cycles.items():
        if not bool(cycle.converged):
            raise multibody.SimulationError(f"{name}: no steady stroke was found, residual {float(cycle.residual):.1e}")
    dataset = _recorded(boat, strokes["40 % drive"], first, settings)
    dataset = dataset.assign(_compared(strokes, cycles))
    if settings.feedback:
        dataset = _with_balance(dataset, boat, strokes["40 % drive"], first)
    table = {name: solve(scull(**how), strokes["40 % drive"]) for name, how in CASES.items()}
    dataset["case"] = ("case", list(table), {"long_name": "one parameter changed"})
    dataset["case_speed"] = ("case", [float(c.speed) for c in table.values()], _words("m/s", "mean speed"))
    dataset["case_power"] = ("case", [float(c.power) for c in table.values()], _words("W", "mean power"))
    dataset["case_heave"] = (
        "case",
        [float(np.ptp(c.states.position[:, 2])) for c in table.values()],
        _words("m", "heave, peak to peak"),
    )
    dataset["case_pitch"] = (
        "case",
        [float(np.ptp(c.pitch)) for c in table.values()],
        _words("rad", "pitch, peak to peak"),
    )
    return dataset


def figures(dataset: xr.Dataset) -> dict[str, Callable[[], Figure]]:
    """Counterparts of Figures 10 to 13 of the paper, torques and power, fluid memory, sensitivity of the speed."""
    out = {
        "joints": lambda: drawn.rowing_joints(dataset),
        "surge": lambda: drawn.rowing_surge(dataset),
        "heave": lambda: drawn.rowing_heave(dataset),
        "pitch": lambda: drawn.rowing_pitch(dataset),
        "torques": lambda: drawn.rowing_torques(dataset),
        "power": lambda: drawn.rowing_power(dataset),
        "memory": lambda: drawn.rowing_memory(),
        "sensitivity": lambda: drawn.rowing_sensitivity(dataset),
    }
    if "optimised" in dataset["motion"].values:
        out["optimised"] = lambda: drawn.rowing_optimised(dataset)
    if "balance_command" in dataset:
        out["balance"] = lambda: feedback_loop(loop_of(dataset, "balance"), {"roll": 0.0})
    return out


def lines(dataset: xr.Dataset) -> list[str]:
    """Speeds compared with the published values, power, balance, fitted values, sensitivity."""
    summary = []
    if "balance_command" in dataset:
        attrs, roll = dataset.attrs, np.abs(np.rad2deg(dataset["balance_sensed_roll"].values))
        summary.append(
            f"balance           six freedoms, heeled by {np.rad2deg(HEEL):.1f} deg: {roll[-1]:.2g} deg after "
            f"{BALANCED_STROKES} strokes; greatest multiplier of the roll {float(attrs['balance_multiplier']):.3f}, "
            f"{float(attrs['balance_multiplier_open']):.3g} for still hands"
        )
    for name in map(str, dataset["motion"].values):
        one = dataset.sel(motion=name)
        power = one["mean_power"].values
        shares = ", ".join(f"{sink} {p:.0f}" for sink, p in zip(SINKS[1:], -power[1:], strict=True))
        heave, pitch = 1e3 * np.ptp(one["heave"].values), np.rad2deg(np.ptp(one["pitch"].values))
        beside = f" (published {PUBLISHED[name]:g})" if name in PUBLISHED else ""
        summary.append(
            f"{name:18}{float(one['mean_speed']):.2f} m/s{beside}; motors {power[0]:.0f} W: {shares} W; heave "
            f"{heave:.0f} mm, pitch {pitch:.2f} deg"
        )
    balance, gap = float(np.abs(dataset["energy_defect"]).max()), float(dataset["gap"].max())
    summary += [
        f"energy          motors = change of energy + losses, to {balance:.1e} of them; loop closed to {gap:.0e} m",
        f"orbit           residual {float(dataset['orbit_residual'].max()):.0e}; largest multiplier "
        f"{float(dataset['multiplier'].max()):.2f}",
        f"fitted          L_e = {LEVER:g} m, lock to blade, to the published 4.28 m/s; curves of joints, rigging and "
        "hull are a reconstruction",
        "sensitivity     of the 40 % motion:",
    ]
    summary += [
        f"{'':16}{case!s:20}{float(v):.3f} m/s, {float(p):.0f} W, heave {1e3 * float(h):.1f} mm, "
        f"pitch {np.rad2deg(float(a)):.2f} deg"
        for case, v, p, h, a in zip(
            dataset["case"].values,
            dataset["case_speed"].values,
            dataset["case_power"].values,
            dataset["case_heave"].values,
            dataset["case_pitch"].values,
            strict=True,
        )
    ]
    return summary


def film(dataset: xr.Dataset, path: Path, *, fps: float, width: int, camera: str, progress: bool) -> Path:
    """Boat, rower and oars; the camera follows the boat."""
    return rower_film(dataset, path, fps=fps, width=width, progress=progress)


def _words(units: str, meaning: str) -> dict[str, str]:
    return {"units": units, "long_name": meaning}


@eqx.filter_jit
def _march(boat, motion, start, duration, steps):
    states = boat.march(motion, start, jnp.zeros(()), duration, steps)
    time = duration * jnp.arange(steps + 1) / steps
    now = boat.instants(motion, time, states)

    def poses(row):
        position, quaternion, twist, q = row
        state = unchecked_state(position, quaternion, twist)
        place = multibody.configuration(boat.tree, q)
        R = state.rotation
        return position[None] + place.position @ R.T, jnp.einsum("ij,bjk->bik", R, place.rotation)

    return time, states, now, jax.lax.map(poses, (states.position, states.quaternion, states.twist, now.joints))


def _with_balance(dataset: xr.Dataset, plane: multibody.Afloat, made: Stroke, cycle: RowingCycle) -> xr.Dataset:
    """Adds a run of the boat with six degrees of freedom, heeled at the catch and balanced by the controller."""
    boat = scull(freedoms=range(6), handles=True, fin=FIN_AREA)
    start = upright_start(boat, plane, cycle)
    steered = balanced(boat, made, start)
    find = eqx.filter_jit(boat_multipliers)
    moduli = [rolling(find(boat, law, start, made.period)[0]) for law in (steered, sitting(made))]
    record = eqx.filter_jit(boat.steered_march)(
        steered, heeled(start, HEEL), jnp.zeros(()), BALANCED_STROKES * made.period, BALANCED_STROKES * 200
    )[1]
    sensed = {"roll": (np.asarray(record.sensed["roll"]), "rad")}
    channels, unit = steered.controller.channels, steered.controller.unit
    dataset = with_loop(dataset, "balance", np.asarray(record.time), sensed, np.asarray(record.command), channels, unit)
    dataset.attrs |= {"balance_multiplier": moduli[0], "balance_multiplier_open": moduli[1]}
    return dataset


def _recorded(boat: multibody.Afloat, made: Stroke, cycle: RowingCycle, settings: Settings) -> xr.Dataset:
    """Record of the first motion, starting at the catch, with the poses of all bodies."""
    start = jax.tree.map(lambda a: a[0], cycle.states)
    time, states, now, (position, rotation) = _march(
        boat, RowingMotion(made), start, jnp.asarray(settings.t1), settings.samples - 1
    )
    force = np.asarray(now.blade_force)
    tree = boat.tree
    body = ("time", "body")
    data = {
        "head_position": (("time", "axis"), states.position, _words("m", "position of the boat in the world")),
        "head_quaternion": (("time", "quaternion"), states.quaternion, _words("1", "orientation of the boat")),
        "head_twist": (("time", "twist"), states.twist, _words("m/s, rad/s", "velocity of the boat in its frame")),
        "position": ((*body, "axis"), position, _words("m", "origins of the bodies in the world")),
        "rotation": ((*body, "axis", "own_axis"), rotation, _words("1", "axes of the bodies in the world")),
        "joint_position": (("time", "joint"), now.joints, _words("rad, m", "joint positions")),
        "torque": (("time", "joint"), now.torque, _words("N m", "torques of the motors")),
        "actuator_power": ("time", now.power[:, 0], _words("W", "power the motors deliver")),
        "blade_force": (("time", "blade"), force, _words("N", "force of the water on a blade, along the boat")),
        "blade_in_water": (
            "time",
            _dip_fraction(force[:, 0] > 0, np.asarray(time)),
            _words("1", "share of the blade drawn"),
        ),
        "gap": ("time", now.gap, _words("m", "opening of the closed loop")),
    }
    data = {name: (dims, np.asarray(values), words) for name, (dims, values, words) in data.items()}
    coords = coordinates(time, body=list(tree.names), joint=list(tree.joint_names), own_axis=["t1", "t2", "t3"])
    attrs = {
        "title": "anguilla: rower",
        "robot": "rower",
        "speed": float(cycle.speed),
        "period": float(made.period),
        "lever": float(boat.blades[0].lever),
        "dip": DIP,
        "shank": D2,
        "thigh": D3,
        "mass": float(multibody.mass(tree)),
    }
    return xr.Dataset(data, coords=coords, attrs=attrs)


def _compared(strokes: dict[str, Stroke], cycles: dict[str, RowingCycle]) -> dict[str, tuple]:
    """All motions over one stroke."""
    stack = lambda get: np.stack([np.asarray(get(cycle)) for cycle in cycles.values()])  # noqa: E731
    over = ("motion", "phase")
    free = lambda values: values - values[:, :-1].mean(axis=1, keepdims=True)  # noqa: E731
    polygons = [made.control_polygons() for made in strokes.values()]
    return {
        "motion": ("motion", list(cycles), {"long_name": "motion of the rower"}),
        "stroke_time": (over, stack(lambda c: c.time), _words("s", "time from the catch")),
        "curve": ((*over, "curve_name"), stack(lambda c: c.curves), _words("rad", "knee, trunk and oar")),
        "control_time": (("motion", "control"), np.stack([at for at, _ in polygons]), _words("s", "control points")),
        "control_value": (
            ("motion", "control", "curve_name"),
            np.stack([value for _, value in polygons]),
            _words("rad", "control points of knee, trunk and oar"),
        ),
        "curve_name": ("curve_name", ["knee", "trunk", "oar"]),
        "surge": (over, stack(lambda c: c.states.twist[:, 0]), _words("m/s", "surge velocity of the boat")),
        "heave": (over, free(stack(lambda c: c.states.position[:, 2])), _words("m", "heave about its mean")),
        "pitch": (over, free(stack(lambda c: c.pitch)), _words("rad", "pitch about its mean, bow down")),
        "motion_torque": (
            (*over, "joint"),
            stack(lambda c: c.now.torque),
            _words("N m", "torques of the motors over a stroke"),
        ),
        "motion_power": ((*over, "sink"), stack(lambda c: c.now.power), _words("W", "power given to the boat by each")),
        "sink": ("sink", list(SINKS)),
        "mean_power": (("motion", "sink"), stack(lambda c: c.mean_power), _words("W", "mean power over a stroke")),
        "mean_speed": ("motion", stack(lambda c: c.speed), _words("m/s", "mean speed")),
        "energy_defect": ("motion", stack(lambda c: c.energy_defect), _words("1", "defect of the energy balance")),
        "orbit_residual": ("motion", stack(lambda c: c.residual), _words("1", "residual of the periodic stroke")),
        "multiplier": (
            "motion",
            stack(lambda c: jnp.abs(c.multipliers[0])),
            _words("1", "modulus of the largest multiplier"),
        ),
    }


def _dip_fraction(wet: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Fraction of the dip for drawing: blades enter and leave the water within 0.12 s."""
    out, share = [], float(wet[0])
    for now, step in zip(wet, np.diff(time, prepend=time[0]), strict=True):
        share += np.clip(float(now) - share, -step / 0.12, step / 0.12)
        out.append(share)
    return np.array(out)


ROWER = Robot(
    help="a single scull with its rower, one closed loop, 99.75 kg: rows at 27 a minute (Khalil and Rongere, 2013)",
    duration=3.0 * PERIOD,
    period=PERIOD,
    rate=90.0,
    processor=50.0,
    run=run,
    figures=figures,
    body=lambda dataset: dataset,
    lines=lines,
    film=film,
)
