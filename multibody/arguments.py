"""Checks of the arguments of functions evaluated at one instant. Traced arrays are checked by shape only."""

from typing import Any

from spatial.checks import given, of_kind, shown

from .state import BaseState
from .tree import Tree

TREE = "a multibody.Tree; multibody.from_beam converts a beam"


def check_tree(tree: Any) -> None:
    """Raises unless the argument is a tree."""
    if not isinstance(tree, Tree):
        raise ValueError(f"tree = {shown(tree)}: must be {TREE}")


def instant(tree: Tree, state: BaseState, **arrays: Any) -> tuple[Any, ...]:
    """Checks the arguments of a function of one instant and returns them as arrays, in the given order.

    Args:
        tree: the tree.
        state: state of the base.
        arrays: values by argument name. `q` has one entry per joint position, `wrench` one row per body, `gravity`
            three entries, and any other array one entry per freedom. `wrench` and `gravity` may be None.

    Raises:
        ValueError: an argument has the wrong type or shape.
    """
    check_tree(tree)
    of_kind("state", state, BaseState, "a multibody.BaseState")
    table = tree.layout
    shapes = {"q": (table.positions,), "wrench": (table.bodies, 6), "gravity": (3,)}
    found: list[Any] = []
    for name, value in arrays.items():
        check = _optional if name in ("wrench", "gravity") else given
        found.append(check(name, value, shapes.get(name, (table.freedoms,))))
    return tuple(found)


def _optional(name, value, shape):
    return None if value is None else given(name, value, shape)
