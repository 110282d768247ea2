"""Laws of tension: what pulls a thread or a cable, as a function of time, of its length and rate, or of a command.

The same laws serve as the activation of a muscle [-] or the pressure of a chamber [Pa]. Both engines use them: threads
on soft beams (`cosserat.Thread`) and cables between bodies (`multibody.Cable`).
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
    """A law of tension. It may be negative: the thread that it pulls is then slack, see `taut`."""

    @property
    def commands(self) -> int:
        """Number of commands that the law reads; none unless it says so."""
        return 0

    @abc.abstractmethod
    def __call__(self, t: Scalar, length: Scalar, rate: Scalar, command: Float[Array, "commands"]) -> Scalar:
        """Tension before slack is taken into account [N].

        Args:
            t: time [s].
            length: of the thread [m].
            rate: of its length [m/s]; positive when it lengthens.
            command: commands of the law, of any unit; empty for a law that reads none.
        """


class Tension(AbstractTension):
    """A tension given in advance: a number, or a function of time.

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
        """As given [N]."""
        return jnp.asarray(self.value(t), float) if callable(self.value) else self.value


class StateTension(AbstractTension):
    """A tension that depends on the thread's own length and rate, by a function of your own.

    Attributes:
        value: (t, length, rate, command) -> tension [N], written with `jax.numpy`.
        reads: number of commands that it reads.

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
        """As given."""
        return self.reads

    def __call__(self, t: Scalar, length: Scalar, rate: Scalar, command: Float[Array, "commands"]) -> Scalar:
        """As the function gives it [N]."""
        return jnp.asarray(self.value(t, length, rate, command), float)


class Commanded(AbstractTension):
    """A tension that a controller commands: T = bias + gain · command, at most `highest`.

    Attributes:
        gain: tension for a unit of command [N], or [-] for an activation, [Pa] for a pressure.
        bias: tension without command [N].
        highest: greatest tension [N]; None for no limit.

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
        """One."""
        return 1

    def __call__(self, t: Scalar, length: Scalar, rate: Scalar, command: Float[Array, "commands"]) -> Scalar:
        """bias + gain · command [N]."""
        value = self.bias + self.gain * command[0]
        return value if self.highest is None else jnp.minimum(value, self.highest)


def taut(tension: Float[Array, "*any"]) -> Float[Array, "*any"]:
    """max(T, 0) [N]: a thread does not push.

    Its derivative is 0 while slack, 1 while taut, and one half where it becomes so: finite everywhere. NaN stays NaN.
    """
    return jnp.maximum(tension, 0.0)


def tension_law(name: str, value: AbstractTension | Numbers | Callable[[Scalar], Scalar]) -> AbstractTension:
    """A law of tension made of a law, a number or a function of time, in the unit of what it drives.

    Args:
        name: argument that a message is to name.
        value: what is given.
    """
    if isinstance(value, AbstractTension):
        return value
    if callable(value):
        _check_returns(name, value, 1, "t -> a number, or a law such as gaits.HillMuscle or gaits.StateTension")
        return Tension(value)
    return Tension(number(name, value))


def _check_returns(name, function, scalars, words, *more):
    """Refuses a function that does not take these arguments or does not return one number."""
    try:
        with jax.ensure_compile_time_eval():
            found = jax.eval_shape(
                lambda *given: jnp.asarray(function(*given), float), *[jnp.zeros(())] * scalars, *more
            )
    except TypeError as error:
        raise ValueError(f"{name} = {shown(function)}: must be a callable {words} ({error})") from error
    if found.shape != ():
        raise ValueError(f"{name} returns shape {found.shape}: must be one number, {words}")
