"""Conservation laws of the continuous eel: momentum, tail condition, power, energy and impulse of the water."""

import diffrax
import equinox as eqx
import jax
import numpy as np
import pytest

import cosserat
import gaits
import hydro
from cosserat.state import unchecked_state
from spatial import quaternion_rate

BEAM = cosserat.eel()


def six_strains():
    """A 3-D gait with torsion, stretch and shear that starts from rest."""
    start, wave = gaits.Start(0.0, 1.0), gaits.TravellingWave
    return gaits.timoshenko_reissner(
        1.0 + start * wave(0.1, 1.5, 0.8, 0.3),
        start * wave(0.05, 1.1, 1.2, 0.7),
        start * wave(0.04, 0.9, 1.3, 1.0),
        start * wave((0.1, 0.3), 1.3, 1.1, 0.2),
        start * wave((-0.1, 0.5), 1.7, 0.9, 0.5),
        start * wave((0.6, 0.8), 1.0, 1.0, 0.1),
    )


@pytest.mark.parametrize("nodes", [12, 32])
def test_momentum_in_vacuum_is_kept_at_any_number_of_nodes(nodes):
    """The paper reports 1e-6. Time is the only source of error: twists are derivatives of the discrete poses."""
    path, gait = cosserat.Panels(order=nodes), six_strains()
    start = cosserat.HeadState(twist=[0.1, -0.05, 0.08, 0.2, -0.1, 0.15])
    run = cosserat.rollout(
        BEAM,
        gait,
        hydro.Void(),
        10.0,
        state=start,
        samples=11,
        rtol=1e-12,
        atol=1e-13,
        solver=diffrax.Dopri8(),
        path=path,
        land=True,
    )
    momentum = eqx.filter_vmap(lambda p, q, eta, t: cosserat.momentum(BEAM, gait, unchecked_state(p, q, eta), t, path))(
        run.position, run.quaternion, run.twist, run.time
    )
    drift = np.abs(np.asarray(momentum) - np.asarray(momentum)[:1])
    scale = np.abs(np.asarray(momentum)[0]).max()
    assert scale > 1.0  # it moves
    assert drift.max() / scale < 1e-11


@pytest.mark.parametrize("name", gaits.PUBLISHED)
def test_tail_condition_by_loops_that_share_no_quadrature(name):
    gait, fluid = gaits.PUBLISHED[name](), hydro.Morison()
    run = cosserat.rollout(BEAM, gait, fluid, 6.0, times=[0.4, 2.3, 5.6])
    path = cosserat.Nested()
    for k in range(3):
        fields = cosserat.internal_wrench(BEAM, gait, fluid, run.state(k), run.time[k], path)
        assert np.abs(fields.tail).max() < 1e-8
        assert np.abs(fields.moment).max() > 1e-2  # there is something to close


# The kinks of |V|V cost the default nodes 1e-6 of the dissipation: thirteen times as many bring it below 1e-9.
FINE = cosserat.Beam(BEAM.profile, BEAM.density, BEAM.nose_radius, load_panels=(8, 26, 195, 8))
NODES = cosserat.Panels(order=44)

TIGHT = cosserat.Nested(controller=diffrax.PIDController(rtol=1e-13, atol=1e-13))


@eqx.filter_jit
def energy_rate(gait, fluid, state, t):
    """d/dt(T + T_a) along the motion, by differentiation of the energies themselves."""
    twist_rate = cosserat.head_acceleration(FINE, gait, fluid, state, t, NODES)
    rates = (state.rotation @ state.twist[:3], quaternion_rate(state.quaternion, state.twist[3:]), twist_rate, 1.0)

    def energy(position, quaternion, twist, time):
        sums = cosserat.energetics(FINE, gait, fluid, unchecked_state(position, quaternion, twist), time, NODES)
        return sums.kinetic + sums.added

    return jax.jvp(energy, (state.position, state.quaternion, state.twist, t), rates)[1]


@pytest.mark.parametrize("form", hydro.FORMS)
def test_power_identity(form):
    """Actuators = d/dt(T + T_a) + D - P_conv; the two sides share no space loop."""
    gait, fluid = six_strains(), hydro.Morison(added_mass=form)
    run = cosserat.rollout(BEAM, gait, fluid, 2.0, times=[0.6, 1.9])
    for k in range(2):
        state, t = run.state(k), run.time[k]
        sums = cosserat.energetics(FINE, gait, fluid, state, t, NODES)
        given = cosserat.actuator_power(FINE, gait, fluid, state, t, TIGHT)
        spent = energy_rate(gait, fluid, state, t) + sums.dissipation - sums.convective
        assert abs(given) > 1e-2 and sums.dissipation > 1e-2
        assert abs(given - spent) < 1e-8
        if form == "kirchhoff":
            assert abs(sums.convective) < 1e-13


def test_kirchhoff_water_conserves_energy_and_impulse():
    """Without drag: energy of the undriven body, and the impulse of body and water while the body deforms."""
    ideal = hydro.Morison(
        added_mass="kirchhoff", drag_axial=0.0, drag_lateral=0.0, drag_dorsal=0.0, drag_roll=0.0, nose_drag=0.0
    )
    frozen = gaits.timoshenko_reissner(1.05, 0.02, -0.03, 0.2, 0.5, gaits.TravellingWave((0.3, 0.8), 1.3, 1e9))
    start = cosserat.HeadState(twist=[-0.4, 0.2, 0.1, 0.3, -0.2, 0.5])
    for gait, quantity, tolerance in ((frozen, "energy", 1e-9), (six_strains(), "impulse", 1e-8)):
        run = cosserat.rollout(
            BEAM, gait, ideal, 10.0, state=start, samples=11, rtol=1e-12, atol=1e-13, solver=diffrax.Dopri8()
        )
        sums = eqx.filter_vmap(
            lambda p, q, eta, t, gait=gait: cosserat.energetics(BEAM, gait, ideal, unchecked_state(p, q, eta), t)
        )(run.position, run.quaternion, run.twist, run.time)
        if quantity == "energy":
            energy = np.asarray(sums.kinetic + sums.added)
            assert np.abs(energy / energy[0] - 1.0).max() < tolerance
        else:
            impulse = np.asarray(sums.impulse_w)
            assert np.abs(impulse - impulse[:1]).max() / np.abs(impulse[0]).max() < tolerance
