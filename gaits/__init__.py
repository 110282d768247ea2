"""What the animal does: strain laws K(X,t), Γ(X,t) made of envelopes, waves and offsets."""

from .envelopes import (
    Ramps as Ramps,
)
from .envelopes import (
    Start as Start,
)
from .laws import (
    AbstractLaw as AbstractLaw,
)
from .laws import (
    Constant as Constant,
)
from .laws import (
    Product as Product,
)
from .laws import (
    Sum as Sum,
)
from .laws import (
    TravellingWave as TravellingWave,
)
from .published import (
    PUBLISHED as PUBLISHED,
)
from .published import (
    dive as dive,
)
from .published import (
    planar as planar,
)
from .published import (
    spiral as spiral,
)
from .published import (
    turn as turn,
)
from .strain import (
    Strain as Strain,
)
from .strain import (
    extensible_kirchhoff as extensible_kirchhoff,
)
from .strain import (
    inextensible_kirchhoff as inextensible_kirchhoff,
)
from .strain import (
    planar_bending as planar_bending,
)
from .strain import (
    timoshenko_reissner as timoshenko_reissner,
)
from .strain import (
    universal as universal,
)
