"""Command line of the checks, shared by `python -m validation` and `anguilla validate`."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from .groups import GROUPS

OK, FAILED = 0, 1

DESCRIPTION = """\
Measures the code against conservation laws, independent figures and closed forms, and prints each number with its
reference, its tolerance and its unit. The ledger lists the claims of the papers and their verdicts.
"""
EPILOG = """\
exit codes: 0 every check passed, 1 a check failed (its name and meaning are printed), 2 bad arguments
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options to a parser."""
    parser.add_argument(
        "--group",
        action="append",
        choices=GROUPS,
        metavar="G",
        help=f"only this group of checks, one of {', '.join(map(repr, GROUPS))}; may be given several times",
    )
    parser.add_argument(
        "--check",
        dest="names",
        action="append",
        metavar="NAME",
        help="only this check, see --list; may be given several times",
    )
    parser.add_argument("--list", action="store_true", help="only list the checks")
    parser.add_argument(
        "--ledger",
        action="store_true",
        help="run the checks that the ledger quotes, then print the claims of the papers and their verdicts",
    )
    parser.add_argument(
        "--readme", type=Path, metavar="FILE", help="rewrite the table of headlines between the marks in FILE"
    )
    parser.add_argument("--jobs", type=_jobs, metavar="N", help="number of processes; default: number of processors")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write DIR/validation.html: table, ledger, figures")


def _jobs(text: str) -> int:
    """A number of processes.

    Raises:
        ArgumentTypeError: it is not a positive integer.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a positive integer")
    return int(text)


def unknown_check(arguments: argparse.Namespace) -> str | None:
    """Message for a check that does not exist; None otherwise. Imports the checks only if one is named."""
    if arguments.names is None:
        return None
    from .catalogue import all_checks

    known = {function.__name__ for function in all_checks()}
    wrong = [name for name in arguments.names if name not in known]
    return f"argument --check: {wrong[0]!r}: no such check; --list names them" if wrong else None


def execute(arguments: argparse.Namespace) -> int:
    """Executes the options; returns the exit code."""
    from .catalogue import all_checks
    from .headlines import HEADLINES, marked, write_table
    from .peers import missing
    from .published import ledger, print_ledger, quoted_checks
    from .report import quoted
    from .running import processors, run

    functions = all_checks(arguments.group)
    if arguments.names is not None:
        functions = tuple(function for function in functions if function.__name__ in arguments.names)
    if arguments.list:
        for function in functions:
            print(f"{function.group:14} {function.__name__:32} {function.title}")
        return OK
    if arguments.ledger:
        wanted = quoted_checks(ledger())
        functions = tuple(function for function in functions if function.__name__ in wanted)
    if arguments.readme is not None:
        functions = tuple(function for function in functions if function.__name__ in HEADLINES)
        marked(arguments.readme.read_text(encoding="utf-8"))  # fails before the long computation
    outcome = run(functions, processors() if arguments.jobs is None else arguments.jobs)
    if arguments.ledger:
        print_ledger(ledger(), quoted(outcome.checks, outcome.exhibits))
        return FAILED if outcome.failed else OK
    for peer in missing():
        print(f"skipped: the check against {peer}, which is not installed (pip install 'anguilla[peers]')")
    if arguments.readme is not None and not outcome.failed:
        write_table(arguments.readme, outcome.checks)
    if arguments.out is not None:
        from .html import write_report  # draws with matplotlib: only when it is needed

        print(f"report in {write_report(outcome, arguments.out)}")
    return FAILED if outcome.failed else OK


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `python -m validation`.

    Args:
        arguments: command-line arguments; those of the process when None.

    Returns:
        0 if every check passed, 1 if one failed. Bad arguments end the process with 2.
    """
    parser = argparse.ArgumentParser(
        prog="python -m validation",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_arguments(parser)
    chosen = parser.parse_args(arguments)
    wrong = unknown_check(chosen)
    if wrong is not None:
        parser.error(wrong)
    return execute(chosen)
