"""Components that need no body: the start of a gait, and one vertebra."""

import jax
import jax.numpy as jnp
import numpy as np

import gaits
import spatial
from anguilla.robots import vertebra

from .closed_forms import GROUP
from .report import Measurement, check
from .subjects import relative

SMOOTH = 1e-13  # sin 2π is 2.4e-16 in double precision, and is multiplied by 2π at most
DIGITS = 1e-10  # relative: the figures have eleven to twelve digits


@check(
    group=GROUP,
    title="start of a gait at its two ends: value, velocity, acceleration",
    unit="-",
    source="(0, 0, 0) and (1, 0, 0): it joins rest and the full gait with two derivatives",
    meaning="the start is not smooth, as with sin(τ) in (68) of [BPK06]",
)
def start_is_smooth() -> Measurement:
    """A start of one second."""
    law, X = gaits.Start(0.0, 1.0), jnp.zeros(())
    value = lambda t: law(X, t)  # noqa: E731
    jets = jax.vmap(lambda t: jnp.stack([value(t), jax.grad(value)(t), jax.grad(jax.grad(value))(t)]))
    found = np.asarray(jets(jnp.array([0.0, 1.0])))
    return np.abs(found - [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]).max(), 0.0, SMOOTH


@check(
    group="agreement",
    title="angles, rates and torques of the motors of one vertebra, and their power",
    unit="rel.",
    source="computed independently of this code: rotation (3, 10, 20)°, rate (0.2, -0.5, 1.5) rad/s, eleven digits",
    meaning="the inverse kinematics or the Jacobian of the wrist is wrong, such as the sign of (7) in [CHA08]",
)
def motors_of_a_vertebra() -> Measurement:
    """The worst of the ten numbers."""
    f = jnp.radians(jnp.array([3.0, 10.0, 20.0]))
    turn = lambda vector: spatial.matrix_from_quaternion(spatial.quaternion_exp(vector))  # noqa: E731
    spin, moment = spatial.dexp(f, jnp.array([0.2, -0.5, 1.5])), jnp.array([0.1, 0.4, 1.2])
    made = vertebra.actuate(vertebra.prototype(), vertebra.Limits(), turn(f), turn(0.5 * f), spin, moment)
    pairs = (
        (made.angles, [0.549283122613, 0.160409365136, 0.815963253686]),
        (made.rates, [1.16569031813, 1.90302712994, -0.112215499175]),
        (made.torques, [0.719360399999, 0.408663116484, -0.0221315278947]),
        (jnp.sum(made.power), 1.61873195165),
    )
    return max(relative(found, figure) for found, figure in pairs), 0.0, DIGITS
