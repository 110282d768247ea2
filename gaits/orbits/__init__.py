"""Steady motion: periodic orbits and their stability."""

from .cycle import Cycle as Cycle
from .lqr import PeriodicRegulator as PeriodicRegulator, periodic_lqr as periodic_lqr
from .periodic import Orbit as Orbit, periodic_orbit as periodic_orbit
