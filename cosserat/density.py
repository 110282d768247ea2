"""Density along the body: one number, a table (X, density), or a function of the abscissa."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from spatial import Numbers, increasing, positive, shaped
from spatial.checks import shown
from spatial.tables import monotone
from stepping import unstored_program

Density = Float[Array, ""] | Callable[[Float[Array, ""]], Float[Array, ""]]


class DensityTable(eqx.Module):
    """Density at given abscissae, with monotone cubic interpolation between them; constant beyond the ends.

    Attributes:
        X: increasing abscissae [m].
        values: density there [kg/m³].

    Example:
        >>> import cosserat
        >>> float(cosserat.DensityTable([0.0, 1.0], [1000.0, 1100.0])(0.5))
        1050.0
    """

    X: Float[Array, "rows"]
    values: Float[Array, "rows"]

    def __init__(self, X: Numbers, values: Numbers):
        self.X = increasing("DensityTable.X", X, "m")
        self.values = positive("DensityTable.values", values, "kg/m³")
        shaped("DensityTable.values", self.values, self.X.shape)
        if self.X.shape[0] < 2:
            raise ValueError("DensityTable.X has one row: must have two at least; a constant density is a number")

    def __call__(self, X: Float[Array, ""]) -> Float[Array, ""]:
        """Density at the abscissa X [kg/m³]."""
        return monotone(X, self.X, self.values)


def density_along(density: Numbers | Density | tuple[Numbers, Numbers], length: Float[Array, ""]) -> Density:
    """The density as a number or a function of X; raises on anything else.

    Args:
        density: a number, a function of X, or the pair (X, density) of a table [m, kg/m³].
        length: length of the body [m].
    """
    if isinstance(density, tuple | list) and len(density) == 2 and all(_is_column(part) for part in density):
        rows, values = (np.shape(part)[0] for part in density)
        if rows != values:
            raise ValueError(f"Beam.density has {rows} abscissae and {values} values: must be as many")
        density = DensityTable(*density)
    if callable(density):
        return _checked(density, length)
    value = positive("Beam.density", density, "kg/m³")
    if value.shape != ():
        raise ValueError(
            f"Beam.density has shape {value.shape}: an array does not say where along the body its values are; give "
            "one number, a function of X, or the pair (X, density) of a table [m, kg/m³]"
        )
    return value


def _is_column(part):
    return hasattr(part, "__len__") and not isinstance(part, str) and len(np.shape(part)) == 1


@unstored_program
def _values(density, X):
    return jax.vmap(density)(X)


def _checked(density, length):
    try:
        shape = eqx.filter_eval_shape(density, jnp.zeros(()))
        if getattr(shape, "shape", None) != ():
            raise ValueError(f"Beam.density(X) returns {shown(shape)} at one X: must be one number [kg/m³]")
        if not isinstance(length, Tracer):
            inside = _values(density, length * jnp.linspace(0.0, 1.0, 25))
            positive("Beam.density(X) along the body", inside, "kg/m³")
    except jax.errors.JAXTypeError as error:
        raise ValueError(
            "Beam.density could not be evaluated at a traced X: write it with jax.numpy (jnp.where), not with numpy, "
            f"math or if: {str(error).splitlines()[0]}"
        ) from error
    return density
