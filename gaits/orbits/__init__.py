"""Steady motion: periodic orbits and their stability."""

from .cycle import Cycle as Cycle
from .periodic import Orbit as Orbit, periodic_orbit as periodic_orbit
