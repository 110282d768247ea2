"""Domain randomisation: bodies, waters and gaits drawn at random from ranges, for robust policies."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
from jax.core import Tracer
from jaxtyping import Array, Float

import cosserat
import hydro
from spatial import Numbers, increasing, positive, shaped
from spatial.printing import Printed

from .drives import WaveDrive
from .environment import Environment, swimmer

DRAG = ("drag_axial", "drag_lateral", "drag_dorsal", "drag_roll", "nose_drag")
MASS = ("mass_lateral", "mass_dorsal", "mass_roll", "nose_mass")


class Randomisation(Printed):
    """Draws a random variation of an environment: (environment, key) -> environment. Use vmap over keys for a batch.

    Parameters of body, water and gait are multiplied by factors that are uniformly distributed within their ranges;
    each coefficient of drag and added mass has its own factor. An environment whose body is not `learn.swimmer()` needs
    a function `beam` that builds its body.

    >>> import jax
    >>> from anguilla import learn
    >>> draw = learn.Randomisation(density=(0.9, 1.1))
    >>> keys = jax.random.split(jax.random.key(0), 3)
    >>> many = jax.vmap(draw, in_axes=(None, 0))(learn.make("cruise"), keys)
    >>> states = jax.vmap(lambda environment, key: environment.initial(key))(many, keys)
    >>> states.centre.shape
    (3, 3)

    Attributes:
        length: range of the factor of all lengths of the body [-].
        density: range of the density relative to 1000 kg/m³ [-].
        drag: range of the factors of the drag coefficients of `hydro.Morison` [-].
        added_mass: range of the factors of its added-mass coefficients [-].
        amplitude: range of the factor of the wave's amplitude [-].
        wavelength: range of the factor of the wavelength [-].
        beam: function (scale, density [kg/m³]) -> body.
    """

    length: Float[Array, "2"]
    density: Float[Array, "2"]
    drag: Float[Array, "2"]
    added_mass: Float[Array, "2"]
    amplitude: Float[Array, "2"]
    wavelength: Float[Array, "2"]
    beam: Callable[..., cosserat.Beam] = eqx.field(static=True)

    def __init__(
        self,
        *,
        length: Numbers = (0.9, 1.1),
        density: Numbers = (0.95, 1.05),
        drag: Numbers = (0.7, 1.3),
        added_mass: Numbers = (0.8, 1.2),
        amplitude: Numbers = (0.9, 1.1),
        wavelength: Numbers = (0.9, 1.1),
        beam: Callable[..., cosserat.Beam] = swimmer,
    ):
        ranges = {
            "length": length,
            "density": density,
            "drag": drag,
            "added_mass": added_mass,
            "amplitude": amplitude,
            "wavelength": wavelength,
        }
        for name, value in ranges.items():
            checked = positive(f"Randomisation.{name}", increasing(f"Randomisation.{name}", value))
            shaped(f"Randomisation.{name}", checked, (2,))
            setattr(self, name, checked)
        self.beam = beam

    def __call__(self, environment: Environment, key: Any) -> Environment:
        """The environment with randomised body, water and gait.

        Args:
            environment: environment with a `hydro.Morison` fluid; the gait is varied if the drive is a `WaveDrive`.
            key: random key.
        """
        fluid, drive = environment.fluid, environment.drive
        if not isinstance(fluid, hydro.Morison):
            raise ValueError(f"environment.fluid is a {type(fluid).__name__}: must be a hydro.Morison to be varied")
        if self.beam is swimmer and _other_body(environment):
            raise ValueError(
                "environment has another body than learn.swimmer(): give Randomisation(beam=...), a function "
                "(scale, density) that builds it"
            )
        keys = jax.random.split(key, 6)
        draw = lambda key, between, shape=(): jax.random.uniform(key, shape, float, *between)  # noqa: E731
        density = 1000.0 * draw(keys[1], self.density)
        beam = self.beam(draw(keys[0], self.length), density)
        drag, mass = draw(keys[2], self.drag, (len(DRAG),)), draw(keys[3], self.added_mass, (len(MASS),))
        factors = dict(zip((*DRAG, *MASS), (*drag, *mass), strict=True))
        where = lambda f: tuple(getattr(f, name) for name in factors)  # noqa: E731
        fluid = eqx.tree_at(where, fluid, tuple(getattr(fluid, name) * by for name, by in factors.items()))
        if isinstance(drive, WaveDrive):
            by = draw(keys[4], self.amplitude), draw(keys[5], self.wavelength)
            wave = lambda d: (d.amplitude, d.wavelength)  # noqa: E731
            drive = eqx.tree_at(wave, drive, (drive.amplitude * by[0], drive.wavelength * by[1]))
        body = environment.path.sample(beam, fluid)
        return eqx.tree_at(lambda e: (e.drive, e.fluid, e.body), environment, (drive, fluid, body))


def _other_body(environment: Environment) -> bool:
    """Whether the body of an environment is known to be another than the default swimmer."""
    body = environment.path.sample(swimmer(), environment.fluid)
    if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves((body, environment.body))):
        return False
    return not bool(eqx.tree_equal(environment.body, body))
