"""Point masses on the nodes of the fast path.

Arrays are (component, node) at the smooth nodes and (mass, component) at the masses.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import AbstractFluid, Place
from hydro.fluid import Terms
from spatial import coadjoint, cross, matrix_from_quaternion

from .point_masses import PointMasses
from .shape import Shape, StillShape
from .state import HeadState


class SampledMasses(eqx.Module):
    """The point masses of a sampled body.

    Attributes:
        own: the masses.
        from_smooth: interpolation from the smooth nodes to them.
    """

    own: PointMasses
    from_smooth: Float[Array, "nodes masses"]

    def lumped(self) -> Float[Array, "6 6 nodes"]:
        """Inertia lumped on the smooth nodes, by their interpolation polynomials at the masses [kg, kg·m, kg·m²]."""
        return jnp.einsum("kij,nk->ijn", self.own.inertia, self.from_smooth)

    def gathered(self, terms: Terms) -> Float[Array, "6 nodes"]:
        """Loads on the masses as loads on the smooth nodes [N, N·m]."""
        return self._sum(terms).T @ self.from_smooth.T

    def loads(
        self, fluid: AbstractFluid, shape: Shape | StillShape, twist: Float[Array, "6 nodes"], state: HeadState
    ) -> Terms:
        """Load on each mass without inertial forces, term by term, in its section's frame [N, N·m].

        Args:
            fluid: the surroundings.
            shape: shape of the body, at the smooth nodes.
            twist: twists of the sections there [m/s, rad/s].
            state: state of the head.
        """
        return self.own.loads(fluid, self._place(shape, state), self.at_masses(twist))

    def potential(self, fluid: AbstractFluid, shape: Shape | StillShape, state: HeadState) -> Float[Array, ""]:
        """Potential energy of all masses [J]."""
        return jnp.sum(jax.vmap(fluid.mass_potential)(self.own.inertia, self._place(shape, state)))

    def _place(self, shape, state):
        rotation, position = self._pose(shape)
        turned = jnp.einsum("ij,kjl->kil", state.rotation, rotation)
        return Place(state.position[None] + position @ state.rotation.T, turned, self.own.X)

    def offset_moment(self, shape: Shape | StillShape) -> Float[Array, "3"]:
        """Σ mass times centre of the masses from their sections' centres, in the head's axes [kg·m]."""
        return jnp.einsum("kij,kj->i", self._pose(shape)[0], self.own.first_moment)

    def internal_wrench(
        self,
        shape: Shape,
        twist: Float[Array, "6 nodes"],
        twist_rates: Float[Array, "6 nodes"],
        terms: Terms,
        X: Float[Array, "points"],
        position: Float[Array, "3 points"],
    ) -> Float[Array, "6 points"]:
        """Contribution of the masses headward of each abscissa to n and R M, in the head's axes [N, N·m].

        Aft of a mass n jumps by its force f, and R M by its couple c; further aft R M changes by -∫ r' × f dX, which
        is -(r(X) - r(X_m)) × f.

        Args:
            shape: shape of the body, at the smooth nodes.
            twist: twists of the sections there [m/s, rad/s].
            twist_rates: d(twist)/dt there, including the head's [m/s², rad/s²].
            terms: loads on the masses, see `loads` [N, N·m].
            X: abscissae [m].
            position: centres of the sections there, in the head frame [m].
        """
        rotation, place = self._pose(shape)
        eta = self.at_masses(twist)
        momentum = jnp.einsum("kij,kj->ki", self.own.inertia, eta)
        inertial = jnp.einsum("kij,kj->ki", self.own.inertia, self.at_masses(twist_rates))
        wrench = self._sum(terms) + jax.vmap(coadjoint)(eta, momentum) - inertial
        force = jnp.einsum("kij,kj->ki", rotation, wrench[:, :3])
        couple = jnp.einsum("kij,kj->ki", rotation, wrench[:, 3:])
        aft = jnp.where(X[None, :] >= self.own.X[:, None], 1.0, 0.0)
        about_origin = couple + jax.vmap(cross)(place, force)
        total = force.T @ aft
        lever = jax.vmap(cross, in_axes=1, out_axes=1)(position, total)
        return jnp.concatenate([total, about_origin.T @ aft - lever])

    def at_masses(self, values: Float[Array, "6 nodes"]) -> Float[Array, "masses 6"]:
        """Interpolates values at the smooth nodes to the masses."""
        return (values @ self.from_smooth).T

    def _pose(self, shape):
        """Axes and centres of the masses' sections in the head frame."""
        quaternion = (shape.quaternion @ self.from_smooth).T
        quaternion = quaternion / jnp.linalg.norm(quaternion, axis=1, keepdims=True)
        return jax.vmap(matrix_from_quaternion)(quaternion), (shape.position @ self.from_smooth).T

    def _sum(self, terms):
        return sum(terms.values(), jnp.zeros((self.own.X.shape[0], 6)))
