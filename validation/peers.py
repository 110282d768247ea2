"""The tree engine against pinocchio and mujoco, if they are installed."""

# pyright: reportAttributeAccessIssue=false, reportMissingImports=false
import importlib.util
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np

import multibody as mb
from spatial import matrix_from_quaternion

from .report import Measurement, check, require

GROUP = "agreement"
PEERS = ("pinocchio", "mujoco")
ROUND_OFF = 1e-10  # relative: two algorithms on about forty degrees of freedom
GRAVITY = np.array([0.4, -1.2, -9.81])


def missing() -> tuple[str, ...]:
    """Peer libraries that are not installed; their checks are then not registered."""
    return tuple(name for name in PEERS if importlib.util.find_spec(name) is None)


def branched() -> mb.Tree:
    """Eight bodies: revolute, prismatic and spherical joints, with a branch, and axes and inertias without symmetry."""
    rng = np.random.default_rng(4)
    unit = lambda v: v / np.linalg.norm(v)  # noqa: E731
    kinds = ("revolute", "spherical", "revolute", "prismatic", "revolute", "revolute", "spherical")
    links = []
    for k, parent in enumerate((None, 0, 1, 1, 2, 0, 5, 5)):
        arms = 0.2 * rng.normal(size=(6, 3))  # a cloud of points, so that the inertia is physical
        masses = rng.uniform(0.1, 1.0, 6)
        about = sum(m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, arms, strict=True))
        joint = None
        if parent is not None:
            turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            place = dict(rotation=turn * np.linalg.det(turn), position=0.3 * rng.normal(size=3), rotor_inertia=0.05)
            kind = kinds[k - 1]
            joint = (
                mb.Joint(kind, **place) if kind == "spherical" else mb.Joint(kind, unit(rng.normal(size=3)), **place)
            )
        moments = dict(mass=masses.sum(), centre=0.1 * rng.normal(size=3), about_centre=about)
        links.append(mb.Link(f"b{k}", None if parent is None else f"b{parent}", joint, **moments))
    return mb.from_links(links)


def random_state(tree: mb.Tree) -> SimpleNamespace:
    """Random base state, joint positions, rates and torques, without zeros or alignments."""
    rng = np.random.default_rng(7)
    turn = rng.normal(size=4)
    n = tree.layout.freedoms
    q = mb.displace(tree, tree.neutral(), jnp.asarray(0.5 * rng.normal(size=n)))
    base = mb.BaseState(rng.normal(size=3), turn / np.linalg.norm(turn), rng.normal(size=6))
    return SimpleNamespace(base=base, q=q, dq=rng.normal(size=n), torque=rng.normal(size=n))


def _forward(tree, given):
    found = jax.jit(mb.forward_dynamics)(
        tree, given.base, given.q, given.dq, given.torque, gravity=jnp.asarray(GRAVITY)
    )
    require(np.abs(found.acceleration).max() > 1.0, "the joints hardly accelerate")
    return np.concatenate([found.base_acceleration, found.acceleration])


def _values(tree, given, k):
    """Positions of joint k, and the indices of its freedoms in the tree."""
    table = tree.layout
    q = np.asarray(given.q)[table.position_start[k] : table.position_start[k + 1]]
    return q, slice(table.freedom_start[k], table.freedom_start[k + 1])


def _relative(ours, theirs):
    return np.abs(ours - theirs).max() / np.abs(theirs).max()


if importlib.util.find_spec("pinocchio"):

    @check(
        group=GROUP,
        title="direct dynamics of a branched tree against pinocchio",
        unit="rel.",
        source="pinocchio, articulated-body algorithm",
        meaning="the recursion, the mass matrix or a joint model of the tree is wrong",
        shares="peers",
    )
    def tree_against_pinocchio() -> Measurement:
        """Acceleration of the base and of all joints, in gravity, from a random state."""
        import pinocchio as pin

        from .pinocchio_tree import to_pinocchio

        tree = branched()
        given = random_state(tree)
        model, ride, _ = to_pinocchio(tree, GRAVITY)
        q, v, effort, order = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv), list(range(6))
        armature = np.zeros(model.nv)
        q[:7] = np.concatenate([given.base.position, np.roll(given.base.quaternion, -1)])
        v[:6] = given.base.twist
        for k in range(len(tree.kinds)):
            joint, (values, mine) = model.joints[ride[k + 1]], _values(tree, given, k)
            theirs = slice(joint.idx_v, joint.idx_v + joint.nv)
            q[joint.idx_q : joint.idx_q + joint.nq] = np.roll(values, -1) if len(values) == 4 else values
            v[theirs], effort[theirs], armature[theirs] = given.dq[mine], given.torque[mine], tree.rotor_inertia[mine]
            order.extend(range(theirs.start, theirs.stop))
        model.armature = armature
        theirs = np.asarray(pin.aba(model, model.createData(), q, v, effort))[order]
        return _relative(_forward(tree, given), theirs), 0.0, ROUND_OFF


if importlib.util.find_spec("mujoco"):

    @check(
        group=GROUP,
        title="direct dynamics of a branched tree against mujoco",
        unit="rel.",
        source="mujoco, composite inertia and its sparse factorisation",
        meaning="the recursion, the mass matrix or a joint model of the tree is wrong",
        shares="peers",
    )
    def tree_against_mujoco() -> Measurement:
        """Acceleration of the base and of all joints, in gravity, from a random state."""
        import mujoco

        from .mujoco_tree import to_mujoco

        tree = branched()
        given = random_state(tree)
        model = to_mujoco(tree, GRAVITY)
        data = mujoco.MjData(model)
        R, twist = np.asarray(matrix_from_quaternion(given.base.quaternion)), np.asarray(given.base.twist)
        data.qpos[:7] = np.concatenate([given.base.position, given.base.quaternion])
        data.qvel[:6] = np.concatenate([R @ twist[:3], twist[3:]])  # linear part in the world's axes
        order = []
        for k in range(len(tree.kinds)):
            joint, (values, mine) = model.joint(f"j{k}"), _values(tree, given, k)
            first, freedoms = int(joint.dofadr[0]), mine.stop - mine.start
            theirs = slice(first, first + freedoms)
            data.qpos[int(joint.qposadr[0]) : int(joint.qposadr[0]) + len(values)] = values
            data.qvel[theirs], data.qfrc_applied[theirs] = given.dq[mine], given.torque[mine]
            order.extend(range(first, first + freedoms))
        mujoco.mj_forward(model, data)
        # d/dt of the base's twist in its own axes, from the acceleration of its origin in the world.
        linear = R.T @ data.qacc[:3] - np.cross(twist[3:], twist[:3])
        theirs = np.concatenate([linear, data.qacc[3:6], data.qacc[order]])
        return _relative(_forward(tree, given), theirs), 0.0, ROUND_OFF
