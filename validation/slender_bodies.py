"""Slender-body theory: the limit of the sectional added mass, and Lighthill's thrust."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import gaits
import hydro

from .closed_forms import GROUP, ellipsoid_added_inertia
from .lamb import lamb_added_inertia, slender_excess
from .report import Measurement, check, exhibit, require

SLENDERNESS = (0.2, 0.1, 0.05, 0.025, 0.0125)  # C/A, with B/A half of it


@functools.cache
def lamb_errors() -> np.ndarray:
    """Sectional results of the engine over Lamb's exact values, minus one: five entries for each slenderness.

    The axial mass, which the sections omit, is given as a fraction of the displaced mass in a sixth column.
    """
    rows = []
    for s in SLENDERNESS:
        A, B, C = 1.0, 0.5 * s, s
        exact = lamb_added_inertia(A, B, C, 1000.0)
        slices = np.diag(ellipsoid_added_inertia(A, B, C))
        displaced = 4.0 * np.pi * 1000.0 * A * B * C / 3.0
        rows.append([*(slices[1:] / exact[1:] - 1.0), exact[0] / displaced])
    return np.array(rows)


_LAMB = dict(
    group=GROUP,
    source="Lamb's integrals by scipy.integrate.quad; [BPK06, IV] claims the limit, the next term is ours",
    meaning="the sectional added masses are not those of slender-body theory",
    shares="lamb",
)


def _expected() -> np.ndarray:
    return np.array([slender_excess(1.0, 0.5 * s, s) for s in SLENDERNESS])


@check(
    title="slices over Lamb's ellipsoid at C/A = 1/80, less the next term of the theory: worst of six",
    unit="rel.",
    **_LAMB,
)
def lamb_limit() -> Measurement:
    """The excess is 2e-3; the remainder after its leading term is of the order of its square."""
    expected = _expected()[-1]
    return np.abs(lamb_errors()[-1] - expected).max(), 0.0, expected.max() ** 2


@check(title="order at which the slices tend to Lamb's ellipsoid as B/A, C/A -> 0", unit="-", **_LAMB)
def lamb_order() -> Measurement:
    """Second order times a logarithm, between C/A = 1/20 and 1/80.

    The relative error of the leading term at 1/20 is 2.5 %, so that the error of the slope is ln(1.025)/ln 4.
    """
    exhibit("lamb", slenderness=SLENDERNESS, error=lamb_errors())
    slope = lambda rows: np.polyfit(np.log(SLENDERNESS[2:]), np.log(np.abs(rows).max(axis=1)[2:]), 1)[0]  # noqa: E731
    return slope(lamb_errors()), slope(_expected()), 0.02


@functools.cache
def mean_thrust(form: str, amplitude: float, speed: float) -> tuple[float, float]:
    """Mean thrust of a uniform body waving without drag with its head held, and Lighthill's value at the tail [N].

        ½ m_a (<h_t²> - U² <h_x²>) at the tail, h the lateral displacement

    Args:
        form: form of the added mass, "paper" or "kirchhoff".
        amplitude: amplitude of the curvature wave [1/m].
        speed: towing speed U of the held head [m/s].
    """
    beam = cosserat.rod(1.0, 0.02, 0.05)
    gait = gaits.planar_bending(gaits.TravellingWave(amplitude, 0.8, 1.0))
    fluid = hydro.Morison(
        added_mass=form, drag_axial=0.0, drag_lateral=0.0, drag_dorsal=0.0, drag_roll=0.0, nose_drag=0.0, nose_mass=0.0
    )
    state = cosserat.HeadState(twist=[-speed, 0.0, 0.0, 0.0, 0.0, 0.0])
    times = jnp.arange(32) / 32.0  # one period: exact for a trigonometric polynomial

    @jax.jit
    @jax.vmap
    def at(t):
        fields = cosserat.internal_wrench(beam, gait, fluid, state, t, stations=jnp.array([0.0, 1.0]))
        wrench = cosserat.head_dynamics(beam, gait, fluid, state, t).wrench
        return wrench[0], fields.quaternion[-1], fields.twist[-1]

    force, quaternion, twist = (np.asarray(x) for x in at(times))
    slope = 2.0 * np.arctan2(quaternion[:, 3], quaternion[:, 0])
    rate = np.sin(slope) * twist[:, 0] + np.cos(slope) * twist[:, 1]
    added = 1000.0 * np.pi * 0.05**2
    lighthill = 0.5 * added * (np.mean(rate**2) - speed**2 * np.mean(np.tan(slope) ** 2))
    return float(-force.mean()), float(lighthill)


@check(
    group=GROUP,
    title="mean thrust of small waves, held head in still water, over Lighthill's at the tail",
    unit="-",
    source="Lighthill (1960), elongated-body theory at U = 0: ½ m_a <h_t²>",
    meaning="the reactive force of the sections does not project as it should on the direction of swimming",
)
def lighthill_thrust_at_zero_speed() -> Measurement:
    """Added mass of the paper; the tolerance is the square of the slope of the body."""
    found, expected = mean_thrust("paper", 0.05, 0.0)
    require(expected > 1e-4, "there is hardly any thrust")
    return found / expected, 1.0, 1e-3
