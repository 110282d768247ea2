"""Cross-section as a function of X: pieces between breaks, smooth inside each piece."""

import html
from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from spatial import Numbers, finite, increasing, number, positive, safe_sqrt, shaped
from spatial.checks import sequence
from spatial.printing import Printed
from stepping import unstored_program

from .general_sections import BodySection, GeneralSection, SectionPiece, check_inside, general
from .sections import EllipticSection

Semiaxes = tuple[Float[Array, ""], Float[Array, ""]]
Piece = Callable[[Float[Array, ""]], Semiaxes | BodySection]


class Taper(Printed):
    """Semi-axes linear in X between two abscissae.

    Attributes:
        span: abscissae of the two ends [m].
        b: semi-axis along t2 at the two ends [m].
        c: semi-axis along t3 at the two ends [m].
    """

    span: Float[Array, "2"]
    b: Float[Array, "2"]
    c: Float[Array, "2"]

    def __init__(self, span: Numbers, b: Numbers, c: Numbers):
        self.span = increasing("Taper.span", span, "m")
        self.b = positive("Taper.b", b, "m", (2,))
        self.c = positive("Taper.c", c, "m", (2,))
        shaped("Taper.span", self.span, (2,))

    def __call__(self, X: Float[Array, ""]) -> Semiaxes:
        """Semi-axes (b, c) at the abscissa X [m]."""
        s = (X - self.span[0]) / (self.span[1] - self.span[0])
        return self.b[0] + s * (self.b[1] - self.b[0]), self.c[0] + s * (self.c[1] - self.c[0])


class Cap(Printed):
    """Half an ellipsoid that closes the body at the nose or the tail.

    Attributes:
        base: abscissa of the thick end [m].
        height: signed length from the thick end to the tip [m]; negative for a nose, whose tip has the smaller X.
        b: semi-axis along t2 at the base [m].
        c: semi-axis along t3 at the base [m].
    """

    base: Float[Array, ""]
    height: Float[Array, ""]
    b: Float[Array, ""]
    c: Float[Array, ""]

    def __init__(self, base: Numbers, height: Numbers, b: Numbers, c: Numbers):
        self.base = finite("Cap.base", base, ())
        self.height = finite("Cap.height", height, ())
        if not isinstance(self.height, Tracer) and float(self.height) == 0.0:
            raise ValueError("Cap.height = 0.0: must not be zero [m]; negative for a nose, positive for a tail")
        self.b = positive("Cap.b", b, "m", ())
        self.c = positive("Cap.c", c, "m", ())

    def __call__(self, X: Float[Array, ""]) -> Semiaxes:
        """Semi-axes (b, c) at the abscissa X [m]; zero at the tip, with a finite derivative there."""
        square = 1.0 - ((X - self.base) / self.height) ** 2
        scale = safe_sqrt(square)
        return self.b * scale, self.c * scale


@unstored_program
def _inside(piece, begin, end):
    """Samples of a piece between its ends, compiled as one program because eager operations are slow."""
    return jax.vmap(piece)(begin + (end - begin) * jnp.linspace(0.02, 0.98, 25))


def _concrete(x: Any) -> Any:
    """The array as a NumPy array unless it is traced, because JAX would compile a program for each operation."""
    return x if isinstance(x, Tracer) else np.asarray(x)


class Profile(Printed):
    """Cross-section along the body, in pieces.

    >>> import anguilla, hydro
    >>> nose = hydro.Cap(0.1, -0.1, 0.03, 0.05)
    >>> tail = hydro.Taper((0.1, 1.2), b=(0.03, 0.01), c=(0.05, 0.02))
    >>> profile = hydro.Profile((0.0, 0.1, 1.2), (nose, tail))
    >>> section = profile(0.65)
    >>> round(float(section.b), 3), round(float(section.c), 3)
    (0.02, 0.035)

    Attributes:
        breaks: abscissae where the pieces meet, from 0 at the nose to L at the tail [m].
        pieces: one callable per piece, any smooth function of the abscissa X -> (b, c), or X -> `GeneralSection` for
            sections that are not elliptic. At the nose or the tail a piece may vanish like a square root; inside the
            body the semi-axes must be positive.
        general: whether any piece has sections that are not elliptic; all sections are then `GeneralSection`.
    """

    breaks: Float[Array, "pieces_and_one"]
    pieces: tuple[Piece, ...]
    general: bool = eqx.field(static=True)

    def _repr_html_(self) -> str:
        """The text of `str` with the outline from above and from the side, for notebooks."""
        from .profile_drawing import profile_drawing  # imported here because it imports this module

        return f"{html.escape(str(self))}<br>{profile_drawing(self)}"

    def __init__(self, breaks: Numbers, pieces: tuple[Piece, ...]):
        self.breaks = increasing("Profile.breaks", breaks, "m")
        if callable(pieces):
            raise ValueError("Profile.pieces is one function: must be a tuple (piece,), one piece per interval")
        self.pieces = sequence("Profile.pieces", pieces, "a tuple of callables X -> (b, c), one per interval")
        if self.breaks.shape != (len(self.pieces) + 1,):
            raise ValueError(
                f"Profile: {len(self.pieces)} pieces need {len(self.pieces) + 1} breaks, {self.breaks.size} given"
            )
        ends = _concrete(self.breaks)
        if not isinstance(ends, Tracer) and ends[0] != 0.0:
            raise ValueError(f"Profile.breaks[0] = {ends[0]}: must be 0, the nose [m]")
        self.general = False
        for k, piece in enumerate(self.pieces):
            if not callable(piece):
                raise ValueError(f"Profile.pieces[{k}] = {piece!r}: must be a callable X -> (b, c)")
            try:
                pair = eqx.filter_eval_shape(piece, np.zeros(()))
                if not isinstance(pair, BodySection) and (not isinstance(pair, tuple) or len(pair) != 2):
                    raise ValueError(
                        f"Profile.pieces[{k}] returns {pair!r} at one X: must be the pair (b, c) [m], or a "
                        "hydro.GeneralSection"
                    )
                inside = _inside(piece, ends[k], ends[k + 1])
            except jax.errors.JAXTypeError as error:
                raise ValueError(
                    f"Profile.pieces[{k}] could not be evaluated at a traced X: write it with jax.numpy (jnp.sin, "
                    f"jnp.where), not with numpy, math or if: {str(error).splitlines()[0]}"
                ) from error
            if isinstance(inside, GeneralSection):
                self.general = True
                check_inside(f"Profile.pieces[{k}]", inside)
            else:
                section = _elliptic(inside)
                for name, values in (("b", section.b), ("c", section.c)):
                    positive(f"Profile.pieces[{k}]: semi-axis {name} inside the body", values, "m")

    @property
    def sections(self) -> tuple[Callable[[Float[Array, ""]], BodySection], ...]:
        """The pieces as callables X -> section, all returning the same class."""
        kind = _general if self.general else _elliptic
        return tuple(lambda X, piece=piece: kind(piece(X)) for piece in self.pieces)

    @property
    def length(self) -> Float[Array, ""]:
        """Length of the body L [m]."""
        return self.breaks[-1] if isinstance(self.breaks, Tracer) else jax.device_put(np.asarray(self.breaks)[-1, ...])

    @property
    def widest(self) -> Float[Array, ""] | np.floating:
        """Largest semi-axis (half width or half height) over 25 samples of each piece [m]."""
        ends = _concrete(self.breaks)
        each = [_inside(piece, ends[k], ends[k + 1]) for k, piece in enumerate(self.pieces)]
        pairs = [(found.b, found.c) if isinstance(found, BodySection) else found for found in each]
        semiaxes = [_concrete(semiaxis) for pair in pairs for semiaxis in pair]
        own = jnp if any(isinstance(part, Tracer) for part in semiaxes) else np
        return own.max(own.stack(semiaxes))

    def cut(self, abscissae: Numbers) -> "Profile":
        """Returns the same body with additional breaks, so that panels and steps along X end there.

        Args:
            abscissae: any number of abscissae, strictly inside the body and away from its breaks [m].
        """
        given = finite("abscissae", abscissae)
        if isinstance(given, Tracer) or isinstance(self.breaks, Tracer):
            raise TypeError("Profile.cut: abscissae and breaks determine the number of pieces: they must not be traced")
        at, own = np.sort(np.ravel(given)), np.asarray(self.breaks)
        if np.any((at <= 0) | (at >= own[-1]) | np.isin(at, own)):
            raise ValueError(f"Profile.cut: abscissae = {at}: must lie inside the body, off the breaks {own} [m]")
        breaks = np.sort(np.concatenate([own, at]))
        owner = np.searchsorted(own, breaks[:-1], side="right") - 1
        return Profile(breaks, tuple(self.pieces[int(k)] for k in owner))

    def __call__(self, X: Float[Array, ""]) -> BodySection:
        """The section at the abscissa X [m]."""
        X = jnp.asarray(X, float)
        if X.ndim != 0:
            raise ValueError(
                f"profile(X): X has shape {X.shape}: must be one number; for an array use jax.vmap(profile)(X)"
            )
        k = jnp.searchsorted(self.breaks, X, side="right", method="compare_all") - 1
        k = jnp.clip(k, 0, len(self.pieces) - 1)
        return jax.lax.switch(k, self.sections, X)


def _elliptic(found):
    return found if isinstance(found, EllipticSection) else EllipticSection(*found)


def _general(found):
    return general(found if isinstance(found, BodySection) else EllipticSection(*found))


def eel_profile(
    radius: Numbers = 0.075,
    shoulder: Numbers = 0.296,
    tail: Numbers = 1.95,
    tail_b: Numbers = 0.025,
    tail_c: Numbers = 0.05,
    length: Numbers = 2.0,
) -> Profile:
    """The prototype of [BPK06, Fig. 3]: hemisphere, cylinder, taper, half ellipsoid.

    The paper gives the overall dimensions and 21.7 kg; the abscissae are reconstructed from them.

    Args:
        radius: radius of the head and of the cylinder behind it [m].
        shoulder: abscissa where the taper begins [m].
        tail: abscissa where the half ellipsoid of the tail begins [m].
        tail_b: semi-axis along t2 there [m].
        tail_c: semi-axis along t3 there [m].
        length: length of the body [m].
    """
    radius = positive("radius", radius, "m", ())
    shoulder, tail, length = number("shoulder", shoulder), number("tail", tail), number("length", length)
    tail_b, tail_c = positive("tail_b", tail_b, "m", ()), positive("tail_c", tail_c, "m", ())
    increasing("(radius, shoulder, tail, length)", [radius, shoulder, tail, length], "m")
    return Profile(
        [0.0, radius, shoulder, tail, length],
        (
            Cap(radius, -_concrete(radius), radius, radius),
            Taper([radius, shoulder], [radius, radius], [radius, radius]),
            Taper([shoulder, tail], [radius, tail_b], [radius, tail_c]),
            Cap(tail, _concrete(length) - _concrete(tail), tail_b, tail_c),
        ),
    )


def uniform_profile(length: Numbers, b: Numbers, c: Numbers) -> Profile:
    """A cylinder of elliptic section with flat ends.

    Args:
        length: length [m].
        b: semi-axis along t2 [m].
        c: semi-axis along t3 [m].
    """
    span = [0.0, positive("length", length, "m", ())]
    b, c = positive("b", b, "m", ()), positive("c", c, "m", ())
    return Profile(span, (Taper(span, [b, b], [c, c]),))


def section_profile(X: Numbers, sections: Sequence[BodySection]) -> Profile:
    """A profile through given sections of any shape, with smooth monotone interpolation of each of their values.

    >>> import anguilla, cosserat, hydro
    >>> bar = hydro.rectangle_section(0.02, 0.04)
    >>> beam = cosserat.Beam(hydro.section_profile([0.0, 0.5], [bar, bar]))  # a prism of 0.5 m
    >>> print(beam)
    Beam(0.5 m, 0.4 kg, 1 piece, 1000 kg/m³)

    Args:
        X: increasing abscissae from 0 at the nose to L at the tail [m].
        sections: a `GeneralSection` or `EllipticSection` at each abscissa.
    """
    piece = SectionPiece(X, sections)
    ends = jnp.stack([piece.X[0], piece.X[-1]]) if isinstance(piece.X, Tracer) else np.asarray(piece.X)[[0, -1]]
    return Profile(ends, (piece,))
