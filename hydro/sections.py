"""Cross-sections: the abstract interface and the elliptic section with semi-axes b along t2 and c along t3."""

import abc

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import body_inertia


class AbstractSection(eqx.Module):
    """One or many sections with an area; t1 is their normal. See `EllipticSection` and `polygon`.

    They also have `b` and `c`, half the width along t2 and half the height along t3 [m].
    """

    @property
    @abc.abstractmethod
    def area(self) -> Float[Array, "*batch"]:
        """Area [m²]."""

    @property
    @abc.abstractmethod
    def first_moments(self) -> Float[Array, "*batch 2"]:
        """Integrals of the coordinates along t2 and t3 over the section [m³]."""

    @property
    @abc.abstractmethod
    def perimeter(self) -> Float[Array, "*batch"]:
        """Perimeter [m]."""

    @property
    def true_perimeter(self) -> Float[Array, "*batch"]:
        """Perimeter without the eel paper's approximation [m]."""
        return self.perimeter

    @abc.abstractmethod
    def inertia(self, density: Float[Array, "*batch"]) -> Float[Array, "*batch 6 6"]:
        """Inertia per metre of the homogeneous section about its frame [kg/m, kg, kg·m]."""


class EllipticSection(AbstractSection):
    """One or many elliptic sections; t1 is their normal.

    Attributes:
        b: semi-axis along t2 [m].
        c: semi-axis along t3 [m].
    """

    b: Float[Array, "*batch"]
    c: Float[Array, "*batch"]

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
        """Perimeter in the eel paper's approximation, π (b + c) [m]; exact for a circle."""
        return jnp.pi * (self.b + self.c)

    @property
    def true_perimeter(self) -> Float[Array, "*batch"]:
        """Perimeter by Ramanujan's formula, within 0.4 % for any ellipse [m]."""
        square = (3.0 * self.b + self.c) * (self.b + 3.0 * self.c)
        root = jnp.where(square > 0, jnp.sqrt(jnp.where(square > 0, square, 1.0)), 0.0)
        return jnp.pi * (3.0 * (self.b + self.c) - root)

    @property
    def second_moments(self) -> Float[Array, "*batch 3"]:
        """Second moments J1, J2, J3 of the area about t1, t2, t3 [m⁴]."""
        J2 = jnp.pi * self.b * self.c**3 / 4.0
        J3 = jnp.pi * self.b**3 * self.c / 4.0
        return jnp.stack([J2 + J3, J2, J3], axis=-1)

    def inertia(self, density: Float[Array, "*batch"]) -> Float[Array, "*batch 6 6"]:
        """Inertia per metre of the homogeneous section, in its frame [kg/m, kg·m]. [BPK06, eq. (6)]"""
        moments = density[..., None] * self.second_moments
        about_centre = moments[..., None] * jnp.eye(3, dtype=moments.dtype)[(None,) * (moments.ndim - 1)]
        return body_inertia(density * self.area, jnp.zeros_like(moments), about_centre)
