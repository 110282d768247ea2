"""Orientation on few nodes: angular velocity and acceleration are exact derivatives of the discrete map."""

import jax
import jax.numpy as jnp
import numpy as np

from cosserat.orientation import discrete_motion, orientation
from cosserat.quadrature import cumulative
from spatial import nodewise, quaternion_conjugate, quaternion_multiply


def test_motion_on_few_nodes_is_the_derivative_of_the_orientation():
    """Two panels of six nodes that turn by about 2 rad each, against automatic differentiation twice: round-off."""
    panel_integral = jnp.asarray(0.8 * cumulative(6))
    K, dK, ddK = jnp.asarray(2.0 * np.random.default_rng(0).normal(size=(3, 3, 12)))

    @jax.jit
    def twice(K, dK, ddK):
        along = lambda K, dK: jax.jvp(lambda K: orientation(K, panel_integral), (K,), (dK,))  # noqa: E731
        (q, dq), (_, ddq) = jax.jvp(along, (K, dK), (dK, ddK))
        back = 2.0 * nodewise(quaternion_conjugate)(q)
        times = nodewise(quaternion_multiply)
        return q, times(dq, back)[1:], times(ddq, back)[1:]

    for found, expected in zip(discrete_motion(K, dK, ddK, panel_integral), twice(K, dK, ddK), strict=True):
        assert np.abs(np.asarray(found - expected)).max() < 1e-13 * max(1.0, np.abs(np.asarray(expected)).max())
