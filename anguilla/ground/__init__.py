"""Loads and constraints of the ground on a crawling body: dry friction, compliant contact, ideal wheels.

A ground is a load per metre on one section, in the section frame, with the interface of `hydro`: both engines accept it
in place of a fluid, alone or in `hydro.Together`. Wheels are constraints; `roll` integrates a body on them.
"""

from .contact import Contact as Contact
from .coulomb import Coulomb as Coulomb
from .friction import Friction as Friction
from .rolling import Rolling as Rolling, roll as roll
from .rolling_forces import RollingWrench as RollingWrench, rolling_wrench as rolling_wrench
from .wheels import TreeWheels as TreeWheels, Wheels as Wheels

# The main public names; everything else is imported from its module.
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
