"""The four gaits of [BPK06, IX.B-D]."""

from spatial import Numbers

from .envelopes import Ramps, Start
from .laws import TravellingWave
from .strain import Strain, planar_bending, universal

AMPLITUDE = (1.0, -0.75, 1.0)  # α1, α2, α3 of α(X) = α1 X² + α2 X + α3 [1/m³, 1/m², 1/m]


def planar(
    amplitude: Numbers = AMPLITUDE,
    wavelength: Numbers = 1.0,
    period: Numbers = 1.0,
    begin: Numbers = 0.0,
    end: Numbers = 1.0,
) -> Strain:
    """Forward swimming in the plane: K3 = h0(t) α(X) sin 2π(X/λ - t/T). [BPK06, eqs. (67)-(69)]

    Args:
        amplitude: coefficients of α(X), highest power of X [m] first [1/m].
        wavelength: λ [m].
        period: T [s].
        begin: time at which the start from rest begins [s].
        end: time at which the start ends [s].
    """
    return planar_bending(Start(begin, end) * TravellingWave(amplitude, wavelength, period))


def turn(
    offset: Numbers = 0.5,
    amplitude: Numbers = AMPLITUDE,
    wavelength: Numbers = 1.0,
    period: Numbers = 1.0,
    begin: Numbers = 0.0,
    end: Numbers = 1.0,
) -> Strain:
    """Turning in the plane: the wave plus a constant curvature. [BPK06, IX.C]

    Args:
        offset: constant part of K3 [1/m]; not given in the paper.
        amplitude: as in `planar`.
        wavelength: as in `planar`.
        period: as in `planar`.
        begin: as in `planar`.
        end: as in `planar`.
    """
    return planar_bending(Start(begin, end) * (TravellingWave(amplitude, wavelength, period) + offset))


def dive(
    offset: Numbers = 0.5,
    times: Numbers = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0),
    amplitude: Numbers = AMPLITUDE,
    wavelength: Numbers = 1.0,
    period: Numbers = 1.0,
    begin: Numbers = 0.0,
    end: Numbers = 1.0,
) -> Strain:
    """Change of depth: K2 bends up and back, then down and back. [BPK06, IX.D]

    Args:
        offset: maximum of K2 [1/m]; not given in the paper.
        times: t1..t6 [s]; not given in the paper.
        amplitude: as in `planar`.
        wavelength: as in `planar`.
        period: as in `planar`.
        begin: as in `planar`.
        end: as in `planar`.
    """
    pitch = Ramps(times, (0.0, 1.0, 0.0, 0.0, -1.0, 0.0))
    return universal(pitch * offset, Start(begin, end) * TravellingWave(amplitude, wavelength, period))


def spiral(
    offset2: Numbers = 0.5,
    offset3: Numbers = 0.5,
    amplitude: Numbers = AMPLITUDE,
    wavelength: Numbers = 1.0,
    period: Numbers = 1.0,
    begin: Numbers = 0.0,
    end: Numbers = 1.0,
) -> Strain:
    """Descending spiral: the wave plus constant curvatures about both axes. [BPK06, IX.D]

    Args:
        offset2: constant part of K2 [1/m].
        offset3: constant part of K3 [1/m].
        amplitude: as in `planar`.
        wavelength: as in `planar`.
        period: as in `planar`.
        begin: as in `planar`.
        end: as in `planar`.
    """
    start = Start(begin, end)
    return universal(start * offset2, start * (TravellingWave(amplitude, wavelength, period) + offset3))


class _Published(dict):
    """Mapping of gaits by name."""

    def __missing__(self, name):
        raise ValueError(f"gait = {name!r}: must be one of {', '.join(self)}")


# Published gaits by name, for menus and command lines.
PUBLISHED = _Published(planar=planar, turn=turn, dive=dive, spiral=spiral)
