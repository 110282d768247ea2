"""The tree at one instant: impulse of body and water, and torques by Lagrange's equations from the energy."""

import functools
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import hydro
import multibody as mb
from multibody.state import unchecked_state
from spatial import quaternion_rate

from .report import Measurement, check, require

ROUND_OFF = 1e-12  # relative: 1e-16 times the condition number of the mass matrix of this tree, of order 1e4


def immersed_tree() -> mb.Tree:
    """A base with a universal joint followed by a hinge, and a slider on a branch; all in water.

    No axis coincides with a frame axis, so that no term of the recursion vanishes; rotors turn with the joints.
    """
    profile = hydro.uniform_profile(0.4, 0.03, 0.06)
    piece, head = mb.strip(profile, (0.0, 0.4)), mb.strip(profile, (0.0, 0.4), nose_radius=0.04)
    inertia = mb.link_inertia(piece, 1000.0)
    tilted, across = np.array([0.2, 0.6, 0.8]) / np.sqrt(1.04), np.array([0.0, 0.8, -0.6])
    return mb.from_links(
        [
            mb.Link("base", inertia=inertia, strip=head),
            mb.Link("a", "base", mb.universal(tilted, across, position=(0.4, 0.05, 0.0), rotor_inertia=0.02),
                    inertia=inertia, strip=piece),
            mb.Link("b", "a", mb.revolute(across, position=(0.4, 0.0, 0.03), rotor_inertia=0.01),
                    inertia=inertia, strip=piece),
            mb.Link("c", "base", mb.prismatic(tilted, position=(0.1, 0.1, 0.0)), inertia=inertia, strip=piece),
        ]
    )  # fmt: skip


class Instant(NamedTuple):
    """Computed values and their references.

    Attributes:
        gain: rate of the impulse of body and water about the world's origin, in the world [N, N·m].
        without: the same without acceleration of the base.
        torque: torque of the inverse dynamics [N·m, N].
        lagrange: d/dt ∂T/∂q̇ - ∂T/∂q, by differentiation of the kinetic energy alone [N·m, N].
    """

    gain: np.ndarray
    without: np.ndarray
    torque: np.ndarray
    lagrange: np.ndarray


@functools.cache
def instant() -> Instant:
    """A random state in water without drag, the added mass in Kirchhoff's form."""
    tree, rng = immersed_tree(), np.random.default_rng(11)
    water = hydro.Morison(
        added_mass="kirchhoff", drag_axial=0.0, drag_lateral=0.0, drag_dorsal=0.0, drag_roll=0.0, nose_drag=0.0
    )
    q, dq, ddq = (jnp.asarray(rng.normal(size=4)) for _ in range(3))
    turn = rng.normal(size=4)
    start = mb.BaseState(rng.normal(size=3), turn / np.linalg.norm(turn), rng.normal(size=6))

    @jax.jit
    def found(state, q, dq, ddq):
        medium = mb.immerse(tree, water)
        wet = eqx.tree_at(lambda t: t.inertia, tree, tree.inertia + medium.added_inertia)
        motion = mb.inverse_dynamics(tree, state, q, dq, ddq, fluid=medium)

        def impulse(position, quaternion, twist, q, dq):
            return mb.momentum(wet, unchecked_state(position, quaternion, twist), q, dq)

        def energy(twist, q, dq):
            return mb.kinetic_energy(wet, unchecked_state(state.position, state.quaternion, twist), q, dq)

        here = (state.position, state.quaternion, state.twist, q, dq)
        moved = (state.rotation @ state.twist[:3], quaternion_rate(state.quaternion, state.twist[3:]))
        along = lambda rate: jax.jvp(impulse, here, (*moved, rate, dq, ddq))[1]  # noqa: E731
        momenta = jax.grad(energy, argnums=2)
        change = jax.jvp(momenta, (state.twist, q, dq), (motion.base_acceleration, dq, ddq))[1]
        lagrange = change - jax.grad(energy, argnums=1)(state.twist, q, dq)
        return along(motion.base_acceleration), along(jnp.zeros(6)), motion.torque, lagrange

    return Instant(*(np.asarray(x) for x in found(start, q, dq, ddq)))


@check(
    group="conservation",
    title="rate of the impulse of a deforming tree and its water, no drag",
    unit="rel.",
    source="Newton, Kirchhoff (1869): d/dt of the impulse about the world's origin is zero",
    meaning="an inertial term of the recursion is wrong: (22), (25)-(27) or (42) of [KR13] as printed",
    shares="tree instant",
)
def tree_impulse_at_an_instant() -> Measurement:
    """Relative to the value without acceleration of the base."""
    made = instant()
    require(np.abs(made.without).max() > 1.0, "nothing is to be undone")
    return np.abs(made.gain).max() / np.abs(made.without).max(), 0.0, ROUND_OFF


@check(
    group="agreement",
    title="torques of a tree in water against Lagrange's equations",
    unit="rel.",
    source="d/dt ∂T/∂q̇ - ∂T/∂q, the kinetic energy of body and water differentiated automatically",
    meaning="velocities, accelerations and torques of the tree do not belong to one mechanism",
    shares="tree instant",
)
def tree_torques_by_lagrange() -> Measurement:
    """Universal, hinged and sliding joints with rotors, at a random instant."""
    made = instant()
    require(np.abs(made.lagrange).min() > 1e-3, "a motor has nothing to do")
    return np.abs(made.torque - made.lagrange).max() / np.abs(made.lagrange).max(), 0.0, ROUND_OFF
