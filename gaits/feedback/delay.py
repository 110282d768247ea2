"""Delays: linear filters that are integrated with the motion, and shift registers that sample at equal intervals."""

import abc
import math

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from spatial import Numbers, one_of, positive
from spatial.checks import number, shown
from spatial.printing import Printed

from .body_view import AbstractBodyView
from .sensors import AbstractSensor

KINDS = ("pade", "lags")


class AbstractDelay(Printed):
    """A delay of a signal of any shape; its memory is part of the memory of the delayed sensor."""

    @property
    def sampling(self) -> float | None:
        """Sampling interval of the signal [s]; None for a continuous delay."""
        return None

    @abc.abstractmethod
    def start(self, value: Float[Array, "*shape"]) -> Float[Array, "order *shape"]:
        """Memory for a signal that has been constant at this value, in its unit."""

    @abc.abstractmethod
    def read(self, memory: Float[Array, "order *shape"]) -> Float[Array, "*shape"]:
        """The delayed signal, in its unit."""

    @abc.abstractmethod
    def rates(
        self, value: Float[Array, "*shape"], memory: Float[Array, "order *shape"]
    ) -> Float[Array, "order *shape"]:
        """Rates of the memory for the present value of the signal, in its unit per second."""

    def sample(
        self, value: Float[Array, "*shape"], memory: Float[Array, "order *shape"]
    ) -> Float[Array, "order *shape"]:
        """Memory after a sample has been taken, in the unit of the signal; unchanged for a continuous delay."""
        return memory


class ShiftRegister(AbstractDelay):
    """A delay by a whole number of sampling intervals: the signal is sampled, and each sample is output a time τ later.

    Between two sampling instants the output is constant, as with a computer that reads its sensors at a fixed rate. At
    a sampling instant the output is exactly the input a time τ before. A run with a shift register is integrated
    interval by interval from its first time; its output times must be sampling instants.

    >>> import anguilla, gaits.feedback as fb
    >>> import jax.numpy as jnp
    >>> register = fb.ShiftRegister(time=0.02, sampling=0.01)
    >>> memory = register.start(jnp.array(5.0))
    >>> for value in (1.0, 2.0, 3.0, 4.0):
    ...     memory = register.sample(jnp.array(value), memory)
    >>> register.read(memory).item()  # two samples before the last
    2.0

    Attributes:
        interval: sampling interval [s].
        length: delay in sampling intervals.
    """

    interval: float = eqx.field(static=True)
    length: int = eqx.field(static=True)

    def __init__(self, time: Numbers, sampling: Numbers):
        late, every = float(number("ShiftRegister.time", time)), float(number("ShiftRegister.sampling", sampling))
        if not (math.isfinite(every) and every > 0.0):
            raise ValueError(f"ShiftRegister.sampling = {every}: must be finite and positive [s]")
        if not (math.isfinite(late) and late >= 0.0):
            raise ValueError(f"ShiftRegister.time = {late}: must be finite and not negative [s]")
        self.interval, self.length = every, round(late / every)
        if abs(self.length * every - late) > 1e-9 * max(late, every):
            raise ValueError(f"ShiftRegister.time = {late} s: must be a whole multiple of sampling = {every} s")

    @property
    def sampling(self) -> float:
        """Sampling interval of the signal [s]."""
        return self.interval

    def start(self, value: Float[Array, "*shape"]) -> Float[Array, "order *shape"]:
        """Samples of a signal that has been constant at this value, in its unit, newest first."""
        value = jnp.asarray(value, float)
        return jnp.broadcast_to(value, (self.length + 1, *value.shape))

    def read(self, memory: Float[Array, "order *shape"]) -> Float[Array, "*shape"]:
        """The oldest sample, in the unit of the signal."""
        return memory[-1]

    def rates(
        self, value: Float[Array, "*shape"], memory: Float[Array, "order *shape"]
    ) -> Float[Array, "order *shape"]:
        """Zero, because the samples are constant between two sampling instants."""
        return jnp.zeros_like(memory)

    def sample(
        self, value: Float[Array, "*shape"], memory: Float[Array, "order *shape"]
    ) -> Float[Array, "order *shape"]:
        """The samples shifted by one, with the present value, in its unit, in front."""
        return jnp.concatenate([jnp.asarray(value, float)[None], memory[:-1]])


class Delay(AbstractDelay):
    """A continuous delay: the output approximates the input a time τ before.

    "pade" is the Padé approximant [n-1/n] of exp(-sτ): its series agrees up to (sτ)^(2n-1), and the response to a jump
    undershoots slightly. "lags" is a chain of n first-order lags of τ/n each: no undershoot, but a jump is smeared over
    a time of about τ/√n.

    >>> import gaits.feedback as fb
    >>> import jax.numpy as jnp
    >>> delay = fb.Delay(0.1, order=4)
    >>> memory = delay.start(jnp.array(2.0))  # the signal has always been 2
    >>> delay.read(memory).item(), jnp.abs(delay.rates(jnp.array(2.0), memory)).max().item()
    (2.0, 0.0)

    Attributes:
        time: τ [s].
        order: n, number of states for each component of the signal.
        kind: "pade" or "lags".
    """

    time: Float[Array, ""]
    order: int = eqx.field(static=True)
    kind: str = eqx.field(static=True)

    def __init__(self, time: Numbers, order: int = 4, kind: str = "pade"):
        one_of("Delay.kind", kind, KINDS)
        most = 8 if kind == "pade" else 100
        if not isinstance(order, int) or isinstance(order, bool) or not 1 <= order <= most:
            raise ValueError(f"Delay.order = {order!r}: must be an integer between 1 and {most}")
        self.time = positive("Delay.time", time, "s", ())
        self.order, self.kind = order, kind

    def start(self, value: Float[Array, "*shape"]) -> Float[Array, "order *shape"]:
        """States for a signal that has been constant at this value, in its unit."""
        value = jnp.asarray(value, float)
        if self.kind == "lags":
            return jnp.broadcast_to(value, (self.order, *value.shape))
        return jnp.zeros((self.order, *value.shape)).at[0].set(value)

    def read(self, memory: Float[Array, "order *shape"]) -> Float[Array, "*shape"]:
        """The delayed signal, in its unit."""
        if self.kind == "lags":
            return memory[-1]
        return jnp.tensordot(jnp.asarray(pade(self.order)[0]), memory, axes=1)

    def rates(
        self, value: Float[Array, "*shape"], memory: Float[Array, "order *shape"]
    ) -> Float[Array, "order *shape"]:
        """Rates of the states for the present value of the signal, in its unit per second."""
        if self.kind == "lags":
            before = jnp.concatenate([jnp.asarray(value)[None], memory[:-1]])
            return (before - memory) * (self.order / self.time)
        below = jnp.asarray(pade(self.order)[1])
        last = (value - jnp.tensordot(below[:-1], memory, axes=1)) / below[-1]
        return jnp.concatenate([memory[1:], last[None]]) / self.time


def pade(order: int) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of the Padé approximant exp(-x) ≈ P(x)/Q(x) of degrees n - 1 and n, lowest power first [-]."""
    m, n = order - 1, order
    f = math.factorial
    above = [(-1) ** j * f(m + n - j) * f(m) / (f(m + n) * f(j) * f(m - j)) for j in range(m + 1)]
    below = [f(m + n - j) * f(n) / (f(m + n) * f(j) * f(n - j)) for j in range(n + 1)]
    return np.array(above), np.array(below)


class Delayed(AbstractSensor):
    """A sensor with a delayed reading.

    >>> import gaits.feedback as fb
    >>> fb.Delayed(fb.Heading(), fb.Delay(0.1)).name
    'heading'

    Attributes:
        sensor: the sensor without delay.
        delay: delay of its reading.
    """

    sensor: AbstractSensor
    delay: AbstractDelay

    def __check_init__(self):
        if not isinstance(self.sensor, AbstractSensor) or not isinstance(self.delay, AbstractDelay):
            raise ValueError(
                f"Delayed({shown(self.sensor)}, {shown(self.delay)}): must be a sensor and a gaits.feedback.Delay or "
                "ShiftRegister, in this order"
            )
        if self.sensor.sampling is not None:
            raise ValueError("Delayed.sensor is sampled already: give its ShiftRegister the whole delay")

    @property
    def sampling(self) -> float | None:
        """Sampling interval of the delay [s]."""
        return self.delay.sampling

    @property
    def name(self) -> str:
        """Name of the sensor."""
        return self.sensor.name

    @property
    def unit(self) -> str:
        """Unit of the sensor."""
        return self.sensor.unit

    def start(self, view: AbstractBodyView) -> PyTree:
        """Memory as if the reading had always been the first one, of any unit."""
        own = self.sensor.start(view)
        return own, self.delay.start(self.sensor(view, own))

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, "..."]:
        """The delayed reading, of any unit."""
        return self.delay.read(memory[1])

    def rates(self, view: AbstractBodyView, memory: PyTree) -> PyTree:
        """Rates of the memories of the sensor and of the delay."""
        own, line = memory
        return self.sensor.rates(view, own), self.delay.rates(self.sensor(view, own), line)

    def sample(self, view: AbstractBodyView, memory: PyTree) -> PyTree:
        """The memory after a sample has been taken; unchanged for a continuous delay."""
        own, line = memory
        return own, self.delay.sample(self.sensor(view, own), line)
