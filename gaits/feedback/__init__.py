"""Feedback: sensors, controllers with a memory, servos and delays, for both engines."""

from .attitude import Attitude as Attitude
from .body_view import AbstractBodyView as AbstractBodyView
from .controller import (
    AbstractController as AbstractController,
    HeadingHold as HeadingHold,
    Hold as Hold,
    Reflex as Reflex,
)
from .delay import AbstractDelay as AbstractDelay, Delay as Delay, Delayed as Delayed, ShiftRegister as ShiftRegister
from .filtered_sensors import (
    Accelerometer as Accelerometer,
    InternalMoment as InternalMoment,
    JointTorque as JointTorque,
    ThreadTension as ThreadTension,
)
from .guidance import LineOfSight as LineOfSight
from .helm import Helm as Helm
from .offset import Offset as Offset
from .predictive import Plan as Plan, Predicted as Predicted, Predictive as Predictive
from .replay import LoopRecord as LoopRecord, Replay as Replay
from .sensors import (
    AbstractSensor as AbstractSensor,
    Depth as Depth,
    Flow as Flow,
    Gyroscope as Gyroscope,
    Heading as Heading,
    JointPosition as JointPosition,
    JointVelocity as JointVelocity,
    Pitch as Pitch,
    Position as Position,
    Pressure as Pressure,
    Roll as Roll,
    Strain as Strain,
    ThreadLength as ThreadLength,
    Velocity as Velocity,
    Vertical as Vertical,
)
from .servo import AbstractServo as AbstractServo, Servo as Servo, Smooth as Smooth
from .steered import Steered as Steered
from .steering import DepthHold as DepthHold, HeadingDepthHold as HeadingDepthHold
from .waypoints import Waypoints as Waypoints

__all__ = (
    "AbstractBodyView",
    "AbstractController",
    "AbstractSensor",
    "AbstractServo",
    "Accelerometer",
    "Attitude",
    "Delay",
    "Delayed",
    "Depth",
    "DepthHold",
    "Flow",
    "Gyroscope",
    "Heading",
    "HeadingDepthHold",
    "HeadingHold",
    "Helm",
    "Hold",
    "InternalMoment",
    "JointPosition",
    "JointTorque",
    "JointVelocity",
    "LineOfSight",
    "LoopRecord",
    "Offset",
    "Pitch",
    "Position",
    "Predictive",
    "Pressure",
    "Reflex",
    "Replay",
    "Roll",
    "Servo",
    "ShiftRegister",
    "Smooth",
    "Steered",
    "Strain",
    "ThreadLength",
    "ThreadTension",
    "Velocity",
    "Vertical",
    "Waypoints",
)


def __dir__() -> list[str]:
    return sorted(__all__)
