"""Stress of actuators, which adds to that of the material: interface, and muscles given as a strain or a stress."""

import abc
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import Profile
from spatial.checks import callable_as
from spatial.printing import Printed

from ..sampled_body import SampledBody
from ..strain import Gait


class StrainedBody(eqx.Module):
    """The strains along a soft beam at one instant, at the nodes on which its stress is integrated.

    Attributes:
        body: the body sampled on its grids.
        law: total strain about this instant, a law (X, t).
        t: time [s].
        strain: ξ at the load nodes, in the section frame [-, 1/m].
        rate: dξ/dt at the load nodes, in the section frame [1/s, 1/(m·s)].
        stiffness: stiffness of the material at the load nodes, in the section frame [N, N·m²].
    """

    body: SampledBody
    law: Gait
    t: Float[Array, ""]
    strain: Float[Array, "loads 6"]
    rate: Float[Array, "loads 6"]
    stiffness: Float[Array, "loads 6"]

    @property
    def X(self) -> Float[Array, "loads"]:
        """Abscissae of the nodes [m]."""
        return self.body.load_X

    @property
    def weight(self) -> Float[Array, "loads"]:
        """Quadrature weights of the nodes [m]."""
        return self.body.load_weight

    def slope(self) -> Float[Array, "loads 6"]:
        """dξ/dX at the nodes [1/m, 1/m²]."""
        return jax.vmap(lambda X: jax.jvp(lambda X: self.law(X, self.t), (X,), (jnp.ones(()),))[1])(self.X)

    def integral_from_head(self, density: Float[Array, "loads"]) -> Float[Array, "loads"]:
        """Integrals from the nose to the nodes of a density at the nodes, in its unit times metres."""
        return self.body.integral_at_loads(density[None])[0]


class AbstractActuator(Printed):
    """An actuator: adds a stress Λ_act to the free strains.

    An actuator may read commands: numbers that a controller gives at each instant.
    """

    @property
    def commands(self) -> int:
        """Number of commands that it reads; zero by default."""
        return 0

    @property
    def ends(self) -> tuple[float, ...]:
        """Abscissae inside the body at which its stress jumps [m]; none by default."""
        return ()

    def check(self, profile: Profile) -> None:
        """Checks the actuator against the profile of a body; called if the profile is concrete."""

    @abc.abstractmethod
    def stress(self, along: StrainedBody, command: Float[Array, "commands"]) -> Float[Array, "loads 6"]:
        """Λ_act that the tail side exerts on the head side, in the section frame, at the nodes of `along` [N, N·m].

        Args:
            along: the strains along the body, and the time.
            command: commands of this actuator, of any unit; empty for an actuator that reads none.
        """


class ActiveStrain(AbstractActuator):
    """Muscles that shift the rest shape: Λ_act = -H ξ_act(X, t).

    Attributes:
        strain: (X, t) -> ξ_act, added to the rest shape [-, 1/m].
    """

    strain: Callable[[Float[Array, ""], Float[Array, ""]], Float[Array, "6"]]

    def __check_init__(self):
        callable_as("ActiveStrain.strain", self.strain, "(X, t) -> strain (6,)")

    def stress(self, along: StrainedBody, command: Float[Array, "commands"]) -> Float[Array, "loads 6"]:
        """-H ξ_act [N, N·m]."""
        return -along.stiffness * jax.vmap(lambda X: self.strain(X, along.t))(along.X)


class ActiveStress(AbstractActuator):
    """Muscles that exert a given force and moment, independent of the strain.

    A positive active moment lowers the strain: alone it bends the body to ξ* - Λ_act / H.

    Attributes:
        value: (X, t) -> Λ_act [N, N·m].
    """

    value: Callable[[Float[Array, ""], Float[Array, ""]], Float[Array, "6"]]

    def __check_init__(self):
        callable_as("ActiveStress.value", self.value, "(X, t) -> stress (6,) [N, N·m]")

    def stress(self, along: StrainedBody, command: Float[Array, "commands"]) -> Float[Array, "loads 6"]:
        """The given stress [N, N·m]."""
        return jax.vmap(lambda X: self.value(X, along.t))(along.X)
