"""Two two-dimensional computed eels, with the motion of Kern and Koumoutsakos's reference swimmer."""

import jax.numpy as jnp

import cosserat
import hydro

from .kern_koumoutsakos import REFERENCE, body, height
from .swimmer import Figure, Swimmer

_CARLING = (
    "J. Carling, T. L. Williams, G. Bowtell, Self-propelled anguilliform swimming, J. Exp. Biol. 201, 1998, abstract: "
    "0.77 times the speed of the backward-travelling wave"
)
_IBAMR = "IBAMR, examples/ConstraintIB/eel2d (input2d, eel2d_straightswimmer.m)"
_HEAD = 0.04  # length and half width of the head


def _front(s):
    square = 2.0 * _HEAD * s - s * s
    return jnp.where(square > 0, jnp.sqrt(jnp.where(square > 0, square, 1.0)), 0.0), height(s)


def _taper(s):
    return _HEAD * (1.0 - s) / (1.0 - _HEAD), height(s)


def _tapered() -> cosserat.Beam:
    """The half widths of IBAMR's example, the half heights of Kern and Koumoutsakos and the density of water."""
    return cosserat.Beam(hydro.Profile([0.0, _HEAD, 0.95, 1.0], (_front, _taper, _taper)), 1.0, load_panels=(2, 16, 2))


CARLING = Swimmer(
    name="carling",
    title="Carling's computed eel, two-dimensional",
    source=_CARLING,
    body=body,
    gait=REFERENCE.gait,
    period=1.0,
    density=1.0,
    viscosity=1.4e-4,
    edge=0.95,
    speed=Figure(0.77, "L/T", _CARLING),
    independent={},
    chosen="that the motion is that of Kern and Koumoutsakos's reference swimmer, from memory, with one wave on the "
    "body and so a wave speed of one; their body and viscosity are used",
    misfit="the source is two-dimensional, to which elongated-body theory does not apply",
)
IBAMR = Swimmer(
    name="ibamr-eel",
    title="the eel of IBAMR's example, two-dimensional",
    source=_IBAMR + ": motion, half widths, and viscosity (Re = 5609 of the tail's speed 0.785)",
    body=_tapered,
    gait=REFERENCE.gait,
    period=1.0,
    density=1.0,
    viscosity=0.785 / 5609.0,
    edge=0.95,
    speed=None,
    independent={},
    chosen="the half heights of Kern and Koumoutsakos, since the source is two-dimensional; it quotes no speed",
)
