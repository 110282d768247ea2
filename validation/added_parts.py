"""Point masses, sections that are not elliptic, contact with the ground and oscillators against closed forms."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from scipy.integrate import solve_ivp

import cosserat
import gaits
import hydro
from anguilla import ground

from .closed_forms import GROUP, ROUND_OFF
from .report import Measurement, check, require
from .subjects import straight

SUMS = 1e-10  # relative: sums of some hundred terms that partly cancel
PHASES = 1e-9  # rad: a hundred times the tolerance of scipy's steps
LENGTH, DENSITY = 0.8, 1100.0  # of the rods below [m, kg/m³]


def _rigid(points, masses, own, twist):
    """Twist rate of free point masses, rigidly connected and with an inertia `own`, about the origin."""
    omega = twist[3:]
    arm = lambda r: np.cross(np.eye(3), r)  # noqa: E731  arm(r) @ a = r × a
    mass, first = masses.sum(), masses @ points
    about = own + sum(m * arm(r) @ arm(r).T for m, r in zip(masses, points, strict=True))
    M = np.block([[mass * np.eye(3), arm(first).T], [arm(first), about]])
    momentum = M @ twist
    rate = np.concatenate(
        [np.cross(omega, momentum[:3]), np.cross(omega, momentum[3:]) + np.cross(twist[:3], momentum[:3])]
    )
    return -np.linalg.solve(M, rate)


@check(
    group=GROUP,
    title="rigid rod with two masses off its axis, spinning in vacuum: acceleration, and n between the masses",
    unit="rel.",
    source="Newton and Euler, in NumPy",
    meaning="inertia, gyroscopic wrench or place of point masses in a beam is wrong",
)
def point_masses_on_a_rod() -> Measurement:
    """The greater of both errors."""
    b, c, X = 0.02, 0.03, 0.45
    at, kg, off = np.array([0.3, 0.6]), np.array([0.7, 0.4]), np.array([[0.0, 0.01, -0.02], [0.05, -0.01, 0.01]])
    masses = [(x, m, 0.0, tuple(d)) for x, m, d in zip(at, kg, off, strict=True)]
    beam = cosserat.Beam(cosserat.rod(LENGTH, b, c).profile, DENSITY, masses=masses)
    twist = np.array([0.3, -0.2, 0.1, 1.5, -2.0, 2.5])
    state = cosserat.HeadState(twist=twist)
    fields = cosserat.internal_wrench(beam, straight, hydro.Void(), state, 0.0, stations=[0.0, X])
    rate = np.asarray(cosserat.head_acceleration(beam, straight, hydro.Void(), state, 0.0))

    node, weight = np.polynomial.legendre.leggauss(3)  # exact for the parabolas of a rod
    area = np.pi * b * c

    def line(first, last):
        half = 0.5 * (last - first)
        return first + half * (node + 1), half * weight * DENSITY * area

    x, m = line(0.0, LENGTH)
    points = np.concatenate([x[:, None] * [1.0, 0.0, 0.0], at[:, None] * [1.0, 0.0, 0.0] + off])
    rotary = DENSITY * area * LENGTH * np.diag([b**2 + c**2, c**2, b**2]) / 4
    exact = _rigid(points, np.concatenate([m, kg]), rotary, twist)

    def acceleration(r):
        spin = twist[3:]
        return exact[:3] + np.cross(exact[3:], r) + np.cross(spin, twist[:3] + np.cross(spin, r))

    x, m = line(X, LENGTH)
    aft = sum(k * acceleration(np.array([y, 0.0, 0.0])) for y, k in zip(x, m, strict=True))
    aft = aft + kg[1] * acceleration(np.array([at[1], 0.0, 0.0]) + off[1])
    n = np.asarray(fields.force_w[1])
    return max(np.abs(rate / exact - 1).max(), np.abs(n / aft - 1).max()), 0.0, SUMS


@check(
    group=GROUP,
    title="inertia of a triangular prism and of its water about the nose",
    unit="rel.",
    source="moments of a triangle by hand, ∫X² dX = L³/3",
    meaning="area, second moments or added mass of sections that are not elliptic are wrong, or exchanged",
)
def inertia_of_a_triangular_prism() -> Measurement:
    """The diagonal of the inertia reduced to the head."""
    w, h, lateral, dorsal, roll, rho = 0.04, 0.06, 2.5e-3, 1.1e-3, 3e-7, 1000.0
    outline = [(w / 2, -h / 3), (0.0, 2 * h / 3), (-w / 2, -h / 3), (w / 2, -h / 3)]
    section = hydro.outline_section(outline, lateral_mass=lateral, dorsal_mass=dorsal, roll_mass=roll)
    beam = cosserat.Beam(hydro.section_profile([0.0, LENGTH], [section, section]), DENSITY)
    water = hydro.Morison(density=rho, mass_lateral=1.0, mass_dorsal=1.0, mass_roll=1.0)
    found = cosserat.head_dynamics(beam, straight, water, cosserat.HeadState(), 0.0).inertia
    A, J2, J3, L = w * h / 2, w * h**3 / 36, w**3 * h / 48, LENGTH
    along, across, up = DENSITY * A, DENSITY * A + rho * lateral, DENSITY * A + rho * dorsal
    moments = DENSITY * (J2 + J3) + rho * roll, DENSITY * J2 + up * L**2 / 3, DENSITY * J3 + across * L**2 / 3
    exact = L * np.array([along, across, up, *moments])
    return np.abs(np.diag(np.asarray(found)) / exact - 1).max(), 0.0, SUMS


@check(
    group=GROUP,
    title="wrench of a slope on a rolled section that sinks into it",
    unit="rel.",
    source="support function of an ellipse; k δ (1 + d dδ/dt) at its lowest point",
    meaning="depth, lever arm or damping of the contact with uneven ground is wrong",
)
def contact_of_a_rolled_section() -> Measurement:
    """Six components relative to the greatest force, and moment to the greatest moment."""
    b, c, k, d, incline, roll = 0.03, 0.05, 4e3, 0.6, 0.3, 0.7
    normal = np.array([-np.sin(incline), 0.0, np.cos(incline)])
    turn = np.array([[1, 0, 0], [0, np.cos(roll), -np.sin(roll)], [0, np.sin(roll), np.cos(roll)]])
    twist = np.array([0.2, -0.3, -0.4, 0.5, 0.3, -0.2])
    own = turn.T @ normal
    reach = np.hypot(b * own[1], c * own[2])
    depth = 0.01
    centre = np.array([0.4, 0.1, np.tan(incline) * 0.4 + (reach - depth) / np.cos(incline)])
    lowest = -np.array([0.0, b**2 * own[1], c**2 * own[2]]) / reach
    sinking = -own @ (twist[:3] + np.cross(twist[3:], lowest))
    force = k * depth * (1 + d * sinking) * own
    require(1 + d * sinking > 0.5 and abs(d * sinking) > 0.05, "the damping hardly counts")

    slope = ground.Contact(lambda x, y: np.tan(incline) * x, 0.0, 0.0, stiffness=k, damping=d)
    section = hydro.EllipticSection(jnp.asarray(b), jnp.asarray(c))
    terms = slope.terms(section, hydro.Place(jnp.asarray(centre), jnp.asarray(turn)), jnp.asarray(twist))
    found = np.asarray(terms["contact"] + terms["contact_damping"])
    moment = np.cross(lowest, force)
    error = lambda one, exact: np.abs(one - exact).max() / np.abs(exact).max()  # noqa: E731
    return max(error(found[:3], force), error(found[3:], moment)), 0.0, ROUND_OFF


@check(
    group=GROUP,
    title="two coupled oscillators: how their phases approach the lag, and their amplitudes",
    unit="rad",
    source="tan(θ/2) ~ exp(-2wRt); 1 - (1 + at/2) exp(-at/2)",
    meaning="lags, coupling or amplitudes of a rhythm generator are wrong",
)
def oscillators_lock() -> Measurement:
    """Phases with full amplitudes, and amplitudes from rest; the worst over half a second."""
    nu, lag, w, R, a, off = 1.3, -0.6, 2.0, 0.5, 9.0, 1.9
    t = np.linspace(0.0, 0.5, 6)

    def run(settled):
        chain = gaits.Oscillators.chain(2, nu, lag, R, w, phase=[0.2, 0.2 + lag + off], rate=a, settled=settled)
        begin, unflatten = ravel_pytree(chain.start())
        rates = jax.jit(lambda t, y: ravel_pytree(chain(t, {}, unflatten(y))[1])[0])
        done = solve_ivp(lambda t, y: np.asarray(rates(t, y)), (0.0, t[-1]), begin, t_eval=t, rtol=1e-11, atol=1e-11)
        return [unflatten(jnp.asarray(y)) for y in done.y.T]

    phases = np.array([one.phase for one in run(True)])
    theta = 2 * np.arctan(np.tan(off / 2) * np.exp(-2 * w * R * t))
    middle = 0.2 + (lag + off) / 2 + 2 * np.pi * nu * t
    exact = np.stack([middle - (lag + theta) / 2, middle + (lag + theta) / 2], axis=1)
    amplitude = np.array([one.amplitude[0] for one in run(False)])
    grown = R * (1 - (1 + a * t / 2) * np.exp(-a * t / 2))
    return max(np.abs(phases - exact).max(), np.abs(amplitude - grown).max()), 0.0, PHASES
