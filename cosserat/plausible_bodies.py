"""Warnings of bodies whose numbers were probably given in other units than metres and kilograms."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array

from hydro import AbstractFluid, FreeSurface, Lighthill, Morison, Profile, Together
from spatial.plausible import LONGEST, warn_of_length
from spatial.user_warnings import warn

from .density import Density, DensityTable
from .point_masses import PointMasses

DENSEST = 20_000.0  # kg/m³: gold, tungsten
LIGHTEST = 0.02  # of the water's density: the lightest foams. A ratio, so that numbers without dimensions pass


def warn_of_units(profile: Profile, masses: PointMasses | None) -> None:
    """Warns of a body that is very long, wider than long, or heavier by its point masses than if it were of gold.

    Args:
        profile: sections of the body; nothing is done if they are traced.
        masses: its point masses; None for none.
    """
    half = profile.widest
    if isinstance(profile.breaks, Tracer) or isinstance(half, Tracer):
        return
    length, width = float(np.asarray(profile.breaks)[-1]), 2.0 * float(half)
    if length > LONGEST or width > length:
        warn_of_length("this body", long=length, wide=width)
    if masses is None or isinstance(masses.inertia, Tracer):
        return
    total, most = float(np.asarray(masses.inertia)[:, 0, 0].sum()), DENSEST * np.pi / 4.0 * width**2 * length
    if total > most:
        warn(
            f"the point masses of this body weigh {total:g} kg: masses are in kilograms, and a cylinder of gold of the "
            f"body's length and width weighs {most:.2g} kg. If you meant grams, divide by 1000."
        )


def warn_of_density(
    density: Density, masses: PointMasses | None, volume: Callable[[], Array], fluid: AbstractFluid
) -> None:
    """Warns of a body that is far lighter than the water around it.

    Args:
        density: density of the body [kg/m³]; a function of X is not examined.
        masses: its point masses: the body may be a light hull around them.
        volume: returns the volume of the body [m³].
        fluid: what surrounds it.
    """
    own = density.values if isinstance(density, DensityTable) else density
    for part in fluid.parts if isinstance(fluid, Together) else (fluid,):
        water = part.density if isinstance(part, Morison | Lighthill | FreeSurface) else 0.0
        if callable(own) or isinstance(own, Tracer) or isinstance(water, Tracer):
            continue
        densest = float(np.asarray(own).max())  # with NumPy: inside `jax.jit`, JAX would trace it
        least = LIGHTEST * float(water)
        if densest < least and densest + _carried(masses, volume) < least:
            warn(
                f"the body's density is {densest:g} kg/m³ in water of {float(water):g} kg/m³: densities are "
                "in kg/m³. If you meant g/cm³, multiply by 1000."
            )


def _carried(masses, volume):
    """Point masses per volume of the body [kg/m³]; infinite if they are traced."""
    if masses is None:
        return 0.0
    with jax.ensure_compile_time_eval():
        carried = jnp.sum(masses.mass) / volume()
    return np.inf if isinstance(carried, Tracer) else float(carried)
