"""The eel robot of [KR13, VI]: 13 bodies connected by 12 spherical joints, each made of three revolute joints."""

from .tree import (
    EEL_TORQUE_LIMITS as EEL_TORQUE_LIMITS,
    EelLaw as EelLaw,
    eel_law as eel_law,
    eel_robot_profile as eel_robot_profile,
    model as model,
)

# The most used names, which `dir(eel)` lists; other names are imported from their modules.
__all__ = (
    "EEL_TORQUE_LIMITS",
    "eel_law",
    "model",
)


def __dir__() -> list[str]:
    return sorted(__all__)
