"""Reduced dynamics of a tree whose joint motion is all imposed: the terms that depend on time only.

Relative to the base, body i has the inertia I_i and, due to the joints, the twist V_i. The total momentum is
p = M η + h with M = Σ I_i and h = Σ I_i V_i, and dp/dt = ad(η)ᵀ p + wrench in the moving base gives

    M dη/dt = wrench + ad(η)ᵀ (M η + h) - dM/dt η - dh/dt                              after [XHLB23, eqs. (14)-(16)]

M, h and their rates follow from the joint law alone. Runs with the same law share them, and each run then needs only
the loads and the solution of a 6x6 system. The rates are exact: dI_i/dt = -ad(V_i)ᵀ I_i - I_i ad(V_i).
"""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from spatial import ad, coadjoint, solve_inertia

from .coordinates import JointLaw, law_motion
from .kinematics import configuration, spread_accelerations, spread_twists
from .small_matrices import apply, inertia_in_base, product
from .strips import no_strips
from .tree import Tree


class ShapeMotion(eqx.Module):
    """A moving shape at one instant, about the base's origin, in base axes.

    Attributes:
        inertia: M [kg, kg·m, kg·m²].
        inertia_rate: dM/dt [kg/s, kg·m/s, kg·m²/s].
        momentum: h, due to the motion of the joints [kg·m/s, kg·m²/s].
        momentum_rate: dh/dt [N, N·m].
        position: centres of the sections on which the fluid acts [m].
        across: axes t2 and t3 of the sections, unit vectors, as columns.
        along: axes t1 of the sections, unit vectors.
        velocity: twists of the bodies that carry the sections, due to the joints [m/s, rad/s].
    """

    inertia: Float[Array, "6 6"]
    inertia_rate: Float[Array, "6 6"]
    momentum: Float[Array, "6"]
    momentum_rate: Float[Array, "6"]
    position: Float[Array, "points 3"]
    across: Float[Array, "points 3 2"]
    along: Float[Array, "points 3"]
    velocity: Float[Array, "points 6"]

    def acceleration(self, twist: Float[Array, "6"], wrench: Float[Array, "6"]) -> Float[Array, "6"]:
        """Rate of the base's twist under a total wrench, both in the base frame [m/s², rad/s²]."""
        momentum = self.inertia @ twist + self.momentum
        known = wrench + coadjoint(twist, momentum) - self.inertia_rate @ twist - self.momentum_rate
        return solve_inertia(self.inertia, known)


def shape_motion(tree: Tree, law: JointLaw, t: Float[Array, ""]) -> ShapeMotion:
    """The shape of a tree under a law at a time [s]; all joints must be actuated.

    Args:
        tree: the tree.
        law: t -> positions of all joints.
        t: time [s].
    """
    if len(tree.passive_freedoms):
        raise ValueError(f"shape_motion: joints {tree.joint_names} must all be actuated: their motion is the shape's")
    if tree.strips is None:
        raise no_strips()
    q, dq, ddq = law_motion(tree, law, t)
    place, still = configuration(tree, q), jnp.zeros(6)
    V = spread_twists(tree, place, still, dq)
    A = spread_accelerations(tree, place, still, dq, ddq)
    each = inertia_in_base(place.rotation, place.position, tree.inertia)
    p = apply(each, V)
    half = jnp.sum(product(each, ad(V)), axis=0)
    points, rows = tree.strips.points, np.asarray(tree.strips.body)
    rotation = product(place.rotation[rows], points.rotation)
    return ShapeMotion(
        inertia=jnp.sum(each, axis=0),
        inertia_rate=-half - half.T,
        momentum=jnp.sum(p, axis=0),
        momentum_rate=jnp.sum(apply(each, A) - coadjoint(V, p), axis=0),
        position=place.position[rows] + apply(place.rotation[rows], points.position),
        across=rotation[..., 1:],
        along=rotation[..., 0],
        velocity=V[rows],
    )
