"""Arguments of functions of one instant: known numbers are checked, traced ones by their shapes alone."""

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
    """Returns the arrays of one instant, in their order, as arrays of numbers; raises on those of another shape.

    Args:
        tree: the tree.
        state: of the base.
        arrays: by the names of their arguments: `q`, positions; `wrench`, on each body; `gravity`; all others are one
            number for each freedom. `wrench` and `gravity` may be None.
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
