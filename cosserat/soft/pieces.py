"""Ends of the free pieces of a soft beam, and the breaks of the grids at the ends of pieces and actuators."""

from collections.abc import Iterable, Sequence

import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool, Float

from ..beam import Beam, cut_profile
from .strain_basis import FreeStrains

Ends = tuple[tuple[float, float], ...]


def inside(x: Float[Array, ""], begin: float, end: float) -> Bool[Array, ""]:
    """Whether a fraction of the length lies in a piece; where two pieces meet it belongs to the second."""
    return (x >= begin) & ((x < end) | (end == 1.0))


def piece_ends(piece: FreeStrains, beam: Beam) -> tuple[float, float]:
    """Both ends of a piece as fractions of the length."""
    if piece.start == 0.0 and piece.stop is None:
        return 0.0, 1.0
    if isinstance(beam.profile.breaks, Tracer):
        raise ValueError(
            "Soft: the length of the body is being traced, and a piece begins or ends inside it: build the soft beam "
            "outside of the traced function, and change its arrays there with equinox.tree_at"
        )
    length = float(np.asarray(beam.profile.breaks)[-1])  # concrete, even inside another traced program
    stop = length if piece.stop is None else piece.stop
    if piece.start >= length or stop > length * (1 + 1e-12):
        raise ValueError(
            f"FreeStrains: from {piece.start:g} to {stop:g} m: must lie on the body, from 0 to {length:g} m"
        )
    end = 1.0 if abs(stop / length - 1.0) < 1e-12 else stop / length
    return piece.start / length, end


def check_overlap(pieces: tuple[FreeStrains, ...], ends: Ends) -> None:
    """Rejects pieces that overlap in the same strain; ends as fractions of the length."""
    for k, (one, (begin, end)) in enumerate(zip(pieces, ends, strict=True)):
        for other, (begin2, end2) in zip(pieces[k + 1 :], ends[k + 1 :], strict=True):
            both = {name for name, _ in one.modes} & {name for name, _ in other.modes}
            if both and min(end, end2) > max(begin, begin2) + 1e-12:
                raise ValueError(
                    f"Soft.pieces: {', '.join(sorted(both))} is free twice between {max(begin, begin2):.4g} and "
                    f"{min(end, end2):.4g} of the length: give each stretch of a strain to one piece"
                )


def merged(places: Iterable[float]) -> tuple[float, ...]:
    """Sorted fractions of the length from 0 to 1, without duplicates up to round-off."""
    out = [0.0]
    for x in sorted(places):
        if x - out[-1] > 1e-9:
            out.append(x)
    out[-1] = 1.0
    return tuple(out)


def cut_beam(beam: Beam, knots: Sequence[float], places: Sequence[float]) -> Beam:
    """The beam with a break of its profile at each knot (a fraction of its length) and at other abscissae [m].

    The stiffness of the modes is integrated over the load panels, which must end where a mode jumps or has a kink. The
    new pieces keep the load panels of the beam, or get halved ones of their own where the beam had such panels.
    """
    if isinstance(beam.profile.breaks, Tracer):
        if places:
            raise ValueError(
                "Soft: the length of the body is being traced, and an actuator begins or ends inside it: build the "
                "soft beam outside of the traced function, and change its arrays there with equinox.tree_at"
            )
        return beam
    length = float(np.asarray(beam.profile.breaks)[-1])
    for X in places:
        if not 0.0 <= X <= length * (1 + 1e-12):
            raise ValueError(f"Soft.actuators: one ends at X = {X:g} m: must lie on the body, from 0 to {length:g} m")
    parts = [*knots, *(X / length for X in places)]
    places = [length * x for x in merged([*parts, 0.0, 1.0])[1:-1]]
    panels = None if any(beam.load_cuts) else beam.load_panels
    profile, panels = cut_profile(beam.profile, panels, places)
    return beam if profile is beam.profile else Beam(profile, beam.density, beam.nose_radius, panels, beam.masses or ())
