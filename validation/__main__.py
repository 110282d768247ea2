"""`python -m validation`: prints the table of checks; 1 when one fails, 2 for bad arguments."""

import sys

import jax

from .command import main

jax.config.update("jax_enable_x64", True)

if __name__ == "__main__":
    sys.exit(main())
