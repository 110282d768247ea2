"""Environments for reinforcement learning of swimming: pure JAX functions, and a gymnasium wrapper (extra `learn`)."""

from typing import TYPE_CHECKING, Any

from .drives import AbstractDrive as AbstractDrive, BendingDrive as BendingDrive, WaveDrive as WaveDrive
from .environment import Environment as Environment, make as make, swimmer as swimmer
from .episodes import Episode as Episode, unroll as unroll, unroll_batch as unroll_batch
from .predictive import predictive_steering as predictive_steering, steer as steer
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
from .training import (
    Learned as Learned,
    NeuralPolicy as NeuralPolicy,
    SteadyPolicy as SteadyPolicy,
    by_evolution as by_evolution,
    by_gradients as by_gradients,
    mean_return as mean_return,
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
    "NeuralPolicy",
    "Randomisation",
    "State",
    "StationKeeping",
    "Turn",
    "WaveDrive",
    "by_evolution",
    "by_gradients",
    "make",
    "predictive_steering",
    "steer",
    "swimmer",
    "unroll",
    "unroll_batch",
)


def __getattr__(name: str) -> Any:
    if name == "GymEnv":  # gymnasium is an extra
        from .gym import GymEnv

        return GymEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
