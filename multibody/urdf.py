"""Builds trees from URDF files, read by yourdfpy (the optional extra `urdf`)."""

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from spatial import one_of
from spatial.checks import names_of, of_kind
from spatial.user_warnings import warn

from .builders import Link, from_links
from .geometry_strips import BOXES, box_strip, cylinder_strip, ellipsoid_strip, mesh_strip
from .joints import FREEDOMS, Joint
from .strips import concatenated
from .tree import Tree

KINDS = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed"}


def from_urdf(
    path: str | Path,
    *,
    base: str = "floating",
    passive: Collection[str] = (),
    strips: bool | Collection[str] = False,
    boxes: str = "rectangles",
) -> Tree:
    """Builds the tree described by a URDF file; its root link is the base.

    The file must be well-formed XML. Kinematics, inertias, and the damping, friction and limits of joints are read;
    `<visual>` elements and colours are not. Limits are stored in `Tree.limits`, not enforced; an effort or velocity of
    zero counts as no limit.

    Args:
        path: path of the file.
        base: "floating" or "fixed".
        passive: names of the joints that are not actuated.
        strips: True to let a fluid act on the `<collision>` geometry of all links (cylinder, box, sphere, mesh), or
            the names of the links on which it acts. Meshes need trimesh, the optional extra `mesh`.
        boxes: sections of a box: "rectangles" with the area of the box, or "ellipses" inscribed in them.
            `ground.Contact` and `hydro.FreeSurface` accept ellipses only.

    Raises:
        ImportError: yourdfpy is not installed.
        FileNotFoundError: the file, or a mesh that it refers to, does not exist.
        ValueError: the file is truncated or malformed; a joint type is not supported; a link has two parents; a number
            is missing.
    """
    try:
        import yourdfpy
    except ImportError as error:
        raise ImportError("from_urdf needs yourdfpy: pip install 'anguilla[urdf]'") from error
    of_kind("path", path, str | Path, "the name of a file")
    one_of("base", base, ("floating", "fixed"))
    passive = names_of("passive", passive)
    strips = strips if isinstance(strips, bool) else names_of("strips", strips)
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

    one_of("boxes", boxes, BOXES)
    wet = set(links) if strips is True else set(strips or ())
    if wet - set(links):
        raise ValueError(f"strips = {sorted(wet - set(links))}: no such link in {path}")
    folder = Path(path).parent
    strip_of = lambda name: _strip(links[name], folder, name in wet, strips is True, boxes)  # noqa: E731
    out, queue, order = [_link(links[roots[0]], None, None, strip_of(roots[0]))], [roots[0]], []
    while queue:
        for joint in children[queue.pop(0)]:
            turning = _joint(joint, joint.name not in passive)
            out.append(_link(links[joint.child], joint.parent, turning, strip_of(joint.child)))
            queue.append(joint.child)
            order += [joint] * FREEDOMS[turning.kind]
    if strips is True and all(link.strip is None for link in out):
        raise ValueError(f"{path}: no link has <collision> geometry: there is nothing for strips to be made of")
    _warn_of_missing(path, [links[link.name] for link in out], strips is True)
    return _limited(from_links(out, base), order)


def _warn_of_missing(path, links, wet):
    """Warns of solid links without mass, and of those on which no fluid acts though strips of all are wanted."""
    massless = [link.name for link in links if link.inertial is None and (link.visuals or link.collisions)]
    dry = [link.name for link in links if wet and not link.collisions and (link.inertial is not None or link.visuals)]
    for words, names in (("<inertial>, and no mass", massless), ("<collision> geometry, and feel no fluid", dry)):
        if names:
            warn(f"{path}: these links have no {words}: {', '.join(names)}")


def _limited(tree, joints):
    """The tree with the joint limits of the file, if it has any."""
    if all(joint.limit is None for joint in joints):
        return tree

    def column(key, none, unknown):
        values = [None if joint.limit is None else getattr(joint.limit, key) for joint in joints]
        return [
            none if value is None or unknown(joint, value) else float(value)
            for joint, value in zip(joints, values, strict=True)
        ]

    endless = lambda joint, value: joint.type == "continuous"  # noqa: E731
    unset = lambda joint, value: value == 0.0  # noqa: E731  # many exporters write 0 where they know no limit
    return tree.with_limits(
        lower=column("lower", -np.inf, endless),
        upper=column("upper", np.inf, endless),
        speed=column("velocity", np.inf, unset),
        effort=column("effort", np.inf, unset),
    )


def _strip(link, folder, wet, every, boxes):
    """Strip of the collision geometry of a link; None if no fluid acts on it."""
    if not wet:
        return None
    pieces = []
    for collision in link.collisions:
        frame = np.eye(4) if collision.origin is None else np.asarray(collision.origin, float)
        shape = collision.geometry
        if shape.cylinder is not None:
            pieces.append(cylinder_strip(shape.cylinder.radius, shape.cylinder.length, frame))
        elif shape.box is not None:
            pieces.append(box_strip(shape.box.size, frame, boxes))
        elif shape.sphere is not None:
            pieces.append(ellipsoid_strip((shape.sphere.radius,) * 3, frame))
        elif shape.mesh is not None:
            file = folder / str(shape.mesh.filename).removeprefix("file://")
            if not file.is_file():
                raise FileNotFoundError(
                    f"link {link.name!r}: mesh {shape.mesh.filename!r}: no such file beside the URDF"
                )
            pieces.append(mesh_strip(file, shape.mesh.scale, frame))
    if not pieces and not every:
        raise ValueError(f"link {link.name!r}: has no <collision> geometry to make strips of")
    return concatenated(pieces) if pieces else None


def _refuse_malformed(path):
    """Raises on errors that yourdfpy would repair or skip: truncated XML, repeated names, masses without a value."""
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
        # Axes in URDF files are often rounded. A zero axis is left unchanged: `Tree` rejects it and names the joint.
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


def _link(link, parent, joint, strip):
    inertial = link.inertial
    if inertial is None:
        return Link(link.name, parent, joint, strip=strip)
    frame = np.eye(4) if inertial.origin is None else np.asarray(inertial.origin)
    turn = frame[:3, :3]
    about = np.zeros((3, 3)) if inertial.inertia is None else turn @ np.asarray(inertial.inertia) @ turn.T
    mass = inertial.mass or 0.0
    return Link(link.name, parent, joint, mass=mass, centre=frame[:3, 3], about_centre=about, strip=strip)
