"""Cables between bodies: virtual work, energy, the linear muscle on a hinge, a capstan, slack and refusals."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import gaits
import gaits.feedback as fb
import hydro
import multibody as mb
from multibody.cables import pull


def chain(base="floating", actuated=False, **joint):
    """Three bodies on a hinge, a slider and a screw, with inertias of no symmetry."""
    inertia = [[0.02, 0.003, 0.0], [0.003, 0.03, -0.002], [0.0, -0.002, 0.015]]
    body = {"mass": 1.3, "centre": (0.1, 0.02, -0.01), "about_centre": inertia}
    turn = mb.revolute(axis=(0.0, 0.6, 0.8), name="turn", position=(0.3, 0, 0), actuated=actuated, **joint)
    slide = mb.prismatic(axis=(0.0, 1.0, 0.0), name="slide", position=(0.2, 0.1, 0), actuated=actuated, **joint)
    screw = mb.helical(axis=(1.0, 0, 0), pitch=0.05, name="screw", position=(0.2, 0, 0.1), actuated=actuated, **joint)
    links = [mb.Link("hull", **body), mb.Link("arm", "hull", turn, **body)]
    links += [mb.Link("hand", "arm", slide, **body), mb.Link("tip", "hand", screw, **body)]
    return mb.from_links(links, base=base)


CABLES = (
    mb.Cable([("hull", (0.0, 0.1, 0.0)), ("arm", (0.1, 0.05, 0.02)), ("tip", (0.1, -0.1, 0.05))], 3.0),
    mb.Cable([("hand", (0.1, 0.0, 0.1)), ("hull", (-0.1, -0.1, 0.0))], 2.0),
    mb.Cable([("world", (0.0, 1.0, 0.4)), ("tip", (0.0, 0.1, 0.0)), ("hand", (0.0, 0.05, -0.1))], 1.7),
)
PULLS = np.array([3.0, 2.0, 1.7])


def moving():
    rng = np.random.default_rng(2)
    state = mb.BaseState(rng.normal(size=3), np.array([0.5, 0.5, -0.5, 0.5]), rng.normal(size=6))
    q, dq = jnp.asarray(0.3 * rng.normal(size=(2, 3)))
    return state, q, dq


def test_derivative_of_lengths_is_minus_the_generalised_force():
    """∂l/∂q against the rows of the equations of motion that a wrench changes: two codes, round-off."""
    tree, (state, q, dq) = chain(), moving()

    @eqx.filter_jit
    def both():
        slope = jax.jacrev(lambda q: mb.thread_length(tree, CABLES, q, state=state)[0])(q)
        rows = []
        for cable in CABLES:
            wrench = pull(tree, (cable,), jnp.zeros(()), state, q, dq).wrench
            rows.append(mb.equations(tree, state, q, dq)[1] - mb.equations(tree, state, q, dq, wrench=wrench)[1])
        return slope, jnp.stack(rows)

    slope, force = both()
    assert np.abs(np.asarray(force)[:, 6:] / PULLS[:, None] + np.asarray(slope)).max() < 1e-12
    assert np.abs(np.asarray(force)[:2, :6]).max() < 1e-12  # a cable between bodies does nothing to the whole
    assert np.abs(np.asarray(force)[2, :6]).max() > 0.1  # one that is tied to the world does
    assert np.abs(np.asarray(slope)).max(axis=1).min() > 0.01


def test_rate_of_length_is_its_derivative_in_time():
    """Against the derivative along the motion of base and joints: round-off of the differences in space."""
    tree, (state, q, dq) = chain(), moving()

    def lengths(s):
        angle = s * state.twist[3:]
        turned = jnp.concatenate([jnp.ones(1), 0.5 * angle])  # to first order, which is all that a derivative sees
        w, v = state.quaternion[0], state.quaternion[1:]
        product = jnp.concatenate(
            [
                jnp.atleast_1d(w * turned[0] - v @ turned[1:]),
                w * turned[1:] + turned[0] * v + jnp.cross(v, turned[1:]),
            ]
        )
        there = eqx.tree_at(
            lambda b: (b.position, b.quaternion),
            state,
            (state.position + s * state.rotation @ state.twist[:3], product / jnp.linalg.norm(product)),
        )
        return mb.thread_length(tree, CABLES, q + s * dq, state=there)[0]

    expected = jax.jit(lambda: jax.jvp(lengths, (jnp.zeros(()),), (jnp.ones(()),))[1])()
    _, rate = mb.thread_length(tree, CABLES, q, dq, state=state)
    assert np.abs(np.asarray(rate - expected)).max() < 1e-12 and np.abs(np.asarray(rate)).min() > 0.01


@pytest.mark.slow
def test_a_constant_tension_is_a_potential():
    """Kinetic and spring energy and Σ T l are kept; `simulate` records tension, length, rate and power."""
    tree = chain(stiffness=20.0)
    run = mb.simulate(
        tree, None, None, 1.0, joints=[0.2, 0.05, -0.3], actuators=CABLES, samples=11, rtol=1e-10, atol=1e-12,
        progress=False,
    )  # fmt: skip
    assert run.tension.dims == run.thread_length.dims == ("time", "thread") and run.tension.units == "N"
    springs = 0.5 * 20.0 * (run.joint_position**2).sum("coordinate")
    energy = run.kinetic_energy + springs + (run.tension * run.thread_length).sum("thread")
    assert np.abs(np.asarray(energy - energy[0])).max() < 1e-7
    assert float(run.kinetic_energy.max()) > 0.1
    delivered = -(run.tension * run.thread_rate).sum("thread")
    assert np.abs(np.asarray(delivered - run.muscle_power)).max() < 1e-12


def hinge(actuators, q, dq):
    """Torque of cables about the hinge of an arm on a wall."""
    joint = mb.revolute(axis=(0.0, 0.0, 1.0), name="hinge", actuated=False)
    arm = mb.Link("arm", "wall", joint, mass=1.0, centre=(0.5, 0.0, 0.0))
    tree = mb.from_links([mb.Link("wall"), arm], base="fixed")
    wrench = pull(tree, tuple(actuators), jnp.zeros(()), mb.BaseState(), q[None], dq[None]).wrench
    return -mb.equations(tree, mb.BaseState(), q[None], jnp.zeros(1), wrench=wrench)[1][0]


def test_two_linear_muscles_make_the_torque_of_the_paper():
    """Activation, stiffness and damping of a pair at ±d, about φ = 0, with the geometry of straight cables.

    l(φ) = |R(φ)(a, ±d) - (-a, ±d)|: l' = ∓d and l'' = -a/2 at φ = 0, by hand.
    """
    a, d, alpha, beta, tone, delta, co = 0.1, 0.04, 6.0, 30.0, 0.2, 0.8, 0.5

    def pair(left, right):
        make = lambda side, active: mb.Cable(  # noqa: E731
            [("wall", (-a, side * d, 0.0)), ("arm", (a, side * d, 0.0))],
            gaits.EkebergMuscle(alpha, beta, delta, 2 * a, active, tone=tone),
        )
        return make(1.0, left), make(-1.0, right)

    torque = lambda q, dq, left=co, right=co: hinge(pair(left, right), q, dq)  # noqa: E731
    zero = jnp.zeros(())
    assert float(torque(zero, zero, 0.9, 0.3)) == pytest.approx(d * alpha * (0.9 - 0.3), rel=1e-12)
    stiffness, damping = jax.jit(jax.grad(torque, argnums=(0, 1)))(zero, zero)
    expected = -2.0 * (d**2 * beta * (co + tone) - alpha * co * a / 2.0)
    assert float(stiffness) == pytest.approx(expected, rel=1e-12)
    assert float(damping) == pytest.approx(-2.0 * d**2 * delta, rel=1e-12)


def test_friction_slack_and_commands():
    """A right angle on the hull takes exp(-μ π/2); a negative tension nothing; commands go to their cable in order."""
    tree, rest = chain(), mb.BaseState()
    via = [("hull", (0.0, 0.0, 0.0)), ("hull", (0.1, 0.0, 0.0)), ("hull", (0.1, 0.1, 0.0)), ("tip", (0.1, 0.3, 0.0))]
    zero = jnp.zeros(())
    q = jnp.asarray([0.1, 0.0, 0.0])

    def last(friction):
        cable = mb.Cable(via, 5.0, friction=friction)
        return np.linalg.norm(np.asarray(pull(tree, (cable,), zero, rest, q, 0 * q).wrench)[3, :3])

    cable = mb.Cable(via[1:], 5.0, friction=0.2)
    rest_of_it = np.linalg.norm(np.asarray(pull(tree, (cable,), zero, rest, q, 0 * q).wrench)[3, :3])
    assert last(None) == pytest.approx(5.0)
    assert last(0.2) == pytest.approx(rest_of_it * np.exp(-0.2 * np.pi / 2), rel=1e-12)

    winch = mb.Cable(via[::3], gaits.Commanded())
    spring = mb.Cable(via[::3], gaits.StateTension(lambda t, length, rate, command: 50.0 * (length - 9.0)))
    pulled = lambda x: pull(tree, (spring, winch, winch), zero, rest, q, 0 * q, x)  # noqa: E731
    assert pulled(jnp.asarray([-1.0, 2.5])).tension.tolist() == [0.0, 0.0, 2.5]
    slope = jax.jit(jax.jacfwd(lambda x: pulled(x).wrench))(jnp.asarray([0.0, 2.5]))
    assert np.all(np.isfinite(np.asarray(slope))) and np.abs(np.asarray(slope)[..., 1]).max() > 0.1
    with pytest.raises(ValueError, match=r"command has shape \(1,\)"):
        pulled(jnp.zeros(1))


@pytest.mark.parametrize(
    "build, words",
    [
        (lambda: mb.Cable([("hull", (0, 0, 0))], 1.0), "two or more pairs"),
        (lambda: mb.Cable([("hull", (0, 0)), ("arm", (0, 0, 0))], 1.0), r"Cable.via\[0\] has shape"),
        (lambda: mb.Cable([("hull", (0, 0, np.nan)), ("arm", (0, 0, 0))], 1.0), "must be finite"),
        (lambda: mb.Cable([("hull", (0, 0, 0)), ("arm", (0, 0, 0))], -1.0), "Cable.tension = -1.0"),
        (lambda: mb.Cable([("hull", (0, 0, 0)), ("arm", (0, 0, 0))], 1.0, friction=-1.0), "Cable.friction"),
        (
            lambda: mb.rollout(chain(), None, actuators=mb.Cable([("hull", (0, 0, 0)), ("leg", (0, 0, 0))], 1.0)),
            "'leg' is no body of the tree",
        ),
        (lambda: mb.rollout(chain(), None, actuators=[3.0]), "must be a multibody.Cable"),
        (
            lambda: mb.rollout(
                chain(), None, actuators=mb.Cable([("hull", (0, 0, 0)), ("arm", (0, 0, 1))], gaits.Commanded())
            ),
            "read 1 commands and nothing gives them",
        ),
    ],
)
def test_refusals(build, words):
    with pytest.raises(ValueError, match=words):
        build()


@pytest.mark.slow
def test_the_power_of_a_steered_tree_with_cables_is_balanced():
    """Motors + cables = d/dt(T + T_a + U) + dampers + drag at recorded instants, all of them steered: 1e-8 W.

    A swimmer of three links: the controller moves the first joint through a servo, gives the second a torque, and pulls
    one of its two cables; the other is a muscle. The powers are those of the record; the rate is the derivative of the
    energies along the recorded rates of all states.
    """
    profile, water = hydro.uniform_profile(0.9, 0.03, 0.05), hydro.Morison(added_mass="kirchhoff")
    pieces = [mb.strip(profile, (0.3 * i, 0.3 * i + 0.3)) for i in range(3)]
    inertia = [mb.link_inertia(piece, 1000.0) for piece in pieces]
    neck = mb.revolute(name="neck", position=(0.3, 0, 0))
    tail = mb.revolute(name="tail", position=(0.3, 0, 0), actuated=False, stiffness=2.0, rest=0.1, damping=0.05)
    parts = zip(("head", "middle", "fin"), (None, "head", "middle"), (None, neck, tail), inertia, pieces, strict=True)
    tree = mb.from_links([mb.Link(a, b, joint, inertia=i, strip=piece) for a, b, joint, i, piece in parts])
    sides = [[("middle", (0.1, y, 0.0)), ("fin", (0.1, y, 0.0))] for y in (0.03, -0.03)]
    muscle = gaits.HillMuscle(force=20.0, length=0.3, activation=lambda t: 0.5 + 0.3 * jnp.sin(5.0 * t))
    cables = (mb.Cable(sides[0], gaits.Commanded()), mb.Cable(sides[1], muscle))
    sensors = fb.Heading(), fb.JointPosition("tail", name="q"), fb.JointVelocity("tail", name="dq")
    control = fb.Reflex(
        lambda t, sensed: jnp.stack(
            [jnp.sin(6.0 * t) - sensed["heading"], -0.3 * sensed["dq"][0], 4.0 + 3.0 * sensed["q"][0]]
        ),
        *sensors,
    )
    law = gaits.Steered(
        lambda t, y: y[:1], control, servo=fb.Servo(2.0), torque=lambda t, q, dq, u: jnp.stack([0.0 * u[1], u[1]])
    )
    run = mb.simulate(tree, law, water, 0.6, actuators=cables, samples=5, progress=False)

    @jax.jit
    def rate(quaternion, twist, twist_rate, q, dq, ddq):
        def energy(twist, q, dq):
            state = mb.state.unchecked_state(jnp.zeros(3), quaternion, twist)
            return mb.kinetic_energy(tree, state, q, dq, fluid=water) + mb.potential_energy(tree, state, q)

        return jax.jvp(energy, (twist, q, dq), (twist_rate, mb.position_rates(tree, q, dq), ddq))[1]

    names = ("head_quaternion", "head_twist", "head_twist_rate")
    names += ("joint_position", "joint_velocity", "joint_acceleration")
    given = run.actuator_power + run.muscle_power - run.joint_dissipation + run.power_drag
    for k in range(1, 5):
        found = float(rate(*(jnp.asarray(run[name].values[k]) for name in names)))
        assert abs(float(given[k]) - found) <= 1e-8, (k, float(given[k]) - found)
    motors = (run.motor_power.isel(freedom=k) for k in range(2))
    for part in (*motors, run.muscle_power, run.joint_dissipation, run.power_drag):
        assert float(abs(part).max()) > 1e-3, part.name
