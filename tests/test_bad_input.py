"""Every public constructor and function with every wrong value of every argument: accepted where it is legal, else
refused by a ValueError or TypeError that names the argument."""

import importlib
import inspect
import warnings

import numpy as np
import pytest

from tests.good_calls import NOT_TRIED, calls

PACKAGES = ("cosserat", "multibody", "hydro", "gaits", "ground", "stepping")
BAD = {
    "None": None,
    "nan": float("nan"),
    "inf": float("inf"),
    "-inf": float("-inf"),
    "negative": -1.0,
    "zero": 0.0,
    "zero_int": 0,
    "one_int": 1,
    "negative_int": -1,
    "one": 1.0,
    "four": 4,
    "fraction": 2.5,
    "empty": [],
    "nan_list": [float("nan")] * 3,
    "vector": np.ones(13),
    "matrix": np.ones((7, 9)),
    "ragged": [[1.0], [2.0, 3.0]],
    "text": "1e-6",
    "complex": 1.0 + 1.0j,
    "flag": True,
    "object": object(),
}
SAME = {"zero_int": "zero", "one_int": "one", "negative_int": "negative"}  # to a number, if not to an integer


def outcome(made, name):
    """Accepted, refused in words that name the argument, or a raw error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made()
        except (ValueError, TypeError) as error:
            return "refused" if name in str(error) else f"raw {type(error).__name__}: {str(error).splitlines()[0][:90]}"
        except Exception as error:  # noqa: BLE001  the point of the test
            return f"raw {type(error).__name__}: {str(error).splitlines()[0][:90] if str(error) else ''}"
    return "accepted"


def legal(argument, label):
    return "*" in argument.legal or label in argument.legal or SAME.get(label, label) in argument.legal


def faults(call):
    """Pairs of argument and value whose outcome is not allowed, and how many were tried."""
    found, tried = [], 0
    for name, argument in call.arguments.items():
        for label, value in BAD.items():
            if legal(argument, label):
                continue
            tried += 1
            result = outcome(call.bound(name, value), name)
            if result != "refused":
                found.append(f"{name} = {label}: {result}")
        for value in () if call.heavy else argument.alike:
            tried += 1
            result = outcome(call.bound(name, value), name)
            if result != "accepted":
                found.append(f"{name} = {type(value).__name__} of {value.dtype}: {result}")
    return found, tried


@pytest.mark.parametrize("name", sorted(calls()))
def test_bad_values_are_refused_by_name(name):
    call = calls()[name]
    if not call.heavy:
        first = next(iter(call.arguments))
        assert outcome(call.bound(first, call.arguments[first].good), first) == "accepted"
    found, _ = faults(call)
    assert not found, "\n".join([name, *found])


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_in_the_table(package):
    module = importlib.import_module("anguilla.ground" if package == "ground" else package)
    names = {f"{package}.{name}" for name in module.__all__}
    assert names <= {*calls(), *NOT_TRIED}, names - {*calls(), *NOT_TRIED}
    assert not {name for name in NOT_TRIED if name.startswith(f"{package}.")} & {*calls()}
    for name in names & {*calls()}:
        call = calls()[name]
        arguments = set(inspect.signature(call.function).parameters)
        assert arguments == {*call.arguments, *call.untried}, name
