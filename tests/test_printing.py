"""Models print themselves: values with their units, also while they are traced."""

import importlib
import inspect

import equinox as eqx
import jax
import jax.numpy as jnp

import cosserat
import gaits
import gaits.feedback as fb
import hydro
import multibody as mb
from anguilla import ground


def test_models_print_their_numbers_and_units():
    assert str(cosserat.eel()) == "Beam(2 m, 21.7 kg, 4 pieces, 1000 kg/m³)"
    loaded = cosserat.rod(0.5, 0.015, 0.02, masses=[(0.1, 0.05), (0.3, 0.05)])  # its profile has breaks at the masses
    assert str(loaded) == "Beam(0.5 m, 0.5712 kg, 1 piece, 1000 kg/m³, 2 point masses, 0.1 kg together)"
    assert str(gaits.Strain()) == "Strain(straight)"
    turn = str(gaits.turn())
    assert turn.startswith(
        "Strain(K3 = Start(span (0, 1) s) * (TravellingWave(amplitude (1, -0.75, 1), wavelength 1 m,"
    )
    assert "density 1000 kg/m³" in str(hydro.Morison())
    both = str(hydro.Together(hydro.Weight(900.0), hydro.FreeSurface()))
    assert "Weight(density 900 kg/m³" in both and "FreeSurface(density 1000 kg/m³" in both
    assert "twist (0, 0, 0, 0, 0, 0) m/s, rad/s" in str(cosserat.HeadState())
    chain = mb.from_beam(cosserat.rod(1.0, 0.02, 0.04), 3)
    assert str(chain) == "Tree(base floating, 3 bodies, 2.513 kg; joints: 2 spherical; 2 actuated, 0 passive)"


def test_soft_bodies_say_what_is_free_and_by_which_law():
    soft = cosserat.Soft(
        cosserat.rod(1.0, 0.02, 0.04), cosserat.FreeStrains(start=0.5, modes={"K3": 4}), cosserat.Elastic(1e5)
    )
    assert "FreeStrains(K3: 4 modes, from 0.5 m to the tail, Legendre())" in str(soft)
    assert "Elastic(young 1e+05 Pa" in str(soft) and str(soft).endswith("Free())")
    assert soft._repr_html_().count("<polygon") == 2
    assert "q (0, 0) -, 1/m" in str(cosserat.SoftState([0.0, 0.0]))
    assert "Wheels(" in str(ground.Wheels([0.1, 0.5, 0.9]))


def test_notebooks_show_a_table_or_a_drawing():
    assert "<td>density</td><td>1000</td><td>kg/m³</td>" in hydro.Morison()._repr_html_()
    assert cosserat.eel()._repr_html_().count("<polygon") == 2
    chain = mb.from_beam(cosserat.rod(1.0, 0.02, 0.03), 3)._repr_html_()
    assert chain.count("<polygon") == 2 * 3 and chain.count("<circle") == 2 * 2  # links and joints, seen twice
    bare = mb.from_links([mb.Link("base", mass=1.0), mb.Link("arm", "base", mb.revolute(name="a<b"), mass=1.0)])
    assert "a&lt;b" in bare._repr_html_()


def test_traced_models_print_their_shapes():
    seen = []

    def swim(amplitude):
        seen.append(str(gaits.planar(amplitude=amplitude)))
        seen.append(cosserat.rod(amplitude[0], 0.1, 0.2)._repr_html_())
        return amplitude

    jax.jit(swim)(jnp.ones(3))
    assert "amplitude traced[3]" in seen[0] and "traced[] m" in seen[1]


def test_no_public_class_prints_as_a_list_of_arrays():
    """Every class that users get from a public package has a text of its own: values with units."""
    own = ("cosserat", "gaits", "hydro", "multibody", "anguilla")
    packages = (*own, "gaits.feedback", "anguilla.ground", "anguilla.learn", "anguilla.robots.vertebra")
    inner = {"AbstractBodyView", "Carried", "Place", "RollingWrench"}  # what fluids and controllers are called with
    silent = set()
    for package in map(importlib.import_module, packages):
        for name in dir(package):
            kind = getattr(package, name)
            if inspect.isclass(kind) and issubclass(kind, eqx.Module) and kind.__module__.split(".")[0] in own:
                own_text = kind.__str__ is not object.__str__ and kind.__repr__ is not eqx.Module.__repr__
                silent |= set() if own_text else {name} - inner
    assert not silent


def test_the_repr_of_a_model_is_its_text():
    """Also where its arrays were replaced, and where the text alone would not tell the class."""
    beam, wave = cosserat.eel(), gaits.TravellingWave(amplitude=(1.0, 0.5), wavelength=1.5, period=1.0)
    chain = mb.from_beam(cosserat.rod(1.0, 0.02, 0.04), 3)
    soft = cosserat.Soft(beam, cosserat.FreeStrains(modes=2), cosserat.Elastic(1e5))
    for model in (beam, wave, chain, soft, gaits.turn(), hydro.Morison(), beam.profile, cosserat.HeadState()):
        assert repr(model) == str(model)
    assert repr(gaits.Constant(2.0)) == "Constant(2)" and repr(wave + 2.0) == f"Sum({wave + 2.0})"
    for part in eqx.partition(beam, eqx.is_array):
        assert repr(part).startswith("Beam(")


def test_results_print_what_they_found():
    time, zero = jnp.linspace(0.0, 2.0, 3), jnp.zeros(())
    run = cosserat.Trajectory(
        time=time,
        position=jnp.outer(time, jnp.array([-1.0, 0.0, 0.0])),
        quaternion=jnp.tile(jnp.array([1.0, 0, 0, 0]), (3, 1)),
        twist=jnp.zeros((3, 6)),
        steps=jnp.zeros(2, int),
        succeeded=jnp.asarray(True),
        limits=None,
    )
    assert str(run) == "Trajectory(3 instants, from (0, 0, 0) m at 0 s to (-2, 0, 0) m at 2 s)"
    orbit = gaits.Orbit(jnp.zeros(2), zero, jnp.eye(2), jnp.array([0.5 + 0j, 0.1]), jnp.asarray(True))
    assert str(orbit) == "Orbit(2 states, stable, residual 0, largest multiplier 0.5)"
    hold = gaits.Steered(fb.Offset(gaits.planar(), "K3"), fb.HeadingHold(reference=0.3, gain=2.0), servo=fb.Servo(1.0))
    assert "HeadingHold(reference 0.3 rad" in str(hold) and "frequency 1 Hz" in str(hold)
    assert "forward 0.1, " in str(ground.Friction(forward=0.1, sideways=0.6)) and "BPK06" not in str(hydro.Morison())
    assert "<polygon" in cosserat.eel().profile._repr_html_() and "K3" in str(gaits.planar())
