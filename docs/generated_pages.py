"""Pages that are made, not written: tutorials from the notebooks, the API from the packages, the ledger, the timings.

They go to a folder that git ignores; a file is touched only when its text changes, so that a second build is quick.
"""

import base64
import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT)]

import jax  # noqa: E402

jax.config.update("jax_enable_x64", True)

from public_names import PACKAGES, Name, comment, public_names  # noqa: E402

import validation.headlines  # noqa: E402
from validation.published import RULE, VERDICTS, ledger  # noqa: E402

# A name that several packages offer is described where users look for it first.
ORDER = sorted(PACKAGES, key=lambda package: (package not in ("anguilla.view", "anguilla.robots.moth"), -len(package)))
PREFERRED = ("gaits", "spatial")


def write(folder: Path, cache: Path) -> None:
    """Writes all pages; those of a notebook or package that is gone are removed."""
    before = {path for path in folder.rglob("*") if path.is_file()}
    kept = {*tutorials(folder / "tutorials", cache), *api(folder / "api")}
    kept |= {page(folder / "ledger.md", ledger_text()), page(folder / "benchmarks.md", benchmarks_text())}
    kept |= {page(folder / "headlines.md", headlines_text())}
    for path in before - kept:
        path.unlink()


def page(path: Path, text: str | bytes) -> Path:
    """Writes a file unless it holds this text already."""
    data = text.encode() if isinstance(text, str) else text
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return path


# Tutorials


def tutorials(folder: Path, cache: Path) -> Iterable[Path]:
    """The notebooks with the outputs of their last run, and a page of cards that leads to them."""
    cards, names = [], []
    for source in sorted((ROOT / "notebooks").glob("*.ipynb")):
        notebook = with_outputs(nbformat.read(source, as_version=4), cache)
        yield page(folder / source.name, nbformat.writes(notebook))
        picture = first_picture(notebook)
        if picture is not None:
            yield page(folder / f"{source.stem}.png", picture)
        names.append(source.stem)
        cards.append(card(source.stem, notebook, picture is not None))
    text = TUTORIALS.format(cards="\n".join(cards), names="\n".join(names))
    yield page(folder / "index.md", text)


TUTORIALS = """\
# Tutorials

Notebooks that open with a question and end with an answer. They live in `notebooks/`; `make notebooks` runs them all,
and `jupyter lab notebooks` (after `pip install -e ".[notebooks]"`) opens them.

::::{{grid}} 1 2 2 3
:gutter: 3

{cards}
::::

```{{toctree}}
:hidden:

{names}
```
"""


def card(name: str, notebook: Any, picture: bool) -> str:
    """A card with the title and the question of a notebook."""
    first = next(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    title = first.splitlines()[0].lstrip("# ")
    question = re.search(r"\*\*Question\.?\*?\*?\s*(.*?)\*\*", first, re.DOTALL)
    words = " ".join(question[1].split()) if question else ""
    options = [f":::{{grid-item-card}} {name.split('_')[0]} · {title}", f":link: {name}", ":link-type: doc"]
    options += [f":img-top: {name}.png"] if picture else []
    return "\n".join([*options, "", words, ":::"])


def with_outputs(notebook: Any, cache: Path) -> Any:
    """The notebook with the outputs of the last `make docs EXECUTE=1` that ran this very code, if there was one."""
    if not (cache / "global.db").is_file():
        return notebook
    from jupyter_cache import get_cache

    try:
        return get_cache(cache).merge_match_into_notebook(notebook)[1]
    except KeyError:
        return notebook


def first_picture(notebook: Any) -> bytes | None:
    """The first picture among the outputs, as PNG."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                return base64.b64decode(output["data"]["image/png"])
    return None


# API


def api(folder: Path) -> Iterable[Path]:
    """One page for each package, and a list of them."""
    owner = owners()
    summaries = []
    for package in PACKAGES:
        names = [name for name in public_names(package) if owner[id(name.value)] == package]
        yield page(folder / f"{package}.rst", package_page(package, names, owner))
        summary = inspect.getdoc(importlib.import_module(package)) or ""
        summaries.append(f"[`{package}`]({package}.rst)\n: {summary.split(chr(10) * 2)[0].replace(chr(10), ' ')}\n")
    listing = "\n".join(PACKAGES)
    yield page(folder / "index.md", API.format(summaries="\n".join(summaries), names=listing))


API = """\
# API

Every public name with its meaning, units and frames, from the docstrings in the code. Shapes are in the signatures,
as [jaxtyping](https://docs.kidger.site/jaxtyping/) writes them; `Numbers` is a number, a list of numbers or an array.

{summaries}

```{{toctree}}
:hidden:

{names}
```
"""


def owners() -> dict[int, str]:
    """For each public object, the package on whose page it is described."""
    owner: dict[int, str] = {}
    for package in (*PREFERRED, *ORDER):
        for name in public_names(package):
            owner.setdefault(id(name.value), package)
    return owner


def package_page(package: str, names: list[Name], owner: dict[int, str]) -> str:
    """The page of a package: its names, module by module, and those that are described elsewhere."""
    lines = [package, "=" * len(package), "", f".. py:module:: {package}", f".. py:currentmodule:: {package}", ""]
    lines += [rst(inspect.getdoc(importlib.import_module(package)) or ""), ""]
    elsewhere = [name for name in public_names(package) if owner[id(name.value)] != package]
    for home in dict.fromkeys(name.home for name in names):
        module = importlib.import_module(home)
        if home != package:
            title = home.removeprefix(f"{package}.").replace("_", " ")
            lines += [title, "-" * len(title), "", rst((inspect.getdoc(module) or "").split("\n\n")[0]), ""]
        for name in names:
            if name.home == home:
                lines += [*directive(name), ""]
    if elsewhere:
        lines += ["Described elsewhere", "-------------------", ""]
        for name in elsewhere:
            other = next(n for n in public_names(owner[id(name.value)]) if n.value is name.value)
            lines += [f"- `{package}.{name.name}`: `{other.package}.{other.name}`"]
    return "\n".join(lines) + "\n"


def directive(name: Name) -> list[str]:
    """What makes Sphinx describe a name."""
    full = f"{name.package}.{name.name}"
    if not name.constant:
        return [f".. auto{'class' if inspect.isclass(name.value) else 'function'}:: {full}"]
    lines = [f".. py:data:: {name.name}"]
    if hasattr(name.value, "unit") and hasattr(name.value, "arrays"):
        takes = ", ".join(f"`{array}`" for array in name.value.arrays)
        return [*lines, "", f"   Objective: {rst(name.value.name)} [{name.value.unit}], of {takes} of a motion."]
    value = repr(name.value)
    if len(value) < 80:
        lines.append(f"   :value: {value}")
    return [*lines, "", f"   {rst(comment(name))}"]


def rst(text: str) -> str:
    """Plain text of a docstring as reStructuredText."""
    from docstrings import escaped

    return "\n".join(escaped(line) for line in text.splitlines())


# What was measured


def headlines_text() -> str:
    """The table of the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return readme.split(validation.headlines.BEGIN)[1].split(validation.headlines.END)[0]


def ledger_text() -> str:
    """The claims of the papers, verdict by verdict."""
    claims = [claim.cells() for claim in ledger()]
    lines = [f"{len(claims)} claims: "]
    lines[0] += ", ".join(f"{sum(c[5] == verdict for c in claims)} {verdict}" for verdict in VERDICTS) + "."
    lines[0] += f" {RULE} Numbers that a check computes are printed by `python -m validation --ledger`."
    lines += ["", "| claim | published | here | verdict |", "|---|---|---|---|"]
    for name, where, published, ours, evidence, verdict, why in claims:
        reason = "" if why == "-" else f" *{cell(why)}.*"
        lines.append(
            f"| {cell(name)} {cell(where)} | {cell(published)} | {cell(ours)} (`{evidence}`) | {verdict}.{reason} |"
        )
    return "\n".join(lines) + "\n"


def cell(text: str) -> str:
    """Text that Markdown leaves as it is, inside a table."""
    return re.sub(r"([|*_<>\[\]])", r"\\\1", text).rstrip(".")


def benchmarks_text() -> str:
    """What `make bench` measured last on this machine, or else the measurement that the repository keeps."""
    own = ROOT / "out" / "bench" / "bench.json"
    path = own if own.is_file() else ROOT / "docs" / "benchmarks.json"
    measured = json.loads(path.read_text(encoding="utf-8"))
    where = f"{cell(measured['machine'])}, {measured['date']}, commit {measured['commit']}"
    lines = [f"On {where}.", "", "| what | measured | target | figures |", "|---|---|---|---|"]
    for row in measured["rows"]:
        target = "" if row["target"] is None else f"{row['relation']} {shown(row['target'])}"
        mark = "" if row["met"] else " (missed)"
        lines.append(f"| {cell(row['what'])} | {shown(row['value'])}{mark} | {target} | {cell(row['how'])} |")
    return "\n".join(lines) + "\n"


def shown(value: Any) -> str:
    """A value in a cell; numbers with three digits."""
    return f"{value:.3g}" if isinstance(value, float | int) else cell(str(value))
