"""Packages advertise what users need first: in `__all__`, on the API pages and in completion."""

import importlib
import pkgutil
from types import ModuleType

import pytest

from docs.public_names import PACKAGES, public_names

WIDEST = 390  # names in all; version 0.1.0 had 394, without soft beams, crawling, measured bodies, feedback, learning
LISTED = [package for package in PACKAGES if hasattr(importlib.import_module(package), "__all__")]


def test_the_public_face_is_narrow():
    names = [f"{package}.{name.name}" for package in PACKAGES for name in public_names(package)]
    assert 150 < len(names) <= WIDEST, len(names)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("package", LISTED)
def test_what_is_advertised_exists_and_is_completed(package):
    module = importlib.import_module(package)
    assert list(module.__all__) == sorted(set(module.__all__))
    assert all(hasattr(module, name) for name in module.__all__)
    assert dir(module) == list(module.__all__)


def test_most_packages_have_a_list():
    assert {"spatial", "stepping", "hydro", "gaits", "cosserat", "multibody", "anguilla.view"} <= set(LISTED)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_is_hidden_by_a_name_of_its_package(package):
    """`import multibody.tree as t` gives the module, never a function of the same name."""
    folder = importlib.import_module(package)
    modules = {module.name for module in pkgutil.iter_modules(folder.__path__)}
    hidden = [name for name in modules & set(vars(folder)) if not isinstance(vars(folder)[name], ModuleType)]
    assert not hidden, hidden
