"""Contact of soft beams and trees with the ground, stepped implicitly: closed forms, order, stiff ground, worms."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
import multibody
from anguilla import ground

pytestmark = pytest.mark.slow

G, RADIUS = 9.81, 0.02
LINE = 1000.0 * np.pi * RADIUS**2  # kg/m
ROD = cosserat.Beam(hydro.uniform_profile(1.0, RADIUS, RADIUS), load_panels=(8,))


def flat(x, y):
    return 0.0 * x


def soft_rod(young, modes=8, damping_time=0.05, **options):
    """Free to bend in the vertical plane."""
    law = cosserat.Elastic(young, damping_time=damping_time)
    return cosserat.Soft(ROD, cosserat.FreeStrains(modes={"K2": modes}), law, **options)


def on(contact):
    return hydro.Together(hydro.Weight(1000.0), contact)


def lying(stiffness):
    """The head of a straight body at rest on level ground."""
    return cosserat.HeadState((0.0, 0.0, RADIUS - LINE * G / stiffness))


def test_end_load_on_an_elastic_foundation():
    """A bar on springs k with a force P at one end: Hetényi's deflection of the loaded and of the free end.

    The penetration under weight keeps the bar in contact, so that the ground is linear. Linear theory errs by the
    square of the slope, below 1e-5. The ground pushes at the lowest point of a tilted section, a radius times the slope
    from its centre: a moment per metre that theory leaves out, w r β²/k = 4e-4 of the force of the springs.
    """
    young, k, P = 1e8, 1e4, 1.0
    EI = young * np.pi * RADIUS**4 / 4.0
    a = (k / (4.0 * EI)) ** 0.25  # times L = 1 m
    below = np.sinh(a) ** 2 - np.sin(a) ** 2
    loaded = 2.0 * P * a / k * (np.sinh(a) * np.cosh(a) - np.sin(a) * np.cos(a)) / below
    free = 2.0 * P * a / k * (np.sinh(a) * np.cos(a) - np.cosh(a) * np.sin(a)) / below  # of the other end
    soft = soft_rod(young, loads=cosserat.EndLoad(force=(0.0, 0.0, -P)))
    run = cosserat.rollout(
        soft,
        None,
        on(ground.Contact(flat, 0.0, 0.0, stiffness=k, damping=5.0)),
        3.0,
        state=lying(k),
        samples=2,
        dt0=0.01,
    )
    state: Any = run.state(-1)
    position, _ = cosserat.tail_pose(soft, state.q)
    tail = np.asarray(state.position + state.rotation @ position)
    rest = RADIUS - LINE * G / k
    assert LINE * G / k > abs(free)  # it stays in contact
    assert abs((rest - tail[2]) / loaded - 1.0) < 2e-3
    assert abs((rest - float(state.position[2])) - free) < 2e-3 * loaded


def test_implicit_steps_converge_at_second_order_to_explicit_ones():
    """A bar that bounces within the ground, always in contact, with damping and friction; Dopri5 at 1e-9.

    Its own damping is weak: a stiff initial layer that the steps do not resolve would hide their order.
    """
    k = 1e4
    rough = on(ground.Contact(flat, 0.2, 0.4, stiffness=k, damping=2.0, width=0.05))
    soft = soft_rod(1e6, 2, 1e-4)
    start = cosserat.SoftState(
        [0.0, 0.0], head=cosserat.HeadState((0.0, 0.0, RADIUS - 1.4 * LINE * G / k), twist=(-0.1, 0, 0, 0, 0, 0))
    )
    roll = functools.partial(cosserat.rollout, soft, None, rough, 0.1, state=start, samples=2)
    exact = roll(method="adaptive", rtol=1e-9, atol=1e-11)
    errors = []
    for dt in (1e-3, 5e-4, 2.5e-4):
        run = roll(method="implicit", dt0=dt)
        errors.append(np.abs(np.asarray(run.position[-1] - exact.position[-1])).max())
    order = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(order - 2.0) < 0.3), (errors, order)


# --- worms -----------------------------------------------------------------------------------------------------------

EARTHWORM = gaits.rectilinear(0.3, wavelength=0.5, length=1.0, period=2.0)
MU, WIDTH = 0.3, 5e-3


def crawl(stiffness, dt, height=flat, t1=4.0, **options):
    """A soft worm that stretches by waves and holds where it is short: grip instead of lifting."""
    options = {"forward": MU, "sideways": MU, "backward": MU} | options
    rough = ground.Contact(height, stiffness=stiffness, damping=2.0, width=WIDTH, grip=EARTHWORM.lifting, **options)
    return cosserat.rollout(
        soft_rod(1e5), EARTHWORM, on(rough), t1, state=lying(stiffness), samples=11, method="implicit", dt0=dt
    )


@functools.cache
def on_a_plane():
    """Where the worm's nose ends on a plane, by explicit steps [m]."""
    plane = ground.Friction(MU, MU, width=WIDTH, lifting=EARTHWORM.lifting)
    path = cosserat.Panels(tolerance=1.0)  # the grid of the soft beam, not refined
    return float(cosserat.rollout(ROD, EARTHWORM, plane, 4.0, samples=2, rtol=1e-5, path=path).position[-1, 0])


@pytest.mark.parametrize("stiffness", [1e4, 1e6])
def test_an_earthworm_on_compliant_ground_advances_as_on_a_plane_at_any_stiffness(stiffness):
    """The load is the weight and the grip the lifting, so the friction is that of `ground.Friction` on a plane.

    Steps of 0.02 s; explicit ones are stable to 2.8 √(m/k), 3 ms on the stiffer ground, and to 3 ms with this friction
    (width / μ g). 2 %: steps of second order across the changes of sign of friction.
    """
    run = crawl(stiffness, 0.02)
    assert bool(run.succeeded)
    assert abs(float(run.position[-1, 0]) / on_a_plane() - 1.0) < 0.02
    assert abs(float(run.position[-1, 2]) - RADIUS) < 2.0 * LINE * G / 1e4


STEP = 0.03  # m


def step(x, y):
    """A rounded step up, ahead of the nose."""
    return STEP * jax.nn.sigmoid(-(x + 0.25) / 0.03)


def test_an_earthworm_climbs_a_step():
    """Scales that hold backward: after 20 s its nose is on top, its tail still on the lower ground."""
    run = crawl(1e5, 0.01, step, 20.0, backward=0.9)
    assert bool(run.succeeded)
    x, z = np.asarray(run.position[-1, [0, 2]])
    assert x < -0.5 and abs(z - STEP - RADIUS) < 0.25 * STEP
    assert abs(float(run.position[0, 2]) - RADIUS) < 0.01 * STEP


# --- trees -----------------------------------------------------------------------------------------------------------


def chain(links=5, stiffness=0.05):
    """Links on passive, damped pitch joints."""
    joint = lambda k: multibody.revolute(  # noqa: E731
        (0, 1, 0), position=(0.2, 0, 0), name=f"pitch{k}", actuated=False, stiffness=stiffness, damping=2e-3
    )
    profile = hydro.uniform_profile(0.2 * links, RADIUS, RADIUS)
    bodies = []
    for k in range(links):
        bodies.append(
            multibody.Link(
                f"link{k}",
                f"link{k - 1}" if k else None,
                joint(k) if k else None,
                mass=0.2 * LINE,
                centre=(0.1, 0.0, 0.0),
                about_centre=np.diag([5e-5, 8e-4, 8e-4]),
                strip=multibody.strip(profile, (0.2 * k, 0.2 * (k + 1))),
            )
        )
    return multibody.from_links(bodies)


def test_a_chain_settles_on_hard_ground_by_large_steps():
    """A chain of passive joints falls on ground of 1e7 N/m² and comes to rest at weight over stiffness.

    Steps of 2 ms, where explicit ones are stable to 2.8 √(m/k) = 1 ms; friction holds it where it lands.
    """
    k = 1e7
    rough = ground.Contact(flat, 0.5, 0.5, stiffness=k, damping=20.0, width=1e-3)
    state = multibody.BaseState((0.0, 0.0, RADIUS + 2e-3), (np.cos(0.01), 0.0, np.sin(0.01), 0.0))
    run = multibody.stiff_march(chain(), None, rough, dt=2e-3, steps=1000, records=1, state=state, gravity=hydro.EARTH)
    assert bool(run.succeeded)
    assert abs(float(run.position[-1, 2]) - (RADIUS - LINE * G / k)) < 1e-6
    assert np.abs(np.asarray(run.joints[-1])).max() < 1e-4
    assert np.abs(np.asarray(run.twist[-1])).max() < 1e-4


def test_implicit_steps_of_a_chain_converge_at_second_order_to_explicit_ones():
    k = 1e4
    rough = ground.Contact(flat, 0.2, 0.4, stiffness=k, damping=2.0, width=0.05)
    state = multibody.BaseState((0.0, 0.0, RADIUS - 1.4 * LINE * G / k), twist=(-0.1, 0, 0, 0, 0, 0))
    tree = chain(3)
    options = {"state": state, "gravity": hydro.EARTH, "joints": jnp.array([5e-4, -5e-4])}
    exact = multibody.rollout(tree, None, rough, 0.1, samples=2, rtol=1e-9, atol=1e-11, **options)
    errors = []
    for steps in (200, 400, 800):
        run = multibody.stiff_march(tree, None, rough, dt=0.1 / steps, steps=jnp.asarray(steps), **options)
        errors.append(np.abs(np.asarray(run.position[-1] - exact.position[-1])).max())
    order = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(order - 2.0) < 0.3), (errors, order)


def test_refusals():
    with pytest.raises(ValueError, match="Contact.grip"):
        ground.Contact(grip="strong")
    with pytest.raises(ValueError, match="grip depends on the abscissa"):
        section = hydro.EllipticSection(jnp.array(0.02), jnp.array(0.02))
        place = hydro.Place(jnp.zeros(3), jnp.eye(3))
        ground.Contact(grip=EARTHWORM.lifting).terms(section, place, jnp.zeros(6))
