"""Strips of links with a uniform section."""

import jax
import jax.numpy as jnp
import numpy as np

from hydro import AbstractSection
from spatial import Numbers, finite, positive
from spatial.checks import integer

from .strips import Strip


def prism_strip(
    section: AbstractSection,
    length: Numbers,
    *,
    origin: Numbers = (0.0, 0.0, 0.0),
    rotation: Numbers | None = None,
    points: int = 2,
) -> Strip:
    """Strip of a link with the same section along its whole length.

    Two Gauss points integrate cubic functions along the link exactly, such as the buoyancy of a partly wet link.

    Args:
        section: one section, such as `hydro.polygon(...)` or a `hydro.EllipticSection`.
        length: length of the link [m].
        origin: centre of its first section in the body frame [m].
        rotation: axes t1 (along the link), t2, t3 of the section in the body frame, as columns.
        points: number of Gauss points along the link.
    """
    if not isinstance(section, AbstractSection) or section.area.ndim != 0:
        raise ValueError(f"prism_strip: section = {section!r}: must be one section, such as hydro.polygon(...)")
    points = integer("prism_strip: points", points, 1)
    axes = jnp.eye(3) if rotation is None else finite("prism_strip: rotation", rotation, (3, 3))
    start, length = finite("prism_strip: origin", origin, (3,)), positive("prism_strip: length", length, "m", ())
    node, weight = np.polynomial.legendre.leggauss(points)
    along = length * jnp.asarray((node + 1.0) / 2.0)
    many = lambda value: jnp.broadcast_to(value, (points, *value.shape))  # noqa: E731
    return Strip(
        position=start[None, :] + along[:, None] * axes[None, :, 0],
        rotation=many(axes),
        weight=length * jnp.asarray(weight / 2.0),
        abscissa=along,
        section=jax.tree.map(many, section),
        nose_position=jnp.zeros((0, 3)),
        nose_rotation=jnp.zeros((0, 3, 3)),
        nose_radius=jnp.zeros(0),
    )
