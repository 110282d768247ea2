"""Records of a feedback loop, and laws of motion reconstructed near one instant or over a recorded run."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PyTree

from spatial.printing import Printed
from stepping import AbstractMotion


class LoopRecord(Printed):
    """A feedback loop at the recorded times.

    Attributes:
        time: times of the record [s].
        memory: states of servo, controller and sensors, of any unit.
        command: command of the controller, of any unit.
        sensed: readings of the sensors by name, of any unit.
        motion: y, dy/dt and d²y/dt² of the servo output, of any unit; shape (times, 3, 0) without a servo.
        sound: whether the command is finite at the start and at all times at which the recorded motion is finite.
    """

    time: Float[Array, "times"]
    memory: PyTree[Float[Array, "times ..."]]
    command: Float[Array, "times m"]
    sensed: dict[str, Float[Array, "times ..."]]
    motion: Float[Array, "times 3 m"]
    sound: Bool[Array, ""]

    def memory_at(self, k: int | Int[Array, ""]) -> PyTree[Float[Array, "..."]]:
        """Memory at the k-th recorded time, from which a run can be continued."""
        return jax.tree.map(lambda x: x[k], self.memory)


class SteeredMotion(AbstractMotion):
    """A motion with an optional controller: `feedback` is the record of the loop, or None."""

    @property
    def command(self) -> Float[Array, "times m"]:
        """Command of the controller, of any unit."""
        return self._loop.command

    @property
    def sensed(self) -> dict[str, Float[Array, "times ..."]]:
        """Readings of the sensors by name, of any unit."""
        return self._loop.sensed

    @property
    def memory(self) -> PyTree[Float[Array, "times ..."]]:
        """States of servo, controller and sensors, of any unit."""
        return self._loop.memory

    @property
    def _loop(self) -> LoopRecord:
        record = getattr(self, "feedback", None)
        if record is None:
            raise ValueError("nothing steered this run: it has no command; give a gaits.Steered as gait or law")
        return record


class MotionAt(eqx.Module):
    """A steered law near one instant, at which its value and first two time derivatives are exact.

    Attributes:
        law: (X, t, y) or (t, y) -> strain or positions.
        t: the instant [s].
        motion: y, dy/dt and d²y/dt² at that instant, of any unit.
    """

    law: Callable[..., Any]
    t: Float[Array, ""]
    motion: Float[Array, "3 m"]

    def __call__(self, *where: Float[Array, ""]) -> Float[Array, "n"]:
        """Strain at (X, t), or positions at (t) [-, 1/m, rad, m]."""
        return self.law(*where, self.output(where[-1]))

    def output(self, t: Float[Array, ""]) -> Float[Array, "m"]:
        """y at the time t [s], of any unit."""
        s = t - self.t
        y, dy, ddy = self.motion
        return y + s * (dy + 0.5 * s * ddy)


class Replay(Printed):
    """A steered law reconstructed from a run: value and first two time derivatives are exact at the recorded times.

    Between two recorded times, y is the quintic Hermite polynomial, so that the law is twice differentiable.

    Attributes:
        law: (X, t, y) or (t, y) -> strain or positions.
        time: times of the record [s].
        motion: y, dy/dt and d²y/dt² at these times, of any unit.
    """

    law: Callable[..., Any]
    time: Float[Array, "times"]
    motion: Float[Array, "times 3 m"]

    def __call__(self, *where: Float[Array, ""]) -> Float[Array, "n"]:
        """Strain at (X, t), or positions at (t) [-, 1/m, rad, m]."""
        return self.law(*where, self.output(where[-1]))

    def output(self, t: Float[Array, ""]) -> Float[Array, "m"]:
        """y at the time t [s], of any unit."""
        k = jnp.clip(jnp.searchsorted(self.time, t, side="right") - 1, 0, self.time.shape[0] - 2)
        h, s = self.time[k + 1] - self.time[k], t - self.time[k]
        (y0, v0, a0), (y1, v1, a1) = self.motion[k], self.motion[k + 1]
        # Expanded about the left end, so that it is exact there: y0 + v0 s + a0 s²/2 + x³ (c3 + c4 x + c5 x²), x = s/h.
        d = y1 - y0 - h * (v0 + 0.5 * h * a0)
        e = h * (v1 - v0 - h * a0)
        f = h**2 * (a1 - a0)
        x = s / h
        bent = x**3 * (10.0 * d - 4.0 * e + 0.5 * f + x * (7.0 * e - 15.0 * d - f + x * (6.0 * d - 3.0 * e + 0.5 * f)))
        return y0 + s * (v0 + 0.5 * s * a0) + bent

    @property
    def break_times(self) -> tuple:
        """Break times of the law [s]."""
        return tuple(getattr(self.law, "break_times", ()))
