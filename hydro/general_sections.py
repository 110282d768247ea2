"""Sections of any shape, given by their area, second moments, and reference values for drag and added mass.

The centroid lies on the axis of the body, and t2 and t3 are principal axes, as for an ellipse.
"""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool, Float

from spatial import Numbers, increasing, non_negative, positive
from spatial.checks import sequence
from spatial.tables import monotone

from .polygons import polygon
from .rectangles import rectangle_added_mass
from .sections import AbstractSection, EllipticSection, centred_inertia

_CENTRED = 1e-9  # largest distance of the centroid of an outline from the axis, relative to its size
_ROUNDING = 1e-6  # relative tolerance of the two inequalities between area, second moments and dimensions


class GeneralSection(AbstractSection):
    """One or many sections given by numbers. Values not given are those of an ellipse of the same width and height.

    >>> import anguilla, hydro
    >>> bar = hydro.GeneralSection(area=8e-4, second_moments=(1.067e-7, 2.667e-8), width=0.02, height=0.04)
    >>> round(float(bar.lateral_width), 3), round(float(bar.lateral_mass), 6)  # what drag and added mass act on
    (0.04, 0.001257)

    Attributes:
        area: area inside the outline; the density of the body is the mean density over this area [m²].
        J2: second moment of the area about t2, ∫z² dA [m⁴].
        J3: second moment of the area about t3, ∫y² dA [m⁴].
        b: half the width along t2 [m].
        c: half the height along t3 [m].
        perimeter: perimeter for skin friction [m].
        lateral_width: reference width of the drag for motion along t2 [m].
        dorsal_width: reference width of the drag for motion along t3 [m].
        roll_drag: reference value of the drag for rotation about t1 [m⁴].
        lateral_mass: added mass along t2 per density of the water [m²].
        dorsal_mass: added mass along t3 per density of the water [m²].
        roll_mass: added inertia about t1 per density of the water [m⁴].
        torsion: Saint-Venant's torsion constant, for elastic bodies [m⁴].
    """

    area: Float[Array, "*batch"]
    J2: Float[Array, "*batch"]
    J3: Float[Array, "*batch"]
    b: Float[Array, "*batch"]
    c: Float[Array, "*batch"]
    perimeter: Float[Array, "*batch"]
    lateral_width: Float[Array, "*batch"]
    dorsal_width: Float[Array, "*batch"]
    roll_drag: Float[Array, "*batch"]
    lateral_mass: Float[Array, "*batch"]
    dorsal_mass: Float[Array, "*batch"]
    roll_mass: Float[Array, "*batch"]
    torsion: Float[Array, "*batch"]

    def __init__(
        self,
        area: Numbers,
        second_moments: Sequence[Any] | Array | np.ndarray,
        width: Numbers,
        height: Numbers,
        *,
        perimeter: Numbers | None = None,
        lateral_width: Numbers | None = None,
        dorsal_width: Numbers | None = None,
        roll_drag: Numbers | None = None,
        lateral_mass: Numbers | None = None,
        dorsal_mass: Numbers | None = None,
        roll_mass: Numbers | None = None,
        torsion: Numbers | None = None,
    ):
        """Makes one section.

        Args:
            area: area inside the outline [m²].
            second_moments: (J2, J3) about t2 and t3 through the centroid: ∫z² dA and ∫y² dA [m⁴].
            width: width 2b along t2 [m].
            height: height 2c along t3 [m].
            perimeter: perimeter for skin friction; π(b + c), as in [BPK06], when None [m].
            lateral_width: reference width of the drag for motion along t2; the height when None [m].
            dorsal_width: reference width of the drag for motion along t3; the width when None [m].
            roll_drag: reference value of the drag for rotation about t1; (b² - c²)² when None [m⁴].
            lateral_mass: added mass along t2 per density of the water; πc² when None [m²].
            dorsal_mass: added mass along t3 per density of the water; πb² when None [m²].
            roll_mass: added inertia about t1 per density of the water; (π/8)(c² - b²)² when None [m⁴].
            torsion: torsion constant; Saint-Venant's estimate A⁴/(4π²(J2 + J3)), exact for an ellipse, when None [m⁴].
        """
        self.area = _size("area", area, "m²")
        pair = sequence("GeneralSection.second_moments", second_moments, "the pair (J2, J3) [m⁴]")
        if len(pair) != 2:
            raise ValueError(f"GeneralSection.second_moments has {len(pair)} entries: must be the pair (J2, J3) [m⁴]")
        self.J2, self.J3 = _size("second_moments[0]", pair[0], "m⁴"), _size("second_moments[1]", pair[1], "m⁴")
        self.b, self.c = 0.5 * _size("width", width, "m"), 0.5 * _size("height", height, "m")
        ellipse = EllipticSection(self.b, self.c)
        own = lambda name, value, unit: getattr(ellipse, name) if value is None else _size(name, value, unit)  # noqa: E731
        self.perimeter = own("perimeter", perimeter, "m")
        self.lateral_width = own("lateral_width", lateral_width, "m")
        self.dorsal_width = own("dorsal_width", dorsal_width, "m")
        self.roll_drag = own("roll_drag", roll_drag, "m⁴")
        self.lateral_mass = own("lateral_mass", lateral_mass, "m²")
        self.dorsal_mass = own("dorsal_mass", dorsal_mass, "m²")
        self.roll_mass = own("roll_mass", roll_mass, "m⁴")
        polar = self.J2 + self.J3
        estimate = self.area**4 / (4.0 * jnp.pi**2 * jnp.where(polar > 0, polar, 1.0))
        self.torsion = estimate if torsion is None else _size("torsion", torsion, "m⁴")
        _check_sizes("GeneralSection", self)

    @property
    def first_moments(self) -> Float[Array, "*batch 2"]:
        """Zero: the origin of the frame is the centroid [m³]."""
        return jnp.zeros((*self.area.shape, 2))

    @property
    def fullness(self) -> Float[Array, "*batch"]:
        """Area relative to width times height, for drawing [-]; π/4, as for an ellipse, if the section has no size."""
        box = 4.0 * self.b * self.c
        return jnp.where(box > 0, self.area / jnp.where(box > 0, box, 1.0), 0.25 * jnp.pi)

    @property
    def second_moments(self) -> Float[Array, "*batch 3"]:
        """Second moments J1, J2, J3 of the area about t1, t2, t3 [m⁴]."""
        return jnp.stack([self.J2 + self.J3, self.J2, self.J3], axis=-1)

    def contains(self, y: Float[Array, "*batch"], z: Float[Array, "*batch"]) -> Bool[Array, "*batch"]:
        """Whether points y along t2, z along t3 [m] lie in the bounding rectangle, because the outline is unknown."""
        return (jnp.abs(y) <= self.b * (1.0 + 1e-9)) & (jnp.abs(z) <= self.c * (1.0 + 1e-9))

    def inertia(self, density: Float[Array, "*batch"]) -> Float[Array, "*batch 6 6"]:
        """Inertia per metre of the homogeneous section, in its frame [kg/m, kg·m]."""
        return centred_inertia(density, self.area, self.second_moments)


BodySection = EllipticSection | GeneralSection  # sections of a `Profile`


def general(section: BodySection) -> GeneralSection:
    """The same section as a `GeneralSection`."""
    if isinstance(section, GeneralSection):
        return section
    names = ("lateral_width", "dorsal_width", "roll_drag", "lateral_mass", "dorsal_mass", "roll_mass", "torsion")
    own = {name: getattr(section, name) for name in ("perimeter", *names)}
    _, J2, J3 = section.second_moments
    return GeneralSection(section.area, (J2, J3), 2.0 * section.b, 2.0 * section.c, **own)


def rectangle_section(width: Numbers, height: Numbers, **water: Any) -> GeneralSection:
    """A rectangle: area, second moments, perimeter, torsion constant and added masses are its own.

    >>> import anguilla, hydro
    >>> bar = hydro.rectangle_section(0.02, 0.04)
    >>> float(bar.area), round(float(bar.J2 / bar.J3), 12)
    (0.0008, 4.0)
    >>> round(float(bar.lateral_mass / (3.14159265 * 0.02**2)), 2)  # over that of a plate of the same height
    1.36

    Args:
        width: width along t2 [m].
        height: height along t3 [m].
        **water: reference values for drag and added mass, see `GeneralSection`.
    """
    w, h = positive("width", width, "m", ()), positive("height", height, "m", ())
    own = {"perimeter": 2.0 * (w + h), "torsion": _rectangle_torsion(w, h)}
    own |= dict(zip(("lateral_mass", "dorsal_mass", "roll_mass"), rectangle_added_mass(w, h), strict=True))
    return GeneralSection(w * h, (w * h**3 / 12.0, w**3 * h / 12.0), w, h, **(own | water))


def outline_section(outline: Numbers, **water: Any) -> GeneralSection:
    """The section inside a polygon: area, second moments and perimeter are exact.

    >>> import anguilla, hydro
    >>> wedge = hydro.outline_section([(0.02, -0.01), (0.0, 0.02), (-0.02, -0.01), (0.02, -0.01)])  # a triangle
    >>> round(float(wedge.area), 6), round(float(wedge.J2), 12)
    (0.0006, 3e-08)

    Args:
        outline: points (y, z) along t2 and t3, counter-clockwise, with the first point repeated at the end [m].
        **water: reference values for drag and added mass, and the torsion constant, see `GeneralSection`.

    Raises:
        ValueError: the centroid is not on the axis, t2 and t3 are not principal axes, or the outline is not valid (see
            `polygon`).
    """
    shape = polygon(outline)
    inertia = shape.inertia(jnp.ones(()))
    if not isinstance(inertia, Tracer):
        centre, mixed = np.asarray(shape.first_moments / shape.area), float(inertia[4, 5])
        size = float(np.maximum(shape.b, shape.c))
        if np.any(np.abs(centre) > _CENTRED * size):
            raise ValueError(
                f"outline_section: the centroid is at ({centre[0]:.6g}, {centre[1]:.6g}) m: must be on the axis; "
                "subtract it from the points"
            )
        if abs(mixed) > _CENTRED * size**4:
            raise ValueError(
                f"outline_section: ∫yz dA = {-mixed:.3g} m⁴: must be zero; turn the outline to its principal axes"
            )
    _, J2, J3 = shape.second_moments
    return GeneralSection(
        shape.area, (J2, J3), 2.0 * shape.b, 2.0 * shape.c, **({"perimeter": shape.perimeter} | water)
    )


class SectionPiece(eqx.Module):
    """Smooth monotone interpolation of the values of given sections.

    Attributes:
        X: increasing abscissae [m].
        rows: the sections at these abscissae.
    """

    X: Float[Array, "rows"]
    rows: GeneralSection

    def __init__(self, X: Numbers, sections: Sequence[BodySection]):
        self.X = increasing("X", X, "m")
        given = sequence("sections", sections, "a sequence of sections, one for each X")
        if len(given) != self.X.shape[0] or len(given) < 2:
            raise ValueError(
                f"sections: {len(given)} given at {self.X.shape[0]} abscissae: must be as many, two or more"
            )
        for k, section in enumerate(given):
            if not isinstance(section, BodySection):
                raise ValueError(
                    f"sections[{k}] is a {type(section).__name__}: must be a hydro.GeneralSection or an "
                    "hydro.EllipticSection; hydro.outline_section takes a polygon"
                )
        self.rows = jax.tree.map(lambda *numbers: jnp.stack(numbers), *(general(section) for section in given))

    def __call__(self, X: Float[Array, ""]) -> GeneralSection:
        """The section at the abscissa X [m]."""
        return jax.tree.map(lambda numbers: monotone(X, self.X, numbers), self.rows)


def check_inside(name: str, section: GeneralSection) -> None:
    """Raises ValueError if sampled sections of a piece have zero size or inconsistent values."""
    for number in ("area", "J2", "J3", "b", "c"):
        positive(f"{name}: {number} inside the body", getattr(section, number))
    for number in ("perimeter", "lateral_width", "dorsal_width", "roll_drag", "lateral_mass", "dorsal_mass"):
        non_negative(f"{name}: {number}", getattr(section, number))
    non_negative(f"{name}: roll_mass", section.roll_mass)
    positive(f"{name}: torsion inside the body", section.torsion)
    _check_sizes(name, section)


def _check_sizes(name: str, section: GeneralSection) -> None:
    """Raises ValueError for values that no shape can have, often caused by mixed units; skips traced values."""
    numbers = (section.area, section.b, section.c, section.J2, section.J3)
    if any(isinstance(number, Tracer) for number in numbers):
        return
    area, b, c, J2, J3 = (np.asarray(number) for number in numbers)
    if np.any(area > 4.0 * b * c * (1.0 + _ROUNDING)):
        raise ValueError(f"{name}: area = {np.max(area):g}: must not exceed width times height [m²]")
    if np.any(J2 + J3 < area**2 / (2.0 * np.pi) * (1.0 - _ROUNDING)):
        raise ValueError(
            f"{name}: J2 + J3 = {np.min(J2 + J3):g}: must be at least area²/(2π), that of a disc of the same area [m⁴]"
        )


def _size(name: str, value: Numbers, unit: str) -> Array:
    """One non-negative number; a traced one is checked later, where a `Profile` samples its pieces."""
    if isinstance(value, Tracer):
        return jnp.asarray(value, float)
    return non_negative(f"GeneralSection.{name}", value, unit, ())


def _rectangle_torsion(w, h):
    """Saint-Venant's series for the torsion constant; its terms decrease as n⁻⁵."""
    long, short = jnp.maximum(w, h), jnp.minimum(w, h)
    n = np.arange(1.0, 60.0, 2.0)
    series = jnp.sum(jnp.tanh(n * np.pi * long / (2.0 * short)) / n**5)
    return long * short**3 * (1.0 / 3.0 - 64.0 / np.pi**5 * short / long * series)
