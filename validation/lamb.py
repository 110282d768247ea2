"""Added inertia of an ellipsoid in an ideal fluid: Lamb's integrals, and their limit for a slender body."""

import numpy as np
from scipy.integrate import quad


def slender_added_inertia(A: float, B: float, C: float, rho: float) -> np.ndarray:
    """Diagonal (m1, m2, m3, I1, I2, I3) of a slender ellipsoid [kg, kg·m²]. [BPK06, IV]

    Args:
        A: long semi-axis, along t1 [m].
        B: semi-axis along t2 [m].
        C: semi-axis along t3 [m].
        rho: density of the fluid [kg/m³].
    """
    return (rho * np.pi * A) * np.array(
        [
            0.0,
            4.0 * C**2 / 3.0,
            4.0 * B**2 / 3.0,
            2.0 * (B**2 - C**2) ** 2 / 15.0,
            4.0 * B**2 * A**2 / 15.0,
            4.0 * C**2 * A**2 / 15.0,
        ]
    )


def lamb_added_inertia(A: float, B: float, C: float, rho: float) -> np.ndarray:
    """The same for any ellipsoid in an unbounded ideal fluid (Lamb, Hydrodynamics, articles 114-115, 121).

        α0 = ABC ∫0..∞ dλ / ((A²+λ) Δ),  Δ² = (A²+λ)(B²+λ)(C²+λ), and likewise β0, γ0;
        m1 = α0/(2-α0) m,   I1 = (B²-C²)²(γ0-β0) / (2(B²-C²) + (B²+C²)(β0-γ0)) m/5,   m = 4πρABC/3

    Args:
        A: semi-axis along t1 [m].
        B: semi-axis along t2 [m]; the three must differ.
        C: semi-axis along t3 [m].
        rho: density of the fluid [kg/m³].
    """
    axes = np.array([A, B, C])
    squares, volume = axes**2, A * B * C

    def integral(k):
        # λ = e^s: the integrand spans the decades between the squares of the axes.
        def f(s):
            x = np.exp(s)
            return x / ((squares[k] + x) * np.sqrt(np.prod(squares + x)))

        low, high = np.log(squares.min()), np.log(squares.max())
        bounds = [low - 60.0, low, 0.5 * (low + high), high, high + 80.0]
        return volume * sum(
            quad(f, a, b, epsabs=0.0, epsrel=1e-12, limit=400)[0] for a, b in zip(bounds, bounds[1:], strict=False)
        )

    coefficient = np.array([integral(k) for k in range(3)])
    mass = 4.0 * np.pi * rho * volume / 3.0
    linear = coefficient / (2.0 - coefficient) * mass

    def rotary(i, j):
        difference, total = squares[i] - squares[j], squares[i] + squares[j]
        excess = coefficient[j] - coefficient[i]
        return mass / 5.0 * difference**2 * excess / (2.0 * difference - total * excess)

    return np.array([*linear, rotary(1, 2), rotary(2, 0), rotary(0, 1)])


def slender_excess(A: float, B: float, C: float) -> np.ndarray:
    """Error of slender-body theory: its (m2, m3, I1, I2, I3) over Lamb's minus one, and m1 over the displaced mass.

    To second order in b = B/A and c = C/A, from the expansion of Lamb's integrals:

        α0 = 2bc (ln(4/(b+c)) - 1),   β0 = 2c/(b+c) - α0/2 - d,   γ0 = 2b/(b+c) - α0/2 + d,   d = bc (c-b)/(2(c+b))

    The error of this expansion is of fourth order, with squared logarithms: the square of the largest of these.

    Args:
        A: long semi-axis [m].
        B: semi-axis along t2 [m].
        C: semi-axis along t3 [m].
    """
    b, c = B / A, C / A
    alpha = 2.0 * b * c * (np.log(4.0 / (b + c)) - 1.0)
    d = b * c * (c - b) / (2.0 * (c + b))
    scale = (b + c) ** 2 / (2.0 * b * c)  # 2/(β(2-β)) = 2/(γ(2-γ)): sensitivity of β0/(2-β0)

    def rotary(square, coefficient, change):
        across = square * (2.0 + coefficient) / (2.0 - coefficient) - 2.0 * square
        return -(scale * (change - alpha) + across)

    return np.array(
        [
            scale * (alpha / 2.0 + d),
            scale * (alpha / 2.0 - d),
            (b + c) ** 2 / 4.0,
            rotary(c**2, 2.0 * b / (b + c), -alpha / 2.0 + d),
            rotary(b**2, 2.0 * c / (b + c), -alpha / 2.0 - d),
            alpha / 2.0,
        ]
    )
