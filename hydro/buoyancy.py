"""Water with a free surface: buoyancy of sections as the exact gradient of a potential energy.

The water fills the half space below the height `level`; its surface stays flat. Let z = d + a·r be the height above
the surface of the points r of a section. The potential per metre is ρ g u with u = ∫max(-z, 0) dA, and
(A, S) = -∂u/∂(d, a) are the wet area and its first moments. The load is an exact gradient, so a floating body
conserves energy for any quadrature.
"""

from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from spatial import Numbers, angular, cross, finite, join, linear, non_negative, positive, safe_norm
from spatial.checks import within

from .buoyancy_wet import wet_disc, wet_fan
from .fluid import AbstractFluid, Place, Terms
from .morison import Morison
from .polygons import PolygonSection
from .sections import AbstractSection, EllipticSection

ROUND_OFF = 1e-13  # heights below this fraction of their differences across a section are taken as zero
LEVEL = 1e-12  # relative slope below which a section counts as parallel to the surface, and is entirely wet or dry


class WetPart(eqx.Module):
    """The submerged part of a section.

    Attributes:
        area: wetted area [m²].
        first_moments: integrals of the coordinates along t2 and t3 over it [m³].
        potential: integral of the depth over it [m³].
    """

    area: Float[Array, ""]
    first_moments: Float[Array, "2"]
    potential: Float[Array, ""]


def wet_part(section: EllipticSection | PolygonSection, height: Float[Array, ""], slope: Float[Array, "2"]) -> WetPart:
    """Computes the submerged part of one section.

    Args:
        section: a `PolygonSection` or an `EllipticSection`.
        height: height of its origin above the water [m].
        slope: derivatives of the height along t2 and t3 [-]. If both vanish (a vertical body), the section is entirely
            wet or dry, and its load jumps at the surface; `hydro.Solid` has no such jump.
    """
    if isinstance(section, PolygonSection):
        return _wet_polygon(section, height, slope)
    if isinstance(section, EllipticSection):
        return _wet_ellipse(section, height, slope)
    raise ValueError(f"section = {type(section).__name__}: must be a PolygonSection or an EllipticSection")


def _wet_polygon(section, height, slope):
    """Sums signed triangles between the origin and the edges; if the origin is wet, subtracts the dry part."""
    # `wet_fan` needs a dry origin; for a wet one the heights change sign, and wet and dry are exchanged.
    (y, z), (next_y, next_z) = section.vertices.T, section.after.T
    side = jnp.where(height < 0, -1.0, 1.0)
    over = lambda y, z: side * (height + slope[0] * y + slope[1] * z)  # noqa: E731
    least = ROUND_OFF * (jnp.abs(slope[0]) + jnp.abs(slope[1])) * jnp.sqrt(section.area)
    m, m1, m2 = wet_fan(side * height, over(y, z), over(next_y, next_z), least)
    doubled = y * next_z - next_y * z
    moments = jnp.stack([m, m1 * y + m2 * next_y, m1 * z + m2 * next_z])
    part = (doubled[None] * moments) @ np.ones(y.shape[0])  # as sums, a batch of NATRIX's runs takes 1.7 times as long
    whole = jnp.concatenate([section.area[None], section.first_moments])
    area, S_y, S_z = jnp.where(height < 0, whole - part, part)
    return WetPart(area, jnp.stack([S_y, S_z]), -(height * area + slope[0] * S_y + slope[1] * S_z))


def _wet_ellipse(section, height, slope):
    """Maps the ellipse to the unit disc."""
    tilt = jnp.stack([section.b * slope[0], section.c * slope[1]])
    steep = safe_norm(tilt)
    tilted = steep > LEVEL * (section.b + section.c)
    size = jnp.where(tilted, steep, 1.0)
    area, moment, _ = wet_disc(jnp.where(tilted, height / size, jnp.where(height < 0, -2.0, 2.0)))
    scale = section.b * section.c
    along = moment * tilt / size
    S = scale * jnp.stack([section.b * along[0], section.c * along[1]])
    return WetPart(scale * area, S, -(height * scale * area + jnp.dot(slope, S)))


class FreeSurface(AbstractFluid):
    """Still water with a flat free surface; loads act on the submerged part of each section.

    As in [XHLB23], only buoyancy acts by default; damping and a flow model are optional.

    >>> import anguilla, hydro
    >>> import jax.numpy as jnp
    >>> water = hydro.FreeSurface(level=0.0)
    >>> square = hydro.polygon([(0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1), (0.1, 0.1)])
    >>> place = hydro.Place(jnp.array([0.0, 0.0, 0.05]), jnp.eye(3))  # its centre 5 cm above the water
    >>> round(float(water.wet_part(square, place).area), 6)
    0.01

    Attributes:
        density: density of the water [kg/m³].
        gravity: magnitude of gravity, which points along -z of the world [m/s²].
        level: height of the surface in the world [m].
        roll_damping: couple about t1 per unit roll rate, per metre of fully submerged body [N·s].
        heave_damping: vertical force per unit vertical velocity, per metre of fully submerged body [N·s/m²].
        flow: drag and added mass; None for none. The drag is multiplied by the submerged fraction of the section,
            which varies; the added mass, which may depend on the shape only, by the constant `added_share`.
        added_share: fraction of the added mass of a fully submerged section that a floating one has [-].
    """

    section_kind: ClassVar[type] = AbstractSection

    density: Float[Array, ""]
    gravity: Float[Array, ""]
    level: Float[Array, ""]
    roll_damping: Float[Array, ""]
    heave_damping: Float[Array, ""]
    flow: Morison | None
    added_share: Float[Array, ""]
    damped: bool = eqx.field(static=True)

    def __init__(
        self,
        density: Numbers = 1000.0,
        gravity: Numbers = 9.81,
        level: Numbers = 0.0,
        *,
        roll_damping: Numbers | None = None,
        heave_damping: Numbers | None = None,
        flow: Morison | None = None,
        added_share: Numbers = 0.5,
    ):
        self.density = positive("FreeSurface.density", density, "kg/m³", ())
        self.gravity = positive("FreeSurface.gravity", gravity, "m/s²", ())
        self.level = finite("FreeSurface.level", level, ())
        self.damped = roll_damping is not None or heave_damping is not None
        self.roll_damping = non_negative(
            "FreeSurface.roll_damping", 0.0 if roll_damping is None else roll_damping, "N·s", ()
        )
        self.heave_damping = non_negative(
            "FreeSurface.heave_damping", 0.0 if heave_damping is None else heave_damping, "N·s/m²", ()
        )
        if flow is not None and not isinstance(flow, Morison):
            raise ValueError(f"FreeSurface.flow = {flow!r}: must be a hydro.Morison or None")
        self.flow = flow
        self.added_share = within("FreeSurface.added_share", added_share, 0.0, 1.0)

    def acts_on(self, kind: type) -> bool:
        """Whether sections of a class have an outline, from which the wet part can be computed."""
        return issubclass(kind, EllipticSection | PolygonSection)

    def wet_part(self, section: EllipticSection | PolygonSection, place: Place) -> WetPart:
        """The submerged part of one placed section."""
        return wet_part(section, place.position[2] - self.level, place.rotation[2, 1:])

    def potential(self, section: EllipticSection | PolygonSection, place: Place) -> Float[Array, ""]:
        """Potential energy ρ g u per metre [J/m]."""
        return self.density * self.gravity * self.wet_part(section, place).potential

    def added_inertia(self, section: EllipticSection | PolygonSection) -> Float[Array, "6 6"]:
        """`added_share` times the added inertia of the flow model; zero without one [kg/m, kg·m]."""
        if self.flow is None:
            return jnp.zeros((6, 6))
        return self.added_share * self.flow.added_inertia(section)

    def terms(self, section: EllipticSection | PolygonSection, place: Place, twist: Float[Array, "6"]) -> Terms:
        """`buoyancy` and, if enabled, `damping`, `drag`, `added_mass`, per metre, section frame [N/m, N]."""
        wet = self.wet_part(section, place)
        up = place.rotation[2]
        lever = jnp.concatenate([jnp.zeros(1), wet.first_moments])
        weight = self.density * self.gravity
        terms = {"buoyancy": join(weight * wet.area * up, weight * cross(lever, up))}
        share = wet.area / section.area
        if self.damped:
            rise = jnp.dot(up, linear(twist))
            roll = jnp.zeros(3).at[0].set(-self.roll_damping * share * angular(twist)[0])
            terms["damping"] = join(-self.heave_damping * share * rise * up, roll)
        if self.flow is not None:
            flow = self.flow.terms(section, place, twist)
            terms |= {"drag": share * flow["drag"], "added_mass": self.added_share * flow["added_mass"]}
        return terms

    def nose_added_inertia(self, radius: Float[Array, ""]) -> Float[Array, "6 6"]:
        """Zero: this model has no nose."""
        return jnp.zeros((6, 6))

    def nose_terms(self, radius: Float[Array, ""], place: Place, twist: Float[Array, "6"]) -> Terms:
        """Empty: this model has no nose."""
        return {}
