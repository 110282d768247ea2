"""Conversion of a `multibody` tree to mujoco, as an independent implementation in C."""

# pyright: reportAttributeAccessIssue=false, reportMissingImports=false
from typing import Any

import mujoco
import numpy as np

from multibody import Tree
from spatial import split_inertia

JOINTS = {
    "revolute": mujoco.mjtJoint.mjJNT_HINGE,
    "prismatic": mujoco.mjtJoint.mjJNT_SLIDE,
    "spherical": mujoco.mjtJoint.mjJNT_BALL,
}


def to_mujoco(tree: Tree, gravity: np.ndarray) -> Any:
    """The same floating machine under gravity [m/s²]; joint k is named "jk". Every body needs mass."""
    spec = mujoco.MjSpec()
    spec.option.gravity = gravity
    base = spec.worldbody.add_body(name="b0")
    base.add_freejoint()
    bodies = [_weigh(base, tree.inertia[0])]
    for k, (parent, kind) in enumerate(zip(tree.parents, tree.kinds, strict=True)):
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, np.asarray(tree.rotation[k]).ravel())
        body = bodies[parent].add_body(name=f"b{k + 1}", pos=np.asarray(tree.position[k]), quat=quaternion)
        freedom = tree.layout.freedom_start[k]
        body.add_joint(
            name=f"j{k}",
            type=JOINTS[kind],
            axis=[0.0, 0.0, 1.0] if kind == "spherical" else np.asarray(tree.axis[k]),
            armature=float(tree.rotor_inertia[freedom]),
        )
        bodies.append(_weigh(body, tree.inertia[k + 1]))
    return spec.compile()


def _weigh(body, inertia):
    mass, centre, about = (np.asarray(x) for x in split_inertia(inertia))
    body.explicitinertial, body.mass, body.ipos = True, float(mass), centre
    body.fullinertia = [about[0, 0], about[1, 1], about[2, 2], about[0, 1], about[0, 2], about[1, 2]]
    return body
