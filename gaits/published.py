"""The four gaits of [BPK06, IX.B-D], each a few words of the vocabulary."""

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
        begin: begin of the start from rest [s].
        end: end of the start [s].
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
    """Turning in the plane: a constant curvature is added to the wave. [BPK06, IX.C]

    Args:
        offset: K3 offset [1/m]; the paper does not give it.
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
    """From one depth to another: K2 bends up and back, then down and back. [BPK06, IX.D]

    Args:
        offset: greatest K2 [1/m]; the paper does not give it.
        times: t1..t6 [s]; the paper does not give them.
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
    """A plunging spiral: constant curvatures about both axes are added to the wave. [BPK06, IX.D]

    Args:
        offset2: K2 offset [1/m].
        offset3: K3 offset [1/m].
        amplitude: as in `planar`.
        wavelength: as in `planar`.
        period: as in `planar`.
        begin: as in `planar`.
        end: as in `planar`.
    """
    start = Start(begin, end)
    return universal(start * offset2, start * (TravellingWave(amplitude, wavelength, period) + offset3))


class _Published(dict):
    """Gaits by name."""

    def __missing__(self, name):
        raise ValueError(f"gait = {name!r}: must be one of {', '.join(self)}")


# The published gaits by name, for menus and command lines.
PUBLISHED = _Published(planar=planar, turn=turn, dive=dive, spiral=spiral)
