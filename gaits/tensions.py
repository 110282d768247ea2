"""Tension laws of threads and cables, as functions of time, of length and its rate, or of a command.

The same laws give the activation of a muscle [-] or the pressure of a chamber [Pa]. Both engines use them: threads on
soft beams (`cosserat.Thread`) and cables between bodies (`multibody.Cable`).
"""

import abc
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, number, positive
from spatial.checks import integer, shown
from spatial.printing import Printed

Scalar = Float[Array, ""]


class AbstractTension(Printed):
    """A tension law. Its value may be negative: the thread is then slack, see `taut`."""

    @property
    def commands(self) -> int:
        """Number of commands that the law reads; 0 by default."""
        return 0

    @abc.abstractmethod
    def __call__(self, t: Scalar, length: Scalar, rate: Scalar, command: Float[Array, "commands"]) -> Scalar:
        """Tension before slack is taken into account [N].

        Args:
            t: time [s].
            length: length of the thread [m].
            rate: time derivative of the length [m/s].
            command: commands of the law, of any unit; empty for a law that reads none.
        """


class Tension(AbstractTension):
    """A prescribed tension: a constant, or a function of time.

    Attributes:
        value: tension, or t -> tension [N].

    Example:
        >>> import gaits, jax.numpy as jnp
        >>> pull = gaits.Tension(lambda t: 5.0 * jnp.sin(t))
    """

    value: Scalar | Callable[[Scalar], Scalar]

    def __init__(self, value: Numbers | Callable[[Scalar], Scalar]):
        self.value = value if callable(value) else finite("Tension.value", value, ())
        if callable(value):
            _check_returns("Tension.value", value, 1, "t -> tension")

    def __call__(self, t: Scalar, length: Scalar, rate: Scalar, command: Float[Array, "commands"]) -> Scalar:
        """The prescribed tension [N]."""
        return jnp.asarray(self.value(t), float) if callable(self.value) else self.value


class StateTension(AbstractTension):
    """A tension that is a user-defined function of time, length, rate of length, and command.

    Attributes:
        value: (t, length, rate, command) -> tension [N], written with `jax.numpy`.
        reads: number of commands that the function reads.

    Example:
        A spring of rest length 0.3 m with a damper:

        >>> import gaits
        >>> spring = gaits.StateTension(lambda t, length, rate, command: 200.0 * (length - 0.3) + 2.0 * rate)
    """

    value: Callable[[Scalar, Scalar, Scalar, Float[Array, "commands"]], Scalar]
    reads: int = eqx.field(static=True)

    def __init__(self, value: Callable[[Scalar, Scalar, Scalar, Float[Array, "commands"]], Scalar], commands: int = 0):
        if not callable(value):
            raise ValueError(
                f"StateTension.value = {shown(value)}: must be a callable (t, length, rate, command) -> tension [N]"
            )
        commands = integer("StateTension.commands", commands, 0)
        _check_returns("StateTension.value", value, 3, "(t, length, rate, command) -> tension", jnp.zeros(commands))
        self.value, self.reads = value, commands

    @property
    def commands(self) -> int:
        """Number of commands that the function reads."""
        return self.reads

    def __call__(self, t: Scalar, length: Scalar, rate: Scalar, command: Float[Array, "commands"]) -> Scalar:
        """Value of the function [N]."""
        return jnp.asarray(self.value(t, length, rate, command), float)


class Commanded(AbstractTension):
    """A tension commanded by a controller: T = bias + gain · command, at most `highest`.

    Attributes:
        gain: tension per unit of command [N]; [-] for an activation, [Pa] for a pressure.
        bias: tension at zero command [N].
        highest: maximum tension [N]; None for no limit.

    Example:
        >>> import gaits
        >>> winch = gaits.Commanded(highest=20.0)
        >>> winch.commands
        1
    """

    gain: Scalar
    bias: Scalar
    highest: Scalar | None

    def __init__(self, gain: Numbers = 1.0, bias: Numbers = 0.0, highest: Numbers | None = None):
        self.gain, self.bias = finite("Commanded.gain", gain, ()), finite("Commanded.bias", bias, ())
        self.highest = None if highest is None else positive("Commanded.highest", highest, shape=())

    @property
    def commands(self) -> int:
        """One command."""
        return 1

    def __call__(self, t: Scalar, length: Scalar, rate: Scalar, command: Float[Array, "commands"]) -> Scalar:
        """Tension bias + gain · command, at most `highest` [N]."""
        value = self.bias + self.gain * command[0]
        return value if self.highest is None else jnp.minimum(value, self.highest)


def taut(tension: Float[Array, "*any"]) -> Float[Array, "*any"]:
    """max(T, 0) [N]: a thread cannot push.

    The derivative is 0 for T < 0, 1 for T > 0 and 1/2 at T = 0. NaN stays NaN.
    """
    return jnp.maximum(tension, 0.0)


def tension_law(name: str, value: AbstractTension | Numbers | Callable[[Scalar], Scalar]) -> AbstractTension:
    """Converts a law, a number or a function of time to a tension law.

    Args:
        name: name of the argument in error messages.
        value: tension [N], activation [-] or pressure [Pa].
    """
    if isinstance(value, AbstractTension):
        return value
    if callable(value):
        _check_returns(name, value, 1, "t -> a number, or a law such as gaits.HillMuscle or gaits.StateTension")
        return Tension(value)
    return Tension(number(name, value))


def _check_returns(name, function, scalars, words, *more):
    """Raises ValueError if the function does not accept these arguments or does not return one number."""
    try:
        with jax.ensure_compile_time_eval():
            found = jax.eval_shape(
                lambda *given: jnp.asarray(function(*given), float), *[jnp.zeros(())] * scalars, *more
            )
    except TypeError as error:
        raise ValueError(f"{name} = {shown(function)}: must be a callable {words} ({error})") from error
    if found.shape != ():
        raise ValueError(f"{name} returns shape {found.shape}: must be one number, {words}")
