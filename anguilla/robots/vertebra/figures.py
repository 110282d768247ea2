"""Figures of the eel's vertebra and of the actuation of a swimming body, and a report with all of them."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import matplotlib
import numpy as np
import xarray as xr
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from anguilla.results import save
from anguilla.view.style import BLUE, DIVERGING, GREEN, VERMILLION, Picture, styled
from anguilla.whole_files import write_whole

from . import (
    MARGINS,
    Actuation,
    Layout,
    Limits,
    Workspace,
    Wrist,
    actuation,
    condition_number,
    direct_branches,
    inverse_branches,
    largest_amplitude,
    margins,
    platform_rotation,
    posture,
    prototype,
    rotation_from_leg,
    workspace,
)

MOTORS = ("θ1", "θ2", "θ3")
LEG_COLOURS = (BLUE, VERMILLION)
CENTRE_COLOUR = GREEN


@styled()
def motors_figure(time: np.ndarray, motors: Actuation, layout: Layout, home: float) -> Figure:
    """Angles and torques of the three motors of every vertebra against time.

    Args:
        time: times of the record [s].
        motors: actuation over (time, vertebra).
        layout: positions of the vertebrae.
        home: θ3 of the straight backbone [rad]; subtracted from θ3.
    """
    angles = np.degrees(np.asarray(motors.angles) - np.array([0.0, 0.0, home]))
    torques = np.asarray(motors.torques)
    figure = Picture(figsize=(11, 8), layout="constrained")
    axes = figure.subplots(3, 2, sharex=True)
    colours = matplotlib.colormaps["viridis"](np.linspace(0.0, 0.95, layout.count))
    for row in range(3):
        for k in range(layout.count):
            axes[row, 0].plot(time, angles[:, k, row], color=colours[k], lw=0.9)
            axes[row, 1].plot(time, torques[:, k, row], color=colours[k], lw=0.9)
        name = MOTORS[row] + (" - home" if row == 2 else "")
        axes[row, 0].set_ylabel(f"{name} [deg]")
        axes[row, 1].set_ylabel(f"torque {row + 1} [N m]")
        for axis, data in ((axes[row, 0], angles[..., row]), (axes[row, 1], torques[..., row])):
            if np.max(np.abs(data)) < 1e-6:  # an idle motor: the axis must not magnify its round-off
                axis.set_ylim(-1.0, 1.0)
    axes[0, 0].set_title("Motor angles")
    axes[0, 1].set_title("Motor torques")
    for axis in axes[-1]:
        axis.set_xlabel("time [s]")
    scale = ScalarMappable(norm=Normalize(float(layout.centre[0]), float(layout.centre[-1])), cmap="viridis")
    figure.colorbar(scale, ax=axes, label="centre of the vertebra X [m]", shrink=0.8)
    return figure


@styled()
def feasibility_figure(time: np.ndarray, motors: Actuation, layout: Layout) -> Figure:
    """Feasibility over (X, time): smallest margin, singularity margin and power."""
    least = np.min(np.asarray(motors.margins), axis=-1)
    figure = Picture(figsize=(14, 4.6), layout="constrained")
    axes = figure.subplots(1, 3, sharey=True)
    centre = np.asarray(layout.centre)
    span = max(float(np.max(np.abs(least))), 1e-6)
    _map(figure, axes[0], centre, time, least, "RdBu", "least margin [-]", TwoSlopeNorm(0.0, -span, span))
    when, where = np.nonzero(~np.asarray(motors.feasible))
    axes[0].scatter(centre[where], np.asarray(time)[when], marker="x", s=14, lw=0.8, color="k")
    held = 100.0 * float(np.mean(np.asarray(motors.feasible)))
    axes[0].set_title(f"{held:.1f} % feasible" + ("" if held == 100.0 else "; crosses: infeasible"))
    regular = np.where(motors.reachable, motors.singularity, 0.0)
    _map(figure, axes[1], centre, time, regular, "viridis", "singularity margin [-], 0: singular", Normalize(0.0, 1.0))
    axes[1].set_title("Distance to singularity")
    power = np.sum(np.asarray(motors.power), axis=-1)
    peak = max(float(np.max(np.abs(power))), 1e-12)
    _map(figure, axes[2], centre, time, power, f"{DIVERGING}_r", "power [W]", Normalize(-peak, peak))
    axes[2].set_title("Power of each vertebra's motors")
    axes[0].set_ylabel("time [s]")
    return figure


@styled()
def mechanism_figure(wrist: Wrist, legs: dict[str, np.ndarray], angles: np.ndarray | None = None) -> Figure:
    """The mechanism in space at one or more orientations. [CHA08, figs. 11, 13, 14]

    Args:
        wrist: the design.
        legs: the central leg's angles (θ3, φ, ψ) [rad] of each image, by title.
        angles: crank angles (θ1, θ2) [rad] of each image; those of the working mode by default.
    """
    columns = min(len(legs), 2)
    rows = -(-len(legs) // columns)
    figure = Picture(figsize=(4.8 * columns, 4.8 * rows))
    figure.subplots_adjust(left=0.01, right=0.94, bottom=0.09 / rows, top=1.0 - 0.12 / rows, wspace=0.12)
    for k, (title, leg) in enumerate(legs.items()):
        axis = figure.add_subplot(rows, columns, k + 1, projection="3d")
        rotation = rotation_from_leg(jnp.asarray(leg))
        cranks = posture(wrist, rotation).angles[:2] if angles is None else jnp.asarray(angles[k])[:2]
        _draw_mechanism(axis, wrist, rotation, cranks)
        axis.set_title(title, fontsize=10, y=0.97)
    return figure


@styled()
def branches_figures(wrist: Wrist) -> dict[str, Figure]:
    """The four direct and the four inverse solutions of the paper's examples. [CHA08, figs. 13, 14]"""
    theta = jnp.array([0.1, 0.2, np.pi / 4])
    found, _, closes = direct_branches(wrist, theta)
    legs = {
        f"({'abcd'[k]}) φ = {np.degrees(leg[1]):.1f}°, ψ = {np.degrees(leg[2]):.1f}°": np.asarray(leg)
        for k, leg in enumerate(found)
        if closes[k]
    }
    direct = mechanism_figure(wrist, legs, np.tile(theta, (len(legs), 1)))
    direct.suptitle("Direct kinematics, θ = (0.1, 0.2, π/4) rad: (a) is the working mode")
    leg = np.array([np.pi / 4, np.pi / 12, np.pi / 12])
    cranks, _, _ = inverse_branches(wrist, rotation_from_leg(jnp.asarray(leg)))
    titles = {
        f"({'abcd'[k]}) θ1 = {np.degrees(cranks[k, 0]):.1f}°, θ2 = {np.degrees(cranks[k, 1]):.1f}°": leg
        for k in range(4)
    }
    inverse = mechanism_figure(wrist, titles, np.asarray(cranks[:4]))
    inverse.suptitle("Inverse kinematics, (θ3, φ, ψ) = (π/4, π/12, π/12) rad: (a) is the working mode")
    return {"direct_solutions": direct, "inverse_solutions": inverse}


@styled()
def workspace_figure(space: Workspace) -> Figure:
    """The workspace as a surface, and its cross-sections. [CHA08, figs. 18-20]"""
    tilt, torsion = np.degrees(space.tilt), np.degrees(space.torsion)
    figure = Picture(figsize=(12, 5.6), layout="constrained")
    axis = figure.add_subplot(1, 2, 1, projection="3d")
    ring = np.concatenate([tilt, tilt[:, :1]], axis=1)
    height = np.broadcast_to(torsion[:, None], ring.shape[:2])
    _surface(axis, ring[..., 0], ring[..., 1], height)
    axis.set(xlabel="tilt θ cos φ [deg]", ylabel="tilt θ sin φ [deg]", zlabel="torsion ψ [deg]")
    axis.set_title("Orientation workspace")
    _equal_box(axis, ring[..., 0], ring[..., 1], height)
    flat = figure.add_subplot(1, 2, 2)
    wanted = sorted({int(np.argmin(np.abs(torsion - value))) for value in (-25.0, -18.0, 0.0, 18.0, 25.0)})
    for index, colour in zip(wanted, matplotlib.colormaps["viridis"](np.linspace(0.0, 0.9, len(wanted))), strict=True):
        flat.plot(ring[index, :, 0], ring[index, :, 1], color=colour, label=f"ψ = {torsion[index] + 0.0:.1f}°")
    flat.set(xlabel="tilt θ cos φ [deg]", ylabel="tilt θ sin φ [deg]", title="Cross-sections", aspect="equal")
    flat.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
    return figure


@styled()
def joint_space_figure(space: Workspace) -> Figure:
    """The boundary of the workspace in the space of the motor angles. [CHA08, fig. 21]"""
    angles = np.degrees(space.angles)
    ring = np.concatenate([angles, angles[:, :1]], axis=1)
    figure = Picture(figsize=(7.2, 6.2), layout="constrained")
    axis = figure.add_subplot(projection="3d")
    _surface(axis, ring[..., 0], ring[..., 1], ring[..., 2])
    axis.set(xlabel="θ1 [deg]", ylabel="θ2 [deg]", zlabel="θ3 - home [deg]", title="Joint space")
    _equal_box(axis, ring[..., 0], ring[..., 1], ring[..., 2])
    return figure


@styled()
def conditioning_figure(wrist: Wrist, limits: Limits, torsions_deg: tuple[float, ...] = (-18.0, 0.0, 18.0)) -> Figure:
    """Condition number of the Jacobian over the tilt, and the boundary of the limits, at given torsions."""
    reach = 45.0
    line = np.radians(np.linspace(-reach, reach, 121))
    grid = jnp.asarray(np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2))

    @eqx.filter_jit
    def fields(tilt, torsion):
        def one(point):
            pose = posture(wrist, platform_rotation(wrist, point, torsion))
            return condition_number(wrist, pose), jnp.min(margins(wrist, limits, pose))

        return jax.vmap(one)(tilt)

    figure = Picture(figsize=(4.4 * len(torsions_deg) + 1.2, 4.9), layout="compressed")
    axes = figure.subplots(1, len(torsions_deg), sharey=True)
    degrees = np.degrees(line)
    levels = np.array([1.0, 1.2, 1.4, 1.5, 1.6, 1.7, 1.8, 2.0, 2.3, 2.6, 3.0, 4.0, 6.0])
    for axis, torsion in zip(np.atleast_1d(axes), torsions_deg, strict=True):
        kappa, worst = (np.asarray(x).reshape(121, 121) for x in fields(grid, jnp.asarray(np.radians(torsion))))
        shades = axis.contourf(degrees, degrees, np.minimum(kappa, 99.0), levels=levels, cmap="magma_r", extend="max")
        axis.contour(degrees, degrees, worst, levels=[0.0], colors="c", linewidths=1.8)
        axis.set(title=f"ψ = {torsion:.0f}°", xlabel="tilt θ cos φ [deg]", aspect="equal")
        axis.grid(visible=False)
    np.atleast_1d(axes)[0].set_ylabel("tilt θ sin φ [deg]")
    figure.colorbar(shades, ax=axes, label="condition number κ(J) [-]; cyan: limits", shrink=0.85)
    return figure


def report(
    dataset: xr.Dataset,
    out_dir: str | Path,
    *,
    wrist: Wrist | None = None,
    limits: Limits | None = None,
    layout: Layout | None = None,
    gait: Callable | None = None,
    dpi: int = 130,
    attributes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Computes motor actuation and feasibility of a simulated swim and writes figures and data to a directory.

    Args:
        dataset: result of `cosserat.simulate`: orientation, section_twist and internal_moment over (time, X).
        out_dir: directory for the figures, `vertebra.nc` and `vertebra.json`; created if missing.
        wrist: the vertebra; the prototype by default.
        limits: limits of the wrist; `Limits()` by default.
        layout: positions of the vertebrae; by default equal vertebrae of about 0.1 m along the whole body.
        gait: the strain law of the swim; if given, the largest feasible amplitude is computed.
        dpi: resolution of the figures.
        attributes: attributes of `vertebra.nc` in addition to its title, such as the recipe of the run.

    Returns:
        The main results, as written to `vertebra.json`: peaks, feasibility, ranges.

    Raises:
        ValueError: a variable is missing, or the swim stretches or shears the body.
    """
    wrist = prototype() if wrist is None else wrist
    limits = Limits() if limits is None else limits
    for name in ("orientation", "section_twist", "internal_moment"):
        if name not in dataset:
            raise ValueError(f"dataset has no {name!r}: it must come from cosserat.simulate")
    X, time = np.asarray(dataset["X"]), np.asarray(dataset["time"])
    if layout is None:
        layout = Layout.spanning(float(X[-1] - X[0]), max(1, round(float(X[-1] - X[0]) / 0.1)))
    if "strain" in dataset:
        excess = float(np.max(np.abs(np.asarray(dataset["strain"])[..., :3] - np.array([1.0, 0.0, 0.0]))))
        if excess > 1e-9:
            raise ValueError(f"the swim stretches or shears the body by {excess:g}: a spherical wrist can only rotate")
    quaternion, twist, moment = (
        np.asarray(dataset[name]) for name in ("orientation", "section_twist", "internal_moment")
    )
    motors = actuation(wrist, layout, X, quaternion, twist, moment, limits)
    out = Path(out_dir)
    out.mkdir(parents=True, exist_ok=True)
    space = workspace(wrist, limits, torsion_step=np.radians(0.5), rays=180)
    figures = {
        "motors": motors_figure(time, motors, layout, float(wrist.home)),
        "feasibility": feasibility_figure(time, motors, layout),
        "mechanism": mechanism_figure(
            wrist,
            {
                "Home": np.array([float(wrist.home), 0.0, 0.0]),
                "Yaw 15°, roll 5°": _leg_of(wrist, (0.0, -np.radians(15.0)), np.radians(5.0)),
            },
        ),
        "workspace": workspace_figure(space),
        "joint_space": joint_space_figure(space),
        "conditioning": conditioning_figure(wrist, limits),
        **branches_figures(wrist),
    }
    for name, figure in figures.items():
        figure.savefig(out / f"vertebra_{name}.png", dpi=dpi)
    save(motors_dataset(time, motors, layout).assign_attrs(attributes or {}), out / "vertebra.nc")
    summary = summarise(time, motors, layout, space)
    if gait is not None:
        period = jnp.asarray(np.linspace(time[0], time[-1], 201))
        found = largest_amplitude(wrist, layout, gait, period, limits)
        summary["largest_feasible_gain"] = float(found.gain)
        summary["limit_met_first"] = found.limit_name
        summary["vertebra_that_meets_it"] = int(found.vertebra)
    write_whole(out / "vertebra.json", (json.dumps(summary, indent=2) + "\n").encode())
    return summary


def motors_dataset(time: np.ndarray, motors: Actuation, layout: Layout) -> xr.Dataset:
    """The actuation as a labelled dataset over (time, vertebra), with units."""
    over = ("time", "vertebra", "motor")
    parts = {
        "angle": (over, motors.angles, "rad", "motor angle"),
        "rate": (over, motors.rates, "rad/s", "motor rate"),
        "torque": (over, motors.torques, "N m", "motor torque"),
        "power": (over, motors.power, "W", "power the motor delivers"),
        "margin": (("time", "vertebra", "limit"), motors.margins, "1", "margin of a limit; negative when broken"),
        "singularity": (over[:2], motors.singularity, "1", "singularity margin, one at home"),
        "condition": (over[:2], motors.condition, "1", "condition number of the Jacobian"),
        "feasible": (over[:2], np.asarray(motors.feasible).astype(np.int8), "1", "one within reach and limits"),
    }
    data = {
        name: (dims, np.asarray(values), {"units": units, "long_name": words})
        for name, (dims, values, units, words) in parts.items()
    }
    coords = {
        "time": ("time", np.asarray(time), {"units": "s"}),
        "X": ("vertebra", np.asarray(layout.centre), {"units": "m", "long_name": "centre of the vertebra"}),
        "motor": list(MOTORS),
        "limit": list(MARGINS),
    }
    return xr.Dataset(data, coords=coords, attrs={"title": "anguilla: motors of a chain of vertebrae"})


def summarise(time: np.ndarray, motors: Actuation, layout: Layout, space: Workspace) -> dict[str, Any]:
    """Main results of a chain of vertebrae in a swim: degrees, rad/s, N·m, W."""
    peak = lambda x: [float(v) for v in np.max(np.abs(np.asarray(x)), axis=(0, 1))]  # noqa: E731
    total = np.sum(np.asarray(motors.power), axis=(1, 2))
    least = np.asarray(motors.margins)
    worst = np.unravel_index(int(np.argmin(least)), least.shape)
    return {
        "vertebrae": layout.count,
        "pitch_m": float(layout.pitch),
        "feasible": bool(np.all(np.asarray(motors.feasible))),
        "feasible_fraction": float(np.mean(np.asarray(motors.feasible))),
        "least_margin": float(least[worst]),
        "least_margin_limit": MARGINS[int(worst[2])],
        "least_margin_vertebra": int(worst[1]),
        "least_margin_time_s": float(time[int(worst[0])]),
        "least_singularity_margin": float(np.min(np.asarray(motors.singularity))),
        "peak_crank_angle_deg": float(np.degrees(np.max(np.abs(np.asarray(motors.angles)[..., :2])))),
        "peak_rate_rad_s": peak(motors.rates),
        "peak_torque_N_m": peak(motors.torques),
        "peak_motor_power_W": peak(motors.power),
        "mean_power_W": float(np.trapezoid(total, time) / (time[-1] - time[0])) if len(time) > 1 else float(total[0]),
        "workspace_torsion_deg": [float(v) for v in np.degrees(space.torsion_range)],
        "workspace_motor_angles_deg": np.degrees(space.angle_ranges).tolist(),
    }


def _leg_of(wrist, tilt, torsion):
    rotation = platform_rotation(wrist, jnp.asarray(tilt), jnp.asarray(torsion))
    return np.asarray(posture(wrist, rotation).leg)


def _map(figure, axis, centre, time, values, cmap, label, norm):
    mesh = axis.pcolormesh(centre, time, values, cmap=cmap, norm=norm, shading="nearest", rasterized=True)
    axis.grid(visible=False)
    figure.colorbar(mesh, ax=axis, label=label)
    axis.set_xlabel("centre of the vertebra X [m]")


def _surface(axis, x, y, z):
    axis.plot_surface(x, y, z, cmap="viridis", rcount=130, ccount=150, lw=0, alpha=0.95, antialiased=True)
    for end, shade in ((0, 0.0), (-1, 1.0)):
        lid = np.stack([x[end], y[end], z[end]], axis=1)
        axis.add_collection3d(Poly3DCollection([lid], color=matplotlib.colormaps["viridis"](shade), alpha=0.75))
    stride = max(1, x.shape[0] // 10)
    for k in range(0, x.shape[0], stride):
        axis.plot(x[k], y[k], z[k], color="k", lw=0.5)


def _equal_box(axis, x, y, z):
    axis.set_box_aspect([float(np.ptp(np.asarray(part))) for part in (x, y, z)])


def _draw_mechanism(axis, wrist, rotation, cranks):
    motor = np.asarray(wrist.motor)
    B, C = motor + np.asarray(wrist.crank_vectors(cranks)), np.asarray(wrist.platform_points(rotation))
    centre = np.zeros(3)
    line = lambda a, b, **style: axis.plot(*np.stack([a, b], axis=1), **style)  # noqa: E731
    for i in (0, 1):
        half = 0.22 * np.asarray(wrist.axis)[i]
        line(motor[i] - half, motor[i] + half, color=LEG_COLOURS[i], lw=7, alpha=0.45, solid_capstyle="butt")
        line(motor[i], B[i], color=LEG_COLOURS[i], lw=3)
        line(B[i], C[i], color=LEG_COLOURS[i], lw=1.8)
        axis.scatter(*np.stack([B[i], C[i]], axis=1), color=LEG_COLOURS[i], s=22, depthshade=False)
        for name, point in ((f"A{i + 1}", motor[i]), (f"B{i + 1}", B[i]), (f"C{i + 1}", C[i])):
            axis.text(*(point + 0.06), name, fontsize=8)
    column = np.array([0.0, 0.0, float(np.mean(motor[:, 2]))])
    line(column, centre, color=CENTRE_COLOUR, lw=3.5)
    axis.scatter(*centre, color=CENTRE_COLOUR, s=45, depthshade=False)
    axis.text(0.05, 0.05, 0.08, "O", fontsize=8)
    axis.add_collection3d(Poly3DCollection([np.stack([centre, C[0], C[1]])], color=CENTRE_COLOUR, alpha=0.3))
    normal = 0.5 * np.asarray(rotation)[:, 2]
    axis.quiver(*centre, *normal, color=CENTRE_COLOUR, lw=1.5, arrow_length_ratio=0.2)
    side = float(np.max(np.asarray(wrist.platform)))
    base = np.array([[-1, -0.4, 0], [1, -0.4, 0], [1, 1, 0], [-1, 1, 0]]) * side + column
    axis.add_collection3d(Poly3DCollection([base], color="0.6", alpha=0.18))
    points = np.concatenate([motor, B, C, base, [centre, normal]])
    middle, reach = 0.5 * (points.max(0) + points.min(0)), 0.5 * float(np.max(np.ptp(points, axis=0)))
    axis.set(
        xlim=(middle[0] - reach, middle[0] + reach),
        ylim=(middle[1] - reach, middle[1] + reach),
        zlim=(middle[2] - reach, middle[2] + reach),
        xlabel="x [|OC|]",
        ylabel="y [|OC|]",
        zlabel="z [|OC|]",
    )
    axis.set_box_aspect((1, 1, 1), zoom=1.0)
    for part in (axis.xaxis, axis.yaxis, axis.zaxis):
        part.set_major_locator(MaxNLocator(4))
    axis.view_init(elev=18, azim=-62)
    axis.tick_params(labelsize=7)
