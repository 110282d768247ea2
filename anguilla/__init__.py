"""The front door: labelled results, figures, films, the command line. Importing it switches JAX to float64."""

from importlib.metadata import version as _version

import jax

from . import view as view
from .energy_rate import with_energy_rate as with_energy_rate
from .results import load as load
from .results import save as save
from .summary import Summary as Summary
from .summary import summarise as summarise
from .view import animate as animate
from .view import configurations as configurations
from .view import fluid_forces as fluid_forces
from .view import head_velocity as head_velocity
from .view import internal_moment as internal_moment
from .view import internal_wrench as internal_wrench
from .view import power_budget as power_budget
from .view import space_time as space_time
from .view import still as still

jax.config.update("jax_enable_x64", True)

__version__ = _version("anguilla")
