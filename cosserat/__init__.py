"""The continuous, geometrically exact beam under imposed strains."""

from stepping import SimulationError as SimulationError

from .beam import Beam as Beam, eel as eel, rod as rod
from .body_fields import BodyFields as BodyFields, internal_wrench as internal_wrench
from .energy import (
    Energetics as Energetics,
    actuator_power as actuator_power,
    energetics as energetics,
    mass as mass,
    momentum as momentum,
)
from .head_equation import head_acceleration as head_acceleration, head_dynamics as head_dynamics
from .nested import Nested as Nested
from .panels import Panels as Panels
from .resolution import strain_tail as strain_tail
from .simulation import simulate as simulate
from .space_path import AbstractSpacePath as AbstractSpacePath, HeadDynamics as HeadDynamics
from .state import HeadState as HeadState
from .steady_swimming import steady_swim as steady_swim
from .trajectory import Trajectory as Trajectory, rollout as rollout
