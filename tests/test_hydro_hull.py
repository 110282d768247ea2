"""Hull, radiation, resistance and oar blade: closed forms, energy, an independent boundary element library."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import hydro
from hydro.radiation_fit import fit_group
from spatial import matrix_from_quaternion, quaternion_exp

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def table():
    return hydro.load_table()


@pytest.fixture(scope="module")
def states():
    return hydro.load_states()


# --- hydrostatics


def test_hydrostatic_wrench_is_the_gradient_of_its_potential():
    G = jnp.asarray(hydro.SCULL.stiffness()).at[2, 4].set(900.0).at[4, 2].set(900.0)
    floats = hydro.LinearHydrostatics(G, 978.0)

    def moved(step):  # a small displacement in the body's frame
        turn = jnp.array([0.1, -0.2, 0.3])
        R = matrix_from_quaternion(quaternion_exp(turn))
        return jnp.array([3.0, 1.0, 0.02]) + R @ step[:3], R @ matrix_from_quaternion(quaternion_exp(step[3:]))

    slope = jax.grad(lambda step: floats.potential(*moved(step)))(jnp.zeros(6))
    np.testing.assert_allclose(floats.wrench(*moved(jnp.zeros(6))), -slope, rtol=1e-11, atol=1e-9)


def test_cardan_rates_turn_angular_velocity_into_rates_of_the_angles():
    turn, spin = jnp.array([0.3, -0.4, 0.8]), jnp.array([0.5, -0.2, 0.7])
    R = lambda t: matrix_from_quaternion(quaternion_exp(turn)) @ matrix_from_quaternion(quaternion_exp(t * spin))  # noqa: E731
    angles, rates = jax.jvp(lambda t: hydro.cardan_angles(R(t)), (0.0,), (1.0,))
    np.testing.assert_allclose(hydro.cardan_rates(angles) @ spin, rates, rtol=1e-12)


def test_hull_in_closed_form():
    """A hull of constant draft and parabolic water plane, whose integrals are known."""
    L, B, T = 6.0, 0.4, 0.1
    hull = hydro.SlenderHull(L, B, T, 2.0, 60.0)
    G = hull.stiffness()
    assert G[2, 2] == pytest.approx(9810.0 * 2 / 3 * L * B, rel=1e-9)
    moment = G[4, 4] / 9810.0 - B * L**3 / 30.0  # second moment of a parabola: 2B/L² ∫ x² ... = B L³/30
    assert -0.1 * hull.volume < moment < 0.0  # the centre of buoyancy lies within the draft
    whole = hydro.SlenderHull(L, B, B / 2, 400.0, 400.0)  # nearly half a circular cylinder
    assert whole.volume == pytest.approx(np.pi * B**2 / 8 * L, rel=1e-2)
    assert whole.wetted_surface == pytest.approx(np.pi * B / 2 * L, rel=1e-2)


# --- resistance and blade


def test_resistance_of_1957():
    line = hydro.Ittc57(7.9, 2.14, form=1.0, waves=0.1, viscosity=1.14e-6)
    speed, ahead = 4.28, jnp.zeros(6).at[0].set(4.28)
    Cf = 0.075 / (np.log10(speed * 7.9 / 1.14e-6) - 2) ** 2
    drag = np.asarray(line.wrench(ahead))
    assert drag[0] == pytest.approx(-0.5 * 1000 * 2.14 * 2.1 * Cf * speed**2, rel=1e-5)
    assert float(line.wrench(-ahead)[0]) == -drag[0] and np.all(drag[1:] == 0)
    slope = jax.grad(lambda u: line.wrench(jnp.zeros(6).at[0].set(u))[0])
    assert slope(0.0) == 0.0 and np.isfinite(slope(1e-12))
    with pytest.raises(ValueError, match="Ittc57.length"):
        hydro.Ittc57(-1.0, 2.0)


def test_blade_bites_one_way_only():
    blade = hydro.OarBlade(1.8, 0.15, area=0.082)
    back = jnp.zeros(6).at[5].set(1.2)  # turns about z: the blade moves along +y and pushes the water
    wrench = np.asarray(blade.wrench(back))
    speed = 1.2 * 1.8 * np.cos(0.15)
    assert wrench[1] == pytest.approx(-1000 * 0.082 * speed**2, rel=1e-12)
    assert wrench[5] == pytest.approx(wrench[1] * 1.8 * np.cos(0.15), rel=1e-12)
    assert wrench @ np.asarray(back) < 0
    assert not np.any(np.asarray(blade.wrench(-back)))
    slope = jax.jacfwd(blade.wrench)(jnp.zeros(6))
    assert not np.any(np.asarray(slope))  # at rest, where the flow turns
    ahead = jnp.zeros(6).at[1].set(-1e-3)
    assert jnp.all(blade.wrench(ahead) == 0)


# --- radiation


def test_kernel_of_a_known_damping():
    """B(ω) = α p ω²/((q-ω²)² + p²ω²) belongs to K(t) = α e^(-pt/2) (cos wt - p/(2w) sin wt)."""
    alpha, p, q = 3.0, 2.0, 25.0
    omega = np.linspace(0.05, 400.0, 16000)
    damping = alpha * p * omega**2 / ((q - omega**2) ** 2 + p**2 * omega**2)
    mass = 7.0 + alpha * (q - omega**2) / ((q - omega**2) ** 2 + p**2 * omega**2)
    stack = lambda values: values[:, None, None] * np.diag([0, 0, 1.0, 0, 0, 0])  # noqa: E731
    table = hydro.RadiationTable(omega, stack(mass), stack(damping), np.diag([0, 0, 7.0, 0, 0, 0]))
    time = np.linspace(0.0, 4.0, 81)
    w = np.sqrt(q - p**2 / 4)
    exact = alpha * np.exp(-0.5 * p * time) * (np.cos(w * time) - 0.5 * p / w * np.sin(w * time))
    np.testing.assert_allclose(table.kernel(time)[:, 2, 2], exact, atol=2e-2 * alpha)  # the cut tail at 400 rad/s
    fitted = hydro.fit_radiation(table, {(2,): 2})
    np.testing.assert_allclose(fitted.kernel(jnp.asarray(time))[:, 2, 2], exact, atol=2e-2 * alpha)
    assert fitted.added_mass[2, 2] == pytest.approx(7.0, rel=1e-3)


def test_stored_states_are_stable_passive_and_free_at_rest(states):
    assert np.linalg.eigvals(np.asarray(states.drift)).real.max() < -0.1
    omega = jnp.concatenate([jnp.linspace(1e-3, 20.0, 1500), jnp.linspace(20.0, 400.0, 500)])
    damping = np.real(np.asarray(states.response(omega)))
    for mode in range(6):
        assert damping[:, mode, mode].min() > -1e-6 * damping[:, mode, mode].max(), mode
    steady = states.read @ jnp.linalg.solve(states.drift, states.feed)
    scale = np.sqrt(np.outer(damping.max(0).diagonal(), damping.max(0).diagonal()))
    assert np.abs(steady / scale).max() < 1e-9


def test_states_answer_a_step_as_the_convolution_does(table, states):
    """At most 1 % of the peak: what the acceptance of the model asks for."""
    step = 0.01
    time = np.arange(0.0, 12.0, step)
    kernel = jnp.asarray(table.kernel(time))
    answer = jax.vmap(lambda k: hydro.convolution(kernel, jnp.broadcast_to(jnp.eye(6)[k], (len(time), 6)), step)[:, k])
    wanted = np.asarray(answer(jnp.arange(6)))
    memory = solve_ivp(
        lambda t, x: np.asarray(states.drift) @ x + np.asarray(states.feed).sum(1),  # one mode feeds one block
        (0.0, time[-1]),
        np.zeros(states.order),
        t_eval=time,
        rtol=1e-8,
        atol=1e-8,
    ).y
    ours = np.asarray(jax.vmap(states.wrench)(jnp.asarray(memory.T))).T
    error = np.abs(ours - wanted).max(axis=1) / np.abs(wanted).max(axis=1)
    assert error.max() <= 0.01, error


def test_error_falls_with_the_order(table):
    time = np.arange(0.0, 8.0, 0.02)
    wanted = table.kernel(time)[:, 2, 2]
    errors = []
    for order in (2, 4, 6):
        A, B, C = fit_group(table, (2,), order)
        from hydro.radiation import Radiation

        wide = Radiation(np.zeros((6, 6)), A, np.eye(6)[2] * B, np.eye(6)[:, [2]] * C)
        errors.append(np.linalg.norm(np.asarray(wide.kernel(jnp.asarray(time)))[:, 2, 2] - wanted))
    errors = np.array(errors) / np.linalg.norm(wanted)
    assert errors[0] > errors[1] > errors[2] and errors[2] < 0.015, errors


def test_added_mass_at_infinite_frequency_two_ways(table):
    """Ogilvie's relation from the damping alone against the direct solution of the library."""
    ogilvie, direct = table.high_frequency_mass(), table.high_frequency
    for mode in (2, 4):
        assert ogilvie[mode, mode] == pytest.approx(direct[mode, mode], rel=0.02)


def test_unstable_states_are_refused():
    with pytest.raises(ValueError, match="real part"):
        hydro.Radiation(np.zeros((6, 6)), [[0.1]], np.ones((1, 6)), np.ones((6, 1)))
    with pytest.raises(ValueError, match="two states"):
        hydro.fit_radiation(hydro.load_table(), {(0, 4): 2})


# --- capytaine


def test_hemisphere_tends_to_its_two_limits():
    """Heave: 0.831 of the displaced mass at low frequency, 0.5 at high frequency (Hulme 1982)."""
    from hydro.hull_table import hemisphere, solve_radiation

    mass, _ = solve_radiation(hemisphere(1.0, (20, 40)), np.array([0.02, np.inf]), ("Heave",))
    share = mass[:, 0, 0] / (2.0 / 3.0 * np.pi * 1000.0)
    assert share[0] == pytest.approx(0.831, rel=0.02) and share[1] == pytest.approx(0.5, rel=0.02)


def test_capytaine_reproduces_the_stored_table(table):
    from hydro.hull_table import slender_body, solve_radiation

    rows = [12, 40]
    mass, damping = solve_radiation(slender_body(hydro.SCULL), table.frequency[rows], ("Heave", "Pitch"))
    pair = np.ix_(rows, (2, 4), (2, 4))
    for ours, stored in ((mass, table.added_mass[pair]), (damping, table.damping[pair])):
        for mode in range(2):
            np.testing.assert_allclose(ours[:, mode, mode], stored[:, mode, mode], rtol=0.02)
