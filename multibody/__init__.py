"""Trees of rigid bodies: floating-base inverse, direct and hybrid dynamics, closed loops, free surfaces."""

from spatial.moved_names import moved
from stepping import SimulationError as SimulationError

from .builders import Link as Link, from_links as from_links
from .cables import Cable as Cable, thread_length as thread_length
from .comparator import StrainLaw as StrainLaw, from_beam as from_beam, strain_law as strain_law
from .coordinates import (
    JointLaw as JointLaw,
    displace as displace,
    joint_rates as joint_rates,
    law_motion as law_motion,
    position_rates as position_rates,
)
from .dh import DHRow as DHRow, from_dh as from_dh
from .drive import Drive as Drive
from .energy import (
    Power as Power,
    centre_of_mass as centre_of_mass,
    kinetic_energy as kinetic_energy,
    mass as mass,
    momentum as momentum,
    potential_energy as potential_energy,
    power as power,
)
from .fixed_steps import march as march
from .floating_batch import FloatRun as FloatRun, float_march as float_march
from .floating_hulls import (
    Hulls as Hulls,
    displaced_volume as displaced_volume,
    fluid_potential as fluid_potential,
    hulls as hulls,
)
from .floating_rest import (
    Equilibrium as Equilibrium,
    RightingCurve as RightingCurve,
    equilibrium as equilibrium,
    floating_state as floating_state,
    righting_curve as righting_curve,
)
from .hybrid import (
    equations as equations,
    forward_dynamics as forward_dynamics,
    hybrid_dynamics as hybrid_dynamics,
    mass_matrix as mass_matrix,
)
from .immersion import Immersion as Immersion, fluid_wrenches as fluid_wrenches, immerse as immerse
from .implicit_steps import stiff_march as stiff_march
from .imposed_shape import ShapeMotion as ShapeMotion, shape_motion as shape_motion
from .joint_limits import JointLimits as JointLimits, limit_use as limit_use
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
from .loop_cuts import Cut as Cut
from .loops import (
    LoopDynamics as LoopDynamics,
    Loops as Loops,
    close_loops as close_loops,
    loop_dynamics as loop_dynamics,
)
from .machine_on_hull import Afloat as Afloat, AfloatState as AfloatState, Instant as Instant
from .mjcf import from_mjcf as from_mjcf, to_mjcf as to_mjcf
from .newton_euler import Dynamics as Dynamics, inverse_dynamics as inverse_dynamics
from .prisms import prism_strip as prism_strip
from .simulation import recorded as recorded, simulate as simulate
from .state import BaseState as BaseState
from .strips import Strip as Strip, link_inertia as link_inertia, strip as strip
from .trajectory import Trajectory as Trajectory, rollout as rollout
from .tree import Tree as Tree
from .urdf import from_urdf as from_urdf

__getattr__ = moved(__name__, {"robots": "anguilla.robots", "vertebra": "anguilla.robots.vertebra"})

# The most used names, which `dir(multibody)` lists; other names are imported from their modules.
__all__ = (
    "Afloat",
    "BaseState",
    "Cable",
    "Cut",
    "DHRow",
    "Dynamics",
    "Joint",
    "JointLimits",
    "Link",
    "Loops",
    "SimulationError",
    "Strip",
    "Trajectory",
    "Tree",
    "centre_of_mass",
    "close_loops",
    "equilibrium",
    "fixed",
    "forward_dynamics",
    "from_beam",
    "from_dh",
    "from_links",
    "from_mjcf",
    "from_urdf",
    "helical",
    "hulls",
    "hybrid_dynamics",
    "inverse_dynamics",
    "kinetic_energy",
    "limit_use",
    "link_inertia",
    "loop_dynamics",
    "march",
    "mass",
    "mass_matrix",
    "momentum",
    "potential_energy",
    "power",
    "prismatic",
    "revolute",
    "righting_curve",
    "rollout",
    "simulate",
    "spherical",
    "stiff_march",
    "strain_law",
    "strip",
    "thread_length",
    "to_mjcf",
    "universal",
)


def __dir__() -> list[str]:
    return sorted(__all__)
