"""Checks: a measured number against a reference, with its tolerance, its source and what a failure would mean."""

import dataclasses
import functools
import math
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

Measurement = tuple[float, float, float]


@dataclasses.dataclass(frozen=True)
class Check:
    """One number against its reference.

    Attributes:
        name: its name, unique.
        group: what kind of evidence it is.
        measured: what this code gives.
        reference: what it should give.
        tolerance: greatest difference that passes.
        unit: of the three numbers.
        source: where the reference comes from.
        meaning: what a failure would mean.
        error: the traceback of a check that could not be made; empty otherwise.
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
        """Whether the difference is within the tolerance; never for NaN, nor after an error."""
        return not self.error and abs(self.measured - self.reference) <= self.tolerance


@runtime_checkable
class CheckFunction(Protocol):
    """A registered check: call it to make it."""

    __name__: str
    group: str
    title: str

    def __call__(self) -> Check:
        """Measures."""
        ...


class Outcome(NamedTuple):
    """Checks that were made, and how long each took [s]."""

    checks: tuple[Check, ...]
    seconds: tuple[float, ...]

    @property
    def failed(self) -> tuple[Check, ...]:
        """Those that did not pass."""
        return tuple(check for check in self.checks if not check.passed)


_REGISTRY: dict[str, CheckFunction] = {}


def check(
    *, group: str, title: str, unit: str, source: str, meaning: str
) -> Callable[[Callable[[], Measurement]], CheckFunction]:
    """Registers a function () -> (measured, reference, tolerance) as a check that bears the function's name.

    Args:
        group: what kind of evidence it is.
        title: one line that says what is compared.
        unit: of the three numbers; "-" for none.
        source: where the reference comes from.
        meaning: what a failure would mean.
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

        made.group, made.title = group, title  # pyright: ignore[reportAttributeAccessIssue]
        _REGISTRY[name] = made  # pyright: ignore[reportArgumentType]
        return _REGISTRY[name]

    return register


def require(condition: object, message: str) -> None:
    """Refuses a check that would pass because nothing happens in it.

    Raises:
        RuntimeError: when the condition does not hold.
    """
    if not bool(condition):
        raise RuntimeError(f"this check would say nothing: {message}")


def registered(groups: Iterable[str] | None = None) -> tuple[CheckFunction, ...]:
    """The checks registered so far, in order, of some groups or of all.

    Raises:
        ValueError: naming a group that does not exist.
    """
    known = tuple(dict.fromkeys(function.group for function in _REGISTRY.values()))
    wanted = known if groups is None else tuple(groups)
    for group in wanted:
        if group not in known:
            raise ValueError(f"group {group!r}: unknown, must be one of {', '.join(known)}")
    return tuple(function for function in _REGISTRY.values() if function.group in wanted)


def attempt(function: CheckFunction) -> Check:
    """Makes one check; an error inside becomes a check that failed and keeps its traceback."""
    try:
        return function()
    except Exception as error:  # whatever it is, it is shown, and the check counts as failed
        kind = "".join(traceback.format_exception_only(error)).strip()
        return Check(
            name=function.__name__,
            group=function.group,
            measured=math.nan,
            reference=math.nan,
            tolerance=math.nan,
            unit="-",
            source="-",
            meaning=f"the check itself could not be made: {kind.splitlines()[0]}",
            error=traceback.format_exc(),
        )


def run(functions: Sequence[CheckFunction]) -> Outcome:
    """Makes checks one after the other, and prints each as a row of a table as soon as it is made."""
    width = max((len(function.__name__) for function in functions), default=4)
    print(_row(width, ("check", "measured", "reference", "tolerance", "unit", "verdict", "time")))
    print(_row(width, ("-" * width, "-" * 12, "-" * 12, "-" * 9, "-" * 6, "-" * 7, "-" * 6)))
    begin, checks, seconds, group = time.perf_counter(), [], [], None
    for function in functions:
        if function.group != group:
            group = function.group
            print(f"{group}", flush=True)
        start = time.perf_counter()
        made = attempt(function)
        seconds.append(time.perf_counter() - start)
        checks.append(made)
        print(_row(width, (*cells(made), f"{seconds[-1]:.1f} s")), flush=True)
    outcome = Outcome(tuple(checks), tuple(seconds))
    passed = len(checks) - len(outcome.failed)
    print(f"{passed} of {len(checks)} checks passed in {time.perf_counter() - begin:.0f} s")
    for made in outcome.failed:
        print(f"FAILED {made.group}/{made.name}: {made.meaning}")
        if made.error:
            print(made.error)
    return outcome


def cells(made: Check) -> tuple[str, str, str, str, str, str]:
    """Name, measured, reference, tolerance, unit and verdict as text."""
    verdict = "error" if made.error else ("pass" if made.passed else "FAIL")
    return (
        made.name,
        number(made.measured),
        number(made.reference),
        "nan" if math.isnan(made.tolerance) else f"{made.tolerance:.1g}",
        made.unit,
        verdict,
    )


def number(value: float) -> str:
    """Six digits; powers of ten only where they help."""
    return f"{value:.2e}" if 0.0 < abs(value) < 1e-4 else f"{value:.6g}"


def _row(width, columns):
    name, measured, reference, tolerance, unit, verdict, seconds = columns
    return (
        f"{name:{width}}  {measured:>12}  {reference:>12}  {tolerance:>9}  {unit:6}  {verdict:7}  {seconds:>6}".rstrip()
    )
