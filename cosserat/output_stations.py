"""Abscissae at which the two space loops are evaluated: output stations, quadrature nodes of the power, the tail."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import BodySection
from spatial import join, matrix_from_quaternion

from .beam import Beam
from .quadrature import load_nodes
from .space_path import BothLoops
from .strain import Gait, strain_rates


class Along(eqx.Module):
    """Stations, quadrature nodes and tail in one array of abscissae, for a space path.

    Attributes:
        stations: the requested stations [m].
        section: sections of the body at the stations.
        nodes: quadrature nodes of the power [m].
        weight: quadrature weights [m].
        X: stations, nodes and tail [m].
    """

    stations: Float[Array, "stations"]
    section: BodySection
    nodes: Float[Array, "nodes"]
    weight: Float[Array, "nodes"]
    X: Float[Array, "all"]

    def __init__(
        self,
        beam: Beam,
        stations: Float[Array, "stations"],
        quadrature: tuple[Float[Array, "nodes"], Float[Array, "nodes"]] | None = None,
    ):
        """Joins stations with a body's load grid (nodes and weights, if known) and its tail."""
        if quadrature is None:
            loads = load_nodes(beam)
            quadrature = loads.X.ravel(), loads.weight.ravel()
        self.nodes, self.weight = quadrature
        self.stations, self.section = stations, jax.vmap(beam.profile)(stations)
        self.X = jnp.concatenate([self.stations, self.nodes, beam.length[None]])

    def at_stations(self, loops: BothLoops) -> BothLoops:
        """Values at X, restricted to the stations."""
        return _rows(loops, slice(None, self.stations.shape[0]))

    def at_nodes(self, loops: BothLoops) -> BothLoops:
        """Values at X, restricted to the quadrature nodes."""
        return _rows(loops, slice(self.stations.shape[0], -1))

    def at_tail(self, loops: BothLoops) -> Float[Array, "6"]:
        """n in the world and M in the section frame at X = L [N, N·m]."""
        return jnp.concatenate([loops.force_w[-1], loops.moment[-1]])

    def power(self, loops: BothLoops, gait: Gait, t: Float[Array, ""]) -> Float[Array, ""]:
        """Actuator power ∫(M·dK/dt + Rᵀn·dΓ/dt) dX from values at X [W]."""
        return jnp.sum(self.power_density(loops, gait, t))

    def power_density(self, loops: BothLoops, gait: Gait, t: Float[Array, ""]) -> Float[Array, "nodes 6"]:
        """Parts of `power`, node by node and strain by strain [W]."""
        here = self.at_nodes(loops)
        wrench = join(section_force(here.quaternion, here.force_w), here.moment)
        return self.weight[:, None] * wrench * strain_rates(gait, self.nodes, t).dxi


def section_force(quaternion: Float[Array, "all 4"], force_w: Float[Array, "all 3"]) -> Float[Array, "all 3"]:
    """Internal force Rᵀn in the section frame [N]."""
    return jnp.einsum("sji,sj->si", matrix_from_quaternion(quaternion), force_w)


def _rows(loops, rows):
    return jax.tree.map(lambda field: field[rows] if field.ndim > 1 else field, loops)
