"""Dry friction of a body that lies on a plane, level or inclined."""

from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from gaits.laws import AbstractLaw, as_law
from gaits.strain import Law
from hydro import EARTH, AbstractFluid, AbstractSection, Place, StiffMatrices
from spatial import Numbers, finite, join, linear, number, positive, unit

from .coulomb import Coulomb


class Friction(AbstractFluid):
    """Dry friction under the weight that each section carries on a plane.

        f = -w [μ_s û_s t2 + (μ_f or μ_b) û_l t1] - viscous v + ρA (g - (g·n) n),    w = -ρA (g·n) lifting(X, t)

    The plane balances the normal component of the weight, so a planar gait keeps the body on the plane; the tangential
    component on an inclined plane is the term `downhill`. Do not add `hydro.Weight` or the `gravity` of a tree.
    Friction acts at the centre line: the height of the centre line above the ground is neglected.

    A snake that lifts part of its body increases the load on the rest. `lifting` is the ratio of load to weight, a law
    of (X, t) whose mean along the body should be one: `gaits.SinusLifting`, `gaits.sidewinding(...).lifting`.

    Attributes:
        density: density of the body [kg/m³]; must equal that of the beam.
        coulomb: the coefficients.
        gravity: acceleration of gravity in the world [m/s²].
        normal: unit normal of the plane in the world, away from the ground.
        lifting: load over weight [-] as a law of (X, t).
        time: time at which the lifting is evaluated [s]; see `at`.

    Example:
        >>> import cosserat, gaits, hydro
        >>> from anguilla import ground
        >>> snake = cosserat.rod(1.0, b=0.02, c=0.02)
        >>> rough = ground.Friction(forward=0.1, sideways=0.5)
        >>> run = cosserat.rollout(snake, gaits.serpenoid(0.5, 1.0), rough, t1=2.0)
        >>> bool(run.position[-1, 0] < -0.5)  # forward is -x
        True
    """

    section_kind: ClassVar[type] = AbstractSection

    density: Float[Array, ""]
    coulomb: Coulomb
    gravity: Float[Array, "3"]
    normal: Float[Array, "3"]
    lifting: AbstractLaw | None
    time: Float[Array, ""]

    def __init__(
        self,
        forward: Numbers = 0.1,
        sideways: Numbers = 0.2,
        backward: Numbers | None = None,
        *,
        density: Numbers = 1000.0,
        width: Numbers = 1e-2,
        viscous: Numbers = 0.0,
        incline: Numbers = 0.0,
        normal: Numbers | None = None,
        gravity: Numbers = EARTH,
        lifting: Law | None = None,
    ):
        """Coefficients and plane.

        Args:
            forward: coefficient while a section slides towards its head.
            sideways: coefficient while it slides sideways.
            backward: coefficient while it slides towards its tail; as forward when None.
            density: density of the body [kg/m³].
            width: speed over which friction changes sign [m/s].
            viscous: force per metre and per speed, in all directions [N·s/m²].
            incline: slope that rises towards -x, the initial heading of a body [rad]. The axes of the world are then
                those of the plane, z its normal, and gravity is tilted instead.
            normal: unit normal of the plane in the world; z when None.
            gravity: acceleration of gravity in the world [m/s²]; before it is tilted by `incline`.
            lifting: law of (X, t): load over weight; one everywhere when None.
        """
        self.density = positive("Friction.density", density, "kg/m³", ())
        self.coulomb = Coulomb(forward, forward if backward is None else backward, sideways, width, viscous)
        angle = finite("Friction.incline", incline, ())
        x, y, z = finite("Friction.gravity", gravity, (3,))
        cos, sin = jnp.cos(angle), jnp.sin(angle)
        self.gravity = jnp.stack([cos * x - sin * z, y, sin * x + cos * z])
        self.normal = unit("Friction.normal", (0.0, 0.0, 1.0) if normal is None else normal, 3)
        pressed = -jnp.dot(self.gravity, self.normal)
        if not isinstance(pressed, Tracer) and float(pressed) < 0.0:
            raise ValueError(
                f"Friction: gravity = {np.asarray(self.gravity)}, normal = {np.asarray(self.normal)}: gravity must "
                "press the body on the plane, gravity · normal <= 0; the normal points away from the ground"
            )
        if lifting is not None and not callable(lifting):
            lifting = number("Friction.lifting", lifting)
        self.lifting = None if lifting is None else as_law(lifting)
        self.time = jnp.zeros(())

    def at(self, t: Float[Array, ""]) -> "Friction":
        """The same ground with the lifting of time t [s]."""
        return eqx.tree_at(lambda ground: ground.time, self, jnp.asarray(t, float))

    def load(self, section: AbstractSection, place: Place) -> Float[Array, ""]:
        """Normal load of a section, w [N/m]."""
        weight = -self.density * section.area * jnp.dot(self.gravity, self.normal)
        if self.lifting is None:
            return weight
        if place.abscissa is None:
            raise ValueError("Friction.lifting depends on the abscissa: hydro.Place(..., abscissa=X) must have it")
        return weight * self.lifting(place.abscissa, self.time)

    def added_inertia(self, section: AbstractSection) -> Float[Array, "6 6"]:
        """Zero."""
        return jnp.zeros((6, 6))

    def terms(self, section: AbstractSection, place: Place, twist: Float[Array, "6"]) -> dict[str, Float[Array, "6"]]:
        """`friction`, and `downhill`, the weight along the plane, in the section frame [N/m, N]."""
        down, still = place.rotation.T, jnp.zeros(3)
        along = jnp.array([1.0, 0.0, 0.0])
        rubbing = self.coulomb.force(self.load(section, place), linear(twist), along, down @ self.normal)
        slide = self.density * section.area * (down @ self._tangential())
        return {"friction": join(rubbing, still), "downhill": join(slide, still)}

    def stiff_matrices(self, section: AbstractSection, place: Place, twist: Float[Array, "6"]) -> StiffMatrices:
        """Damping of the friction; near rest it is w μ / `width`."""
        normal, along = place.rotation.T @ self.normal, jnp.array([1.0, 0.0, 0.0])
        rubbing = self.coulomb.resistance(self.load(section, place), linear(twist), along, normal)
        return StiffMatrices(jnp.zeros((6, 6)), jnp.pad(rubbing, ((0, 3), (0, 3))))

    def nose_added_inertia(self, radius: Float[Array, ""]) -> Float[Array, "6 6"]:
        """Zero."""
        return jnp.zeros((6, 6))

    def nose_terms(
        self, radius: Float[Array, ""], place: Place, twist: Float[Array, "6"]
    ) -> dict[str, Float[Array, "6"]]:
        """No term: the nose is part of the sections."""
        return {}

    def mass_terms(
        self, inertia: Float[Array, "6 6"], place: Place, twist: Float[Array, "6"]
    ) -> dict[str, Float[Array, "6"]]:
        """Rejects point masses: this model cannot distribute their weight on the ground."""
        raise ValueError(
            "Friction: the body has point masses, whose weight causes no friction here: include their mass in the "
            "density of the body, or use ground.Contact with hydro.Weight"
        )

    def potential(self, section: AbstractSection, place: Place) -> Float[Array, ""]:
        """Potential energy on an inclined plane per metre [J/m]; zero at the world's origin."""
        return -self.density * section.area * jnp.dot(self._tangential(), place.position)

    def _tangential(self):
        return self.gravity - jnp.dot(self.gravity, self.normal) * self.normal
