"""The command line: `anguilla VERB ...`."""

import argparse
import contextlib
import difflib
import importlib
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import anguilla

from .commands import VERBS
from .commands.recipe import Recipes, damage, recipe

DESCRIPTION = """\
Swimming soft robots: simulates a geometrically exact beam in water, its motion, its torques and its figures.
"""
EPILOG = """\
start here:
  anguilla swim --gait planar --t1 10 --out out     the eel swims; figures, a film and data in out/
  anguilla swim --help                              all its options, with examples
  anguilla robot eel --t1 30 --out out              the 36-joint eel robot; torques against its actuators
  anguilla optimise --goal faster --out out         a faster gait with no more torque, by gradients
  anguilla sweep --wavelength 0.8:1.6:9 --amplitude 0.4:1.2:9 --out out    81 steady swims, resumable
  anguilla @out/planar.recipe --out again           repeats a run from the recipe next to its results

Compiled programs are stored in the user's cache directory, so that later runs start faster; the environment variable
ANGUILLA_CACHE names another directory, or turns this off (ANGUILLA_CACHE=off).

exit codes: 0 done, 1 the run failed, 2 bad arguments
"""
OK, FAILED, INTERRUPTED = 0, 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one verb.

    Args:
        arguments: the words after `anguilla`; those of the process when None.

    Returns:
        0 on success, 1 if the run failed. Bad arguments end the process with 2.
    """
    chosen = understood(list(sys.argv[1:] if arguments is None else arguments))
    try:
        with _plain_warnings(getattr(chosen, "hints", {})), _alone(chosen):
            return chosen.run(chosen)
    except KeyboardInterrupt:
        print("anguilla: interrupted", file=sys.stderr)
        return INTERRUPTED
    except (RuntimeError, ValueError, OSError) as error:
        print(f"anguilla {chosen.verb}: failed: {error}", file=sys.stderr)
        return FAILED


def understood(words: list[str]) -> argparse.Namespace:
    """The arguments of a run, with those of a recipe; bad arguments end the process with 2.

    Args:
        words: the words after `anguilla`.
    """
    parser = build_parser(next((word for word in words if word in VERBS), None) if _plain(words) else "all")
    for word in words:
        if word.startswith("@") and (wrong := damage(Path(word[1:]))) is not None:
            parser.error(wrong)
    chosen, unknown = parser.parse_known_args(words)
    if unknown:
        chosen.parser.error(_not_understood(chosen.parser, unknown))
    wrong = chosen.check(chosen) if hasattr(chosen, "check") else None
    if wrong is not None:
        chosen.parser.error(wrong)
    if hasattr(chosen, "resolve"):
        chosen.resolve(chosen)
    chosen.recipe = recipe(chosen.parser, chosen.verb, chosen)
    return chosen


@contextlib.contextmanager
def _plain_warnings(hints: Mapping[str, str]) -> Iterator[None]:
    """Shows the text of warnings only, without the line of source that they come from.

    Args:
        hints: words to add to a warning, by what it begins with.
    """
    before = warnings.formatwarning

    def text_only(message: Warning | str, *_: object, **__: object) -> str:
        added = [hint for start, hint in hints.items() if str(message).startswith(start)]
        return " ".join([f"warning: {message}", *added]) + "\n"

    warnings.formatwarning = text_only
    try:
        yield
    finally:
        warnings.formatwarning = before


def _alone(chosen: argparse.Namespace) -> contextlib.AbstractContextManager[None]:
    """A lock that keeps a second run from writing files of the same names at the same time."""
    if not hasattr(chosen, "name"):
        return contextlib.nullcontext()
    from gaits.search.file_locks import claimed

    return claimed(chosen.out / chosen.name(chosen))


def _not_understood(parser: argparse.ArgumentParser, words: Sequence[str]) -> str:
    """Message for unrecognised arguments, with the closest known option."""
    known = [option for action in parser._actions for option in action.option_strings]
    close = [match for word in words for match in difflib.get_close_matches(word.split("=")[0], known, n=1)]
    if not close:  # the value of an option without the option: swim dive
        options = (
            (action.option_strings[-1], action.choices or ()) for action in parser._actions if action.option_strings
        )
        close = [f"{option} {word}" for option, choices in options for word in words if word in choices]
    meant = f"; did you mean {' '.join(close)}?" if close else ""
    return f"not understood: {' '.join(words)}{meant} (`{parser.prog} --help` lists the options)"


def _plain(words: Sequence[str]) -> bool:
    """Whether no argument refers to a recipe file, which may contain the verb."""
    return not any(word.startswith("@") for word in words)


def build_parser(verb: str | None = "all") -> argparse.ArgumentParser:
    """The parser of the command line.

    Args:
        verb: the verb whose options to add, "all" for every verb, None for none. The modules of the other verbs are not
            imported, so that `anguilla --help` answers at once.
    """
    parser = Recipes(
        prog="anguilla",
        description=DESCRIPTION,
        epilog=EPILOG,
        fromfile_prefix_chars="@",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"anguilla {anguilla.__version__}")
    verbs = parser.add_subparsers(
        dest="verb", metavar="VERB", required=True, title="verbs", parser_class=argparse.ArgumentParser
    )
    for name, purpose in VERBS.items():
        if verb in (name, "all"):
            importlib.import_module(f".commands.{name}", __package__).register(verbs)
        else:
            verbs.add_parser(name, help=purpose)
    for options in verbs.choices.values():
        options.set_defaults(parser=options)
    return parser


if __name__ == "__main__":
    sys.exit(main())
