"""Provenance of a result: the call, its arguments, the package versions and the date; enough to repeat the run.

Arguments are written as JSON: objects of this toolkit by class and fields, arrays to the last bit, functions by name.
Reading them back only runs code of this toolkit and of its numerical dependencies.
"""

import base64
import dataclasses
import enum
import functools
import importlib
import inspect
import json
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from spatial.checks import refuse_unknown

from .program_identity import versions
from .programs import one_simulation

ATTRIBUTE = "provenance"
# Packages whose classes and functions are recorded by name.
PACKAGES = ("spatial", "stepping", "hydro", "gaits", "cosserat", "multibody", "anguilla", "diffrax", "equinox")
LISTED = 64  # arrays of up to this size are written as readable lists of numbers
SCALARS = (type(None), bool, int, float, str)


def with_provenance(name: str, **defaults: Callable[[dict[str, Any]], Any]) -> Callable[[Callable], Callable]:
    """Decorates a function that returns a dataset: writes all its arguments into the attribute `provenance`.

    Args:
        name: name of the function with its package, such as "cosserat.simulate".
        defaults: for arguments that may be None, a function of all arguments that returns the value used for None.
    """

    def decorate(function: Callable) -> Callable:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args, **kwargs):
            refuse_unknown(name, kwargs, signature.parameters)
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            values = {key: value for key, value in given.arguments.items() if key != "progress"}
            values |= {key: default(values) for key, default in defaults.items() if values.get(key) is None}
            with one_simulation():
                dataset = function(*args, **kwargs)
            record = {"call": name, "arguments": {key: describe(value) for key, value in values.items()}}
            dataset.attrs |= {ATTRIBUTE: json.dumps(record | circumstances()), "date": now()}
            return dataset

        return call

    return decorate


def circumstances() -> dict[str, Any]:
    """Versions of the packages, and the commit of a checkout, with "-dirty" if files have changed since."""
    return {"versions": versions(), "commit": _commit()}


def now() -> str:
    """Date and time, UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@functools.cache
def _commit() -> str:
    root = Path(__file__).parents[1]
    if not (root / ".git").exists():
        return "none"
    words = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def describe(value: Any) -> Any:
    """Describes a value exactly, as JSON.

    Args:
        value: any value; the description of one that cannot be rebuilt has the key "text" or "source".
    """
    if type(value) in SCALARS:
        return value
    if isinstance(value, jax.Array | np.ndarray | np.generic):
        return _describe_array(np.asarray(value))
    if isinstance(value, enum.Enum):
        return {"name": f"{type(value).__module__}:{type(value).__qualname__}.{value.name}"}
    if type(value) in (tuple, list, set, frozenset):
        return {type(value).__name__: [describe(part) for part in value]}
    if type(value) is dict:
        return {"dict": [[describe(key), describe(part)] for key, part in value.items()]}
    if isinstance(value, functools.partial):
        return {"partial": [describe(part) for part in (value.func, value.args, value.keywords)]}
    if isinstance(value, type) or callable(value) and hasattr(value, "__qualname__"):
        return _describe_named(value)
    if dataclasses.is_dataclass(value):
        fields = {field.name: describe(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"class": _describe_named(type(value)), "fields": fields}
    return {"text": repr(value), "class": _describe_named(type(value))}


def _describe_array(array: np.ndarray) -> dict[str, Any]:
    how = {"dtype": array.dtype.str, "shape": list(array.shape)}
    if array.size <= LISTED and array.dtype.kind in "biuf":
        return {"array": array.tolist(), **how}
    return {"bytes": base64.b64encode(np.ascontiguousarray(array).tobytes()).decode(), **how}


def _describe_named(value: Any) -> dict[str, str]:
    """Describes a class or function by its name, or by its source if it cannot be found by name."""
    name = f"{value.__module__}:{value.__qualname__}"
    if (value.__module__ or "").split(".")[0] in PACKAGES and _found(name) is value:
        return {"name": name}
    try:
        return {"source": inspect.getsource(value), "of": name}
    except (OSError, TypeError):
        return {"text": repr(value), "of": name}


def _found(name: str) -> Any:
    module, _, path = name.partition(":")
    if module.split(".")[0] not in PACKAGES:
        raise ValueError(f"{name}: not of this toolkit")
    try:
        value = importlib.import_module(module)
        for part in path.split("."):
            value = getattr(value, part)
        return value
    except (ImportError, AttributeError):
        return None


def rebuild(description: Any, place: str = "") -> Any:
    """Rebuilds a value from its description.

    Args:
        description: result of `describe`.
        place: name of the value, for messages.

    Raises:
        ValueError: the description contains something that cannot be rebuilt, such as a function written by a user.
    """
    if type(description) in SCALARS:
        return description
    if "array" in description or "bytes" in description:
        dtype, shape = np.dtype(description["dtype"]), description["shape"]
        if "array" in description:
            return jnp.asarray(np.array(description["array"], dtype).reshape(shape))
        return jnp.asarray(np.frombuffer(base64.b64decode(description["bytes"]), dtype).reshape(shape))
    for kind in (tuple, list, set, frozenset):
        if kind.__name__ in description:
            parts = [rebuild(part, f"{place}[{k}]") for k, part in enumerate(description[kind.__name__])]
            return kind(parts)
    if "dict" in description:
        return {rebuild(key): rebuild(part, f"{place}[{key!r}]") for key, part in description["dict"]}
    if "partial" in description:
        function, args, keywords = (rebuild(part, place) for part in description["partial"])
        return functools.partial(function, *args, **keywords)
    if "fields" in description:
        cls = rebuild(description["class"], place)
        value = object.__new__(cls)  # the arguments were checked when the original was built
        for name, part in description["fields"].items():
            object.__setattr__(value, name, rebuild(part, f"{place}.{name}"))
        return value
    if "name" in description:
        value = _found(description["name"])
        if value is None:
            raise ValueError(f"{place}: {description['name']} is not there any more; see `versions` in the provenance")
        return value
    what = description.get("source", description.get("text"))
    argument = re.split(r"[.\[]", place)[0] or "argument"
    raise ValueError(
        f"{place}: was written by a user, and is not built again from its text; give the argument, as in "
        f"rerun(path, {argument}=mine):\n{what}"
    )
