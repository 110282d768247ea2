"""Wrong terms of estimators, feedback, ground, Lighthill's water, soft beams, threads and added parts of a body."""

from .wrong_terms import Mutant

MUTANTS = (
    Mutant(
        "blind_estimate_of_the_grid", "an estimator that sees nothing", "cosserat/grid_error.py",
        "SAFETY * error / jnp.maximum", "0.0 * error / jnp.maximum",
        ("grid_error_estimate",),
    ),
    Mutant(
        "estimate_on_one_grid", "an estimator that compares a grid with itself", "cosserat/grid_error.py",
        "x[k], found) for k in (0, 1))", "x[k], found) for k in (1, 1))",
        ("grid_error_estimate",),
    ),
    Mutant(
        "blind_balance_of_impulse", "jumps of the strain rate are not looked for", "gaits/impulse_balance.py",
        "lost_rate = after(first) - before(first)", "lost_rate = 0.0 * after(first)",
        ("kink_of_a_gait",),
    ),
    Mutant(
        "blind_decay", "expansions that always seem to have decayed", "cosserat/panel_limits.py",
        "last = jnp.max(coefficients[..., -2:], axis=(1, 2, 3))",
        "last = 0.0 * jnp.max(coefficients[..., -2:], axis=(1, 2, 3))",
        ("limits_of_a_compiled_program",),
    ),
    Mutant(
        "blind_turn", "coils that are not seen", "cosserat/panel_limits.py",
        "return jnp.stack([angle(whole), angle(second)])", "return 0.0 * jnp.stack([angle(whole), angle(second)])",
        ("limits_of_a_compiled_program",),
    ),
    Mutant(
        "damping_of_a_servo", "ζω dy/dt where 2ζω dy/dt belongs", "gaits/feedback/servo.py",
        "ddy = omega**2 * (command - y) - 2.0 * self.damping * omega * dy",
        "ddy = omega**2 * (command - y) - self.damping * omega * dy",
        ("servo_step",),
    ),
    Mutant(
        "acceleration_of_a_servo", "the law of motion without d²y/dt²", "gaits/feedback/loop.py",
        "motion = seen.at[2].set(ddy)", "motion = seen",
        ("servo_step",),
    ),
    Mutant(
        "rate_of_a_joint_sensor", "a sensor of the velocity that reads the position", "gaits/feedback/sensors.py",
        "return view.joint(self.at)[1]", "return view.joint(self.at)[0]",
        ("reflex_as_a_spring",),
    ),
    Mutant(
        "signs_of_a_delay", "numerator of the Padé approximant of exp(x)", "gaits/feedback/delay.py",
        "(-1) ** j * f(m + n - j) * f(m)", "f(m + n - j) * f(m)",
        ("delay_of_a_wave",),
    ),
    Mutant(
        "forward_and_backward", "friction towards head and tail exchanged", "anguilla/ground/coulomb.py",
        "jnp.where(jnp.dot(v, heading) < 0.0, self", "jnp.where(jnp.dot(v, heading) > 0.0, self",
        ("inchworm_with_scales",),
    ),
    Mutant(
        "sideways_friction", "the coefficient along the body across it", "anguilla/ground/coulomb.py",
        "slip * mu_l, slip * self.sideways", "slip * mu_l, slip * mu_l",
        ("friction_tends_to_wheels",),
    ),
    Mutant(
        "load_of_the_lifted_body", "even load under a body that lifts", "anguilla/ground/friction.py",
        "return weight * self.lifting(place.abscissa, self.time)", "return weight",
        ("inchworm_with_anchors",),
    ),
    Mutant(
        "weight_along_the_slope", "on a slope only the load changes", "anguilla/ground/friction.py",
        "return self.gravity - jnp.dot(self.gravity, self.normal) * self.normal", "return 0.0 * self.gravity",
        ("inchworm_with_scales",),
    ),
    Mutant(
        "instant_of_the_ground", "lifting of the first time at all times", "cosserat/panel_loops.py",
        "*body_shape(body, gait, t), fluid.at(t), state)", "*body_shape(body, gait, t), fluid, state)",
        ("inchworm_with_anchors",),
    ),
    Mutant(
        "moving_contact", "rate of the constraint without the motion of its points", "anguilla/ground/axles.py",
        "_rows(self.normal_rate, self.position) + _lever(self.normal, self.velocity)",
        "_rows(self.normal_rate, self.position)",
        ("wheels_accelerate_as_their_twist_changes",),
    ),
    Mutant(
        "side_of_the_wheels", "forces of the wheels with the other sign", "anguilla/ground/axles.py",
        "return free + yielding @ force, force", "return free + yielding @ force, -force",
        ("wheels_leave_the_tail_free",),
    ),
    Mutant(
        "twist_of_a_slice", "[LIG71]: η where ζ belongs, the form for bodies that neither twist nor stretch",
        "hydro/lighthill.py",
        "return twist[SEEN] - (twist[0] / strain[0]) * strain[SEEN]", "return twist[SEEN]",
        ("lighthill_fast_path",),
    ),
    Mutant(
        "axes_of_a_slice", "added mass on b where c belongs", "hydro/lighthill.py",
        "self.mass_lateral * section.lateral_mass, self.mass_dorsal * section.dorsal_mass",
        "self.mass_lateral * section.dorsal_mass, self.mass_dorsal * section.lateral_mass",
        ("lighthill_fast_path",),
    ),
    Mutant(
        "strain_rate_of_a_slice", "dΠ/dt without the rate of the strain", "hydro/lighthill.py",
        "coadjoint(relative, momentum) - momentum_by_strain(mass, relative, strain, strain_rate)",
        "coadjoint(relative, momentum)",
        ("lighthill_fast_path",),
    ),
    Mutant(
        "energy_in_the_carried_wrench", "W without its part -ℓ/Γ1", "hydro/lighthill.py",
        "passing * momentum - (energy / strain[0]) * FIRST", "passing * momentum",
        ("lighthill_fast_path",),
    ),
    Mutant(
        "wrench_at_the_edge", "sign of what the leaving water does", "cosserat/panel_loops.py",
        "found.nose + found.water.wrench", "found.nose - found.water.wrench",
        ("lighthill_lift_in_yaw",),
    ),
    Mutant(
        "power_of_the_wake", "sign of the energy that leaves", "hydro/lighthill.py",
        "wrench, energy, -passing * energy)", "wrench, energy, passing * energy)",
        ("lighthill_power_identity",),
    ),
    Mutant(
        "damping_of_the_modes", "sign of the viscous stress", "cosserat/soft/sampled_soft.py",
        "-self.elastic_force(q) - self.damping @ dq", "-self.elastic_force(q) + self.damping @ dq",
        ("soft_stress",),
    ),
    Mutant(
        "shear_modulus", "G = E (1 + ν)/2, printed in a public code; right: E / (2 (1 + ν))", "cosserat/soft/laws.py",
        "shear = self.young / (2.0 * (1.0 + ratio))", "shear = self.young * (1.0 + ratio) / 2.0",
        ("soft_frequency",),
    ),
    Mutant(
        "lever_of_a_bending", "columns of bending without the lever arm r × R e", "cosserat/soft/equations.py",
        "jnp.concatenate([lever, R], axis=0)", "jnp.concatenate([0.0 * lever, R], axis=0)",
        ("soft_bend_45",),
    ),
    Mutant(
        "axis_of_the_bending", "EI2 and EI3 exchanged", "cosserat/soft/laws.py",
        "bending = section.second_moments[..., 1:]", "bending = section.second_moments[..., :0:-1]",
        ("soft_frequency",),
    ),
    Mutant(
        "loads_behind", "what lies aft of the panel is not gathered", "cosserat/quadrature.py",
        "panels @ inside.T + behind[..., None]", "panels @ inside.T + 0.0 * behind[..., None]",
        ("soft_bend_45",),
    ),
    Mutant(
        "tangent_of_a_thread", "a change of the offset, D', left out of the tangent", "cosserat/soft/threads.py",
        "u = gamma + cross(kappa, D) + slope", "u = gamma + cross(kappa, D)",
        ("thread_oblique",),
    ),
    Mutant(
        "arm_of_a_thread", "sign of the moment D × t", "cosserat/soft/threads.py",
        "cross(self.offset, pull)", "cross(pull, self.offset)",
        ("thread_oblique",),
    ),
    Mutant(
        "power_of_the_muscles", "power of actuators with the sign of the stress", "cosserat/soft/sampled_soft.py",
        "return -jnp.asarray([self.projected(stress) @ dq", "return jnp.asarray([self.projected(stress) @ dq",
        ("thread_power",),
    ),
    Mutant(
        "one_side_of_a_via_point", "a cable pulls its points one way only", "multibody/cables.py",
        "- jnp.pad(forces, ((1, 0), (0, 0)))", "- 0.0 * jnp.pad(forces, ((1, 0), (0, 0)))",
        ("cable_virtual_work",),
    ),
    Mutant(
        "centre_of_a_point_mass", "a mass off the axis counted on it", "cosserat/point_masses.py",
        'body_inertia(kg, finite("PointMass.centre", centre, (3,)), moments)',
        'body_inertia(kg, 0.0 * finite("PointMass.centre", centre, (3,)), moments)',
        ("point_masses_on_a_rod",),
    ),
    Mutant(
        "gyroscopic_wrench_of_a_mass", "sign of ω × Iω of a point mass", "cosserat/sampled_masses.py",
        "wrench = self._sum(terms) + jax.vmap(coadjoint)(eta, momentum)",
        "wrench = self._sum(terms) - jax.vmap(coadjoint)(eta, momentum)",
        ("point_masses_on_a_rod",),
    ),
    Mutant(
        "axes_of_a_section", "second moments about t2 and t3 exchanged", "hydro/general_sections.py",
        "return jnp.stack([self.J2 + self.J3, self.J2, self.J3], axis=-1)",
        "return jnp.stack([self.J2 + self.J3, self.J3, self.J2], axis=-1)",
        ("inertia_of_a_triangular_prism",),
    ),
    Mutant(
        "water_of_a_section", "added mass of t3 along t2", "hydro/general_sections.py",
        'self.lateral_mass = own("lateral_mass", lateral_mass, "m²")',
        'self.lateral_mass = own("dorsal_mass", dorsal_mass, "m²")',
        ("inertia_of_a_triangular_prism",),
    ),
    Mutant(
        "damping_of_the_contact", "sign of d dδ/dt", "anguilla/ground/contact.py",
        "1.0 + self.damping * jnp.dot(slope, twist)", "1.0 - self.damping * jnp.dot(slope, twist)",
        ("contact_of_a_rolled_section",),
    ),
    Mutant(
        "depth_of_the_contact", "reach of an ellipse with b and c exchanged", "anguilla/ground/contact.py",
        "reach = jnp.sqrt((section.b * n2) ** 2 + (section.c * n3) ** 2 + _POINT)\n        return reach",
        "reach = jnp.sqrt((section.c * n2) ** 2 + (section.b * n3) ** 2 + _POINT)\n        return reach",
        ("contact_of_a_rolled_section",),
    ),
    Mutant(
        "lag_of_the_oscillators", "sign of ψ", "gaits/rhythm.py",
        "phase[None, :] - phase[:, None] - self.lags", "phase[None, :] - phase[:, None] + self.lags",
        ("oscillators_lock",),
    ),
    Mutant(
        "growth_of_the_oscillators", "a where a/4 belongs", "gaits/rhythm.py",
        "self.rate * (0.25 * self.rate * (self.amplitude - r)", "self.rate * (self.rate * (self.amplitude - r)",
        ("oscillators_lock",),
    ),
)  # fmt: skip
