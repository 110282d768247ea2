"""Every public name says what it means; every physical array says its unit, and the frame of its components.

What is a physical array is read off the annotation: a jaxtyping float array, or `Numbers`, of which a constructor
makes one. Its entry under Args or Attributes must hold

- a unit in square brackets, `[m/s]`, `[-]` for a pure number, or one of the words in `UNITLESS`;
- if it is a vector or matrix of space (last axis 3, 4 or 6), a word that names a frame, one of `FRAMES`.

What the entry leaves out, the text above the entries may say for all; and an entry may point elsewhere, "as in
`planar`". A function that returns such an array says the same of it anywhere in its docstring.
"""

import collections.abc
import inspect
import re
import types
import typing
from typing import Any

import pytest
from jaxtyping import AbstractArray, Array, Float

import gaits
from docs.public_names import PACKAGES, comment, public_names
from spatial import Numbers

_SYMBOL = r"(?:1|k?g|[mkµ]?m|[mµ]?s|m?rad|deg|°|m?N|[mk]?W|m?J|kPa|Pa|Hz|px|length|%)[²³⁴⁵]?"
_PRODUCT = rf"{_SYMBOL}(?:·{_SYMBOL})*"
_ONE = rf"(?:-|{_PRODUCT}(?:/(?:{_PRODUCT}|\({_PRODUCT}\)))?)"
UNIT = re.compile(rf"\[{_ONE}(?:(?:, | or ){_ONE})*\]")
UNITLESS = re.compile(
    r"\b(quaternions?|rotation|directions?|numbers of|as columns|share|factor|multipliers|red, green and blue)\b"
    r"|\b(any|its|the) unit\b|\bunit (axis|twist|vectors?|normals?)\b|\bscaled numbers\b"
)
FRAMES = re.compile(r"\b(world|frames?|axes|own|t[123]|seen from|motors?|red, green and blue)\b")
ELSEWHERE = re.compile(r"(?:as in|see|as for|of|from|to) `", re.IGNORECASE)
SPATIAL = re.compile(r"(?:^|\s)[346]$")
SHORTEST = 12  # characters of a first line that says something

NAMES = [name for package in PACKAGES for name in public_names(package)]
CALLABLES = [name for name in NAMES if not name.constant]
CONSTANTS = [name for name in NAMES if name.constant]


def own_docstring(value: Any) -> str:
    value = value if inspect.isclass(value) else inspect.unwrap(value)
    own = value.__dict__.get("__doc__") if inspect.isclass(value) else getattr(value, "__doc__", None)
    return inspect.cleandoc(own or "")


def parts(docstring: str) -> tuple[str, dict[str, str]]:
    """The text above the first heading, and the text of each entry under Args and Attributes."""
    above, found, section, current = [], {}, None, None
    for line in docstring.splitlines():
        if heading := re.fullmatch(r"(Args|Attributes|Returns|Raises|Yields):", line):
            section, current = heading[1], None
        elif section is None:
            above.append(line)
        elif section in ("Args", "Attributes") and (entry := re.match(r"    \*{0,2}(\w+): (.*)", line)):
            current = entry[1]
            found[current] = entry[2]
        elif current is not None and line.startswith("        "):
            found[current] += " " + line.strip()
    return " ".join(above), found


def shapes(annotation: Any) -> list[str]:
    """Shapes of the float arrays inside an annotation; "" for `Numbers`, whose shape is not said. Laws have none."""
    if typing.get_origin(annotation) is collections.abc.Callable:
        return []
    if inspect.isclass(annotation) and issubclass(annotation, AbstractArray):
        return [annotation.dim_str] if annotation.dtype is Float else []
    if annotation == Numbers or annotation == Numbers | None:
        return [""]
    inside = typing.get_args(annotation)
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):  # a law, or the numbers of a constant one
        inside = [part for part in inside if part is not Numbers]
    return [shape for part in inside for shape in shapes(part)]


def annotations(value: Any) -> tuple[dict[str, Any], Any]:
    """Annotations of the arguments of a function, or of the attributes of a class; and of the result."""
    if inspect.isclass(value):
        return {name: kind for name, kind in inspect.get_annotations(value).items() if not name.startswith("_")}, None
    given = dict(inspect.get_annotations(inspect.unwrap(value)))
    return given, given.pop("return", None)


def faults(value: Any) -> list[str]:
    """What the docstring of a class or function does not say."""
    docstring = own_docstring(value)
    above, found = parts(docstring)
    arguments, result = annotations(value)
    arrays = {name: (shapes(kind), found.get(name, "")) for name, kind in arguments.items()}
    arrays |= {"result": (shapes(result), docstring)}
    wrong = []
    for name, (kinds, entry) in arrays.items():
        if not kinds or ELSEWHERE.search(entry):
            continue
        text = f"{name}: {entry} {above}"
        if not (UNIT.search(text) or UNITLESS.search(text)):
            wrong.append(f"{name}: no unit in {entry or above!r}")
        if any(SPATIAL.search(shape) for shape in kinds) and not FRAMES.search(text):
            wrong.append(f"{name}: no frame in {entry or above!r}")
    return wrong


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_say_what_they_mean(package):
    for name in CALLABLES:
        first = own_docstring(name.value).split("\n")[0]
        assert name.package != package or len(first) >= SHORTEST, f"{name.home}.{name.name}: {first!r}"


@pytest.mark.parametrize("package", PACKAGES)
def test_physical_arrays_have_units_and_frames(package):
    wrong = [
        f"{name.home}.{name.name}: {fault}"
        for name in CALLABLES
        if name.package == package
        for fault in faults(name.value)
    ]
    assert not wrong, "\n".join(wrong)


def test_constants_say_what_they_are():
    for name in CONSTANTS:
        if isinstance(name.value, gaits.Objective):
            assert name.value.name and name.value.unit, name
        else:
            assert len(comment(name)) >= SHORTEST, f"{name.home}.{name.name}: no comment on its line or above it"


def test_the_rule_can_fail():
    def bare(speed: Float[Array, "3"]) -> Float[Array, "3"]:
        """Doubles what it is given."""
        return 2.0 * speed

    def full(speed: Float[Array, "3"]) -> Float[Array, "3"]:
        """Doubles a velocity in the world [m/s]."""
        return 2.0 * speed

    assert [fault.split(" in ")[0] for fault in faults(bare)] == [
        "speed: no unit",
        "speed: no frame",
        "result: no unit",
        "result: no frame",
    ]
    assert faults(full) == []


def test_nothing_public_is_left_out():
    assert len(CALLABLES) > 150 and len(CONSTANTS) > 3
    assert {"cosserat.rollout", "hydro.Morison", "anguilla.view.interactive"} <= {
        f"{name.package}.{name.name}" for name in CALLABLES
    }
