"""Gaits: strain laws K(X,t), Γ(X,t) built from envelopes, waves and offsets; their optimisation and steady motion."""

from .crawling import (
    Anchors as Anchors,
    Crawl as Crawl,
    SinusLifting as SinusLifting,
    concertina as concertina,
    follow_the_leader as follow_the_leader,
    inchworm as inchworm,
    rectilinear as rectilinear,
    serpenoid as serpenoid,
    sidewinding as sidewinding,
)
from .envelopes import Ramps as Ramps, Start as Start
from .feedback.steered import Steered as Steered
from .laws import (
    AbstractLaw as AbstractLaw,
    Constant as Constant,
    Function as Function,
    Product as Product,
    Sum as Sum,
    TravellingWave as TravellingWave,
)
from .midline import MidlineFit as MidlineFit, from_midline as from_midline
from .muscles import EkebergMuscle as EkebergMuscle, HillMuscle as HillMuscle
from .orbits.cycle import Cycle as Cycle
from .orbits.lqr import PeriodicRegulator as PeriodicRegulator, periodic_lqr as periodic_lqr
from .orbits.periodic import Orbit as Orbit, periodic_orbit as periodic_orbit
from .published import PUBLISHED as PUBLISHED, dive as dive, planar as planar, spiral as spiral, turn as turn
from .rhythm import NodeStrain as NodeStrain, Oscillators as Oscillators
from .search import objectives as objectives
from .search.identification import identify as identify
from .search.identified import Identified as Identified
from .search.objectives import (
    Constraint as Constraint,
    Objective as Objective,
    cost_of_transport as cost_of_transport,
    depth_rate as depth_rate,
    froude_efficiency as froude_efficiency,
    mean_power as mean_power,
    path_distance as path_distance,
    peak_curvature as peak_curvature,
    peak_torque as peak_torque,
    quantity as quantity,
    section_curvature as section_curvature,
    section_torque as section_torque,
    steady_speed as steady_speed,
    turning_radius as turning_radius,
)
from .search.optimisation import optimise as optimise
from .search.optimum import Optimum as Optimum
from .search.parameters import Parameters as Parameters, float_leaves as float_leaves
from .search.peaks import peak_over_period as peak_over_period
from .search.problem import OptimisationError as OptimisationError
from .strain import (
    Strain as Strain,
    extensible_kirchhoff as extensible_kirchhoff,
    inextensible_kirchhoff as inextensible_kirchhoff,
    planar_bending as planar_bending,
    timoshenko_reissner as timoshenko_reissner,
    universal as universal,
)
from .tables import Table as Table, from_table as from_table
from .tensions import (
    AbstractTension as AbstractTension,
    Commanded as Commanded,
    StateTension as StateTension,
    Tension as Tension,
    taut as taut,
    tension_law as tension_law,
)
from .waves import wave_period as wave_period

# The names most users need; everything else is imported from its module.
__all__ = (
    "AbstractLaw",
    "Commanded",
    "Cycle",
    "EkebergMuscle",
    "Function",
    "HillMuscle",
    "Identified",
    "MidlineFit",
    "NodeStrain",
    "Objective",
    "OptimisationError",
    "Optimum",
    "Orbit",
    "Oscillators",
    "PeriodicRegulator",
    "Ramps",
    "SinusLifting",
    "Start",
    "StateTension",
    "Steered",
    "Strain",
    "Tension",
    "TravellingWave",
    "concertina",
    "cost_of_transport",
    "depth_rate",
    "dive",
    "extensible_kirchhoff",
    "float_leaves",
    "follow_the_leader",
    "from_midline",
    "from_table",
    "froude_efficiency",
    "identify",
    "inchworm",
    "inextensible_kirchhoff",
    "mean_power",
    "optimise",
    "path_distance",
    "peak_curvature",
    "peak_torque",
    "periodic_lqr",
    "periodic_orbit",
    "planar",
    "planar_bending",
    "quantity",
    "rectilinear",
    "section_curvature",
    "section_torque",
    "serpenoid",
    "sidewinding",
    "spiral",
    "steady_speed",
    "timoshenko_reissner",
    "turn",
    "turning_radius",
    "universal",
)


def __dir__() -> list[str]:
    return sorted(__all__)
