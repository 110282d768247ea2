"""Linear-quadratic regulation about a periodic orbit, with one command per period and exact derivatives of the flow."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float

from spatial import Numbers, finite, solve
from spatial.checks import callable_as
from spatial.printing import Printed


class PeriodicRegulator(Printed):
    """A linear feedback about a periodic orbit, applied once at the start of each period.

        x_{k+1} = A x_k + B u_k,   u_k = -K x_k,   x = state - start

    Attributes:
        start: state of the orbit at the start of a period, of any unit.
        command: constant command of the orbit itself, of any unit.
        A: derivative of the flow with respect to the state; each entry has the unit of its row over that of its column.
        B: derivative of the flow with respect to the command, with units as for A: any unit.
        gain: K; each entry has the unit of its command over that of its state: any unit.
        cost: P of the cost-to-go xᵀPx, in the unit of the weights.
        multipliers: Floquet multipliers of the closed loop, eigenvalues of A - B K, largest modulus first.
    """

    start: Float[Array, "states"]
    command: Float[Array, "inputs"]
    A: Float[Array, "states states"]
    B: Float[Array, "states inputs"]
    gain: Float[Array, "inputs states"]
    cost: Float[Array, "states states"]
    multipliers: Complex[Array, "states"]

    def __call__(self, state: Float[Array, "states"]) -> Float[Array, "inputs"]:
        """The command for the period that begins in this state, of any unit."""
        return self.command - self.gain @ (state - self.start)


def periodic_lqr(
    flow: Callable[[Float[Array, "states"], Float[Array, "inputs"]], Float[Array, "states"]],
    start: Numbers,
    command: Numbers,
    state_weight: Numbers,
    command_weight: Numbers,
) -> PeriodicRegulator:
    """Designs the regulator that minimises Σ xᵀQx + uᵀRu about a periodic orbit.

    A and B are the derivatives of the flow over one period, by `jax.jacfwd`. P solves the discrete Riccati equation

        P = Q + AᵀPA - AᵀPB (R + BᵀPB)⁻¹ BᵀPA,   K = (R + BᵀPB)⁻¹ BᵀPA.                          [AM07]

    The state must contain every quantity that is to return to the orbit. A quantity that the flow does not restore,
    such as the heading or the depth in steady swimming, is one more state with the multiplier 1.

    >>> import anguilla, gaits
    >>> import jax.numpy as jnp
    >>> flow = lambda x, u: jnp.array([1.2 * x[0] + u[0]])  # unstable: multiplier 1.2
    >>> regulator = gaits.periodic_lqr(flow, [0.0], [0.0], state_weight=[1.0], command_weight=[1.0])
    >>> bool(abs(regulator.multipliers[0]) < 1.0)
    True

    Args:
        flow: (state, command) -> state one period later, with the command held; differentiated in forward mode.
        start: state that repeats under `command`, of any unit, such as `Orbit.start`.
        command: constant command of the orbit, of any unit.
        state_weight: Q: its diagonal, or a positive semidefinite matrix.
        command_weight: R: its diagonal, or a positive definite matrix.

    Raises:
        ValueError: the state does not repeat, or the command cannot stabilise the orbit.
    """
    callable_as("flow", flow, "(state, command) -> state one period later")
    x = finite("start", start, (None,))
    u = finite("command", command, (None,))
    for name, given in (("start", x), ("command", u)):
        if given.shape == (0,):
            raise ValueError(f"{name} = []: must not be empty")
    after = eqx.filter_eval_shape(flow, x, u)
    if getattr(after, "shape", None) != x.shape:
        raise ValueError(f"flow returns shape {getattr(after, 'shape', None)}: must be {x.shape}, that of start")
    Q = _weight("state_weight", state_weight, x.shape[0], definite=False)
    R = _weight("command_weight", command_weight, u.shape[0], definite=True)

    def with_value(x, u):
        after = flow(x, u)
        return after, after

    (A, B), after = jax.jacfwd(with_value, argnums=(0, 1), has_aux=True)(x, u)
    defect = float(jnp.max(jnp.abs(after - x)))
    if not defect <= 1e-6 * (1.0 + float(jnp.max(jnp.abs(x)))):
        raise ValueError(f"start: the flow moves it by {defect:.1e}: must be a state that repeats after one period")
    try:
        from scipy.linalg import solve_discrete_are  # slow to import

        P = solve_discrete_are(np.asarray(A), np.asarray(B), Q, R)
    except (np.linalg.LinAlgError, ValueError) as error:
        raise ValueError(
            f"the command cannot stabilise this orbit, or the weights do not see what is unstable: {error}"
        ) from error
    P = jnp.asarray(0.5 * (P + P.T))
    K = solve(jnp.asarray(R) + B.T @ P @ B, B.T @ P @ A)
    multipliers = jnp.linalg.eigvals(A - B @ K)
    return PeriodicRegulator(x, u, A, B, K, P, multipliers[jnp.argsort(-jnp.abs(multipliers))])


def _weight(name: str, value: Numbers, size: int, *, definite: bool) -> np.ndarray:
    """A symmetric matrix, from its diagonal or as given; raises ValueError for a wrong shape or definiteness."""
    given = np.asarray(finite(name, value))
    matrix = np.diag(given) if given.ndim == 1 else given
    if matrix.shape != (size, size):
        raise ValueError(f"{name} has shape {given.shape}: must be ({size},), the diagonal, or ({size}, {size})")
    if not np.allclose(matrix, matrix.T):
        raise ValueError(f"{name}: must be symmetric")
    least = float(np.linalg.eigvalsh(matrix)[0])
    if least < (0.0 if not definite else np.finfo(float).tiny):
        rule = "positive definite" if definite else "positive semidefinite"
        raise ValueError(f"{name} has the eigenvalue {least:.3g}: must be {rule}")
    return matrix
