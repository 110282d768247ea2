"""Cross-sections: the abstract interface and the elliptic section with semi-axes b along t2 and c along t3.

The quantities from which drag and added mass are computed are properties of the interface. By default they follow from
b and c as for an ellipse; `hydro.GeneralSection` can override them.
"""

import abc

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from spatial import body_inertia, safe_sqrt
from spatial.printing import Printed


class AbstractSection(Printed):
    """One or many sections with an area; t1 is their normal. See `EllipticSection`, `GeneralSection` and `polygon`.

    Attributes:
        area: area [m²].
        b: half the width along t2 [m].
        c: half the height along t3 [m].
        perimeter: perimeter [m].
        lateral_width: width on which drag acts in motion along t2 [m].
        dorsal_width: width on which drag acts in motion along t3 [m].
        roll_drag: size on which drag acts in rotation about t1 [m⁴].
        lateral_mass: added mass along t2 per density of the water [m²].
        dorsal_mass: added mass along t3 per density of the water [m²].
        roll_mass: added inertia about t1 per density of the water [m⁴].
    """

    area: eqx.AbstractVar[Float[Array, "*batch"]]
    b: eqx.AbstractVar[Float[Array, "*batch"]]
    c: eqx.AbstractVar[Float[Array, "*batch"]]
    perimeter: eqx.AbstractVar[Float[Array, "*batch"]]
    lateral_width: eqx.AbstractVar[Float[Array, "*batch"]]
    dorsal_width: eqx.AbstractVar[Float[Array, "*batch"]]
    roll_drag: eqx.AbstractVar[Float[Array, "*batch"]]
    lateral_mass: eqx.AbstractVar[Float[Array, "*batch"]]
    dorsal_mass: eqx.AbstractVar[Float[Array, "*batch"]]
    roll_mass: eqx.AbstractVar[Float[Array, "*batch"]]

    @property
    @abc.abstractmethod
    def first_moments(self) -> Float[Array, "*batch 2"]:
        """Integrals of the coordinates along t2 and t3 over the section [m³]."""

    @property
    @abc.abstractmethod
    def second_moments(self) -> Float[Array, "*batch 3"]:
        """Second moments J1, J2, J3 of the area about t1, t2, t3 [m⁴]."""

    @property
    def true_perimeter(self) -> Float[Array, "*batch"]:
        """Perimeter without the approximation of [BPK06] [m]."""
        return self.perimeter

    @abc.abstractmethod
    def inertia(self, density: Float[Array, "*batch"]) -> Float[Array, "*batch 6 6"]:
        """Inertia per metre of the homogeneous section about its frame [kg/m, kg, kg·m]."""


class AbstractEllipseLike(AbstractSection):
    """Sections whose drag and added mass are those of an ellipse of the same width and height. [BPK06, IX.A]"""

    @property
    def lateral_width(self) -> Float[Array, "*batch"]:
        """Width on which drag acts in motion along t2: 2c [m]."""
        return 2.0 * self.c

    @property
    def dorsal_width(self) -> Float[Array, "*batch"]:
        """Width on which drag acts in motion along t3: 2b [m]."""
        return 2.0 * self.b

    @property
    def roll_drag(self) -> Float[Array, "*batch"]:
        """Size on which drag acts in rotation about t1: (b² - c²)² [m⁴]."""
        return (self.b**2 - self.c**2) ** 2

    @property
    def lateral_mass(self) -> Float[Array, "*batch"]:
        """Added mass along t2 per density of the water: πc² [m²]."""
        return jnp.pi * self.c**2

    @property
    def dorsal_mass(self) -> Float[Array, "*batch"]:
        """Added mass along t3 per density of the water: πb² [m²]."""
        return jnp.pi * self.b**2

    @property
    def roll_mass(self) -> Float[Array, "*batch"]:
        """Added inertia about t1 per density of the water: (π/8)(c² - b²)² [m⁴]."""
        return (jnp.pi / 8.0) * (self.c**2 - self.b**2) ** 2


class EllipticSection(AbstractEllipseLike):
    """One or many elliptic sections; t1 is their normal.

    Attributes:
        b: semi-axis along t2 [m].
        c: semi-axis along t3 [m].
    """

    b: Float[Array, "*batch"]
    c: Float[Array, "*batch"]

    def __init__(self, b: Float[Array, "*batch"], c: Float[Array, "*batch"]):
        self.b, self.c = b, c

    @property
    def area(self) -> Float[Array, "*batch"]:
        """Area [m²]."""
        return jnp.pi * self.b * self.c

    @property
    def first_moments(self) -> Float[Array, "*batch 2"]:
        """Zero: the origin of the frame is the centre [m³]."""
        return jnp.zeros((*self.b.shape, 2))

    @property
    def perimeter(self) -> Float[Array, "*batch"]:
        """Perimeter in the approximation of [BPK06], π (b + c) [m]; exact for a circle."""
        return jnp.pi * (self.b + self.c)

    @property
    def true_perimeter(self) -> Float[Array, "*batch"]:
        """Perimeter by Ramanujan's formula, within 0.4 % for any ellipse [m]."""
        square = (3.0 * self.b + self.c) * (self.b + 3.0 * self.c)
        return jnp.pi * (3.0 * (self.b + self.c) - safe_sqrt(square))

    @property
    def second_moments(self) -> Float[Array, "*batch 3"]:
        """Second moments J1, J2, J3 of the area about t1, t2, t3 [m⁴]."""
        J2 = jnp.pi * self.b * self.c**3 / 4.0
        J3 = jnp.pi * self.b**3 * self.c / 4.0
        return jnp.stack([J2 + J3, J2, J3], axis=-1)

    @property
    def torsion(self) -> Float[Array, "*batch"]:
        """Saint-Venant's torsion constant πb³c³/(b² + c²) [m⁴]."""
        square = self.b**2 + self.c**2
        return jnp.pi * (self.b * self.c) ** 3 / jnp.where(square > 0, square, 1.0)

    def contains(self, y: Float[Array, "*batch"], z: Float[Array, "*batch"]) -> Bool[Array, "*batch"]:
        """Whether points with coordinates y along t2 and z along t3 [m] lie inside, up to rounding."""
        return (y / self.b) ** 2 + (z / self.c) ** 2 <= 1.0 + 1e-9

    def inertia(self, density: Float[Array, "*batch"]) -> Float[Array, "*batch 6 6"]:
        """Inertia per metre of the homogeneous section, in its frame [kg/m, kg·m]. [BPK06, eq. (6)]"""
        return centred_inertia(density, self.area, self.second_moments)


def centred_inertia(
    density: Float[Array, "*batch"], area: Float[Array, "*batch"], second_moments: Float[Array, "*batch 3"]
) -> Float[Array, "*batch 6 6"]:
    """Inertia per metre of homogeneous sections whose centroids are on the axis, in principal axes [kg/m, kg·m].

    Args:
        density: density of the body [kg/m³].
        area: area of the section [m²].
        second_moments: second moments of the area about t1, t2, t3 [m⁴].
    """
    moments = density[..., None] * second_moments
    about_centre = moments[..., None] * jnp.eye(3, dtype=moments.dtype)[(None,) * (moments.ndim - 1)]
    return body_inertia(density * area, jnp.zeros_like(moments), about_centre)
