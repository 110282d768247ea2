"""Builds trees from links written in Python."""

from collections.abc import Sequence

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from spatial import Numbers, body_inertia, finite, non_negative
from spatial.checks import of_kind, sequence
from spatial.plausible import LONGEST, warn_of_length
from spatial.printing import Printed

from .joints import Joint
from .strips import Strip
from .tree import Tree


class Link(Printed):
    """One body and the joint that connects it to its parent.

    Attributes:
        name: name of the body.
        parent: name of the parent body; None for the base.
        joint: joint that connects the body to its parent; None for the base.
        inertia: inertia about the origin of the body frame, in its axes [kg, kg·m, kg·m²].
        strip: points where the fluid acts on the body; None if no fluid acts on it.
    """

    name: str = eqx.field(static=True)
    parent: str | None = eqx.field(static=True)
    joint: Joint | None
    inertia: Float[Array, "6 6"]
    strip: Strip | None

    def __init__(
        self,
        name: str,
        parent: str | None = None,
        joint: Joint | None = None,
        *,
        mass: Numbers = 0.0,
        centre: Numbers = (0.0, 0.0, 0.0),
        about_centre: Numbers | None = None,
        inertia: Numbers | None = None,
        strip: Strip | None = None,
    ):
        """Takes either `inertia`, or `mass` [kg], `centre` of mass [m] and the inertia `about_centre` [kg·m²]."""
        of_kind("Link.name", name, str, "text")
        for word, value, wanted in (("parent", parent, str), ("joint", joint, Joint), ("strip", strip, Strip)):
            if value is not None:
                of_kind(f"body {name!r}: {word}", value, wanted, f"a {wanted.__name__}, or None")
        self.name, self.parent, self.joint, self.strip = name, parent, joint, strip
        if (parent is None) != (joint is None):
            raise ValueError(f"body {name!r}: parent = {parent!r}, joint = {joint!r}: give both, or none for the base")
        if inertia is not None:
            self.inertia = finite(f"body {name!r}: inertia", inertia, (6, 6))
            return
        self.inertia = body_inertia(
            non_negative(f"body {name!r}: mass", mass, "kg", ()),
            finite(f"body {name!r}: centre", centre, (3,)),
            finite(
                f"body {name!r}: about_centre",
                jnp.zeros((3, 3)) if about_centre is None else about_centre,
                (3, 3),
            ),
        )


def from_links(links: Sequence[Link], base: str = "floating") -> Tree:
    """Builds a tree from links; the first link is the base, and parents precede their children.

    >>> import anguilla
    >>> import multibody as mb
    >>> hinge = mb.revolute(axis=(0.0, 0.0, 1.0), position=(0.3, 0.0, 0.0), name="hinge")
    >>> inertia = [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]]
    >>> arm = mb.Link("arm", "hull", hinge, mass=1.0, centre=(0.2, 0.0, 0.0), about_centre=inertia)
    >>> hull = mb.Link("hull", mass=2.0, about_centre=inertia)
    >>> tree = mb.from_links([hull, arm])
    >>> tree.joint_names, float(mb.mass(tree))
    (('hinge',), 3.0)

    Args:
        links: the bodies with their joints.
        base: "floating" or "fixed".

    Raises:
        ValueError: a link is invalid; the message names the body or joint.
    """
    links = sequence("from_links: links", links, "a list of multibody.Link")
    for k, link in enumerate(links):
        of_kind(f"from_links: links[{k}]", link, Link, "a multibody.Link")
    names = tuple(link.name for link in links)
    if not links or links[0].parent is not None:
        raise ValueError(f"from_links: links[0] = {names[:1]}: the first link is the base and has no parent")
    parents = []
    for link in links[1:]:
        if link.parent is None:
            raise ValueError(f"body {link.name!r}: no parent: only the first link is the base")
        if link.parent not in names:
            raise ValueError(f"body {link.name!r}: parent = {link.parent!r}: unknown, must be one of {names}")
        parents.append(names.index(link.parent))
    tree = Tree(
        names=names,
        parents=parents,
        joints=[link.joint for link in links[1:] if link.joint is not None],
        inertia=jnp.stack([link.inertia for link in links]),
        strips=[link.strip for link in links],
        base=base,
    )
    _warn_if_long(tree)
    return tree


def _warn_if_long(tree):
    """Warns of a tree that reaches so far that its lengths were probably not given in metres."""
    strips = tree.strips
    if isinstance(tree.position, Tracer) or strips is not None and isinstance(strips.points.position, Tracer):
        return
    reach = np.zeros(len(tree.names))
    for child, (parent, offset) in enumerate(zip(tree.parents, np.asarray(tree.position), strict=True), start=1):
        reach[child] = reach[parent] + np.linalg.norm(offset)
    if strips is not None:
        reach = np.append(reach, reach[list(strips.body)] + np.linalg.norm(strips.points.position, axis=1))
    if reach.max() > LONGEST:
        warn_of_length("this tree", **{"from its base to its end": float(reach.max())})
