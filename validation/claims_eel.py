"""Claims of [BPK06], the continuous eel, and their verdicts."""

import numpy as np

import cosserat

from .lamb import lamb_added_inertia, slender_added_inertia
from .published import CANNOT, CORRECTED, FITTED, NOT_TESTED, REPRODUCED, Claim


def _mass() -> str:
    return f"{float(cosserat.mass(cosserat.eel())):.4f} kg"


def _length() -> str:
    return f"{float(cosserat.eel().length):g} m"


def _lamb() -> str:
    A, B, C = 1.0, 0.00625, 0.0125
    ratio = slender_added_inertia(A, B, C, 1.0)[1:] / lamb_added_inertia(A, B, C, 1.0)[1:]
    return f"within {100 * np.abs(ratio - 1).max():.2f} % at C/A = 1/80"


_SIGN = "the printed sign leaves a wrench at the tail; the right one follows from the contact law (13)"

CLAIMS = (
    Claim("total mass of the robot", "[BPK06, IX.A]", "21.7 kg", _mass, "mass_of_the_eel", FITTED,
          "the abscissae X2 and X3 are not printed: X2 = 0.296 m is chosen to give this mass"),
    Claim("total length", "[BPK06, IX.A]", "2 m", _length, "mass_of_the_eel", CORRECTED,
          "b and c are called axis lengths and used as semi-axes; X runs over [0, L], not [0, 1]"),
    Claim("five kinematics, from planar to six strains, are one beam", "[BPK06, II]", "Γ and K imposed at will",
          "all six strains in motion: momentum kept to {beam_momentum_in_vacuum:.0e}", "beam_momentum_in_vacuum",
          REPRODUCED,
          "(18)-(24) extended to stretch and shear rates"),
    Claim("momentum of the deforming body is kept", "[BPK06, VI]", "to 1e-6",
          "to {beam_momentum_in_vacuum:.0e} over 10 s, six strains",
          "beam_momentum_in_vacuum", REPRODUCED, "-"),
    Claim("lift and drag coefficients of the straight eel", "[BPK06, IV, Figure 2]", "C_d, C_l in closed form",
          "equal to {drag_of_the_straight_eel:.0e}", "drag_of_the_straight_eel", CORRECTED,
          "C_d is printed with a minus that would make it a thrust; the body must be turned, not the stream"),
    Claim("added inertia of an ellipsoid, slice by slice", "[BPK06, IV]", "m_a2 = 4ρπAC²/3 and four more",
          "equal to {ellipsoid_of_section_IV:.0e}", "ellipsoid_of_section_IV", REPRODUCED, "-"),
    Claim("these are the limit of a general ellipsoid", "[BPK06, IV]", "as B/A, C/A -> 0", _lamb, "lamb_limit",
          REPRODUCED, "second order times a logarithm: 1 % needs C/A below 1/35"),
    Claim("the sections model the reactive forces on which undulatory swimming is based", "[BPK06, IV]",
          "as in Lighthill's model",
          "thrust of small waves {lighthill_thrust_at_zero_speed:.5f} of ½ m_a <h_t²>, at U = 0",
          "lighthill_thrust_at_zero_speed", CANNOT,
          "only at zero speed: the term -½ m_a U² <h_x²> is absent, so that the mean thrust of (9) does not depend on "
          "U and the efficiency does not follow (1 + U/V)/2; Kirchhoff's form sheds no wake and gives no mean reactive "
          "thrust at all"),
    Claim("drag opposes the motion; friction along the body is included", "[BPK06, eqs. (9), (14)]", "signs of (14)",
          "power of drag never positive", "tests/test_hydro.py::test_drag_never_feeds_the_body", REPRODUCED, "-"),
    Claim("velocities and accelerations along the body", "[BPK06, eqs. (25), (26)]", "r = r_o + r_e with R(0) = 1",
          "accelerations equal to {reference_acceleration:.0e}", "reference_acceleration", CORRECTED,
          "r = r_o + R_o r_e: as printed 350 N remain at the tail"),
    Claim("head dynamics: inertia and forces of the fluid", "[BPK06, eqs. (34), (38)]", "f_e - f_ea",
          "m + m_a2 = {straight_lateral_inertia:.3f} kg", "straight_lateral_inertia", CORRECTED,
          f"f_e + f_ea: {_SIGN} (91 N)"),
    Claim("principle of virtual work", "[BPK06, eq. (41)]", "δ∫L = ∫δW",
          "power identity to {power_identity_paper:.0e} W",
          "power_identity_paper", CORRECTED, "δ∫L + ∫δW = 0: as printed 38 N remain at the tail"),
    Claim("balance of linear momentum of a section", "[BPK06, eqs. (42), (63)]", "ρA - c_lm",
          "n along the body to {reference_internal_force:.0e}", "reference_internal_force", CORRECTED,
          f"ρA + c_lm: {_SIGN} (33 N)"),
    Claim("balance of angular momentum of a section", "[BPK06, eqs. (42), (64)]", "ρI - c_am",
          "M along the body to {reference_internal_moment:.0e}", "reference_internal_moment", CORRECTED,
          "ρI + c_am: as printed 8e-3 N·m remain at the tail, invisible on a plot"),
    Claim("boundary condition at the head", "[BPK06, eq. (44)]", "n(0) = f_d + c_m a_o",
          "n along the body to {reference_internal_force:.0e}",
          "reference_internal_force", CORRECTED, "f_d - c_m a_o: as printed 0.07 N remain at the tail"),
    Claim("the tail condition is a verification test", "[BPK06, VIII.B, remark]", "n(L) = M(L) = 0",
          "{tail_condition_spiral:.0e} N, N·m in the spiral", "tail_condition_spiral", CORRECTED,
          "with all the corrected signs; it does not detect ρ - c in all equations, which also gives zero"),
    Claim("state of the first space loop", "[BPK06, eqs. (58), (60)]", "F'_e(0); vect(I) of 6 components",
          "accelerations to {reference_acceleration:.0e}", "reference_acceleration", CORRECTED,
          "F_e(0) = 0; vect(I) has 21 components"),
    Claim("the algorithm gives motion and torques from the deformation", "[BPK06, VIII]", "two space loops per step",
          "fast path, three states, n and M included: {reference_fast_path:.0e}", "reference_fast_path", REPRODUCED,
          "-"),
    Claim("forward or backward integration of the wrenches is equivalent", "[BPK06, VIII.B, remark]", "qualitative",
          "from the head they end at {tail_condition_planar:.0e} N, N·m", "tail_condition_planar", REPRODUCED, "-"),
    Claim("the start is smooth from rest", "[BPK06, eq. (68)]", "τ - sin(τ)/2π",
          "momentum kept through the start to {beam_momentum_in_vacuum:.0e}",
          "beam_momentum_in_vacuum", CORRECTED, "sin(2πτ): as printed value and velocity jump at the end"),
    Claim("axial drag coefficient", "[BPK06, IX.A]", "½ρC1π(b+c)/2", "½ρC1π(b+c)", "circular_cable", CORRECTED,
          "the Appendix's perimeter; half of it gives a steady speed of 0.482 m/s, the whole 0.404 m/s"),
    Claim("planar propulsion", "[BPK06, IX.B, Figures 4, 5]", "forward swimming from rest; curves without figures",
          "{speed_planar:.4f} m/s over 9-10 s, head at ({planar_x:.3f}, {planar_y:.3f}, {planar_z:.3f}) m",
          "speed_planar", REPRODUCED,
          "the values of the curves are not available; equal to an independent integration"),
    Claim("the coefficients are those of Re ≈ 1e5, a velocity of about 1 m/s", "[BPK06, IX.A]", "C1..C7",
          "{speed_planar:.2f} m/s: Re ≈ {planar_reynolds:.0e} on the diameter of 15 cm", "speed_planar", CANNOT,
          "the printed gait swims at half of that Reynolds number; the coefficients themselves are from handbooks"),
    Claim("turning in the plane by a constant curvature", "[BPK06, IX.C, Figure 6]", "it turns",
          "head turned by {turn_yaw:.0f}° in 10 s", "speed_turn", REPRODUCED,
          "K3,of is not printed: 0.5 1/m"),
    Claim("submergence from one depth to another", "[BPK06, IX.D, Figure 7]", "it changes depth and levels off",
          "head {dive_depth:.2f} m lower at 10 s", "speed_dive", REPRODUCED,
          "t1..t6 and K2,of are not printed: 2..7 s, 0.5 1/m"),
    Claim("plunging spiral", "[BPK06, IX.D, Figure 8]", "K2,of = K3,of = 0.5: turns and plunges",
          "head at ({spiral_x:.3f}, {spiral_y:.3f}, {spiral_z:.3f}) m, rolled by {spiral_roll:.0f}°", "speed_spiral",
          REPRODUCED, "-"),
    Claim("control torque at X = 1 m", "[BPK06, IX.D, Figure 9]", "curves without values", "peak |M3| = 2.74 N·m",
          "tests/test_cosserat_reference.py::test_figures_of_the_four_gaits", REPRODUCED,
          "equal to an independent computation; the curve itself cannot be compared"),
    Claim("n(L) = M(L) = 0 at t = 10 s", "[BPK06, IX.D, Figure 10]", "zero on a plot",
          "{tail_condition_spiral:.0e} N, N·m",
          "tail_condition_spiral", CORRECTED, "at 5.6 s; with the corrected signs"),
    Claim("three-dimensional gaits by curvatures alone, without twist", "[BPK06, IX]", "K1 = 0 in all gaits",
          "the spiral leaves the plane by {spiral_depth:.2f} m", "speed_spiral", REPRODUCED, "-"),
    Claim("the model reduces to that of a circular cable", "[BPK06, Appendix]", "Burgess's cable exactly",
          "equal to round-off", "circular_cable", REPRODUCED, "C3 in the second term stands for C5"),
    Claim("centres of mass and buoyancy coincide, neutrally buoyant", "[BPK06, III.B]", "assumed",
          "weight and buoyancy change the head's acceleration by less than 1e-9 m/s², bent and rolled",
          "tests/test_buoyancy.py::test_the_published_eel_is_neutrally_buoyant_in_any_attitude", REPRODUCED,
          "of its density and sections; gravity and buoyancy may therefore be left out"),
    Claim("recursive and fast", "[BPK06, I]", "efficient and fast, no figure", "not compared", "-", NOT_TESTED,
          "no time is published to compare with"),
)  # fmt: skip
