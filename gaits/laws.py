"""Scalar laws of space and time that can be added and multiplied: the building blocks of gaits."""

import abc
from collections.abc import Callable

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, number, positive
from spatial.checks import callable_as, in_order
from spatial.printing import Printed, value_text

Scalar = Float[Array, ""] | float


class AbstractLaw(Printed):
    """A scalar function of the abscissa X [m] and the time t [s]; twice differentiable in time."""

    @abc.abstractmethod
    def __call__(self, X: Scalar, t: Scalar) -> Scalar:
        """Value at (X, t)."""

    @property
    def break_times(self) -> tuple[Scalar, ...]:
        """Times at which a higher time derivative jumps [s]; time integrators step exactly onto them."""
        return ()

    def __add__(self, other: "AbstractLaw | Callable | Numbers") -> "AbstractLaw":
        return Sum((self, as_law(other)))

    def __radd__(self, other: "AbstractLaw | Callable | Numbers") -> "AbstractLaw":
        return Sum((as_law(other), self))

    def __mul__(self, other: "AbstractLaw | Callable | Numbers") -> "AbstractLaw":
        return Product((self, as_law(other)))

    def __rmul__(self, other: "AbstractLaw | Callable | Numbers") -> "AbstractLaw":
        return Product((as_law(other), self))

    def __neg__(self) -> "AbstractLaw":
        return -1.0 * self

    def __sub__(self, other: "AbstractLaw | Callable | Numbers") -> "AbstractLaw":
        return self + -1.0 * as_law(other)

    def __rsub__(self, other: "AbstractLaw | Callable | Numbers") -> "AbstractLaw":
        return other + -1.0 * self

    def __truediv__(self, other: Numbers) -> "AbstractLaw":
        if callable(other):
            raise TypeError("a law can only be divided by a number; write the quotient as a function (X, t) -> number")
        return self * (1.0 / number("divisor", other))


class Constant(AbstractLaw):
    """A value that does not depend on X or t.

    Attributes:
        value: the value, in the unit of the strain that it prescribes (any unit).
    """

    value: Scalar

    def __init__(self, value: Numbers):
        self.value = finite("Constant.value", value, ())

    def __call__(self, X: Scalar, t: Scalar) -> Scalar:
        """Returns the value."""
        return self.value

    def __str__(self) -> str:
        return value_text(self.value)


class TravellingWave(AbstractLaw):
    """A wave of amplitude α(X) that travels towards the tail. [BPK06, eqs. (67), (69)]

        α(X) sin(2π (X/λ - t/T) + φ),   α(X) = α1 Xⁿ⁻¹ + ... + αn

    >>> import anguilla, gaits
    >>> wave = gaits.TravellingWave(amplitude=(1.0, 0.5), wavelength=1.5, period=1.0)  # α(X) = X + 0.5 [1/m]
    >>> round(float(wave(0.0, 0.25)), 6)
    -0.5
    >>> gait = gaits.planar_bending(gaits.Start(0.0, 1.0) * wave)

    Attributes:
        amplitude: coefficients of the polynomial α in X, highest power first; any unit, with X in metres.
        wavelength: λ [m].
        period: T [s].
        phase: φ [rad].
    """

    amplitude: Float[Array, "terms"]
    wavelength: Scalar
    period: Scalar
    phase: Scalar

    def __init__(self, amplitude: Numbers, wavelength: Numbers, period: Numbers, phase: Numbers = 0.0):
        amplitude = finite("TravellingWave.amplitude", amplitude)
        self.amplitude = amplitude[None] if amplitude.ndim == 0 else amplitude
        if self.amplitude.ndim != 1:
            raise ValueError(
                f"TravellingWave.amplitude has shape {self.amplitude.shape}: must be one number, or the coefficients "
                "of a polynomial in X, highest power first"
            )
        self.wavelength = positive("TravellingWave.wavelength", wavelength, "m", ())
        self.period = positive("TravellingWave.period", period, "s", ())
        self.phase = finite("TravellingWave.phase", phase, ())

    def __call__(self, X: Scalar, t: Scalar) -> Scalar:
        """Value of the wave at (X, t)."""
        phase = 2.0 * jnp.pi * (X / self.wavelength - t / self.period) + self.phase
        return jnp.polyval(self.amplitude, X) * jnp.sin(phase)


class Function(AbstractLaw):
    """Any function (X, t) -> scalar, written with jax.numpy and twice differentiable in time.

    Attributes:
        function: a plain function, or a callable pytree whose arrays are differentiable parameters.
    """

    function: Callable[[Scalar, Scalar], Scalar]

    def __check_init__(self):
        callable_as("Function.function", self.function, "(X, t) -> one number")
        in_order("Function.function", self.function, "X", "t")

    def __call__(self, X: Scalar, t: Scalar) -> Scalar:
        """Value at (X, t)."""
        return self.function(X, t)

    def __str__(self) -> str:
        return f"{getattr(self.function, '__name__', type(self.function).__name__)}(X, t)"


class Sum(AbstractLaw):
    """Sum of laws."""

    laws: tuple[AbstractLaw, ...]

    def __call__(self, X: Scalar, t: Scalar) -> Scalar:
        """Sum at (X, t)."""
        total = self.laws[0](X, t)
        for law in self.laws[1:]:
            total = total + law(X, t)
        return total

    @property
    def break_times(self) -> tuple[Scalar, ...]:
        """Break times of all terms [s]."""
        return tuple(time for law in self.laws for time in law.break_times)

    def __str__(self) -> str:
        return "(" + " + ".join(map(str, self.laws)) + ")"


class Product(AbstractLaw):
    """Product of laws."""

    laws: tuple[AbstractLaw, ...]

    def __call__(self, X: Scalar, t: Scalar) -> Scalar:
        """Product at (X, t)."""
        total = self.laws[0](X, t)
        for law in self.laws[1:]:
            total = total * law(X, t)
        return total

    @property
    def break_times(self) -> tuple[Scalar, ...]:
        """Break times of all factors [s]."""
        return tuple(time for law in self.laws for time in law.break_times)

    def __str__(self) -> str:
        return " * ".join(map(str, self.laws))


def as_law(value: AbstractLaw | Callable | Numbers) -> AbstractLaw:
    """Converts to a law: a function (X, t) -> scalar becomes a `Function`, a number a `Constant`."""
    if isinstance(value, AbstractLaw):
        return value
    return Function(value) if callable(value) else Constant(value)
