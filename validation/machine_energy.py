"""Energy balances of the machines: the unforced moth, NATRIX rocking, a stroke of the rowing boat."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import hydro
import multibody as mb
from anguilla.robots import moth, natrix, rower
from multibody.state import unchecked_state

from .report import Measurement, check, quote, require

GROUP = "conservation"

MOTH = 1e-8  # relative: a hundred times the tolerance of the step, over some fifty steps
NATRIX = 1e-8  # relative: RK4 with 1 ms, (ω h)⁴ ω t / 120 of the fastest rocking at 2.5 Hz, 10 s
ROWER = 1e-6  # relative: RK4 with the steps of the steady stroke


@check(
    group=GROUP,
    title="energy of a moth left to its springs, with the air that it carries, 20 ms",
    unit="rel.",
    source="Lagrange",
    meaning="springs, bodies and the air that the wings carry do not derive from one Lagrangian",
)
def moth_energy() -> Measurement:
    """Relative to the initial energy; the stroke angle is fixed, without lift, drag and dampers."""
    tree = moth.model(parameters=moth.MothParameters(damping=0.0))
    air = hydro.QuasiSteady(lift=0.0, drag=0.0, drag_swing=0.0)
    count = len(tree.passive_freedoms)
    run = mb.rollout(
        tree,
        lambda t: jnp.zeros(2),
        air,
        0.02,
        state=mb.BaseState(twist=[0.1, 0.2, -0.1, 3.0, 5.0, -4.0]),
        joints=0.3 * np.cos(np.arange(count)),
        joint_rates=30.0 * np.sin(np.arange(count)),
        samples=3,
        rtol=1e-10,
        atol=1e-11,
    )

    @jax.jit
    @jax.vmap
    def energies(k):
        state, q, dq = run.state(k), run.joints[k], run.joint_rates[k]
        return mb.kinetic_energy(tree, state, q, dq, fluid=air), mb.potential_energy(tree, state, q)

    kinetic, stored = energies(jnp.arange(3))
    total = np.asarray(kinetic + stored)
    require(np.ptp(np.asarray(stored)) > 1e-2 * total[0], "the springs hardly work")
    return np.ptp(total) / total[0], 0.0, MOTH


@check(
    group=GROUP,
    title="energy of NATRIX rocking at the surface in a frozen shape, 10 s",
    unit="rel.",
    source="[XHLB23] shows 1e-2",
    meaning="buoyancy is not the gradient of its energy, or the inertia of the whole shape is wrong",
)
def natrix_energy() -> Measurement:
    """Relative to the energy of rocking: kinetic energy and that of weight and buoyancy, above the equilibrium."""
    tree, q, surface = natrix.model(), natrix.natrix_shape(0.4), hydro.FreeSurface()
    rest = mb.equilibrium(tree, q, surface)
    quote(natrix_rocking=rest.frequencies[0])
    heeled = mb.floating_state(tree, q, rest.coordinates + jnp.array([0.0, np.deg2rad(5.0), 0.0]))
    held = natrix.HeldShape(q)
    run = mb.march(tree, held, surface, 10.0, dt=1e-3, every=500, state=heeled, gravity=hydro.EARTH)

    def energy(position, quaternion, twist):
        at = unchecked_state(position, quaternion, twist)
        kinetic = mb.kinetic_energy(tree, at, q, jnp.zeros(tree.layout.freedoms))
        return kinetic + mb.potential_energy(tree, at, q, hydro.EARTH) + mb.fluid_potential(tree, surface, at, q)

    start = rest.state.position, rest.state.quaternion, rest.state.twist
    moving = run.position, run.quaternion, run.twist
    least, *rest_of = jax.jit(jax.vmap(energy))(
        *(jnp.concatenate([one[None], all]) for one, all in zip(start, moving, strict=True))
    )
    total = np.asarray(rest_of)
    require(np.ptp(np.asarray(run.quaternion[:, 1])) > 0.06, "it hardly rocks")
    return np.abs(total - total[0]).max() / float(total[0] - least), 0.0, NATRIX


@check(
    group=GROUP,
    title="work of the rower's motors against energy and losses, at every instant of a stroke",
    unit="rel.",
    source="exact identity",
    meaning="torques, the closed loop, oars, hull and waves do not belong to one model",
)
def rower_energy() -> Measurement:
    """Relative to the work of the motors in a stroke."""
    cycle = eqx.filter_jit(rower.steady_stroke)(rower.scull(), rower.stroke(0.4))
    work, energy = np.asarray(cycle.states.work), np.asarray(cycle.now.energy)
    quote(rower_speed=cycle.speed)
    require(bool(np.all(work[-1, 1:] < 0)), "a sink gives energy")
    return np.abs(work.sum(axis=1) - (energy - energy[0])).max() / work[-1, 0], 0.0, ROWER
