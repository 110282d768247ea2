"""Claims of [KR13] (trees) and [CHA08] (the vertebra) that the code covers, and their verdicts."""

import jax
import numpy as np

import multibody as mb
from anguilla import robots
from anguilla.robots import vertebra

from .published import CANNOT, CORRECTED, FITTED, REPRODUCED, Claim


def _reach() -> str:
    eel = robots.eel.model()
    tip = np.asarray(jax.jit(mb.configuration)(eel, eel.neutral()).position[-1])
    return f"{len(eel.kinds)} joints, {sum('frame' not in name for name in eel.names)} bodies, tip at {tip[0]:.2f} m"


def _home() -> str:
    wrists = vertebra.parallel_axes(), vertebra.orthogonal_axes(), vertebra.prototype()
    kappa = [vertebra.condition_number(wrist, vertebra.posture(wrist, wrist.home_rotation)) for wrist in wrists]
    return "condition numbers at home " + ", ".join(f"{float(k):.4f}" for k in kappa)


_EEL, _TREE = "tests/test_multibody_eel.py", "tests/test_multibody_motion.py"
_KINEMATICS, _WORKSPACE = "tests/test_vertebra_kinematics.py", "tests/test_vertebra_workspace.py"

CLAIMS = (
    Claim("Table 1: 13 links, 36 joints, 2.08 m", "[KR13, VI, Table 1]", "12 spherical joints as 36 revolutes", _reach,
          f"{_EEL}::test_table_1_stretches_to_the_published_length", CORRECTED,
          "offsets of rows 2 and 4 are -π/2 and +π/2: as printed the chain folds back to -1.0 m"),
    Claim("centrifugal term of the link acceleration", "[KR13, eq. (22)]", "ω_i × (ω_j × P_j)",
          "momentum kept to {tree_momentum_in_vacuum:.0e}", "tree_momentum_in_vacuum", CORRECTED,
          "ω_i × (ω_i × P_j): as printed it errs by 2 to 20 %"),
    Claim("composite inertia and wrench", "[KR13, eqs. (25)-(27)]", "signs and starting values of the recursion",
          "inverse then direct dynamics agree to {tree_inverse_then_direct:.0e}", "tree_inverse_then_direct", CORRECTED,
          "I^c dV_j - β^c_j; starts from the link's own I and β; dV_0 = (I^c)⁻¹ β^c"),
    Claim("joint acceleration term", "[KR13, eq. (8)]", "q̇_j a_j",
          "inverse then direct dynamics agree to {tree_inverse_then_direct:.0e}",
          "tree_inverse_then_direct", CORRECTED, "q̈_j a_j"),
    Claim("added mass as a constant part of the links' inertia", "[KR13, eq. (42)]", "inertia only",
          "power identity to {tree_power_identity:.0e}", "tree_power_identity", CORRECTED,
          "also ∫m_a [ω×(ω×P)]_n in β; the rigid gyroscopic term must not use the augmented inertia"),
    Claim("joint angles from the backbone curve", "[KR13, eq. (44)]", "headings at link ends",
          "order {chain_order_in_water:.2f} against the beam", "chain_order_in_water", CORRECTED,
          "exponential of the strain between link centres; as printed q ≡ 0, and read at link ends it is first order"),
    Claim("friction, rotor inertia and springs in the torque", "[KR13, eq. (31)]", "sum of terms",
          "sum of terms, to 1e-12", f"{_TREE}::test_friction_damping_and_rotor_enter_the_torque", REPRODUCED, "-"),
    Claim("inverse dynamics give the base acceleration beside the torques", "[KR13, V]", "qualitative",
          "torques give back the accelerations to {tree_inverse_then_direct:.0e}", "tree_inverse_then_direct",
          REPRODUCED, "-"),
    Claim("straight trajectory with a small transverse oscillation", "[KR13, VI.A]", "qualitative",
          "sideways drift below 5 % of the way", f"{_EEL}::test_it_swims_straight_and_forward", REPRODUCED, "-"),
    Claim("about 30 s to reach the final speed", "[KR13, VI.A]", "30 s",
          "after 30 s it still gains more than 2 % in 4 s", f"{_EEL}::test_it_swims_straight_and_forward", CANNOT,
          "below 2 % it would count as final; the curve is not available, masses are reconstructed"),
    Claim("secondary motions of the head: pitch, roll and heave", "[KR13, VI]", "curves without values",
          "heave below 1e-9 m", f"{_EEL}::test_it_swims_straight_and_forward", CANNOT,
          "law and reconstructed masses are symmetric about the plane of the swim, so that the body stays in it; what "
          "made the published head leave it is not published"),
    Claim("torques within the actuators' limits", "[KR13, VI.A]", "±4 N·m, ±0.7 N·m",
          "10 to 20 % more at the start, up to 10 % more after 10 s", f"{_EEL}::test_torques_against_the_actuators",
          CANNOT, "masses and the start are not published"),
    Claim("closed loops: torques of the active joints", "[KR13, IV]", "Γ_c = Γ_a + Wᵀ Γ_p", "equal to the Lagrangian's",
          "tests/test_multibody_loops.py::test_inverse_dynamics_is_the_lagrangian", REPRODUCED, "-"),
    Claim("rowing boat: drive ratio", "[KR13, VII.D]", "40 % drive is faster than 50 %",
          "faster at 40 %", "tests/test_rower.py::test_mean_speeds", REPRODUCED,
          "the order alone: L_e = 1.80 m is fitted to the published 4.28 m/s; hull, rigging and curves are "
          "reconstructed"),
    Claim("rowing boat: mean speed at 50 % drive", "[KR13, VII.D]", "4.03 m/s",
          "more than 10 % slower, with the curves of 40 % stretched",
          "tests/test_rower.py::test_mean_speeds", CANNOT,
          "the curves of Figure 10 are not available; steeper oars come closer (`anguilla robot rower`)"),
    Claim("rowing boat: one loop of legs, seat and boat, two joints of it passive", "[KR13, VII.A, Table 2]",
          "μ_j = 0 at the passive joints", "loop closed to 1e-10 over two strokes",
          "tests/test_rower.py::test_loop_stays_closed_and_oars_turn_where_they_should", CORRECTED,
          "row 7 is the cut joint on the seat, row 8 its frame on the trunk"),
    Claim("rowing boat: hydrostatic load of the hull", "[KR13, eqs. (46)-(48)]", "R G η, indices {3, 5, 6}",
          "slope of the energy ½ηᵀGη, to {restoring_of_a_hull:.0e}", "restoring_of_a_hull", CORRECTED,
          "the minus is missing; indices {3, 4, 5}; (48) is in the order (φ, θ, ψ)"),
    Claim("rowing boat: memory of the waves as states", "[KR13, eqs. (49)-(51)]", "states for a convolution",
          "step response equal to that of the convolution; stable and passive",
          "tests/test_hydro_hull.py::test_states_answer_a_step_as_the_convolution_does", REPRODUCED,
          "hull and boundary-element code are not theirs: a reconstruction, computed by capytaine"),
    Claim("rowing boat: smooth periodic curves of degree 3", "[KR13, VII.C, Figure 10]", "periodic B-splines",
          "as scipy's, two derivatives", "tests/test_rower.py::test_spline_is_scipys_and_periodic",
          REPRODUCED, "-"),
    Claim("rowing boat: 27 strokes a minute, oars turn at 0.89 s and 1.11 s", "[KR13, VII.D]", "period 22 s",
          "oars turn at 0.89 s and 1.11 s",
          "tests/test_rower.py::test_loop_stays_closed_and_oars_turn_where_they_should", CORRECTED,
          "60/27 s = 2.22 s: the decimal point is missing in print"),
    Claim("rowing boat: the first motion follows the measured boat", "[KR13, VII.D, Figure 11]", "4.29 m/s on water",
          "{rower_speed:.2f} m/s", "rower_energy", FITTED,
          "by the choice of L_e; the measured curve within a stroke is not available"),
    Claim("ten vertebrae of 100 mm on 1500 mm", "[CHA08, section 4]", "10 vertebrae", "the planar gait is feasible",
          "tests/test_vertebra_actuation.py::test_feasibility_of_the_planar_gait", REPRODUCED,
          "with the cone of 35°; gain up to 1.96"),
    Claim("inverse kinematics in closed form", "[CHA08]", "four solutions: two roots for each of two legs",
          "figures to 1e-10, every branch closes", f"{_KINEMATICS}::test_inverse_figures", REPRODUCED, "-"),
    Claim("direct kinematics in closed form", "[CHA08]", "φ and ψ from the motor angles", "figures to 1e-10",
          f"{_KINEMATICS}::test_direct_figures", CORRECTED,
          "the printed selectors do not distinguish the branches; the signs of r1·z″ and r2·z_m do"),
    Claim("velocity equation A ω = B θ̇", "[CHA08, eq. (7)]", "third row (0 0 1), B3 = 1",
          "equal to the derivative of the inverse kinematics",
          f"{_KINEMATICS}::test_jacobian_is_the_derivative_of_the_inverse_kinematics", CORRECTED,
          "sign of (7); third row z″ᵀ and B3 = cos φ: the printed ones hold at φ = 0 only"),
    Claim("isotropic configurations", "[CHA08]", "two designs isotropic, the prototype only in A", _home,
          f"{_KINEMATICS}::test_home", CORRECTED,
          "for the orthogonal axes A_i = (0, 0, -1): the printed A_i = O contradicts its own conditions"),
    Claim("θ̇ = (1, 1, 0) gives ω_x", "[CHA08]", "√2 for the first design, the motors' own for the last", "√2, √2, 1",
          f"{_KINEMATICS}::test_home", REPRODUCED, "-"),
    Claim("ranges of the first two motors", "[CHA08]", "[-17°, 38°]", "[-17°, 38°]", f"{_WORKSPACE}::test_ranges",
          FITTED, "limd = 0.2067 and a cone of 35° are chosen to give it"),
    Claim("torsion and third motor", "[CHA08]", "±18°, ±35°", "±30.5°, ±31°",
          f"{_WORKSPACE}::test_published_ranges_clash_whatever_the_limits", CANNOT,
          "the three published ranges are incompatible for any limits"),
    Claim("cross-sections are symmetric for opposite torsions", "[CHA08, Figure 19]", "ψ = ±18°", "mirror images in x",
          f"{_WORKSPACE}::test_cross_sections_mirror_each_other", REPRODUCED, "-"),
)  # fmt: skip
