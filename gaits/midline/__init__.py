"""From tracked points of a moving body to a gait."""

from .curvature_fit import MidlineFit as MidlineFit, from_midline as from_midline
from .laws import PeriodicBending as PeriodicBending, SplineBending as SplineBending
