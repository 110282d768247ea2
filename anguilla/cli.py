"""The command line: `anguilla VERB ...`."""

import argparse
import difflib
import sys
from collections.abc import Sequence

import anguilla

from .commands import COMMANDS
from .commands.recipe import Recipes, recipe

DESCRIPTION = """\
Swimming soft robots: a geometrically exact beam in water, its motion, its torques, its pictures.
"""
EPILOG = """\
start here:
  anguilla swim --gait planar --t1 10 --out out     the eel swims; figures, a film and data in out/
  anguilla swim --help                              all its options, with examples
  anguilla robot eel --t1 30 --out out              the 36-joint eel robot; torques against its actuators
  anguilla optimise --goal faster --out out         a faster gait with no more torque, by gradients
  anguilla sweep --wavelength 0.8:1.6:9 --amplitude 0.4:1.2:9 --out out    81 steady swims, resumable
  anguilla @out/planar.recipe --out again           the very run again, from the recipe beside its results

Compiled programs are kept in the user's cache directory, so that later runs start faster; the environment variable
ANGUILLA_CACHE names another directory, or turns this off (ANGUILLA_CACHE=off).

exit codes: 0 done, 1 the run failed, 2 bad arguments
"""
OK, FAILED, INTERRUPTED = 0, 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one verb.

    Args:
        arguments: the words after `anguilla`; those of the process when None.

    Returns:
        0 when done, 1 when the run failed. Bad arguments end the process with 2.
    """
    parser = build_parser()
    chosen, unknown = parser.parse_known_args(arguments)
    if unknown:
        chosen.parser.error(_not_understood(chosen.parser, unknown))
    chosen.recipe = recipe(chosen.parser, chosen.verb, chosen)
    wrong = chosen.check(chosen) if hasattr(chosen, "check") else None
    if wrong is not None:
        chosen.parser.error(wrong)
    try:
        return chosen.run(chosen)
    except KeyboardInterrupt:
        print("anguilla: interrupted", file=sys.stderr)
        return INTERRUPTED
    except (RuntimeError, ValueError, OSError) as error:
        print(f"anguilla {chosen.verb}: failed: {error}", file=sys.stderr)
        return FAILED


def _not_understood(parser: argparse.ArgumentParser, words: Sequence[str]) -> str:
    """What is said of words that no option takes, with the option that was probably meant."""
    known = [option for action in parser._actions for option in action.option_strings]
    close = [match for word in words for match in difflib.get_close_matches(word.split("=")[0], known, n=1)]
    meant = f"; did you mean {' '.join(close)}?" if close else ""
    return f"not understood: {' '.join(words)}{meant} (`{parser.prog} --help` lists the options)"


def build_parser() -> argparse.ArgumentParser:
    """The parser, with every verb that exists."""
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
    for command in COMMANDS:
        command.register(verbs)
    for verb in verbs.choices.values():
        verb.set_defaults(parser=verb)
    return parser


if __name__ == "__main__":
    sys.exit(main())
