"""Printing of models: values with the units stated in their docstrings."""

import functools
import html
import inspect
import re
from typing import Any

import equinox as eqx
import numpy as np
from jax.core import Tracer

from .checks import refuse_unknown

MOST = 6  # longest array whose numbers are printed
CITATION = re.compile(r"[A-Z]{2,}\d\d")  # key of a source, which is in square brackets as units are


class Printed(eqx.Module):
    """A model that prints its values with their units; in a notebook, as a table.

    `repr` is the same line, with the class in front; `equinox.tree_pformat` shows the arrays in it. A call of its class
    with an unknown argument is refused, with the closest name.
    """

    def __new__(cls, *args: Any, **kwargs: Any):
        """Refuses unknown arguments before the instance is made."""
        known = _arguments(cls) if kwargs else ()
        if known:
            refuse_unknown(cls.__name__, kwargs, known)
        return super().__new__(cls, *args, **kwargs)

    def __str__(self) -> str:
        return summary(self)

    def __repr__(self) -> str:
        try:
            text = str(self)
        except Exception:  # a model that is not yet built, or whose arrays were replaced, as by eqx.filter
            return super().__repr__()
        name = type(self).__name__
        return text if text.startswith(name) else f"{name}({text})"

    def _repr_html_(self) -> str:
        return as_html(self)


@functools.cache
def _arguments(kind: type) -> tuple[str, ...]:
    """Names of the arguments with which a class is called; none for a class that accepts any name."""
    found = inspect.signature(kind.__init__).parameters
    return () if any(each.kind is each.VAR_KEYWORD for each in found.values()) else tuple(found)[1:]


def summary(module: eqx.Module) -> str:
    """One line: the class, and every number and option in it with its unit.

    Units are those in square brackets in the `Attributes` section of the class's docstring.
    """
    parts = []
    for name in vars(module):
        value = getattr(module, name)
        if _shows(value):
            unit = units(type(module)).get(name, "")
            parts.append(f"{name} {value_text(value)}{' ' + unit if unit else ''}")
    return f"{type(module).__name__}({', '.join(parts)})"


def _shows(value: Any) -> bool:
    """Whether a value is printed: functions are not, except laws that are `Printed` themselves."""
    return value is not None and (isinstance(value, Printed) or not callable(value))


def value_text(value: Any) -> str:
    """A number, a short array or an option as text; only the shape of a longer or traced array."""
    if isinstance(value, Tracer):
        return f"traced{list(value.shape)}"
    if isinstance(value, eqx.Module):
        return summary(value) if type(value).__str__ is object.__str__ else str(value)
    if isinstance(value, tuple) and any(isinstance(part, eqx.Module) for part in value):
        return "(" + ", ".join(map(value_text, value)) + ")"
    if isinstance(value, tuple) and value and all(isinstance(part, str) for part in value):
        return "(" + ", ".join(value) + ")"
    if isinstance(value, (str, bool, int)):
        return str(value)
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):  # traced numbers in a tuple, rows of unequal length
        return type(value).__name__
    if array.dtype.kind not in "biufc":
        return type(value).__name__
    if array.ndim == 0:
        return str(bool(array)) if array.dtype.kind == "b" else f"{array[()] + 0.0:.4g}"  # no -0
    if array.ndim == 1 and array.size <= MOST:
        return "(" + ", ".join(f"{x + 0.0:.4g}" for x in array) + ")"
    return f"array{list(array.shape)}"


@functools.cache
def units(kind: type) -> dict[str, str]:
    """Units of the attributes of a class, from its docstring, except "-"."""
    text = (inspect.getdoc(kind) or "").partition("Example")[0]
    found = re.findall(r"^\s{4}(\w+):(?:(?!^\s{4}\w+:)[^\[])*\[([^\]]+)\]", text.partition("Attributes:")[2], re.M)
    return {name: unit for name, unit in found if unit != "-" and not CITATION.match(unit)}


def as_html(module: eqx.Module) -> str:
    """The content of `summary` as a small HTML table, for notebooks."""
    rows = []
    for name in vars(module):
        value = getattr(module, name)
        if _shows(value):
            unit = units(type(module)).get(name, "")
            rows.append(
                f"<tr><td>{name}</td><td>{html.escape(value_text(value))}</td><td>{html.escape(unit)}</td></tr>"
            )
    return f"<b>{type(module).__name__}</b><table>{''.join(rows)}</table>"
