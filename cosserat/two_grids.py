"""The two grids with which the error of a space path is estimated: sampled once for a body in a fluid, and kept."""

import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Float

from hydro import AbstractFluid
from stepping import short_program

from .beam import Beam
from .output_stations import Along
from .quadrature import mass
from .space_path import AbstractSpacePath

KEPT = 8  # pairs of grids that are kept


class TwoGrids(eqx.Module):
    """Quantities of an estimate that do not depend on the motion; the first axis of `grid` and `stations` is the grid.

    Attributes:
        grid: body sampled by the path and by the finer one, without the beam itself, which `evaluated` adds: the fewer
            arguments a program has, the less its call takes.
        stations: maps from the nodes to the points of comparison.
        along: the points of comparison.
        mass: mass of the body [kg].
    """

    grid: Any
    stations: Any
    along: Along
    mass: Float[Array, ""]

    def evaluated(self, beam: Beam, evaluate: Callable[[Any, Any], Any]) -> Any:
        """What a function of a sampled body and its stations returns on both grids, with a leading axis."""

        return jax.vmap(lambda grid, stations: evaluate(_with_beam(grid, beam), stations))(self.grid, self.stations)

    def coarser(self, beam: Beam) -> Any:
        """The body sampled by the path itself."""
        return _with_beam(jax.tree.map(lambda x: x[0], self.grid), beam)


def _with_beam(grid, beam):
    return eqx.tree_at(lambda g: g.beam, grid, beam, is_leaf=lambda x: x is None)


def points_of_comparison(beam: Beam) -> Along:
    """The body's own load nodes, where its power is computed, and its tail; the same for all grids.

    With fewer points, errors of M that vary within a load panel and cancel in the power would be misjudged.
    """
    return Along(beam, jnp.zeros(0))


@short_program
def sampled_twice(path: AbstractSpacePath, beam: Beam, fluid: AbstractFluid) -> TwoGrids:
    """The grid of a path and one twice as fine; `two_grids` keeps them."""
    return TwoGrids(*path.two_grids(beam, fluid), points_of_comparison(beam), mass(beam))


def two_grids(path: AbstractSpacePath, beam: Beam, fluid: AbstractFluid) -> TwoGrids:
    """The grid of a path and one twice as fine; those of the last few bodies are kept.

    Bodies and fluids count as the same only if they hold the same arrays, which JAX never changes in place. Inside
    `jax.jit`, and for other arrays, nothing is kept.

    Args:
        path: a space path with panels.
        beam: the body.
        fluid: the fluid around it.
    """
    swimmer = _Swimmer(path, beam, fluid)
    try:
        return _kept(swimmer) if _constant(swimmer.leaves) else sampled_twice(path, beam, fluid)
    except _Traced as traced:
        return traced.grids


class _Swimmer:
    """A body in a fluid on the grid of a path, equal to another that holds the same arrays."""

    def __init__(self, *parts):
        self.parts = parts
        self.leaves, self.structure = jax.tree.flatten(parts)

    def __hash__(self):
        return hash((self.structure, *map(id, self.leaves)))

    def __eq__(self, other):
        same = all(a is b for a, b in zip(self.leaves, other.leaves, strict=False))
        return len(self.leaves) == len(other.leaves) and same and self.structure == other.structure


class _Traced(Exception):
    """Carries grids that must not be kept: inside `jax.jit` they are traced, even if the body is not."""

    def __init__(self, grids: TwoGrids):
        self.grids = grids


@functools.lru_cache(KEPT)
def _kept(swimmer: _Swimmer) -> TwoGrids:
    grids = sampled_twice(*swimmer.parts)
    if not _constant(jax.tree.leaves(grids)):
        raise _Traced(grids)
    return grids


def _constant(leaves):
    return all(isinstance(leaf, jax.Array) and not isinstance(leaf, Tracer) for leaf in leaves)
