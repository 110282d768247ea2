"""User interface: labelled results, figures, films, sweeps, the published machines and the command line.

Importing this package configures JAX: float64, compiled programs stored between sessions (`anguilla.program_cache`) and
XLA's faster code emitter (`anguilla.compiler_flags`). If JAX has not been imported yet, the settings are applied when
it is. Everything else, including JAX, is imported when it is first used.
"""

import importlib
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

from .hidden_packages import check_packages as _check_packages
from .when_jax_loads import when_jax_loads as _when_jax_loads

if TYPE_CHECKING:
    from . import ground as ground, learn as learn, robots as robots, view as view
    from .results import load as load, rerun as rerun, save as save
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
    from .view.energy_rate import with_energy_rate as with_energy_rate
    from .view.summary import Summary as Summary, summarise as summarise


def _configure() -> None:
    """Enables float64, stored programs and the faster emitter."""
    import jax

    from . import compiler_flags, program_cache

    jax.config.update("jax_enable_x64", True)
    program_cache.switch_on()
    compiler_flags.switch_on()


_check_packages()
_when_jax_loads(_configure)

__version__ = _version("anguilla")

_PACKAGES = ("ground", "learn", "robots", "view")
# Where each name is defined. matplotlib, xarray, zarr and the engines are imported with the first name that needs them.
_HOMES = {
    ".results": ("load", "rerun", "save"),
    ".sweeps": ("open_sweep", "sweep"),
    ".view": (
        "animate",
        "configurations",
        "fluid_forces",
        "head_velocity",
        "internal_moment",
        "internal_wrench",
        "power_budget",
        "space_time",
        "still",
    ),
    ".view.energy_rate": ("with_energy_rate",),
    ".view.summary": ("Summary", "summarise"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name], __name__), name)


def __dir__() -> list[str]:
    figures = {*_HOMES[".view"]} - {"animate", "still"}  # advertised in `view`
    return sorted({*_HOME, *_PACKAGES, "__version__"} - figures)
