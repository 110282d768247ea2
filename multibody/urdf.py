"""Builds trees from URDF files, read by yourdfpy (the optional extra `urdf`)."""

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from spatial import one_of

from .builders import Link, from_links
from .joints import Joint
from .tree import Tree

KINDS = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed"}


def from_urdf(path: str | Path, *, base: str = "floating", passive: Collection[str] = ()) -> Tree:
    """Builds the tree described by a URDF file; its root link is the base.

    The file must be well-formed. Kinematics, inertias, damping and friction of joints are read; limits, geometry and
    colours are not.

    Args:
        path: path of the file.
        base: "floating" or "fixed".
        passive: names of the joints that are not actuated.

    Raises:
        ImportError: yourdfpy is not installed.
        ValueError: the file is truncated or malformed; a joint type is not supported; a link has two parents; a number
            is missing.
    """
    try:
        import yourdfpy
    except ImportError as error:
        raise ImportError("from_urdf needs yourdfpy: pip install 'anguilla[urdf]'") from error
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: no such file")
    _refuse_malformed(path)
    try:
        options = dict(build_scene_graph=False, load_meshes=False, build_collision_scene_graph=False)
        model = yourdfpy.URDF.load(str(path), **options)
    except (TypeError, AttributeError, SyntaxError, ValueError, LookupError) as error:
        raise ValueError(f"{path}: not a URDF file ({error})") from error
    robot = model.robot
    links = {link.name: link for link in robot.links}
    children: dict[str, list[Any]] = {name: [] for name in links}
    hanging = set()
    for joint in robot.joints:
        one_of(f"joint {joint.name!r}: type", joint.type, tuple(KINDS))
        if joint.mimic is not None:
            raise ValueError(
                f"joint {joint.name!r}: mimics {joint.mimic.joint!r}: give its law instead, without <mimic>"
            )
        for end in (joint.parent, joint.child):
            if end not in links:
                raise ValueError(f"joint {joint.name!r}: link {end!r} is unknown")
        if joint.child in hanging:
            raise ValueError(f"link {joint.child!r}: has two parent joints: a URDF is a tree")
        hanging.add(joint.child)
        children[joint.parent].append(joint)
    unknown = set(passive) - {joint.name for joint in robot.joints}
    if unknown:
        raise ValueError(f"passive = {sorted(unknown)}: no such joint in {path}")
    roots = [name for name in links if name not in hanging]
    if len(roots) != 1:
        raise ValueError(f"{path}: root links {roots}: a tree has exactly one")

    out, queue = [_link(links[roots[0]], None, None)], [roots[0]]
    while queue:
        for joint in children[queue.pop(0)]:
            out.append(_link(links[joint.child], joint.parent, _joint(joint, joint.name not in passive)))
            queue.append(joint.child)
    return from_links(out, base)


def _refuse_malformed(path):
    """Rejects what yourdfpy would repair or skip: truncated XML, repeated names, masses without a value."""
    try:
        root = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"{path}: not a URDF file, or cut: it is not well-formed XML ({error})") from error
    if root.tag != "robot":
        raise ValueError(f"{path}: not a URDF file (its root is <{root.tag}>, it must be <robot>)")
    for kind in ("link", "joint"):
        names = Counter(part.get("name") for part in root.findall(kind))
        for name, count in names.items():
            if not name or count > 1:
                raise ValueError(f"{path}: {count} <{kind}> of the name {name!r}: names must be unique")
    for link in root.findall("link"):
        inertial = link.find("inertial")
        if inertial is not None:
            for tag, key in (("mass", "value"), *(("inertia", key) for key in ("ixx", "iyy", "izz"))):
                part = inertial.find(tag)
                if part is None or part.get(key) is None:
                    raise ValueError(f"{path}: link {link.get('name')!r}: its <inertial> has no <{tag} {key}=...>")


def _number(name, text):
    """A number that yourdfpy may return as text; zero if absent."""
    try:
        return float(text or 0.0)
    except ValueError:
        raise ValueError(f"{name} = {text!r}: must be a number") from None


def _joint(joint, actuated):
    frame = np.eye(4) if joint.origin is None else np.asarray(joint.origin)
    options = {}
    if joint.dynamics is not None:
        options = {
            key: _number(f"joint {joint.name!r}: {key}", getattr(joint.dynamics, key))
            for key in ("damping", "friction")
        }
    axis = (1.0, 0.0, 0.0)  # the default of the format
    if joint.axis is not None and KINDS[joint.type] != "fixed":
        axis = np.asarray(joint.axis, float)
        norm = np.linalg.norm(axis)
        # URDF writers round; a zero axis is left for the tree to reject by name.
        axis = axis / norm if norm > 0 else axis
    kind = KINDS[joint.type]
    if kind == "fixed":
        options = {}
    return Joint(
        kind,
        axis,
        rotation=frame[:3, :3],
        position=frame[:3, 3],
        actuated=actuated,
        name=joint.name,
        **options,
    )


def _link(link, parent, joint):
    inertial = link.inertial
    if inertial is None:
        return Link(link.name, parent, joint)
    frame = np.eye(4) if inertial.origin is None else np.asarray(inertial.origin)
    turn = frame[:3, :3]
    about = np.zeros((3, 3)) if inertial.inertia is None else turn @ np.asarray(inertial.inertia) @ turn.T
    return Link(link.name, parent, joint, mass=inertial.mass or 0.0, centre=frame[:3, 3], about_centre=about)
