"""Identities of the spatial kernel, at rest, near rest and near π, against scipy and jaxlie."""

import collections
import functools
import types

import equinox as eqx
import jax
import jax.numpy as jnp
import jaxlie
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings, strategies as st

import spatial
from spatial.traced_shapes import result_shape
from spatial.values_read import values_read
from stepping import program

ROUND_OFF = 2e-14  # a few operations on numbers of order one to ten

angles = st.sampled_from([0.0, 1e-12, 1e-7, 1e-3, 0.5, 0.999999, 1.000001, 2.0, np.pi - 1e-7, np.pi, 5.0])
vectors = st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3).filter(lambda v: np.linalg.norm(v) > 1e-3)
sixes = st.lists(st.floats(-3.0, 3.0), min_size=6, max_size=6)
examples = settings(max_examples=60, deadline=None)


def rotation_vector(angle, direction):
    return jnp.asarray(angle * np.array(direction) / np.linalg.norm(direction))


def pose(angle, direction, position):
    return spatial.matrix_from_quaternion(spatial.quaternion_exp(rotation_vector(angle, direction))), jnp.asarray(
        position, float
    )


@examples
@given(angles, vectors)
def test_quaternion_exponential_is_the_matrix_exponential(angle, direction):
    f = rotation_vector(angle, direction)
    matrix = spatial.matrix_from_quaternion(spatial.quaternion_exp(f))
    assert np.abs(matrix - scipy.linalg.expm(np.asarray(spatial.hat(f)))).max() < ROUND_OFF
    assert np.abs(matrix - jaxlie.SO3.exp(f).as_matrix()).max() < ROUND_OFF


@examples
@given(angles, vectors, vectors)
def test_dexp_is_the_derivative_of_the_exponential(angle, direction, v):
    f, v = rotation_vector(angle, direction), jnp.asarray(v)
    curve = lambda s: spatial.matrix_from_quaternion(spatial.quaternion_exp(f + s * v))  # noqa: E731
    R, dR = jax.jvp(curve, (0.0,), (1.0,))
    assert np.abs(dR @ R.T - spatial.hat(spatial.dexp(f, v))).max() < ROUND_OFF


@pytest.mark.parametrize("scale", [0.0, 1e-9, 0.3, 2.0])
def test_third_derivatives_of_the_exponential_are_finite(scale):
    f = scale * jnp.array([0.3, -0.5, 0.8])
    third = jax.jacfwd(jax.jacfwd(jax.jacfwd(spatial.quaternion_exp)))(f)
    assert np.isfinite(third).all()


def test_stumpff_series_and_closed_form_meet():
    below, above = (jnp.stack(spatial.stumpff(jnp.asarray(u))) for u in (1.0 - 1e-15, 1.0 + 1e-15))
    assert np.abs(below - above).max() < 1e-15
    assert np.allclose(jnp.stack(spatial.stumpff(jnp.zeros(()))), [1, 1, 1 / 2, 1 / 6], atol=0, rtol=1e-15)


@examples
@given(angles, vectors, vectors, sixes, sixes)
def test_adjoint_actions(angle, direction, position, x, y):
    R, r = pose(angle, direction, position)
    x, y = jnp.asarray(x), jnp.asarray(y)
    g_hs = jaxlie.SE3.from_rotation_and_translation(jaxlie.SO3.from_matrix(R), r)
    Ad = g_hs.inverse().adjoint()
    assert np.abs(spatial.Ad(R, r) - Ad).max() < ROUND_OFF
    assert np.abs(spatial.twist_from_head(R, r, x) - Ad @ x).max() < 10 * ROUND_OFF
    assert np.abs(spatial.wrench_to_head(R, r, y) - Ad.T @ y).max() < 10 * ROUND_OFF
    # Power does not depend on the frame.
    power = spatial.wrench_to_head(R, r, y) @ x - y @ spatial.twist_from_head(R, r, x)
    assert abs(power) < 1e-12
    # The bracket is carried by Ad, and coadjoint is its transpose.
    carried = Ad @ spatial.bracket(x, y) - spatial.bracket(Ad @ x, Ad @ y)
    assert np.abs(carried).max() < 1e-11
    assert np.abs(spatial.ad(x) @ y - spatial.bracket(x, y)).max() < 1e-12
    assert np.abs(spatial.coadjoint(x, y) - spatial.ad(x).T @ y).max() < 1e-12


@examples
@given(angles, vectors, vectors, sixes)
def test_inertia_shift_keeps_the_kinetic_energy(angle, direction, position, twist):
    R, r = pose(angle, direction, position)
    twist = jnp.asarray(twist)
    about_centre = jnp.diag(jnp.array([0.2, 0.5, 0.6]))
    M = spatial.body_inertia(jnp.asarray(1.7), jnp.array([0.1, -0.2, 0.05]), about_centre)
    for part, wanted in zip(spatial.split_inertia(M), (1.7, [0.1, -0.2, 0.05], about_centre), strict=True):
        np.testing.assert_allclose(part, wanted, atol=1e-15)
    eta = spatial.twist_from_head(R, r, twist)
    shifted = spatial.shift_inertia(R, r, M)
    assert abs(eta @ M @ eta - twist @ shifted @ twist) < 1e-11
    # The same from velocities of the centre of mass.
    v = eta[:3] + jnp.cross(eta[3:], jnp.array([0.1, -0.2, 0.05]))
    assert abs(eta @ M @ eta - (1.7 * v @ v + eta[3:] @ about_centre @ eta[3:])) < 1e-11
    rate = spatial.solve_inertia(shifted, twist)
    assert np.abs(shifted @ rate - twist).max() < 1e-10


def test_quaternion_rate_keeps_the_norm_and_turns():
    q = spatial.quaternion_exp(jnp.array([0.3, 0.2, -0.4]))
    omega = jnp.array([0.5, -1.0, 2.0])
    rate = spatial.quaternion_rate(q, omega)
    assert abs(q @ rate) < 1e-16
    _, dR = jax.jvp(spatial.matrix_from_quaternion, (q,), (rate,))
    assert np.abs(dR - spatial.matrix_from_quaternion(q) @ spatial.hat(omega)).max() < 1e-15


def test_safe_norm_has_a_gradient_at_zero():
    assert np.array_equal(jax.grad(spatial.safe_norm)(jnp.zeros(2)), [0.0, 0.0])
    assert np.allclose(jax.grad(spatial.safe_norm)(jnp.array([3.0, 4.0])), [0.6, 0.8])


@pytest.mark.parametrize(
    "check, message",
    [
        (lambda: spatial.positive("mass", -1.0, "kg"), r"mass = -1\.0: must be finite and positive \[kg\]"),
        (lambda: spatial.positive("mass", np.nan), "mass = nan: must be finite and positive"),
        (lambda: spatial.finite("x", [1.0, np.inf]), r"x = \[1\.0, inf\]: must be finite"),
        (lambda: spatial.finite("x", [1.0], (3,)), r"x has shape \(1,\): must have shape \(3,\)"),
        (lambda: spatial.finite("x", "abc"), "x = 'abc': must be a number"),
        (lambda: spatial.unit("axis", [1.0, 1.0, 0.0], 3), "axis = .*must have unit norm"),
        (lambda: spatial.increasing("times", [0.0, 0.0]), "times = .*must be strictly increasing"),
        (lambda: spatial.one_of("form", "euler", ("a", "b")), "form = 'euler': must be one of 'a', 'b'"),
    ],
)
def test_refusals_name_argument_value_and_rule(check, message):
    with pytest.raises(ValueError, match=message):
        check()


def test_traced_values_are_refused_too():
    refuse = jax.jit(lambda m: spatial.positive("mass", m, "kg") * 2.0)
    assert refuse(1.0) == 2.0
    with pytest.raises(Exception, match="mass must be finite and positive"):
        refuse(-1.0).block_until_ready()


TRACED = collections.deque()  # its content is not among the values that a law reads


def test_the_shape_of_a_result_is_traced_once_for_equal_functions():
    class Law(eqx.Module):
        factor: jax.Array
        unit: str = eqx.field(static=True, default="m")

        def __call__(self, t):
            TRACED.append(self.unit)
            return self.factor * t

    TRACED.clear()
    assert [result_shape(Law(jnp.full(2, x)), 1).shape for x in (1.0, 2.0)] == [(2,), (2,)] and len(TRACED) == 1
    assert result_shape(Law(jnp.ones(3)), 1).shape == (3,) and len(TRACED) == 2
    assert result_shape(Law(jnp.ones(3), "km"), 1).shape == (3,) and len(TRACED) == 3
    with pytest.raises(TypeError):
        result_shape(Law(jnp.ones(3)), 2)


class Holder(eqx.Module):
    """A law whose function is a static part."""

    function: object = eqx.field(static=True)

    def __call__(self, t):
        return self.function(t)


FACTOR, TABLE = 1.0, np.arange(3.0)


def reads_globals(t):
    return FACTOR * TABLE[1] * t


class Stateful:
    factor = 1.0

    def __call__(self, t):
        return self.factor * t


def test_values_that_functions_read(monkeypatch):
    """Globals, arrays changed in place, closures, attributes, partial arguments; in leaves and in static parts."""
    own = Stateful()
    cell = {"factor": 1.0}
    closure = lambda t: cell["factor"] * t  # noqa: E731
    partial = functools.partial(reads_globals)
    for function in (reads_globals, Holder(reads_globals), partial, [closure], own, own.__call__):
        before = values_read(function)
        assert before == values_read(function) and hash(before) == hash(values_read(function))
        with monkeypatch.context() as changed:
            changed.setitem(globals(), "FACTOR", 2.0)
            changed.setattr(own, "factor", 2.0, raising=False)
            changed.setitem(cell, "factor", 2.0)
            assert values_read(function) != before
        assert values_read(function) == before
    before = values_read(reads_globals)
    TABLE[1] = 5.0
    assert values_read(reads_globals) != before
    assert values_read((jnp.ones(3), 1.0, {"a": "text"})) is None


class ReadsGlobal(eqx.Module):
    """A law whose method reads a global."""

    rate: jax.Array

    def __call__(self, t):
        return FACTOR * self.rate * t


class Constants:
    factor = 1.0


SETTINGS = types.SimpleNamespace(factor=1.0)
LAB = types.ModuleType("a_module_of_the_user")
LAB.factor = 1.0


@pytest.mark.parametrize(
    "function, change",
    [
        (ReadsGlobal(jnp.ones(())), lambda to: to.setitem(globals(), "FACTOR", 2.0)),
        (lambda t: Constants.factor * t, lambda to: to.setattr(Constants, "factor", 2.0)),
        (lambda t: SETTINGS.factor * t, lambda to: to.setattr(SETTINGS, "factor", 2.0)),
        (lambda t: LAB.factor * t, lambda to: to.setattr(LAB, "factor", 2.0)),
        (lambda t: Stateful()(t), lambda to: to.setattr(Stateful, "__call__", lambda self, t: 2.0 * t)),
    ],
    ids=["global in a method", "class", "namespace", "module", "method"],
)
def test_programs_follow_what_a_law_reads(function, change, monkeypatch):
    """A change is seen by the next call, and the first value is back when it is undone."""
    twice = program(lambda law, t: 2.0 * law(t))
    assert twice(function, jnp.asarray(3.0)) == 6.0
    before = values_read(function)
    with monkeypatch.context() as changed:
        change(changed)
        assert twice(function, jnp.asarray(3.0)) == 12.0
    assert twice(function, jnp.asarray(3.0)) == 6.0 and values_read(function) == before


def test_a_value_met_first_through_many_objects_is_followed_where_it_is_near():
    """The content of what is reached through more than eight objects counts by identity."""
    held = {"deep": {"factor": [1.0]}}
    nested = functools.reduce(lambda inner, _: [inner], range(6), held)
    function = lambda t, far=nested, near=held: near["deep"]["factor"][0] * t  # noqa: E731
    before = values_read(function)
    held["deep"]["factor"][0] = 2.0
    assert values_read(function) != before


def test_functions_of_libraries_and_functions_compiled_by_jax_are_not_followed():
    """Nothing in them changes in a session; JAX keeps what a compiled function read."""
    for function in (jnp.linalg.norm, jax.jit(reads_globals)):
        assert len(str(values_read(function).values)) < 1000


class Listed(eqx.Module):
    factors: list = eqx.field(static=True)

    def __call__(self, t):
        return jnp.asarray(self.factors) * t


def test_a_static_part_that_cannot_be_hashed_is_traced():
    assert result_shape(Listed([1.0, 2.0]), 1).shape == (2,)


def test_the_shape_of_a_closure_is_traced_each_time():
    """The values that it closes over may be those of a program that is being traced, or may change."""
    size = [2]
    function = lambda t: t * jnp.ones(size[0])  # noqa: E731
    assert result_shape(function, 1).shape == (2,)
    size[0] = 3
    assert result_shape(function, 1).shape == (3,)
    holder = Holder(function)
    assert result_shape(holder, 1).shape == (3,)
    size[0] = 4
    assert result_shape(holder, 1).shape == (4,)
    assert jax.jit(lambda x: jnp.zeros(result_shape(lambda t: t * x, 1).shape))(jnp.ones(4)).shape == (4,)
