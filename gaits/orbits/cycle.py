"""One period of a steady motion, as arrays: what objectives look at, whichever engine made it."""

import equinox as eqx
from jaxtyping import Array, Bool, Complex, Float


class Cycle(eqx.Module):
    """One period of a motion that repeats while its pose advances.

    Samples are even over the period, its start among them and its end not: means over them are integrals to the
    accuracy of a periodic function.

    Attributes:
        time: of the samples [s].
        period: T [s].
        position: of the head, in its frame at the start of the period [m].
        displacement: of the head over the period, in its frame at the start [m].
        turn: rotation of the head over the period, a quaternion (w, x, y, z) in its frame at the start.
        power: that the actuators deliver [W].
        X: stations along the body, or joints [m].
        torque: of the actuators at the stations, in their frames [N·m].
        curvature: at the stations, in their frames [1/m].
        mass: of the body [kg].
        start: the velocities that repeat (the head's twist) at the start [m/s, rad/s].
        multipliers: Floquet multipliers.
        residual: greatest component of the difference between the velocities at the end and the start [m/s or rad/s].
        converged: whether the motion repeats to the tolerance asked for; where it does not, the arrays are NaN.
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
