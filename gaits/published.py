"""The four gaits of [BPK06, IX.B-D]."""

from spatial import Numbers
from spatial.checks import finite

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

    >>> import anguilla, gaits
    >>> gait = gaits.planar(wavelength=1.2, period=0.8)
    >>> gait(0.0, 3.0).round(3)  # strain (Γ, K) at the nose after 3 s
    Array([1., 0., 0., 0., 0., 1.], dtype=float64)

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

    >>> import anguilla, gaits
    >>> round(float(gaits.turn(offset=0.3)(0.0, 1.0)[5]), 3)  # K3 at the nose at the end of the start
    0.3

    Args:
        offset: constant part of K3 [1/m]; not given in the paper.
        amplitude: as in `planar`.
        wavelength: as in `planar`.
        period: as in `planar`.
        begin: as in `planar`.
        end: as in `planar`.
    """
    wave = TravellingWave(amplitude, wavelength, period) + finite("offset", offset, ())
    return planar_bending(Start(begin, end) * wave)


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

    >>> import anguilla, gaits
    >>> round(float(gaits.dive(offset=0.3)(0.0, 3.0)[4]), 3)  # K2 at the nose at t2 = 3 s
    0.3

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
    return universal(
        pitch * finite("offset", offset, ()), Start(begin, end) * TravellingWave(amplitude, wavelength, period)
    )


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

    >>> import anguilla, gaits
    >>> gaits.spiral(offset2=0.2, offset3=0.3)(0.0, 1.0)[4:].round(3)  # K2, K3 at the nose
    Array([0.2, 0.3], dtype=float64)

    Args:
        offset2: constant part of K2 [1/m].
        offset3: constant part of K3 [1/m].
        amplitude: as in `planar`.
        wavelength: as in `planar`.
        period: as in `planar`.
        begin: as in `planar`.
        end: as in `planar`.
    """
    start, wave = Start(begin, end), TravellingWave(amplitude, wavelength, period)
    return universal(start * finite("offset2", offset2, ()), start * (wave + finite("offset3", offset3, ())))


class _Published(dict):
    """Mapping of gaits by name."""

    def __missing__(self, name):
        raise ValueError(f"gait = {name!r}: must be one of {', '.join(self)}")


# Published gaits by name, for menus and command lines.
PUBLISHED = _Published(planar=planar, turn=turn, dive=dive, spiral=spiral)
