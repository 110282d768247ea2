"""`anguilla sweep`: the eel's steady swim over a grid of gaits."""

from __future__ import annotations  # names of modules that are not imported yet

import argparse
import contextlib
import importlib.util
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import VERBS
from .arguments import at_least, directory
from .deferred import FORMS, deferred
from .recipe import write_recipe

if TYPE_CHECKING:
    import jax
    import jax.numpy as jnp
    import numpy as np

    import cosserat
    import gaits
    import hydro
    from anguilla import view
else:
    jax, jnp, np = deferred("jax", "jax.numpy", "numpy")
    cosserat, gaits, hydro, view = deferred("cosserat", "gaits", "hydro", "anguilla.view")

DESCRIPTION = """\
Computes the steady swim of the continuous eel for every gait of a grid: planar curvature waves with varying
amplitude (as a multiple of the published one), wavelength and period. Speed, power, cost of transport and peak torque
are written to a Zarr store, block by block. An interrupted sweep is resumed by the same command.
"""

EPILOG = """\
examples:
  anguilla sweep --wavelength 0.8:1.6:9 --amplitude 0.4:1.2:9 --out out
      81 gaits; speed and cost of transport in a map
  anguilla sweep --wavelength 0.8:1.6:16 --amplitude 0.4:1.2:16 --period 0.6:1.6:16 --chunk 64 --devices 2 --out out
      4096 gaits, on two cores at once
  anguilla sweep --wavelength 0.8:1.6:64 --amplitude 0.4:1.2:64 --out out --cluster tcp://node0:8786
      4096 gaits on the workers of a dask scheduler; docs/howto/cluster.md
  anguilla sweep --wavelength 0.8:1.6:9 --out out --coordinator node0:1234 --processes 4 --process 0
      one of four processes without a scheduler; DIR must be on a shared file system

An axis is LOW:HIGH:COUNT or one value.

files in DIR:
  sweep.zarr   anguilla.open_sweep(...) or xarray opens it
  sweep.png    maps over the two longest axes
  sweep.recipe the options; `anguilla @DIR/sweep.recipe --out AGAIN` sweeps again

exit codes: 0 done, 1 the run failed, 2 bad arguments
"""
STORE = "sweep.zarr"
LABELS = {
    "amplitude": ("1", "amplitude relative to the published one"),
    "wavelength": ("m", "wavelength"),
    "period": ("s", "period"),
    "speed": ("m/s", "steady speed"),
    "power": ("W", "mean power of the actuators"),
    "cost_of_transport": ("1", "cost of transport"),
    "peak_torque": ("N m", "peak torque"),
    "multiplier": ("1", "largest modulus of the Floquet multipliers"),
}


def register(subparsers: argparse._SubParsersAction) -> None:
    """Adds the verb to the command line."""
    parser = subparsers.add_parser(
        "sweep",
        help=VERBS["sweep"],
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=directory, required=True, metavar="DIR", help="output directory")
    grid = parser.add_argument_group("the grid")
    grid.add_argument("--amplitude", type=axis, default=axis("1"), metavar="AXIS", help="default: 1")
    grid.add_argument("--wavelength", type=axis, default=axis("1"), metavar="AXIS", help="[m]; default: 1")
    grid.add_argument("--period", type=axis, default=axis("1"), metavar="AXIS", help="[s]; default: 1")
    parser.add_argument(
        "--added-mass", choices=FORMS, default="kirchhoff", help="default: kirchhoff (conserves energy)"
    )
    machine = parser.add_argument_group("the machine")
    machine.add_argument("--chunk", type=at_least(1), default=32, metavar="N", help="gaits at a time; default: 32")
    machine.add_argument("--devices", type=at_least(1), metavar="N", help="CPU devices; default: JAX's")
    machine.add_argument("--cluster", metavar="ADDRESS", help="of a dask scheduler, such as tcp://node0:8786")
    machine.add_argument("--coordinator", metavar="HOST:PORT", help="without a scheduler: the address of process 0")
    machine.add_argument("--processes", type=at_least(2), metavar="N", help="without a scheduler: how many")
    machine.add_argument("--process", type=at_least(0), metavar="K", help="without a scheduler: index of this process")
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no summary")
    parser.set_defaults(run=run, check=check)


@dataclass(frozen=True)
class Axis:
    """Even values along an axis of the grid, and the text that specified them."""

    text: str
    low: float
    high: float
    count: int

    @property
    def values(self) -> np.ndarray:
        """The values."""
        return np.linspace(self.low, self.high, self.count)

    def __str__(self) -> str:
        return self.text


def axis(text: str) -> Axis:
    """LOW:HIGH:COUNT or one value, all positive."""
    try:
        parts = text.split(":")
        low, high, count = (float(parts[0]),) * 2 + (1,) if len(parts) == 1 else (*map(float, parts[:2]), int(parts[2]))
        fits = (
            len(parts) in (1, 3)
            and math.isfinite(high)
            and 0 < low <= high
            and count >= 1
            and (count == 1) == (low == high)
        )
    except (ValueError, IndexError):
        fits = False
    if not fits:
        raise argparse.ArgumentTypeError(f"{text!r}: must be LOW:HIGH:COUNT, 0 < LOW < HIGH, or one positive value")
    return Axis(text, low, high, count)


def check(arguments: argparse.Namespace) -> str | None:
    """Checks combinations of arguments; returns an error message or None."""
    own = [getattr(arguments, name) is None for name in ("coordinator", "processes", "process")]
    if any(own) and not all(own):
        return "arguments --coordinator, --processes and --process: give all three, or none"
    if arguments.cluster is not None and not (all(own) and arguments.devices is None):
        return "argument --cluster: the workers have their own devices and processes; give it alone"
    if arguments.cluster is not None and importlib.util.find_spec("distributed") is None:
        return "argument --cluster: needs dask.distributed, which is not installed: pip install 'anguilla[cluster]'"
    if arguments.process is not None and arguments.process >= arguments.processes:
        return f"argument --process: {arguments.process}: must be below --processes {arguments.processes}"
    return None


def run(arguments: argparse.Namespace) -> int:
    """Sweeps, draws the maps and prints the summary."""
    from ..sweeps import sweep

    begin = time.perf_counter()
    if arguments.devices is not None:
        jax.config.update("jax_num_cpu_devices", arguments.devices)
    if arguments.coordinator is not None:
        jax.distributed.initialize(arguments.coordinator, arguments.processes, arguments.process)
    say = print if not arguments.quiet and jax.process_index() == 0 else lambda text: None
    axes = {name: getattr(arguments, name).values for name in ("amplitude", "wavelength", "period")}
    gaits_in_all = int(np.prod([len(values) for values in axes.values()]))
    where = f"{len(jax.devices())} devices" if arguments.cluster is None else f"the cluster at {arguments.cluster}"
    say(f"{gaits_in_all} gaits on {where} (the first run compiles) ...")
    fn = steady_numbers(cosserat.eel(), hydro.Morison(added_mass=arguments.added_mass))
    store = arguments.out / STORE
    title = f"steady swims of the eel, added mass {arguments.added_mass}"
    with connected(arguments.cluster) as client:
        result = sweep(
            fn,
            axes,
            store=store,
            chunk=arguments.chunk,
            labels=LABELS,
            title=title,
            executor=client,
            progress=not arguments.quiet,
        )
    if jax.process_index() == 0:
        for line in summary(result):
            say(line)
        recipe = write_recipe(arguments.recipe, arguments.out / "sweep.recipe")
        figure = view.sweep_maps(result)
        if figure is not None:
            figure.savefig(arguments.out / "sweep.png", dpi=150)
            say(f"files      {store}, {arguments.out / 'sweep.png'}, {recipe}")
        say(f"wall time  {time.perf_counter() - begin:.0f} s")
    return 0


def connected(address: str | None) -> contextlib.AbstractContextManager[Any]:
    """A client of the scheduler at an address; None for no address."""
    if address is None:
        return contextlib.nullcontext()
    from distributed import Client

    return Client(address, timeout=30)


def steady_numbers(beam: cosserat.Beam, fluid: hydro.AbstractFluid) -> Callable[..., dict[str, Any]]:
    """Results of one gait of the grid; NaN if there is no steady swim."""
    import equinox as eqx

    from ..studies.gait_search import steady_model

    model, published = steady_model(beam, fluid), gaits.planar()
    wave = lambda gait: gait.bending3.laws[1]  # noqa: E731
    leaves = lambda gait: (wave(gait).amplitude, wave(gait).wavelength, wave(gait).period)  # noqa: E731

    def numbers(amplitude, wavelength, period):
        # Bypasses the constructor, whose checks would call back to Python from every batch.
        cycle = model(eqx.tree_at(leaves, published, (amplitude * leaves(published)[0], wavelength, period)))
        return {
            "speed": gaits.steady_speed(cycle),
            "power": gaits.mean_power(cycle),
            "cost_of_transport": gaits.cost_of_transport(cycle),
            "peak_torque": gaits.peak_torque(cycle),
            "multiplier": jnp.max(jnp.abs(cycle.multipliers)),
        }

    return numbers


def summary(result: Any) -> list[str]:
    """Best gaits of the grid, as lines of text."""
    lines = []
    for name, best in (("speed", "argmax"), ("cost_of_transport", "argmin")):
        values = result[name].values
        found = np.isfinite(values)
        if not found.any():
            return [f"none of the {values.size} gaits has a steady swim"]
        index = np.unravel_index(getattr(np, f"nan{best}")(values), values.shape)
        at = zip(result[name].dims, index, strict=True)
        where = ", ".join(f"{axis} {float(result[axis][k]):.4g}" for axis, k in at)
        lines.append(f"{'greatest' if best == 'argmax' else 'least'} {LABELS[name][1]} {values[index]:.5g} at {where}")
    return [*lines, f"{np.count_nonzero(~found)} of {values.size} gaits have no steady swim"]
