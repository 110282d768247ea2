"""SoRoMoX beside the soft beam: the rod in space of its own benchmark, clamped, under a gravity across it, for 3 s.

The rod is that of the sequential benchmark of SoRoMoX's paper (`simulate_spatial_pcs.py`): two parts of 0.3 m, all six
strains constant on each, with a damping matrix of its own. The soft beam has the same twelve freedoms, stiffness,
damping and inertia, so that both converge to the same motion. Equal work: each side runs at the coarsest setting that
ends within 1 % of the converged motion, in units of the rod's length, for that setting and all finer ones.

SoRoMoX steps explicitly (Tsit5, as published), so that the damping of shear bounds its step.
"""

# pyright: reportMissingImports=false
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from soromox.systems import PCS, SystemState
from soromox.systems.components import LinkSpec

import cosserat
import hydro

PARTS, PART, RADIUS, DENSITY, YOUNG, SHEAR = 2, 0.3, 0.03, 1000.0, 1e6, 3.333333e5
GRAVITY = (-9.81, -9.81, 0.0)
FORCES, MOMENTS = 10.0, 0.02  # viscosity against stretch and shear [N·s], against twist and bending [N·m²·s]
LENGTH, SECONDS, RECORDS = PARTS * PART, 3.0, 6
UPRIGHT = (np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0)  # t1 along z; (w, x, y, z)


def rod_of_soromox(step: float) -> Callable[[], jax.Array]:
    """Tip of the rod at even times by SoRoMoX, steps of Tsit5 [s]; angular strains come first there."""
    link = LinkSpec.circular(
        length=PART,
        radius=RADIUS,
        density=DENSITY,
        reference_strain=[0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        young_modulus=YOUNG,
        shear_modulus=SHEAR,
        damping=PART * jnp.diag(jnp.asarray([MOMENTS] * 3 + [FORCES] * 3)),
    )
    w, *axis = UPRIGHT
    pose = jnp.asarray([*axis, w, 0.0, 0.0, 0.0])
    robot = PCS.from_links([link] * PARTS, gravity=jnp.asarray(GRAVITY), base_pose=pose)
    times = SECONDS * jnp.arange(1, RECORDS + 1) / RECORDS
    tip = lambda q: robot.forward_kinematics(q, s=jnp.asarray(LENGTH))[:3, 3]  # noqa: E731

    def run():
        n = 6 * PARTS
        start = SystemState(t=0.0, y=jnp.zeros(2 * n))
        moved = robot.rollout_to(start, u=jnp.zeros(n), t1=SECONDS, solver_dt=step, save_ts=times)
        return jax.vmap(tip)(moved.y[:, :n])

    return run


def same_soft_rod() -> cosserat.Soft:
    """The same rod with the same basis."""
    area, second = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4.0
    stiffness = [YOUNG * area, SHEAR * area, SHEAR * area, 2.0 * SHEAR * second, YOUNG * second, YOUNG * second]
    strains: dict[str, int] = dict.fromkeys(("G1", "G2", "G3", "K1", "K2", "K3"), PARTS)
    return cosserat.Soft(
        cosserat.Beam(hydro.uniform_profile(LENGTH, RADIUS, RADIUS), DENSITY, load_panels=(PARTS,)),
        cosserat.FreeStrains(modes=strains, basis=cosserat.PiecewiseConstant()),
        cosserat.Springs(stiffness, damping=[FORCES] * 3 + [MOMENTS] * 3),
        head=cosserat.Clamped(),
    )
