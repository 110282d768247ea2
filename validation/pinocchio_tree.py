"""Conversion of a `multibody` tree to pinocchio, as an independent implementation in C++."""

# pyright: reportMissingImports=false
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from multibody import Tree
from spatial import split_inertia


class PinocchioTree(NamedTuple):
    """The same machine in pinocchio.

    Attributes:
        model: the pinocchio model.
        ride: for each body, the pinocchio joint that carries it.
        seat: for each body, its pose in that joint's frame.
    """

    model: Any
    ride: dict[int, int]
    seat: dict[int, Any]


def to_pinocchio(tree: Tree, gravity: np.ndarray) -> PinocchioTree:
    """The same machine under gravity [m/s²]; massless links and fixed joints included."""
    model = pin.Model()
    model.gravity.linear = gravity
    inertias = [_inertia(M) for M in tree.inertia]
    root = 0
    if tree.floating:
        root = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    model.appendBodyToJoint(root, inertias[0], pin.SE3.Identity())
    ride, seat = {0: root}, {0: pin.SE3.Identity()}
    for body in depth_first(tree.parents)[1:]:
        k = body - 1
        parent = tree.parents[k]
        place = seat[parent] * pin.SE3(np.asarray(tree.rotation[k]), np.asarray(tree.position[k]))
        if tree.kinds[k] == "fixed":
            ride[body], seat[body] = ride[parent], place
        else:
            ride[body], seat[body] = model.addJoint(ride[parent], _joint(tree, k), place, f"j{k}"), pin.SE3.Identity()
        model.appendBodyToJoint(ride[body], inertias[body], seat[body])
    return PinocchioTree(model, ride, seat)


def depth_first(parents: tuple[int, ...]) -> list[int]:
    """Depth-first order of the bodies, as used by such libraries."""
    order, stack = [], [0]
    while stack:
        body = stack.pop()
        order.append(body)
        stack.extend(reversed([k + 1 for k, parent in enumerate(parents) if parent == body]))
    return order


def _inertia(M):
    if M[0, 0] == 0.0:
        return pin.Inertia.Zero()
    mass, centre, about = split_inertia(M)
    return pin.Inertia(float(mass), np.asarray(centre), np.asarray(about))


def _joint(tree, k):
    axis, second = np.asarray(tree.axis[k]), np.asarray(tree.second_axis[k])
    return {
        "revolute": lambda: pin.JointModelRevoluteUnaligned(axis),
        "prismatic": lambda: pin.JointModelPrismaticUnaligned(axis),
        "helical": lambda: pin.JointModelHelicalUnaligned(axis, float(tree.pitch[k])),
        "universal": lambda: pin.JointModelUniversal(axis, second),
        "spherical": lambda: pin.JointModelSpherical(),
    }[tree.kinds[k]]()
