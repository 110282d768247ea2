"""Period of the travelling waves in a gait."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from .laws import TravellingWave
from .midline.laws import PeriodicBending


def wave_period(gait: Any) -> Float[Array, ""]:
    """Common period of the travelling waves and Fourier series of a gait [s]; raises ValueError if they differ."""
    is_wave = lambda node: isinstance(node, TravellingWave | PeriodicBending)  # noqa: E731
    waves = [node for node in jax.tree.leaves(gait, is_leaf=is_wave) if is_wave(node)]
    if not waves:
        raise ValueError("period = None: the gait has no TravellingWave; give the period [s]")
    periods = [wave.period for wave in waves]
    if not any(isinstance(period, Tracer) for period in periods) and np.ptp(np.array(periods)) > 0:
        raise ValueError(
            f"period = None: the waves of the gait have periods {[float(p) for p in periods]}; give one [s]"
        )
    return jnp.asarray(periods[0])
