"""States with known accelerations and internal wrenches, and the results of the beam."""

import functools

import jax.numpy as jnp

import cosserat
import hydro

from .reference import Case, eel_cases
from .subjects import eel, nested


@functools.cache
def cases() -> tuple[Case, ...]:
    """The states of the reference file."""
    return tuple(eel_cases())


@functools.cache
def case_fields(name: str, path: str) -> cosserat.BodyFields:
    """Motion and internal wrench of the eel in water at one state of the reference file.

    Args:
        name: name of the state.
        path: "nested" or "panels".
    """
    case = next(case for case in cases() if case.name == name)
    way = nested() if path == "nested" else cosserat.Panels()
    stations = jnp.array(case.expected["stations"])
    return cosserat.internal_wrench(eel(), case.gait, hydro.Morison(), case.state, case.t, way, stations)
