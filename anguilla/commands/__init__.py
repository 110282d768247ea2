"""The verbs of the command line, one module each; `register(subparsers)` adds one."""

from . import robot, swim, validate, vertebra

COMMANDS = (swim, robot, vertebra, validate)
