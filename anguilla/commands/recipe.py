"""Recipe of a run: the command-line arguments that produced it, in a file that `anguilla @FILE` repeats.

Every option is written with its value, given or default, so that a later change of a default has no effect; options
that are off or have no value are listed in a comment. The first line is a checksum of the others: a recipe that was
modified or cut is refused, and an intentionally edited one runs after its checksum has been deleted.
"""

import argparse
import hashlib
import json
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anguilla
from anguilla.whole_files import write_whole

CHECKSUM = "# sha256 "
LEFT_OUT = ("out", "quiet", "still")  # output location and verbosity are chosen by the next run


class Recipes(argparse.ArgumentParser):
    """A parser that reads arguments from `@FILE`; "#" starts a comment there."""

    def convert_arg_line_to_args(self, arg_line: str) -> list[str]:
        """The arguments of one line."""
        return shlex.split(arg_line, comments=True)


def recipe(parser: argparse.ArgumentParser, verb: str, chosen: argparse.Namespace) -> list[str]:
    """The lines of a recipe.

    Args:
        parser: parser of the verb.
        verb: name of the verb.
        chosen: the parsed arguments.
    """
    places, options, absent = [], [], []
    for action in parser._actions:
        value = getattr(chosen, action.dest, None)
        if action.dest in LEFT_OUT or action.dest == "help":
            continue
        if value is None or value is False:
            absent += action.option_strings[-1:]
            continue
        for one in value if isinstance(value, list) else [value]:
            if not action.option_strings:
                places.append(shlex.quote(str(one)))
            else:
                words = [action.option_strings[-1]] + ([] if value is True else [shlex.quote(str(one))])
                options.append(" ".join(words))
    return [
        f"# anguilla {anguilla.__version__}; run it again with: anguilla @THIS_FILE --out DIR",
        " ".join([verb, *places]),
        *options,
        *([f"# off or without a value: {' '.join(absent)}"] if absent else []),
    ]


def write_recipe(lines: Iterable[str], path: Path) -> Path:
    """Writes a recipe with its checksum; returns its path."""
    text = "\n".join(lines) + "\n"
    return write_whole(path, f"{CHECKSUM}{_digest(text)}\n{text}".encode())


def damage(path: Path) -> str | None:
    """Error message for a modified recipe; None if it is unchanged, has no checksum, or does not exist."""
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return f"{path}: damaged: it is not text"
    except OSError:
        return None
    first, _, rest = text.partition("\n")
    if first.startswith(CHECKSUM) and first != CHECKSUM + _digest(rest):
        return f"{path}: changed since it was written; delete its line {CHECKSUM!r}... to run it as it is now"
    return None


def with_recipe(dataset: Any, lines: Iterable[str]) -> Any:
    """The dataset with the recipe as an attribute, and with versions, commit and date unless it has them already."""
    from stepping.provenance import ATTRIBUTE, circumstances, now

    attributes = {ATTRIBUTE: json.dumps({"call": "anguilla"} | circumstances()), "date": now()} | dataset.attrs
    return dataset.assign_attrs(attributes | {"recipe": "\n".join(lines)})


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
