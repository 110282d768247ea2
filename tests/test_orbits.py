"""Periodic orbits: a map with a known orbit, and the steady swim of the eel."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
from anguilla.studies.co_design import Design, EelBody
from cosserat.quadrature import load_nodes, locate
from gaits.search.optimisation import solve
from gaits.search.parameters import Parameters
from gaits.search.problem import Problem
from validation.reference import eel_reference

pytestmark = pytest.mark.slow


def test_an_orbit_known_in_closed_form():
    """The fixed point of x -> A x + b, and its derivative by b."""
    A = jnp.array([[0.3, 0.4], [-0.4, 0.3]])
    flow = lambda x, b: A @ x + b  # noqa: E731
    b = jnp.array([1.0, -2.0])
    orbit = gaits.periodic_orbit(flow, [0.0, 0.0], b)
    assert np.abs(np.asarray(orbit.start) - np.linalg.solve(np.eye(2) - A, b)).max() < 1e-13
    assert np.allclose(np.abs(orbit.multipliers), 0.5, rtol=1e-13) and orbit.stable
    derivative = jax.jacfwd(lambda b: gaits.periodic_orbit(flow, jnp.zeros(2), b).start)(b)
    assert np.abs(derivative - np.linalg.inv(np.eye(2) - A)).max() < 1e-12


def test_a_map_without_orbit_says_so():
    with pytest.raises(Exception, match="no periodic orbit"):
        gaits.periodic_orbit(lambda x, _: x + 1.0, [0.0]).start.block_until_ready()
    with pytest.raises(ValueError, match=r"guess = \[nan\]: must be finite"):
        gaits.periodic_orbit(lambda x, _: x, [np.nan])


# The published wave with offsets about both axes: α1, α2, α3, λ, T, the two offsets; and the height of the tail.
DESIGN = Design(gaits.spiral(0.1, 0.2), EelBody())
BOUNDS = {
    "amplitude": (-3.0, 3.0),
    "wavelength": (0.5, 2.5),
    "period": (0.4, 2.5),
    "bending2.laws[1].value": (-0.5, 0.5),
    "bending3.laws[1].laws[1].value": (-0.5, 0.5),
    "tail_c": (0.045, 0.06),
}
PUBLISHED = np.array([1.0, -0.75, 1.0, 1.0, 1.0, 0.0, 0.0, 0.05])
STEPS, PATH, FLUID = 24, cosserat.Panels(order=20), hydro.Morison()
EEL = cosserat.eel()
BEAM = cosserat.Beam(EEL.profile, EEL.density, EEL.nose_radius, load_panels=(1, 1, 8, 1))
TORQUE = 2.5  # N m: the published gait needs 3.0
WATCHED = (
    gaits.cost_of_transport,
    gaits.quantity("start", "m/s", lambda start: start, "start"),
    gaits.quantity("multipliers", "1", jnp.abs, "multipliers"),
    gaits.quantity("residual", "m/s", lambda residual: residual, "residual"),
)


@pytest.fixture(scope="module")
def problem():
    """Speed, torques and what is watched, with derivatives by all eight parameters: compiled once for this file."""

    def model(design):
        return cosserat.steady_swim(design.body.beam(BEAM), design.gait, FLUID, path=PATH, steps=STEPS, throw=False)

    constraints = [gaits.section_torque.at_most(TORQUE), *(quantity.watched() for quantity in WATCHED)]
    return Problem(-gaits.steady_speed, Parameters(DESIGN, BOUNDS), model, constraints)


def evaluate(problem, values):
    """Values and derivatives, by name, at parameters in their own units."""
    found, slopes = problem.derivatives(problem.parameters.to_vector(values)[None])
    slopes = slopes[0] / problem.parameters.scale
    named = {row.name: (found[0, 1:][row.rows], slopes[1:][row.rows]) for row in problem.rows}
    return {"speed": (-found[0, :1], -slopes[:1]), **named}


def test_steady_planar_swim(problem):
    """The speed of 40 s of simulation by independent means, and the multipliers of the map differenced."""
    steady = evaluate(problem, PUBLISHED)
    reference = eel_reference()["planar_speed_variants"]["perimeter pi(b+c), Cd_head=0.2"]["speed_39_40"]
    print(f"steady speed {steady['speed'][0][0]:.6f} m/s, simulated for 40 s {reference:.6f} m/s")
    assert abs(steady["speed"][0][0] - reference) < 1e-4
    assert steady["residual"][0][0] < 1e-10

    @jax.jit
    def period(twist):
        head = cosserat.HeadState(twist=twist)
        constant = {"controller": diffrax.ConstantStepSize(), "dt0": 1.0 / STEPS}
        run = cosserat.rollout(
            BEAM, gaits.spiral(0.0, 0.0), FLUID, 3.0, t0=2.0, state=head, samples=2, path=PATH, throw=False, **constant
        )
        return run.twist[-1]

    start = jnp.asarray(steady["start"][0])
    assert np.abs(period(start) - start).max() < 1e-10
    differenced = np.stack([(period(start + h) - period(start - h)) / 2e-5 for h in 1e-5 * jnp.eye(6)], axis=1)
    moduli = np.sort(np.abs(np.linalg.eigvals(differenced)))[::-1]
    assert np.abs(moduli - steady["multipliers"][0]).max() < 1e-5


def test_gradients_of_the_steady_swim(problem):
    """By (α1, α2, α3, λ, T, offsets) and the tail's height against central differences; by T also by a law of scales.

    All forces of the model are quadratic in the velocities: a gait played faster swims faster in proportion.
    """
    values = problem.parameters.start
    steady, step = evaluate(problem, values), 2e-5
    for k, name in enumerate(problem.parameters.names):
        forward, backward = (evaluate(problem, values + s * step * np.eye(8)[k]) for s in (1.0, -1.0))
        for quantity in ("speed", "cost of transport"):
            central = (forward[quantity][0][0] - backward[quantity][0][0]) / (2.0 * step)
            error = abs(steady[quantity][1][0, k] / central - 1.0)
            print(f"d({quantity})/d({name}): {central:.8g}, off by {error:.1e}")
            assert error < 1e-6
    (speed, by_speed), (cost, by_cost) = steady["speed"], steady["cost of transport"]
    assert abs(by_speed[0, 4] + speed[0]) < 1e-10 and abs(by_cost[0, 4] + 2.0 * cost[0]) < 1e-10


def test_a_torque_limit_that_binds(problem):
    """The fastest gait and tail at 2.5 N m, from a swim that needs more: the limit is touched and not passed."""
    found = solve(problem, infeasible_start="accept", max_iterations=25, progress=False)
    torque = next(limit for limit in found.limits if "torque" in limit.name).after.max()
    print(f"speed {-found.before:.4f} -> {-found.value:.4f} m/s at {torque:.9f} N m, {found.evaluations} evaluations")
    assert found.violation <= 1e-6 and TORQUE * (1 - 1e-4) < torque <= TORQUE * (1 + 1e-6)
    assert -found.value > 1.3 * 0.404
    assert abs(found.gait.body.tail_c - 0.05) > 1e-4  # the body changed with the gait


def test_the_body_of_a_design():
    """Sizes set in place give the beam that the constructors make; the published sizes give the published body."""
    body = EelBody(0.08, 0.03, 0.06, 2.2)
    for made, other in ((body.beam(EEL), body.checked_beam()), (EelBody().beam(EEL), EEL)):
        for a, b in zip(jax.tree.leaves(made), jax.tree.leaves(other), strict=True):
            assert np.abs(a - b).max() < 1e-15
    with pytest.raises(ValueError, match="EelBody.tail_c = -0.1: must be finite and positive"):
        EelBody(tail_c=-0.1)


def test_the_tip_of_a_tail_that_changes():
    """The tail's tip is the end of its cell whatever the length: derivatives vanish, and are numbers."""

    @jax.jit
    @jax.value_and_grad
    def place(length):
        beam = eqx.tree_at(lambda body: body.length, EelBody(), length).beam(EEL)
        return locate(load_nodes(beam).quadratic, beam.length[None])[1][0]

    for length in np.linspace(1.6, 2.4, 17):
        u, slope = place(jnp.asarray(length))
        assert abs(u - 1.0) < 1e-7 and abs(slope) < 1e-6


def test_a_swim_that_is_lost_on_a_finer_grid_is_refused(monkeypatch):
    """The grid is refined after a first steady swim; the second search must not fail in silence."""
    from cosserat import steady_swimming as module

    fine, found = cosserat.Panels(panels=2, loads=1), module._cycle
    poor = cosserat.SpaceError(*[jnp.ones(())] * 4)

    def lost(*args):
        cycle, *more = found(*args)
        cycle = eqx.tree_at(lambda c: c.residual, cycle, jnp.ones(())) if args[8] is fine else cycle
        return cycle, *more

    monkeypatch.setattr(module, "beam_space_error", lambda *args, **more: poor)
    monkeypatch.setattr(module, "fitted", lambda *args: fine)
    monkeypatch.setattr(module, "_cycle", lost)
    gait = gaits.planar_bending(gaits.TravellingWave(amplitude=1.0, wavelength=1.0, period=1.0))
    with pytest.raises(Exception, match="no periodic orbit"):
        cosserat.steady_swim(cosserat.eel(), gait, hydro.Morison(), steps=16, stations=5)


def steady_speed_of(amplitude):
    """Of a short search: coarse steps, which converge to the orbit of the discrete map."""
    gait = gaits.planar_bending(gaits.TravellingWave(amplitude=amplitude, wavelength=1.0, period=1.0))
    return gaits.steady_speed(cosserat.steady_swim(cosserat.eel(), gait, hydro.Morison(), steps=16, stations=5))


def soft_speed_of(amplitude):
    tail = cosserat.FreeStrains(start=1.2, modes={"K3": 3})
    soft = cosserat.Soft(cosserat.eel(), tail, cosserat.Elastic(young=1e5, damping_time=0.02))
    gait = gaits.planar(amplitude=amplitude * jnp.array([1.0, -0.75, 1.0]))
    water = hydro.Morison(added_mass="kirchhoff")
    return gaits.steady_speed(cosserat.steady_swim(soft, gait, water, steps=40))


@pytest.mark.filterwarnings("ignore:the modes of the soft beam")  # three modes suffice
@pytest.mark.parametrize("speed", [steady_speed_of, soft_speed_of])
def test_derivatives_outside_of_jit(speed):
    """Before: the choice of the grid read traced numbers. Central differences of the converged orbit: 1e-6."""
    step = 1e-4
    difference = float(speed(1.0 + step) - speed(1.0 - step)) / (2.0 * step)
    assert float(jax.jacfwd(speed)(1.0)) == pytest.approx(difference, rel=1e-6)


@pytest.mark.filterwarnings("ignore:the modes of the soft beam")
@pytest.mark.parametrize("speed", [steady_speed_of, soft_speed_of])
def test_reverse_mode_outside_of_jit(speed):
    assert float(jax.grad(speed)(1.0)) == pytest.approx(float(jax.jacfwd(speed)(1.0)), rel=1e-10)
