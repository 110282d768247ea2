"""Any function over a labelled grid: in batches, over all devices and hosts, into a store that a kill does not hurt."""

from .open import open_sweep as open_sweep
from .run import sweep as sweep
