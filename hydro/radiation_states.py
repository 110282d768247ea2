"""Storage of fitted radiation states, so that they need not be fitted again."""

from pathlib import Path

import numpy as np

from .radiation import Radiation
from .radiation_table import STORED, read_archive

STORED_STATES = STORED.with_name("scull_states.npz")


def save_states(radiation: Radiation, path: Path) -> Path:
    """Writes a `Radiation` as a NumPy archive."""
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            added_mass=np.asarray(radiation.added_mass),
            drift=np.asarray(radiation.drift),
            feed=np.asarray(radiation.feed),
            read=np.asarray(radiation.read),
        )
    return path


def load_states(path: Path = STORED_STATES) -> Radiation:
    """Reads a `Radiation`; by default that of the single scull, made by `python -m hydro.hull_table`."""
    return Radiation(**read_archive(path, Radiation.__dataclass_fields__))
