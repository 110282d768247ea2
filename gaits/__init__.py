"""What the animal does: strain laws K(X,t), Γ(X,t) made of envelopes, waves and offsets."""

from . import objectives as objectives
from .cycle import (
    Cycle as Cycle,
)
from .envelopes import (
    Ramps as Ramps,
    Start as Start,
)
from .laws import (
    AbstractLaw as AbstractLaw,
    Constant as Constant,
    Function as Function,
    Product as Product,
    Sum as Sum,
    TravellingWave as TravellingWave,
)
from .objectives import (
    Constraint as Constraint,
    Objective as Objective,
    cost_of_transport as cost_of_transport,
    depth_rate as depth_rate,
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
from .optimise import (
    optimise as optimise,
)
from .optimum import (
    Optimum as Optimum,
)
from .orbits import (
    Orbit as Orbit,
    periodic_orbit as periodic_orbit,
)
from .parameters import (
    Parameters as Parameters,
    float_leaves as float_leaves,
)
from .peaks import (
    peak_over_period as peak_over_period,
)
from .problem import (
    OptimisationError as OptimisationError,
)
from .published import (
    PUBLISHED as PUBLISHED,
    dive as dive,
    planar as planar,
    spiral as spiral,
    turn as turn,
)
from .strain import (
    Strain as Strain,
    extensible_kirchhoff as extensible_kirchhoff,
    inextensible_kirchhoff as inextensible_kirchhoff,
    planar_bending as planar_bending,
    timoshenko_reissner as timoshenko_reissner,
    universal as universal,
)
from .waves import (
    wave_period as wave_period,
)
