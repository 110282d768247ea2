"""Import and export of MuJoCo's MJCF format. Fluids are not converted, because MuJoCo's fluid models differ."""

import importlib
from collections.abc import Collection
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
from jax.core import Tracer

from spatial import Numbers, finite, matrix_from_quaternion, one_of, positive
from spatial.checks import names_of, of_kind
from spatial.inertia import split_inertia
from spatial.user_warnings import warn

from .builders import Link, from_links
from .geometry_strips import BOXES, box_strip, capsule_strip, cylinder_strip, ellipsoid_strip
from .joints import Joint
from .strips import concatenated
from .tree import Tree

_FIELDS = {"stiffness": "stiffness", "damping": "damping", "friction": "frictionloss", "rotor_inertia": "armature"}
UNLIMITED = 1e10  # rad or m: written for the open side of a one-sided limit, which MJCF does not have
_KINDS = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}


def to_mjcf(
    tree: Tree, path: str | Path | None = None, *, gravity: Numbers = (0.0, 0.0, 0.0), timestep: float = 1e-3
) -> str:
    """Converts a tree to an MJCF model for MuJoCo.

    Bodies, joints, springs, dampers, friction, rotor inertias and position limits are written. Each actuated revolute,
    prismatic or universal joint gets one `<motor>` per freedom. The sections of a body are shown as one ellipsoid
    without contact. The fluid is not exported, and a warning says so.

    Args:
        tree: the tree, without helical joints, which MuJoCo does not have.
        path: path of a file to write; None to return the text only.
        gravity: acceleration of gravity in the world [m/s²].
        timestep: time step of MuJoCo's integrator [s].

    Returns:
        The model as text.
    """
    of_kind("tree", tree, Tree, "a multibody.Tree")
    timestep = float(positive("timestep", timestep, "s", ()))
    if "helical" in tree.kinds:
        name = tree.joint_names[tree.kinds.index("helical")]
        raise ValueError(f"joint {name!r}: is helical: MuJoCo has no such joint")
    if any(isinstance(x, Tracer) for x in (tree.inertia, tree.position, tree.rotation)):
        raise ValueError("to_mjcf: the tree must be known numbers, not traced")
    if tree.strips is not None:
        warn("to_mjcf: the fluid is left behind: MuJoCo's own models of a fluid are others")
    root = ET.Element("mujoco", model="anguilla")
    root.append(ET.Comment(" Written by anguilla. The fluid is left behind: what it does is not in this file. "))
    ET.SubElement(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    ET.SubElement(root, "option", gravity=_text(finite("gravity", gravity, (3,))), timestep=f"{timestep:.17g}")
    world = ET.SubElement(root, "worldbody")
    actuator = ET.Element("actuator")
    elements = []
    for body, name in enumerate(tree.names):
        if body == 0:
            element = ET.SubElement(world, "body", name=name)
            if tree.floating:
                ET.SubElement(element, "freejoint", name=f"{name}_free")
        else:
            parent = elements[tree.parents[body - 1]]
            place = {
                "pos": _text(tree.position[body - 1]),
                "quat": _text(_quaternion(np.asarray(tree.rotation[body - 1]))),
            }
            element = ET.SubElement(parent, "body", {"name": name, **place})
            _write_joint(tree, body - 1, element, actuator)
        _write_inertia(tree, body, element)
        _write_geometry(tree, body, element)
        elements.append(element)
    if len(actuator):
        root.append(actuator)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode") + "\n"
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def from_mjcf(
    source: str | Path, *, passive: Collection[str] = (), strips: bool = False, boxes: str = "rectangles"
) -> Tree:
    """Builds the tree of an MJCF model, which MuJoCo reads and checks (the optional extra `mjcf`).

    The model must be one tree of bodies with hinge, slide and ball joints. Inertias, springs, dampers, friction losses,
    armatures, ranges and, on request, geometry are read. Joint positions are relative to the initial configuration of
    the file. Contacts, tendons, equality constraints, actuators and MuJoCo's fluid are ignored; a warning names those
    that the file has, except contacts.

    Args:
        source: path of a file, or the model as text.
        passive: names of the joints that are not actuated.
        strips: True to let a fluid act on the geoms (sphere, capsule, cylinder, box, ellipsoid).
        boxes: sections of a box: "rectangles" with the area of the box, or "ellipses" inscribed in them.
            `ground.Contact` and `hydro.FreeSurface` accept ellipses only.

    Raises:
        ImportError: mujoco is not installed.
        ValueError: the model has an element that cannot be converted; the message names it.
    """
    try:
        mujoco: Any = importlib.import_module("mujoco")
    except ImportError as error:
        raise ImportError("from_mjcf needs mujoco: pip install 'anguilla[mjcf]'") from error
    of_kind("source", source, str | Path, "the name of a file, or a model as text")
    passive = names_of("passive", passive)
    one_of("boxes", boxes, BOXES)
    text = str(source)
    read = mujoco.MjModel.from_xml_string if text.lstrip().startswith("<") else mujoco.MjModel.from_xml_path
    model = read(text)
    return _Reader(mujoco, model, passive, strips, boxes).tree()


class _Reader:
    """Converts one MuJoCo model to a tree."""

    def __init__(self, mujoco, model, passive, strips, boxes):
        self.mujoco, self.model, self.passive, self.strips, self.boxes = mujoco, model, set(passive), strips, boxes
        names = {self._name("JOINT", k) for k in range(model.njnt)}
        if self.passive - names:
            raise ValueError(f"passive = {sorted(self.passive - names)}: no such joint in the model")
        left = {"equality constraint": model.neq, "tendon": model.ntendon, "actuator": model.nu}
        left |= {"fluid density or viscosity": int(model.opt.density > 0 or model.opt.viscosity > 0)}
        there = [f"{count} {what}" if "fluid" not in what else what for what, count in left.items() if count]
        if there:
            warn(f"from_mjcf: left behind: {', '.join(there)}")

    def tree(self) -> Tree:
        m = self.model
        roots = [b for b in range(1, m.nbody) if m.body_parentid[b] == 0]
        free = [b for b in roots if self._free(b)]
        if free and len(roots) > 1:
            raise ValueError(
                f"bodies {[self._name('BODY', b) for b in roots]} hang on the world: must be one, as one is free"
            )
        self.limits = {"lower": [], "upper": []}
        self.shift = {0: np.zeros(3)}  # from the body origin of MuJoCo to that of the tree, which is at the joint
        links = [] if free else [Link("world")]
        self.last = {0: "world"}
        for body in range(1, m.nbody):
            links += self._links(body, bool(free) and body == roots[0])
        tree = from_links(links, "floating" if free else "fixed")
        return (
            tree.with_limits(**self.limits)
            if np.isfinite([*self.limits["lower"], *self.limits["upper"]]).any()
            else tree
        )

    def _links(self, body, base):
        m, name = self.model, self._name("BODY", body)
        joints = [] if base else list(range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body]))
        places = {tuple(m.jnt_pos[k]) for k in joints} or {(0.0, 0.0, 0.0)}
        if len(places) > 1:
            raise ValueError(f"body {name!r}: its joints stand at different points: must share one")
        shift = self.shift[body] = np.asarray(next(iter(places)))
        inertia: dict[str, Any] = {
            "mass": m.body_mass[body],
            "centre": m.body_ipos[body] - shift,
            "about_centre": self._inertia_about_centre(body),
        }
        strip = self._strip(body, shift) if self.strips else None
        if base:
            self.last[body] = name
            return [Link(name, **inertia, strip=strip)]
        parent = int(m.body_parentid[body])
        turn = _matrix(m.body_quat[body])
        position = m.body_pos[body] + turn @ shift - self.shift[parent]
        made = [self._joint(k, name) for k in joints] or [("fixed", {"name": f"{name}_fixed"})]
        links, above = [], self.last[parent]
        for k, (kind, options) in enumerate(made):
            here = name if k == len(made) - 1 else f"{name}_{k}"
            frame = {"rotation": turn, "position": position} if k == 0 else {}
            more: dict[str, Any] = inertia | {"strip": strip} if here == name else {}
            links.append(Link(here, above, Joint(kind, **options, **frame), **more))
            above = here
        self.last[body] = name
        return links

    def _joint(self, k, body):
        m, kinds = self.model, self.mujoco.mjtJoint
        name, kind = self._name("JOINT", k), int(m.jnt_type[k])
        if kind == kinds.mjJNT_FREE:
            raise ValueError(f"joint {name!r} of body {body!r}: is free: only the first body under the world may be")
        ball = kind == kinds.mjJNT_BALL
        first = m.jnt_dofadr[k]
        limited, count = bool(m.jnt_limited[k]) and not ball, 3 if ball else 1
        low, high = m.jnt_range[k] if limited else (-np.inf, np.inf)
        zero = m.qpos0[m.jnt_qposadr[k]]
        self.limits["lower"] += [low - zero if low > -UNLIMITED else -np.inf] * count
        self.limits["upper"] += [high - zero if high < UNLIMITED else np.inf] * count
        stiffness = np.asarray(m.jnt_stiffness[k])
        options = {
            "name": name,
            "actuated": name not in self.passive,
            "stiffness": float(stiffness if stiffness.ndim == 0 else stiffness[0]),
            "damping": float(np.ravel(m.dof_damping[first])[0]),
            "friction": float(m.dof_frictionloss[first]),
            "rotor_inertia": float(m.dof_armature[first]),
        }
        if ball:
            return "spherical", options
        at = m.jnt_qposadr[k]
        options |= {"axis": m.jnt_axis[k], "rest": float(m.qpos_spring[at] - m.qpos0[at])}
        return ("revolute" if kind == kinds.mjJNT_HINGE else "prismatic"), options

    def _inertia_about_centre(self, body):
        turn = _matrix(self.model.body_iquat[body])
        return turn @ np.diag(self.model.body_inertia[body]) @ turn.T

    def _strip(self, body, shift):
        m, kinds = self.model, self.mujoco.mjtGeom
        pieces = []
        for k in range(m.body_geomadr[body], m.body_geomadr[body] + m.body_geomnum[body]):
            frame = np.eye(4)
            frame[:3, :3], frame[:3, 3] = _matrix(m.geom_quat[k]), m.geom_pos[k] - shift
            kind, size = int(m.geom_type[k]), m.geom_size[k]
            if kind == kinds.mjGEOM_SPHERE:
                pieces.append(ellipsoid_strip((size[0],) * 3, frame))
            elif kind == kinds.mjGEOM_ELLIPSOID:
                pieces.append(ellipsoid_strip(size, frame))
            elif kind == kinds.mjGEOM_CYLINDER:
                pieces.append(cylinder_strip(size[0], 2.0 * size[1], frame))
            elif kind == kinds.mjGEOM_CAPSULE:
                pieces.append(capsule_strip(size[0], 2.0 * size[1], frame))
            elif kind == kinds.mjGEOM_BOX:
                pieces.append(box_strip(2.0 * size, frame, self.boxes))
            else:
                raise ValueError(
                    f"geom {self._name('GEOM', k)!r} of body {self._name('BODY', body)!r}: no strips of such a shape: "
                    "must be a sphere, capsule, cylinder, box or ellipsoid"
                )
        return concatenated(pieces) if pieces else None

    def _free(self, body):
        first = self.model.body_jntadr[body]
        return first >= 0 and self.model.jnt_type[first] == self.mujoco.mjtJoint.mjJNT_FREE

    def _name(self, kind, k):
        found = self.mujoco.mj_id2name(self.model, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind}"), k)
        return found or f"{kind.lower()}{k}"


def _write_joint(tree, k, element, actuator):
    kind, name = tree.kinds[k], tree.joint_names[k]
    if kind == "fixed":
        return
    first = int(tree.layout.freedom_start[k])
    axes = {"universal": [tree.axis[k], tree.second_axis[k]], "spherical": [None]}.get(kind, [tree.axis[k]])
    for j, axis in enumerate(axes):
        d = first + j
        own = name if len(axes) == 1 else f"{name}.{j}"
        given = {"name": own, "type": _KINDS.get(kind, "hinge")}
        if axis is not None:
            given["axis"] = _text(axis)
            given["springref"] = _text(tree.rest[d])
        rows = np.arange(d, d + 3) if axis is None else [d]
        for ours, theirs in _FIELDS.items():
            values = np.asarray(getattr(tree, ours))[rows]
            if np.ptp(values) > 1e-9 * np.abs(values).max():
                raise ValueError(
                    f"joint {name!r}: {ours} = {values.tolist()}: a ball joint of MuJoCo has one for all axes"
                )
            given[theirs] = _text(values[0])
        if tree.limits is not None and axis is not None:
            low, high = float(tree.limits.lower[d]), float(tree.limits.upper[d])
            if np.isfinite(low) or np.isfinite(high):
                low, high = np.clip([low, high], -UNLIMITED, UNLIMITED)
                given["range"] = f"{low:.17g} {high:.17g}"
        ET.SubElement(element, "joint", given)
        if tree.actuated[k] and axis is not None:
            ET.SubElement(actuator, "motor", name=own, joint=own)


def _write_inertia(tree, body, element):
    if float(tree.inertia[body, 0, 0]) == 0.0:
        return
    mass, centre, about = (np.asarray(x) for x in split_inertia(tree.inertia[body]))
    full = [about[0, 0], about[1, 1], about[2, 2], about[0, 1], about[0, 2], about[1, 2]]
    ET.SubElement(element, "inertial", mass=_text(mass), pos=_text(centre), fullinertia=_text(full))


def _write_geometry(tree, body, element):
    """Writes one ellipsoid for all sections of a body, for display only."""
    if tree.strips is None:
        return
    rows = np.flatnonzero(np.asarray(tree.strips.body) == body)
    section = tree.strips.points.section
    if not rows.size or not hasattr(section, "b"):
        return
    points = tree.strips.points
    weight = np.asarray(points.weight)[rows]
    centre = np.average(np.asarray(points.position)[rows], axis=0, weights=weight)
    sizes = [0.5 * weight.sum(), np.asarray(section.b)[rows].max(), np.asarray(section.c)[rows].max()]
    turn = _quaternion(np.asarray(points.rotation)[rows[0]])
    look = {"type": "ellipsoid", "pos": _text(centre), "quat": _text(turn), "size": _text(sizes)}
    look |= {"contype": "0", "conaffinity": "0", "mass": "0", "rgba": "0.2 0.5 0.7 1"}
    ET.SubElement(element, "geom", look)


def _text(values):
    return " ".join(f"{float(x):.17g}" for x in np.ravel(np.asarray(values)))


def _matrix(quaternion):
    return np.asarray(matrix_from_quaternion(np.asarray(quaternion, float)))


def _quaternion(matrix):
    """Quaternion (w, x, y, z) of a rotation matrix, computed from its largest component."""
    m = matrix
    squares = np.array([1 + m.trace(), *(1 + 2 * m[k, k] - m.trace() for k in range(3))])
    k = int(np.argmax(squares))
    skew = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    if k == 0:
        q = np.array([squares[0], *skew])
    else:
        i = k - 1
        q = np.empty(4)
        q[0], q[1:] = skew[i], m[i] + m[:, i]
        q[k] = squares[k]
    return q / np.linalg.norm(q)
