"""Floating trees: potential energy of the fluid loads, and buoyancy of closed shapes instead of sections."""

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from hydro import AbstractFluid, AbstractSection, FreeSurface, Place, Solid, Void, face_loads, face_potentials
from spatial import finite, wrench_to_head
from spatial.checks import integer, of_kind, sequence, shown

from .arguments import check_tree
from .drive import Wrench
from .kinematics import configuration
from .small_matrices import apply, product
from .state import BaseState
from .strips import no_strips
from .tree import Tree


def fluid_potential(
    tree: Tree, fluid: AbstractFluid, state: BaseState, q: Float[Array, "positions"]
) -> Float[Array, ""]:
    """Potential energy of the fluid loads that depend on position only, such as buoyancy [J].

    Args:
        tree: the tree.
        fluid: the fluid.
        state: pose of the base in the world.
        q: joint positions [rad] or [m].
    """
    if isinstance(fluid, Void) or tree.strips is None:
        return jnp.zeros(())
    return frozen(tree, fluid, q).potential(state)


class Frozen(eqx.Module):
    """A fixed shape in a fluid: its loads are functions of the pose of the base, and the joints are evaluated once.

    Attributes:
        fluid: the fluid.
        position: position of the sections in the base frame [m].
        rotation: axes of the sections in the base frame, as columns.
        weight: length represented by each section [m].
        section: the sections.
    """

    fluid: AbstractFluid
    position: Float[Array, "points 3"]
    rotation: Float[Array, "points 3 3"]
    weight: Float[Array, "points"]
    section: AbstractSection

    def potential(self, state: BaseState) -> Float[Array, ""]:
        """Potential energy [J]."""
        return jnp.sum(self.weight * jax.vmap(self.fluid.potential)(self.section, self._place(state)))

    def wrench(self, state: BaseState) -> Float[Array, "6"]:
        """Load of the fluid on the shape at rest, about the base's origin, in base axes [N, N·m]."""
        still = jnp.zeros((self.weight.shape[0], 6))
        terms = jax.vmap(self.fluid.terms)(self.section, self._place(state), still)
        load = sum(terms.values(), still)
        return jnp.sum(wrench_to_head(self.rotation, self.position, self.weight[:, None] * load), axis=0)

    def _place(self, state):
        head = jnp.broadcast_to(state.rotation, self.rotation.shape)
        return Place(state.position[None, :] + apply(head, self.position), product(head, self.rotation))


def frozen(tree: Tree, fluid: AbstractFluid, q: Float[Array, "positions"]) -> Frozen:
    """The shape of a tree at joint positions q, in a fluid."""
    if tree.strips is None:
        raise no_strips()
    points, rows, place = tree.strips.points, np.asarray(tree.strips.body), configuration(tree, q)
    section = _with_area(points.section)
    return Frozen(
        fluid,
        place.position[rows] + apply(place.rotation[rows], points.position),
        product(place.rotation[rows], points.rotation),
        points.weight,
        section,
    )


def displaced_volume(tree: Tree) -> Float[Array, ""]:
    """Volume of all links, displaced when fully submerged [m³]."""
    if tree.strips is None:
        return jnp.zeros(())
    return jnp.sum(tree.strips.points.weight * _with_area(tree.strips.points.section).area)


class Hulls(eqx.Module):
    """Closed shapes on the bodies of a tree, whose buoyancy at a free surface needs no quadrature.

    Attributes:
        triangles: vertices of all faces, in the frames of their bodies [m].
        body: index of the body of each face.
        bodies: number of bodies of the tree.
    """

    triangles: Float[Array, "faces 3 3"]
    body: tuple[int, ...] = eqx.field(static=True)
    bodies: int = eqx.field(static=True)

    def wrenches(
        self, tree: Tree, surface: FreeSurface, state: BaseState, q: Float[Array, "positions"]
    ) -> Float[Array, "bodies 6"]:
        """Buoyancy of each body, in its frame [N, N·m]."""
        loads = face_loads(self.triangles, self._place(tree, state, q), *_water(surface))
        return jax.ops.segment_sum(loads, np.asarray(self.body), self.bodies, indices_are_sorted=True)

    def potential(
        self, tree: Tree, surface: FreeSurface, state: BaseState, q: Float[Array, "positions"]
    ) -> Float[Array, ""]:
        """Potential energy of buoyancy [J]."""
        return self.frozen(tree, surface, q).potential(state)

    def frozen(self, tree: Tree, surface: FreeSurface, q: Float[Array, "positions"]) -> "FrozenHulls":
        """The shape of the tree at joint positions q."""
        rows, place = np.asarray(self.body), configuration(tree, q)
        turned = jnp.einsum("fij,fkj->fki", place.rotation[rows], self.triangles)
        return FrozenHulls(surface, turned + place.position[rows][:, None])

    def load(self, tree: Tree, surface: FreeSurface) -> Wrench:
        """The buoyancy as a function for the argument `wrench` of `rollout`, `march` and `simulate`."""
        return lambda t, state, q, dq: self.wrenches(tree, surface, state, q)

    def _place(self, tree, state, q):
        rows, place = np.asarray(self.body), configuration(tree, q)
        turned = product(jnp.broadcast_to(state.rotation, place.rotation.shape), place.rotation)
        return Place((state.position[None, :] + place.position @ state.rotation.T)[rows], turned[rows])


class FrozenHulls(eqx.Module):
    """A fixed shape of closed bodies on the water: its loads are functions of the pose of the base.

    Attributes:
        surface: the water.
        triangles: vertices of all faces in the base frame [m].
    """

    surface: FreeSurface
    triangles: Float[Array, "faces 3 3"]

    def potential(self, state: BaseState) -> Float[Array, ""]:
        """Potential energy [J]."""
        return jnp.sum(face_potentials(self.triangles, self._place(state), *_water(self.surface)))

    def wrench(self, state: BaseState) -> Float[Array, "6"]:
        """Buoyancy about the base's origin, in base axes [N, N·m]."""
        return jnp.sum(face_loads(self.triangles, self._place(state), *_water(self.surface)), axis=0)

    def _place(self, state):
        many = lambda value: jnp.broadcast_to(value, (self.triangles.shape[0], *value.shape))  # noqa: E731
        return Place(many(state.position), many(state.rotation))


def hulls(tree: Tree, solids: Sequence[tuple[int, Float[Array, "3 3"], Solid]]) -> Hulls:
    """Attaches closed shapes to the bodies of a tree.

    Args:
        tree: the tree.
        solids: index of a body, axes of the shape's frame in the body frame (as columns), and the shape.
    """
    check_tree(tree)
    rows = sequence("solids", solids, "rows (body, axes, shape)")
    for k, row in enumerate(rows):
        if not isinstance(row, tuple | list) or len(row) != 3:
            raise ValueError(f"solids[{k}] = {shown(row)}: must be a row (body, axes, shape)")
        body, axes, shape = row
        of_kind(f"solids[{k}][2]", shape, Solid, "a hydro.Solid")
        finite(f"solids[{k}][1]", axes, (3, 3))
        if integer(f"solids[{k}][0]", body, 0) >= tree.layout.bodies:
            raise ValueError(f"solids[{k}][0] = {body}: must be a body number, below {tree.layout.bodies}")
    if not rows:
        raise ValueError("solids is empty: must hold one row at least")
    given = sorted(rows, key=lambda row: row[0])
    turned = [jnp.einsum("ij,fkj->fki", axes, shape.triangles) for _, axes, shape in given]
    owner = [body for body, _, shape in given for _ in range(shape.triangles.shape[0])]
    return Hulls(jnp.concatenate(turned), tuple(owner), tree.layout.bodies)


def _with_area(section) -> AbstractSection:
    if not isinstance(section, AbstractSection):
        raise ValueError(f"links carry {type(section).__name__}: sections without volume do not float")
    return section


def _water(surface: FreeSurface):
    return surface.density, surface.gravity, surface.level
