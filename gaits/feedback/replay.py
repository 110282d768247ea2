"""Records of a feedback loop, and the laws of motion at one instant and over a recorded run."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PyTree

from stepping import AbstractMotion


class LoopRecord(eqx.Module):
    """A feedback loop at the recorded times.

    Attributes:
        time: of the record [s].
        memory: states of servo, controller and sensors, of any unit.
        command: of the controller, of any unit.
        sensed: readings of the sensors by name, of any unit.
        motion: y, dy/dt and d²y/dt² of the servo's output, of any unit; (times, 3, 0) without a servo.
        sound: whether the command is finite at the start and wherever the recorded motion is.
    """

    time: Float[Array, "times"]
    memory: PyTree[Float[Array, "times ..."]]
    command: Float[Array, "times m"]
    sensed: dict[str, Float[Array, "times ..."]]
    motion: Float[Array, "times 3 m"]
    sound: Bool[Array, ""]

    def memory_at(self, k: int | Int[Array, ""]) -> PyTree[Float[Array, "..."]]:
        """Memory at the k-th recorded time, to go on from there."""
        return jax.tree.map(lambda x: x[k], self.memory)


class SteeredMotion(AbstractMotion):
    """A motion that a controller may have steered: its `feedback` is the loop at the recorded times, or None."""

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
    """A steered law about one instant: exact in value and in its first two rates there.

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


class Replay(eqx.Module):
    """A steered law as it was driven in a run: exact in value and first two rates at the recorded times.

    In between, y is the quintic polynomial through value and two rates at both neighbours: twice differentiable.

    Attributes:
        law: (X, t, y) or (t, y) -> strain or positions.
        time: of the record [s].
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
        # From the left end: y0 + v0 s + a0 s²/2 + s³ (c3 + c4 x + c5 x²) with x = s/h, so that the left end is exact.
        d = y1 - y0 - h * (v0 + 0.5 * h * a0)
        e = h * (v1 - v0 - h * a0)
        f = h**2 * (a1 - a0)
        x = s / h
        bent = x**3 * (10.0 * d - 4.0 * e + 0.5 * f + x * (7.0 * e - 15.0 * d - f + x * (6.0 * d - 3.0 * e + 0.5 * f)))
        return y0 + s * (v0 + 0.5 * s * a0) + bent

    @property
    def break_times(self) -> tuple:
        """Those of the law [s]."""
        return tuple(getattr(self.law, "break_times", ()))
