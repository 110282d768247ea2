"""Point masses in the body, such as motors, a battery or a camera.

A point mass moves with the section at its abscissa, like a short rigid insert. It has no volume: gravity acts on it,
the fluid does not. The internal wrench jumps at a mass; a station at a mass has the value on the tail side.
"""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from hydro import AbstractFluid, Place
from hydro.fluid import Terms
from spatial import Numbers, body_inertia, finite, positive
from spatial.checks import non_negative, shown
from spatial.printing import Printed


class PointMass(Printed):
    """A rigid part inside the body.

    Attributes:
        X: abscissa of the section it moves with [m].
        inertia: inertia about the centre of that section, in the section frame [kg, kg·m, kg·m²].

    Example:
        >>> import cosserat
        >>> motor = cosserat.PointMass(0.2, 0.05, inertia=[1e-5, 2e-5, 2e-5])
        >>> float(motor.mass)
        0.05
    """

    X: Float[Array, ""]
    inertia: Float[Array, "6 6"]

    def __init__(
        self,
        X: Numbers,
        mass: Numbers,
        inertia: Numbers = 0.0,
        centre: Numbers = (0.0, 0.0, 0.0),
    ):
        """Takes the `mass` [kg] at X [m] and, optionally, its inertia and offset.

        Args:
            X: abscissa of the section it moves with [m].
            mass: mass [kg].
            inertia: rotational inertia about its own centre, in the section's axes t1, t2, t3: a 3x3 matrix, or its
                three diagonal entries, or zero for a point [kg·m²].
            centre: its centre of mass from the centre of the section, in the section's axes [m].
        """
        self.X = non_negative("PointMass.X", X, "m", ())
        kg = positive("PointMass.mass", mass, "kg", ())
        moments = finite("PointMass.inertia", inertia)
        if moments.shape not in ((), (3,), (3, 3)):
            raise ValueError(f"PointMass.inertia has shape {moments.shape}: must be 3 moments or a 3x3 matrix [kg·m²]")
        if moments.ndim < 2:
            moments = jnp.broadcast_to(moments, (3,))[:, None] * jnp.eye(3)
        if not isinstance(moments, Tracer):
            known = np.asarray(moments)
            scale = 1e-9 * np.abs(known).max()
            if np.abs(known - known.T).max() > scale or np.linalg.eigvalsh(known)[0] < -scale:
                raise ValueError(
                    f"PointMass.inertia = {known.tolist()}: must be symmetric and have no negative eigenvalue [kg·m²]"
                )
        self.inertia = body_inertia(kg, finite("PointMass.centre", centre, (3,)), moments)

    @property
    def mass(self) -> Float[Array, ""]:
        """Mass [kg]."""
        return self.inertia[0, 0]


class PointMasses(eqx.Module):
    """All point masses of a body, from head to tail.

    Attributes:
        X: non-decreasing abscissae [m].
        inertia: inertia of each about the centre of its section, in its frame [kg, kg·m, kg·m²].
    """

    X: Float[Array, "masses"]
    inertia: Float[Array, "masses 6 6"]

    @property
    def mass(self) -> Float[Array, "masses"]:
        """Mass of each [kg]."""
        return self.inertia[:, 0, 0]

    @property
    def first_moment(self) -> Float[Array, "masses 3"]:
        """Mass times centre of each, in its section's frame [kg·m]."""
        lower = self.inertia[:, 3:, :3]
        return jnp.stack([lower[:, 2, 1], lower[:, 0, 2], lower[:, 1, 0]], axis=-1)

    def loads(self, fluid: AbstractFluid, place: Place, twist: Float[Array, "masses 6"]) -> Terms:
        """Load on each mass, such as weight, without inertial forces, in its section's frame [N, N·m]."""
        return jax.vmap(fluid.mass_terms)(self.inertia, place, twist)


def point_masses(masses: PointMasses | Sequence[Any], length: Float[Array, ""]) -> PointMasses | None:
    """Point masses in order; None for none. Raises if one is not on the body.

    Args:
        masses: `PointMass`es, or tuples of its arguments (X, kg), (X, kg, inertia) or (X, kg, inertia, centre).
        length: length of the body [m].
    """
    if isinstance(masses, PointMasses):
        return masses
    if not isinstance(masses, Sequence) or isinstance(masses, str):
        raise ValueError(f"Beam.masses = {shown(masses)}: must be a list of tuples (X, kg) or (X, kg, inertia)")
    if not masses:
        return None
    each = []
    for k, mass in enumerate(masses):
        if not isinstance(mass, PointMass):
            if not isinstance(mass, Sequence) or not 2 <= len(mass) <= 4:
                rule = "must be a tuple (X, kg) or (X, kg, inertia) [m, kg, kg·m²]"
                raise ValueError(f"Beam.masses[{k}] = {shown(mass)}: {rule}")
            mass = PointMass(*mass)
        each.append(mass)
    X, inertia = jnp.stack([m.X for m in each]), jnp.stack([m.inertia for m in each])
    if isinstance(X, Tracer) or isinstance(length, Tracer):
        X = eqx.error_if(X, (X < 0) | (X > length), "Beam.masses: X must lie between the nose (0) and the tail [m]")
    else:
        for k, x in enumerate(np.asarray(X)):
            if not 0.0 <= x <= float(length):
                raise ValueError(
                    f"Beam.masses[{k}]: X = {x}: must lie between the nose (0) and the tail ({float(length)}) [m]"
                )
    order = jnp.argsort(X)
    return PointMasses(X[order], inertia[order])
