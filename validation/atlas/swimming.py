"""Simulates the swimmers of the atlas under each shedding rule, with one set of coefficients for all."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp

import cosserat
import gaits
from spatial import one_of

from .swimmer import Swimmer, judgement
from .water import CROSS_FLOW, INDEPENDENT_CROSS_FLOW, OWN_REYNOLDS, RULES, water


@dataclass(frozen=True)
class Swum:
    """Steady swim of one swimmer under one shedding rule.

    Attributes:
        swimmer: the swimmer.
        water: shedding rule.
        cross_flow: drag coefficient across the body [-].
        speed: mean speed [lengths per period].
        reynolds: Reynolds number of length and speed.
        strouhal: Strouhal number: frequency times the peak-to-peak stroke of the tail over the speed.
        efficiency: Froude efficiency, the share of power that is not lost to the wake.
        wake_power: mean power lost to the wake [ρ L⁵/T³].
        converged: whether a steady swim was found.
    """

    swimmer: Swimmer
    water: str
    cross_flow: float
    speed: float
    reynolds: float
    strouhal: float
    efficiency: float
    wake_power: float
    converged: bool

    @property
    def against_published(self) -> float | None:
        """Relative difference from the published speed; None if there is none."""
        return None if self.swimmer.speed is None else self.speed / self.swimmer.speed.value - 1.0

    @property
    def against_independent(self) -> float | None:
        """Relative difference from the speed of the independent program; None if there is none."""
        return None if self.independent is None else self.speed / self.independent - 1.0

    @property
    def independent(self) -> float | None:
        """Speed of the independent program under this rule [lengths per period]; None if there is none."""
        same = self.cross_flow == INDEPENDENT_CROSS_FLOW
        return self.swimmer.independent.get(self.water) if same else None

    @property
    def verdict(self) -> str:
        """The verdict as text."""
        if not self.converged:
            return "no steady swim found"
        away = self.against_published
        return "no published speed" if away is None else judgement(away)


def swim(
    swimmer: Swimmer, rule: str, viscosity: float | None = None, cross_flow: float = CROSS_FLOW, steps: int = 48
) -> Swum:
    """Finds the steady swim of one swimmer under one rule, with the friction of its own Reynolds number.

    Args:
        swimmer: the swimmer.
        rule: "tail", "truncate" or "hold".
        viscosity: viscosity of the water [m²/s]; that of the swimmer's data when None.
        cross_flow: drag coefficient across the body [-].
        steps: number of time steps per period.
    """
    one_of("rule", rule, RULES)
    nu = swimmer.viscosity if viscosity is None else viscosity
    beam, gait, period = swimmer.body(), swimmer.gait(), jnp.asarray(swimmer.period)
    length = float(beam.length)
    speed = 0.4 * length / swimmer.period
    for _ in range(OWN_REYNOLDS):
        guess = jnp.asarray([-speed, 0.0, 0.0, 0.0, 0.0, 0.0])
        medium = water(length, swimmer.density, nu, speed, swimmer.edge, rule, cross_flow)
        cycle = _steady(beam, gait, medium, period, guess, steps)
        if not bool(cycle.converged):
            speed = float("nan")
            break
        speed = float(gaits.steady_speed(cycle))
    stroke, lost = float(_stroke(beam, gait, cycle.time[0], period)), cycle.wake_power
    assert lost is not None  # Lighthill's water has a wake
    return Swum(
        swimmer=swimmer,
        water=rule,
        cross_flow=cross_flow,
        speed=speed * swimmer.period / length,
        reynolds=speed * length / nu,
        strouhal=stroke / (speed * swimmer.period),
        efficiency=float(gaits.froude_efficiency(cycle)),
        wake_power=float(jnp.mean(lost)) * swimmer.period**3 / (swimmer.density * length**5),
        converged=bool(cycle.converged),
    )


@eqx.filter_jit
def _steady(beam, gait, fluid, period, guess, steps):
    return cosserat.steady_swim(beam, gait, fluid, period=period, guess=guess, steps=steps, transient=12, throw=False)


@eqx.filter_jit
def _stroke(beam, gait, begin, period):
    """Peak-to-peak displacement of the tail across the mean heading of the body [m]."""

    def offset(t):
        # Heading and position over arc length in the plane, then the tail's distance from the line fitted to the body.
        X = beam.length * (jnp.arange(200) + 0.5) / 200
        bend = jax.vmap(lambda x: gait(x, t)[5])(X)
        heading = jnp.cumsum(bend) * beam.length / 200
        x, y = (jnp.cumsum(f(heading)) * beam.length / 200 for f in (jnp.cos, jnp.sin))
        slope = jnp.sum((x - x.mean()) * (y - y.mean())) / jnp.sum((x - x.mean()) ** 2)
        return (y[-1] - y.mean() - slope * (x[-1] - x.mean())) / jnp.sqrt(1.0 + slope**2)

    values = jax.lax.map(offset, begin + period * jnp.arange(32) / 32)
    return jnp.max(values) - jnp.min(values)
