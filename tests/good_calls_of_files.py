"""Good calls of functions that read files, recorded motions or assembled objects (see `good_calls`)."""

import functools
import tempfile
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import xarray as xr

import cosserat
import gaits
import hydro
import multibody as mb
from anguilla import ground

from .call_table import Argument, Call, call, integer, non_negative, optional, positive, real, strict, thing

CSV = "X,b,c\n0,0,0\n0.1,0.02,0.03\n0.5,0.005,0.01\n"
LINK = """<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial></link>"""
URDF = f"""<robot name="r">{LINK.format("a")}{LINK.format("b")}<joint name="j" type="continuous"><parent link="a"/>
<child link="b"/><axis xyz="0 0 1"/></joint></robot>"""
CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
OBJECTIVES = (
    "cost_of_transport",
    "froude_efficiency",
    "mean_power",
    "peak_curvature",
    "peak_torque",
    "section_curvature",
    "section_torque",
    "steady_speed",
    "turning_radius",
)


def file(value):
    """A path; text is one too, of a file that may not exist."""
    return Argument(value, frozenset({"text"}))


def word(value, *legal):
    """Any text."""
    return Argument(value, frozenset({"text", *legal}))


@functools.cache
def folder() -> Path:
    """The files of the good calls."""
    place = Path(tempfile.mkdtemp())
    (place / "fish.csv").write_text(CSV)
    (place / "robot.urdf").write_text(URDF)
    return place


def _ball():
    import trimesh

    return trimesh.creation.icosphere(subdivisions=3, radius=0.1)


def _objective(name):
    """An objective, as a function whose argument has a name."""
    return lambda motion: getattr(gaits, name)(motion)


def _rolling():
    """A run of three times; the table is built when tests are collected, so that nothing is simulated."""
    run = object.__new__(ground.Rolling)
    object.__setattr__(run, "time", jnp.zeros(3))
    return run


def _midline():
    X, times = np.linspace(0, 1, 11), np.arange(40) / 40
    heading = 0.4 * np.sin(2 * np.pi * (X - 2 * times[:, None]))
    steps = np.stack([np.cos(heading), np.sin(heading)], axis=-1)[:, :-1] / 10
    return times, X, np.concatenate([np.zeros((40, 1, 2)), np.cumsum(steps, axis=1)], axis=1)


def calls_of_files(beam, gait, tree) -> dict[str, Call]:
    """The table: `package.name` -> call."""
    place, ball, wheels = folder(), _ball(), ground.Wheels([0.2, 0.8])
    density = {"density": positive(1000.0), "nose_radius": non_negative(0.0), "masses": thing((), "empty")}
    shape = {
        "axis": thing("x"),
        "up": thing("z"),
        "scale": positive(1.0),
        "sections": Argument(60, frozenset(), (np.int64(60),)),
    }
    limited = xr.Dataset({"torque_limit": ("freedom", [1.0])})
    hull_free = {"hull": Argument(None, frozenset({"None"}))}
    every = {"cosserat.from_mesh": density | shape, "hydro.mesh_profile": shape}
    return {
        **{
            name: call(
                cosserat.from_mesh if name.startswith("cosserat") else hydro.mesh_profile,
                heavy=True,
                untried=("flip",),  # a flag
                mesh=file(ball),
                **arguments,
            )
            for name, arguments in every.items()
        },
        "cosserat.from_table": call(
            cosserat.from_table,
            untried=("round_ends",),  # a flag
            path=file(place / "fish.csv"),
            **(density | {"density": optional(positive(1000.0))}),
        ),
        "hydro.solid": call(hydro.solid, vertices=real(CORNERS), faces=thing(FACES)),
        "multibody.from_urdf": call(
            mb.from_urdf,
            path=file(place / "robot.urdf"),
            base=thing("floating"),
            passive=thing((), "empty"),
            strips=thing(False, "flag", "empty"),
            boxes=thing("rectangles"),
        ),
        "multibody.to_mjcf": call(
            mb.to_mjcf,
            untried=("path",),  # the name of a file to write
            tree=thing(tree),
            gravity=real((0.0, 0.0, -9.81)),
            timestep=positive(1e-3),
        ),
        "gaits.Objective": call(
            gaits.Objective,
            name=word("speed"),
            unit=word("m/s"),
            arrays=thing(("displacement",), "empty"),
            function=thing(lambda displacement: displacement[0]),
        ),
        **{f"gaits.{name}": call(_objective(name), heavy=True, motion=thing({})) for name in OBJECTIVES},
        "multibody.limit_use": call(mb.limit_use, heavy=True, run=thing(limited)),
        "ground.rolling_wrench": call(
            ground.rolling_wrench,
            heavy=True,
            beam=thing(beam),
            gait=thing(gait),
            wheels=thing(wheels),
            run=thing(_rolling()),
            k=integer(1, "one_int", "negative_int", "zero_int"),
            ground=optional(thing(hydro.Void())),
            stations=optional(strict([0.0, 0.5])),
            path=optional(thing(cosserat.Panels())),
        ),
        "multibody.Afloat": call(
            mb.Afloat,
            tree=thing(tree),
            blades=optional(thing({}, "empty")),
            loops=optional(thing(None)),
            gravity=optional(real((0.0, 0.0, -9.81))),
            freedoms=thing((0, 2, 4)),
            **hull_free,
        ),
        "gaits.from_midline": call(
            gaits.from_midline,
            heavy=True,
            untried=("periodic", "y_down"),  # flags
            table=file(_midline()),
            length=optional(positive(1.0, "four", "fraction", "one")),
            period=optional(positive(0.5)),
            modes=optional(Argument(6, frozenset({"four"}))),
            harmonics=integer(1),
        ),
        "gaits.identify": call(
            gaits.identify,
            heavy=True,
            model=thing(lambda p: p["a"] * jnp.ones(3)),
            tree=thing({"a": 1.0}, "*"),  # anything; parameters that it does not have are refused by their name
            parameters=thing({"a": (0.1, 3.0)}),
            data=real(np.ones(3)),
            noise=optional(positive(0.1)),
            tolerance=Argument(1e-10, frozenset({"one", "fraction", "four"})),
            max_evaluations=integer(10),
        ),
    }
