"""Drawing of a tree for notebooks: views from above and from the side, to scale, with all joints at zero."""

import html

import jax
import numpy as np
from jax.core import Tracer

from .kinematics import configuration
from .strips import half_sizes

WIDTH, MARGIN, JOINT = 420.0, 6.0, 2.5  # pixels
LINK, ARM = 'fill="#8fb3d0" stroke="#2b4a66"', 'stroke="#2b4a66" stroke-opacity="0.4"'
ACTUATED, PASSIVE = "#d55e00", "#009e73"


def tree_drawing(tree) -> str:
    """SVG drawing with the outlines of the links and dots for the joints; empty if the tree is traced."""
    if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(tree)):
        return ""
    place = configuration(tree, tree.neutral())
    joints, axes = np.asarray(place.position), np.asarray(place.rotation)
    outlines = _outlines(tree, joints, axes)
    corners = np.concatenate([joints, *(np.concatenate(pair) for pair in outlines)])
    low, high = corners.min(axis=0), corners.max(axis=0)
    scale = WIDTH / max(float(high[0] - low[0]), 0.3 * float(np.max(high - low)), 1e-9)
    drawings, top = [], MARGIN
    for side, words in ((1, "from above"), (2, "from the side")):
        flat = lambda points, side=side, top=top: [  # noqa: E731
            (MARGIN + scale * (p[0] - low[0]), top + scale * (high[side] - p[side])) for p in points
        ]
        for pair in outlines:
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in flat(pair[side - 1]))
            drawings.append(f'<polygon points="{points}" {LINK}><title>{words}</title></polygon>')
        for parent, child in zip(tree.parents, range(1, len(joints)), strict=True):
            (x0, y0), (x1, y1) = flat(joints[[parent, child]])
            drawings.append(f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" {ARM}/>')
            colour, name = ACTUATED if tree.actuated[child - 1] else PASSIVE, html.escape(tree.joint_names[child - 1])
            dot = f'<circle cx="{x1:.1f}" cy="{y1:.1f}" r="{JOINT}" fill="{colour}"><title>{name}</title></circle>'
            drawings.append(dot)
        top += scale * float(high[side] - low[side]) + 2.0 * MARGIN
    return f'<svg width="{WIDTH + 2 * MARGIN:.0f}" height="{top:.0f}">{"".join(drawings)}</svg>'


def _outlines(tree, joints, axes):
    """Outlines of each link that has strips, seen along z and along y, as points in the base frame."""
    if tree.strips is None:
        return []
    points, owner, found = tree.strips.points, np.asarray(tree.strips.body), []
    half = [np.asarray(x) for x in half_sizes(points.section)]
    for body in np.unique(owner):
        mine = np.flatnonzero(owner == body)
        turn = axes[body] @ np.asarray(points.rotation)[mine[0]]
        centre = joints[body] + np.asarray(points.position)[mine] @ axes[body].T
        weight = np.asarray(points.weight)[mine]
        middle, length = weight @ centre / weight.sum(), weight.sum()
        along = (centre - middle) @ turn[:, 0]
        order = np.argsort(along)
        x = 0.5 * length * np.linspace(-1.0, 1.0, 9)
        line = middle + x[:, None] * turn[:, 0]
        pair = []
        for side in (1, 2):
            # The one of t2 and t3 that appears wider in this view.
            k = 1 if abs(turn[side, 1]) >= abs(turn[side, 2]) else 2
            width = np.interp(x, along[order], half[k - 1][mine][order])[:, None] * turn[:, k]
            pair.append(np.concatenate([line + width, (line - width)[::-1]]))
        found.append(tuple(pair))
    return found
