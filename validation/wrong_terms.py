"""Wrong terms of the engines and fluids that a check must detect: misprints of the papers, and typical slips."""

from typing import NamedTuple


class Mutant(NamedTuple):
    """A wrong term.

    Attributes:
        name: name of the mutant.
        where: the equation that prints it, or a description.
        file: file to change.
        old: text that occurs there exactly once.
        new: replacement text.
        checks: checks that must detect it.
    """

    name: str
    where: str
    file: str
    old: str
    new: str
    checks: tuple[str, ...]


MUTANTS = (
    Mutant(
        "added_wrench_of_the_head", "[BPK06] (34), (38): f_e - f_ea", "cosserat/nested.py",
        "coriolis=lever @ (inertia @ rates", "coriolis=lever @ ((s.inertia_w - added) @ rates",
        ("tail_condition_six_strains",),
    ),
    Mutant(
        "added_wrench_of_the_head_fast", "[BPK06] (34), (38), in the fast path", "cosserat/panel_loops.py",
        "gyroscopic - apply(inertia, motion.twist_rate)",
        "gyroscopic - apply(body.inertia - body.added, motion.twist_rate)",
        ("reference_fast_path",),
    ),
    Mutant(
        "added_mass_of_a_section", "[BPK06] (42), (63): ρA - c_lm", "cosserat/nested.py",
        "(s.inertia_w + added) @ rates - s.gyroscopic_w()", "(s.inertia_w - added) @ rates - s.gyroscopic_w()",
        ("tail_condition_six_strains",),
    ),
    Mutant(
        "added_inertia_about_the_axis", "[BPK06] (42), (64): ρI - c_am", "hydro/added_mass.py",
        "normal[1], roll, zero", "normal[1], -roll, zero",
        ("ellipsoid_of_section_IV",),
    ),
    Mutant(
        "added_mass_everywhere", "ρ - c in both loops, which the tail cannot see", "hydro/added_mass.py",
        "jnp.stack([zero, normal[0], normal[1]", "jnp.stack([zero, -normal[0], -normal[1]",
        ("straight_lateral_inertia",),
    ),
    Mutant(
        "nose_added_mass", "[BPK06] (44): f_d + c_m a_o", "cosserat/nested.py",
        "nose = nose - fluid.nose_added_inertia", "nose = nose + fluid.nose_added_inertia",
        ("tail_condition_six_strains",),
    ),
    Mutant(
        "virtual_work", "[BPK06] (41): δ∫L = ∫δW", "cosserat/nested.py",
        "load = s.load_w() - (", "load = -s.load_w() - (",
        ("tail_condition_six_strains",),
    ),
    Mutant(
        "frame_of_the_head", "[BPK06] (25), (26): R(0) = 1", "cosserat/nested_masses.py",
        "state.quaternion, R @ linear(state.twist)", "state.quaternion, linear(state.twist)",
        ("reference_acceleration",),
    ),
    Mutant(
        "start_from_rest", "[BPK06] (68): sin(τ)", "gaits/envelopes.py",
        "jnp.sin(2.0 * jnp.pi * tau)", "jnp.sin(tau)",
        ("start_is_smooth",),
    ),
    Mutant(
        "perimeter", "[BPK06] IX.A: π(b + c)/2", "hydro/morison.py",
        "self.drag_axial * section.perimeter", "self.drag_axial * 0.5 * section.perimeter",
        ("circular_cable",),
    ),
    Mutant(
        "axis_lengths", "[BPK06] IX.A: b and c as whole axes", "hydro/sections.py",
        "return 2.0 * self.c", "return self.c",
        ("circular_cable",),
    ),
    Mutant(
        "axes_exchanged", "drag on b where c belongs", "hydro/morison.py",
        "self.drag_lateral * section.lateral_width, self.drag_dorsal * section.dorsal_width",
        "self.drag_lateral * section.dorsal_width, self.drag_dorsal * section.lateral_width",
        ("drag_of_the_straight_eel",),
    ),
    Mutant(
        "convective_added_mass", "sign of the convective part of (9)", "hydro/added_mass.py",
        "return -added_inertia * join(cross", "return added_inertia * join(cross",
        ("added_mass_of_a_turning_section",),
    ),
    Mutant(
        "kirchhoff_momentum", "sign of the added momentum's transport", "hydro/added_mass.py",
        "return coadjoint(twist, added_inertia * twist)", "return -coadjoint(twist, added_inertia * twist)",
        ("added_mass_of_a_turning_section",),
    ),
    Mutant(
        "coriolis_of_the_stretch", "factor 2 of 2 ω × RΓ̇", "cosserat/nested.py",
        "self.tangent) + 2.0 * self.stretch_rate", "self.tangent) + self.stretch_rate",
        ("reference_acceleration",),
    ),
    Mutant(
        "gyroscopic_moment", "sign of ω × ρIω", "cosserat/panel_loops.py",
        "wrench = gathered + gyroscopic", "wrench = gathered - gyroscopic",
        ("euler_poinsot_beam",),
    ),
    Mutant(
        "transported_spin", "ω × RK̇ of the angular acceleration left out", "cosserat/shape.py",
        "densities.append(bend_rate2 + node_cross(spin, bend_rate))", "densities.append(bend_rate2)",
        ("reference_fast_path",),
    ),
    Mutant(
        "lever_of_a_twist", "sign of the lever in Ad", "spatial/twists.py",
        "    bottom = jnp.concatenate([jnp.zeros_like(unrotation), unrotation], axis=-1)\n",
        "    top = jnp.concatenate([unrotation, -top[..., 3:]], axis=-1)\n"
        "    bottom = jnp.concatenate([0.0 * unrotation, unrotation], axis=-1)\n",
        ("soft_inertia",),
    ),
    Mutant(
        "lever_of_a_wrench", "sign of the lever r × f in the wrench at the head", "cosserat/reduction.py",
        "    couple = couple + node_cross(position, force)\n    mass, lower",
        "    couple = couple - node_cross(position, force)\n    mass, lower",
        ("reference_fast_path",),
    ),
    Mutant(
        "lever_of_the_inertia", "sign of the lever r × p in the inertia at the head", "cosserat/reduction.py",
        "jnp.swapaxes(mixed, 0, 1) + _lever(position, mass)", "jnp.swapaxes(mixed, 0, 1) - _lever(position, mass)",
        ("reference_fast_path",),
    ),
    Mutant(
        "lever_of_the_acceleration", "sign of ω × r in what a section has of the head", "cosserat/reduction.py",
        "spread[:3] + node_cross(spread[3:], position)", "spread[:3] - node_cross(spread[3:], position)",
        ("reference_fast_path",),
    ),
    Mutant(
        "quaternion_product", "sign in i·j = k", "spatial/rotations.py",
        "(1, (-1,), (-1, 1, -1, 1))", "(1, (-1,), (-1, 1, 1, -1))",
        ("tree_impulse_at_an_instant",),
    ),
    Mutant(
        "centrifugal_of_the_arm", "[KR13] (22): ω_i × (ω_j × P_j)", "multibody/kinematics.py",
        "    return sums_to_bodies(tree, own)\n",
        "    at = tree.layout.freedom_body\n"
        "    arm = place.position[at] - place.position[np.asarray(tree.parents)[at - 1]]\n"
        "    slip = cross(angular(carrier), cross(angular(moving), arm))\n"
        "    return sums_to_bodies(tree, own + join(slip, jnp.zeros_like(slip)))\n",
        ("tree_impulse_at_an_instant",),
    ),
    Mutant(
        "joint_acceleration", "[KR13] (8): q̇_j a_j", "multibody/kinematics.py",
        "own = place.screws * accelerations[:, None]", "own = place.screws * rates[:, None]",
        ("tree_impulse_at_an_instant",),
    ),
    Mutant(
        "acceleration_of_the_axes", "[PBB13] III.D: ν_j where ζ_j belongs", "multibody/kinematics.py",
        "accelerations[:, None] + bracket(carrier, moving)", "accelerations[:, None] + 0.0 * bracket(carrier, moving)",
        ("tree_impulse_at_an_instant",),
    ),
    Mutant(
        "adjoint_of_the_inverse", "[XHLB23] (2): Ad of h, not of h⁻¹", "multibody/kinematics.py",
        "linear(twists) + cross(angular(twists), place.position)",
        "linear(twists) - cross(angular(twists), place.position)",
        ("tree_torques_by_lagrange",),
    ),
    Mutant(
        "composite_force", "[KR13] (25): sign between I^c dV_j and β^c_j", "multibody/newton_euler.py",
        "wrenches = wrenches + apply(balance.inertia", "wrenches = wrenches - apply(balance.inertia",
        ("tree_torques_by_lagrange",),
    ),
    Mutant(
        "composite_wrench_without_its_link", "[KR13] (26): starts without the own β", "multibody/newton_euler.py",
        "beyond = sums_beyond(tree, wrenches)",
        "beyond = -wrenches[tree.layout.freedom_body] + sums_beyond(tree, wrenches)",
        ("tree_torques_by_lagrange",),
    ),
    Mutant(
        "composite_inertia_without_its_link", "[KR13] (26): starts without the own I", "multibody/hybrid.py",
        "    force = apply(composite, screws)\n",
        "    force = apply(composite - inertia[table.freedom_body], screws)\n",
        ("tree_inverse_then_direct",),
    ),
    Mutant(
        "acceleration_of_the_base", "[KR13] (27): sign of (I^c)⁻¹ β^c", "multibody/newton_euler.py",
        "-jnp.sum(wrenches, axis=0))  # [KR13, eq. (27)]", "jnp.sum(wrenches, axis=0))  # [KR13, eq. (27)]",
        ("tree_impulse_at_an_instant",),
    ),
    Mutant(
        "gyroscopic_term_of_a_link", "sign of ω × Iω of a rigid link", "multibody/newton_euler.py",
        "needed = -coadjoint(twist", "needed = coadjoint(twist",
        ("tree_impulse_at_an_instant",),
    ),
    Mutant(
        "gyroscopic_term_of_the_water", "[KR13] (42): ω × Iω with the augmented inertia", "multibody/newton_euler.py",
        "needed = needed + apply(inertia, rate)",
        "needed = apply(inertia, rate) + needed - coadjoint(twist, apply(inertia - tree.inertia, twist))",
        ("tree_impulse_at_an_instant",),
    ),
    Mutant(
        "rotors", "[KR13] (31): rotor inertia left out of the torque", "multibody/newton_euler.py",
        "+ tree.rotor_inertia * ddq + joint_resistance", "+ joint_resistance",
        ("tree_torques_by_lagrange",),
    ),
    Mutant(
        "velocity_of_the_base", "[KR13] V: d/dt v_0 without -ω_0 × v_0", "multibody/drive.py",
        "            motion.base_acceleration,\n",
        "            motion.base_acceleration.at[:3].add(jnp.cross(angular(twist), linear(twist))),\n",
        ("tree_momentum_in_vacuum",),
    ),
    Mutant(
        "direction_of_lift", "[PBB13] IV.B: u without its norm", "hydro/blades.py",
        "jnp.sqrt(_not_slow(across))) * direction", "_not_slow(speed)) * direction",
        ("lift_and_drag_of_a_blade",),
    ),
    Mutant(
        "direction_of_drag", "[PBB13] IV.B: drag along u", "hydro/blades.py",
        "drag = -speed * velocity", "drag = -speed * direction / jnp.sqrt(_not_slow(across))",
        ("lift_and_drag_of_a_blade",),
    ),
    Mutant(
        "added_mass_of_a_blade", "[PBB13] IV.B: ρπc² without 1/4", "hydro/blades.py",
        "added_mass: Numbers = 0.25", "added_mass: Numbers = 1.0",
        ("air_carried_by_a_blade",),
    ),
    Mutant(
        "carried_air", "[PBB13] IV.B: sign of β_a", "hydro/blades.py",
        '"added_mass": convective_wrench(', '"added_mass": -convective_wrench(',
        ("air_carried_by_a_blade",),
    ),
    Mutant(
        "buoyancy", "sign of Archimedes' force", "hydro/buoyancy.py",
        "join(weight * wet.area * up", "join(-weight * wet.area * up",
        ("buoyancy_by_clipping",),
    ),
    Mutant(
        "righting_moment", "[XHLB23] III: sign of the lever of buoyancy", "hydro/buoyancy.py",
        "cross(lever, up)", "cross(up, lever)",
        ("buoyancy_by_clipping",),
    ),
    Mutant(
        "restoring_load", "[KR13] (46): without its minus", "hydro/hydrostatics.py",
        "pull = -self.stiffness", "pull = self.stiffness",
        ("restoring_of_a_hull",),
    ),
    Mutant(
        "vertebra_rates", "[CHA08] (7): A ω + B θ̇ = 0", "anguilla/robots/vertebra/rates.py",
        "return scale[:, None] * matrix_A(pose)", "return -scale[:, None] * matrix_A(pose)",
        ("motors_of_a_vertebra",),
    ),
    Mutant(
        "third_row_of_A", "[CHA08] (8): (0 0 1)", "anguilla/robots/vertebra/rates.py",
        "z_second(pose)[None, :]])", "jnp.array([[0.0, 0.0, 1.0]])])",
        ("motors_of_a_vertebra",),
    ),
)  # fmt: skip
