"""The verbs of the command line, one module each; `register(subparsers)` adds one."""

from . import optimise, robot, swim, validate, vertebra

COMMANDS = (swim, robot, vertebra, optimise, validate)
