"""Locates the kinks of the drag along a swimming body: with panels that end there, quadrature stays accurate."""

import numpy as np
from jaxtyping import Float

import cosserat
from gaits import Strain
from hydro import Void

STATIONS = 401  # stations between which at most one change of sign is detected
KINKED = (0, 3)  # |V1| V1 and |Ω1| Ω1; the lateral velocity does not vanish in general
PANELS = 40  # over the body, at least three per piece


def kinks(
    beam: cosserat.Beam, gait: Strain, state: cosserat.HeadState, t: float, path: cosserat.Panels
) -> Float[np.ndarray, "kinks"]:
    """Abscissae where a velocity that enters the drag with its modulus changes sign [m]."""

    def twists(X: np.ndarray) -> np.ndarray:
        return np.asarray(cosserat.internal_wrench(beam, gait, Void(), state, t, path, X).twist)

    even = np.linspace(0.0, float(beam.length), STATIONS)
    found = []
    for component in KINKED:
        values = twists(even)[:, component]
        for k in np.flatnonzero(values[:-1] * values[1:] < 0.0):
            X, ends = even[k : k + 2], values[k : k + 2]
            for _ in range(2):  # each pass refines four hundred times
                close = np.linspace(X[0], X[1], STATIONS)
                near = twists(close)[:, component]
                first = np.flatnonzero(near[:-1] * near[1:] <= 0.0)[0]
                X, ends = close[first : first + 2], near[first : first + 2]
            found.append(X[0] - ends[0] * (X[1] - X[0]) / (ends[1] - ends[0]))
    return np.sort(found)


def cut_at_kinks(
    beam: cosserat.Beam, gait: Strain, state: cosserat.HeadState, t: float, path: cosserat.Panels
) -> cosserat.Beam:
    """The same beam with fine load panels that end where the drag has kinks at this instant."""
    profile = beam.profile.cut(kinks(beam, gait, state, t, path))
    widths = np.diff(np.asarray(profile.breaks)) / float(beam.length)
    panels = tuple(max(3, int(np.ceil(PANELS * width))) for width in widths)
    return cosserat.Beam(profile, beam.density, beam.nose_radius, panels, beam.masses or ())
