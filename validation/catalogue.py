"""Catalogue of all checks: importing their modules registers them."""

from collections.abc import Iterable

from . import (
    added_parts as added_parts,
    agreement as agreement,
    closed_forms as closed_forms,
    conservation as conservation,
    crawling as crawling,
    engines as engines,
    estimators as estimators,
    feedback as feedback,
    loads as loads,
    machine_energy as machine_energy,
    passing_water as passing_water,
    peers as peers,
    rigid_body as rigid_body,
    slender_bodies as slender_bodies,
    small_parts as small_parts,
    soft_bodies as soft_bodies,
    threads as threads,
    tree_conservation as tree_conservation,
    tree_instant as tree_instant,
)
from .groups import GROUPS
from .report import CheckFunction, registered


def all_checks(groups: Iterable[str] | None = None) -> tuple[CheckFunction, ...]:
    """All checks, group by group; each returns a `Check` when called.

    Args:
        groups: names of groups; all when None.

    Raises:
        ValueError: a group does not exist.
    """
    found = registered(groups)
    order = list(dict.fromkeys([*GROUPS, *(function.group for function in found)]))
    return tuple(sorted(found, key=lambda function: order.index(function.group)))
