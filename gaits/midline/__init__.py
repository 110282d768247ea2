"""Gaits fitted to tracked points of a moving body."""

from .curvature_fit import MidlineFit as MidlineFit, from_midline as from_midline
from .laws import PeriodicBending as PeriodicBending, SplineBending as SplineBending
