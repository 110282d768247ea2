"""Results that say how they were made, and are made again from their file alone."""

import functools
import json

import diffrax
import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

import anguilla
import cosserat
import gaits
import hydro
import multibody as mb
from stepping import provenance
from stepping.provenance import describe, rebuild

pytestmark = pytest.mark.filterwarnings("ignore:the gait is not resolved")  # eight nodes compile quickly
SHORT = {"samples": 3, "rtol": 1e-4, "progress": False}


@pytest.fixture(scope="module")
def swim():
    """A swim that is not what the defaults say."""
    state = cosserat.HeadState(position=(0.1, 0.0, -0.2), twist=(-0.3, 0.0, 0.0, 0.0, 0.0, 0.1))
    body = cosserat.Beam(cosserat.rod(1.0, 0.03, 0.05).profile, load_panels=(2,))
    gait, fluid = gaits.planar(wavelength=1.3, period=0.9), hydro.Morison(density=1025.0)
    options = {"t0": 0.05, "state": state, "path": cosserat.Panels(8, 1, 1, 0.5), "solver": diffrax.Heun(), **SHORT}
    return cosserat.simulate(body, gait, fluid, 0.2, **options)


@pytest.mark.slow
def test_a_file_alone_suffices_to_run_again(swim, tmp_path):
    again = anguilla.rerun(anguilla.save(swim, tmp_path / "swim.nc"), progress=False)
    for name in swim.variables:
        assert again[name].values.tobytes() == swim[name].values.tobytes(), name
    assert again.attrs[provenance.ATTRIBUTE] == swim.attrs[provenance.ATTRIBUTE]


def test_what_is_written(swim):
    record = json.loads(swim.attrs["provenance"])
    assert record["call"] == "cosserat.simulate" and swim.attrs["date"].endswith("Z")
    assert set(record["versions"]) >= {"anguilla", "jax", "jaxlib", "numpy", "diffrax"} and record["commit"]
    arguments = record["arguments"]
    assert arguments["solver"]["class"] == {"name": "diffrax._solver.heun:Heun"} and arguments["rtol"] == 1e-4
    assert "1025.0" in json.dumps(arguments["fluid"]) and "1.3" in json.dumps(arguments["gait"])
    assert arguments["state"]["fields"]["position"]["array"] == [0.1, 0.0, -0.2]


def test_an_argument_may_be_changed(swim):
    again = anguilla.rerun(swim, progress=False, times=[0.05, 0.1, 0.2])
    assert again["time"].values.tolist() == [0.05, 0.1, 0.2]
    assert np.abs(again["head_twist"].values[-1] - swim["head_twist"].values[-1]).max() < 1e-12
    with pytest.raises(ValueError, match="speed: no argument of cosserat.simulate"):
        anguilla.rerun(swim, speed=3.0)


def test_defaults_are_written_too():
    hinge = mb.revolute(axis=(0.0, 1.0, 0.0), name="hinge", actuated=False)
    arm = mb.Link("arm", "wall", hinge, mass=1.0, centre=(0.5, 0.0, 0.0))
    tree = mb.from_links([mb.Link("wall"), arm], base="fixed")
    fall = mb.simulate(tree, None, t1=0.1, gravity=hydro.EARTH, **SHORT)
    arguments = json.loads(fall.attrs["provenance"])["arguments"]
    assert arguments["solver"]["class"]["name"].endswith(":Dopri5") and arguments["max_steps"] == 100_000
    assert arguments["state"]["fields"]["quaternion"]["array"] == [1.0, 0.0, 0.0, 0.0]
    again = anguilla.rerun(fall, progress=False)
    assert (again["joint_position"].values == fall["joint_position"].values).all()


def test_other_versions_are_said(swim, monkeypatch):
    monkeypatch.setattr("anguilla.results.versions", lambda: {"jax": "0.0.1"})
    with pytest.warns(UserWarning, match=r"jax \S+ -> 0.0.1"):
        anguilla.rerun(swim, progress=False)


def own_gait(X, t):
    return jnp.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.1])


def test_what_a_user_wrote_is_kept_as_text(swim):
    description = describe(own_gait)
    assert "0.1])" in description["source"]
    record = json.loads(swim.attrs["provenance"])
    record["arguments"]["gait"] = description
    changed = swim.assign_attrs(provenance=json.dumps(record))
    with pytest.raises(ValueError, match=r"gait: was written by a user.*as in rerun\(path, gait=mine\)"):
        anguilla.rerun(changed)


@pytest.mark.parametrize(
    "value",
    [
        gaits.dive(),
        cosserat.eel(),
        hydro.Together(hydro.Morison(), hydro.Weight(20.0)),
        cosserat.Panels(panels=3),
        {"a": (1, 2.5, None), "b": [True, "text"]},
        np.linspace(0.0, 1.0, 200).reshape(2, 100),
        jnp.zeros((0, 3)),
        -0.0,
        float("inf"),
        1 / 3,
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_come_back_to_the_last_bit(value):
    back = rebuild(json.loads(json.dumps(describe(value))))
    assert eqx.tree_equal(back, value, typematch=False) and str(back) == str(value)


def test_functions_of_ours_come_back_by_name():
    assert rebuild(describe(gaits.planar)) is gaits.planar
    part = rebuild(describe(functools.partial(gaits.planar, period=2.0)))
    assert part.func is gaits.planar and part.keywords == {"period": 2.0}
    for name in ("os:system", "builtins:exec"):
        with pytest.raises(ValueError, match=f"{name}: not of this toolkit"):
            rebuild({"name": name})


def test_results_without_provenance_are_refused(swim):
    bare = swim.drop_attrs()
    with pytest.raises(ValueError, match="has no `provenance`"):
        anguilla.rerun(bare)
    with pytest.raises(ValueError, match="was made by 'os.system'"):
        anguilla.rerun(swim.assign_attrs(provenance=json.dumps({"call": "os.system", "arguments": {}})))
