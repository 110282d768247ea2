"""Threads and cables: shapes against an independent computation, and the virtual work and power of their tensions."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import gaits
import hydro
import multibody
from cosserat.energy import soft_energetics
from cosserat.soft.instant import soft_instant
from cosserat.soft.sampled_soft import sample_soft
from cosserat.soft.soft_beam import unchecked_soft_state
from cosserat.state import unchecked_state
from multibody.cables import pull
from spatial import quaternion_rate

from .report import Measurement, check, require
from .soft_bodies import soft_reference


@check(
    group="agreement",
    title="rod under two oblique tendons and a tip load: position of the tip, eight modes a strain",
    unit="m",
    source="shooting and collocation of the local equations (validation/data/soft_reference.json)",
    meaning="the tangent of a thread, its lever arm or its length is wrong",
    shares="threads",
)
def thread_oblique() -> Measurement:
    """All strains elastic; tensions of 10 and 3 N."""
    sides = ((1.0, 10.0), (-1.0, 3.0))
    routes = [(cosserat.Oblique((s * 0.007, -s * 0.005), (-s * 0.003, s * 0.007), 0.0, 0.5), T) for s, T in sides]
    soft = cosserat.Soft(
        cosserat.rod(0.5, 0.01, 0.015),
        cosserat.FreeStrains(modes=dict.fromkeys(("G1", "G2", "G3", "K1", "K2", "K3"), 8)),
        cosserat.Elastic(1e6, poisson=0.45, shear_correction=0.9),
        actuators=[cosserat.Thread(routing, tension) for routing, tension in routes],
        loads=cosserat.EndLoad(force=[0.0, 0.02, -0.03]),
        head=cosserat.Clamped(),
    )
    position, _ = cosserat.tail_pose(soft, cosserat.equilibrium(soft).q)
    expected = soft_reference()["tendon_oblique_ext"]["tip_position"]
    return float(np.abs(np.asarray(position) - np.asarray(expected)).max()), 0.0, 1e-8


@check(
    group="conservation",
    title="power of imposed strains and muscles in water, less what changes energies and is lost",
    unit="W",
    source="energies differentiated along the motion by the chain rule",
    meaning="muscles do work that no energy accounts for",
    shares="threads",
)
def thread_power() -> Measurement:
    """An eel swims in space with a free tail and two Hill muscles, one of which ends inside the body."""
    beat = lambda t: 0.5 + 0.3 * jnp.sin(7.0 * t)  # noqa: E731
    soft = cosserat.Soft(
        cosserat.eel(),
        cosserat.FreeStrains(0.8, modes={"G1": 1, "K1": 1, "K2": 2, "K3": 2}),
        cosserat.Elastic(1e5, damping_time=0.02),
        actuators=[
            cosserat.Thread(
                cosserat.Oblique((0.03, 0.0), (0.01, 0.01), 0.5, 1.9), gaits.HillMuscle(40.0, 1.4, beat), 0.5
            ),
            cosserat.Thread(cosserat.Helix(0.02, 0.9), gaits.HillMuscle(30.0, 0.8, beat), 0.9, 1.7),
        ],
    )
    gait, fluid, t = gaits.spiral(), hydro.Morison(added_mass="kirchhoff"), jnp.asarray(2.3)
    sampled = sample_soft(soft, fluid, 32, 1)
    q, dq = jnp.asarray(0.2 * np.random.default_rng(3).normal(size=(2, soft.modes)))
    head = cosserat.HeadState(twist=[-0.3, 0.02, 0.01, 0.1, 0.05, -0.04])

    def sums(state, t):
        now = soft_instant(sampled, gait, fluid, state, t)
        found = soft_energetics(sampled, fluid, now)
        return found.kinetic + found.added + found.elastic, (found, now)

    @eqx.filter_jit
    def instant(state):
        _, (found, now) = sums(state, t)
        turning = quaternion_rate(head.quaternion, head.twist[3:])
        moved = unchecked_state(head.rotation @ head.twist[:3], turning, now.rates[:6])
        moving = unchecked_soft_state(moved, dq, now.rates[6:])
        _, rate = jax.jvp(lambda *at: sums(*at)[0], (state, t), (moving, jnp.ones(())))
        return found, rate

    state = unchecked_soft_state(head, q, dq)
    found, rate = instant(state)
    imposed = cosserat.internal_wrench(soft, gait, fluid, state, t).actuator_power
    require(abs(float(found.active)) > 0.1, "the muscles do no work")
    given, taken = imposed + found.active, rate + found.viscous + found.dissipation - found.convective
    return float(given - taken), 0.0, 1e-8


@check(
    group="agreement",
    title="cable through three bodies: forces on the joints against the derivative of its length",
    unit="-",
    source="rows of the equations of motion that its wrenches change; the length differentiated",
    meaning="the forces of a cable at its points are not those of its tension",
)
def cable_virtual_work() -> Measurement:
    """Compares the forces per newton of tension for three kinds of joints; one point is fixed in the world."""
    body = {"mass": 1.0, "centre": (0.1, 0.02, -0.01), "about_centre": (0.02 * np.eye(3)).tolist()}
    joints = (
        multibody.revolute(axis=(0.0, 0.6, 0.8), name="turn", position=(0.3, 0.0, 0.0)),
        multibody.prismatic(axis=(0.0, 1.0, 0.0), name="slide", position=(0.2, 0.1, 0.0)),
        multibody.helical(axis=(1.0, 0.0, 0.0), pitch=0.05, name="screw", position=(0.2, 0.0, 0.1)),
    )
    links = [multibody.Link("0", **body)]
    links += [multibody.Link(str(k + 1), str(k), joint, **body) for k, joint in enumerate(joints)]
    tree, T = multibody.from_links(links), 3.0
    via = [("world", (0.0, 1.0, 0.4)), ("1", (0.1, 0.05, 0.02)), ("3", (0.1, -0.1, 0.05)), ("0", (0.0, 0.1, 0.0))]
    cable, state = multibody.Cable(via, T), multibody.BaseState([0.1, 0.2, -0.1], twist=[0.3, 0, 0.1, 0, 0.2, 0])
    q, dq = jnp.asarray([0.3, 0.05, -0.4]), jnp.asarray([0.1, 0.2, -0.3])

    @eqx.filter_jit
    def both():
        wrench = pull(tree, (cable,), jnp.zeros(()), state, q, dq).wrench
        loaded = multibody.equations(tree, state, q, dq, wrench=wrench)[1]
        slope = jax.grad(lambda q: multibody.thread_length(tree, cable, q, state=state)[0][0])(q)
        return (multibody.equations(tree, state, q, dq)[1] - loaded)[6:] / T, slope

    force, slope = both()
    return float(jnp.max(jnp.abs(force + slope))), 0.0, 1e-12
