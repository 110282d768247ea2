"""The finer grid with which the error of a space path is estimated: sampled once for a body in a fluid, and kept."""

import functools
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

KEPT = 8  # finer grids that are kept


class FinerGrid(eqx.Module):
    """Quantities of an estimate that do not depend on the motion.

    Attributes:
        body: body sampled by the finer path.
        stations: maps from its nodes to the points of comparison.
        coarse_stations: maps from the nodes of the path itself to these points.
        along: the points of comparison.
        mass: mass of the body [kg].
    """

    body: Any
    stations: Any
    coarse_stations: Any
    along: Along
    mass: Float[Array, ""]


def points_of_comparison(beam: Beam) -> Along:
    """The body's own load nodes, where its power is computed, and its tail; the same for all grids.

    With fewer points, errors of M that vary within a load panel and cancel in the power would be misjudged.
    """
    return Along(beam, jnp.zeros(0))


@short_program
def sampled_finer(path: AbstractSpacePath, beam: Beam, fluid: AbstractFluid) -> FinerGrid:
    """The grid twice as fine as that of a path; `finer_grid` keeps it."""
    finer, along = path.finer(), points_of_comparison(beam)
    assert finer is not None
    body = finer.sample(beam, fluid)
    coarse = path.stations(path.sample(beam, fluid), along.X)
    return FinerGrid(body, finer.stations(body, along.X), coarse, along, mass(beam))


def finer_grid(path: AbstractSpacePath, beam: Beam, fluid: AbstractFluid) -> FinerGrid:
    """The grid twice as fine as that of a path; those of the last few bodies are kept.

    Bodies and fluids count as the same only if they hold the same arrays, which JAX never changes in place. Inside
    `jax.jit`, and for other arrays, nothing is kept.

    Args:
        path: a space path that has a finer one.
        beam: the body.
        fluid: the fluid around it.
    """
    swimmer = _Swimmer(path, beam, fluid)
    try:
        return _kept(swimmer) if _constant(swimmer.leaves) else sampled_finer(path, beam, fluid)
    except _Traced as traced:
        return traced.grid


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
    """Carries a grid that must not be kept: inside `jax.jit` it is traced, even if the body is not."""

    def __init__(self, grid: FinerGrid):
        self.grid = grid


@functools.lru_cache(KEPT)
def _kept(swimmer: _Swimmer) -> FinerGrid:
    grid = sampled_finer(*swimmer.parts)
    if not _constant(jax.tree.leaves(grid)):
        raise _Traced(grid)
    return grid


def _constant(leaves):
    return all(isinstance(leaf, jax.Array) and not isinstance(leaf, Tracer) for leaf in leaves)
