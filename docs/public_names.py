"""The public names of every package: what the API pages show and what the test of the docstrings reads."""

import ast
import importlib
import inspect
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

PACKAGES = (
    "spatial",
    "stepping",
    "hydro",
    "gaits",
    "gaits.feedback",
    "cosserat",
    "multibody",
    "validation",
    "anguilla",
    "anguilla.view",
    "anguilla.ground",
    "anguilla.learn",
    "anguilla.robots.eel",
    "anguilla.robots.moth",
    "anguilla.robots.natrix",
    "anguilla.robots.rower",
    "anguilla.robots.snake",
    "anguilla.robots.vertebra",
)
OURS = {package.split(".")[0] for package in PACKAGES}


class Name(NamedTuple):
    """A public name.

    Attributes:
        package: where users take it from.
        name: what they call it.
        value: the object.
        home: the module that defines it.
    """

    package: str
    name: str
    value: Any
    home: str

    @property
    def constant(self) -> bool:
        """Whether it is data or an alias of types, which has no docstring of its own."""
        alias = typing.get_origin(self.value) is not None
        return alias or not (inspect.isclass(self.value) or hasattr(self.value, "__name__"))


def public_names(package: str) -> Iterator[Name]:
    """The names a package advertises (`__all__`, or else all it holds), without modules and what is not ours."""
    module = importlib.import_module(package)
    homes = _imported_from(module)
    late = [name for name in dir(module) if name not in vars(module)]  # imported when first used
    for name in getattr(module, "__all__", [*vars(module), *late]):
        value, home = getattr(module, name), homes.get(name, package)
        if name.startswith("_") or inspect.ismodule(value) or home.split(".")[0] not in OURS:
            continue
        if not hasattr(module, "__path__") and home != package:
            continue  # what a plain module imports is not its own
        yield Name(package, name, value, home)


def comment(name: Name) -> str:
    """What the source says of a constant: the comment on its line, or in the lines above it."""
    source = inspect.getsource(importlib.import_module(name.home)).splitlines()
    for node in ast.parse("\n".join(source)).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if not any(isinstance(target, ast.Name) and target.id == name.name for target in targets):
            continue
        line = source[node.lineno - 1]
        if node.lineno == node.end_lineno and "  # " in line:
            return line.split("  # ", 1)[1]
        above = []
        for line in reversed(source[: node.lineno - 1]):
            if not line.startswith("# "):
                break
            above.insert(0, line[2:])
        return " ".join(above)
    return ""


def _imported_from(module: ModuleType) -> dict[str, str]:
    """For each name that a module imports, the module that it comes from in the end."""
    assert module.__file__ is not None
    package = module.__name__ if hasattr(module, "__path__") else module.__name__.rpartition(".")[0]
    homes = {}
    statements = ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body
    for block in [node for node in statements if isinstance(node, ast.If)]:  # if TYPE_CHECKING
        statements += block.body
    for node in statements:
        if not isinstance(node, ast.ImportFrom):
            continue
        parent = package.rsplit(".", node.level - 1)[0] if node.level else ""
        source = ".".join(part for part in (parent, node.module) if part)
        for alias in node.names:
            homes[alias.asname or alias.name] = source
            if (
                source.split(".")[0] in OURS
                and source != module.__name__
                and hasattr(importlib.import_module(source), "__path__")
            ):
                deeper = _imported_from(importlib.import_module(source))
                homes[alias.asname or alias.name] = deeper.get(alias.name, source)
    return homes
