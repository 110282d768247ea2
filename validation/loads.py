"""Fluid loads on one section against vector formulas: water, air on a blade, a free surface."""

import jax
import jax.numpy as jnp
import numpy as np

import hydro
import spatial

from .closed_forms import GROUP, ROUND_OFF
from .report import Measurement, check, require
from .subjects import relative

HERE = hydro.Place(jnp.zeros(3), jnp.eye(3))
AIR, CHORD = 1.22, 0.03  # density [kg/m³] and chord of the blade [m]
TWIST, RATE = np.array([0.3, -1.1, 0.7, 5.0, -3.0, 8.0]), np.array([2.0, -1.0, 3.0, 40.0, 20.0, -30.0])


def _carried(inertia, twist, rate):
    """Wrench of a diagonal inertia whose momentum moves with the section: -(d/dt p + Ω×p; d/dt L + Ω×L + V×p)."""
    V, omega, momentum = twist[:3], twist[3:], inertia * twist
    turned = np.concatenate(
        [np.cross(omega, momentum[:3]), np.cross(omega, momentum[3:]) + np.cross(V, momentum[:3])]
    )  # fmt: skip
    return -inertia * rate - turned


@check(
    group=GROUP,
    title="water carried by a section that turns and accelerates, both forms of the added mass",
    unit="rel.",
    source="[BPK06, eq. (9)]: -c_lm times the components of the acceleration; Kirchhoff (1869)",
    meaning="the convective part of the added mass has a wrong sign or size: swimming speeds would be wrong",
)
def added_mass_of_a_turning_section() -> Measurement:
    """The worse of the two; an ellipse of 0.03 and 0.05 m in water."""
    b, c, rho = 0.03, 0.05, 1000.0
    section = hydro.EllipticSection(jnp.asarray(b), jnp.asarray(c))
    inertia = rho * np.pi * np.array([0.0, c**2, b**2, (c**2 - b**2) ** 2 / 8.0, 0.0, 0.0])
    acceleration = RATE + np.concatenate([np.cross(TWIST[3:], TWIST[:3]), np.zeros(3)])
    expected = {"paper": -inertia * acceleration, "kirchhoff": _carried(inertia, TWIST, RATE)}
    worst = 0.0
    for form, reference in expected.items():
        water = hydro.Morison(rho, added_mass=form)
        carried = water.terms(section, HERE, jnp.asarray(TWIST))["added_mass"]
        worst = max(worst, relative(carried - water.added_inertia(section) @ jnp.asarray(RATE), reference))
    return worst, 0.0, ROUND_OFF


def _blade():
    return hydro.BladeSection(jnp.asarray(CHORD), jnp.asarray(1e-4), jnp.asarray(0.4))


@check(
    group=GROUP,
    title="lift and drag of a blade in forty directions",
    unit="rel.",
    source="[PBB13, IV.B] by angles and unit vectors, lift and drag in their right directions",
    meaning="a flapping wing would be carried or held back by the wrong force",
)
def lift_and_drag_of_a_blade() -> Measurement:
    """Worst component relative to the maximum force."""
    velocities, t = np.random.default_rng(1).normal(size=(40, 3)), np.array([0.0, 0.0, 1.0])
    expected = []
    for velocity in velocities:
        speed = np.linalg.norm(velocity)
        v = velocity / speed
        u = np.cross(v, np.cross(t, v))
        u = u / np.linalg.norm(u)
        beta = np.arctan2(-velocity[1], -velocity[2])
        lift = 1.8 * abs(np.sin(2 * beta)) * np.sign(t @ v) * u
        drag = (1.92 - 1.55 * np.cos(2 * beta)) * v
        expected.append(0.5 * AIR * CHORD * speed**2 * (lift - drag))
    twists = jnp.asarray(np.concatenate([velocities, np.zeros((40, 3))], axis=1))
    terms = jax.jit(jax.vmap(lambda twist: hydro.QuasiSteady(AIR).terms(_blade(), HERE, twist)))(twists)
    return relative((terms["lift"] + terms["drag"])[:, :3], expected), 0.0, ROUND_OFF


@check(
    group=GROUP,
    title="air carried by a blade that turns and accelerates",
    unit="rel.",
    source="flat plate, ρπ(c/2)² across it (Lamb, article 71); [PBB13, IV.B] prints ρπc²",
    meaning="the added mass of a wing is of a wrong size, or its momentum is not carried with it",
)
def air_carried_by_a_blade() -> Measurement:
    """Force and moment at the centre of pressure."""
    inertia = np.zeros(6)
    inertia[1] = AIR * np.pi * (CHORD / 2) ** 2
    air, blade = hydro.QuasiSteady(AIR), _blade()
    carried = air.terms(blade, HERE, jnp.asarray(TWIST))["added_mass"]
    load = carried - air.added_inertia(blade) @ jnp.asarray(RATE)
    return relative(load, _carried(inertia, TWIST, RATE)), 0.0, ROUND_OFF


def clipped_moments(corners: np.ndarray, height: float, slope: np.ndarray) -> np.ndarray:
    """Area and first moments (A, S_y, S_z) of the submerged part of a polygon, by clipping its outline [m², m³].

    Args:
        corners: (y, z) of the vertices in order [m].
        height: height of the origin above the water [m].
        slope: derivative of the height with respect to y and z [-].
    """
    over = height + corners @ slope
    wet = []
    for k in range(len(corners)):
        after = (k + 1) % len(corners)
        if over[k] <= 0.0:
            wet.append(corners[k])
        if (over[k] <= 0.0) != (over[after] <= 0.0):
            share = over[k] / (over[k] - over[after])
            wet.append(corners[k] + share * (corners[after] - corners[k]))
    outline = np.array(wet)
    (y, z), (next_y, next_z) = outline.T, np.roll(outline, -1, axis=0).T
    doubled = y * next_z - next_y * z
    return np.array([doubled.sum() / 2, (doubled * (y + next_y)).sum() / 6, (doubled * (z + next_z)).sum() / 6])


def _three_lobes():
    """Vertices of a section like that of NATRIX's shells [m]."""
    angle = np.linspace(0.0, 2 * np.pi, 49)
    radius = 0.042 * (1 + 0.1 * np.cos(3 * (angle - np.pi / 2)))
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


@check(
    group=GROUP,
    title="buoyancy of a three-lobed section, four heels and depths",
    unit="rel.",
    source="Archimedes: weight of the water in the part under the surface, cut out by polygon clipping",
    meaning="a floating robot would ride at a wrong height or right itself with a wrong moment: [XHLB23, III]",
)
def buoyancy_by_clipping() -> Measurement:
    """Force and moment per metre, for a heeled and an almost inverted section."""
    outline = _three_lobes()
    section, water = hydro.polygon(outline), hydro.FreeSurface()
    load = jax.jit(lambda place: water.terms(section, place, jnp.zeros(6))["buoyancy"])
    worst = 0.0
    for heel, height in ((0.1, 0.003), (0.7, -0.012), (-1.4, 0.02), (2.9, -0.005)):
        turn = spatial.quaternion_exp(jnp.array([heel, 0.2, 0.1]))
        rotation = np.asarray(spatial.matrix_from_quaternion(turn))
        area, S_y, S_z = clipped_moments(outline[:-1], height, rotation[2, 1:])
        require(0.1 < area / float(section.area) < 0.9, "the section is not half wet")
        up = rotation[2]
        expected = 9810.0 * np.concatenate([area * up, np.cross([0.0, S_y, S_z], up)])
        found = np.asarray(load(hydro.Place(jnp.array([0.0, 0.0, height]), jnp.asarray(rotation))))
        worst = max(worst, relative(found[:3], expected[:3]), relative(found[3:], expected[3:]))
    return worst, 0.0, ROUND_OFF


@check(
    group=GROUP,
    title="restoring load of a heeled and trimmed hull against the slope of its energy",
    unit="rel.",
    source="virtual work: along any twist the load gives -dU/dt, U = ½ηᵀGη - F₀z with positive G",
    meaning="a hull would not come back to its rest, as by the missing minus of (46) in [KR13]",
)
def restoring_of_a_hull() -> Measurement:
    """All six twists, at a pose without symmetry."""
    stiffness = np.zeros((6, 6))
    stiffness[2:5, 2:5] = [[14.8e3, 0.0, 310.0], [0.0, 220.0, 0.0], [310.0, 0.0, 49.1e3]]
    water = hydro.LinearHydrostatics(stiffness, 978.5)
    position = jnp.array([0.4, -0.3, 0.02])
    quaternion = spatial.quaternion_exp(jnp.array([0.2, 0.1, 0.3]))
    rotation = spatial.matrix_from_quaternion(quaternion)

    @jax.jit
    def slopes(twists):
        energy = lambda p, q: water.potential(p, spatial.matrix_from_quaternion(q))  # noqa: E731
        moved = lambda twist: (rotation @ twist[:3], spatial.quaternion_rate(quaternion, twist[3:]))  # noqa: E731
        return jax.vmap(lambda twist: jax.jvp(energy, (position, quaternion), moved(twist))[1])(twists)

    return relative(water.wrench(position, rotation), -np.asarray(slopes(jnp.eye(6)))), 0.0, ROUND_OFF
