"""How short the time steps of a moth must be: the fastest motion of its wings."""

import jax
import numpy as np
from jax.core import Tracer

from hydro import AbstractFluid

from ...hybrid import mass_matrix
from ...tree import Tree

STABLE = 3.0  # rate times step up to which explicit steps of order four and five do not explode
MOST_STEPS = 10_000  # of a stroke; more would take minutes for a stroke, and hours for a hover


def fastest_rate(tree: Tree, air: AbstractFluid) -> float:
    """Greatest modulus of an eigenvalue of the machine at rest, its stroke joints held [1/s].

    Springs and dampers of the joints against the inertia of the blades and of their air; it grows with the fourth
    power of the number of sections, the dampers of short blades being the fastest.
    """
    free = np.concatenate([np.arange(6), 6 + tree.passive_freedoms])
    inertia = np.asarray(mass_matrix(tree, tree.neutral(), fluid=air))[np.ix_(free, free)]
    spread = lambda x: np.diag(np.concatenate([np.zeros(6), np.asarray(x)[tree.passive_freedoms]]))  # noqa: E731
    n = len(free)
    lower = -np.linalg.solve(inertia, np.concatenate([spread(tree.stiffness), spread(tree.damping)], axis=1))
    upper = np.concatenate([np.zeros((n, n)), np.eye(n)], axis=1)
    return float(np.abs(np.linalg.eigvals(np.concatenate([upper, lower]))).max())


def steps_of_stroke(tree: Tree, air: AbstractFluid, period: jax.Array, wanted: int | None, usual: int) -> int:
    """The number of time steps of a stroke: as wanted, or else the usual one or what stability asks for.

    Args:
        tree: the bodies.
        air: around them.
        period: of the stroke [s].
        wanted: by the caller; None leaves the choice here.
        usual: number when the wings allow it.

    Raises:
        ValueError: so many steps would not be stable, or too many would be needed.
    """
    if any(isinstance(x, Tracer) for x in jax.tree.leaves((tree, air, period))):
        return usual if wanted is None else wanted
    rate = fastest_rate(tree, air)
    needed = 2 * int(np.ceil(0.5 * rate * float(period) / STABLE))
    if wanted is not None and wanted < needed:
        raise ValueError(
            f"flight: steps = {wanted}: the wings' fastest motion, {rate:.3g} 1/s, needs at least {needed} explicit "
            "steps of a stroke"
        )
    if wanted is None and needed > MOST_STEPS:
        raise ValueError(
            f"flight: the wings' fastest motion, {rate:.3g} 1/s, needs {needed} explicit steps of a stroke, above "
            f"{MOST_STEPS}: take fewer sections, less damping, ask for so many steps by name, or integrate "
            "multibody.robots.moth(...) by multibody.rollout with an implicit solver"
        )
    return max(usual, needed) if wanted is None else wanted
