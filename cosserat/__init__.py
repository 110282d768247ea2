"""The continuous, geometrically exact beam under imposed strains."""

from .beam import (
    Beam as Beam,
)
from .beam import (
    eel as eel,
)
from .beam import (
    rod as rod,
)
from .energy import (
    Energetics as Energetics,
)
from .energy import (
    actuator_power as actuator_power,
)
from .energy import (
    energetics as energetics,
)
from .energy import (
    mass as mass,
)
from .energy import (
    momentum as momentum,
)
from .head_dynamics import (
    head_acceleration as head_acceleration,
)
from .head_dynamics import (
    head_dynamics as head_dynamics,
)
from .internal_wrench import (
    BodyFields as BodyFields,
)
from .internal_wrench import (
    internal_wrench as internal_wrench,
)
from .nested import (
    Nested as Nested,
)
from .panels import (
    Panels as Panels,
)
from .resolution import (
    strain_tail as strain_tail,
)
from .rollout import (
    Trajectory as Trajectory,
)
from .rollout import (
    rollout as rollout,
)
from .simulate import (
    SimulationError as SimulationError,
)
from .simulate import (
    simulate as simulate,
)
from .space_path import (
    AbstractSpacePath as AbstractSpacePath,
)
from .space_path import (
    HeadDynamics as HeadDynamics,
)
from .state import (
    HeadState as HeadState,
)
