"""Independently computed reference values for Lighthill's model, with their bodies and gaits."""

import functools
import json
from importlib import resources
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

import cosserat
import hydro
from spatial import Numbers


@functools.cache
def lighthill_reference() -> dict[str, Any]:
    """Head accelerations, internal wrenches, swims and small-amplitude results of an independent program."""
    return json.loads((resources.files("validation") / "data" / "lighthill_reference.json").read_text())


class StrainWaves(eqx.Module):
    """ξ = e1 + a + amp cos(k X - w t + p) (1 + q X), component by component.

    Attributes:
        a: constant part [-, 1/m].
        amp: amplitudes [-, 1/m].
        k: wave numbers [1/m].
        w: angular frequencies [rad/s].
        p: phases [rad].
        q: growth of the amplitudes [1/m].
    """

    a: Float[Array, "6"]
    amp: Float[Array, "6"]
    k: Float[Array, "6"]
    w: Float[Array, "6"]
    p: Float[Array, "6"]
    q: Float[Array, "6"]

    def __init__(self, **waves: Numbers):
        for name in ("a", "amp", "k", "w", "p", "q"):
            setattr(self, name, jnp.asarray(waves[name], float))

    def __call__(self, X: Float[Array, ""], t: Float[Array, ""]) -> Float[Array, "6"]:
        """Strain (Γ, K) at an abscissa [m] and a time [s]."""
        wave = jnp.cos(self.k * X - self.w * t + self.p) * (1.0 + self.q * X)
        return jnp.eye(6)[0] + self.a + self.amp * wave


class Quadratic(eqx.Module):
    """Semi-axes that are polynomials of the abscissa, lowest power first [m]."""

    b: Float[Array, "3"]
    c: Float[Array, "3"]

    def __call__(self, X: Float[Array, ""]) -> tuple[Float[Array, ""], Float[Array, ""]]:
        """Semi-axes (b, c) at an abscissa [m]."""
        powers = jnp.stack([jnp.ones_like(X), X, X * X])
        return self.b @ powers, self.c @ powers


def reference_rod(name: str) -> cosserat.Beam:
    """The uniform or the tapered rod of the reference."""
    L = lighthill_reference()["length"]
    if name == "uniform":
        piece = Quadratic(jnp.asarray([0.03, 0.0, 0.0]), jnp.asarray([0.07, 0.0, 0.0]))
    else:
        piece = Quadratic(0.05 * jnp.asarray([1.0, -0.6 / L, 0.0]), 0.08 * jnp.asarray([0.5, 0.9 / L, -0.8 / L**2]))
    return cosserat.Beam(hydro.Profile([0.0, L], (piece,)), lighthill_reference()["density"])


def frictionless(mass_roll: Numbers = 1.0, **others: Any) -> hydro.Lighthill:
    """Water with reactive loads only, without friction and drag."""
    return hydro.Lighthill(
        friction=0.0, drag_lateral=0.0, drag_dorsal=0.0, drag_roll=0.0, mass_roll=mass_roll, **others
    )


def reference_state(number: int) -> tuple[StrainWaves, cosserat.HeadState, float]:
    """Gait, state of the head and time of one instant of the reference."""
    row = next(row for row in lighthill_reference()["states"] if row["id"] == number)
    return StrainWaves(**row["strain"]), cosserat.HeadState(twist=row["eta0"]), row["t"]


class Ribbon(eqx.Module):
    """A wave y = A cos(k X - w t) of arc length along an inextensible ribbon that advances along -x.

    Attributes:
        amplitude: A [m].
        wave_number: k [1/m].
        frequency: w [rad/s].
        speed: U of the head along -x [m/s].
    """

    amplitude: Float[Array, ""]
    wave_number: Float[Array, ""]
    frequency: Float[Array, ""]
    speed: Float[Array, ""]

    def heading(self, X: Float[Array, ""], t: Float[Array, ""]) -> Float[Array, ""]:
        """Angle of the ribbon in the plane [rad]."""
        return jnp.arcsin(-self.amplitude * self.wave_number * jnp.sin(self.wave_number * X - self.frequency * t))

    def __call__(self, X: Float[Array, ""], t: Float[Array, ""]) -> Float[Array, "6"]:
        """Strain at an abscissa [m] and a time [s]."""
        bend = jax.jvp(lambda x: self.heading(x, t), (X,), (jnp.ones_like(X),))[1]
        return jnp.eye(6)[0] + bend * jnp.eye(6)[5]

    def head(self, t: Float[Array, ""]) -> cosserat.HeadState:
        """State of the head that follows from the wave and the speed."""
        wave = lambda t: (self.amplitude * jnp.cos(self.frequency * t), self.heading(jnp.zeros(()), t))  # noqa: E731
        (y, angle), (dy, spin) = jax.jvp(wave, (t,), (jnp.ones_like(t),))
        zero = jnp.zeros(())
        cos, sin = jnp.cos(angle), jnp.sin(angle)
        twist = jnp.stack([-self.speed * cos + dy * sin, self.speed * sin + dy * cos, zero, zero, zero, spin])
        quaternion = jnp.stack([jnp.cos(angle / 2), zero, zero, jnp.sin(angle / 2)])
        return cosserat.HeadState(jnp.stack([-self.speed * t, y, zero]), quaternion, twist)


def fluid_resultant(
    beam: cosserat.Beam,
    gait: Any,
    fluid: hydro.AbstractFluid,
    state: cosserat.HeadState,
    t: Float[Array, ""],
    rate: Float[Array, "6"],
) -> Float[Array, "6"]:
    """Resultant fluid wrench on the body for a given rate of the head's twist, at the head, in its frame [N, N·m].

    It is the difference from the same motion in vacuum.
    """
    wet = cosserat.head_dynamics(beam, gait, fluid, state, t)
    dry = cosserat.head_dynamics(beam, gait, hydro.Void(), state, t)
    return (wet.wrench - dry.wrench) - (wet.inertia - dry.inertia) @ rate
