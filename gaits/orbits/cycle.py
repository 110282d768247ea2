"""One period of a steady motion as arrays, in a form that objectives accept from either engine."""

import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Bool, Complex, Float

from spatial.printing import Printed, summary, value_text


class Cycle(Printed):
    """One period of a motion that repeats up to a displacement of the pose.

    Samples are evenly spaced over the period, including its start but not its end, so that averages over them are
    spectrally accurate integrals.

    Attributes:
        time: times of the samples [s].
        period: T [s].
        position: position of the head, in its frame at the start of the period [m].
        displacement: displacement of the head over the period, in its frame at the start [m].
        turn: rotation of the head over the period, a quaternion (w, x, y, z) in its frame at the start.
        power: power delivered by the actuators [W].
        X: abscissae of the stations along the body, or of the joints [m].
        torque: actuator torque at the stations, in their frames [N·m].
        curvature: curvature at the stations, in their frames [1/m].
        mass: mass of the body [kg].
        start: velocities that repeat (the head's twist) at the start, in its frame [m/s, rad/s].
        multipliers: Floquet multipliers.
        residual: maximum component of the difference between the velocities at the end and the start [m/s or rad/s].
        converged: whether the motion repeats within the tolerance; if not, the arrays are NaN.
        wake_power: power that water leaving the body takes into its wake [W]; zero in a fluid without a wake.
    """

    time: Float[Array, "times"]
    period: Float[Array, ""]
    position: Float[Array, "times 3"]
    displacement: Float[Array, "3"]
    turn: Float[Array, "4"]
    power: Float[Array, "times"]
    X: Float[Array, "stations"]
    torque: Float[Array, "times stations 3"]
    curvature: Float[Array, "times stations 3"]
    mass: Float[Array, ""]
    start: Float[Array, "states"]
    multipliers: Complex[Array, "states"]
    residual: Float[Array, ""]
    converged: Bool[Array, ""]
    wake_power: Float[Array, "times"] | None = None

    def __str__(self) -> str:
        if isinstance(self.period, Tracer) or self.period.ndim:
            return summary(self)
        if not bool(self.converged):
            return f"Cycle(period {value_text(self.period)} s, not converged: residual {value_text(self.residual)})"
        speed = jnp.linalg.norm(self.displacement) / self.period
        return (
            f"Cycle(period {value_text(self.period)} s, speed {value_text(speed)} m/s, mean power "
            f"{value_text(jnp.mean(self.power))} W, peak torque {value_text(jnp.max(jnp.abs(self.torque)))} N·m, "
            f"largest multiplier {value_text(jnp.max(jnp.abs(self.multipliers)))})"
        )
