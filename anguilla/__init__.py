"""The front door: labelled results, figures, films, the command line. Importing it switches JAX to float64
and lets it keep what it compiles between sessions (see `anguilla.compilation_cache`)."""

from importlib.metadata import version as _version

import jax

from . import compilation_cache as compilation_cache, view as view
from .energy_rate import with_energy_rate as with_energy_rate
from .results import load as load, save as save
from .summary import Summary as Summary, summarise as summarise
from .sweeps import open_sweep as open_sweep, sweep as sweep
from .view import (
    animate as animate,
    configurations as configurations,
    fluid_forces as fluid_forces,
    head_velocity as head_velocity,
    internal_moment as internal_moment,
    internal_wrench as internal_wrench,
    power_budget as power_budget,
    space_time as space_time,
    still as still,
)

jax.config.update("jax_enable_x64", True)
compilation_cache.switch_on()

__version__ = _version("anguilla")
