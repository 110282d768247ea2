"""The tree of rigid bodies: static structure, arrays and their checks."""

import html
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from spatial import Numbers, finite, non_negative, one_of, require_float64
from spatial.checks import integer, of_kind, sequence
from spatial.printing import Printed, value_text

from .joint_limits import JointLimits
from .joints import FREEDOMS, Joint
from .layout import Layout, layout
from .strips import Strip, Strips, gather

BASES = ("floating", "fixed")


class Tree(Printed):
    """A tree of rigid bodies; body 0 is the base, joint k connects body k + 1 to body `parents[k]`.

    Per-freedom fields follow the joints in order; see `Joint` for their meaning and units.

    Attributes:
        names: names of the bodies.
        joint_names: names of the joints.
        parents: parent body of each joint.
        kinds: kind of each joint.
        actuated: for each joint, True if its motion is imposed and its torque is computed.
        base: "floating" or "fixed". A fixed base does not accelerate; its pose and twist are given.
        inertia: inertia of each body about its frame, in its axes [kg, kg·m, kg·m²].
        rotation: axes of each joint frame in its parent's frame, as columns.
        position: origin of each joint frame in its parent's frame [m].
        axis: unit axis of each joint, in the joint frame.
        second_axis: second unit axis of universal joints, in the body frame.
        pitch: pitch of helical joints [m/rad].
        stiffness: stiffness of the joint springs [N·m/rad or N/m].
        rest: joint positions at which the springs are relaxed [rad or m].
        damping: viscous friction [N·m·s/rad or N·s/m].
        friction: Coulomb friction [N·m or N].
        friction_speed: rate over which Coulomb friction is smoothed [rad/s or m/s].
        rotor_inertia: inertia of motors and gears reflected to the joints [kg·m² or kg].
        strips: points where the fluid acts; None if there are none.
        limits: limits of joints and motors; None if unknown. They are recorded, not enforced.
    """

    names: tuple[str, ...] = eqx.field(static=True)
    joint_names: tuple[str, ...] = eqx.field(static=True)
    parents: tuple[int, ...] = eqx.field(static=True)
    kinds: tuple[str, ...] = eqx.field(static=True)
    actuated: tuple[bool, ...] = eqx.field(static=True)
    base: str = eqx.field(static=True)
    inertia: Float[Array, "bodies 6 6"]
    rotation: Float[Array, "joints 3 3"]
    position: Float[Array, "joints 3"]
    axis: Float[Array, "joints 3"]
    second_axis: Float[Array, "joints 3"]
    pitch: Float[Array, "joints"]
    stiffness: Float[Array, "freedoms"]
    rest: Float[Array, "freedoms"]
    damping: Float[Array, "freedoms"]
    friction: Float[Array, "freedoms"]
    friction_speed: Float[Array, "freedoms"]
    rotor_inertia: Float[Array, "freedoms"]
    strips: Strips | None
    limits: JointLimits | None

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(self.kinds).items()) or "none"
        moving = [actuated for kind, actuated in zip(self.kinds, self.actuated, strict=True) if kind != "fixed"]
        passive = moving.count(False)
        mass = value_text(jnp.sum(self.inertia[:, 0, 0]))
        return (
            f"Tree(base {self.base}, {len(self.names)} bodies, {mass} kg; joints: {kinds}; "
            f"{len(moving) - passive} actuated, {passive} passive)"
        )

    def _repr_html_(self) -> str:
        """The text of `str` with a drawing of the links, for notebooks."""
        from .tree_drawing import tree_drawing  # imports this module

        return f"<b>{html.escape(str(self))}</b><br>{tree_drawing(self)}"

    def __init__(
        self,
        names: Sequence[str],
        parents: Sequence[int],
        joints: Sequence[Joint],
        inertia: Numbers,
        strips: Strips | Sequence[Strip | None] | None = None,
        base: str = "floating",
    ):
        require_float64()
        one_of("Tree.base", base, BASES)
        self.names, self.base = sequence("Tree.names", names, "names of the bodies"), base
        for k, name in enumerate(self.names):
            of_kind(f"Tree.names[{k}]", name, str, "text")
        whole = sequence("Tree.parents", parents, "the index of the parent of each body but the base")
        self.parents = tuple(integer(f"Tree.parents[{k}]", p, 0) for k, p in enumerate(whole))
        joints = sequence("Tree.joints", joints, "the joint of each body but the base")
        for k, joint in enumerate(joints):
            of_kind(f"Tree.joints[{k}]", joint, Joint, "a multibody.Joint")
        check_structure(self.names, self.parents, len(joints))
        self.joint_names = tuple(j.name or body for j, body in zip(joints, self.names[1:], strict=True))
        self.kinds = tuple(j.kind for j in joints)
        self.actuated = tuple(j.actuated for j in joints)
        if len(set(self.joint_names)) < len(joints):
            raise ValueError(f"Tree: joint names {self.joint_names} must all differ")

        bodies = len(self.names)
        self.inertia = _check_inertia(self.names, finite("Tree.inertia", inertia, (bodies, 6, 6)))
        stack = lambda field, empty: _gathered([getattr(j, field) for j in joints], empty, stack=True)  # noqa: E731
        self.rotation = _check_rotation(self.joint_names, stack("rotation", (0, 3, 3)))
        self.position = stack("position", (0, 3))
        self.axis = _check_axis("axis", self.joint_names, stack("axis", (0, 3)))
        self.second_axis = _check_axis("second_axis", self.joint_names, stack("second_axis", (0, 3)))
        self.pitch = stack("pitch", (0,))
        chain = lambda field: _gathered([getattr(j, field) for j in joints], (0,))  # noqa: E731
        self.stiffness, self.rest = chain("stiffness"), chain("rest")
        label = [self.joint_names[k] for k in self.layout.freedom_joint]
        for field in ("damping", "friction", "rotor_inertia"):
            rule = "must not be negative"
            setattr(self, field, _refuse(f"joint {{}}: {field}", label, chain(field), lambda x, xp: x < 0, rule))
        self.friction_speed = _refuse(
            "joint {}: friction_speed",
            label,
            chain("friction_speed"),
            lambda x, xp: x <= 0,
            "must be positive",
        )
        self.limits = None
        self._check_mobility()
        if strips is None or isinstance(strips, Strips):
            self.strips = strips
            return
        strips = sequence("Tree.strips", strips, "one multibody.Strip, or None, for each body")
        for k, strip in enumerate(strips):
            if strip is not None:
                of_kind(f"Tree.strips[{k}]", strip, Strip, "a multibody.Strip, or None")
        if len(strips) != bodies:
            raise ValueError(f"Tree: {len(strips)} strips for {bodies} bodies: give one (or None) for each body")
        self.strips = gather(strips)

    @property
    def layout(self) -> Layout:
        """Index tables of the structure."""
        return layout(self.parents, self.kinds)

    @property
    def floating(self) -> bool:
        """True if the motion of the base is computed, False if it is given."""
        return self.base == "floating"

    @property
    def actuated_freedoms(self) -> np.ndarray:
        """Indices of the freedoms of actuated joints."""
        return np.flatnonzero(np.asarray(self.actuated, bool)[self.layout.freedom_joint])

    @property
    def passive_freedoms(self) -> np.ndarray:
        """Indices of the freedoms of passive joints."""
        return np.flatnonzero(~np.asarray(self.actuated, bool)[self.layout.freedom_joint])

    @property
    def actuated_positions(self) -> np.ndarray:
        """Indices of the positions of actuated joints, in the order of a joint law."""
        return self._positions_of(True)

    @property
    def passive_positions(self) -> np.ndarray:
        """Indices of the positions of passive joints."""
        return self._positions_of(False)

    def _positions_of(self, actuated):
        start = self.layout.position_start
        rows = [np.arange(start[k], start[k + 1]) for k, flag in enumerate(self.actuated) if flag == actuated]
        return np.concatenate([np.zeros(0, int), *rows])

    def with_actuation(self, actuated: bool | Sequence[bool]) -> "Tree":
        """The same tree with other joints actuated: one boolean for all, or one per joint."""
        count = len(self.kinds)
        flags = (actuated,) * count if isinstance(actuated, bool) else tuple(bool(a) for a in actuated)
        if len(flags) != count:
            raise ValueError(f"with_actuation: {len(flags)} booleans for {count} joints")
        return self._replaced(actuated=flags)

    def with_passive(
        self, joints: Collection[str], *, stiffness: Numbers | None = None, damping: Numbers | None = None
    ) -> "Tree":
        """The same tree with the given joints passive and the others unchanged.

        >>> import multibody as mb
        >>> hull, arm = mb.Link("hull", mass=1.0), mb.Link("arm", "hull", mb.revolute(name="shoulder"), mass=1.0)
        >>> mb.from_links([hull, arm]).with_passive(["shoulder"], stiffness=2.0).actuated
        (False,)

        Args:
            joints: names of the joints.
            stiffness: stiffness of their springs, one number for all freedoms; unchanged when None [N·m/rad or N/m].
            damping: viscous friction, in the same form; unchanged when None [N·m·s/rad or N·s/m].
        """
        if isinstance(joints, str):
            raise ValueError(f"with_passive: joints = {joints!r}: must be a list of names")
        unknown = [name for name in joints if name not in self.joint_names]
        if unknown:
            raise ValueError(f"with_passive: joint {unknown[0]!r} is unknown: must be one of {self.joint_names}")
        flags = tuple(flag and name not in joints for flag, name in zip(self.actuated, self.joint_names, strict=True))
        mine = np.array([self.joint_names[k] in joints for k in self.layout.freedom_joint], bool)
        changes: dict[str, Any] = {"actuated": flags}
        for field, value in (("stiffness", stiffness), ("damping", damping)):
            if value is not None:
                value = non_negative(f"with_passive: {field}", value)
                changes[field] = jnp.where(mine, value, getattr(self, field))
        return self._replaced(**changes)

    def with_limits(
        self,
        lower: Numbers = -np.inf,
        upper: Numbers = np.inf,
        speed: Numbers = np.inf,
        effort: Numbers = np.inf,
    ) -> "Tree":
        """The same tree with other limits, each one number for all freedoms or one per freedom; see `JointLimits`."""
        return self._replaced(limits=JointLimits(self.layout.freedoms, lower, upper, speed, effort))

    def _replaced(self, **changes):
        tree = object.__new__(Tree)
        for field in self.__dataclass_fields__:
            object.__setattr__(tree, field, changes.get(field, getattr(self, field)))
        tree._check_mobility()
        return tree

    def neutral(self) -> Float[Array, "positions"]:
        """Joint positions at which every body frame coincides with its joint frame."""
        q = np.zeros(self.layout.positions)
        q[self.layout.position_start[self.layout.of_kind(self.kinds, "spherical")]] = 1.0
        return jnp.asarray(q)

    def _check_mobility(self):
        """Checks that passive joints carry inertia, and that a floating tree has mass."""
        mass = self.inertia[:, 0, 0]
        if isinstance(mass, Tracer) or isinstance(self.rotor_inertia, Tracer):
            return  # a traced zero mass leads to a non-finite solution
        masses, rotor = np.asarray(mass), np.asarray(self.rotor_inertia)
        if self.floating and masses.sum() <= 0:
            raise ValueError(f"Tree: total mass = {masses.sum()}: a tree with a floating base must have mass [kg]")
        table = self.layout
        for k, name in enumerate(self.joint_names):
            span = slice(table.freedom_start[k], table.freedom_start[k + 1])
            if self.actuated[k] or FREEDOMS[self.kinds[k]] == 0:
                continue
            carried = table.moves[:, span.start] @ np.trace(np.asarray(self.inertia), axis1=1, axis2=2)
            if carried <= 0 and np.any(rotor[span] <= 0):
                raise ValueError(
                    f"joint {name!r} of body {self.names[k + 1]!r} is passive but carries no inertia: "
                    "give the body mass, the joint rotor_inertia, or make the joint actuated"
                )


def check_structure(names: tuple[str, ...], parents: tuple[int, ...], joints: int) -> None:
    """Raises on inconsistent counts, repeated names, an unknown parent, a cycle, or a parent after its child."""
    if len(names) == 0:
        raise ValueError("Tree.names = (): a tree has at least a base")
    if joints != len(names) - 1 or len(parents) != len(names) - 1:
        raise ValueError(
            f"Tree: {len(names)} bodies, {joints} joints, {len(parents)} parents: "
            "every body but the base has one joint and one parent"
        )
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"body {name!r}: name used {names.count(name)} times: body names must differ")
    for body, parent in enumerate(parents, start=1):
        if not 0 <= parent < len(names):
            raise ValueError(f"body {names[body]!r}: parent = {parent}: must be a body, 0 to {len(names) - 1}")
    for body in range(1, len(names)):
        seen, here = [], body
        while here != 0 and here not in seen:
            seen.append(here)
            here = parents[here - 1]
        if here != 0:
            loop = " -> ".join(names[b] for b in [*seen[seen.index(here) :], here])
            raise ValueError(f"body {names[body]!r}: cycle {loop}: a tree has none; see multibody.close_loops")
    for body, parent in enumerate(parents, start=1):
        if parent >= body:
            raise ValueError(f"body {names[body]!r}: parent {names[parent]!r} comes after its child: list it before")


def _gathered(rows: Sequence[Array], empty: tuple[int, ...], stack: bool = False) -> Array:
    """Concatenates arrays; with NumPy if they are concrete, which avoids one JAX dispatch per array."""
    if not rows:
        return jnp.zeros(empty)
    if any(isinstance(row, Tracer) for row in rows):
        return jnp.stack(rows) if stack else jnp.concatenate(rows)
    known = [np.asarray(row) for row in rows]
    return jnp.asarray(np.stack(known) if stack else np.concatenate(known))


def _refuse(what: str, labels: Sequence[str], values: Array, bad: Callable, rule: str) -> Array:
    """Returns the values; raises with the label of the first row that violates the rule."""
    if isinstance(values, Tracer):
        return eqx.error_if(values, bad(values, jnp), f"{what.format('?')} {rule}")
    known = np.asarray(values)
    rows = bad(known, np).reshape(len(labels), -1).any(axis=1) if len(labels) else np.zeros(0, bool)
    for row in np.flatnonzero(rows):
        raise ValueError(f"{what.format(repr(labels[int(row)]))} = {known[row].tolist()}: {rule}")
    return values


def _check_axis(field, names, axes):
    off = lambda x, xp: xp.abs(xp.sum(x * x, axis=-1) - 1.0) > 2e-6  # noqa: E731
    axes = _refuse(f"joint {{}}: {field}", names, axes, off, "must have unit norm (within 1e-6)")
    return axes / jnp.sqrt(jnp.sum(axes * axes, axis=-1, keepdims=True))


def _check_rotation(names, rotation):
    def bad(R, xp):
        gram = xp.swapaxes(R, -1, -2) @ R - xp.eye(3)[None]
        return (xp.abs(gram).max(axis=(-1, -2)) > 1e-6) | (xp.linalg.det(R) < 0)

    return _refuse("joint {}: rotation", names, rotation, bad, "must be a rotation matrix (within 1e-6)")


def _check_inertia(names, inertia):
    negative = lambda M, xp: M[:, 0, 0] < 0  # noqa: E731
    inertia = _refuse("body {}: mass", names, inertia, negative, "[row of inertia] must not be negative [kg]")

    def bad(M, xp):
        scale = 1e-12 + xp.abs(M).max(axis=(-1, -2))
        skew = xp.abs(M - xp.swapaxes(M, -1, -2)).max(axis=(-1, -2)) > 1e-9 * scale
        return skew | (xp.linalg.eigvalsh(M)[:, 0] < -1e-9 * scale)

    return _refuse("body {}: inertia", names, inertia, bad, "must be symmetric and have no negative eigenvalue")
