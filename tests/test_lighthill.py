"""Lighthill's water on the beam: the independent figures, closed forms, identities, budgets and refusals."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

import cosserat
import gaits
import hydro
from spatial import ad, coadjoint, join
from validation.lighthill_cases import (
    Ribbon,
    fluid_resultant,
    frictionless,
    lighthill_reference,
    reference_rod,
    reference_state,
)

pytestmark = pytest.mark.slow

NESTED = 1e-9  # relative: nine digits of the reference, itself good to 1e-11
FAST = 1e-6  # relative: Gauss panels of the default grid
ROUND_OFF = 1e-10
SECTION = hydro.EllipticSection(jnp.asarray(0.03), jnp.asarray(0.07))
HERE = hydro.Place(jnp.zeros(3), jnp.eye(3))
EEL_WATER = hydro.Lighthill(edge=1.95, friction=0.01, drag_lateral=0.5)


def relative(value, reference):
    reference = np.asarray(reference)
    return np.abs(np.asarray(value) - reference).max() / np.abs(reference).max()


# The independent figures


@pytest.mark.parametrize("path, tolerance", [(cosserat.Panels(), FAST), (cosserat.Nested(), NESTED)])
def test_instants_of_the_reference(path, tolerance):
    worst = 0.0
    for row in lighthill_reference()["results"]:
        gait, state, t = reference_state(row["state"])
        water = frictionless(mass_roll=1.0 if row["variant"] == "full" else 0.0)
        X = [station["X"] for station in row["stations"]]
        fields = cosserat.internal_wrench(reference_rod(row["rod"]), gait, water, state, t, path, stations=X)
        at = lambda name: [station[name] for station in row["stations"]]  # noqa: B023, E731
        errors = [
            relative(fields.head_twist_rate, row["head_acceleration"]),
            # The reference takes the tail side's wrench on the head side.
            relative(-fields.force, at("n")),
            relative(-fields.moment, at("M")),
            relative(fields.carried, at("W")),
            relative(fields.actuator_power, row["strain_power"]),
        ]
        worst = max(worst, *errors)
        assert max(errors) < tolerance
        assert np.abs(fields.tail).max() < 1e-8
    print(f"{type(path).__name__}: head acceleration, n, M, W, power within {worst:.1e}")


class Slender(cosserat.Beam):
    """A body whose sections resist no rotation about t2 and t3."""

    def section_inertia(self, section, X):
        return super().section_inertia(section, X) * jnp.outer(KEPT, KEPT)


KEPT = jnp.asarray([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])


def _slender():
    beam = cosserat.eel()
    return Slender(beam.profile, beam.density, beam.nose_radius, beam.load_panels)


@pytest.mark.parametrize(
    "edge, aft, name, body",
    [
        (1.95, "truncate", "truncate", cosserat.eel),
        (1.95, "truncate", "truncate_no_drag", cosserat.eel),
        ("tail", "truncate", "natural", cosserat.eel),
        (1.95, "hold", "hold_without_rotary_inertia", _slender),
    ],
)
def test_swims_of_the_reference(edge, aft, name, body):
    rows, tolerance = lighthill_reference()["swims"][name], 1e-6
    water = hydro.Lighthill(edge=edge, aft=aft, friction=rows["cf"], drag_lateral=rows["cd"])
    run = cosserat.rollout(body(), gaits.planar(), water, 10.0, times=[0.0, *rows["t"]], rtol=1e-9, atol=1e-10)
    expected = np.asarray(rows["state"])
    world = jax.vmap(lambda k: run.state(k).rotation @ run.twist[k, :3])(jnp.arange(1, 5))
    print(
        f"{name}: place {np.abs(run.position[1:, :2] - expected[:, :2]).max():.1e} m, "
        f"velocity {np.abs(world[:, :2] - expected[:, 3:5]).max():.1e} m/s"
    )
    np.testing.assert_allclose(run.position[1:, :2], expected[:, :2], atol=tolerance)
    np.testing.assert_allclose(world[:, :2], expected[:, 3:5], atol=3 * tolerance)


# Small amplitudes and steady yaw


def test_thrust_and_efficiency_of_small_waves():
    """Mean thrust ¼ m A² (ω² - U² k²) and efficiency ½ (1 + U/c) as A tends to zero, with the next term of each.

    Lighthill's wave runs along the direction of swimming. The ribbon's wave A cos(κX - ωt) is one of arc length, so
    that the wave number of the closed forms is k = κ/⟨cos θ⟩ = κ (1 + ε/4 + ...), with sin θ = -κA sin φ, φ = κX - ωt
    and ε = (κA)². With one wave on the body the tail swims at the steady speed U too: there V1 = -U cos θ + A ω sin φ
    sin θ, V2 = A sin φ (ω cos θ - Uκ). The mean thrust is that of the wrench at the edge, m⟨½ V2² cos θ + V1 V2 sin θ⟩,
    and the wake's power is ½ m⟨-V1 V2²⟩. For ω = 2Uκ the thrust is then 1 - 3/8 ε - 95/192 ε² + O(ε³) times the closed
    form with κ, and 1 - 5/24 ε + O(ε²) times that with k: 8.2e-4 away at A = 0.01 wave lengths. The efficiency is
    3/4 + O(ε²), ε/16 = 2.5e-4 away from ½ (1 + U k/ω).
    """
    rod = cosserat.rod(1.0, 0.01, 1.0 / np.sqrt(1000.0 * np.pi))  # an added mass of 1 kg/m
    water, k, w = frictionless(), 2 * np.pi, 4 * np.pi

    @jax.jit
    def at(ribbon, t):
        state, rate = jax.jvp(lambda t: ribbon.head(t).twist, (t,), (jnp.ones_like(t),))
        head = ribbon.head(t)
        force = head.rotation @ fluid_resultant(rod, ribbon, water, head, t, rate)[:3]
        return -force[0], cosserat.energetics(rod, ribbon, water, head, t).wake

    rows = []
    for row in lighthill_reference()["small_amplitude"]["rows"][2:]:
        ribbon = Ribbon(*map(jnp.asarray, (row["A"], k, w, 1.0)))
        thrust, wake = np.mean([at(ribbon, t) for t in 0.5 * jnp.arange(16) / 16], axis=0)
        assert abs(thrust / row["thrust"] - 1.0) < 1e-7
        assert abs(wake / row["wake"] - 1.0) < 1e-7
        square = (k * row["A"]) ** 2
        projected = k * np.pi / (2.0 * scipy.special.ellipe(square))  # ⟨cos θ⟩ = (2/π) E(ε)
        closed = 0.25 * row["A"] ** 2 * (w**2 - np.array([projected, k]) ** 2)
        rows.append([square, *(thrust / closed), thrust / (thrust + wake) - 0.5 * (1 + projected / w)])
    squares, thrusts, by_arc, efficiencies = np.asarray(rows).T  # at A = 0.02, 0.01, 0.005 of the wave length
    print(f"at A = 0.01: thrust {thrusts[1] - 1:.2e}, efficiency {efficiencies[1]:.2e}")
    assert abs(thrusts[1] - 1.0) < 1e-3 and abs(efficiencies[1]) < 1e-3
    # The next terms of both; those after them are of the relative size ε, with factors of about one.
    assert np.all(np.abs((1.0 - thrusts) / squares - 5 / 24) < 2.0 * squares)
    assert np.all(np.abs(efficiencies / squares + 1 / 16) < 2.0 * squares)
    np.testing.assert_allclose(np.log2((thrusts[:-1] - 1) / (thrusts[1:] - 1)), 2.0, atol=0.1)
    # The limit A = 0: extrapolation with the last two leaves ε²/4 times 95/192, 1.9e-6.
    limit = (4.0 * by_arc[2] - by_arc[1]) / 3.0
    print(f"limit A = 0: thrust {limit - 1:.2e}")
    assert abs(limit - 1.0) < 1e-5


def test_lift_of_a_straight_body_in_steady_yaw():
    yaw, rod = lighthill_reference()["yaw"], reference_rod("tapered")
    still = lambda X, t: jnp.eye(6)[0] + 0.0 * X  # noqa: E731
    state = cosserat.HeadState(twist=[yaw["V1"], yaw["V2"], 0.0, 0.0, 0.0, 0.0])
    force = fluid_resultant(rod, still, frictionless(), state, jnp.zeros(()), jnp.zeros(6))
    expected = [yaw["F1"], yaw["F2"], 0.0, 0.0, 0.0, yaw["M3_about_nose"]]
    print(f"lift in yaw: {np.abs(force - np.asarray(expected)).max():.1e} N, N·m")
    np.testing.assert_allclose(force, expected, atol=ROUND_OFF)


def test_a_force_free_ribbon_moves_with_its_wave():
    """Without resistance the only steady speed of a wave of constant amplitude is the wave's own."""
    rod, water = cosserat.rod(1.0, 0.01, 0.03), frictionless()

    @jax.jit
    def mean_thrust(speed):
        ribbon = Ribbon(*map(jnp.asarray, (0.01, 2 * np.pi, 4 * np.pi)), speed)

        def at(t):
            rate = jax.jvp(lambda t: ribbon.head(t).twist, (t,), (jnp.ones_like(t),))[1]
            head = ribbon.head(t)
            return -(head.rotation @ fluid_resultant(rod, ribbon, water, head, t, rate)[:3])[0]

        return jnp.mean(jax.lax.map(at, 0.5 * jnp.arange(16) / 16))

    slower, faster = mean_thrust(jnp.asarray(1.97)), mean_thrust(jnp.asarray(2.03))
    steady = 1.97 + 0.06 * slower / (slower - faster)  # the thrust is nearly linear so near to its zero
    print(f"force-free ribbon: {steady:.5f} m/s, its wave 2 m/s")
    assert slower > 0 > faster  # c = w/k = 2 m/s
    # Steady at ω/κ (1 + O(ε)), ε = (κA)² = 0.0039.
    assert abs(steady / 2.0 - 1.0) < 0.004


# Identities, at one section


def _section_load(water, X_rate_of_added, added, eta, eta_rate, xi, xi_rate, xi_slope):
    """F̄ = load - A dη/dt + (∂/∂X - ad(ξ)ᵀ) W, with η' = ξ̇ - ad(ξ) η, and the slices."""
    slope = (X_rate_of_added, xi_rate - ad(xi) @ eta, xi_slope)
    through = lambda added, eta, xi: water.carried(added, HERE, eta, xi, xi_rate).wrench  # noqa: E731
    W, dW = jax.jvp(through, (added, eta, xi), slope)
    slices = water.carried(added, HERE, eta, xi, xi_rate)
    return slices.load - slices.inertia @ eta_rate + dW - coadjoint(xi, W), slices


def _random(seed, straight=False, roll=True):
    rng = np.random.default_rng(seed)
    eta, eta_rate, xi_rate, xi_slope = (jnp.asarray(rng.normal(size=6)) for _ in range(4))
    xi = jnp.eye(6)[0] + 0.2 * jnp.asarray(rng.normal(size=6))
    mask = jnp.asarray([0.0, 0, 0, 1, 1, 1]) if straight else jnp.ones(6)
    xi = jnp.eye(6)[0] + mask * (xi - jnp.eye(6)[0])
    scale = jnp.asarray([0.0, 1.0, 1.0, 1.0 if roll else 0.0, 0.0, 0.0])
    added = jnp.diag(scale * jnp.asarray(rng.uniform(1, 3, 6)))
    added_slope = jnp.diag(scale * jnp.asarray(rng.normal(size=6)))
    return added_slope, added, eta, eta_rate, xi, mask * xi_rate, mask * xi_slope


@pytest.mark.parametrize("seed", range(3))
def test_load_along_the_strain_and_energy_of_a_slice(seed):
    water = frictionless()
    added_slope, added, eta, eta_rate, xi, xi_rate, xi_slope = _random(seed)
    load, slices = _section_load(water, added_slope, added, eta, eta_rate, xi, xi_rate, xi_slope)
    zeta = eta - eta[0] / xi[0] * xi
    assert abs(zeta[0]) < 1e-14
    np.testing.assert_allclose(xi @ load, -0.5 * xi[0] * zeta @ added_slope @ zeta, atol=1e-11)
    np.testing.assert_allclose(slices.energy, 0.5 * xi[0] * zeta @ added @ zeta, rtol=1e-12)
    # η·F̄ = -∂ℓ/∂t + ∂(V1 ℓ/Γ1)/∂X, at one section.
    both = lambda added, eta, xi: water.carried(added, HERE, eta, xi, xi_rate)  # noqa: E731
    in_time = jax.jvp(both, (added, eta, xi), (0.0 * added, eta_rate, xi_rate))[1].energy
    along = jax.jvp(both, (added, eta, xi), (added_slope, xi_rate - ad(xi) @ eta, xi_slope))[1].energy_flux
    np.testing.assert_allclose(eta @ load, -in_time - along, atol=1e-11)


def test_load_in_the_plane_and_in_space():
    water = frictionless()
    added_slope, added, eta, eta_rate, xi, xi_rate, xi_slope = _random(5, straight=True, roll=False)
    load, _ = _section_load(water, added_slope, added, eta, eta_rate, xi, xi_rate, xi_slope)
    m2, m3 = added[1, 1], added[2, 2]
    np.testing.assert_allclose(load[3:], [(m2 - m3) * eta[1] * eta[2], 0.0, 0.0], atol=1e-12)

    plane = jnp.asarray([1.0, 1.0, 0, 0, 0, 1.0])
    eta, eta_rate, xi, xi_rate, xi_slope = (plane * x for x in (eta, eta_rate, xi, xi_rate, xi_slope))
    load, _ = _section_load(water, added_slope, added, eta, eta_rate, xi, xi_rate, xi_slope)
    m, dm, (V1, V2), K3 = m2, added_slope[1, 1], eta[:2], xi[5]
    V2_slope = (xi_rate - ad(xi) @ eta)[1]
    expected = [-0.5 * dm * V2**2, -m * (eta_rate[1] - V1 * V2_slope) + dm * V1 * V2 + 0.5 * m * K3 * V2**2]
    np.testing.assert_allclose(load, [*expected, 0, 0, 0, 0], atol=1e-12)


def test_short_form_of_a_body_without_stretch_shear_and_roll():
    """Π = M η and W = V1 Π - ½ ηᵀMη e1, where the slices have no roll inertia or the body no torsion; not otherwise."""

    def short(added, eta):
        momentum = added @ eta
        return momentum, eta[0] * momentum - 0.5 * eta @ momentum * jnp.eye(6)[0]

    for roll, torsion, same in ((False, True, True), (True, False, True), (True, True, False)):
        _, added, eta, _, xi, xi_rate, _ = _random(11, straight=True, roll=roll)
        xi = xi if torsion else xi.at[3].set(0.0)
        slices = frictionless().carried(added, HERE, eta, xi, xi_rate)
        momentum, wrench = short(added, eta)
        assert np.allclose(slices.momentum, momentum, atol=1e-12) == same
        assert np.allclose(slices.wrench, wrench, atol=1e-12) == same


def test_power_of_the_wake_changes_sign_where_the_tail_backs_up():
    """-V1 ℓ/Γ1 at the edge, which is outside the theory for V1 > 0 and not clamped."""
    beam, still = reference_rod("uniform"), lambda X, t: jnp.eye(6)[0] + 0.0 * X
    powers = []
    for V1 in (-0.8, 0.8):
        state = cosserat.HeadState(twist=[V1, 0.3, 0.0, 0.0, 0.0, 0.0])
        powers.append(float(cosserat.energetics(beam, still, frictionless(), state, jnp.zeros(())).wake))
    section = beam.profile(beam.length)
    energy = 0.5 * 1000.0 * np.pi * float(section.c) ** 2 * 0.3**2
    np.testing.assert_allclose(powers, [0.8 * energy, -0.8 * energy], rtol=1e-12)


def test_a_body_that_slides_along_its_own_helix_feels_nothing():
    _, added, _, _, xi, _, _ = _random(7)
    V1, V1_rate = 0.7, 0.3
    load, _ = _section_load(
        frictionless(), jnp.zeros((6, 6)), added, V1 * xi, V1_rate * xi, xi, jnp.zeros(6), jnp.zeros(6)
    )
    np.testing.assert_allclose(load, 0.0, atol=1e-13)


# Budgets of the swimming eel


STATE = cosserat.HeadState([0.1, -0.2, 0.3], [0.6, 0.0, 0.0, 0.8], [-0.4, 0.05, -0.02, 0.1, -0.2, 0.3])
TIME = 1.3
FINE = cosserat.Panels(panels=2)


def _flow_of(beam, gait, water):
    """Sums over the body along the motion: (sums, rates) at STATE and TIME."""

    def sums(position, turn, twist, t):
        spin = jnp.concatenate([jnp.ones(1), 0.5 * turn])
        w, x, y, z = STATE.quaternion
        a, b, c, d = spin / jnp.linalg.norm(spin)
        q = jnp.stack(
            [
                w * a - x * b - y * c - z * d,
                w * b + x * a + y * d - z * c,
                w * c - x * d + y * a + z * b,
                w * d + x * c - y * b + z * a,
            ]
        )
        return cosserat.energetics(beam, gait, water, cosserat.HeadState(position, q, twist), t, FINE)

    rate = cosserat.head_acceleration(beam, gait, water, STATE, TIME, FINE)
    at = (STATE.position, jnp.zeros(3), STATE.twist, jnp.asarray(TIME))
    velocity = (STATE.rotation @ STATE.twist[:3], STATE.twist[3:], rate, jnp.ones(()))
    return jax.jvp(sums, at, velocity)


@pytest.mark.parametrize("aft", ["truncate", "hold"])
def test_power_and_impulse_with_the_wake(aft):
    beam, gait = cosserat.eel(), gaits.spiral()
    # Without resistance, whose kinks in |V|V the panels carry to 1e-6 only, and on two panels: one carries products of
    # the fields of this gait to 1e-6.
    water = frictionless(edge=1.95, aft=aft)
    sums, rates = _flow_of(beam, gait, water)
    power = cosserat.actuator_power(beam, gait, water, STATE, TIME, FINE)
    assert abs(sums.wake) > 1e-3
    print(f"{aft}: power identity {abs(power - (rates.kinetic + rates.added + sums.wake)):.1e} W")
    assert abs(power - (rates.kinetic + rates.added + sums.wake)) < 1e-8

    # What body and slices lose is what the leaving water takes: its wrench at the edge.
    X = [1.95, 2.0]
    fields = cosserat.internal_wrench(beam, gait, water, STATE, TIME, FINE, stations=X)
    k = 0 if aft == "truncate" else 1
    R = hydro.Place(fields.position_w[k], jax.vmap(_matrix)(fields.quaternion)[k])
    force, couple = R.rotation @ fields.carried[k, :3], R.rotation @ fields.carried[k, 3:]
    wrench_w = join(force, couple + jnp.cross(R.position, force))
    assert np.abs(wrench_w).max() > 1e-2
    print(f"{aft}: rate of impulse {np.abs(rates.impulse_w - wrench_w).max():.1e} N, N·m")
    np.testing.assert_allclose(rates.impulse_w, wrench_w, atol=1e-8)


def _matrix(q):
    w, x, y, z = q
    return jnp.asarray(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.mark.parametrize("gait, roll", [(gaits.spiral(), 0.0), (gaits.planar(), 1.0)])
def test_without_an_edge_the_head_moves_as_in_kirchhoffs_water(gait, roll):
    """W vanishes at both ends of the eel, and the slices do not roll or the body does not twist: the head does not feel
    the passing water, and n and M differ by W alone."""
    beam = cosserat.eel()
    kirchhoff = hydro.Morison(added_mass="kirchhoff", nose_drag=0.0, nose_mass=0.0, mass_roll=roll)
    lighthill = hydro.Lighthill(edge="tail", mass_roll=roll)
    X = np.linspace(0.1, 1.9, 7)
    there = cosserat.internal_wrench(beam, gait, kirchhoff, STATE, TIME, FINE, stations=X)
    here = cosserat.internal_wrench(beam, gait, lighthill, STATE, TIME, FINE, stations=X)
    print(f"head as in Kirchhoff's water: {relative(here.head_twist_rate, there.head_twist_rate):.1e}")
    assert relative(here.head_twist_rate, there.head_twist_rate) < ROUND_OFF  # two quadratures of one integral
    np.testing.assert_allclose(here.force, there.force + here.carried[:, :3], atol=1e-6)
    np.testing.assert_allclose(here.moment, there.moment + here.carried[:, 3:], atol=1e-6)


def test_both_paths_agree_behind_an_edge():
    beam, gait = cosserat.eel(), gaits.spiral()
    X = np.linspace(0.0, 2.0, 9)
    fast, nested = (
        cosserat.internal_wrench(beam, gait, EEL_WATER, STATE, TIME, path, stations=X)
        for path in (cosserat.Panels(), cosserat.Nested())
    )
    assert relative(fast.head_twist_rate, nested.head_twist_rate) < FAST
    assert relative(fast.force_w, nested.force_w) < 10 * FAST
    assert np.abs(nested.tail).max() < 1e-8


def test_gradients():
    beam = cosserat.eel()

    def acceleration(parameters):
        density, friction, drag, lateral, roll, offset, speed = parameters
        water = hydro.Lighthill(
            density, edge=1.95, friction=friction, drag_lateral=drag, mass_lateral=lateral, mass_roll=roll
        )
        state = cosserat.HeadState(twist=jnp.asarray([-0.4, 0.05, -0.02, 0.1, -0.2, 0.3]) * speed)
        return cosserat.head_acceleration(beam, gaits.spiral(offset, 0.3), water, state, TIME)

    at = jnp.asarray([1000.0, 0.01, 0.5, 1.0, 1.0, 0.4, 1.0])
    compiled = jax.jit(acceleration)
    jacobian = jax.jit(jax.jacrev(acceleration))(at)
    worst = 0.0
    for k in range(7):
        h = 1e-5 * float(at[k])
        step = h * jnp.eye(7)[k]
        difference = (compiled(at + step) - compiled(at - step)) / (2 * h)
        worst = max(worst, np.abs(jacobian[:, k] - difference).max() / max(np.abs(difference).max(), 1.0))
    print(f"gradients against central differences: {worst:.1e}")
    assert worst < 1e-6


def test_gradients_are_finite_at_rest():
    still = lambda twist: cosserat.head_acceleration(  # noqa: E731
        cosserat.eel(), gaits.spiral(), EEL_WATER, cosserat.HeadState(twist=twist), 0.0
    )
    assert np.all(np.isfinite(jax.jacrev(still)(jnp.zeros(6))))


# Friction


@pytest.mark.parametrize(
    "line, speed, expected",
    [
        ("laminar", 1.0, 1.328e-3),
        ("turbulent", 1.0, 0.074 / 10**1.2),
        ("ittc", 10.0, 0.075 / 25.0),
    ],
)
def test_skin_friction_of_a_plate(line, speed, expected):
    friction = hydro.SkinFriction(line, length=1.0, viscosity=1e-6)
    assert abs(friction(jnp.asarray(speed)) / expected - 1) < 1e-4
    water = hydro.Lighthill(friction=friction)
    loads = water.terms(SECTION, HERE, jnp.asarray([speed, 0, 0, 0, 0, 0.0]))
    np.testing.assert_allclose(
        loads["skin_friction"][0], -0.5e3 * expected * SECTION.true_perimeter * speed**2, rtol=1e-4
    )
    whole = scipy.special.ellipe(1 - (3 / 7) ** 2) * 4 * 0.07
    assert abs(SECTION.true_perimeter / whole - 1) < 1e-4
    slope = jax.jacfwd(lambda eta: water.terms(SECTION, HERE, eta)["skin_friction"])(jnp.zeros(6))
    assert np.all(np.isfinite(slope))


# Refusals


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: hydro.Lighthill(edge="fin"), "edge = 'fin': must be one of 'tail', 'deepest'"),
        (lambda: hydro.Lighthill(aft="keep"), "aft = 'keep': must be one of"),
        (lambda: hydro.Lighthill(friction=-0.1), "Lighthill.friction = -0.1: must be finite and not negative"),
        (lambda: hydro.Lighthill(edge=float("nan")), "edge = nan: must be finite"),
        (lambda: hydro.SkinFriction("rough", 1.0), "SkinFriction.line = 'rough': must be one of"),
        (lambda: hydro.Lighthill(current=lambda x, t: x / 0.0), "returns .*nan.* must be finite"),
        (lambda: hydro.Lighthill(current=lambda x, t: x[:2]), "must be the three components"),
        (lambda: hydro.Lighthill(current=[1.0, 2.0]), r"Lighthill\.current has shape \(2,\)"),
        (lambda: hydro.Together(hydro.Lighthill(), hydro.Lighthill()), "at most one may"),
        (lambda: hydro.Together(hydro.Lighthill(), hydro.Morison()), "added inertia"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize(
    "edge, words",
    [
        (2.1, "edge = 2.1: must lie on the body, between 0 and its length 2"),
        (1.9, r"edge = 1.9: must be a break of the profile.*profile.cut\(1.9\)"),
    ],
)
def test_an_edge_that_the_body_does_not_have(edge, words):
    for use in (cosserat.head_acceleration, cosserat.rollout):
        with pytest.raises(ValueError, match=words):
            use(
                cosserat.eel(),
                gaits.planar(),
                hydro.Lighthill(edge=edge),
                *((cosserat.HeadState(), 0.0) if use is cosserat.head_acceleration else ()),
            )


def test_the_deepest_section_must_be_a_break():
    swollen = hydro.Profile([0.0, 1.0], (lambda X: (0.02 + 0.0 * X, 0.02 + 0.1 * X * (1 - X)),))
    with pytest.raises(ValueError, match=r"near X = 0.5 m, must be a break.*profile.cut\(0.5\)"):
        hydro.Shedding("deepest").check(swollen)
    assert float(hydro.Shedding("deepest").edge(swollen.cut(0.5))) == 0.5
