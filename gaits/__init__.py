"""What the animal does: strain laws K(X,t), Γ(X,t) made of envelopes, waves and offsets."""

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
from .orbits import (
    Orbit as Orbit,
    periodic_orbit as periodic_orbit,
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
