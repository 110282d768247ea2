"""The tree of rigid bodies: floating-base dynamics, inverse, direct, hybrid, with closed loops."""

from . import robots as robots
from .builders import (
    Link as Link,
)
from .builders import (
    from_links as from_links,
)
from .comparator import (
    StrainLaw as StrainLaw,
)
from .comparator import (
    from_beam as from_beam,
)
from .comparator import (
    strain_law as strain_law,
)
from .coordinates import (
    JointLaw as JointLaw,
)
from .coordinates import (
    displace as displace,
)
from .coordinates import (
    joint_rates as joint_rates,
)
from .coordinates import (
    law_motion as law_motion,
)
from .coordinates import (
    position_rates as position_rates,
)
from .cuts import (
    Cut as Cut,
)
from .dh import (
    DHRow as DHRow,
)
from .dh import (
    from_dh as from_dh,
)
from .energy import (
    Power as Power,
)
from .energy import (
    centre_of_mass as centre_of_mass,
)
from .energy import (
    kinetic_energy as kinetic_energy,
)
from .energy import (
    mass as mass,
)
from .energy import (
    momentum as momentum,
)
from .energy import (
    potential_energy as potential_energy,
)
from .energy import (
    power as power,
)
from .hybrid import (
    equations as equations,
)
from .hybrid import (
    forward_dynamics as forward_dynamics,
)
from .hybrid import (
    hybrid_dynamics as hybrid_dynamics,
)
from .hybrid import (
    mass_matrix as mass_matrix,
)
from .immersion import (
    Immersion as Immersion,
)
from .immersion import (
    fluid_wrenches as fluid_wrenches,
)
from .immersion import (
    immerse as immerse,
)
from .joints import (
    KINDS as KINDS,
)
from .joints import (
    Joint as Joint,
)
from .joints import (
    fixed as fixed,
)
from .joints import (
    helical as helical,
)
from .joints import (
    prismatic as prismatic,
)
from .joints import (
    revolute as revolute,
)
from .joints import (
    spherical as spherical,
)
from .joints import (
    universal as universal,
)
from .kinematics import (
    Configuration as Configuration,
)
from .kinematics import (
    configuration as configuration,
)
from .kinematics import (
    own_twists as own_twists,
)
from .kinematics import (
    spread_twists as spread_twists,
)
from .loops import (
    LoopDynamics as LoopDynamics,
)
from .loops import (
    Loops as Loops,
)
from .loops import (
    close_loops as close_loops,
)
from .loops import (
    loop_dynamics as loop_dynamics,
)
from .newton_euler import (
    Dynamics as Dynamics,
)
from .newton_euler import (
    inverse_dynamics as inverse_dynamics,
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
from .state import (
    BaseState as BaseState,
)
from .strips import (
    Strip as Strip,
)
from .strips import (
    link_inertia as link_inertia,
)
from .strips import (
    strip as strip,
)
from .tree import (
    Tree as Tree,
)
from .urdf import (
    from_urdf as from_urdf,
)
