"""The tree of rigid bodies: floating-base dynamics, inverse, direct, hybrid, with closed loops."""

from spatial import SimulationError as SimulationError

from . import robots as robots
from .afloat import (
    Afloat as Afloat,
    AfloatState as AfloatState,
    Instant as Instant,
)
from .builders import (
    Link as Link,
    from_links as from_links,
)
from .comparator import (
    StrainLaw as StrainLaw,
    from_beam as from_beam,
    strain_law as strain_law,
)
from .coordinates import (
    JointLaw as JointLaw,
    displace as displace,
    joint_rates as joint_rates,
    law_motion as law_motion,
    position_rates as position_rates,
)
from .cuts import (
    Cut as Cut,
)
from .dh import (
    DHRow as DHRow,
    from_dh as from_dh,
)
from .energy import (
    Power as Power,
    centre_of_mass as centre_of_mass,
    kinetic_energy as kinetic_energy,
    mass as mass,
    momentum as momentum,
    potential_energy as potential_energy,
    power as power,
)
from .equilibrium import (
    Equilibrium as Equilibrium,
    RightingCurve as RightingCurve,
    equilibrium as equilibrium,
    floating_state as floating_state,
    righting_curve as righting_curve,
)
from .float_march import (
    FloatRun as FloatRun,
    float_march as float_march,
)
from .floating import (
    Hulls as Hulls,
    displaced_volume as displaced_volume,
    fluid_potential as fluid_potential,
    hulls as hulls,
)
from .hybrid import (
    equations as equations,
    forward_dynamics as forward_dynamics,
    hybrid_dynamics as hybrid_dynamics,
    mass_matrix as mass_matrix,
)
from .immersion import (
    Immersion as Immersion,
    fluid_wrenches as fluid_wrenches,
    immerse as immerse,
)
from .joints import (
    KINDS as KINDS,
    Joint as Joint,
    fixed as fixed,
    helical as helical,
    prismatic as prismatic,
    revolute as revolute,
    spherical as spherical,
    universal as universal,
)
from .kinematics import (
    Configuration as Configuration,
    configuration as configuration,
    own_twists as own_twists,
    spread_twists as spread_twists,
)
from .loops import (
    LoopDynamics as LoopDynamics,
    Loops as Loops,
    close_loops as close_loops,
    loop_dynamics as loop_dynamics,
)
from .march import (
    march as march,
)
from .newton_euler import (
    Dynamics as Dynamics,
    inverse_dynamics as inverse_dynamics,
)
from .prisms import (
    prism_strip as prism_strip,
)
from .rollout import (
    Drive as Drive,
    Trajectory as Trajectory,
    rollout as rollout,
)
from .shape_motion import (
    ShapeMotion as ShapeMotion,
    shape_motion as shape_motion,
)
from .simulate import (
    recorded as recorded,
    simulate as simulate,
)
from .state import (
    BaseState as BaseState,
)
from .stiff_march import (
    stiff_march as stiff_march,
)
from .strips import (
    Strip as Strip,
    link_inertia as link_inertia,
    strip as strip,
)
from .tree import (
    Tree as Tree,
)
from .urdf import (
    from_urdf as from_urdf,
)
