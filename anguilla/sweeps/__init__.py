"""Sweeps: evaluate any function over a labelled grid, batched over all devices and hosts, into a resumable store."""

from .open import open_sweep as open_sweep
from .run import sweep as sweep
