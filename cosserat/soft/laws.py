"""Constitutive laws of the free strains: elastic and viscous stress.

The stress Λ is the wrench that the tail side exerts on the head side, in the section frame:
Λ = ∂U/∂ξ + D dξ/dt + Λ_act, with Λ_act of `actuators`. It is minus the internal wrench (Rᵀn, M) in the output.
"""

import abc
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from hydro import BodySection, Profile
from spatial import Numbers, finite, non_negative, positive
from spatial.checks import shown, spread
from spatial.printing import Printed

Along = Float[Array, "6"] | Callable[[Float[Array, ""]], Float[Array, "6"]]


class AbstractStress(Printed):
    """A constitutive law: energy density and damping."""

    @abc.abstractmethod
    def stiffness(self, X: Float[Array, ""], section: BodySection) -> Float[Array, "6"]:
        """Stiffness against each strain, about the rest shape, in the section frame [N, N·m²]."""

    @abc.abstractmethod
    def damping(self, X: Float[Array, ""], section: BodySection) -> Float[Array, "6"]:
        """Viscosity against the rate of each strain, in the section frame [N·s, N·m²·s]."""

    @property
    def linear(self) -> bool:
        """Whether the elastic stress is the stiffness times the difference between strain and rest shape."""
        return True

    def energy(
        self, X: Float[Array, ""], section: BodySection, strain: Float[Array, "6"], rest: Float[Array, "6"]
    ) -> Float[Array, ""]:
        """Elastic energy per metre [J/m]; ½ (ξ - ξ*)ᵀ H (ξ - ξ*) by default."""
        return 0.5 * jnp.sum(self.stiffness(X, section) * (strain - rest) ** 2)


class Elastic(AbstractStress):
    """Linear elastic material, with Kelvin-Voigt damping.

        H = diag(EA, κGA, κGA, GJ, EI2, EI3),   D = τ H + diag(damping)

    For an ellipse, EI2 = Eπbc³/4 for bending about t2, EI3 = Eπb³c/4 for bending about t3, and GJ = Gπb³c³/(b² + c²)
    (Saint-Venant).

    Attributes:
        young: Young's modulus E [Pa].
        shear: shear modulus G [Pa].
        shear_correction: shear correction factor κ [-].
        damping_time: Kelvin-Voigt damping time τ [s].
        extra_damping: additional viscosity of each strain [N·s, N·m²·s].

    Example:
        >>> import cosserat
        >>> float(cosserat.Elastic(young=3e6, poisson=0.5).shear)
        1000000.0
    """

    young: Float[Array, ""]
    shear: Float[Array, ""]
    shear_correction: Float[Array, ""]
    damping_time: Float[Array, ""]
    extra_damping: Float[Array, "6"]

    def __init__(
        self,
        young: Numbers,
        *,
        poisson: Numbers | None = None,
        shear: Numbers | None = None,
        shear_correction: Numbers = 1.0,
        damping_time: Numbers = 0.0,
        damping: Numbers = (0.0,) * 6,
    ):
        """Poisson's ratio (0.5, incompressible, when None) gives G = E / (2 (1 + ν)), unless `shear` is given."""
        self.young = positive("Elastic.young", young, "Pa", ())
        if shear is not None and poisson is not None:
            raise ValueError("Elastic: poisson and shear are both given: give one of them, G = E / (2 (1 + poisson))")
        if shear is None:
            ratio = finite("Elastic.poisson", 0.5 if poisson is None else poisson, ())
            if not isinstance(ratio, Tracer) and not -1.0 < float(ratio) <= 0.5:
                raise ValueError(f"Elastic.poisson = {float(ratio):g}: must lie between -1 and 0.5")
            shear = self.young / (2.0 * (1.0 + ratio))
        self.shear = positive("Elastic.shear", shear, "Pa", ())
        self.shear_correction = positive("Elastic.shear_correction", shear_correction, shape=())
        self.damping_time = non_negative("Elastic.damping_time", damping_time, "s", ())
        self.extra_damping = spread("Elastic.damping", non_negative("Elastic.damping", damping), 6)

    def stiffness(self, X: Float[Array, ""], section: BodySection) -> Float[Array, "6"]:
        """EA, κGA, κGA, GJ, EI2, EI3 [N, N·m²]."""
        area = section.area
        bending = section.second_moments[..., 1:]
        sheared = self.shear_correction * self.shear * area
        return jnp.stack([self.young * area, sheared, sheared, self.shear * section.torsion, *(self.young * bending)])

    def damping(self, X: Float[Array, ""], section: BodySection) -> Float[Array, "6"]:
        """τ H plus the extra damping [N·s, N·m²·s]."""
        return self.damping_time * self.stiffness(X, section) + self.extra_damping


class Springs(AbstractStress):
    """Linear elastic law with given stiffness and damping along the body, independent of the sections.

    Attributes:
        values: stiffness (EA, GA, GA, GJ, EI2, EI3) in the section frame, six numbers or a function of X [N, N·m²].
        damping_time: Kelvin-Voigt damping time τ [s].
        extra_damping: additional viscosity in the section frame, six numbers or a function of X [N·s, N·m²·s].

    Example:
        >>> import cosserat
        >>> rod = cosserat.Springs([1e4, 4e3, 4e3, 1.5, 4.0, 2.0], damping_time=0.01)
    """

    values: Along
    damping_time: Float[Array, ""]
    extra_damping: Along

    def __init__(self, stiffness: Numbers | Along, *, damping_time: Numbers = 0.0, damping: Numbers | Along = 0.0):
        self.values = _along("Springs.stiffness", stiffness)
        self.damping_time = non_negative("Springs.damping_time", damping_time, "s", ())
        self.extra_damping = _along("Springs.damping", damping)

    def stiffness(self, X: Float[Array, ""], section: BodySection) -> Float[Array, "6"]:
        """The given stiffness [N, N·m²]."""
        return _at(self.values, X)

    def damping(self, X: Float[Array, ""], section: BodySection) -> Float[Array, "6"]:
        """τ H plus the extra damping [N·s, N·m²·s]."""
        return self.damping_time * _at(self.values, X) + _at(self.extra_damping, X)


class Hyperelastic(AbstractStress):
    """Any energy density U(X, ξ): the stress is its derivative.

    Attributes:
        density: (X, ξ) -> U, written with `jax.numpy` [J/m]; zero derivative at the rest shape.
        rest: strain ξ at which `stiffness`, the linear part for implicit steps, is evaluated, in the section frame
            [-, 1/m].
        viscosity: viscosity in the section frame, six numbers or a function of X [N·s, N·m²·s].

    Example:
        >>> import cosserat
        >>> hardening = cosserat.Hyperelastic(lambda X, xi: 0.5 * xi[5] ** 2 + 0.1 * xi[5] ** 4)
    """

    density: Callable[[Float[Array, ""], Float[Array, "6"]], Float[Array, ""]]
    rest: Float[Array, "6"]
    viscosity: Along

    def __init__(
        self,
        density: Callable[[Float[Array, ""], Float[Array, "6"]], Float[Array, ""]],
        *,
        damping: Numbers | Along = 0.0,
        rest: Numbers = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    ):
        if not callable(density):
            raise ValueError(f"Hyperelastic.density = {shown(density)}: must be a callable (X, strain) -> energy [J/m]")
        self.density = density
        self.rest = finite("Hyperelastic.rest", rest, (6,))
        self.viscosity = _along("Hyperelastic.damping", damping)

    @property
    def linear(self) -> bool:
        """False: the stress is the derivative of the energy."""
        return False

    def stiffness(self, X: Float[Array, ""], section: BodySection) -> Float[Array, "6"]:
        """Diagonal of the second derivative of U at the rest shape [N, N·m²]."""
        return jnp.diagonal(jax.hessian(self.density, argnums=1)(X, self.rest))

    def damping(self, X: Float[Array, ""], section: BodySection) -> Float[Array, "6"]:
        """The given viscosity [N·s, N·m²·s]."""
        return _at(self.viscosity, X)

    def energy(
        self, X: Float[Array, ""], section: BodySection, strain: Float[Array, "6"], rest: Float[Array, "6"]
    ) -> Float[Array, ""]:
        """U(X, ξ) [J/m]."""
        return self.density(X, strain)


def _along(name: str, value: Numbers | Along) -> Along:
    return value if callable(value) else spread(name, non_negative(name, value), 6)


def _at(value, X):
    return jnp.asarray(value(X), float) if callable(value) else value


def check_law(law: AbstractStress, profile: Profile, ends: tuple[tuple[float, float], ...]) -> None:
    """Raises on negative stiffness or damping on pieces of a body, ends as fractions of its length, if concrete."""
    if isinstance(profile.breaks, Tracer) or any(isinstance(x, Tracer) for x in jax.tree.leaves(law)):
        return
    for begin, end in ends:
        X = np.asarray(profile.breaks)[-1] * (begin + (end - begin) * np.linspace(0.02, 0.98, 9))
        for name, part in (("stiffness", law.stiffness), ("damping", law.damping)):
            with jax.ensure_compile_time_eval():
                values = np.asarray(jax.vmap(lambda X, part=part: part(X, profile(X)))(jnp.asarray(X)))
            if values.shape[1:] != (6,):
                raise ValueError(f"Soft.law: {name} has shape {values.shape[1:]} at one X: must be (6,)")
            if not np.all(np.isfinite(values)) or np.any(values < 0):
                raise ValueError(f"Soft.law: {name} is {values.min():g} somewhere: must be finite and not negative")
