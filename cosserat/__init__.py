"""The continuous, geometrically exact beam under imposed strains."""

from stepping import SimulationError as SimulationError

from .beam import Beam as Beam, eel as eel, rod as rod
from .body_fields import BodyFields as BodyFields, internal_wrench as internal_wrench
from .density import DensityTable as DensityTable
from .energy import (
    Energetics as Energetics,
    actuator_power as actuator_power,
    energetics as energetics,
    mass as mass,
    momentum as momentum,
    volume as volume,
)
from .error_estimate import space_error as space_error
from .grid_error import SpaceError as SpaceError
from .head_equation import head_acceleration as head_acceleration, head_dynamics as head_dynamics
from .measured_bodies import from_mesh as from_mesh, from_table as from_table
from .measurements import (
    Inertial as Inertial,
    InitialState as InitialState,
    inertial_sensors as inertial_sensors,
    markers as markers,
    torques as torques,
)
from .nested import Nested as Nested
from .panels import Panels as Panels
from .point_masses import PointMass as PointMass
from .simulation import simulate as simulate
from .soft import (
    ActiveStrain as ActiveStrain,
    ActiveStress as ActiveStress,
    Chamber as Chamber,
    Clamped as Clamped,
    ComplexModes as ComplexModes,
    DistributedLoad as DistributedLoad,
    Elastic as Elastic,
    EndLoad as EndLoad,
    Equilibrium as Equilibrium,
    EquilibriumPath as EquilibriumPath,
    Free as Free,
    FreeStrains as FreeStrains,
    Functions as Functions,
    Helix as Helix,
    Hyperelastic as Hyperelastic,
    Legendre as Legendre,
    Moved as Moved,
    NaturalModes as NaturalModes,
    Oblique as Oblique,
    PiecewiseConstant as PiecewiseConstant,
    Pinned as Pinned,
    Soft as Soft,
    SoftState as SoftState,
    Springs as Springs,
    Thread as Thread,
    buckling_factor as buckling_factor,
    complex_modes as complex_modes,
    equilibrium as equilibrium,
    equilibrium_path as equilibrium_path,
    natural_modes as natural_modes,
    soft_state as soft_state,
    tail_pose as tail_pose,
    thread_length as thread_length,
)
from .space_path import AbstractSpacePath as AbstractSpacePath, HeadDynamics as HeadDynamics
from .state import HeadState as HeadState
from .steady_swimming import steady_swim as steady_swim
from .time_integration import rollout as rollout
from .trajectory import Trajectory as Trajectory

# What users need first; everything else is reached in its module.
__all__ = (
    "AbstractSpacePath",
    "ActiveStrain",
    "ActiveStress",
    "Beam",
    "BodyFields",
    "Chamber",
    "Clamped",
    "DistributedLoad",
    "Elastic",
    "EndLoad",
    "Energetics",
    "Free",
    "FreeStrains",
    "HeadState",
    "Helix",
    "Hyperelastic",
    "InitialState",
    "Moved",
    "Nested",
    "Oblique",
    "Panels",
    "Pinned",
    "PointMass",
    "SimulationError",
    "Soft",
    "SoftState",
    "Springs",
    "Thread",
    "Trajectory",
    "actuator_power",
    "buckling_factor",
    "complex_modes",
    "eel",
    "energetics",
    "equilibrium",
    "equilibrium_path",
    "from_mesh",
    "from_table",
    "head_acceleration",
    "inertial_sensors",
    "internal_wrench",
    "markers",
    "mass",
    "momentum",
    "natural_modes",
    "rod",
    "rollout",
    "simulate",
    "soft_state",
    "space_error",
    "steady_swim",
    "thread_length",
    "torques",
    "volume",
)


def __dir__() -> list[str]:
    return sorted(__all__)
