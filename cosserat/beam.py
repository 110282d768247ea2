"""The body: a beam of elliptic sections, its profile, density and nose."""

import html

import equinox as eqx
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from hydro import EllipticSection, Profile, eel_profile, uniform_profile
from hydro.profile_drawing import profile_drawing
from spatial import Numbers, non_negative, positive
from spatial.printing import value_text

_LOAD_PANELS = 18  # of eight Gauss nodes: drag to 1e-6, see `space_paths.panels`


class Beam(eqx.Module):
    """A continuous body whose strains are imposed.

    >>> import anguilla, cosserat, hydro
    >>> profile = hydro.Profile((0.0, 1.0), (hydro.Taper((0.0, 1.0), b=(0.03, 0.01), c=(0.05, 0.02)),))
    >>> beam = cosserat.Beam(profile, density=1000.0)
    >>> float(beam.length), round(float(cosserat.mass(beam)), 2)
    (1.0, 2.36)

    Attributes:
        profile: the elliptic section along the body.
        density: density of the body [kg/m³].
        nose_radius: radius of the nose, on which the fluid also acts as on a point [m]; zero for none.
        load_panels: how many panels the fast space path lays on each piece of the profile.
    """

    profile: Profile
    density: Float[Array, ""]
    nose_radius: Float[Array, ""]
    load_panels: tuple[int, ...] = eqx.field(static=True)

    def __init__(
        self,
        profile: Profile,
        density: Numbers = 1000.0,
        nose_radius: Numbers = 0.0,
        load_panels: tuple[int, ...] | None = None,
    ):
        if not isinstance(profile, Profile):
            raise ValueError(f"Beam.profile = {profile!r}: must be a hydro.Profile")
        self.profile = profile
        self.density = positive("Beam.density", density, "kg/m³")
        self.nose_radius = non_negative("Beam.nose_radius", nose_radius, "m")
        self.load_panels = _spread(profile) if load_panels is None else tuple(load_panels)
        if len(self.load_panels) != len(profile.pieces) or any(
            not isinstance(n, int) or n < 1 for n in self.load_panels
        ):
            raise ValueError(
                f"Beam.load_panels = {load_panels!r}: must be {len(profile.pieces)} positive integers, "
                "one for each piece of the profile"
            )

    def __str__(self) -> str:
        from .energy import mass  # imports this module

        pieces = f"{len(self.profile.pieces)} piece{'s' if len(self.profile.pieces) > 1 else ''}"
        sizes = f"{value_text(self.length)} m, {value_text(mass(self))} kg"
        return f"Beam({sizes}, {pieces}, {value_text(self.density)} kg/m³)"

    def _repr_html_(self) -> str:
        """The same with a side view of the profile, for notebooks."""
        return f"<b>{html.escape(str(self))}</b><br>{profile_drawing(self.profile)}"

    @property
    def length(self) -> Float[Array, ""]:
        """Length L at rest [m]."""
        return self.profile.length

    def section_inertia(self, section: EllipticSection) -> Float[Array, "6 6"]:
        """Inertia per metre of one section, in its frame [kg/m, kg·m]."""
        return section.inertia(self.density)


def _spread(profile: Profile) -> tuple[int, ...]:
    """Panels in proportion to the length of each piece; evenly where the lengths are not known yet."""
    pieces = len(profile.pieces)
    if isinstance(profile.breaks, Tracer):
        return (-(-_LOAD_PANELS // pieces),) * pieces
    breaks = np.asarray(profile.breaks)
    return tuple(max(1, int(np.ceil(n))) for n in _LOAD_PANELS * np.diff(breaks) / (breaks[-1] - breaks[0]))


def eel(
    radius: Numbers = 0.075,
    shoulder: Numbers = 0.296,
    tail: Numbers = 1.95,
    tail_b: Numbers = 0.025,
    tail_c: Numbers = 0.05,
    length: Numbers = 2.0,
    density: Numbers = 1000.0,
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
        density: density of the body [kg/m³].
    """
    profile = eel_profile(radius, shoulder, tail, tail_b, tail_c, length)
    return Beam(profile, density, nose_radius=radius, load_panels=(1, 2, 15, 1))


def rod(length: Numbers, b: Numbers, c: Numbers, density: Numbers = 1000.0, nose_radius: Numbers = 0.0) -> Beam:
    """A uniform body of elliptic section.

    >>> import anguilla, cosserat
    >>> round(float(cosserat.mass(cosserat.rod(1.0, 0.03, 0.05))), 3)
    4.712

    Args:
        length: length [m].
        b: semi-axis along t2 [m].
        c: semi-axis along t3 [m].
        density: density of the body [kg/m³].
        nose_radius: radius of the nose [m].
    """
    return Beam(uniform_profile(length, b, c), density, nose_radius)
