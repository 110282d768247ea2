"""Gradient-based design of the wing stiffness for minimum hovering power."""

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy.optimize import minimize

from spatial import positive

from .hovering import Hover, hover
from .parameters import MothParameters
from .sensitivities import TABLE, sensitivity
from .stroke_maps import flight

STIFFNESS = tuple(TABLE.index(name) for name in ("twist_root", "twist_tip", "bend_root", "bend_tip"))


class Design(eqx.Module):
    """Result of the search.

    Attributes:
        parameters: parameters of the best moth.
        hover: hover of the best moth.
        stiffness: (k_t1, k_t2, k_b1, k_b2), about the joints' axes, of each hovering moth tried [N·m/rad].
        power: mean power of one motor of each moth tried [W].
        gradient: derivatives of log power by the log stiffnesses about the joints' axes, at the optimum [-].
        at_bound: for each of the four stiffnesses, whether it is at a bound.
    """

    parameters: MothParameters
    hover: Hover
    stiffness: Float[np.ndarray, "tried 4"]
    power: Float[np.ndarray, "tried"]
    gradient: Float[np.ndarray, "4"]
    at_bound: tuple[bool, bool, bool, bool] = eqx.field(static=True)


def least_power(
    parameters: MothParameters | None = None,
    sections: int = 4,
    reading: str = "TB8",
    *,
    range: float = 2.0,
    steps: int = 200,
    iterations: int = 20,
    guess: Float[Array, "n"] | None = None,
    tell: Callable[[str], None] = lambda words: None,
) -> Design:
    """Twist and bend stiffness at root and tip for minimum motor power in hover (L-BFGS-B, exact gradients).

    The hover is solved again for every moth tried, starting from the best one so far.

    Args:
        parameters: initial moth; Table I when None.
        sections: as in `model`.
        reading: as in `model`.
        range: each stiffness stays within this factor of its initial value.
        steps: time steps per stroke.
        iterations: maximum number of iterations.
        guess: unknowns of the first moth's hover, as in `Hover.unknowns`; found from rest when None.
        tell: called with a message for each moth tried.
    """
    if float(positive("range", range)) <= 1.0:
        raise ValueError(f"least_power: range = {range}: must be greater than 1")
    first = MothParameters() if parameters is None else parameters
    begin = np.concatenate([np.asarray(first.twist_stiffness), np.asarray(first.bend_stiffness)])

    def moth_of(factors: np.ndarray) -> MothParameters:
        stiffness = jnp.asarray(begin * np.exp(factors))
        fields = lambda p: (p.twist_stiffness, p.bend_stiffness)  # noqa: E731
        return eqx.tree_at(fields, first, (stiffness[:2], stiffness[2:]))

    known: list[tuple[float, Hover]] = []
    tried: list[np.ndarray] = []

    def cost(factors: np.ndarray) -> tuple[float, np.ndarray]:
        moth = moth_of(factors)
        near = guess if not known else min(known, key=lambda pair: pair[0])[1].unknowns
        found = hover(flight(sections, reading, moth, steps=steps), near)
        slope = sensitivity(moth, found, sections, reading)
        power = float(slope.power)
        known.append((power, found))
        tried.append(begin * np.exp(factors))
        tell(f"stiffness {np.array2string(1e3 * tried[-1], precision=2)} mN m/rad: {power:.5f} W")
        return np.log(power), np.asarray(slope.relative("hover_power"))[list(STIFFNESS)]

    limit = np.log(range)
    result = minimize(
        cost,
        np.zeros(4),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-limit, limit)] * 4,
        options={"maxiter": iterations, "ftol": 1e-9, "gtol": 1e-5},
    )
    power, best = min(known, key=lambda pair: pair[0])
    where = tried[[pair[0] for pair in known].index(power)]
    factors = np.log(where / begin)
    bound = tuple(bool(abs(abs(x) - limit) < 1e-9) for x in factors)
    return Design(
        moth_of(factors), best, np.array(tried), np.array([pair[0] for pair in known]), np.asarray(result.jac),
        (bound[0], bound[1], bound[2], bound[3]),
    )  # fmt: skip
