"""`python -m anguilla.robots.moth.sections_study`: hover of the moth over the number of wing sections."""

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from . import Hover, accounts, flight, half_range, hover, refined_guess, tip_angle
from .sections_figure import hover_over_sections

SECTIONS = (1, 2, 4, 8, 16)
READINGS = ("TB8", "BT9")
CHEAP = 4  # hovers with fewer than twice as many sections are found from rest
# name: (size of the unit, unit, digits, meaning)
COLUMNS = {
    "amplitude": (np.pi / 180, "deg", 3, "amplitude of the stroke"),
    "twist": (np.pi / 180, "deg", 3, "twist of the wing tip, +-"),
    "bend": (np.pi / 180, "deg", 3, "bend of the wing tip, +-"),
    "power": (1.0, "W", 5, "mean power of one motor"),
}
EXACT = {
    "residual": "what half a stroke leaves of its start",
    "weight_defect": "mean vertical force over the weight, less one",
    "energy_defect": "motor work that no loss accounts for, over the motor work",
}


def hover_by_sections(
    sections: Sequence[int] = SECTIONS,
    readings: Sequence[str] = READINGS,
    tell: Callable[[str], None] = lambda words: None,
    keep: Callable[[xr.Dataset], None] = lambda study: None,
) -> xr.Dataset:
    """Hovers for several numbers of wing sections and several readings.

    If no hover is found, the values are NaN and `why` gives the reason.

    Args:
        sections: numbers of blades per wing, M.
        readings: keys of `anguilla.robots.moth.READINGS`.
        tell: called with a message after each hover.
        keep: called with the partial study after each hover, because hovers with many sections take long.
    """
    shape = (len(readings), len(sections))
    values = {name: np.full(shape, np.nan) for name in (*COLUMNS, *EXACT, "steps")}
    why = np.full(shape, "not reached", dtype=object)
    for i, reading in enumerate(readings):
        before: Hover | None = None
        for k, count in enumerate(sections):
            begin = time.perf_counter()
            machine = flight(count, reading)
            # The hover with fewer sections is a good initial guess: it saves Newton iterations.
            guess = None if before is None or count < 2 * CHEAP else refined_guess(before, machine)
            try:
                before = found = hover(machine, guess)
            except (ValueError, RuntimeError) as error:  # it cannot hover, or Newton's method did not converge
                why[i, k] = str(error).strip().splitlines()[0]
                tell(f"{reading}, M = {count}: {why[i, k]}")
                continue
            means, run = accounts(found)
            ours = {"amplitude": found.amplitude, "power": jnp.mean(means.motor_power)}
            ours |= {
                motion: half_range(tip_angle(found.flight.tree, run.joints, motion)) for motion in ("twist", "bend")
            }
            for name, (size, *_) in COLUMNS.items():
                values[name][i, k] = float(ours[name]) / size
            values["residual"][i, k] = float(found.residual)
            for name in ("weight_defect", "energy_defect"):
                values[name][i, k] = float(getattr(means, name))
            values["steps"][i, k], why[i, k] = found.flight.steps, ""
            tell(f"{reading}, M = {count}: {values['power'][i, k]:.5f} W, {time.perf_counter() - begin:.0f} s")
            keep(_study(sections, readings, values, why))
    return _study(sections, readings, values, why)


def _study(sections, readings, values, why) -> xr.Dataset:
    """The values as a labelled dataset with units."""
    units = {name: (unit, words) for name, (_, unit, _, words) in COLUMNS.items()}
    units |= {name: ("1", words) for name, words in EXACT.items()} | {"steps": ("1", "time steps of a stroke")}
    return xr.Dataset(
        {
            name: (("reading", "sections"), value, {"units": units[name][0], "long_name": units[name][1]})
            for name, value in values.items()
        }
        | {"why": (("reading", "sections"), why.astype(str), {"long_name": "why there is no hover"})},
        coords={
            "reading": ("reading", list(readings)),
            "sections": ("sections", list(sections), {"units": "1", "long_name": "sections of a wing, M"}),
        },
    )


def limits(study: xr.Dataset, name: str) -> dict[str, tuple[float, float]]:
    """For each reading, the order in 1/M estimated from the last three hovers, and the extrapolated limit.

    NaN if they do not converge monotonically, or if the number of sections is not doubled each time.
    """
    out = {}
    for reading in study["reading"].values:
        known = study[name].sel(reading=reading).dropna("sections")
        M, x = known["sections"].values[-3:].astype(float), known.values[-3:]
        order = limit = float("nan")
        if len(x) == 3 and np.allclose(M[1:] / M[:-1], 2.0) and (x[1] - x[0]) * (x[2] - x[1]) > 0:
            ratio = (x[1] - x[0]) / (x[2] - x[1])
            if ratio > 1.0:
                order, limit = float(np.log2(ratio)), float(x[2] + (x[2] - x[1]) / (ratio - 1.0))
        out[str(reading)] = (order, limit)
    return out


def lines(study: xr.Dataset) -> list[str]:
    """The table and its limits as lines of text."""
    width = 12
    head = f"{'reading':9}{'M':>3}{'steps':>7}" + "".join(f"{f'{n} {c[1]}':>{width + 2}}" for n, c in COLUMNS.items())
    out = [head + f"{'residual':>11}{'weight':>10}{'energy':>10}"]
    for reading in study["reading"].values:
        for M in study["sections"].values:
            row = study.sel(reading=reading, sections=M)
            if np.isnan(row["power"]):
                out.append(f"{reading:9}{M:3}  {str(row['why'].values)}")
                continue
            cells = "".join(f"{float(row[name]):{width + 2}.{c[2]}f}" for name, c in COLUMNS.items())
            exact = (
                f"{float(row['residual']):11.0e}{float(row['weight_defect']):10.0e}{float(row['energy_defect']):10.0e}"
            )
            out.append(f"{reading:9}{M:3}{int(row['steps']):7}{cells}{exact}")
    trend = {name: limits(study, name) for name in COLUMNS}
    for reading in study["reading"].values:
        for word, k, digits in (("order in 1/M", 0, None), ("limit", 1, "own")):
            cells = [
                "-" if np.isnan(trend[n][reading][k]) else f"{trend[n][reading][k]:.{2 if digits is None else c[2]}f}"
                for n, c in COLUMNS.items()
            ]
            out.append(f"{reading} {word:{18 - len(reading)}}" + "".join(f"{cell:>{width + 2}}" for cell in cells))
    wild = [
        f"{reading}, M = {M}: the stroke exceeds 90 deg. The equations hover, but real wings would strike each other."
        for reading in study["reading"].values
        for M in study["sections"].values
        if float(study["amplitude"].sel(reading=reading, sections=M)) > 90.0
    ]
    return [
        *out,
        *wild,
        "Order and limit are those of the last three hovers; '-' where these do not converge monotonically. The",
        "readings differ in where a section takes its values and its first twist, not in the wing that they",
        "discretise: their limits should agree.",
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints and plots the table."""
    parser = argparse.ArgumentParser(prog="python -m anguilla.robots.moth.sections_study", description=__doc__)
    parser.add_argument("--sections", type=int, nargs="+", default=list(SECTIONS), metavar="M")
    parser.add_argument("--readings", nargs="+", default=list(READINGS), metavar="NAME")
    parser.add_argument("--out", type=Path, help="directory for moth_sections.nc and .png, kept up to date")
    chosen = parser.parse_args(arguments)
    jax.config.update("jax_enable_x64", True)

    def keep(study: xr.Dataset) -> None:
        if chosen.out is not None:
            chosen.out.mkdir(parents=True, exist_ok=True)
            study.to_netcdf(chosen.out / "moth_sections.nc")
            hover_over_sections(study).savefig(chosen.out / "moth_sections.png")

    study = hover_by_sections(chosen.sections, chosen.readings, lambda words: print(words, flush=True), keep)
    keep(study)
    print("\n".join(lines(study)))
    if chosen.out is not None:
        print(f"{chosen.out}: moth_sections.nc, moth_sections.png")


if __name__ == "__main__":
    main()
