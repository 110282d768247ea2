"""`anguilla validate`: checks against conservation laws, independent figures, closed forms and the papers."""

import argparse

from validation import command

from . import VERBS

EXAMPLES = """\
examples:
  anguilla validate                                 the whole table, some minutes
  anguilla validate --group "closed forms"          one group of checks
  anguilla validate --out out                       also out/validation.html, with figures
  anguilla validate --ledger                        claims of the papers and their verdicts

"""


def register(subparsers: argparse._SubParsersAction) -> None:
    """Adds the verb to the command line."""
    parser = subparsers.add_parser(
        "validate",
        help=VERBS["validate"],
        description=command.DESCRIPTION,
        epilog=EXAMPLES + command.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_arguments(parser)
    parser.set_defaults(run=command.execute, check=command.unknown_check)
