"""Where the water leaves a swimming body, and what it does behind that edge."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from spatial import Numbers, one_of, positive

from .general_sections import BodySection
from .profiles import Profile

EDGES = ("tail", "deepest")  # names of edges that follow from the body's shape
AFT = ("truncate", "hold")  # what the added mass does behind the edge; see `Shedding`
_NEAR = 1e-9  # of the length: how near to a break of the profile an edge must lie


class Shedding(eqx.Module):
    """The edge at which slices of water leave the body, with the momentum they have there.

    A body that closes to a point has no added mass at its tip: with the edge at the tail it sheds nothing and has no
    mean thrust. A given edge must be a break of the profile (see `Profile.cut`), where panels and steps end.

    Attributes:
        rule: "tail", "deepest" (the break with the largest semi-axis c, the last of equals) or "abscissa".
        abscissa: of the edge, when it is given [m]; None otherwise.
        aft: "truncate": no slice behind the edge, and the water leaves at the edge. "hold": the added mass of the edge
            is kept up to the end of the body, where the water leaves.
    """

    rule: str = eqx.field(static=True)
    abscissa: Float[Array, ""] | None
    aft: str = eqx.field(static=True)

    def __init__(self, edge: Numbers | str = "tail", aft: str = "truncate"):
        one_of("aft", aft, AFT)
        self.aft = aft
        if isinstance(edge, str):
            one_of("edge", edge, EDGES)
            self.rule, self.abscissa = edge, None
        else:
            self.rule, self.abscissa = "abscissa", positive("edge", edge, "m", ())

    def edge(self, profile: Profile) -> Float[Array, ""]:
        """Abscissa of the edge [m]; NaN when it is not a break of the profile."""
        if self.rule == "tail":
            return profile.length
        if self.rule == "deepest":
            depth = jax.vmap(lambda X: section_before(profile, X).c)(profile.breaks[1:])
            return profile.breaks[1:][depth.shape[0] - 1 - jnp.argmax(depth[::-1])]
        assert self.abscissa is not None  # the third rule
        distance = jnp.abs(profile.breaks[1:] - self.abscissa)
        nearest = jnp.argmin(distance)
        return jnp.where(distance[nearest] <= _NEAR * profile.length, profile.breaks[1:][nearest], jnp.nan)

    def leaving(self, profile: Profile) -> Float[Array, ""]:
        """Abscissa at which the water leaves the body [m]."""
        return profile.length if self.aft == "hold" else self.edge(profile)

    def water_section(self, profile: Profile, X: Float[Array, "*points"], section: BodySection) -> BodySection:
        """The sections that slices of water see, where the body has its own; of no size where there is no slice.

        Args:
            profile: of the body.
            X: abscissae [m]; the edge itself counts as before it.
            section: of the body there.
        """
        edge = self.edge(profile)
        before, unknown = X <= edge, jnp.isnan(edge)
        behind = section_before(profile, edge)
        if self.aft == "truncate":
            behind = jax.tree.map(jnp.zeros_like, behind)
        choose = lambda own, behind: jnp.where(unknown, jnp.nan, jnp.where(before, own, behind))  # noqa: E731
        return jax.tree.map(choose, section, behind)

    def leaving_section(self, profile: Profile) -> BodySection:
        """The section that a slice of water sees when it leaves."""
        return section_before(profile, self.edge(profile))

    def check(self, profile: Profile) -> None:
        """Refuses an edge that the body does not have, as far as numbers are known.

        Raises:
            ValueError: for an edge outside the body, or off its breaks.
        """
        if isinstance(profile.breaks, Tracer) or isinstance(self.abscissa, Tracer):
            return
        breaks = np.asarray(profile.breaks)
        if self.rule == "abscissa":
            edge = float(self.abscissa)  # pyright: ignore[reportArgumentType]
            if not 0.0 < edge <= breaks[-1] * (1.0 + _NEAR):
                raise ValueError(f"edge = {edge:g}: must lie on the body, between 0 and its length {breaks[-1]:g} [m]")
            if np.min(np.abs(breaks[1:] - edge)) > _NEAR * breaks[-1]:
                raise ValueError(
                    f"edge = {edge:g}: must be a break of the profile, one of {breaks[1:].tolist()} [m]; "
                    f"profile.cut({edge:g}) makes it one"
                )
        elif self.rule == "deepest":
            X = breaks[-1] * np.linspace(0.0, 1.0, 401)
            depth = np.asarray(jax.vmap(lambda x: profile(x).c)(jnp.asarray(X)))
            at_breaks = np.asarray(jax.vmap(lambda x: section_before(profile, x).c)(profile.breaks[1:]))
            deepest = int(np.argmax(depth))
            if depth[deepest] > at_breaks.max() * (1.0 + 1e-6):
                raise ValueError(
                    f"edge = 'deepest': the deepest section, near X = {X[deepest]:g} m, must be a break of the "
                    f"profile; profile.cut({X[deepest]:g}) makes it one"
                )


def section_before(profile: Profile, X: Float[Array, ""]) -> BodySection:
    """The section just before an abscissa [m], by the piece that ends or lies there."""
    slack = _NEAR * profile.length
    k = jnp.clip(jnp.searchsorted(profile.breaks, X - slack, side="left") - 1, 0, len(profile.pieces) - 1)
    return jax.lax.switch(k, profile.sections, X)
