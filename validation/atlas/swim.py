"""Swims the swimmers of the atlas in each water, with one set of coefficients for all."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp

import cosserat
import gaits
import hydro
from spatial import one_of

from .swimmer import WITHIN, Swimmer

CROSS_FLOW = 0.5  # drag across the body, for every swimmer
RULES = ("tail", "truncate", "hold")  # of shedding, for every swimmer
OWN_REYNOLDS = 4  # swims until the friction is that of the swimmer's own speed: each leaves a fifth of the error


@dataclass(frozen=True)
class Swum:
    """One swimmer in one water.

    Attributes:
        swimmer: who.
        water: rule of shedding.
        speed: mean speed [lengths per period].
        reynolds: of length and speed.
        strouhal: frequency times the tail's stroke from side to side over the speed.
        efficiency: Froude's, the share of power that does not go into the wake.
        converged: whether a steady swim was found.
    """

    swimmer: Swimmer
    water: str
    speed: float
    reynolds: float
    strouhal: float
    efficiency: float
    converged: bool

    @property
    def against_published(self) -> float | None:
        """Relative difference from the published speed; None where there is none."""
        return None if self.swimmer.speed is None else self.speed / self.swimmer.speed.value - 1.0

    @property
    def against_independent(self) -> float | None:
        """Relative difference from the independent program's speed; None where there is none."""
        known = self.swimmer.independent.get(self.water)
        return None if known is None else self.speed / known - 1.0

    @property
    def verdict(self) -> str:
        """In words."""
        if not self.converged:
            return "no steady swim found"
        away = self.against_published
        if away is None:
            return "no published speed"
        return f"within {WITHIN:.0%}" if abs(away) <= WITHIN else "misfit"


def water(swimmer: Swimmer, rule: str, speed: float, viscosity: float) -> hydro.Lighthill:
    """The water of the atlas: laminar friction of a plate at a speed [m/s], and the same cross-flow drag for all."""
    friction = hydro.SkinFriction("laminar", swimmer.body().length, viscosity, speed)
    edge = {"edge": "tail"} if rule == "tail" else {"edge": swimmer.edge, "aft": rule}
    return hydro.Lighthill(
        swimmer.density, friction=friction, drag_lateral=CROSS_FLOW, drag_dorsal=CROSS_FLOW, drag_roll=0.0, **edge
    )


def swim(swimmer: Swimmer, rule: str, viscosity: float | None = None, steps: int = 48) -> Swum:
    """Finds the steady swim of one swimmer under one rule, with the friction of its own Reynolds number.

    Args:
        swimmer: who.
        rule: "tail", "truncate" or "hold".
        viscosity: of the water instead of the swimmer's [m²/s].
        steps: time steps in a period.
    """
    one_of("rule", rule, RULES)
    nu = swimmer.viscosity if viscosity is None else viscosity
    beam, gait, period = swimmer.body(), swimmer.gait(), jnp.asarray(swimmer.period)
    length = float(beam.length)
    speed = 0.4 * length / swimmer.period
    for _ in range(OWN_REYNOLDS):
        guess = jnp.asarray([-speed, 0.0, 0.0, 0.0, 0.0, 0.0])
        cycle = _steady(beam, gait, water(swimmer, rule, speed, nu), period, guess, steps)
        if not bool(cycle.converged):
            break
        speed = float(gaits.steady_speed(cycle))
    stroke = float(_stroke(beam, gait, period))
    return Swum(
        swimmer=swimmer,
        water=rule,
        speed=speed * swimmer.period / length,
        reynolds=speed * length / nu,
        strouhal=stroke / (speed * swimmer.period),
        efficiency=float(gaits.froude_efficiency(cycle)),
        converged=bool(cycle.converged),
    )


@eqx.filter_jit
def _steady(beam, gait, fluid, period, guess, steps):
    return cosserat.steady_swim(
        beam, gait, fluid, period=period, t0=0.0, guess=guess, steps=steps, transient=12, throw=False
    )


@eqx.filter_jit
def _stroke(beam, gait, period):
    """Width of the tail's path across the mean heading of the deforming body, from side to side [m]."""

    def offset(t):
        # Heading and place by arc length in the plane, then the tail's distance from the line through the body.
        X = beam.length * (jnp.arange(200) + 0.5) / 200
        bend = jax.vmap(lambda x: gait(x, t)[5])(X)
        heading = jnp.cumsum(bend) * beam.length / 200
        x, y = (jnp.cumsum(f(heading)) * beam.length / 200 for f in (jnp.cos, jnp.sin))
        slope = jnp.sum((x - x.mean()) * (y - y.mean())) / jnp.sum((x - x.mean()) ** 2)
        return (y[-1] - y.mean() - slope * (x[-1] - x.mean())) / jnp.sqrt(1.0 + slope**2)

    values = jax.lax.map(offset, period * jnp.arange(32) / 32)
    return jnp.max(values) - jnp.min(values)
