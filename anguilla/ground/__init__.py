"""What a surface to crawl on does to a body: dry friction, compliant contact, ideal wheels.

A ground is a load on one section, per metre, in the section's own frame: the contract of `hydro`. It goes where a
fluid goes, in both engines, alone or in `hydro.Together`. Wheels are constraints, and have a motion of their own.
"""

from .contact import Contact as Contact
from .coulomb import Coulomb as Coulomb
from .friction import Friction as Friction
from .rolling import Rolling as Rolling, roll as roll
from .rolling_wrench import RollingWrench as RollingWrench, rolling_wrench as rolling_wrench
from .wheels import TreeWheels as TreeWheels, Wheels as Wheels

# What users need first; everything else is reached in its module.
__all__ = (
    "Contact",
    "Coulomb",
    "Friction",
    "Rolling",
    "RollingWrench",
    "TreeWheels",
    "Wheels",
    "roll",
    "rolling_wrench",
)


def __dir__() -> list[str]:
    return sorted(__all__)
