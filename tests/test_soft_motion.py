"""Soft beams in time: independent figures, conservation, limits, gradients.

The figures of `validation/data/soft_reference.json` come from two programs that share no code with this one: modal
equations by Kane, and rigid links or nodal elements extrapolated.
"""

import json
from pathlib import Path

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import cosserat
import gaits
import hydro
import multibody
from cosserat.energy import soft_energetics
from cosserat.soft.instant import soft_instant
from cosserat.soft.sampled_soft import sample_soft
from cosserat.soft.soft_beam import unchecked_soft_state
from cosserat.state import unchecked_state
from spatial import quaternion_rate

pytestmark = pytest.mark.slow

REFERENCE = json.loads((Path(__file__).parents[1] / "validation/data/soft_reference.json").read_text())
BENDING = [1.0, 1.0, 1.0, 1.0, 1.0, 0.15]  # only EI3 matters where only K3 is free


def slender():
    """The uniform elliptic rod of the two swimming cases."""
    return cosserat.rod(1.0, 0.02, 0.04, 1000.0)


def water(drag=1.0):
    """Kirchhoff's added mass across the body, and drag along and across it."""
    return hydro.Morison(
        drag_axial=0.01 * drag,
        drag_lateral=1.5 * drag,
        drag_dorsal=0.0,
        drag_roll=0.0,
        mass_dorsal=0.0,
        mass_roll=0.0,
        added_mass="kirchhoff",
    )


def front_wave(X, t):
    """K3 = 4 sin²(2πX) s(t) sin 2π(X - t) on the front half, with a start of nine degrees of smoothness."""
    x = jnp.minimum(t, 1.0)
    start = x**5 * (126.0 - 420.0 * x + 540.0 * x**2 - 315.0 * x**3 + 70.0 * x**4)
    K3 = 4.0 * jnp.sin(2.0 * jnp.pi * X) ** 2 * start * jnp.sin(2.0 * jnp.pi * (X - t))
    return jnp.zeros(6).at[0].set(1.0).at[5].set(K3)


def heading(state):
    R = np.asarray(state.rotation)
    return np.arctan2(R[1, 0], R[0, 0])


def tail_of(soft, state, gait=None, t=0.0):
    """Position of the tail in the plane."""
    place, _ = cosserat.tail_pose(soft, state.q, gait=gait, t=t)
    return np.asarray(state.position + state.rotation @ place)[:2]


def curvature_of(soft, state, stations):
    return np.asarray([float(soft.free_strain(jnp.asarray(X), state.q)[5]) for X in stations])


@pytest.mark.parametrize("how", [{"dt0": 0.01}, {"rtol": 1e-7, "atol": 1e-9}], ids=["equal steps", "adaptive steps"])
def test_an_actuated_front_with_a_passive_tail_swims_as_computed_independently(how):
    """Imposed front, Kelvin-Voigt tail, drag: five digits, of the curvature too."""
    soft = cosserat.Soft(
        slender(), cosserat.FreeStrains(0.5, modes={"K3": 14}), cosserat.Springs(BENDING, damping_time=0.05)
    )
    run = cosserat.rollout(soft, front_wave, water(), 2.0, samples=3, method="implicit", **how)
    case = REFERENCE["case4_swim"]
    for k, expected in enumerate((case["times"]["1"], case["times"]["2"]), 1):
        state = run.state(k)
        assert np.abs(np.asarray(run.position[k, :2]) - np.asarray(expected["head"])).max() < 1e-6
        assert abs(heading(state) - expected["th_head"]) < 1e-6
        assert abs(float(run.twist[k, 5]) - expected["w_head"]) < 1e-6
        tail = tail_of(soft, state, front_wave, run.time[k])
        assert np.abs(tail - np.asarray(expected["tail"])).max() < 1e-6
        K = curvature_of(soft, state, case["curvature_stations"])
        assert np.abs(K - np.asarray(expected["K"])).max() < 1e-5
        sampled = sample_soft(soft, water(), 32, 1)
        assert float(sampled.elastic_energy(state.q)) == pytest.approx(expected["U"], rel=1e-5)


def released(modes, **how):
    """A body released from a bent shape in water without drag, its run, and its sums at the output times."""
    soft = cosserat.Soft(slender(), modes, cosserat.Springs(BENDING, damping_time=0.01))
    head = cosserat.HeadState(twist=[0.1, 0.05, 0, 0, 0, 0.3])
    bent = lambda X: jnp.zeros(6).at[0].set(1.0).at[5].set(4.0 * jnp.sin(jnp.pi * X) ** 2)  # noqa: E731
    run = cosserat.rollout(soft, None, water(0.0), 0.5, state=cosserat.soft_state(soft, bent, head), **how)
    sampled = sample_soft(soft, water(0.0), 32, 1)

    def sums(k):
        now = soft_instant(sampled, None, water(0.0), run.state(k), run.time[k])
        return soft_energetics(sampled, water(0.0), now)

    return soft, run, eqx.filter_jit(lambda: jax.lax.map(sums, jnp.arange(run.time.shape[0])))()


def test_a_released_body_moves_as_computed_independently():
    """Two pieces of twelve modes, by adaptive implicit steps: five digits, of the curvature too."""
    modes = [cosserat.FreeStrains(0.0, 0.5, modes={"K3": 12}), cosserat.FreeStrains(0.5, modes={"K3": 12})]
    soft, run, sums = released(modes, samples=3, method="implicit", rtol=1e-7, atol=1e-9)
    case = REFERENCE["case4_dead_kv"]
    for k, expected in ((1, case["times"]["0.25"]), (2, case["times"]["0.5"])):
        state = run.state(k)
        assert np.abs(np.asarray(run.position[k, :2]) - np.asarray(expected["head"])).max() < 1e-6
        assert np.abs(tail_of(soft, state) - np.asarray(expected["tail"])).max() < 1e-6
        assert abs(heading(state) - expected["th_head"]) < 5e-6
        K = curvature_of(soft, state, case["curvature_stations"])
        assert np.abs(K - np.asarray(expected["K"])).max() < 1e-5
        assert float(sums.elastic[k]) == pytest.approx(expected["U"], rel=1e-4)


def test_a_clamped_rod_swings_down_as_computed_independently():
    """Extension, shear and bending with Kelvin-Voigt damping, ten modes each; the reference holds 1.5e-6 m."""
    soft = cosserat.Soft(
        cosserat.rod(0.4, 0.01, 0.015, 1100.0),
        cosserat.FreeStrains(modes=dict.fromkeys(("G1", "G2", "K3"), 10)),
        cosserat.Elastic(2e6, poisson=0.5, damping_time=0.01),
        head=cosserat.Clamped(),
    )
    times = [0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 1.0]
    gravity = [0.0, -9.81, 0.0]
    run = cosserat.rollout(soft, None, None, 1.0, gravity=gravity, times=times, rtol=1e-7, atol=1e-9, land=True)
    tips = eqx.filter_jit(jax.vmap(lambda q: cosserat.tail_pose(soft, q)[0]))(run.q)
    case = REFERENCE["swingdown_2d"]["times"]
    for k, t in enumerate(("0.1", "0.2", "0.3", "0.4", "0.6", "1"), 1):
        assert np.abs(np.asarray(tips[k]) - np.asarray(case[t]["tip"])).max() < 2e-6, t


def test_without_drag_impulse_and_energy_are_kept():
    """Total impulse, and kinetic, added and elastic energy with what the damping has taken, whatever the modes."""
    how = {"samples": 201, "method": "adaptive", "solver": diffrax.Dopri8(), "rtol": 1e-11, "atol": 1e-13}
    _, run, sums = released(cosserat.FreeStrains(modes={"K3": 3}), land=True, **how)
    impulse = np.asarray(sums.impulse_w)
    assert np.abs(impulse - impulse[:1]).max() < 1e-9
    loss = make_interp_spline(np.asarray(run.time), np.asarray(sums.viscous), k=7).antiderivative()
    energy = np.asarray(sums.kinetic + sums.added + sums.elastic) + loss(np.asarray(run.time))
    assert np.abs(energy - energy[0]).max() < 1e-8
    assert float(loss(0.5)) > 0.005


def test_flying_spaghetti():
    """A free rod thrown by a smooth load on its tail: six digits of the tip, momentum, energy for 10 s after the load.

    Ten modes a strain leave 3e-7 m. The tolerance of the steps keeps their error below the round-off of the sums.
    """
    b = np.sqrt(40.0)  # ρI3 = 10 with ρA = 1
    rod = cosserat.rod(10.0, b, 1.0, 1.0 / (np.pi * b))
    smooth = lambda t: 80.0 * 256.0 * (t / 5.0) ** 4 * (1.0 - t / 5.0) ** 4  # noqa: E731
    history = lambda t: jnp.where(t < 5.0, smooth(t), 0.0)  # noqa: E731
    load = cosserat.EndLoad(force=[0.1, 0, 0], moment=[0, 0, -1.0], history=history, break_times=[5.0])
    modes = cosserat.FreeStrains(modes={"G1": 10, "G2": 10, "K3": 10})
    soft = cosserat.Soft(rod, modes, cosserat.Springs([1e4, 1e4, 1e4, 500.0, 500.0, 500.0]), loads=load)
    angle = np.arctan2(-0.8, 0.6)
    head = cosserat.HeadState([0.0, 8.0, 0.0], [np.cos(angle / 2), 0, 0, np.sin(angle / 2)])
    how = {"method": "adaptive", "solver": diffrax.Dopri8(), "rtol": 1e-9, "atol": 1e-11, "land": True}
    run = cosserat.rollout(soft, None, hydro.Void(), 15.0, state=head, samples=13, **how)
    sampled = sample_soft(soft, hydro.Void(), 32, 1)

    def instant(k):
        state = run.state(k)
        place, _ = cosserat.tail_pose(soft, state.q)
        sums = soft_energetics(sampled, hydro.Void(), soft_instant(sampled, None, hydro.Void(), state, run.time[k]))
        return state.position + state.rotation @ place, sums

    tip, sums = eqx.filter_jit(lambda: jax.lax.map(instant, jnp.arange(13)))()
    for t, expected in REFERENCE["fs2d_smooth"]["times"].items():
        k = round(float(t) / 1.25)
        assert np.abs(np.asarray(tip[k]) - np.asarray(expected["tip"])).max() < 1e-6
        assert np.abs(np.asarray(sums.centre_w[k]) - np.asarray(expected["com"])).max() < 1e-6
    impulse = np.polynomial.Polynomial([1.0, -0.2]) ** 4 * np.polynomial.Polynomial([0, 0.2]) ** 4
    impulse = (80.0 * 256.0 * 0.1 * impulse).integ()
    given = np.asarray([impulse(min(t, 5.0)) for t in np.asarray(run.time)])
    assert np.abs(np.asarray(sums.momentum_w[:, 0]) - given).max() < 1e-9
    assert np.abs(np.asarray(sums.momentum_w[:, 1:3])).max() < 1e-9
    energy = np.asarray(sums.kinetic + sums.elastic)[4:]  # from t = 5 s on
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-7


@pytest.mark.parametrize("how", [{"dt0": 0.1}, {}], ids=["equal steps", "adaptive steps"])
def test_steps_end_where_a_load_jumps(how):
    """A force that stops within a step leaves the momentum force times duration, to the tolerance of the steps."""
    pulse = {"history": lambda t: jnp.where(t < 0.33, 1.0, 0.0), "break_times": [0.33]}
    modes = cosserat.FreeStrains(modes={"K3": 1})
    loads = [cosserat.EndLoad([0.2, 0, 0], **pulse), cosserat.DistributedLoad([0, 0.3, 0, 0, 0, 0], **pulse)]
    soft = cosserat.Soft(slender(), modes, cosserat.Springs(BENDING, damping_time=0.01), loads=loads)
    run = cosserat.rollout(soft, None, hydro.Void(), 0.6, samples=2, **how)
    sampled, state = sample_soft(soft, hydro.Void(), 32, 1), run.state(1)
    instant = eqx.filter_jit(lambda: soft_instant(sampled, None, hydro.Void(), state, run.time[1]))()
    sums = soft_energetics(sampled, hydro.Void(), instant)
    # A step across the jump would miss by a part of force times step, 1e-2; with the jump at its end, by h⁵.
    assert np.abs(np.asarray(sums.momentum_w[:2]) - 0.33 * np.asarray([0.2, 0.3])).max() < 2e-5


def test_chain_of_the_other_engine_moves_as_the_soft_beam_at_second_order():
    """A bent body let go in water, with drag: the path of the head, for 11, 21 and 41 links on springs EI/h.

    Small vibrations of the chain have no error of second order (its dispersion cancels it), large bends have.
    """
    bent = lambda X: jnp.zeros(6).at[0].set(1.0).at[5].set(4.0 * jnp.sin(jnp.pi * X) ** 2)  # noqa: E731
    how = {"samples": 4, "solver": diffrax.Dopri8(), "rtol": 1e-9, "atol": 1e-11}
    soft = cosserat.Soft(slender(), cosserat.FreeStrains(modes={"K3": 16}), cosserat.Springs(BENDING))
    start = cosserat.soft_state(soft, bent)
    exact = cosserat.rollout(soft, None, water(), 0.3, state=start, method="adaptive", land=True, **how).position
    errors = []
    for links in (11, 21, 41):
        tree = multibody.from_beam(slender(), links, passive=(0.0, 1.0), stiffness=jnp.asarray([1.0, 1.0, BENDING[5]]))
        joints = multibody.strain_law(lambda X, t: bent(X), 1.0, links)(jnp.zeros(()))
        path = multibody.rollout(tree, None, water(), 0.3, joints=joints, **how).position
        errors.append(np.linalg.norm(np.asarray(path - exact)))
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.abs(orders - 2.0).max() < 0.1
    assert errors[-1] < 1e-3 * np.linalg.norm(np.asarray(exact))


def test_power_identity_of_actuators_springs_dampers_and_water():
    """Actuators = d/dt(T + T_a + U) + viscous loss + what the water takes, at one instant, by the chain rule."""
    soft = cosserat.Soft(
        cosserat.eel(),
        cosserat.FreeStrains(1.2, modes={"K2": 3, "K3": 3}),
        cosserat.Elastic(1e5, damping_time=0.05),
        actuators=cosserat.ActiveStress(lambda X, t: jnp.zeros(6).at[4].set(0.2 * jnp.sin(3.0 * X - 5.0 * t))),
        loads=cosserat.EndLoad(force=[0.0, 0.3, 0.1]),
    )
    gait, fluid, t = gaits.spiral(), hydro.Morison(added_mass="kirchhoff"), jnp.asarray(2.3)
    sampled = sample_soft(soft, fluid, 32, 1)
    rng = np.random.default_rng(4)
    q, dq = jnp.asarray(0.3 * rng.normal(size=(2, 6)))
    state = unchecked_soft_state(cosserat.HeadState(twist=[-0.3, 0.02, 0.01, 0.1, 0.05, -0.04]), q, dq)

    def energy(state, t):
        sums = soft_energetics(sampled, fluid, soft_instant(sampled, gait, fluid, state, t))
        return sums.kinetic + sums.added + sums.elastic

    @eqx.filter_jit
    def instant():
        now = soft_instant(sampled, gait, fluid, state, t)
        head = state.head
        rates = unchecked_soft_state(
            unchecked_state(
                head.rotation @ head.twist[:3], quaternion_rate(head.quaternion, head.twist[3:]), now.rates[:6]
            ),
            dq,
            now.rates[6:],
        )
        _, rate = jax.jvp(energy, (state, t), (rates, jnp.ones(())))
        return soft_energetics(sampled, fluid, now), rate

    sums, rate = instant()
    fields = cosserat.internal_wrench(soft, gait, fluid, state, t)
    given = fields.actuator_power + sums.active + sums.loads
    taken = rate + sums.viscous + sums.dissipation - sums.convective
    assert abs(float(given - taken)) < 1e-8
    assert abs(float(sums.active)) > 1e-4 and abs(float(sums.loads)) > 1e-4 and float(sums.viscous) > 1e-4
    assert np.abs(np.asarray(fields.tail)).max() < 1e-8


def test_no_free_strain_is_the_beam_to_the_bit():
    none = cosserat.Soft(cosserat.eel(), (), cosserat.Elastic(1e5))
    one = cosserat.rollout(none, gaits.planar(), hydro.Morison(), 0.5, samples=3)
    other = cosserat.rollout(cosserat.eel(), gaits.planar(), hydro.Morison(), 0.5, samples=3)
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        assert np.array_equal(np.asarray(a), np.asarray(b))


def test_stiffness_to_infinity_is_the_imposed_swim_at_first_order():
    """Springs in series with the wave: four times stiffer, a quarter of the difference."""
    gait = gaits.planar_bending(gaits.TravellingWave(amplitude=1.0, wavelength=1.0, period=1.0))
    rigid = cosserat.rollout(slender(), gait, water(), 0.5, samples=2, rtol=1e-10, atol=1e-12)

    def swim(factor):
        soft = cosserat.Soft(
            slender(),
            cosserat.FreeStrains(modes={"K3": 4}, in_series=True),
            cosserat.Springs(jnp.asarray(BENDING) * factor, damping_time=0.05),
        )
        start = cosserat.HeadState()
        return cosserat.rollout(soft, gait, water(), 0.5, samples=2, state=start, method="implicit", dt0=0.01)

    away = [np.linalg.norm(np.asarray(swim(f).position[-1] - rigid.position[-1])) for f in (1e3, 4e3)]
    assert away[0] / away[1] == pytest.approx(4.0, rel=0.1)


def test_a_moved_head_is_a_clamped_one_in_a_field_of_inertia():
    """A head led with constant acceleration a feels what a clamped one feels under the gravity -a."""
    body = cosserat.rod(0.4, 0.01, 0.015, 1100.0)
    parts = (body, cosserat.FreeStrains(modes={"K2": 2, "K3": 3}), cosserat.Elastic(2e6, damping_time=0.01))
    up = jnp.asarray([1.0, 0.0, 0.0, 0.0])
    a = jnp.asarray([0.5, 3.0, -1.0])
    led = cosserat.Soft(*parts, head=cosserat.Moved(lambda t: (0.5 * a * t**2, up)))
    held = cosserat.Soft(*parts, head=cosserat.Clamped())
    how = {"samples": 3, "method": "implicit", "dt0": 0.005}
    one = cosserat.rollout(led, None, hydro.Void(), 0.1, **how)
    other = cosserat.rollout(held, None, hydro.Weight(1100.0, -a), 0.1, **how)
    assert np.abs(np.asarray(one.q - other.q)).max() < 1e-10
    assert np.abs(np.asarray(one.q)).max() > 0.1
    assert np.asarray(one.position[-1]) == pytest.approx(0.5 * np.asarray(a) * 0.01)


def test_a_pinned_rod_begins_to_fall_as_a_pendulum():
    """A straight rod let go horizontally: dω/dt = 3g/2L for a rigid one, here with its modes at rest in a stiff law."""
    body = cosserat.rod(1.0, 1e-3, 1e-3, 1000.0)
    soft = cosserat.Soft(
        body, cosserat.FreeStrains(modes={"K3": 1}), cosserat.Springs([1, 1, 1, 1, 1, 1e9]), head=cosserat.Pinned()
    )
    fluid = hydro.Weight(1000.0, (0.0, -9.81, 0.0))
    sampled = sample_soft(soft, fluid, 32, 1)
    # A rigid pendulum is the limit in which the modes do not move: their row is left out.
    state = cosserat.SoftState([0.0])
    now = soft_instant(sampled, None, fluid, state, jnp.zeros(()))
    first = now.first.dynamics
    assert np.asarray(now.reaction[3:]) == pytest.approx(np.zeros(3), abs=1e-9)  # a ball joint bears no moment
    assert np.abs(np.asarray(first.twist_rate[:3])).max() == 0.0
    rigid = cosserat.head_dynamics(body, soft.imposed(None), fluid, cosserat.HeadState(), 0.0)
    alone = np.asarray(rigid.wrench)[5] / np.asarray(rigid.inertia)[5, 5]
    assert alone == pytest.approx(-1.5 * 9.81, rel=1e-5)
    assert float(now.reaction[1]) > 0.0


def test_distance_is_differentiated_by_stiffness_damping_and_gait():
    """Reverse and forward derivatives of the discrete motion against central differences."""

    @jax.jit
    def distance(x):
        wave = gaits.TravellingWave(amplitude=x[2], wavelength=1.0, period=1.0)
        soft = cosserat.Soft(
            slender(),
            cosserat.FreeStrains(0.5, modes={"K3": 3}),
            cosserat.Springs(jnp.asarray(BENDING) * x[0], damping_time=x[1]),
        )
        run = cosserat.rollout(
            soft, gaits.planar_bending(wave), water(), 0.4, samples=2, method="implicit", dt0=0.04, throw=False
        )
        return run.position[-1, 0]

    x, h = jnp.asarray([1.0, 0.05, 2.0]), 1e-4
    scale = jnp.asarray([1.0, 0.1, 1.0])
    differences = [(distance(x + h * scale * e) - distance(x - h * scale * e)) / (2 * h) for e in jnp.eye(3)]
    size = np.abs(np.asarray(differences)).max()
    for derivative in (jax.grad(distance), jax.jacfwd(distance)):
        assert np.abs(np.asarray(derivative(x) * scale) - np.asarray(differences)).max() < 1e-6 * size


def test_a_steady_swim_repeats_under_explicit_steps():
    """The periodic orbit of head and modes, found by implicit steps, closes under an explicit method as well.

    32 steps of fifth order in a period leave about 1e-5 of the greatest value. Drag and damping let nothing grow;
    motions out of the plane, against which the drag is quadratic, keep multipliers near one.
    """
    tail = cosserat.FreeStrains(0.5, modes={"K3": 2})
    soft = cosserat.Soft(slender(), tail, cosserat.Springs(BENDING, damping_time=0.05))
    gait = gaits.planar_bending(gaits.TravellingWave(amplitude=2.0, wavelength=1.0, period=1.0))
    cycle = cosserat.steady_swim(soft, gait, hydro.Morison(), stations=3)
    begin = np.asarray(cycle.start)
    state = cosserat.SoftState(begin[6:8], begin[8:], cosserat.HeadState(twist=begin[:6]))
    t0 = float(cycle.time[0])
    how = {"t0": t0, "state": state, "samples": 2, "method": "adaptive", "rtol": 1e-8, "atol": 1e-10}
    run = cosserat.rollout(soft, gait, hydro.Morison(), t0 + 1.0, **how)
    end = np.concatenate([np.asarray(x[-1]) for x in (run.twist, run.q, run.dq)])
    assert np.abs(end - begin).max() < 1e-4 * np.abs(begin).max()
    assert np.abs(np.asarray(run.position[-1] - cycle.displacement)).max() < 1e-4
    assert len(cycle.multipliers) == 10 and np.abs(np.asarray(cycle.multipliers)).max() < 1.0 + 1e-6
