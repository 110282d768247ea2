"""Coefficients from recorded motion: recovered without noise, with honest intervals, and named when not told."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
from gaits.search import IdentificationProblem

TIMES = np.linspace(0.0, 3.0, 61)
TRUTH = {"drag": 0.7, "speed": 1.5, "place": 0.2}
BOUNDS = {"drag": (0.05, 3.0), "speed": (0.1, 4.0), "place": (-1.0, 1.0)}
START = {"drag": 1.2, "speed": 1.0, "place": 0.0}


def _coasting(body):
    """Place of a body slowed by dv/dt = -drag v²: x = place + log(1 + drag speed t) / drag."""
    return body["place"] + jnp.log(1.0 + body["drag"] * body["speed"] * TIMES) / body["drag"]


@pytest.fixture(scope="module")
def coasting():
    return IdentificationProblem(_coasting, START, BOUNDS)


def test_without_noise_to_round_off(coasting):
    found = coasting.solve(np.asarray(_coasting(TRUTH)))
    assert np.abs(found.estimate - [TRUTH[name] for name in found.names]).max() < 1e-12
    assert not found.unidentifiable and found.tree["drag"] == found.estimate[found.names.index("drag")]


def test_intervals_hold_as_often_as_they_say(coasting):
    rng, clean = np.random.default_rng(0), np.asarray(_coasting(TRUTH))
    true = np.array([TRUTH[name] for name in coasting.parameters.names])
    found = []
    for _ in range(100):
        seen = clean + 0.01 * rng.normal(size=clean.shape)
        seen[rng.random(clean.shape) < 0.1] = np.nan
        found.append(coasting.solve(seen, noise=0.01))
    inside = np.mean([(f.interval[:, 0] <= true) & (true <= f.interval[:, 1]) for f in found], axis=0)
    print(f"95 % intervals hold in {inside}")
    assert ((inside >= 0.90) & (inside <= 0.99)).all(), inside
    # The spread of 100 estimates is known to 1/sqrt(200) = 7 %: three of them.
    spread = np.std([f.estimate for f in found], axis=0)
    assert np.abs(np.mean([f.standard_error for f in found], axis=0) / spread - 1.0).max() < 0.21
    assert abs(np.mean([f.misfit for f in found]) - 1.0) < 0.05


def test_intervals_do_not_depend_on_the_scale_of_a_parameter(coasting):
    seen = np.asarray(_coasting(TRUTH)) + 0.01 * np.random.default_rng(1).normal(size=TIMES.shape)
    scaled = IdentificationProblem(_coasting, START, BOUNDS | {"drag": (0.05, 3.0, 0.001)})
    one, other = (problem.solve(seen, noise=0.01) for problem in (coasting, scaled))
    assert not one.unidentifiable and not other.unidentifiable
    np.testing.assert_allclose(other.interval, one.interval, rtol=1e-5)


def test_what_the_data_cannot_tell_is_named():
    # Only the product of mass and drag matters, and the colour not at all.
    def model(body):
        return jnp.log(1.0 + body["mass"] * body["drag"] * TIMES) + body["place"]

    seen = np.asarray(model({"mass": 2.0, "drag": 0.5, "place": 0.3, "colour": 1.0}))
    start = {"mass": 1.5, "drag": 0.6, "place": 0.0, "colour": 1.0}
    bounds = {"mass": (0.5, 4.0), "drag": (0.1, 2.0), "place": (-1.0, 1.0), "colour": (0.0, 2.0)}
    for noise in (0.0, 1e-3):
        with pytest.warns(UserWarning, match="cannot tell"):
            found = gaits.identify(
                model, start, bounds, seen + noise * np.random.default_rng(1).normal(size=seen.shape)
            )
        named = {name for direction in found.unidentifiable for name in direction.names}
        assert named == {"mass", "drag", "colour"} and len(found.unidentifiable) == 2
        error = dict(zip(found.names, found.standard_error, strict=True))
        assert np.isinf([error["mass"], error["drag"], error["colour"]]).all() and np.isfinite(error["place"])
        assert abs(found.tree["mass"] * found.tree["drag"] - 1.0) < 1e-9 + 10 * noise
        assert str(found).count("not identifiable from the data") == 3


def test_kinds_of_measurements_are_weighed_by_their_noise():
    def model(body):
        return {"place": _coasting(body), "speed": body["speed"] / (1.0 + body["drag"] * body["speed"] * TIMES)}

    rng = np.random.default_rng(2)
    clean, noise = jax.tree.map(np.asarray, model(TRUTH)), {"place": 0.02, "speed": 1e-4}
    seen = {name: value + noise[name] * rng.normal(size=value.shape) for name, value in clean.items()}
    bounds = {"drag": BOUNDS["drag"], "speed": BOUNDS["speed"]}
    start = {**TRUTH, "drag": 1.2, "speed": 1.0}
    found = gaits.identify(model, start, bounds, seen, noise=noise)
    assert abs(found.misfit - 1.0) < 0.3
    # The precise speeds alone fix both: as good as without the places.
    alone = gaits.identify(model, start, bounds, {**seen, "place": np.full_like(TIMES, np.nan)}, noise=noise)
    assert np.allclose(found.estimate, alone.estimate, rtol=1e-3)
    with pytest.raises(ValueError, match="noise = None: the model predicts 2 kinds"):
        gaits.identify(model, start, bounds, seen)


def test_refusals(coasting):
    clean = np.asarray(_coasting(TRUTH))
    for data, arguments, words in (
        (clean[:-1], {}, r"has shape \(60,\): must be as the model predicts, shape \(61,\)"),
        ({"x": clean}, {}, "must be as the model predicts"),
        (np.full_like(clean, np.nan), {}, "every measurement is missing"),
        (np.where(TIMES < 0.1, clean, np.nan), {}, "2 measurements for 3 unknowns"),
        (np.where(TIMES < 0.1, np.inf, clean), {}, "infinite"),
        (clean, {"noise": 0.0}, "noise = 0.0: must be finite and positive"),
        (clean, {"noise": {"x": 1.0}}, "noise: has structure"),
    ):
        with pytest.raises(ValueError, match=words):
            coasting.solve(data, **arguments)
    with pytest.raises(ValueError, match="unknown parameter 'weight'"):
        gaits.identify(_coasting, START, {"weight": (0, 1)}, clean)
    with pytest.raises(ValueError, match="model = 3"):
        gaits.identify(3, START, BOUNDS, clean)
    with pytest.raises(gaits.OptimisationError, match="not finite at the start"):
        gaits.identify(lambda body: jnp.log(body["drag"] - 2.0) * TIMES, START, {"drag": (0, 3)}, clean)


L, X, FRAMES = 2.0, np.linspace(0.0, 2.0, 25), np.arange(300) / 60.0
SIX = ("drag_axial", "drag_lateral", "mass_lateral", "wavelength", "period", "amplitude[2]")
UNKNOWN = {
    "drag_axial": (0.0, 0.1),
    "drag_lateral": (0.1, 3.0),
    "mass_lateral": (0.3, 2.0),
    "wavelength": (0.7, 1.5),
    "period": (0.8, 1.2),
    "amplitude[2]": (0.5, 1.5),
    "twist[0]": (-2.0, 0.2),
    "twist[1]": (-0.3, 0.3),
    "twist[5]": (-0.3, 0.3),
    "drag_dorsal": (0.1, 3.0),  # a plane motion cannot tell it
}


def test_a_model_with_derivatives_in_reverse_mode_only_is_refused_in_words():
    @jax.custom_vjp
    def square(x):
        return x**2

    square.defvjp(lambda x: (x**2, x), lambda x, g: (2.0 * x * g,))
    with pytest.raises(ValueError, match=r"^model: .* give adjoint=diffrax.ForwardMode\(\) to `rollout`"):
        gaits.identify(lambda tree: square(tree["a"]) * TIMES, {"a": 1.0}, {"a": (0.0, 2.0)}, TIMES)


@pytest.mark.slow
def test_six_coefficients_of_an_eel_from_its_midline():
    beam = cosserat.eel()

    def midline(tree):
        run = cosserat.rollout(
            beam,
            tree["gait"],
            tree["water"],
            FRAMES[-1],
            times=FRAMES,
            state=tree["start"].head,
            path=cosserat.Panels(order=24, panels=1, loads=1),
            adjoint=diffrax.ForwardMode(),
            throw=False,
        )
        return cosserat.markers(beam, tree["gait"], run, X)[..., :2]

    truth = {
        "gait": gaits.planar(),
        "water": hydro.Morison(drag_axial=0.02, added_mass="kirchhoff"),
        "start": cosserat.InitialState(twist=[-1.2, 0.0, 0.0, 0.0, 0.0, 0.0]),  # glides in, then beats
    }
    wave = lambda tree: tree["gait"].bending3.laws[1]  # noqa: E731
    water = lambda tree: tree["water"]  # noqa: E731
    guess = eqx.tree_at(
        lambda t: (
            water(t).drag_axial,
            water(t).drag_lateral,
            water(t).mass_lateral,
            wave(t).wavelength,
            wave(t).period,
            wave(t).amplitude,
            t["start"].twist,
        ),
        truth,
        jax.tree.map(
            jnp.asarray,
            (0.04, 1.3, 0.8, 1.05, 1.02, jnp.array([1.0, -0.75, 1.05]), jnp.array([-1.0, 0, 0, 0, 0, 0.05])),
        ),
    )
    true = np.array([0.02, 1.0, 1.0, 1.0, 1.0, 1.0])
    problem = IdentificationProblem(midline, guess, UNKNOWN)
    clean = np.asarray(jax.jit(midline)(truth))
    with pytest.warns(UserWarning, match="the data cannot tell drag_dorsal$"):
        exact = problem.solve(clean)
    six = [exact.names.index(name) for name in SIX]
    print(f"six coefficients without noise: {np.abs(exact.estimate[six] / true - 1.0).max():.1e}")
    assert np.abs(exact.estimate[six] / true - 1.0).max() < 1e-9
    seen = clean + 1e-3 * np.random.default_rng(0).normal(size=clean.shape)
    seen[np.random.default_rng(1).random(clean.shape[:2]) < 0.1] = np.nan
    with pytest.warns(UserWarning, match="the data cannot tell drag_dorsal$"):
        noisy = problem.solve(seen, noise=1e-3)
    told = noisy.interval[six]
    print(f"six coefficients with 1 mm noise: {np.abs(noisy.estimate[six] / true - 1.0).max():.1e}")
    assert (np.abs(noisy.estimate[six] / true - 1.0) < 0.02).all()
    assert ((told[:, 0] <= true) & (true <= told[:, 1])).sum() >= 5
    assert abs(noisy.misfit - 1.0) < 0.03


@pytest.mark.slow
def test_predicted_measurements_agree_with_the_record():
    beam, gait, fluid = cosserat.eel(), gaits.planar(), hydro.Morison()
    t = 1.5 + 1e-3 * np.arange(3)
    run = cosserat.rollout(beam, gait, fluid, 2.0, times=t, rtol=1e-10, atol=1e-12, land=True)
    at = np.array([0.0, 0.7, 1.5])
    places = np.asarray(cosserat.markers(beam, gait, run, at))
    state = cosserat.HeadState(*(np.asarray(x[1]) for x in (run.position, run.quaternion, run.twist)))
    fields = cosserat.internal_wrench(beam, gait, fluid, state, t[1], stations=at)
    assert np.abs(places[1] - fields.position_w).max() < 1e-6  # another grid
    sensed = cosserat.inertial_sensors(beam, gait, fluid, run, at, gravity=hydro.EARTH)
    rotation = np.asarray(jax.vmap(lambda q: cosserat.HeadState(quaternion=q).rotation)(fields.quaternion))
    acceleration = (places[2] - 2 * places[1] + places[0]) / 1e-6
    felt = np.einsum("sij,si->sj", rotation, acceleration - np.asarray(hydro.EARTH))
    # Second differences of 1 ms err by (1 ms)² ω⁴ A / 12 ~ 1e-5 m/s² and 1e-9 m / (1 ms)² of the integrator.
    assert np.abs(sensed.accelerometer[1] - felt).max() < 5e-3
    assert np.abs(np.asarray(cosserat.torques(beam, gait, fluid, run, at))[1] - fields.moment).max() < 1e-6
