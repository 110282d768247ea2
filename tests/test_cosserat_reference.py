"""The continuous eel against figures computed independently of this code, by both space paths."""

import diffrax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
from validation.reference import eel_cases, eel_reference, gait_from_reference, world_acceleration

pytestmark = pytest.mark.slow

NESTED = 1e-9  # relative; the reference's own uncertainty is 1e-12
PANELS = 1e-6  # relative, default nodes, kinks of |V|V unsplit
CASES = eel_cases()
BEAM = cosserat.eel()
FLUIDS = {
    "paper": hydro.Morison(),
    "void": hydro.Void(),
    "kirchhoff_added_mass": hydro.Morison(added_mass="kirchhoff"),
    "no_head_terms": hydro.Morison(nose_drag=0.0, nose_mass=0.0),
    "perimeter_half_as_printed": hydro.Morison(drag_axial=0.005),
}


def relative(value, reference):
    reference = np.asarray(reference)
    return np.abs(np.asarray(value) - reference).max() / np.abs(reference).max()


@pytest.mark.parametrize("fluid", FLUIDS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_head_acceleration_of_the_fast_path(case, fluid):
    rate = cosserat.head_acceleration(BEAM, case.gait, FLUIDS[fluid], case.state, case.t)
    expected = case.alternatives.get(fluid, case.expected["a0"] + case.expected["wd0"])
    assert relative(world_acceleration(case.state, rate), expected) < PANELS


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_both_paths_agree_with_the_reference(case):
    stations = jnp.array(case.expected["stations"])
    for path, tolerance in ((cosserat.Nested(), NESTED), (cosserat.Panels(), PANELS)):
        fields = cosserat.internal_wrench(BEAM, case.gait, FLUIDS["paper"], case.state, case.t, path, stations)
        acceleration = world_acceleration(case.state, fields.head_twist_rate)
        assert relative(acceleration, case.expected["a0"] + case.expected["wd0"]) < tolerance
        assert relative(fields.force_w, case.expected["n_earth"]) < tolerance
        assert relative(fields.force, case.expected["n_section"]) < tolerance
        assert relative(fields.moment, case.expected["M_section"]) < tolerance
        assert relative(fields.position_w, case.expected["r_stations"]) < tolerance
        assert abs(fields.actuator_power - case.expected["P_act"]) < max(1e-9, 10 * tolerance)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_energies_momenta_and_reduced_dynamics(case):
    sums = cosserat.energetics(BEAM, case.gait, FLUIDS["paper"], case.state, case.t)
    for value, name in ((sums.kinetic, "T_body"), (sums.added, "T_added"), (sums.convective, "P_conv")):
        assert abs(value - case.expected[name]) < 1e-8 * abs(case.expected["T_body"])
    assert abs(sums.dissipation - case.expected["dissipation"]) < PANELS * case.expected["dissipation"]
    assert relative(sums.momentum_w, case.expected["P_body"] + case.expected["H_body_about_earth_origin"]) < 1e-8
    dynamics = cosserat.head_dynamics(BEAM, case.gait, FLUIDS["paper"], case.state, case.t, cosserat.Nested())
    R = np.kron(np.eye(2), np.asarray(case.state.rotation))
    assert relative(R @ dynamics.inertia @ R.T, case.expected["I_total_6x6"]) < NESTED


def test_straight_body_inertia_pins_the_sign_of_the_added_mass():
    straight = lambda X, t: jnp.array([1.0, 0, 0, 0, 0, 0])  # noqa: E731
    for path in (cosserat.Panels(), cosserat.Nested()):
        H = cosserat.head_dynamics(BEAM, straight, FLUIDS["paper"], cosserat.HeadState(), 0.0, path).inertia
        assert relative(H, eel_reference()["checks"]["straight_total_inertia_6x6"]) < 1e-10
        assert abs(H[1, 1] - 47.31827584928777) < 1e-8  # m + m_a2 [kg]
    assert abs(cosserat.mass(BEAM) - 21.699242257732504) < 1e-12


@pytest.mark.parametrize("name", ["planar", "spiral"])
def test_trajectory(name):
    reference = eel_reference()["trajectories"][name]
    gait = gait_from_reference(reference["gait"])
    run = cosserat.rollout(
        BEAM,
        gait,
        FLUIDS["paper"],
        10.0,
        times=[row["t"] for row in reference["rows"]],
        rtol=1e-9,
        atol=1e-11,
        solver=diffrax.Dopri8(),
    )
    for k, row in enumerate(reference["rows"]):
        state = run.state(k)
        rotation = np.asarray(state.rotation)
        expected_rotation = np.asarray(cosserat.HeadState(quaternion=row["q_wxyz"]).rotation)
        assert np.abs(np.asarray(state.position) - row["r0"]).max() < 1e-6
        assert np.abs(rotation - expected_rotation).max() < 1e-6
        assert np.abs(rotation @ state.twist[:3] - np.array(row["v0"])).max() < 1e-6
        assert np.abs(rotation @ state.twist[3:] - np.array(row["w0"])).max() < 1e-6


FIGURES = {  # mean speed of the centre of mass over 9-10 s [m/s], head at 10 s [m], peak |M3| at X = 1 m [N·m]
    "planar": (0.3451, (-2.17968, 0.01394, 0.0), 1.99),
    "turn": (0.3351, (-1.52973, 1.36985, 0.0), 2.48),
    "dive": (0.3421, (-2.14017, -0.12849, -0.11003), 1.99),
    "spiral": (0.3025, (-0.98120, 1.18496, -0.94308), 2.74),
}


@pytest.mark.parametrize("name", FIGURES)
def test_figures_of_the_four_gaits(name):
    speed, head, peak = FIGURES[name]
    run = cosserat.simulate(
        BEAM,
        gaits.PUBLISHED[name](),
        FLUIDS["paper"],
        10.0,
        samples=501,
        stations=81,
        rtol=1e-8,
        atol=1e-10,
        progress=False,
    )
    last = run.centre_of_mass.sel(time=10.0) - run.centre_of_mass.sel(time=9.0)
    assert abs(float(np.linalg.norm(last)) - speed) < 0.5e-4 + 1e-9
    assert np.abs(run.head_position.isel(time=-1) - np.array(head)).max() < 0.5e-5 + 1e-7
    settled = run.internal_moment.sel(section_axis="t3", X=1.0)
    assert abs(float(np.abs(settled).max()) - peak) < 0.5e-2
    if name == "turn":  # heading of the line from nose to tail, averaged over the last period
        line = (run.position.isel(X=-1) - run.position.isel(X=0)).sel(time=slice(9.0, 10.0)).values
        assert abs(np.degrees(np.arctan2(line[:-1, 1], line[:-1, 0])).mean() - (-46.3)) < 0.15
    if name == "spiral":  # roll of the head
        R = np.asarray(cosserat.HeadState(quaternion=run.head_quaternion.isel(time=-1).values).rotation)
        assert abs(np.degrees(np.arctan2(R[2, 1], R[2, 2])) - 58.0) < 0.5
