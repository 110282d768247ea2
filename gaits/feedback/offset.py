"""Law of a steered beam: a gait plus offsets of some of its strains."""

from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from spatial import one_of
from spatial.checks import shown
from spatial.printing import Printed

from .sensors import STRAINS


class Offset(Printed):
    """A gait with an offset of one strain for each channel of the command: ξ = gait(X, t) + Σ y_k s_k(X) e_k.

    >>> import anguilla, gaits, gaits.feedback as fb
    >>> import jax.numpy as jnp
    >>> law = fb.Offset(gaits.planar(), "K3")
    >>> law(1.0, 0.0, jnp.array([0.2])).tolist()  # the gait starts from rest [-, 1/m]
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.2]

    Attributes:
        gait: strain law (X, t) -> (Γ, K).
        strains: names of the strains, such as "K3", one for each channel.
        shape: X -> factors s_k of all channels [-]; None for a factor of one along the whole body.
    """

    gait: Callable[..., Any]
    strains: tuple[str, ...] = eqx.field(static=True)
    shape: Callable[..., Float[Array, "m"]] | None

    def __init__(self, gait: Any, strains: str | Sequence[str] = "K3", shape: Callable[..., Any] | None = None):
        if not callable(gait):
            raise ValueError(f"Offset.gait = {shown(gait)}: must be a strain law (X, t) -> (6,)")
        self.gait, self.shape = gait, shape
        self.strains = (strains,) if isinstance(strains, str) else tuple(strains)
        for name in self.strains:
            one_of("Offset.strains", name, STRAINS)
        if len(set(self.strains)) < len(self.strains):
            raise ValueError(f"Offset.strains = {self.strains}: must differ")

    def __call__(self, X: Float[Array, ""], t: Float[Array, ""], y: Float[Array, "m"]) -> Float[Array, "6"]:
        """Strain (Γ, K) at the abscissa X [m] and the time t [s], for the offsets y [-, 1/m]."""
        if y.shape != (len(self.strains),):
            raise ValueError(
                f"Offset of {self.strains} needs {len(self.strains)} channels: the command has {y.shape[0]}"
            )
        rows = np.array([STRAINS.index(name) for name in self.strains])
        return self.gait(X, t) + jnp.zeros(6).at[rows].set(y if self.shape is None else y * self.shape(X))

    @property
    def break_times(self) -> tuple:
        """Break times of the gait [s]."""
        return tuple(getattr(self.gait, "break_times", ()))
