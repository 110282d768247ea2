"""Models print themselves: values with their units, also while they are traced."""

import jax
import jax.numpy as jnp

import cosserat
import gaits
import hydro
import multibody as mb
from anguilla import ground


def test_models_print_their_numbers_and_units():
    assert str(cosserat.eel()) == "Beam(2 m, 21.7 kg, 4 pieces, 1000 kg/m³)"
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
