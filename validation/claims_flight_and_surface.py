"""Claims of [PBB13] (the moth) and [XHLB23] (NATRIX), and their verdicts."""

import jax
import jax.numpy as jnp
import numpy as np

import multibody as mb
from anguilla import robots

from .published import CANNOT, CORRECTED, FITTED, NOT_TESTED, REPRODUCED, Claim


def _weight() -> str:
    tree = robots.moth.model()
    wings = len(tree.passive_freedoms) // 2
    return f"{1e3 * float(mb.mass(tree)):.2f} g, {len(tree.names)} frames, 1 driven and {wings} passive joints a wing"


def _snake() -> str:
    tree = robots.natrix.model()
    place = jax.jit(mb.configuration)(tree, jnp.zeros(14))
    bodies = sum(name != "pan" for name in tree.names)
    last = float(np.asarray(place.position)[8, 0])
    return (
        f"{bodies} bodies, {len(tree.joint_names)} joints, last module at {last:.3f} m, {float(mb.mass(tree)):.2f} kg"
    )


_MOTH, _AIR, _NATRIX = "tests/test_moth.py", "tests/test_moth_air.py", "tests/test_natrix.py"
_FIGURES = f"{_MOTH}::test_default_reading_gives_the_known_figures"
_NONE = "no reading of the paper gives all its numbers; the four of READINGS are printed by python -m validation.moth"

CLAIMS = (
    Claim("a thorax and two wings of four sections", "[PBB13, IV.A, Table I]", "M = 4, N = 17, l = 1.75 mm", _weight,
          f"{_AIR}::test_the_moth_of_table_1", CORRECTED,
          "l = S/M = 17.5 mm; wing roots lie along a, not s; 8 or 9 joints per wing, depending on the interpretation"),
    Claim("lift and drag of a blade", "[PBB13, IV.B]", "directions u and v, C_L |sin 2α|, C_D",
          "as written with angles and unit vectors, to 1e-12; lift does no work",
          f"{_AIR}::test_loads_are_those_of_the_angles", CORRECTED,
          "directions of lift and drag are printed exchanged, and u without its norm"),
    Claim("added mass of a section", "[PBB13, IV.B]", "ρπc² w⊗w", "ρ(π/4)c² w⊗w; its convective part does no work",
          f"{_AIR}::test_carried_air_does_no_work_and_wind_is_motion", CORRECTED,
          "that of a plate has the 1/4; the printed 6x6 matrix is not symmetric; as printed: reading TB8m"),
    Claim("hybrid algorithm: torques where motion is imposed, motion where torques are", "[PBB13, III]", "qualitative",
          "motor work equals drag and damper losses of a stroke to 1e-6",
          f"{_MOTH}::test_hover_repeats_carries_its_weight_and_spends_what_it_loses", REPRODUCED, "-"),
    Claim("initial conditions give a periodic hover", "[PBB13, IV.C]", "qualitative",
          "repeats to 1e-10, mean vertical force equals the weight to 1e-8",
          f"{_MOTH}::test_hover_repeats_carries_its_weight_and_spends_what_it_loses", REPRODUCED,
          "the conditions are not published: they and the amplitude are found by Newton's method"),
    Claim("amplitude of the stroke", "[PBB13, Table I]", "41.3°", "42.4°", _FIGURES, REPRODUCED,
          "ours is the one that hovers; within 3 %"),
    Claim("motion of the thorax", "[PBB13, IV.C]", "±2 mm, ±0.5 mm", "±2.78 mm, ±0.33 mm", _FIGURES, CANNOT, _NONE),
    Claim("pitch of the thorax", "[PBB13, IV.C]", "±7°", "±6.4°", _FIGURES, REPRODUCED, "-"),
    Claim("twist of the wing tip and its lag", "[PBB13, IV.C]", "±79°, 58°", "±55°, 76°", _FIGURES,
          CANNOT, f"{_NONE}; a twist greatest at zero stroke, as the text says, lags by 90°, not 58°"),
    Claim("bend of the wing tip and its lag", "[PBB13, IV.C]", "±68°, 36°", "±58°, 70°", _FIGURES,
          CANNOT, _NONE),
    Claim("greatest stroke torque", "[PBB13, IV.C]", "12.1 mN·m", "15.5 mN·m", _FIGURES, CANNOT, _NONE),
    Claim("mean power", "[PBB13, IV.C]", "0.42 W a wing, 120 W/kg", "0.745 W a wing, 204 W/kg",
          _FIGURES, CANNOT,
          "with the published kinematics and drag any wing takes 0.9 W or more: the numbers do not fit together"),
    Claim("vertical force greatest when the wings are aligned with the thorax", "[PBB13, IV.C, Figure 8]",
          "qualitative", "greatest while the stroke angle is below half its amplitude",
          f"{_MOTH}::test_figures_film_and_words", REPRODUCED,
          "drawn as moth_forces.png"),
    Claim("the force peaks after stroke reversal", "[PBB13, IV.C]", "qualitative",
          "greatest a third of a half-stroke or more away from either reversal",
          f"{_MOTH}::test_figures_film_and_words", CANNOT,
          "the claim contradicts the one above: the wings pass the thorax in the middle of a half-stroke"),
    Claim("one stroke in 17 s", "[PBB13, IV.C]", "17 s (MATLAB, 2.66 GHz laptop)",
          "not compared; python -m tests.benchmarks --only moth measures ours", "-", NOT_TESTED,
          "a time of MATLAB on a laptop of 2013 is no property of the model: no result of ours could contradict it"),
    Claim("14 bodies, 1.24 m", "[XHLB23, II, Table I]", "nine serial bodies and shells", _snake,
          f"{_NATRIX}::test_table_one", CORRECTED,
          "eight serial bodies add up to 1.24 m; q2 pitches only with α = 0 and +90° in rows 2 and 3"),
    Claim("head acceleration by the recursion of a tree", "[XHLB23, eqs. (3)-(16)]", "M, M_q, β",
          "equal to the reduced momentum equations to 1e-10", f"{_NATRIX}::test_reduced_dynamics_are_newton_euler",
          CORRECTED, "(3) needs q̈; β_j lacks M_j; sums end at 7; F_shell has the sign of (8), not of the text"),
    Claim("energy of a frozen shape that rocks for 10 s", "[XHLB23, V.A, Figure 4]", "1 % lost",
          "{natrix_energy:.0e}, RK4 1 ms",
          "natrix_energy", REPRODUCED,
          "buoyancy is an exact gradient here, which conserves energy better than a quadrature"),
    Claim("period of rocking about an equilibrium", "[XHLB23, V.A]", "about 15 oscillations in 10 s",
          "{natrix_rocking:.2f} Hz", "natrix_energy", FITTED, "masses and sections are calibrated, not published"),
    Claim("centre of mass in free bending (17)", "[XHLB23, V.A, Figure 5]", "1e-4 m", "below 1e-9 m",
          f"{_NATRIX}::test_centre_of_mass_in_free_bending", REPRODUCED, "the integration restarts where q̈ jumps"),
    Claim("capsizing at Q = 0.25 rad", "[XHLB23, V.B, Figure 6]", "1.33 to 1.41 Hz",
          "some of 16 initial rolls capsize at 1.39 Hz, none at 1.0 Hz: two frequencies, not the edges of a band",
          f"{_NATRIX}::test_capsizing_band", FITTED,
          "the position of the band is calibrated; its edge depends irregularly on the initial roll"),
    Claim("resonance of the roll at 1.5 to 2 Hz", "[XHLB23, V]", "1.5 to 2 Hz",
          "{natrix_rocking:.2f} Hz, about the equilibrium of a wave",
          "natrix_energy", FITTED,
          "masses and roll inertia are calibrated, so that a frequency of roll is no evidence"),
    Claim("time to compute one second", "[XHLB23, V]", "1.23 s on a laptop, with buoyancy",
          "not compared; python -m tests.benchmarks --only natrix measures ours", "-", NOT_TESTED,
          "a time on an unnamed laptop is no property of the model: no result of ours could contradict it"),
    Claim("nonlinear response far from the band, beats beside it", "[XHLB23, V.B]", "qualitative",
          "no beat and no capsizing at 1.0 Hz, both at 1.39 Hz", f"{_NATRIX}::test_capsizing_band", REPRODUCED, "-"),
    Claim("the band moves to higher frequencies with Q", "[XHLB23, V.B, Figure 6 right]", "qualitative",
          "of 8 initial rolls some capsize at 1.2 Hz with Q = 0.2 rad, at 1.55 Hz with 0.3 rad, none the other way",
          f"{_NATRIX}::test_the_band_moves_up_with_the_amplitude", REPRODUCED, "found on a map in steps of 0.05 Hz"),
)  # fmt: skip
