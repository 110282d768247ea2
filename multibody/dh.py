"""Builds trees from modified Denavit-Hartenberg parameters, after Khalil and Kleinfinger."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, one_of
from spatial.checks import integer, of_kind, sequence
from spatial.printing import Printed

from .joints import Joint
from .strips import Strip
from .tree import Tree

SIGMA = {0: "revolute", 1: "prismatic", 2: "fixed"}


class DHRow(Printed):
    """One row of the table: frame j relative to its antecedent i. [KR13, II.A]

        T = Rot(z, γ) Tran(z, b) Rot(x, α) Tran(x, d) Rot(z, θ) Tran(z, r)              [KR13, eq. (1)]

    Attributes:
        antecedent: number of the parent body, a(j); 0 is the base.
        sigma: 0 revolute (variable θ), 1 prismatic (variable r), 2 fixed.
        gamma: γ [rad].
        b: translation along z of the antecedent [m].
        alpha: α [rad].
        d: translation along the rotated x axis [m].
        theta: θ at zero joint position [rad]; the offset of a revolute joint.
        r: r at zero joint position [m]; the offset of a prismatic joint.
        options: further fields of `Joint` (actuated, name, stiffness, ...).
    """

    antecedent: int = eqx.field(static=True)
    sigma: int = eqx.field(static=True)
    gamma: Float[Array, ""]
    b: Float[Array, ""]
    alpha: Float[Array, ""]
    d: Float[Array, ""]
    theta: Float[Array, ""]
    r: Float[Array, ""]
    options: dict[str, Any]

    def __init__(
        self,
        antecedent: int,
        *,
        sigma: int = 0,
        gamma: Numbers = 0.0,
        b: Numbers = 0.0,
        alpha: Numbers = 0.0,
        d: Numbers = 0.0,
        theta: Numbers = 0.0,
        r: Numbers = 0.0,
        **options: Any,
    ):
        self.antecedent, self.options = integer("DHRow.antecedent", antecedent, -1), options
        self.sigma = integer("DHRow.sigma", sigma, 0)
        one_of("DHRow.sigma", self.sigma, tuple(SIGMA))
        self.gamma, self.b = finite("DHRow.gamma", gamma, ()), finite("DHRow.b", b, ())
        self.alpha, self.d = finite("DHRow.alpha", alpha, ()), finite("DHRow.d", d, ())
        self.theta, self.r = finite("DHRow.theta", theta, ()), finite("DHRow.r", r, ())

    def joint(self) -> Joint:
        """The joint described by this row; its axis is z_j."""
        before = _about_z(self.gamma) @ _about_x(self.alpha)
        rotation = before @ _about_z(self.theta)
        position = (
            self.b * jnp.asarray([0.0, 0.0, 1.0])
            + _about_z(self.gamma) @ (self.d * jnp.asarray([1.0, 0.0, 0.0]))
            + before @ (self.r * jnp.asarray([0.0, 0.0, 1.0]))
        )
        return Joint(SIGMA[self.sigma], rotation=rotation, position=position, **self.options)


def from_dh(
    rows: Sequence[DHRow],
    inertia: Numbers,
    *,
    names: Sequence[str] | None = None,
    strips: Sequence[Strip | None] | None = None,
    base: str = "floating",
) -> Tree:
    """Builds the tree of a Khalil-Kleinfinger table.

    >>> import anguilla, hydro
    >>> import multibody as mb
    >>> rows = [mb.DHRow(0), mb.DHRow(1, d=0.4)]  # two parallel hinges, 40 cm apart
    >>> inertia = mb.link_inertia(mb.strip(hydro.uniform_profile(0.4, 0.02, 0.03), span=(0.0, 0.4)), density=1000.0)
    >>> tree = mb.from_dh(rows, [inertia] * 3)
    >>> len(tree.joint_names)
    2

    Args:
        rows: one row per joint; row j describes body j + 1 of the tree, the base being body 0.
        inertia: inertia of each body about its frame, base first [kg, kg·m, kg·m²].
        names: names of the bodies, base first; "body0", "body1", ... when None.
        strips: points where the fluid acts on each body, base first.
        base: "floating" or "fixed".
    """
    rows = sequence("rows", rows, "one multibody.DHRow for each joint")
    for k, row in enumerate(rows):
        of_kind(f"rows[{k}]", row, DHRow, "a multibody.DHRow")
    return Tree(
        names=[f"body{i}" for i in range(len(rows) + 1)] if names is None else names,
        parents=[row.antecedent for row in rows],
        joints=[row.joint() for row in rows],
        inertia=inertia,
        strips=strips,
        base=base,
    )


def _about_z(angle):
    c, s, zero, one = jnp.cos(angle), jnp.sin(angle), jnp.zeros_like(angle), jnp.ones_like(angle)
    return jnp.stack([jnp.stack(row) for row in ([c, -s, zero], [s, c, zero], [zero, zero, one])])


def _about_x(angle):
    c, s, zero, one = jnp.cos(angle), jnp.sin(angle), jnp.zeros_like(angle), jnp.ones_like(angle)
    return jnp.stack([jnp.stack(row) for row in ([one, zero, zero], [zero, c, -s], [zero, s, c])])
