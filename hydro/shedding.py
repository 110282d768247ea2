"""Where the water leaves a swimming body, and the added mass behind that edge."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from spatial import Numbers, one_of, positive
from spatial.printing import Printed

from .general_sections import BodySection
from .profiles import Profile

EDGES = ("tail", "deepest")  # names of edges that follow from the shape of the body
AFT = ("truncate", "hold")  # treatment of the added mass behind the edge; see `Shedding`
_NEAR = 1e-9  # largest distance of an edge from a break of the profile, relative to the length


class Shedding(Printed):
    """The edge at which slices of water leave the body and take their momentum with them.

    A body that tapers to a point has no added mass at its tip: with the edge at the tail it sheds nothing and has no
    mean thrust. A given edge must be a break of the profile (see `Profile.cut`), where panels and steps end.

    Attributes:
        rule: "tail", "deepest" (the break with the largest semi-axis c; the last one in case of ties) or "abscissa".
        abscissa: abscissa of a given edge [m]; None otherwise.
        aft: "truncate": there are no slices behind the edge, and the water leaves at the edge. "hold": the added mass
            of the edge is kept up to the end of the body, where the water leaves.
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
        """Abscissa of the edge [m]; NaN if it is not a break of the profile."""
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
        """The sections that determine the added mass of the slices; of zero size where there are no slices.

        Up to the edge these are the sections of the body; behind it they depend on `aft`.

        Args:
            profile: profile of the body.
            X: abscissae [m]; the edge itself counts as before the edge.
            section: sections of the body at these abscissae.
        """
        edge = self.edge(profile)
        before, unknown = X <= edge, jnp.isnan(edge)
        behind = section_before(profile, edge)
        if self.aft == "truncate":
            behind = jax.tree.map(jnp.zeros_like, behind)
        choose = lambda own, behind: jnp.where(unknown, jnp.nan, jnp.where(before, own, behind))  # noqa: E731
        return jax.tree.map(choose, section, behind)

    def leaving_section(self, profile: Profile) -> BodySection:
        """The section that determines the added mass of a slice when it leaves."""
        return section_before(profile, self.edge(profile))

    def check(self, profile: Profile) -> None:
        """Checks that the body has the edge; skipped if the profile or the abscissa is traced.

        Raises:
            ValueError: the edge is outside the body, or is not a break of the profile.
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
    """The section just before an abscissa [m]; at a break, that of the piece that ends there."""
    slack = _NEAR * profile.length
    k = jnp.clip(jnp.searchsorted(profile.breaks, X - slack, side="left") - 1, 0, len(profile.pieces) - 1)
    return jax.lax.switch(k, profile.sections, X)
