"""Checks: a measured number against a reference, with tolerance, source and the meaning of a failure."""

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, runtime_checkable

import numpy as np

Measurement = tuple[float, float, float]


@dataclasses.dataclass(frozen=True)
class Check:
    """One number against its reference.

    Attributes:
        name: unique name.
        group: kind of evidence.
        measured: result of this code.
        reference: expected value.
        tolerance: maximum allowed difference.
        unit: unit of the three numbers.
        source: origin of the reference.
        meaning: meaning of a failure.
        error: traceback of a check that could not be run; empty otherwise.
    """

    name: str
    group: str
    measured: float
    reference: float
    tolerance: float
    unit: str
    source: str
    meaning: str
    error: str = ""

    @property
    def passed(self) -> bool:
        """Whether the difference is within the tolerance; False for NaN or after an error."""
        return not self.error and abs(self.measured - self.reference) <= self.tolerance


@runtime_checkable
class CheckFunction(Protocol):
    """A registered check: call it to run it.

    Attributes:
        group: kind of evidence.
        title: one line that describes the comparison.
        shares: label common to checks that share runs or compiled programs.
    """

    __name__: str
    __module__: str
    group: str
    title: str
    shares: str

    def __call__(self) -> Check:
        """Runs the check."""
        ...


_REGISTRY: dict[str, CheckFunction] = {}
QUOTED = "quoted "
_EXHIBITS: dict[str, dict[str, np.ndarray]] = {}


def check(
    *, group: str, title: str, unit: str, source: str, meaning: str, shares: str = ""
) -> Callable[[Callable[[], Measurement]], CheckFunction]:
    """Registers a function () -> (measured, reference, tolerance) as a check with the function's name.

    Args:
        group: kind of evidence.
        title: one line that describes the comparison.
        unit: unit of the three numbers; "-" for none.
        source: origin of the reference.
        meaning: meaning of a failure.
        shares: checks with the same label share runs or compiled programs, and run in one process.
    """

    def register(measure: Callable[[], Measurement]) -> CheckFunction:
        name = measure.__name__
        if name in _REGISTRY:
            raise ValueError(f"check {name!r}: name used twice")

        @functools.wraps(measure)
        def made():
            measured, reference, tolerance = (float(number) for number in measure())
            if not (math.isfinite(reference) and math.isfinite(tolerance) and tolerance >= 0.0):
                raise ValueError(f"check {name!r}: reference {reference}, tolerance {tolerance}: must be finite")
            return Check(name, group, measured, reference, tolerance, unit, source, meaning)

        made.group, made.title, made.shares = group, title, shares or name  # pyright: ignore
        _REGISTRY[name] = made  # pyright: ignore[reportArgumentType]
        return _REGISTRY[name]

    return register


def require(condition: object, message: str) -> None:
    """Rejects a check that would pass vacuously.

    Raises:
        RuntimeError: the condition does not hold.
    """
    if not bool(condition):
        raise RuntimeError(f"this check would be vacuous: {message}")


def registered(groups: Iterable[str] | None = None) -> tuple[CheckFunction, ...]:
    """The registered checks, in order, of some groups or of all.

    Raises:
        ValueError: a group does not exist.
    """
    known = tuple(dict.fromkeys(function.group for function in _REGISTRY.values()))
    wanted = known if groups is None else tuple(groups)
    for group in wanted:
        if group not in known:
            raise ValueError(f"group {group!r}: unknown, must be one of {', '.join(known)}")
    return tuple(function for function in _REGISTRY.values() if function.group in wanted)


def exhibit(name: str, **arrays: object) -> None:
    """Records arrays of a check for a figure of the report.

    Args:
        name: name of the figure.
        arrays: the arrays, by name.
    """
    _EXHIBITS[name] = {key: np.asarray(value) for key, value in arrays.items()}


def quote(**numbers: object) -> None:
    """Records numbers of a check for the ledger, which quotes them as `{name}`.

    Args:
        numbers: the numbers, by name.
    """
    for name, value in numbers.items():
        exhibit(QUOTED + name, value=value)


def quoted(checks: Iterable[Check], exhibits: Mapping[str, dict[str, np.ndarray]]) -> dict[str, float]:
    """Numbers that the ledger may quote: measured values by the names of their checks, and the numbers of `quote`.

    Args:
        checks: results; those that failed to run are left out.
        exhibits: arrays recorded by the checks.
    """
    numbers = {key[len(QUOTED) :]: float(e["value"]) for key, e in exhibits.items() if key.startswith(QUOTED)}
    return {check.name: check.measured for check in checks if not check.error} | numbers


def taken_exhibits() -> dict[str, dict[str, np.ndarray]]:
    """The exhibits recorded since the last call."""
    taken = dict(_EXHIBITS)
    _EXHIBITS.clear()
    return taken
