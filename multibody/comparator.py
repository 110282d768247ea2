"""Rigid-link comparator of the beam: the same body divided into links, with joint angles from its strain."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from gaits.refusals import check_gait
from hydro import Profile
from spatial import Numbers, angular, linear, positive, quaternion_exp
from spatial.checks import shown

from .joints import spherical
from .small_matrices import inertia_in_base
from .strips import POINTS, Strip, Strips, WaterPath, gauss_points, known, lumped
from .tree import Tree

Gait = Callable[[Float[Array, ""], Float[Array, ""]], Float[Array, "6"]]

_STRAIN_POINTS = 4  # Gauss points between two link centres: the strain is much smoother than the rotation


@runtime_checkable
class Body(Protocol):
    """Interface that the comparator needs of a continuous body."""

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
        """Radius of the nose [m]; zero for none."""
        ...


def from_beam(beam: Body, links: int, *, points: int = POINTS) -> Tree:
    """Discretises a continuous body: rigid links connected by actuated spherical joints.

    Link i is centred on the section X = i L / (links - 1), so that the first and the last are half as long as the
    others, and body 0 has the frame of the beam's head. With joint rotations from `strain_law` the
    head acceleration converges to the beam's at second order in 1/links; equal links, or headings taken at
    the ends of links, give first order.

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
    """
    _check_links(links)
    if not isinstance(beam, Body):
        raise ValueError(f"beam = {shown(beam)}: must have a profile, a density and a nose_radius(cosserat.Beam)")
    length = float(known(beam.profile.length))
    pitch = length / (links - 1)
    ends = np.concatenate([[0.0], pitch * (np.arange(links - 1) + 0.5), [length]])
    X, weight, section, link = gauss_points(beam.profile, ends, points)
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
    return Tree(
        names=[f"link{i}" for i in range(links)],
        parents=range(links - 1),
        joints=joints,
        inertia=inertia,
        strips=Strips(pieces, body=tuple(link.tolist()), nose_body=(0,), path=path),
    )


def _point_masses(beam, ends):
    """Inertia of each link's point masses about its frame."""
    links = len(ends) - 1
    masses = getattr(beam, "masses", None)
    if masses is None:
        return jnp.zeros((links, 6, 6))
    X = known(masses.X)
    link = np.clip(np.searchsorted(ends, X, side="right") - 1, 0, links - 1)
    arm = jnp.asarray(X - ends[link])[:, None] * jnp.asarray([[1.0, 0.0, 0.0]])
    axes = jnp.broadcast_to(jnp.eye(3), (len(X), 3, 3))
    return jax.ops.segment_sum(inertia_in_base(axes, arm, masses.inertia), link, links)


class StrainLaw(eqx.Module):
    """Joint law of `from_beam`: each joint rotates by the exponential of the strain between two link centres.

    Attributes:
        gait: strain law (X, t) -> (Γ, K); Γ must be (1, 0, 0), because rigid links neither stretch nor shear.
        length: length of the body [m].
        links: number of links.
    """

    gait: Gait
    length: Float[Array, ""]
    links: int = eqx.field(static=True)

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "positions"]:
        """Quaternions of the joints at time t [s], one after the other."""
        node, weight = np.polynomial.legendre.leggauss(_STRAIN_POINTS)
        pitch = self.length / (self.links - 1)
        start = pitch * jnp.arange(self.links - 1)
        X = start[:, None] + pitch * jnp.asarray((node + 1.0) / 2.0)[None, :]
        curvature = angular(jax.vmap(jax.vmap(lambda x: self.gait(x, t)))(X))
        turn = pitch * jnp.tensordot(curvature, jnp.asarray(weight / 2.0), axes=((1,), (0,)))
        return quaternion_exp(turn).ravel()

    @property
    def break_times(self) -> tuple[Float[Array, ""], ...]:
        """Times at which a higher derivative of the gait jumps [s]."""
        return tuple(getattr(self.gait, "break_times", ()))


def strain_law(gait: Gait, length: Numbers, links: int) -> StrainLaw:
    """Joint law with which `from_beam(beam, links)` follows a gait.

    Args:
        gait: strain law (X, t) -> (Γ, K) of two scalars.
        length: length of the body [m].
        links: number of links.

    Raises:
        ValueError: the gait stretches or shears at one of a few samples.
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
    return StrainLaw(gait, length, links)


def _check_links(links):
    if not isinstance(links, int) or links < 2:
        raise ValueError(f"links = {links!r}: must be an integer of at least 2")
