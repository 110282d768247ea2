"""Joints that are cut to open a closed loop into a tree: their constraints and the gap between the two bodies."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from spatial import Numbers, angular, cross, finite, join, linear, one_of
from spatial.checks import of_kind
from spatial.printing import Printed

from .kinematics import Configuration
from .small_matrices import apply
from .tree import Tree

# Components (linear x y z, angular x y z, in the first frame) that each kind of cut joint constrains to zero.
HELD = {
    "revolute": (0, 1, 2, 3, 4),
    "prismatic": (0, 1, 3, 4, 5),
    "spherical": (0, 1, 2),
    "fixed": (0, 1, 2, 3, 4, 5),
}


class Cut(Printed):
    """A joint that closes a loop; its frames on the two bodies coincide except for its own motion. [KR13, II.B]

    Attributes:
        name: name of the cut joint.
        kind: "revolute" (about z), "prismatic" (along z), "spherical" or "fixed".
        first: name of one body.
        second: name of the other body.
        first_rotation: axes of the joint frame in the first body, as columns.
        first_position: origin of the joint frame in the first body [m].
        second_rotation: axes of the joint frame in the second body, as columns.
        second_position: origin of the joint frame in the second body [m].
    """

    name: str = eqx.field(static=True)
    kind: str = eqx.field(static=True)
    first: str = eqx.field(static=True)
    second: str = eqx.field(static=True)
    first_rotation: Float[Array, "3 3"]
    first_position: Float[Array, "3"]
    second_rotation: Float[Array, "3 3"]
    second_position: Float[Array, "3"]

    def __init__(
        self,
        name: str,
        first: str,
        second: str,
        kind: str = "revolute",
        *,
        first_rotation: Numbers | None = None,
        first_position: Numbers = (0.0, 0.0, 0.0),
        second_rotation: Numbers | None = None,
        second_position: Numbers = (0.0, 0.0, 0.0),
    ):
        for word, value in (("name", name), ("first", first), ("second", second)):
            of_kind(f"Cut.{word}", value, str, "text")
        one_of(f"cut {name!r}: kind", kind, tuple(HELD))
        self.name, self.kind, self.first, self.second = name, kind, first, second
        frame = lambda rotation: jnp.eye(3) if rotation is None else rotation  # noqa: E731
        self.first_rotation = finite(f"cut {name!r}: first_rotation", frame(first_rotation), (3, 3))
        self.first_position = finite(f"cut {name!r}: first_position", first_position, (3,))
        self.second_rotation = finite(f"cut {name!r}: second_rotation", frame(second_rotation), (3, 3))
        self.second_position = finite(f"cut {name!r}: second_position", second_position, (3,))

    def bodies(self, tree: Tree) -> tuple[int, int]:
        """Indices of the two bodies."""
        for end in (self.first, self.second):
            if end not in tree.names:
                raise ValueError(f"cut {self.name!r}: body {end!r}: unknown, must be one of {tree.names}")
        return tree.names.index(self.first), tree.names.index(self.second)

    def frames(self, tree: Tree, place: Configuration) -> tuple[Array, Array, Array, Array]:
        """Axes and origin of the joint frame on the first body, then on the second, in the base frame."""
        i, j = self.bodies(tree)
        return (
            place.rotation[i] @ self.first_rotation,
            place.position[i] + place.rotation[i] @ self.first_position,
            place.rotation[j] @ self.second_rotation,
            place.position[j] + place.rotation[j] @ self.second_position,
        )

    def gap(self, tree: Tree, place: Configuration) -> Float[Array, "held"]:
        """Constrained components of the pose of the second frame in the first [m, rad]; zero if the loop is closed.

        This is the constraint of [KR13, eq. (2)].
        """
        R1, p1, R2, p2 = self.frames(tree, place)
        turn = R1.T @ R2
        if self.kind == "revolute":
            z = turn[:, 2]
            tilt = jnp.stack([-z[1], z[0], jnp.zeros_like(z[0])])  # e3 × z
        else:
            skew = 0.5 * (turn - turn.T)
            tilt = jnp.stack([skew[2, 1], skew[0, 2], skew[1, 0]])
        return join(R1.T @ (p2 - p1), tilt)[np.array(HELD[self.kind])]

    def jacobian(self, tree: Tree, place: Configuration) -> Float[Array, "held freedoms"]:
        """Constrained components of the twist of the second frame relative to the first, per joint velocity.

        These are the rows of W of [KR13, eqs. (3), (13)]. Only freedoms that move exactly one of the bodies contribute.
        """
        i, j = self.bodies(tree)
        R1, _, _, p2 = self.frames(tree, place)
        branch = jnp.asarray(tree.layout.moves[j] - tree.layout.moves[i])
        screws = place.screws * branch[:, None]
        at_joint = linear(screws) + cross(angular(screws), jnp.broadcast_to(p2, (screws.shape[0], 3)))
        back = jnp.broadcast_to(R1.T, (screws.shape[0], 3, 3))
        relative = join(apply(back, at_joint), apply(back, angular(screws)))
        return relative.T[np.array(HELD[self.kind])]
