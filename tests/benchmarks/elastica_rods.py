"""Rods of PyElastica as the benchmarks build them: straight ones, and the wave that drives their rest curvature."""

# pyright: reportMissingImports=false
from collections.abc import Callable, Sequence

import elastica
import numpy as np


class Collection(elastica.BaseSystemCollection, elastica.Forcing, elastica.Constraints):
    """One rod with what acts on it."""


class Muscles(elastica.NoForces):
    """A wave of the rest curvature: (rest curvature to fill, abscissae of the inner nodes [m], time [s]) -> None."""

    def __init__(self, wave: Callable[[np.ndarray, np.ndarray, float], None], elements: int, length: float):
        self.wave, self.s = wave, length * np.arange(1, elements) / elements

    def apply_torques(self, system, time=0.0):
        """The wave at that time."""
        self.wave(system.rest_kappa, self.s, time)


def straight_rod(
    elements: int,
    length: float,
    radius: float,
    density: float,
    young: float,
    *,
    shear: float | None = None,
    start: Sequence[float] = (0.0, 0.0, 0.0),
    direction: Sequence[float] = (1.0, 0.0, 0.0),
):
    """A straight round rod in the plane whose normal is z; its shear modulus is a third of Young's when None [Pa]."""
    return elastica.CosseratRod.straight_rod(
        elements,
        np.array(start),
        np.array(direction),
        np.array([0.0, 0.0, 1.0]),
        length,
        radius,
        density,
        youngs_modulus=young,
        shear_modulus=young / 3.0 if shear is None else shear,
    )


def driven(rod, wave: Callable[[np.ndarray, np.ndarray, float], None], length: float, surroundings: type) -> Collection:
    """A collection of one rod whose rest curvature follows a wave, under the forces of its surroundings."""
    collection = Collection()
    collection.append(rod)
    collection.add_forcing_to(rod).using(Muscles, wave=wave, elements=rod.n_elems, length=length)
    collection.add_forcing_to(rod).using(surroundings)
    collection.finalize()
    return collection
