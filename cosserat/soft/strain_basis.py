"""Free strains: the pieces of the body where strains are free, and their basis functions of X."""

import abc
from collections.abc import Callable, Mapping

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from spatial import number
from spatial.checks import integer, shown
from spatial.printing import Printed
from stepping.labels import STRAIN

KIRCHHOFF = ("K1", "K2", "K3")  # an inextensible rod that does not shear: twist and both bendings


class AbstractBasis(Printed):
    """Basis functions of the position in a piece of the body."""

    def cuts(self, count: int) -> tuple[float, ...]:
        """Positions in (0, 1) where `count` functions jump or have a kink; none by default."""
        return ()

    @abc.abstractmethod
    def __call__(self, x: Float[Array, ""], count: int) -> Float[Array, "count"]:
        """Values of `count` functions at the position x in [0, 1] of the piece [-]."""


class Legendre(AbstractBasis):
    """Orthonormal Legendre polynomials. For smooth strains the error decreases exponentially with their number."""

    def __call__(self, x: Float[Array, ""], count: int) -> Float[Array, "count"]:
        """Polynomials of degree 0 to count - 1, each of mean square 1 on the piece."""
        z = 2.0 * x - 1.0
        values = [jnp.ones_like(z), z]
        for k in range(1, count - 1):
            values.append(((2 * k + 1) * z * values[k] - k * values[k - 1]) / (k + 1))
        return jnp.sqrt(2.0 * jnp.arange(count) + 1.0) * jnp.stack(values[:count])


class PiecewiseConstant(AbstractBasis):
    """One constant strain in each of `count` equal parts of the piece."""

    def cuts(self, count: int) -> tuple[float, ...]:
        """Ends of the parts inside the piece."""
        return tuple(float(k) / count for k in range(1, count))

    def __call__(self, x: Float[Array, ""], count: int) -> Float[Array, "count"]:
        """√count in the part where x lies, 0 in the others: mean square 1 on the piece."""
        part = jnp.clip(jnp.floor(count * x), 0, count - 1)
        return jnp.where(part == jnp.arange(count), jnp.sqrt(float(count)), 0.0)


class Functions(AbstractBasis):
    """Basis functions given by the user.

    Attributes:
        functions: x -> values at the position x in [0, 1] of the piece, written with `jax.numpy`.
        kinks: positions in (0, 1) where one of them is not smooth.
    """

    functions: Callable[[Float[Array, ""]], Float[Array, "count"]]
    kinks: tuple[float, ...] = eqx.field(static=True)

    def __init__(self, functions: Callable[[Float[Array, ""]], Float[Array, "count"]], kinks: tuple[float, ...] = ()):
        if not callable(functions):
            raise ValueError(f"Functions.functions = {shown(functions)}: must be a callable x -> values of the modes")
        self.functions, self.kinks = functions, tuple(float(x) for x in kinks)
        if any(not 0.0 < x < 1.0 for x in self.kinks):
            raise ValueError(f"Functions.kinks = {kinks!r}: must lie between 0 and 1, the ends of the piece")

    def cuts(self, count: int) -> tuple[float, ...]:
        """The kinks."""
        return self.kinks

    def __call__(self, x: Float[Array, ""], count: int) -> Float[Array, "count"]:
        """Values of the functions at the position x [-]."""
        values = jnp.asarray(self.functions(x), float)
        if values.shape != (count,):
            raise ValueError(f"Functions.functions returns shape {values.shape}: must be ({count},), one for each mode")
        return values


class FreeStrains(Printed):
    """Strains that are free on a piece of the body, and the number of modes of each.

    On that piece a free strain is ξ* + Φ(X) q(t). The gait's law for that component is ignored there, unless the free
    strain is `in_series` with it.

    Attributes:
        start: abscissa where the piece begins [m].
        stop: abscissa where it ends [m]; None for the tail.
        modes: number of modes by component, in the order of the strain vector.
        basis: the functions Φ.
        in_series: whether the free strain adds to that of the gait, like a spring in series with an actuator.

    Example:
        >>> import cosserat
        >>> cosserat.FreeStrains(start=1.0, modes={"K3": 6}).modes
        (('K3', 6),)
    """

    start: float = eqx.field(static=True)
    stop: float | None = eqx.field(static=True)
    modes: tuple[tuple[str, int], ...] = eqx.field(static=True)
    basis: AbstractBasis
    in_series: bool = eqx.field(static=True)

    def __init__(
        self,
        start: float = 0.0,
        stop: float | None = None,
        modes: int | Mapping[str, int] = 4,
        basis: AbstractBasis | None = None,
        in_series: bool = False,
    ):
        """One number for `modes` applies to twist and both bendings: an inextensible Kirchhoff rod."""
        self.start = float(number("FreeStrains.start", start))
        self.stop = None if stop is None else float(number("FreeStrains.stop", stop))
        if self.start < 0 or (self.stop is not None and self.stop <= self.start):
            raise ValueError(
                f"FreeStrains: from start = {self.start:g} to stop = {self.stop} m: must run towards the tail, "
                "0 ≤ start < stop"
            )
        given = (
            modes if isinstance(modes, Mapping) else dict.fromkeys(KIRCHHOFF, integer("FreeStrains.modes", modes, 0))
        )
        for name in given:
            if name not in STRAIN:
                raise ValueError(f"FreeStrains.modes has {name!r}: strains are {', '.join(STRAIN)}")
        counts = {name: integer(f"FreeStrains.modes[{name!r}]", count, 0) for name, count in given.items()}
        self.modes = tuple((name, counts[name]) for name in STRAIN if counts.get(name, 0))
        basis = Legendre() if basis is None else basis
        if not isinstance(basis, AbstractBasis):
            raise ValueError(f"FreeStrains.basis = {shown(basis)}: must be a basis, such as cosserat.Legendre()")
        self.basis, self.in_series = basis, bool(in_series)

    def __str__(self) -> str:
        free = ", ".join(f"{name}: {count}" for name, count in self.modes) or "none"
        stop = "the tail" if self.stop is None else f"{self.stop:g} m"
        series = ", in series with the gait" if self.in_series else ""
        return f"FreeStrains({free} modes, from {self.start:g} m to {stop}, {self.basis}{series})"

    @property
    def count(self) -> int:
        """Number of modes."""
        return sum(count for _, count in self.modes)

    @property
    def components(self) -> tuple[int, ...]:
        """Index in the strain vector of each mode."""
        return tuple(STRAIN.index(name) for name, count in self.modes for _ in range(count))

    @property
    def cuts(self) -> tuple[float, ...]:
        """Positions in (0, 1) where a function of the basis is not smooth."""
        return tuple(sorted({x for _, count in self.modes for x in self.basis.cuts(count)}))

    def values(self, x: Float[Array, ""]) -> Float[Array, "count"]:
        """All modes at the position x in the piece, of mean square about 1 there [-]; zero outside."""
        inside = (x >= 0.0) & (x <= 1.0)
        local = jnp.clip(x, 0.0, 1.0)
        values = [self.basis(local, count) for _, count in self.modes]
        return jnp.where(inside, jnp.concatenate(values), 0.0)


def check_independent(piece: FreeStrains) -> None:
    """Rejects linearly dependent modes, by the condition number of their samples on the piece."""
    x = (np.arange(64.0) + 0.5) / 64.0
    for name, count in piece.modes:
        with jax.ensure_compile_time_eval():  # concrete, even inside another traced program
            sample = np.asarray(jax.vmap(lambda x, count=count: piece.basis(x, count))(jnp.asarray(x)))
        scale = np.linalg.norm(sample, axis=0)
        if not np.all(np.isfinite(sample)):
            raise ValueError(f"FreeStrains: a mode of {name} is not finite everywhere on its piece")
        if count > 64 or np.any(scale == 0) or np.linalg.cond(sample / np.where(scale > 0, scale, 1.0)) > 1e10:
            raise ValueError(
                f"FreeStrains: the {count} modes of {name} are linearly dependent: leave out those that are zero "
                "or sums of the others"
            )
