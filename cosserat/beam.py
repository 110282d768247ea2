"""The body: a beam of elliptic sections, its profile, density, nose and point masses."""

import html
import itertools
from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from hydro import BodySection, Profile, eel_profile, uniform_profile
from hydro.profile_drawing import profile_drawing
from spatial import Numbers, non_negative
from spatial.checks import integer, sequence
from spatial.printing import Printed, value_text

from .density import Density, density_along
from .load_cuts import Cuts, load_cuts, segment_panels
from .plausible_bodies import warn_of_units
from .point_masses import PointMasses, point_masses

_LOAD_PANELS = 18  # panels of eight Gauss nodes; drag is then accurate to 1e-6, see `cosserat.quadrature`


class Beam(Printed):
    """A continuous body whose strains are imposed.

    >>> import anguilla, cosserat, hydro
    >>> profile = hydro.Profile((0.0, 1.0), (hydro.Taper((0.0, 1.0), b=(0.03, 0.01), c=(0.05, 0.02)),))
    >>> beam = cosserat.Beam(profile, density=1000.0)
    >>> float(beam.length), round(float(cosserat.mass(beam)), 2)
    (1.0, 2.36)

    Attributes:
        profile: the elliptic section along the body.
        density: density of the body, a number or a function of X [kg/m³].
        nose_radius: radius of the nose, which the fluid loads as a point [m]; zero for none.
        load_panels: number of equal panels of the fast space path on each piece of the profile.
        load_cuts: for each segment, the boundaries in (0, 1) of the panels that replace equal ones; empty for equal
            panels. Unless `load_panels` is given, panels are halved where they would miss part of the profile, such as
            a narrow fin.
        masses: point masses, such as motors and batteries; None for none.

    Example:
        >>> import cosserat, hydro
        >>> profile = hydro.uniform_profile(0.5, 0.015, 0.02)
        >>> beam = cosserat.Beam(profile, density=lambda X: 900.0 + 200.0 * X, masses=[(0.1, 0.05), (0.3, 0.05)])
        >>> print(beam)
        Beam(0.5 m, 0.5477 kg, 1 piece, 950 kg/m³ on average, 2 point masses, 0.1 kg together)
    """

    profile: Profile
    density: Density
    nose_radius: Float[Array, ""]
    load_panels: tuple[int, ...] = eqx.field(static=True)
    load_cuts: Cuts = eqx.field(static=True)
    masses: PointMasses | None

    def __init__(
        self,
        profile: Profile,
        density: Numbers | Density | tuple[Numbers, Numbers] = 1000.0,
        nose_radius: Numbers = 0.0,
        load_panels: tuple[int, ...] | None = None,
        masses: PointMasses | Sequence[Any] = (),
    ):
        """Takes the density as a number, a function of X, or a table: the pair (X, density) [m, kg/m³].

        Args:
            profile: the elliptic section along the body; it gets a break at each mass.
            density: density of the body [kg/m³].
            nose_radius: radius of the nose [m].
            load_panels: panels of the fast space path on each piece of the profile; in proportion to the lengths of the
                pieces when None.
            masses: tuples (X, kg), (X, kg, inertia) or (X, kg, inertia, centre), see `PointMass` [m, kg, kg·m², m].
        """
        if not isinstance(profile, Profile):
            raise ValueError(f"Beam.profile = {profile!r}: must be a hydro.Profile")
        self.density = density_along(density, profile.length)
        self.masses = point_masses(masses, profile.length)
        if self.masses is not None and not isinstance(profile.breaks, Tracer) and not isinstance(self.masses.X, Tracer):
            # The internal wrench jumps at each mass, so panels and steps must end there.
            profile, load_panels = cut_profile(profile, load_panels, np.asarray(self.masses.X))
        self.profile = profile
        warn_of_units(profile, self.masses)
        self.nose_radius = non_negative("Beam.nose_radius", nose_radius, "m", ())
        counts = f"{len(profile.pieces)} positive integers, one for each piece of the profile"
        given = _panel_counts(profile) if load_panels is None else sequence("Beam.load_panels", load_panels, counts)
        if len(given) != len(profile.pieces):
            raise ValueError(f"Beam.load_panels = {load_panels!r}: must be {counts}")
        self.load_panels = tuple(integer(f"Beam.load_panels[{k}]", n, 1) for k, n in enumerate(given))
        even = ((),) * len(segment_panels(self.load_panels))
        self.load_cuts = load_cuts(profile, self.load_panels) if load_panels is None else even

    def __str__(self) -> str:
        from .energy import mass, volume  # imported here because `energy` imports this module

        parts = self.profile.pieces  # a break at a mass divides a piece into two that are the same object
        count = 1 + sum(one is not two for one, two in itertools.pairwise(parts))
        pieces = f"{count} piece{'s' if count > 1 else ''}"
        total, loads = mass(self), 0.0 if self.masses is None else jnp.sum(self.masses.mass)
        density = f"{value_text(self.density)} kg/m³"
        if callable(self.density):
            density = f"{value_text((total - loads) / volume(self))} kg/m³ on average"
        inside = ""
        if self.masses is not None:
            count = self.masses.X.shape[0]
            what = f"1 point mass of {value_text(loads)} kg"
            inside = ", " + (what if count == 1 else f"{count} point masses, {value_text(loads)} kg together")
        return f"Beam({value_text(self.length)} m, {value_text(total)} kg, {pieces}, {density}{inside})"

    def _repr_html_(self) -> str:
        """The text of `str` with a side view of the profile, for notebooks."""
        return f"<b>{html.escape(str(self))}</b><br>{profile_drawing(self.profile)}"

    @property
    def length(self) -> Float[Array, ""]:
        """Length L at rest [m]."""
        return self.profile.length

    def density_at(self, X: Float[Array, ""]) -> Float[Array, ""]:
        """Density at the abscissa X [kg/m³]."""
        return jnp.asarray(self.density(X), float) if callable(self.density) else self.density

    def section_inertia(self, section: BodySection, X: Float[Array, ""]) -> Float[Array, "6 6"]:
        """Inertia per metre of the section at X, in its frame [kg/m, kg·m]."""
        return section.inertia(self.density_at(X))


def _panel_counts(profile: Profile) -> tuple[int, ...]:
    """Panels in proportion to the length of each piece; uniform if the lengths are traced."""
    pieces = len(profile.pieces)
    if isinstance(profile.breaks, Tracer):
        return (-(-_LOAD_PANELS // pieces),) * pieces
    breaks = np.asarray(profile.breaks)
    return tuple(max(1, int(np.ceil(n))) for n in _LOAD_PANELS * np.diff(breaks) / (breaks[-1] - breaks[0]))


def cut_profile(
    profile: Profile, load_panels: tuple[int, ...] | None, abscissae: Sequence[float] | np.ndarray
) -> tuple[Profile, tuple[int, ...] | None]:
    """A profile with breaks at given abscissae [m], and its panels, divided in proportion.

    Abscissae that are already breaks or ends are skipped.

    Args:
        profile: the sections; its breaks must be concrete numbers.
        load_panels: panels on each piece, or None.
        abscissae: abscissae of the new breaks [m].
    """
    breaks = np.asarray(profile.breaks)
    slack = 1e-9 * breaks[-1]
    new = np.unique([x for x in abscissae if np.abs(x - breaks).min() > slack])
    new = new[np.diff(new, prepend=-np.inf) > slack]
    if not len(new):
        return profile, load_panels
    cut = profile.cut(new)
    if load_panels is None or len(load_panels) != len(profile.pieces):
        return cut, load_panels
    ends = np.asarray(cut.breaks)
    owner = np.searchsorted(breaks, ends[:-1] + slack, side="right") - 1
    share = np.diff(ends) / np.diff(breaks)[owner]
    return cut, tuple(int(np.ceil(load_panels[k] * part - 1e-9)) for k, part in zip(owner, share, strict=True))


def eel(
    radius: Numbers = 0.075,
    shoulder: Numbers = 0.296,
    tail: Numbers = 1.95,
    tail_b: Numbers = 0.025,
    tail_c: Numbers = 0.05,
    length: Numbers = 2.0,
    density: Numbers | Density | tuple[Numbers, Numbers] = 1000.0,
    masses: Sequence[Any] = (),
) -> Beam:
    """The eel of [BPK06, IX.A]: 2 m, 21.7 kg, neutrally buoyant in water.

    >>> import anguilla, cosserat
    >>> beam = cosserat.eel()
    >>> float(beam.length), round(float(cosserat.mass(beam)), 1)
    (2.0, 21.7)

    Args:
        radius: see `hydro.eel_profile`; also the radius of the nose.
        shoulder: see `hydro.eel_profile`.
        tail: see `hydro.eel_profile`.
        tail_b: see `hydro.eel_profile`.
        tail_c: see `hydro.eel_profile`.
        length: length of the body [m].
        density: density of the body, see `Beam` [kg/m³].
        masses: point masses, see `Beam`.
    """
    profile = eel_profile(radius, shoulder, tail, tail_b, tail_c, length)
    return Beam(profile, density, nose_radius=radius, load_panels=(1, 2, 15, 1), masses=masses)


def rod(
    length: Numbers,
    b: Numbers,
    c: Numbers,
    density: Numbers | Density | tuple[Numbers, Numbers] = 1000.0,
    nose_radius: Numbers = 0.0,
    masses: Sequence[Any] = (),
) -> Beam:
    """A uniform body of elliptic section.

    >>> import anguilla, cosserat
    >>> round(float(cosserat.mass(cosserat.rod(1.0, 0.03, 0.05))), 3)
    4.712

    Args:
        length: length [m].
        b: semi-axis along t2 [m].
        c: semi-axis along t3 [m].
        density: density of the body, see `Beam` [kg/m³].
        nose_radius: radius of the nose [m].
        masses: point masses, see `Beam`.
    """
    return Beam(uniform_profile(length, b, c), density, nose_radius, masses=masses)
