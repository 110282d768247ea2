"""The verbs of the command line, one module each; `register(subparsers)` adds one."""

from . import swim, vertebra

COMMANDS = (swim, vertebra)
