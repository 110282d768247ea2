"""Recipe of a run: the command-line arguments that produced it, in a file that `anguilla @FILE` repeats.

Every option is written with its value, given or default, so that a later change of a default has no effect.
"""

import argparse
import shlex
from collections.abc import Iterable
from pathlib import Path

import anguilla

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
    places, options = [], []
    for action in parser._actions:
        value = getattr(chosen, action.dest, None)
        if action.dest in LEFT_OUT or value is None or value is False or action.dest == "help":
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
    ]


def write_recipe(lines: Iterable[str], path: Path) -> Path:
    """Writes a recipe; returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
