"""`anguilla robot`: published machines made of rigid bodies."""

from __future__ import annotations  # names of modules that are not imported yet

import argparse
import time
from typing import TYPE_CHECKING

from . import VERBS
from .arguments import at_least, directory, positive
from .deferred import FLUIDS, FORMS, READINGS, ROBOTS, TERRAINS, deferred
from .outputs import Outputs
from .recipe import with_recipe
from .swim import FORMATS, FPS, check_pictures

if TYPE_CHECKING:
    from anguilla import view

    from ..robots import registry
    from ..robots.robot import Settings
    from ..robots.snake import beach
else:
    view, registry, beach = deferred("anguilla.view", "anguilla.robots.registry", "anguilla.robots.snake.beach")

DESCRIPTION = """\
Simulates a published machine made of rigid bodies: its joints follow a given law; the motion of its base and the
torques of its motors are computed.

robots:
"""

LOOPS = {"gaze": "natrix", "balance": "rower", "gust": "moth"}  # options that add a feedback controller, by machine

EPILOG = """\
examples:
  anguilla robot eel --t1 30 --out out
      thirty seconds forward, as published: NetCDF file, figures and a film in out/
  anguilla robot eel --out out --no-animation --added-mass kirchhoff
      figures only; the form of the added mass that conserves energy
  anguilla robot eel --t1 6 --fluid void --out out
      no water: no propulsion, its momentum stays zero
  anguilla robot eel --t1 10 --out out --film mp4 --camera follow
      a film in MP4 (needs ffmpeg or the extra film) with the camera following the body
  anguilla robot moth --out out
      one stroke of the hovering moth: Figures 5 to 8 of its paper, computed and published values
  anguilla robot moth --reading BT9 --sections 4 --out out
      another reading of the paper (TB8, TB8m, BT9, BT9c); any number of sections on a wing
  anguilla robot natrix --out out
      the snake robot undulates in its capsizing band: Figures 4 to 6 of its paper, a film with the water
  anguilla robot natrix --gaze --out out
      the same in its capsizing band with a controller of shells and neck that keeps the head steady
  anguilla robot rower --balance --out out
      also the boat in six freedoms, disturbed, while the hands balance it
  anguilla robot moth --gust --reading BT9c --out out
      also the hover in a gust with a regulator of one command a stroke, and without it
  anguilla robot rower --out out
      a single scull: steady strokes of two motions, Figures 10 to 13 of its paper, a film with the water
  anguilla robot rower --optimise --out out
      also a faster stroke of the same mean power, by gradients (some minutes)
  anguilla robot snake --out out
      a wheeled snake undulates on dry friction: tracks, power, speed over amplitude and anisotropy, a film
  anguilla robot snake --terrain beach --out out
      the same snake from a beach into the water: it crawls, then swims at the surface; a film with sand and water

files in DIR, all named after the robot:
  eel.nc                  everything recorded, with units; anguilla.load(...) or any NetCDF reader opens it
  eel.recipe              the options of the run; `anguilla @DIR/eel.recipe --out AGAIN` repeats it bit for bit
  eel_trajectory.png      path of the head in the plane, with the bodies on it
  eel_configurations.png  the body at six to nine instants
  eel_head_velocity.png   forward velocity of head and centre of mass
  eel_torques.png         torques of all motors against time, with the limits of the actuators
  eel_joints.png          angle, torque and power of the yaw joints over joints and time
  eel_power.png           power budget and residual of its identity
  eel.gif                 the film
  moth_snapshots.png, moth_velocities.png, moth_deformation.png, moth_forces.png, moth_multipliers.png: of the moth
  natrix_energy.png, natrix_centre.png, natrix_roll.png, natrix_righting.png, natrix_response.png: of natrix
  (natrix_gaze.png, rower_balance.png, moth_gust.png: the loops, with --gaze, --balance, --gust)
  rower_joints.png, rower_surge.png, rower_heave.png, rower_pitch.png, rower_torques.png, rower_power.png,
  rower_memory.png, rower_sensitivity.png (rower_optimised.png): of the rowing boat
  snake_tracks.png, snake_power.png, snake_speeds.png: of the snake on the ground; snake_shore.png: on the beach

exit codes: 0 done, 1 the run failed, 2 bad arguments
"""


def register(subparsers: argparse._SubParsersAction) -> None:
    """Adds the verb to the command line."""
    parser = subparsers.add_parser(
        "robot",
        help=VERBS["robot"],
        description=DESCRIPTION + "".join(f"  {name:9}{words}\n" for name, words in ROBOTS.items()),
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("robot", choices=tuple(ROBOTS), metavar="ROBOT", help=f"one of: {', '.join(ROBOTS)}")
    parser.add_argument("--t1", type=positive, metavar="S", help="duration [s]; default: as published")
    parser.add_argument("--out", type=directory, required=True, metavar="DIR", help="output directory")
    water = parser.add_argument_group("the water")
    water.add_argument("--fluid", choices=FLUIDS, help="default: morison; for natrix buoyancy only, as published")
    water.add_argument(
        "--added-mass", choices=FORMS, help="form of the added mass; default: paper (kirchhoff conserves energy)"
    )
    wings = parser.add_argument_group("the moth")
    wings.add_argument("--reading", choices=READINGS, help="interpretation of its paper; default: TB8")
    wings.add_argument("--sections", type=at_least(1), metavar="M", help="number of sections per wing; default: 4")
    wings.add_argument("--gust", action="store_true", help="hover in a gust, with and without a regulator")
    swimmer = parser.add_argument_group("natrix")
    swimmer.add_argument("--gaze", action="store_true", help="keep the head steady by shells and neck")
    boat = parser.add_argument_group("the rower")
    boat.add_argument("--balance", action="store_true", help="six freedoms: the hands raise and lower the oars")
    boat.add_argument("--optimise", action="store_true", help="search for a faster stroke of the same mean power")
    snake = parser.add_argument_group("the snake")
    snake.add_argument("--terrain", choices=TERRAINS, help="floor, or beach: from sand into water; default: floor")
    numbers = parser.add_argument_group("the numbers")
    numbers.add_argument("--samples", type=at_least(2), metavar="N", help="output times; default: smooth curves")
    numbers.add_argument("--rtol", type=positive, default=1e-6, metavar="R", help="relative tolerance; default: 1e-6")
    numbers.add_argument("--atol", type=positive, default=1e-8, metavar="A", help="absolute tolerance; default: 1e-8")
    pictures = parser.add_argument_group("the pictures")
    pictures.add_argument("--no-figures", action="store_true", help="no figures")
    pictures.add_argument("--format", choices=FORMATS, default="png", help="of the figures; default: png")
    pictures.add_argument("--no-animation", action="store_true", help="no film")
    pictures.add_argument(
        "--film", choices=("gif", "mp4"), default="gif", help="default: gif; mp4 needs ffmpeg or the extra film"
    )
    pictures.add_argument("--fps", type=positive, default=FPS, metavar="N", help=f"frames per second; default: {FPS:g}")
    pictures.add_argument(
        "--width", type=at_least(160), default=720, metavar="PX", help="width of the film; default: 720"
    )
    pictures.add_argument("--camera", choices=("auto", "fixed", "follow"), default="auto", help="default: auto")
    parser.add_argument("--quiet", action="store_true", help="no progress bars, no summary")
    parser.set_defaults(run=run, check=check_robot, resolve=resolve, name=lambda arguments: arguments.robot)


def check_robot(arguments: argparse.Namespace) -> str | None:
    """Checks combinations of arguments; returns an error message or None."""
    for option in ("reading", "sections"):
        if arguments.robot != "moth" and getattr(arguments, option) is not None:
            return f"argument --{option}: only valid for the moth"
    if arguments.optimise and arguments.robot != "rower":
        return "argument --optimise: only valid for the rower"
    if arguments.robot != "snake" and arguments.terrain is not None:
        return "argument --terrain: only valid for the snake"
    if arguments.terrain == "beach" and (arguments.fluid is not None or arguments.added_mass is not None):
        return "arguments --fluid, --added-mass: the beach has its own water"
    for option, machine in LOOPS.items():
        if getattr(arguments, option) and arguments.robot != machine:
            return f"argument --{option}: only valid for {machine}"
    if arguments.gaze and arguments.fluid == "void":
        return "argument --gaze: needs water; there is none with --fluid void"
    if arguments.robot == "rower" and (arguments.fluid is not None or arguments.added_mass is not None):
        return "arguments --fluid, --added-mass: the rower has its own water: hull, waves and blades"
    if arguments.robot == "moth" and arguments.added_mass is not None:
        return "argument --added-mass: the moth flies in air, whose added mass depends on the reading"
    return check_pictures(arguments)


def resolve(arguments: argparse.Namespace) -> None:
    """Sets the default values that depend on the machine."""
    robot = registry.ROBOTS[arguments.robot]
    arguments.t1 = arguments.t1 or (beach.DURATION if arguments.terrain == "beach" else robot.duration)
    arguments.samples = arguments.samples or max(round(robot.rate * arguments.t1) + 1, 2)
    if arguments.robot == "moth":
        arguments.reading, arguments.sections = arguments.reading or "TB8", arguments.sections or 4
    if arguments.robot == "eel":
        arguments.fluid = arguments.fluid or "morison"
    if arguments.fluid == "morison" and arguments.robot in ("eel", "natrix"):
        arguments.added_mass = arguments.added_mass or "paper"


def run(arguments: argparse.Namespace) -> int:
    """Simulates, draws, writes, and prints the summary."""
    begin = time.perf_counter()
    robot = registry.ROBOTS[arguments.robot]
    say = (lambda text: None) if arguments.quiet else (lambda text: print(text, flush=True))
    settings = settings_of(arguments)
    plain = settings.t1 == robot.duration and not (
        settings.optimise or settings.feedback or settings.terrain == "beach"
    )
    needs = f": about {robot.processor:g} s of processor time with pictures" if plain else ""
    say(f"{arguments.robot} moves for {settings.t1:g} s (the first run compiles{needs}) ...")
    dataset = robot.run(settings)
    moved = time.perf_counter()
    dataset = with_recipe(dataset, arguments.recipe)
    outputs = Outputs(arguments.out, arguments.robot, arguments.recipe)
    outputs.start(dataset)
    if not arguments.no_figures:
        say("drawing ...")
        for name, figure in robot.figures(dataset).items():
            path = arguments.out / f"{arguments.robot}_{name}.{arguments.format}"
            figure().savefig(path, dpi=150)
            outputs.add(path)
    if not arguments.no_animation:
        film = arguments.out / f"{arguments.robot}.{arguments.film}"
        options = {"fps": arguments.fps, "width": arguments.width, "camera": arguments.camera}
        make = view.animate if robot.film is None else robot.film
        outputs.add(make(robot.body(dataset), film, progress=not arguments.quiet, **options))
    end = time.perf_counter()
    for line in robot.lines(dataset):
        say(line)
    for line in outputs.lines():
        say(line)
    say(f"wall time       {end - begin:.1f} s (motion {moved - begin:.1f} s, pictures {end - moved:.1f} s)")
    return 0


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings of the requested run."""
    from ..robots.robot import Settings

    return Settings(
        t1=arguments.t1,
        samples=arguments.samples,
        fluid=arguments.fluid,
        added_mass=arguments.added_mass or "paper",
        rtol=arguments.rtol,
        atol=arguments.atol,
        progress=not arguments.quiet,
        reading=arguments.reading,
        sections=arguments.sections,
        optimise=arguments.optimise,
        terrain=arguments.terrain,
        feedback=any(getattr(arguments, option) for option in LOOPS),
    )
