"""Small drawing of a profile for notebooks: from above and from the side, to scale."""

import jax
import numpy as np
from jax.core import Tracer

from .profiles import Profile

WIDTH, MARGIN, POINTS = 420.0, 6.0, 121


def profile_drawing(profile: Profile) -> str:
    """The outline as SVG, with b seen from above and c seen from the side; empty if the profile is traced."""
    if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(profile)):
        return ""
    length = float(profile.length)
    X = length * 0.5 * (1.0 - np.cos(np.pi * np.linspace(0.0, 1.0, POINTS)))
    section = jax.vmap(profile)(jax.numpy.asarray(X))
    scale = WIDTH / length
    drawings, top = [], MARGIN
    for half, words in ((np.asarray(section.b), "from above"), (np.asarray(section.c), "from the side")):
        reach = scale * float(half.max())
        upper = [(MARGIN + scale * x, top + reach - scale * h) for x, h in zip(X, half, strict=True)]
        lower = [(MARGIN + scale * x, top + reach + scale * h) for x, h in zip(X[::-1], half[::-1], strict=True)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in upper + lower)
        drawings.append(f'<polygon points="{points}" fill="#8fb3d0" stroke="#2b4a66"><title>{words}</title></polygon>')
        top += 2.0 * reach + MARGIN
    return f'<svg width="{WIDTH + 2 * MARGIN:.0f}" height="{top:.0f}">{"".join(drawings)}</svg>'
