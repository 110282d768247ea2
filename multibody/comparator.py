"""Rigid-link approximation of a beam: the body is divided into links, and its strain gives the joint rotations."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float

from gaits.refusals import check_gait
from hydro import Profile
from spatial import Numbers, angular, linear, non_negative, positive, quaternion_exp
from spatial.checks import integer, shown, spread
from spatial.printing import Printed
from stepping import listed_breaks

from .joints import spherical
from .small_matrices import inertia_in_base
from .strips import POINTS, Strip, Strips, WaterPath, gauss_points, known, lumped, warn_of_missed_parts
from .tree import Tree

Along = Numbers | Callable[[Float[Array, ""]], Float[Array, "3"]]
Gait = Callable[[Float[Array, ""], Float[Array, ""]], Float[Array, "6"]]

_STRAIN_POINTS = 4  # Gauss points between two link centres; few suffice, because the strain is smooth


@runtime_checkable
class Body(Protocol):
    """Interface of a continuous body that `from_beam` can discretise."""

    @property
    def profile(self) -> Profile:
        """Elliptic sections along the abscissa."""
        ...

    @property
    def density(self) -> Float[Array, ""] | Callable[[Float[Array, ""]], Float[Array, ""]]:
        """Density, a number or a function of the abscissa [kg/m³]."""
        ...

    @property
    def nose_radius(self) -> Float[Array, ""]:
        """Radius of the nose [m]; zero for a body without a nose."""
        ...


def from_beam(
    beam: Body,
    links: int,
    *,
    points: int = POINTS,
    passive: tuple[float, float] | None = None,
    stiffness: Along = 0.0,
    damping: Along = 0.0,
) -> Tree:
    """Discretises a continuous body: rigid links connected by actuated spherical joints.

    Link i extends half a pitch to either side of the section X = i L / (links - 1); the first and the last link are
    therefore half as long as the others. The frame of body 0 is that of the beam's head. With joint rotations from
    `strain_law`, the head acceleration converges to that of the beam at second order in 1/links. Links of equal length,
    or headings taken at the ends of links, would give first order.

    >>> import anguilla, cosserat
    >>> import multibody as mb
    >>> beam = cosserat.rod(1.0, 0.03, 0.05)
    >>> tree = mb.from_beam(beam, links=4)
    >>> len(tree.names), round(float(mb.mass(tree) / cosserat.mass(beam)), 6)
    (4, 1.0)

    Args:
        beam: a body with a `profile`, a `density` [kg/m³], a `nose_radius` [m] and optionally point `masses`.
        links: number of links, at least two.
        points: number of Gauss points on each smooth piece of a link.
        passive: abscissae between which the joints are passive [m]; None if all joints are actuated. Pass the same
            value to `strain_law`.
        stiffness: (GJ, EI2, EI3) of the passive part: three numbers, one number for all, or a function of X [N·m²].
        damping: viscosity of the passive part against the rate of curvature, in the same forms [N·m²·s].
    """
    _check_links(links)
    if not isinstance(beam, Body):
        raise ValueError(f"beam = {shown(beam)}: must have a profile, a density and a nose_radius(cosserat.Beam)")
    length = float(known(beam.profile.length))
    pitch = length / (links - 1)
    ends = np.concatenate([[0.0], pitch * (np.arange(links - 1) + 0.5), [length]])
    X, weight, section, link = gauss_points(beam.profile, ends, integer("points", points, 1))
    warn_of_missed_parts(beam.profile, ends, weight, section)
    # The frame of a link is located at its joint, at the end nearest to the head.
    arm = jnp.asarray(X - ends[link])
    pieces = Strip(
        position=arm[:, None] * jnp.asarray([[1.0, 0.0, 0.0]]),
        rotation=jnp.broadcast_to(jnp.eye(3), (len(X), 3, 3)),
        weight=weight,
        abscissa=jnp.asarray(X),
        section=section,
        nose_position=jnp.zeros((1, 3)),
        nose_rotation=jnp.eye(3)[None],
        nose_radius=beam.nose_radius[None],
    )
    path = WaterPath(
        profile=beam.profile,
        X=jnp.asarray(X),
        ends=jnp.asarray(ends),
        centres=jnp.asarray(pitch * np.arange(links)),
        front=jnp.zeros((links, 3)),
        rotation=jnp.broadcast_to(jnp.eye(3), (links, 3, 3)),
        links=tuple(range(links)),
        link_of_body=tuple(range(links)),
    )
    if callable(beam.density):
        density = jax.vmap(beam.density)(jnp.asarray(X))
    else:
        density = jnp.broadcast_to(beam.density, weight.shape)
    per_point = lumped(pieces, section.inertia(density))
    inertia = jax.ops.segment_sum(per_point, link, links) + _point_masses(beam, ends)
    joint = spherical()
    places = [jnp.asarray([ends[i] - ends[i - 1], 0.0, 0.0]) for i in range(1, links)]
    joints = [eqx.tree_at(lambda j: j.position, joint, place) for place in places]
    if passive is not None:
        soft = _passive_joints(passive, length, links)
        joints = [
            spherical(
                position=j.position,
                actuated=False,
                stiffness=_at(stiffness, x, "stiffness") / pitch,
                damping=_at(damping, x, "damping") / pitch,
            )
            if bends
            else j
            for j, x, bends in zip(joints, ends[1:-1], soft, strict=True)
        ]
    elif callable(stiffness) or callable(damping) or np.any(stiffness) or np.any(damping):
        raise ValueError("from_beam: stiffness or damping without passive: give passive=(X0, X1), where they hold [m]")
    return Tree(
        names=[f"link{i}" for i in range(links)],
        parents=range(links - 1),
        joints=joints,
        inertia=inertia,
        strips=Strips(pieces, body=tuple(link.tolist()), nose_body=(0,), path=path),
    )


def _passive_joints(passive, length, links):
    """Boolean mask of the passive joints, those between the two abscissae."""
    if (
        not isinstance(passive, Sequence)
        or len(passive) != 2
        or any(np.ndim(end) for end in passive)
        or not 0.0 <= passive[0] < passive[1] <= length * (1 + 1e-9)
    ):
        raise ValueError(f"passive = {passive!r}: must be two increasing abscissae on the body, 0 to {length:g} [m]")
    X = length / (links - 1) * (np.arange(links - 1) + 0.5)
    soft = (X >= passive[0]) & (X <= passive[1])
    if not soft.any():
        raise ValueError(f"passive = {passive!r}: no joint lies there: raise links = {links}, or widen it [m]")
    return soft


def _at(along: Along, X: np.ndarray, name: str) -> Array:
    value = along(jnp.asarray(X)) if callable(along) else along
    return spread(f"from_beam: {name}", non_negative(f"from_beam: {name}", value), 3)


def _point_masses(beam, ends):
    """Inertia of each link's point masses, about the origin of the link frame."""
    links = len(ends) - 1
    masses = getattr(beam, "masses", None)
    if masses is None:
        return jnp.zeros((links, 6, 6))
    X = known(masses.X)
    link = np.clip(np.searchsorted(ends, X, side="right") - 1, 0, links - 1)
    arm = jnp.asarray(X - ends[link])[:, None] * jnp.asarray([[1.0, 0.0, 0.0]])
    axes = jnp.broadcast_to(jnp.eye(3), (len(X), 3, 3))
    return jax.ops.segment_sum(inertia_in_base(axes, arm, masses.inertia), link, links)


class StrainLaw(Printed):
    """Joint law of `from_beam`: each joint rotates by the exponential of the strain between two link centres.

    Attributes:
        gait: strain law (X, t) -> (Γ, K); Γ must be (1, 0, 0), because rigid links neither stretch nor shear.
        length: length of the body [m].
        links: number of links.
        actuated: indices of the joints that the law moves; None for all.
    """

    gait: Gait
    length: Float[Array, ""]
    links: int = eqx.field(static=True)
    actuated: tuple[int, ...] | None = eqx.field(static=True, default=None)

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "positions"]:
        """Quaternions of the joints at time t [s], concatenated."""
        node, weight = np.polynomial.legendre.leggauss(_STRAIN_POINTS)
        pitch = self.length / (self.links - 1)
        joints = np.arange(self.links - 1) if self.actuated is None else np.asarray(self.actuated, int)
        start = pitch * jnp.asarray(joints)
        X = start[:, None] + pitch * jnp.asarray((node + 1.0) / 2.0)[None, :]
        curvature = angular(jax.vmap(jax.vmap(lambda x: self.gait(x, t)))(X))
        turn = pitch * jnp.tensordot(curvature, jnp.asarray(weight / 2.0), axes=((1,), (0,)))
        return quaternion_exp(turn).ravel()

    @property
    def break_times(self) -> tuple[Float[ArrayLike, "..."], ...]:
        """Times at which a higher derivative of the gait jumps [s]."""
        return listed_breaks(self.gait)


def strain_law(gait: Gait, length: Numbers, links: int, passive: tuple[float, float] | None = None) -> StrainLaw:
    """Joint law that makes the tree `from_beam(beam, links)` follow a gait.

    Args:
        gait: strain law (X, t) -> (Γ, K), a function of two scalars.
        length: length of the body [m].
        links: number of links.
        passive: abscissae between which the joints are passive, as in `from_beam` [m].

    Raises:
        ValueError: the gait stretches or shears at one of the sampled abscissae and times.
    """
    _check_links(links)
    check_gait(gait)
    length = positive("length", length, "m", ())
    X = length * jnp.linspace(0.0, 1.0, 5)
    for t in (0.0, 0.3, 1.7, 7.1):
        strain = jax.vmap(gait, in_axes=(0, None))(X, jnp.asarray(t))
        rigid = jnp.asarray([1.0, 0.0, 0.0])
        worst = jnp.max(jnp.abs(linear(strain) - rigid[None, :]))
        if not isinstance(worst, Tracer) and worst > 1e-12:
            raise ValueError(
                f"gait stretches or shears by {float(worst):g} at t = {t} s: rigid links cannot; "
                "from_beam needs a gait with Γ = (1, 0, 0)"
            )
    if passive is None:
        return StrainLaw(gait, length, links)
    soft = _passive_joints(passive, float(known(length)), links)
    return StrainLaw(gait, length, links, tuple(int(k) for k in np.flatnonzero(~soft)))


def _check_links(links):
    integer("links", links, 2)
