"""Environments to learn to swim in: pure JAX functions, and a gymnasium wrapper (the extra `learn`)."""

from typing import TYPE_CHECKING, Any

from .drives import AbstractDrive as AbstractDrive, BendingDrive as BendingDrive, WaveDrive as WaveDrive
from .environment import Environment as Environment, make as make, swimmer as swimmer
from .episodes import Episode as Episode, unroll as unroll
from .randomisation import Randomisation as Randomisation
from .state import State as State
from .tasks import (
    AbstractTask as AbstractTask,
    Cruise as Cruise,
    Escape as Escape,
    FollowPath as FollowPath,
    StationKeeping as StationKeeping,
    Turn as Turn,
)

if TYPE_CHECKING:
    from .gym import GymEnv as GymEnv

__all__ = (
    "AbstractDrive",
    "AbstractTask",
    "BendingDrive",
    "Cruise",
    "Environment",
    "Episode",
    "Escape",
    "FollowPath",
    "GymEnv",
    "Randomisation",
    "State",
    "StationKeeping",
    "Turn",
    "WaveDrive",
    "make",
    "swimmer",
    "unroll",
)


def __getattr__(name: str) -> Any:
    if name == "GymEnv":  # gymnasium is an extra
        from .gym import GymEnv

        return GymEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
