"""Soft beams: free strains that obey a stress-strain law, in addition to those imposed by a gait."""

from .actuators import (
    ActiveStrain as ActiveStrain,
    ActiveStress as ActiveStress,
)
from .head import (
    Clamped as Clamped,
    Free as Free,
    Moved as Moved,
    Pinned as Pinned,
)
from .laws import (
    Elastic as Elastic,
    Hyperelastic as Hyperelastic,
    Springs as Springs,
)
from .loads import (
    DistributedLoad as DistributedLoad,
    EndLoad as EndLoad,
)
from .outputs import tail_pose as tail_pose, thread_length as thread_length
from .routings import (
    Helix as Helix,
    Oblique as Oblique,
)
from .soft_beam import (
    Soft as Soft,
    SoftState as SoftState,
    soft_state as soft_state,
)
from .statics import (
    Equilibrium as Equilibrium,
    EquilibriumPath as EquilibriumPath,
    equilibrium as equilibrium,
    equilibrium_path as equilibrium_path,
)
from .strain_basis import (
    FreeStrains as FreeStrains,
    Functions as Functions,
    Legendre as Legendre,
    PiecewiseConstant as PiecewiseConstant,
)
from .threads import (
    Chamber as Chamber,
    Thread as Thread,
)
from .vibration import (
    ComplexModes as ComplexModes,
    NaturalModes as NaturalModes,
    buckling_factor as buckling_factor,
    complex_modes as complex_modes,
    natural_modes as natural_modes,
)
