"""Mistakes of newcomers, and what the message must say. `python -m tests.mistakes` makes them all, as users do: without
the run-time checks of types that the tests switch on. Nothing is simulated.
"""

import json

import jax.numpy as jnp
import numpy as np
import xarray as xr

import anguilla
import cosserat
import gaits
import hydro
import multibody as mb
from multibody.law_in_time import check_in_time
from tests.random_models import made_up

EEL, GAIT, WATER = cosserat.eel(), gaits.planar(), hydro.Morison()
MANY = jnp.linspace(0.0, 2.0, 5)
REST = cosserat.HeadState()
CHAIN = mb.from_beam(EEL, 4)
SWIM = made_up(planar=True)
TREE_RUN = xr.Dataset(
    {"position": (("time", "body", "axis"), np.zeros((2, 4, 3))), "rotation": (("time", "body"), np.zeros((2, 4)))},
    coords={"time": [0.0, 1.0]},
)


def swim(gait=GAIT, beam=EEL, fluid=WATER, t1=1.0, **options):
    return cosserat.simulate(beam, gait, fluid, t1, progress=False, **options)


def bend(value):
    return lambda X, t: jnp.stack([jnp.ones_like(X), *[0.0 * X] * 4, value(X, t)])


def constant(*strain):
    return lambda X, t: jnp.array(strain) + 0.0 * X


MISTAKES = {
    "gait at many X": (
        lambda: GAIT(MANY, 1.0),
        r"X has shape \(5,\): must be one number.*vmap\(gait, in_axes=\(0, None",
    ),
    "gait at many t": (lambda: GAIT(0.5, MANY), r"t has shape \(5,\): must be one number.*in_axes=\(None, 0"),
    "profile at many X": (lambda: EEL.profile(MANY), r"X has shape \(5,\): must be one number.*jax.vmap\(profile\)"),
    "gait by its name": (lambda: swim("planar"), r"gait = 'planar'.*gaits.planar\(\)"),
    "gait of a list": (
        lambda: swim(lambda X, t: [1.0, 0.0, 0.0, 0.0, 0.0, X]),
        r"returns a list, not an array: wrap it in jnp.array",
    ),
    "gait of (t, X)": (
        lambda: swim(lambda t, X: jnp.array([1.0, 0.0, 0.0, 0.0, 0.0, jnp.sin(X - t)])),
        r"gait takes \(t, X\): must take \(X, t\)",
    ),
    "gait of whole numbers": (lambda: swim(lambda X, t: jnp.array([1, 0, 0, 0, 0, 0])), r"int64.*write 1\.0"),
    "gait in single precision": (
        lambda: swim(lambda X, t: jnp.array([1.0, 0, 0, 0, 0, t], jnp.float32)),
        r"gait returns float32 numbers: must be float64",
    ),
    "law in single precision": (
        lambda: mb.simulate(CHAIN, lambda t: jnp.zeros(12, jnp.float32), WATER),
        r"law returns float32 numbers: must be float64",
    ),
    "gait without stretch": (lambda: swim(constant(0.0, 0, 0, 0, 0, 1)), r"X = 0.* m, t = 0 s: Γ1 must be positive"),
    "gait of NaN": (lambda: swim(bend(lambda X, t: jnp.sqrt(t - 0.7))), r"nan\] at X = 0.* m, t = 0 s: must be finite"),
    "gait of a gait": (lambda: gaits.planar_bending(GAIT), r"bending3 is a .*gait.* one number"),
    "beam and gait exchanged": (
        lambda: swim(EEL, GAIT),
        r"beam = a Strain: must be a cosserat.Beam.*order is beam, gait",
    ),
    "beam without parentheses": (
        lambda: swim(beam=cosserat.eel),
        r"must be a cosserat.Beam or.*did you forget the paren",
    ),
    "fluid without parentheses": (lambda: swim(fluid=hydro.Morison), r"hydro fluid.*did you forget the parentheses"),
    "solver by its name": (lambda: swim(solver="rk4"), r"solver = 'rk4': must be a diffrax solver.*or None"),
    "time as text": (lambda: swim(t1="10"), r"t1 = '10': must be a number"),
    "no time": (lambda: swim(t1=None), r"t1 = None: must be a number"),
    "no state": (
        lambda: cosserat.head_acceleration(EEL, GAIT, WATER, None, 0.0),
        r"state = None: must be a .*HeadState",
    ),
    "stations off the body": (
        lambda: cosserat.internal_wrench(EEL, GAIT, WATER, REST, 0.0, stations=[0.0, 3.0]),
        r"stations run from 0.0 to 3.0: must lie between the nose \(0\) and the tail \(2.0\)",
    ),
    "unknown argument of a fluid": (
        lambda: hydro.Morison(densty=1.0),
        r"Morison\(\) has no argument .*'density'",
    ),
    "unknown argument of a body": (lambda: cosserat.Beam(EEL.profile, desnity=1.0), r"Beam\(\) has no .*'density'"),
    "two wavelengths": (lambda: gaits.planar(wavelength=[1.0, 2.0]), r"wavelength has shape \(2,\).*one number"),
    "table of amplitudes": (
        lambda: gaits.planar(amplitude=np.ones((2, 2))),
        r"amplitude has shape \(2, 2\).*polynomial",
    ),
    "piece with numpy": (
        lambda: hydro.Profile((0.0, 1.0), (lambda X: (0.1 + 0.01 * np.sin(X), 0.1 + 0.0 * X),)),
        r"pieces\[0\] could not be evaluated.*jax.numpy",
    ),
    "piece that is not in a tuple": (
        lambda: hydro.Profile((0.0, 1.0), lambda X: (X, X)),
        r"must be a tuple.*\(piece,\)",
    ),
    "breaks as text": (
        lambda: hydro.Profile("0 1", (lambda X: (X, X),)),
        r"breaks = '0 1': must be a number or an array",
    ),
    "chain law without parentheses": (lambda: mb.strain_law(gaits.planar, 2.0, 4), r"forget the parentheses"),
    "chain law of three": (
        lambda: mb.strain_law(constant(0.0, 0, 1), 2.0, 4),
        r"returns shape \(3,\).*Γ = \(1, 0, 0\)",
    ),
    "chain law with numpy": (lambda: mb.strain_law(bend(lambda X, t: np.sin(X)), 2.0, 4), r"Write it with jax.numpy"),
    "chain law of a beam": (lambda: mb.strain_law(GAIT, EEL, 4), r"length = a Beam: must be a number"),
    "chain of a profile": (lambda: mb.from_beam(EEL.profile, 4), r"beam = a Profile: must have a profile, a density"),
    "beam for a tree": (lambda: mb.simulate(EEL, GAIT, WATER), r"tree = a Beam.*multibody.from_beam"),
    "list for a law": (
        lambda: mb.simulate(CHAIN, lambda t: [0.0] * 12, WATER),
        r"law returns a list: must be an array",
    ),
    "saving arrays": (
        lambda: anguilla.save(np.zeros(3), "swim.nc"),
        r"dataset is a ndarray: must be the xarray.Dataset",
    ),
    "speed of a gait": (
        lambda: gaits.steady_speed(GAIT),
        r"'displacement' is missing in this motion, .* Give it a motion",
    ),
    "sweep over another name": (
        lambda: anguilla.sweep(lambda a: a, {"b": [1.0, 2.0]}),
        r"takes the parameters.*name: b",
    ),
    "a file that is not a URDF": (lambda: mb.from_urdf(__file__), r"mistakes.py: not a URDF file"),
    "a URDF that is not there": (lambda: mb.from_urdf("robot.urdf"), r"robot.urdf: no such file"),
    "law divided by a law": (lambda: gaits.Start() / gaits.Start(), r"only be divided by a number"),
    "gait that was not published": (
        lambda: gaits.PUBLISHED["crawl"],
        r"gait = 'crawl': must be one of planar, turn, dive, spiral",
    ),
    "figure of an array": (
        lambda: anguilla.view.configurations(np.zeros((3, 3))),
        r"dataset is a ndarray: must be the xarray.Dataset that `cosserat.simulate` returns, or `anguilla.load",
    ),
    "figure of a state": (lambda: anguilla.view.interactive(REST), r"dataset is a FrameState: must be the xarray.Data"),
    "figure of a tree": (
        lambda: anguilla.view.still(TREE_RUN),
        r"dataset has no .*parent: must be a record of `multibody.simulate`",
    ),
    "figure of a beam's swim as a tree's": (
        lambda: anguilla.view.chain_body(SWIM, CHAIN, EEL.profile),
        r"dataset has no rotation: must be a record of `multibody.simulate`",
    ),
    "bodies of a beam": (
        lambda: anguilla.view.chain_body(TREE_RUN, EEL, EEL.profile),
        r"tree = a Beam: must be the mul",
    ),
    "time between bodies as text": (
        lambda: anguilla.view.configurations(SWIM, every="1"),
        r"every = '1': must be a numb",
    ),
    "instant as text": (lambda: anguilla.view.still(SWIM, "end"), r"time = 'end': must be a number"),
    "pictures per second as text": (lambda: anguilla.animate(SWIM, "a.gif", fps="20"), r"fps = '20': must be positive"),
    "instant after the end": (
        lambda: anguilla.view.internal_wrench(SWIM, time=99.0),
        r"time = 99: the data run from 0 to 1.2 s",
    ),
    "section as text": (lambda: anguilla.view.internal_moment(SWIM, X="tail"), r"X = 'tail': must be a number"),
    "a field that is not there": (
        lambda: anguilla.view.write_vtk(SWIM, "a.pvd", fields="heat"),
        r"field 'heat': must be one of position, ",
    ),
    "summary of an array": (
        lambda: anguilla.summarise(np.zeros(3)),
        r"dataset is a ndarray: must be the xarray.Dataset",
    ),
    "summary of a tree": (lambda: anguilla.summarise(TREE_RUN), r"dataset has no centre_of_mass.*`multibody.simulate`"),
    "energy rate of an array": (
        lambda: anguilla.with_energy_rate(np.zeros(3), EEL, GAIT, WATER),
        r"dataset is a ndarray",
    ),
    "loading a directory": (lambda: anguilla.load("."), r"is a directory; give one of the .nc files"),
    "loading nothing": (lambda: anguilla.load(None), r"path = None: must be the name of a file"),
    "saving to a directory": (
        lambda: anguilla.save(SWIM, "."),
        r"path = .: is a directory; name a file in it",
    ),
    "objective by its name": (
        lambda: gaits.optimise("speed", GAIT, {"wavelength": (0.5, 2.0)}),
        r"objective = 'speed': must be an objective, such as gaits.steady_speed",
    ),
    "body shorter than its tail": (
        lambda: hydro.eel_profile(length=1.0),
        r"\(radius, shoulder, tail, length\) = .* 1.0\]: must be strictly increasing",
    ),
    "floating in a fluid without surface": (
        lambda: mb.equilibrium(CHAIN, jnp.zeros(12), WATER),
        r"surface = a Morison: must be a hydro.FreeSurface",
    ),
    "sweep with numpy": (
        lambda: anguilla.sweep(lambda a: {"b": np.sin(a)}, {"a": [1.0, 2.0]}),
        r"fn could not be traced: .*write it with jax.numpy",
    ),
    "spherical joints at zero": (
        lambda: check_in_time(CHAIN, lambda t: jnp.zeros(12), jnp.zeros(()), jnp.ones(())),
        r"joint 'link1' the quaternion \[0.0, 0.0, 0.0, 0.0\]: a spherical joint needs one of unit norm",
    ),
}


if __name__ == "__main__":
    messages = {}
    for name, (make, _) in MISTAKES.items():
        try:
            make()
            messages[name] = ("nothing", "no error")
        except Exception as error:
            messages[name] = (type(error).__name__, str(error))
    print(json.dumps(messages))
