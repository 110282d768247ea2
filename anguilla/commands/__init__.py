"""The verbs of the command line, one module each; `register(subparsers)` adds one."""

from . import bench, optimise, robot, sweep, swim, validate, vertebra

COMMANDS = (swim, robot, vertebra, optimise, sweep, validate, bench)
