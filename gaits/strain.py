"""Strain laws ξ(X,t) = (Γ, K): one scalar law per strain, and the five kinematics of [BPK06, II]."""

from collections.abc import Callable

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite
from spatial.printing import Printed

from .laws import AbstractLaw, Scalar, as_law

Law = AbstractLaw | Callable | Numbers


class Strain(Printed):
    """A gait: all six strains, each a law of (X, t), in the section frame.

    Attributes:
        stretch: Γ1 [-]; 1 for the unstretched body.
        shear2: Γ2 [-].
        shear3: Γ3 [-].
        torsion: K1 [1/m].
        bending2: K2, bending about the minor axis t2 [1/m].
        bending3: K3, bending about the major axis t3 [1/m].
    """

    stretch: AbstractLaw
    shear2: AbstractLaw
    shear3: AbstractLaw
    torsion: AbstractLaw
    bending2: AbstractLaw
    bending3: AbstractLaw

    def __init__(
        self,
        *,
        stretch: Law = 1.0,
        shear2: Law = 0.0,
        shear3: Law = 0.0,
        torsion: Law = 0.0,
        bending2: Law = 0.0,
        bending3: Law = 0.0,
    ):
        self.stretch = _scalar_law("stretch", stretch)
        self.shear2 = _scalar_law("shear2", shear2)
        self.shear3 = _scalar_law("shear3", shear3)
        self.torsion = _scalar_law("torsion", torsion)
        self.bending2 = _scalar_law("bending2", bending2)
        self.bending3 = _scalar_law("bending3", bending3)

    @property
    def laws(self) -> tuple[AbstractLaw, ...]:
        """The six laws in the order of the strain vector (Γ1, Γ2, Γ3, K1, K2, K3)."""
        return (self.stretch, self.shear2, self.shear3, self.torsion, self.bending2, self.bending3)

    def __str__(self) -> str:
        names = ("Γ1", "Γ2", "Γ3", "K1", "K2", "K3")
        rest = ("1", "0", "0", "0", "0", "0")
        moving = [
            f"{name} = {law}" for name, law, still in zip(names, self.laws, rest, strict=True) if str(law) != still
        ]
        return f"Strain({'; '.join(moving) or 'straight'})"

    def __call__(self, X: Scalar, t: Scalar) -> Float[Array, "6"]:
        """Strain (Γ, K) at the abscissa X [m] and the time t [s], in the section frame [-, 1/m]."""
        for name, value, axes in (("X", X, "(0, None)"), ("t", t, "(None, 0)")):
            if jnp.ndim(value) != 0:
                raise ValueError(
                    f"gait(X, t): {name} has shape {jnp.shape(value)}: must be one number; "
                    f"for an array use jax.vmap(gait, in_axes={axes})(X, t)"
                )
        return jnp.stack([law(X, t) for law in self.laws])

    @property
    def break_times(self) -> tuple[Scalar, ...]:
        """Times at which a higher time derivative of a strain jumps [s]."""
        return tuple(time for law in self.laws for time in law.break_times)


def _scalar_law(name: str, law: Law) -> AbstractLaw:
    if isinstance(law, Strain):
        raise ValueError(
            f"{name} is a whole gait of six strains: must be a law (X, t) -> one number, such as one of its waves"
        )
    return as_law(law if callable(law) else finite(name, law, ()))


def planar_bending(bending3: Law) -> Strain:
    """Planar robot: bending about t3 only."""
    return Strain(bending3=bending3)


def universal(bending2: Law, bending3: Law) -> Strain:
    """Universal-joint vertebrae: two bendings, no torsion."""
    return Strain(bending2=bending2, bending3=bending3)


def inextensible_kirchhoff(torsion: Law, bending2: Law, bending3: Law) -> Strain:
    """Spherical-joint vertebrae: torsion and two bendings; the kinematics of the eel. [BPK06, eq. (8)]"""
    return Strain(torsion=torsion, bending2=bending2, bending3=bending3)


def extensible_kirchhoff(stretch: Law, torsion: Law, bending2: Law, bending3: Law) -> Strain:
    """Spherical joints with a sliding degree of freedom along the backbone: stretch, torsion and two bendings."""
    return Strain(stretch=stretch, torsion=torsion, bending2=bending2, bending3=bending3)


def timoshenko_reissner(stretch: Law, shear2: Law, shear3: Law, torsion: Law, bending2: Law, bending3: Law) -> Strain:
    """Vertebrae that are Gough-Stewart platforms: all six strains."""
    return Strain(stretch=stretch, shear2=shear2, shear3=shear3, torsion=torsion, bending2=bending2, bending3=bending3)
