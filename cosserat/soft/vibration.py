"""Small motions of a soft beam about a state: natural frequencies, complex modes, buckling loads."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float

from hydro import AbstractFluid
from spatial import Numbers, bracket, finite, number, quaternion_exp, quaternion_multiply, solve
from spatial.checks import of_kind, positive
from stepping import unstored_program

from ..panels import Panels
from ..state import HeadState, unchecked_state
from ..strain import Gait
from .equations import inertia_matrix
from .mechanism import SoftMechanism
from .sampled_soft import SampledSoft, sample_soft
from .soft_beam import Soft, SoftState, start_of, unchecked_soft_state
from .soft_loop import static_parts
from .statics import StaticProblem, checked_command, checked_model, equilibrium


class NaturalModes(eqx.Module):
    """Undamped small vibrations about a shape at rest.

    Attributes:
        frequency: angular frequencies, lowest first [rad/s]; those of rigid motions are zero to round-off.
        shape: mode shapes as columns: displacement and rotation of the head if free, then the modes q, of any unit;
            normalised to unit inertia.
        inertia: inertia matrix of head and modes, due to body and water [kg, kg·m, kg·m²].
        stiffness: tangent stiffness about the shape [N/m, N·m, J].
    """

    frequency: Float[Array, "m"]
    shape: Float[Array, "m m"]
    inertia: Float[Array, "m m"]
    stiffness: Float[Array, "m m"]


def natural_modes(
    soft: Soft,
    fluid: AbstractFluid | None = None,
    *,
    q: Numbers | None = None,
    gait: Gait | None = None,
    head: HeadState | None = None,
    t: Numbers = 0.0,
    command: Numbers | None = None,
    path: Panels | None = None,
) -> NaturalModes:
    """Natural frequencies and shapes of a soft beam at rest, with the added mass of the fluid. jit- and vmap-safe.

    Damping and drag are neglected: see `complex_modes`. The shape `q` should be an equilibrium under conservative
    loads; an unstable one gives NaN.

    Args:
        soft: the beam.
        fluid: the fluid around it; none when None.
        q: modes of the shape [-, 1/m]; zero when None.
        gait: imposed strains; the rest shape when None.
        head: pose of the head; at the world's origin when None.
        t: time of gait, loads and muscles [s].
        command: commands of the actuators, of any unit; zero when None.
        path: space path; `Panels()` when None.

    Example:
        >>> import cosserat
        >>> rod = cosserat.rod(length=0.5, b=0.01, c=0.02, density=1100.0)
        >>> soft = cosserat.Soft(rod, cosserat.FreeStrains(modes={"K3": 8}), cosserat.Elastic(1e6, poisson=0.45),
        ...     head=cosserat.Clamped())
        >>> round(float(cosserat.natural_modes(soft).frequency[0]), 2)
        2.12
    """
    fluid, state, path = checked_model(soft, gait, fluid, head, path)
    sampled = sample_soft(soft, fluid, path.order, path.panels)
    modes = jnp.zeros(soft.modes) if q is None else finite("q", q, (soft.modes,))
    return _natural(sampled, gait, fluid, state, modes, number("t", t), checked_command(soft, command))


@unstored_program
def _natural(sampled: SampledSoft, gait, fluid, head, q, t, command):
    soft = sampled.soft
    problem = StaticProblem(sampled, gait, fluid, soft.head.held(head, t)[0], t, command)
    h = len(soft.head.free)
    start = jnp.concatenate([jnp.zeros(h), q])
    tangent = problem.tangent(start, jnp.asarray(1.0))
    parts = static_parts(sampled, gait, fluid, problem.head, q, t, jnp.asarray(1.0), command)
    unknown = problem.unknowns
    matrix = inertia_matrix(parts, soft.components)[np.ix_(unknown, unknown)]
    stiffness = 0.5 * (tangent + tangent.T)
    # The eigenvalues of the inertia relative to the shifted stiffness are 1 / (ω² + σ): in this form the lowest
    # frequencies are the most accurate.
    alone = matrix[h:, h:]
    if h:
        alone = alone - matrix[h:, :h] @ solve(matrix[:h, :h], matrix[:h, h:])
    shift = jnp.min(jnp.diagonal(stiffness)[h:] / jnp.diagonal(alone)) if h else 0.0
    factor = jnp.linalg.cholesky(stiffness + shift * matrix)
    half = jax.scipy.linalg.solve_triangular(factor, matrix, lower=True)
    inverse = jax.scipy.linalg.solve_triangular(factor, half.T, lower=True)
    values, vectors = jnp.linalg.eigh(0.5 * (inverse + inverse.T))
    square = 1.0 / values[::-1] - shift
    shape = jax.scipy.linalg.solve_triangular(factor.T, vectors[:, ::-1], lower=False) / jnp.sqrt(values[None, ::-1])
    return NaturalModes(jnp.sqrt(jnp.maximum(square, 0.0)), shape, matrix, stiffness)


class ComplexModes(eqx.Module):
    """Small motions about any state, each proportional to exp(λ t).

    Attributes:
        rate: λ, greatest real part first [1/s]. The real part is the growth rate, the imaginary part the angular
            frequency.
        shape: a column for each motion: displacement and rotation of the head in its frame if it is free, modes q, and
            the velocities of both, each in its own unit.
        matrix: matrix of the linear motion; an entry has the unit of its row over that of its column, per second.
    """

    rate: Complex[Array, "s"]
    shape: Complex[Array, "s s"]
    matrix: Float[Array, "s s"]


def complex_modes(
    soft: Soft,
    gait: Gait | None,
    fluid: AbstractFluid,
    state: SoftState | HeadState | None = None,
    t: Numbers = 0.0,
    path: Panels | None = None,
    command: Numbers | None = None,
) -> ComplexModes:
    """Growth rates and frequencies of small motions about a state, with drag, damping and speed. jit- and vmap-safe.

    The state should be steady: its twist and modes should be constant. A positive real rate is divergence; a complex
    pair with positive real part is flutter.

    Args:
        soft: the beam.
        gait: imposed strains; None for the rest shape.
        fluid: the fluid around it.
        state: state of head and modes; at rest when None.
        t: time of gait, loads and muscles [s].
        path: space path; `Panels()` when None.
        command: commands of the actuators, of any unit; zero when None.
    """
    of_kind("fluid", fluid, AbstractFluid, "a hydro fluid, such as hydro.Morison() or hydro.Void()")
    fluid, _, path = checked_model(soft, gait, fluid, None, path)
    start, time = start_of(soft, state), number("t", t)
    sampled = sample_soft(soft, fluid, path.order, path.panels)
    mechanism = SoftMechanism(sampled, gait, fluid, checked_command(soft, command))
    return _complex(mechanism, start, time)


@unstored_program
def _complex(mechanism: SoftMechanism, state: SoftState, t):
    soft, free = mechanism.sampled.soft, np.asarray(mechanism.held, int)
    h, n = len(free), soft.modes
    m = h + n
    held, _ = soft.head.held(state.head, t)

    def flow(x):
        """Rates of the displacement of the head in its frame, of the modes and of the velocities."""
        moved = jnp.zeros(6).at[free].set(x[:h], unique_indices=True)
        twist = held.twist.at[free].add(x[m : m + h], unique_indices=True)
        quaternion = quaternion_multiply(held.quaternion, quaternion_exp(moved[3:]))
        head = unchecked_state(held.position + held.rotation @ moved[:3], quaternion, twist)
        now = unchecked_soft_state(head, state.q + x[h:m], state.dq + x[m + h :])
        rates = mechanism.loop(t, now).rates()
        # g = ḡ exp(δ): dδ/dt = (η - η̄) - [η̄, δ] to first order.
        drift = (twist - held.twist - bracket(held.twist, moved))[free]
        return jnp.concatenate([drift, now.dq - state.dq, rates[free], rates[6:]])

    matrix = jax.jacfwd(flow)(jnp.zeros(2 * m))
    values, vectors = jnp.linalg.eig(matrix)
    order = jnp.argsort(-values.real)
    return ComplexModes(values[order], vectors[:, order], matrix)


def buckling_factor(
    soft: Soft,
    fluid: AbstractFluid | None = None,
    *,
    below: float,
    above: float,
    gait: Gait | None = None,
    head: HeadState | None = None,
    path: Panels | None = None,
    tolerance: float = 1e-12,
) -> float:
    """Load factor at which the equilibrium of a soft beam buckles: the tangent stiffness becomes singular.

    The body must be perfect: the equilibrium at each factor is found from zero modes, so that it stays on the unbuckled
    branch, which is stable at `below` and unstable at `above`.

    Args:
        soft: the beam, with conservative loads.
        fluid: loads on the sections; none when None.
        below: factor at which the equilibrium is stable [-].
        above: factor at which the equilibrium is unstable [-].
        gait: imposed strains; the rest shape when None.
        head: pose of the head; at the world's origin when None.
        path: space path; `Panels()` when None.
        tolerance: relative tolerance of the factor [-].
    """
    from scipy.optimize import root_scalar

    below, above = float(number("below", below)), float(number("above", above))
    tolerance = float(positive("tolerance", tolerance, shape=()))
    how: dict[str, Any] = {"gait": gait, "head": head, "path": path, "tolerance": 1e-9, "throw": False}

    def stiffness(factor):
        found = equilibrium(soft, fluid, factor=jnp.asarray(float(factor)), **how)
        if not bool(found.converged):
            raise ValueError(f"buckling_factor: no equilibrium at the factor {float(factor):g}")
        return float(jnp.linalg.eigvalsh(_symmetric(found.tangent))[0])

    ends = stiffness(below), stiffness(above)
    if not ends[0] > 0 > ends[1]:
        raise ValueError(
            f"buckling_factor: the least stiffness is {ends[0]:.3g} J at below = {below:g} and {ends[1]:.3g} J at "
            f"above = {above:g}: must be positive and negative"
        )
    return float(root_scalar(stiffness, bracket=(below, above), method="brentq", rtol=tolerance).root)


def _symmetric(matrix):
    return 0.5 * (matrix + matrix.T)
