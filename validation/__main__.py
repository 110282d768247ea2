"""`python -m validation`: prints the table of checks; exits with 1 if one fails, 2 for bad arguments."""

import sys

import jax

from .command import main

jax.config.update("jax_enable_x64", True)

if __name__ == "__main__":
    sys.exit(main())
