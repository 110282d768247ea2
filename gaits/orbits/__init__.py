"""Steady motion: the period that repeats, and whether it is stable."""

from .cycle import Cycle as Cycle
from .periodic import Orbit as Orbit, periodic_orbit as periodic_orbit
