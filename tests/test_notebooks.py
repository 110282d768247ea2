"""The notebooks as they are stored: small, with their outputs, by public names only. `make notebooks` runs them."""

import ast
import importlib
import inspect
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))
from public_names import OURS, PACKAGES  # noqa: E402

LARGEST = 600_000  # bytes of a file
PUBLIC = {*PACKAGES, "anguilla.robots", "validation.atlas", "validation.atlas.kern_koumoutsakos"}
PUBLIC |= {f"{name}.{room}" for name in PACKAGES for room in ("entry", "figures", "film") if "robots" in name}
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def cells(path):
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


def imports(path):
    """Modules and names that the cells import, as pairs (module, name or None)."""
    for cell in cells(path):
        lines = [line for line in "".join(cell["source"]).splitlines() if not line.lstrip().startswith("%")]
        tree = ast.parse("\n".join(lines))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from ((alias.name, None) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from ((node.module, alias.name) for alias in node.names)
            elif isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                yield "an attribute", node.attr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_with_small_outputs(path):
    assert path.stat().st_size < LARGEST
    assert any(cell["outputs"] for cell in cells(path))
    assert all(cell["execution_count"] for cell in cells(path) if "".join(cell["source"]).strip())
    assert not [out for cell in cells(path) for out in cell["outputs"] if out["output_type"] == "error"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_public_names_only(path):
    for module, name in imports(path):
        assert not (name or "").startswith("_"), f"{path.stem}: {module}.{name} is private"
        if module.split(".")[0] not in OURS:
            continue
        assert module in PUBLIC, f"{path.stem} imports {module}, which is internal"
        if name is not None and f"{module}.{name}" not in PUBLIC:
            value = getattr(importlib.import_module(module), name)
            assert not inspect.ismodule(value) or value.__name__ in PUBLIC, f"{path.stem}: {module}.{name} is internal"


@pytest.mark.parametrize("page", ["README.md"])
def test_all_are_listed(page):
    text = (ROOT / page).read_text()
    for path in NOTEBOOKS:
        assert f"{path.stem[:2]} " in text, f"{page} does not list {path.stem}"
