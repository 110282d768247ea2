"""A tree in a fluid: added inertia of its links and fluid loads on them."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from hydro import AbstractFluid, GeneralSection, Place, StiffMatrices, Void
from spatial import twist_from_head, wrench_to_head
from stepping import short_program

from .kinematics import Configuration
from .passing_water import ChainWater, ImmersedWater, immersed_water, passing_water
from .small_matrices import apply, inertia_in_base, product
from .state import BaseState
from .strips import Strips, lumped, no_strips
from .tree import Tree


class Immersion(eqx.Module):
    """Quantities that are constant while a tree moves in a fluid.

    Attributes:
        fluid: the fluid.
        added_inertia: added inertia of each body about its frame [kg, kg·m, kg·m²]. [KR13, eq. (42)]
        water: slices of water that pass along the links, whose added inertia is not in `added_inertia`; None if the
            fluid model has no such slices.
    """

    fluid: AbstractFluid
    added_inertia: Float[Array, "bodies 6 6"]
    water: ImmersedWater | None = None

    def at(self, t: Float[Array, ""]) -> "Immersion":
        """The immersion in the fluid at time t [s]."""
        return Immersion(self.fluid.at(t), self.added_inertia, self.water)


def immerse(tree: Tree, fluid: AbstractFluid) -> Immersion:
    """Integrates the added inertia along the links, once per run. [KR13, eqs. (39)-(42)]

    Raises:
        ValueError: the tree has no sections on which the fluid can act.
    """
    bodies = tree.layout.bodies
    if isinstance(fluid, Void):
        return Immersion(fluid, jnp.zeros((bodies, 6, 6)))
    if not isinstance(fluid, AbstractFluid):
        raise ValueError(f"fluid = {fluid!r}: must be a hydro.AbstractFluid, such as hydro.Morison() or hydro.Void()")
    if tree.strips is None:
        raise no_strips(", or use hydro.Void()")
    points = tree.strips.points
    if not fluid.acts_on(type(points.section)):
        remedy = '; a box of a URDF or MJCF file becomes ellipses with boxes="ellipses"'
        raise ValueError(
            f"fluid = {type(fluid).__name__}: acts on {fluid.section_kind.__name__}, "
            f"but the links of this tree carry {type(points.section).__name__}"
            + (remedy if isinstance(points.section, GeneralSection) else "")
        )
    water = immersed_water(tree.strips, fluid)
    if water is not None:
        return Immersion(fluid, jnp.zeros((bodies, 6, 6)), water)
    return Immersion(fluid, _added_inertia(tree.strips, fluid, bodies))


@short_program  # operation by operation it would take longer than a second of NATRIX's swim
def _added_inertia(strips: Strips, fluid: AbstractFluid, bodies: int) -> Float[Array, "bodies 6 6"]:
    """Added inertia of each body about its frame [kg, kg·m, kg·m²]."""
    points = strips.points
    per_point = lumped(points, jax.vmap(fluid.added_inertia)(points.section))
    added = jax.ops.segment_sum(per_point, np.asarray(strips.body), bodies, indices_are_sorted=True)
    if strips.nose_body:
        nose = jax.vmap(fluid.nose_added_inertia)(points.nose_radius)
        shifted = inertia_in_base(points.nose_rotation, points.nose_position, nose)
        added = added + jax.ops.segment_sum(shifted, np.asarray(strips.nose_body), bodies)
    return added


def fluid_wrenches(
    tree: Tree,
    fluid: AbstractFluid,
    state: BaseState,
    place: Configuration,
    twist: Float[Array, "bodies 6"],
) -> dict[str, Float[Array, "bodies 6"]]:
    """Loads of the fluid on each body at zero rate of its twist, by name, in the body frame [N, N·m].

    Args:
        tree: the tree.
        fluid: the fluid.
        state: pose of the base in the world.
        place: poses of the bodies relative to the base.
        twist: twists of the bodies, each in its own frame [m/s, rad/s].
    """
    if isinstance(fluid, Void) or tree.strips is None:
        return {}
    strips, points = tree.strips, tree.strips.points
    head = state.rotation
    on_bodies = _Carrier(head, state.position, place, twist)
    here = points.rotation, points.position, points.weight, points.abscissa
    out = on_bodies.load(fluid.terms, points.section, strips.body, *here)
    if strips.nose_body:
        ones = jnp.ones_like(points.nose_radius)
        out = out | on_bodies.load(
            fluid.nose_terms,
            points.nose_radius,
            strips.nose_body,
            points.nose_rotation,
            points.nose_position,
            ones,
            jnp.zeros_like(ones),
        )
    return out


def water_along(
    tree: Tree, medium: Immersion, state: BaseState, place: Configuration, twist: Float[Array, "bodies 6"]
) -> ChainWater | None:
    """The water that passes along the links; None if the fluid model has none, which is known at compile time."""
    if medium.water is None:
        return None
    assert tree.strips is not None
    return passing_water(tree.strips, medium.fluid, medium.water, state, place, twist)


def stiff_matrices(
    tree: Tree, fluid: AbstractFluid, state: BaseState, place: Configuration, twist: Float[Array, "bodies 6"]
) -> StiffMatrices | None:
    """Stiffness and damping of stiff loads on each body, in its frame [N/m, N, N·m] and [N·s/m, N·s, N·m·s].

    None if the fluid has no stiff loads, which is known at compile time. The arguments are as in `fluid_wrenches`.
    """
    if isinstance(fluid, Void) or tree.strips is None:
        return None
    points, rows = tree.strips.points, np.asarray(tree.strips.body)
    on_bodies = _Carrier(state.rotation, state.position, place, twist)
    where, moving = on_bodies.at(rows, points.rotation, points.position, points.abscissa)
    found = jax.vmap(fluid.stiff_matrices)(points.section, where, moving)
    gathered = lambda each: jax.ops.segment_sum(lumped(points, each), rows, twist.shape[0], indices_are_sorted=True)  # noqa: E731
    return None if found is None else jax.tree.map(gathered, found)


class _Carrier:
    """Moves twists from bodies to points on them, and loads back."""

    def __init__(self, head, origin, place, twist):
        self.head, self.origin, self.place, self.twist = head, origin, place, twist

    def at(self, rows, rotation, position, abscissa):
        """Poses in the world and twists of points on the bodies."""
        body_rotation, body_position = self.place.rotation[rows], self.place.position[rows]
        in_base = body_position + apply(body_rotation, position)
        # If the fluid does not use the position, the compiler removes its computation.
        where = Place(
            self.origin[None, :] + in_base @ self.head.T,
            product(jnp.broadcast_to(self.head, rotation.shape), product(body_rotation, rotation)),
            abscissa,
        )
        return where, twist_from_head(rotation, position, self.twist[rows])

    def load(self, terms, shape, body, rotation, position, weight, abscissa):
        rows = np.asarray(body)
        per_metre = jax.vmap(terms)(shape, *self.at(rows, rotation, position, abscissa))
        bodies = self.twist.shape[0]

        def on_bodies(load):
            wrench = wrench_to_head(rotation, position, weight[:, None] * load)
            return jax.ops.segment_sum(wrench, rows, bodies, indices_are_sorted=True)

        return {name: on_bodies(load) for name, load in per_metre.items()}
