"""`anguilla swim`: simulates the continuous eel with one of the published gaits."""

from __future__ import annotations  # names of modules that are not imported yet

import argparse
import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from . import VERBS, steering
from .arguments import at_least, directory, positive
from .deferred import COLOURS, FLUIDS, FORMS, GAITS, SOFT_COLOURS, WATER_COLOURS, deferred
from .outputs import Outputs
from .recipe import with_recipe

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    import cosserat
    import gaits
    import hydro
    from anguilla import view
else:
    cosserat, gaits, hydro, view = deferred("cosserat", "gaits", "hydro", "anguilla.view")

DURATION = 10.0  # default [s]
RATE = 40  # output times per second: resolves the power, which oscillates twice per period
LENGTH = 2.0  # of the eel [m]
FPS = 20.0  # frames per second
HINTS = {"the modes of the soft beam": "Their number is --tail-modes, the stiffness --tail-stiffness."}  # to warnings
FORMATS = ("png", "pdf", "svg")  # of figures

DESCRIPTION = """\
Simulates the continuous eel of Boyer, Porez and Khalil (2006): a 2 m, 21.7 kg geometrically exact beam with
imposed curvature; the motion of its head and the torques along its body are computed.

gaits:
  planar   forward, in a horizontal plane: a curvature wave from head to tail
  turn     the same with a constant curvature added: it turns
  dive     to another depth: the body bends up, then down
  spiral   a plunging spiral: constant curvatures about both axes
"""

EPILOG = """\
examples:
  anguilla swim --gait planar --t1 10 --out out
      ten seconds forward: NetCDF file, figures and a film in out/
  anguilla swim --gait spiral --t1 5 --out out --no-animation
      figures only
  anguilla swim --gait dive --out out --interactive
      an interactive 3-D page for the browser, the skin coloured by the internal moment
  anguilla swim --gait planar --t1 20 --added-mass kirchhoff --out out
      the form of the added mass that conserves energy: use it for efficiency
  anguilla swim --gait turn --fluid void --t1 3 --out out
      no water: the body turns by deforming, its momentum stays zero
  anguilla swim --gait planar --period 0.8 --wavelength 1.2 --out out --film mp4
      another wave; a film in MP4 (needs ffmpeg or the extra film)
  anguilla swim --heading 45 --depth 1 --out out --no-animation
      feedback: the eel turns left by 45 degrees, dives to 1 m and stays there; a figure of the loop
  anguilla swim --gait planar --tail-stiffness 1e5 --out out
      the last 0.8 m are passive: an elastic tail that follows the water and the imposed wave in front

files in DIR, all named after the gait:
  GAIT.nc                    everything recorded, with units; anguilla.load(...) or any NetCDF reader opens it
  GAIT.recipe                the options of the run; `anguilla @DIR/GAIT.recipe --out AGAIN` repeats it bit for bit
  GAIT_configurations.png    the body at six to nine instants
  GAIT_head_velocity.png     velocity of the head against time
  GAIT_internal_moment.png   control torque at mid-body against time
  GAIT_internal_wrench.png   force and moment along the body at the end: zero at the tail
  GAIT_space_time.png        curvature, moment and lateral force over body and time
  GAIT_power.png             power budget and residual of its identity
  GAIT_fluid_forces.png      drag and added mass, term by term
  GAIT_feedback_loop.png     with --heading or --depth: reference, measured, command
  GAIT.gif                   the film
  GAIT.html, GAIT.pvd        with --interactive and --vtk

exit codes: 0 done, 1 the run failed, 2 bad arguments
"""


def register(subparsers: argparse._SubParsersAction) -> None:
    """Adds the verb to the command line."""
    parser = subparsers.add_parser(
        "swim",
        help=VERBS["swim"],
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--gait", choices=GAITS, default="planar", help="default: planar")
    parser.add_argument(
        "--t1", type=positive, metavar="S", help=f"duration [s]; default: 10, with feedback {steering.DURATION:g}"
    )
    parser.add_argument("--out", type=directory, required=True, metavar="DIR", help="output directory")
    wave = parser.add_argument_group("the wave")
    wave.add_argument("--period", type=positive, default=1.0, metavar="S", help="period [s]; default: 1")
    wave.add_argument("--wavelength", type=positive, default=1.0, metavar="M", help="wavelength [m]; default: 1")
    steering.add_options(parser)
    tail = parser.add_argument_group("a passive tail")
    tail.add_argument(
        "--tail-stiffness",
        type=positive,
        metavar="PA",
        help="Young's modulus of a passive tail [Pa], such as 1e5; default: all curvature is imposed",
    )
    tail.add_argument(
        "--tail-start", type=positive, default=1.2, metavar="M", help="where the passive tail begins [m]; default: 1.2"
    )
    tail.add_argument(
        "--tail-damping", type=positive, default=0.05, metavar="S", help="its damping time [s]; default: 0.05"
    )
    tail.add_argument("--tail-modes", type=at_least(1), default=6, metavar="N", help="modes a bending; default: 6")
    water = parser.add_argument_group("the water")
    water.add_argument("--fluid", choices=FLUIDS, default="morison", help="default: morison (drag and added mass)")
    water.add_argument(
        "--added-mass", choices=FORMS, help="form of the added mass; default: paper (kirchhoff conserves energy)"
    )
    numbers = parser.add_argument_group("the numbers")
    numbers.add_argument("--samples", type=at_least(2), metavar="N", help=f"output times; default: {RATE} per second")
    numbers.add_argument("--rtol", type=positive, default=1e-6, metavar="R", help="relative tolerance; default: 1e-6")
    numbers.add_argument("--atol", type=positive, default=1e-8, metavar="A", help="absolute tolerance; default: 1e-8")
    pictures = parser.add_argument_group("the pictures")
    pictures.add_argument("--no-figures", action="store_true", help="no figures")
    pictures.add_argument("--format", choices=FORMATS, default="png", help="of the figures; default: png")
    pictures.add_argument("--no-animation", action="store_true", help="no film")
    pictures.add_argument(
        "--film", choices=("gif", "mp4"), default="gif", help="default: gif; mp4 needs ffmpeg or the extra film"
    )
    pictures.add_argument("--interactive", action="store_true", help="also write GAIT.html, an interactive 3-D page")
    pictures.add_argument("--vtk", action="store_true", help="also write GAIT.pvd, for ParaView")
    pictures.add_argument(
        "--still",
        type=Path,
        metavar="FILE",
        help="also write one image: the body at the end, paler at the start and halfway",
    )
    pictures.add_argument("--fps", type=positive, default=FPS, metavar="N", help=f"frames per second; default: {FPS:g}")
    pictures.add_argument(
        "--width", type=at_least(160), default=720, metavar="PX", help="width of the film; default: 720"
    )
    pictures.add_argument(
        "--colour",
        metavar="FIELD",
        help="field that colours the body in the film, such as internal_moment or strain:K3; default: as an eel, with "
        "a passive tail by its elastic_density",
    )
    pictures.add_argument("--camera", choices=("auto", "fixed", "follow"), default="auto", help="default: auto")
    parser.add_argument("--quiet", action="store_true", help="no progress bars, no summary")
    name = lambda arguments: arguments.gait  # noqa: E731
    parser.set_defaults(run=run, check=check, resolve=resolve, name=name, hints=HINTS)


def check(arguments: argparse.Namespace) -> str | None:
    """Checks combinations of arguments; returns an error message or None."""
    if arguments.tail_start >= LENGTH:
        return f"argument --tail-start: {arguments.tail_start:g}: must be less than the body's length, {LENGTH:g} m"
    return steering.check(arguments) or check_colour(arguments) or check_pictures(arguments)


def check_colour(arguments: argparse.Namespace) -> str | None:
    """Checks field and component of --colour against what the run will record; returns an error message or None."""
    if arguments.colour is None:
        return None
    fields = COLOURS | (WATER_COLOURS if arguments.fluid == "morison" else {})
    fields |= {} if arguments.tail_stiffness is None else SOFT_COLOURS
    field, colon, component = arguments.colour.partition(":")
    if field not in fields:
        return f"argument --colour: {field!r}: must be one of {', '.join(fields)}"
    if colon and component not in fields[field]:
        known = f"must be one of {', '.join(fields[field])}" if fields[field] else "the field has no components"
        return f"argument --colour: component {component!r} of {field!r}: {known}"
    return None


def check_pictures(arguments: argparse.Namespace) -> str | None:
    """Checks the options that `swim` and `robot` share; returns an error message or None."""
    if arguments.fluid == "void" and arguments.added_mass is not None:
        return "argument --added-mass: there is none with --fluid void"
    if arguments.fps > 100:
        return f"argument --fps: {arguments.fps:g}: must be at most 100"
    if arguments.width > 4096:
        return f"argument --width: {arguments.width}: must be at most 4096"
    if getattr(arguments, "interactive", False) and importlib.util.find_spec("plotly") is None:
        return "argument --interactive: needs plotly, which is not installed: pip install 'anguilla[interactive]'"
    if arguments.film == "mp4" and not arguments.no_animation:
        from ..view.animation import NO_ENCODER, encoder

        if encoder() is None:
            return f"argument --film: {NO_ENCODER}"
    return None


def resolve(arguments: argparse.Namespace) -> None:
    """Sets the default values that depend on other options."""
    arguments.t1 = arguments.t1 or (steering.DURATION if steering.given(arguments) else DURATION)
    arguments.samples = arguments.samples or max(round(RATE * arguments.t1) + 1, 2)
    if arguments.fluid == "morison":
        arguments.added_mass = arguments.added_mass or "paper"


def body(arguments: argparse.Namespace) -> cosserat.Beam | cosserat.Soft:
    """The eel, with a passive tail if a stiffness is given."""
    beam = cosserat.eel()
    if arguments.tail_stiffness is None:
        return beam
    tail = cosserat.FreeStrains(arguments.tail_start, modes=dict.fromkeys(("K2", "K3"), arguments.tail_modes))
    return cosserat.Soft(beam, tail, cosserat.Elastic(arguments.tail_stiffness, damping_time=arguments.tail_damping))


def run(arguments: argparse.Namespace) -> int:
    """Simulates, draws, writes, and prints the summary."""
    from ..view.energy_rate import with_energy_rate
    from ..view.summary import summarise

    begin = time.perf_counter()
    say = _silent if arguments.quiet else _say
    gait = gaits.PUBLISHED[arguments.gait](wavelength=arguments.wavelength, period=arguments.period)
    fluid = hydro.Void() if arguments.fluid == "void" else hydro.Morison(added_mass=arguments.added_mass)
    beam = body(arguments)
    law = steering.steered(gait, arguments) if steering.given(arguments) else gait
    say(f"swimming {arguments.t1:g} s, gait {arguments.gait} (the first run compiles) ...")
    dataset = cosserat.simulate(
        beam,
        law,
        fluid,
        t1=arguments.t1,
        samples=arguments.samples,
        rtol=arguments.rtol,
        atol=arguments.atol,
        progress=not arguments.quiet,
    )
    dataset = with_energy_rate(dataset, beam, steering.driven(law, dataset), fluid)
    dataset.attrs |= {"gait": arguments.gait, "period": arguments.period, "wavelength": arguments.wavelength}
    swum = time.perf_counter()
    dataset = with_recipe(dataset, arguments.recipe)
    outputs = Outputs(arguments.out, arguments.gait, arguments.recipe)
    outputs.start(dataset)
    if not arguments.no_figures:
        say("drawing ...")
        for path in draw(dataset, arguments.out, arguments.gait, arguments.format):
            outputs.add(path)
        if steering.given(arguments):
            loop = view.feedback_loop(dataset, steering.shown_references(dataset, arguments), period=arguments.period)
            outputs.add(_write(loop, arguments.out / f"{arguments.gait}_feedback_loop.{arguments.format}"))
    if not arguments.no_animation:
        film = arguments.out / f"{arguments.gait}.{arguments.film}"
        options = {"fps": arguments.fps, "width": arguments.width, "camera": arguments.camera}
        colour = arguments.colour
        if colour is None and arguments.tail_stiffness is not None:
            colour = "elastic_density"
        if colour is not None:
            field, _, component = colour.partition(":")
            options |= {"field": field, "component": component or None}
        outputs.add(view.animate(dataset, film, progress=not arguments.quiet, **options))
    if arguments.interactive:
        outputs.add(view.interactive_page(dataset, arguments.out / f"{arguments.gait}.html"))
    if arguments.vtk:
        outputs.add(view.write_vtk(dataset, arguments.out / f"{arguments.gait}.pvd"))
    if arguments.still is not None:
        outputs.files.append(write_still(dataset, arguments.still, arguments.width))
    end = time.perf_counter()
    for line in summarise(dataset, arguments.period).lines():
        say(line)
    for line in steering.lines(dataset, arguments) if steering.given(arguments) else ():
        say(line)
    for line in outputs.lines():
        say(line)
    say(f"wall time       {end - begin:.1f} s (swim {swum - begin:.1f} s, pictures {end - swum:.1f} s)")
    return 0


def figures(dataset: xr.Dataset) -> dict[str, Callable[[xr.Dataset], Figure]]:
    """The figures that apply to a dataset, by file name."""
    chosen: dict[str, Callable[[xr.Dataset], Figure]] = {
        "configurations": view.configurations,
        "head_velocity": view.head_velocity,
        "internal_moment": view.internal_moment,
        "internal_wrench": view.internal_wrench,
        "space_time": view.space_time,
        "power": view.power_budget,
    }
    if any(str(name).startswith("fluid_") for name in dataset.data_vars):
        chosen["fluid_forces"] = view.fluid_forces
    return chosen


def draw(dataset: xr.Dataset, out: Path, prefix: str, kind: str = "png") -> Iterator[Path]:
    """Writes every figure of a dataset, as PNG, PDF or SVG; yields each file after it is written."""
    for name, figure in figures(dataset).items():
        yield _write(figure(dataset), out / f"{prefix}_{name}.{kind}")


def write_still(dataset: xr.Dataset, path: Path, width: int) -> Path:
    """Writes an image of the body at the end of the swim, with paler bodies at the start and halfway."""
    first, last = float(dataset["time"][0]), float(dataset["time"][-1])
    before = [first, first + 0.5 * (last - first)]
    path.parent.mkdir(parents=True, exist_ok=True)
    view.still(dataset, last, width=width, before=before).save(path, optimize=True)
    return path


def _write(figure: Figure, path: Path) -> Path:
    figure.savefig(path, dpi=150)
    return path


def _say(text: str) -> None:
    print(text, flush=True)


def _silent(text: str) -> None:
    del text
