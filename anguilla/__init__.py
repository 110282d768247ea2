"""The front door: labelled results, figures, films, the command line. Importing it switches JAX to float64,
lets it keep what it compiles between sessions (see `anguilla.compilation_cache`) and compile it in half the time
(see `anguilla.compiler_flags`)."""

import importlib
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

import jax

from . import compilation_cache as compilation_cache, compiler_flags as compiler_flags
from .results import load as load, save as save
from .view.energy_rate import with_energy_rate as with_energy_rate
from .view.summary import Summary as Summary, summarise as summarise

if TYPE_CHECKING:
    from . import view as view
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
compiler_flags.switch_on()

__version__ = _version("anguilla")

# Figures and sweeps bring matplotlib and zarr, half of the import, and are wanted after the first swim at the earliest.
_FIGURES = (
    "animate",
    "configurations",
    "fluid_forces",
    "head_velocity",
    "internal_moment",
    "internal_wrench",
    "power_budget",
    "space_time",
    "still",
)
_LATER = {name: ".view" for name in _FIGURES} | {"open_sweep": ".sweeps", "sweep": ".sweeps"}


def __getattr__(name: str) -> Any:
    if name == "view":
        return importlib.import_module(".view", __name__)
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LATER[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, "view"})
