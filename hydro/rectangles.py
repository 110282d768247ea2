"""Added mass of a rectangle, from the conformal map of its exterior onto that of a circle."""

import functools

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from spatial.tables import monotone

_THIN = 1e4  # greatest ratio of the sides; thinner rectangles have the coefficients of this one
_ROWS, _NODES, _HARMONICS = 161, 400, 300


def rectangle_added_mass(
    width: Float[Array, ""], height: Float[Array, ""]
) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, ""]]:
    """Added masses of a rectangle along its width and along its height, and its added inertia about the axis.

    They are per metre and per density of the water. The masses are those of ideal fluid to 1e-5, the inertia to 1e-4.

    Args:
        width: side along t2 [m].
        height: side along t3 [m].

    Returns:
        lateral and dorsal added mass [m²], added inertia of roll [m⁴].
    """
    ratio, lateral, roll = (jnp.asarray(column) for column in _table())
    slender = jnp.log(height / width)
    along_width = 0.25 * jnp.pi * height**2 * monotone(slender, ratio, lateral)
    along_height = 0.25 * jnp.pi * width**2 * monotone(-slender, ratio, lateral)
    return along_width, along_height, (width**2 + height**2) ** 2 * monotone(slender, ratio, roll)


@functools.cache
def _table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logarithm of height / width, added mass over that of a plate πh²/4, added inertia over (w² + h²)².

    The map dz/dζ = √(1 - 2 cos 2α / ζ² + 1/ζ⁴), |ζ| > 1, has z = ζ + cos 2α / ζ + ... and corners at ζ = ±exp(±iα).
    With m = sin²α and B(m) = E(m) - (1 - m) K(m), the half sides are 2 B(1 - m) and 2 B(m). The added mass along the
    width is 2π (1 - cos 2α) less the area. For a rotation the stream function on the outline is |z|²/2; its Fourier
    coefficients A_n give the added inertia π Σ n A_n².
    """
    from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc  # slow to import

    end = np.log(_THIN * 4.0 / np.pi)
    logit = np.linspace(-end, end, _ROWS)
    m = 1.0 / (1.0 + np.exp(-logit))
    half = lambda m: 2.0 * (ellipe(m) - (1.0 - m) * ellipk(m))  # noqa: E731
    b, c = half(1.0 - m), half(m)
    lateral = (4.0 * np.pi * m - 4.0 * b * c) / (np.pi * c**2)

    node, weight = np.polynomial.legendre.leggauss(_NODES)
    u, weight = 0.25 * np.pi * (1.0 + node), 0.25 * np.pi * weight  # sin θ = √m sin u on the side at y = b
    order = 2.0 * np.arange(1, _HARMONICS + 1)[:, None]

    def side(m, far, turn):
        """Fourier coefficients of |z|²/2 on a quarter of the outline, from the middle of a side to the corner."""
        angle = np.arcsin(np.sqrt(m) * np.sin(u))
        along = 2.0 * (ellipeinc(u, m) - (1.0 - m) * ellipkinc(u, m))
        measure = weight * np.sqrt(m) * np.cos(u) / np.sqrt(1.0 - m * np.sin(u) ** 2)
        sign = np.cos(0.5 * np.pi * order[:, 0]) if turn else 1.0
        return sign * (np.cos(order * angle) @ (0.5 * (far**2 + along**2) * measure))

    roll = np.empty(_ROWS)
    for k in range(_ROWS):
        A = 4.0 / np.pi * (side(m[k], b[k], False) + side(1.0 - m[k], c[k], True))
        roll[k] = np.pi * np.sum(order[:, 0] * A**2) / (16.0 * (b[k] ** 2 + c[k] ** 2) ** 2)
    return np.log(c / b), lateral, roll
