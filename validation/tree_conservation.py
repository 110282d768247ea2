"""Conservation laws of the tree of rigid bodies: momentum, energy of springs, power in water."""

import functools
from typing import Any

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

import hydro
import multibody as mb
from spatial import quaternion_exp

from .report import Measurement, check, require

GROUP = "conservation"

MOMENTUM = 1e-11  # relative: ten times the tolerance of the time integrator
ENERGY = 1e-9  # relative: rtol 1e-12 over some hundred steps
POWER = 1e-9  # W: round-off of powers of order 100 W
_TIGHT: dict[str, Any] = dict(solver=diffrax.Dopri8(), rtol=1e-12, atol=1e-13)


def branched_tree(actuated: bool, stiffness: float = 0.0, rest: float = 0.0) -> mb.Tree:
    """A base with a spherical and a revolute joint in series, and a branch on a prismatic joint.

    Args:
        actuated: whether the joints follow a law; otherwise they move under their springs.
        stiffness: stiffness of the springs [N·m/rad, N/m].
        rest: rest positions of the springs [rad, m].
    """
    options: dict[str, Any] = dict(actuated=actuated, stiffness=stiffness, rest=rest)
    body = functools.partial(
        mb.Link, mass=1.0, centre=(0.1, 0.02, -0.03), about_centre=np.diag([0.01, 0.02, 0.03])
    )  # fmt: skip
    return mb.from_links(
        [
            body("base"),
            body("a", "base", mb.spherical(position=(0.3, 0, 0), **options)),
            body("b", "a", mb.revolute((0, 1, 0), position=(0.3, 0, 0), **options)),
            body("c", "base", mb.prismatic((0, 0, 1), position=(0, 0.2, 0), **options)),
        ]
    )


def joint_law(t: Float[Array, ""]) -> Float[Array, "6"]:
    """Positions of the joints of `branched_tree`."""
    turn = quaternion_exp(jnp.stack([0.4 * jnp.sin(2 * t), 0.5 * jnp.sin(3 * t), 0.3 * t]))
    return jnp.concatenate([turn, jnp.stack([0.7 * jnp.sin(1.7 * t), 0.1 * jnp.cos(2.3 * t)])])


def _start():
    return mb.BaseState(twist=np.array([0.3, -0.2, 0.1, 0.4, -0.5, 0.6]))


@check(
    group=GROUP,
    title="drift of a tree's momentum in vacuum, joints in motion, 10 s",
    unit="rel.",
    source="Newton",
    meaning="an inertial term of the recursive Newton-Euler equations is wrong, such as (22) of [KR13] as printed",
)
def tree_momentum_in_vacuum() -> Measurement:
    """Linear and angular, about the world's origin, final value relative to the initial one."""
    tree = branched_tree(True)
    run = mb.rollout(tree, joint_law, None, 10.0, state=_start(), samples=2, **_TIGHT)
    momentum = jax.jit(mb.momentum)
    first, last = (momentum(tree, run.state(k), run.joints[k], run.joint_rates[k]) for k in (0, -1))
    require(np.abs(run.twist[1] - run.twist[0]).max() > 0.1, "the base moves uniformly")
    return np.abs(last - first).max() / np.abs(first).max(), 0.0, MOMENTUM


@check(
    group=GROUP,
    title="energy of a tree left to its springs, 5 s",
    unit="rel.",
    source="Lagrange",
    meaning="direct dynamics and spring torques do not derive from one Lagrangian",
)
def tree_energy_of_springs() -> Measurement:
    """Kinetic plus stored energy relative to the initial value."""
    tree = branched_tree(False, stiffness=3.0, rest=0.1)
    start = jnp.concatenate([quaternion_exp(jnp.asarray([0.3, -0.2, 0.4])), jnp.asarray([0.5, -0.1])])
    rates = jnp.asarray([0.2, -0.4, 0.3, 0.5, -0.2])
    run = mb.rollout(tree, None, None, 5.0, state=_start(), joints=start, joint_rates=rates, samples=11, **_TIGHT)

    @jax.jit
    @jax.vmap
    def energies(k):
        state, q, dq = run.state(k), run.joints[k], run.joint_rates[k]
        return mb.kinetic_energy(tree, state, q, dq), mb.potential_energy(tree, state, q)

    kinetic, stored = energies(jnp.arange(11))
    require(np.ptp(np.asarray(stored)) > 0.1, "the springs hardly work")
    total = np.asarray(kinetic + stored)
    return np.abs(total - total[0]).max() / total[0], 0.0, ENERGY


@check(
    group=GROUP,
    title="power of the motors of a tree against d/dt(T + T_a) + D, Kirchhoff's added mass",
    unit="W",
    source="exact identity",
    meaning="torques, energies and fluid forces of the tree do not belong to one model",
)
def tree_power_identity() -> Measurement:
    """At one random instant of an immersed chain of three links."""
    profile = hydro.uniform_profile(0.9, 0.03, 0.05)
    pieces = [mb.strip(profile, (0.3 * i, 0.3 * i + 0.3), nose_radius=0.03 if i == 0 else None) for i in range(3)]
    inertia = [mb.link_inertia(piece, 1000.0) for piece in pieces]
    tree = mb.from_links(
        [
            mb.Link("l0", inertia=inertia[0], strip=pieces[0]),
            mb.Link("l1", "l0", mb.spherical(position=(0.3, 0, 0)), inertia=inertia[1], strip=pieces[1]),
            mb.Link("l2", "l1", mb.revolute(position=(0.3, 0, 0)), inertia=inertia[2], strip=pieces[2]),
        ]
    )
    fluid, rng = hydro.Morison(added_mass="kirchhoff"), np.random.default_rng(1)
    q = jnp.concatenate([quaternion_exp(jnp.asarray(rng.normal(size=3) * 0.5)), jnp.asarray([0.4])])
    dq, ddq = (jnp.asarray(rng.normal(size=4)) for _ in range(2))
    state = mb.BaseState(twist=rng.normal(size=6))

    @jax.jit
    def balance(state, q, dq, ddq):
        found = mb.inverse_dynamics(tree, state, q, dq, ddq, fluid=fluid)
        energy = lambda twist, q, dq: mb.kinetic_energy(  # noqa: E731
            tree, mb.state.unchecked_state(state.position, state.quaternion, twist), q, dq, fluid=fluid
        )
        rates = (found.base_acceleration, mb.position_rates(tree, q, dq), ddq)
        change = jax.jvp(energy, (state.twist, q, dq), rates)[1]
        given = mb.power(tree, state, q, dq, found.torque, fluid=fluid)
        return jnp.sum(given.motors), change, given.fluid

    motors, change, fluid_power = balance(state, q, dq, ddq)
    resisting = fluid_power["drag"] + fluid_power["nose_drag"]
    require(resisting < -1e-2, "the water resists hardly")
    return float(motors), float(change - resisting), POWER
