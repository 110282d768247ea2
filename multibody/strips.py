"""Points where a fluid acts on the links: Gauss points, each with a section and its frame."""

from collections.abc import Sequence
from typing import Any, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from hydro import AbstractSection, BladeSection, BodySection, Profile, general
from spatial import Numbers, finite, increasing, non_negative
from spatial.checks import integer, of_kind, positive
from spatial.printing import Printed
from spatial.user_warnings import warn

from .small_matrices import inertia_in_base

POINTS = 3  # per smooth piece of a link; one point gives 4 % error of the head acceleration, six are no better


FINER = 256  # links of equal length whose points measure the volume of a profile
MISSED = 1e-3  # relative error of the volume and of the squares of the widths that causes a warning


class Strip(Printed):
    """Points at which the fluid acts on one link.

    Attributes:
        position: centres of the sections in the body frame [m].
        rotation: axes t1, t2, t3 of the sections in the body frame, as columns.
        weight: length of link represented by each point [m].
        abscissa: abscissa X of each point on the profile of the body, or along the link if there is no profile [m].
        section: the sections.
        nose_position: positions of the noses in the body frame [m].
        nose_rotation: axes of the noses in the body frame, as columns; forward is -t1.
        nose_radius: radii of the noses [m].
    """

    position: Float[Array, "points 3"]
    rotation: Float[Array, "points 3 3"]
    weight: Float[Array, "points"]
    abscissa: Float[Array, "points"]
    section: AbstractSection | BladeSection
    nose_position: Float[Array, "noses 3"]
    nose_rotation: Float[Array, "noses 3 3"]
    nose_radius: Float[Array, "noses"]


class WaterPath(eqx.Module):
    """Path of the water along a chain of straight links, for fluids that carry water along (`hydro.Lighthill`).

    Attributes:
        profile: profile of the whole body along its abscissa.
        X: abscissae of the points of the strips [m].
        ends: abscissae at which the links begin and end [m].
        centres: abscissae of the sections that have the orientation of the links [m].
        front: position of the first section of each link, in the body frame [m].
        rotation: axes t1, t2, t3 of the sections of each link in the body frame, as columns.
        links: indices of the bodies, from head to tail.
        link_of_body: position of each body in `links`.
    """

    profile: Profile
    X: Float[Array, "points"]
    ends: Float[Array, "links_and_one"]
    centres: Float[Array, "links"]
    front: Float[Array, "links 3"]
    rotation: Float[Array, "links 3 3"]
    links: tuple[int, ...] = eqx.field(static=True)
    link_of_body: tuple[int, ...] = eqx.field(static=True)


class Strips(eqx.Module):
    """The strips of all links, concatenated.

    Attributes:
        points: the points of all links.
        body: index of the body of each point.
        nose_body: index of the body of each nose.
        path: path of the water along the links; None if it is not defined.
    """

    points: Strip
    body: tuple[int, ...] = eqx.field(static=True)
    nose_body: tuple[int, ...] = eqx.field(static=True)
    path: WaterPath | None = None


def strip(
    profile: Profile,
    span: Numbers,
    *,
    origin: Numbers = (0.0, 0.0, 0.0),
    rotation: Numbers | None = None,
    nose_radius: Numbers | None = None,
    points: int = POINTS,
) -> Strip:
    """Strip of one link, cut from the profile of the whole body.

    Args:
        profile: elliptic sections along the abscissa X.
        span: abscissae of the two ends of the link [m].
        origin: centre of the section at the first end, in the body frame [m].
        rotation: axes t1 (along increasing X), t2, t3 of the sections in the body frame, as columns.
        nose_radius: radius of a nose at the first end [m]; None for no nose.
        points: number of Gauss points on each smooth piece.
    """
    of_kind("strip: profile", profile, Profile, "a hydro.Profile")
    points = integer("strip: points", points, 1)
    axes = jnp.eye(3) if rotation is None else finite("strip: rotation", rotation, (3, 3))
    start = finite("strip: origin", origin, (3,))
    ends = known(increasing("strip: span", span, "m"))
    X, weight, section, _ = gauss_points(profile, ends, points)
    warn_of_missed_parts(profile, ends, weight, section)
    position = start[None, :] + jnp.asarray(X - ends[0])[:, None] * axes[None, :, 0]
    radius = jnp.zeros(0) if nose_radius is None else non_negative("strip: nose_radius", nose_radius, "m", ())[None]
    noses = radius.shape[0]
    return Strip(
        position=position,
        rotation=jnp.broadcast_to(axes, (*X.shape, 3, 3)),
        weight=weight,
        abscissa=jnp.asarray(X),
        section=section,
        nose_position=jnp.broadcast_to(start, (noses, 3)),
        nose_rotation=jnp.broadcast_to(axes, (noses, 3, 3)),
        nose_radius=radius,
    )


def half_sizes(section: AbstractSection | BladeSection) -> tuple[Float[Array, "points"], Float[Array, "points"]]:
    """Half width along t2 and half height along t3 of sections, for drawing [m]."""
    if isinstance(section, BladeSection):
        return 0.5 * section.thickness, 0.5 * section.chord
    return section.b, section.c


def link_inertia(piece: Strip, density: Numbers) -> Float[Array, "6 6"]:
    """Inertia of a homogeneous link about its body frame, by the quadrature of its strip [kg, kg·m, kg·m²].

    Args:
        piece: strip of the link.
        density: density of the link [kg/m³].
    """
    of_kind("piece", piece, Strip, "a multibody.Strip")
    return homogeneous_inertia(piece, positive("density", density, "kg/m³", ()))


def homogeneous_inertia(piece: Strip, density: Float[Array, ""]) -> Float[Array, "6 6"]:
    """`link_inertia` [kg, kg·m, kg·m²] for a density [kg/m³] that has already been checked."""
    from_points = lumped(piece, jax.vmap(lambda s: s.inertia(density))(piece.section))
    return jnp.sum(from_points, axis=0)


def lumped(points: Strip, per_metre: Float[Array, "points 6 6"]) -> Float[Array, "points 6 6"]:
    """Inertia of each point about its body frame [kg], from inertias per metre in its own frame [kg/m]."""
    return inertia_in_base(points.rotation, points.position, points.weight[:, None, None] * per_metre)


def no_strips(otherwise: str = "") -> ValueError:
    """The error of a tree without strips in a fluid; `otherwise` says what else the user can do."""
    return ValueError(
        "this tree has no strips for a fluid to act on: give its links strips, for a URDF file by "
        f"`from_urdf(..., strips=True)`{otherwise}"
    )


def gather(strips: Sequence[Strip | None]) -> Strips | None:
    """Concatenates the strips of the bodies, in body order; None if no body has one."""
    given = [(body, piece) for body, piece in enumerate(strips) if piece is not None]
    if not given:
        return None
    return Strips(
        points=concatenated([piece for _, piece in given]),
        body=tuple(body for body, piece in given for _ in range(piece.weight.shape[0])),
        nose_body=tuple(body for body, piece in given for _ in range(piece.nose_radius.shape[0])),
    )


def concatenated(strips: Sequence[Strip]) -> Strip:
    """Concatenates strips; elliptic sections become general ones if another strip has general sections."""
    kinds = {type(piece.section) for piece in strips}
    if len(kinds) > 1:
        if not all(issubclass(kind, BodySection) for kind in kinds):
            raise ValueError(
                f"strips of {sorted(kind.__name__ for kind in kinds)}: must all be of one kind, or of "
                "EllipticSection and GeneralSection"
            )
        strips = [
            eqx.tree_at(lambda s: s.section, piece, jax.vmap(general)(cast(Any, piece.section))) for piece in strips
        ]
    return jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *strips)


def known(abscissae: Array) -> np.ndarray:
    """Abscissae as concrete numbers [m]; they must be concrete because they determine the number of points."""
    if isinstance(abscissae, Tracer):
        raise ValueError("the breaks of the profile and the ends of the links must be concrete numbers, not traced")
    return np.asarray(abscissae)


def missed_parts(
    profile: Profile, ends: np.ndarray, weight: Float[Array, "points"], section: BodySection
) -> float | None:
    """Relative error of the volume and of ∫b² dX and ∫c² dX, on which the added mass depends, by points of links.

    Args:
        profile: profile of the whole body.
        ends: abscissae of the ends of the links [m].
        weight: weights of the points [m].
        section: sections at the points.

    Returns:
        The greatest of the three errors; None for traced sections.
    """
    if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves((weight, section))):
        return None
    _, finer, sections, _ = gauss_points(profile, np.linspace(ends[0], ends[-1], FINER + 1), POINTS)
    integrals = lambda weight, s: np.asarray([jnp.sum(weight * x) for x in _per_metre(s)])  # noqa: E731
    own, exact = integrals(weight, section), integrals(finer, sections)
    return float(np.max(np.abs(own - exact) / exact))


def _per_metre(section):
    b, c = half_sizes(section)
    return section.area, b * b, c * c


def warn_of_missed_parts(
    profile: Profile, ends: np.ndarray, weight: Float[Array, "points"], section: BodySection
) -> None:
    """Warns if the points of links miss parts of the profile: `missed_parts` is above 0.1 %."""
    missed = missed_parts(profile, ends, weight, section)
    if missed is not None and not missed <= MISSED:
        warn(
            "the points of the links miss parts of the profile: their volume, or the squares of its widths, are off by "
            f"{missed:.1e}, and so are the loads of the water. Take more points for each link (points=...), or a "
            "profile whose pieces end where a fin or a step begins."
        )


def gauss_points(
    profile: Profile, ends: np.ndarray, points: int
) -> tuple[np.ndarray, Float[Array, "points"], BodySection, np.ndarray]:
    """Gauss points on the smooth pieces of each link.

    Next to a tip of the body they are Gauss points in the square root of the distance to the tip, because the semi-axes
    close like that square root.

    Args:
        profile: profile of the whole body.
        ends: abscissae of the ends of the links, from the first end of the first link to the last end of the last [m].
        points: number of Gauss points on each smooth piece.

    Returns:
        Abscissae [m], weights [m], sections, and the link that each point belongs to.
    """
    breaks = known(profile.breaks)
    slack = 1e-9 * (breaks[-1] - breaks[0])
    if ends[0] < breaks[0] - slack or ends[-1] > breaks[-1] + slack:
        raise ValueError(f"strip: span = [{ends[0]}, {ends[-1]}]: must lie on the profile, {breaks[[0, -1]]} [m]")
    node, weight = np.polynomial.legendre.leggauss(points)
    u, du = (node + 1.0) / 2.0, weight / 2.0
    X, dX, piece, link = [], [], [], []
    for i, (begin, end) in enumerate(zip(ends[:-1], ends[1:], strict=True)):
        for k in range(len(profile.pieces)):
            low, high = max(begin, breaks[k]), min(end, breaks[k + 1])
            width = high - low
            if width <= slack:
                continue
            if k == 0 and low - breaks[0] <= slack:
                here, step = low + width * u**2, 2.0 * width * u * du
            elif k == len(profile.pieces) - 1 and breaks[-1] - high <= slack:
                here, step = high - width * u[::-1] ** 2, 2.0 * width * u[::-1] * du[::-1]
            else:
                here, step = low + width * u, width * du
            X.append(here)
            dX.append(step)
            piece += [k] * points
            link += [i] * points
    where, of_piece = np.concatenate(X), np.array(piece)
    rows = [np.flatnonzero(of_piece == k) for k in np.unique(of_piece)]
    found = [jax.vmap(profile.sections[of_piece[mine[0]]])(jnp.asarray(where[mine])) for mine in rows]
    back = np.argsort(np.concatenate(rows))
    section = jax.tree.map(lambda *parts: jnp.concatenate(parts)[back], *found)
    return where, jnp.asarray(np.concatenate(dX)), section, np.array(link)
