"""Animals over a range of speeds: the wake of Tytell's eels, and a lamprey over Reynolds numbers."""

import numpy as np

from .curve import Curves, CurveSwimmer, Panel, rises, trend, value
from .others import LAMPREY, LAMPREY_VISCOSITIES, TYTELL
from .swimmer import Figure
from .swimming import swim
from .water import CHOSEN_RULE

LENGTH = 0.2  # of the eels [m]
DENSITY, VISCOSITY = 1000.0, 1.0e-6  # of the water [kg/m³, m²/s]
BEATS = (1.5, 2.5, 4.0, 6.0)  # frequencies of the tail [Hz], for speeds from 0.5 to about 2 lengths per second
_TYTELL = "E. D. Tytell, The hydrodynamics of eel swimming II. Effect of swimming speed, J. Exp. Biol. 207, 2004"
EXPONENT = Figure(1.48, "", _TYTELL + ", abstract")


def eels_over_speed() -> Curves:
    """Power shed into the wake by freely swimming eels, with the same motion at every frequency."""
    rows = [swim(TYTELL, CHOSEN_RULE, VISCOSITY / (beat * LENGTH**2)) for beat in BEATS]
    beat, speed = np.asarray(BEATS), np.asarray([row.speed for row in rows]) * np.asarray(BEATS)  # [1/s, L/s]
    power = np.asarray([row.wake_power for row in rows]) * DENSITY * LENGTH**5 * beat**3  # [W]
    cost = power / (speed * LENGTH)  # [J/m]
    exponent = float(np.polyfit(np.log(speed), np.log(cost), 1)[0])
    return Curves(
        "tytell-speeds",
        (
            Panel("speed [lengths a second]", "power shed into the wake [mW]", tuple(speed), tuple(1e3 * power)),
            Panel("speed [lengths a second]", "tail beats [Hz]", tuple(speed), BEATS),
        ),
        (
            value("the cost of producing the wake grows as a power of the speed", exponent, EXPONENT),
            trend(
                "the tail beats faster at higher speed",
                f"{BEATS[0]:g} to {BEATS[-1]:g} Hz for {speed[0]:.2f} to {speed[-1]:.2f} lengths a second",
                rises(list(speed)),
            ),
        ),
    )


def lamprey_over_reynolds() -> Curves:
    """Strouhal number of free swimming for decreasing viscosity."""
    rows = [swim(LAMPREY, CHOSEN_RULE, viscosity) for viscosity in LAMPREY_VISCOSITIES]
    reynolds, strouhal = [row.reynolds for row in rows], [row.strouhal for row in rows]
    found = ", ".join(f"{st:.2f} at Re {re:.0f}" for st, re in zip(strouhal, reynolds, strict=True))
    return Curves(
        "lamprey",
        (Panel("Reynolds number", "Strouhal number of free swimming", tuple(reynolds), tuple(strouhal)),),
        (
            trend(
                "the Strouhal number of free swimming falls as the Reynolds number rises",
                found,
                rises([-st for st in strouhal]),
            ),
        ),
    )


TYTELL_SPEEDS = CurveSwimmer(
    name="tytell-speeds",
    title="American eels at 0.5 to 2 lengths a second",
    source=_TYTELL + ": abstract for the exponent 1.48 of the wake's cost",
    chosen="body and motion of `tytell-eel` at every speed (the paper's amplitudes at each speed are not at hand), a "
    "length of 0.2 m, and the tail beats that give these speeds",
    compute=eels_over_speed,
)
LAMPREY_TREND = CurveSwimmer(
    name="lamprey",
    title=LAMPREY.title,
    source=LAMPREY.source,
    chosen=LAMPREY.chosen,
    compute=lamprey_over_reynolds,
)
