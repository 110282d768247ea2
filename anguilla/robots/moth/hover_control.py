"""Control of the hover in gusts: a linear-quadratic regulator about the orbit, with one command per stroke.

The regulator changes the amplitude and the mean angle of each stroke, and a second harmonic that makes one half stroke
faster than the other. Equal changes of both wings act on lift, pitch and thrust; opposite changes act on roll, sideslip
and yaw.
"""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gaits.feedback.attitude import softly_limited
from gaits.orbits import PeriodicRegulator, periodic_lqr
from spatial import Numbers, finite, non_negative, positive

from .hovering import Hover
from .stability import stroke_map

CHANNELS = ("amplitude", "mean", "skew", "roll_amplitude", "roll_mean", "roll_skew")
THORAX = 12  # number of components of a disturbance that belong to the thorax: position, rotation, twist
# Deviations that cost one: position [m], rotation [-], velocity [m/s], spin over ω [-], wings [-], commands [rad].
SCALES = {"position": 0.02, "rotation": 0.2, "velocity": 0.3, "spin": 0.05, "wings": 10.0, "command": 0.05}


class SteeredStroke(eqx.Module):
    """Stroke angles whose amplitude, mean and skew change smoothly from one command to the next during a stroke.

        right = (A + a) cos ωt + b + c sin 2ωt,   left the same with the opposite sign

    a, b, c are the common part of the command plus (right) or minus (left) its differential part. Both parts follow a
    fifth-degree ramp, so that the angles are twice differentiable from stroke to stroke.

    Attributes:
        amplitude: A [rad].
        frequency: ω [rad/s].
        before: command of the previous stroke, in the order of `CHANNELS` [rad].
        command: command of this stroke, in the order of `CHANNELS` [rad].
    """

    amplitude: Float[Array, ""]
    frequency: Float[Array, ""]
    before: Float[Array, "6"]
    command: Float[Array, "6"]

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "2"]:
        """Angles of the right and left stroke joints at a time within the stroke [rad]."""
        phase = self.frequency * t
        x = phase / (2.0 * jnp.pi)
        u = self.before + (self.command - self.before) * x**3 * (10.0 - 15.0 * x + 6.0 * x**2)
        shapes = jnp.stack([jnp.cos(phase), jnp.ones_like(phase), jnp.sin(2.0 * phase)])
        both, apart = self.amplitude * shapes[0] + u[:3] @ shapes, u[3:] @ shapes
        return jnp.stack([both + apart, -(both - apart)])


class HoverHold(eqx.Module):
    """A hover with its regulator.

    A state is a disturbance of the hover at the start of a stroke, as in `stroke_map`, followed by the last command.

    Attributes:
        hover: the flight.
        regulator: linear-quadratic regulator about the hover.
        limit: smooth saturation limit of the commands [rad].
    """

    hover: Hover
    regulator: PeriodicRegulator
    limit: Float[Array, ""]

    def command(self, state: Float[Array, "n"]) -> Float[Array, "6"]:
        """Command for the stroke that starts from a state, in the order of `CHANNELS` [rad]."""
        return softly_limited(self.regulator(state), self.limit)

    def stroke(
        self, state: Float[Array, "n"], command: Float[Array, "6"], wind: Float[Array, "3"] | None = None
    ) -> Float[Array, "n"]:
        """The state one stroke later under a command [rad], in a uniform wind in the world [m/s]."""
        return _stroke(self.hover, state, command, wind)

    @property
    def still(self) -> Float[Array, "n"]:
        """State of the undisturbed hover, zero in all units."""
        return self.regulator.start


class GustResponse(eqx.Module):
    """Strokes of a moth in a gust; one row at the start of each stroke.

    Attributes:
        time: start times of the strokes [s].
        wind: wind during the stroke, in the world [m/s].
        position: position of the thorax relative to the undisturbed hover, in the world [m].
        rotation: rotation of the thorax relative to the hover, twice the tangent of half its angle, in its frame [-].
        velocity: velocity of the thorax relative to the hover, in its frame [m/s].
        command: command of the stroke, in the order of `CHANNELS` [rad].
    """

    time: Float[Array, "strokes"]
    wind: Float[Array, "strokes 3"]
    position: Float[Array, "strokes 3"]
    rotation: Float[Array, "strokes 3"]
    velocity: Float[Array, "strokes 3"]
    command: Float[Array, "strokes 6"]


def hover_hold(hover: Hover, *, effort: Numbers = 1.0, limit: Numbers = 0.2, measured: str = "all") -> HoverHold:
    """Designs the regulator from the exact derivatives of one stroke by state and command (`gaits.periodic_lqr`).

    The regulator also restores position and heading, which are neutral without control (multipliers 1).

    Args:
        hover: the flight.
        effort: weight of the commands; a larger weight gives smaller gains [-].
        limit: smooth saturation limit of the commands [rad].
        measured: "all", or "thorax" for a controller that does not sense the deformation of the wings. The gains on
            the wings are then set to zero, and the multipliers are computed with these gains.
    """
    if measured not in ("all", "thorax"):
        raise ValueError(f"measured = {measured!r}: must be 'all' or 'thorax'")
    limit = positive("limit", limit, "rad", ())
    wings = 2 * len(hover.flight.tree.passive_freedoms)
    sizes = {"position": 3, "rotation": 3, "velocity": 3, "spin": 3, "wings": wings, "command": len(CHANNELS)}
    weight = np.concatenate([np.full(count, SCALES[name] ** -2.0) for name, count in sizes.items()])
    weight[-len(CHANNELS) :] = 0.0  # the last command is part of the state, without a cost as such
    price = np.full(len(CHANNELS), SCALES["command"] ** -2.0) * float(non_negative("effort", effort, "", ()))
    flow = lambda x, u: _stroke(hover, x, u, None)  # noqa: E731
    found = periodic_lqr(flow, jnp.zeros(weight.size), jnp.zeros(len(CHANNELS)), weight, price)
    if measured == "thorax":
        found = _without_wings(found, wings)
    return HoverHold(hover, found, limit)


def gust_response(hold: HoverHold, wind: Numbers, *, closed: bool = True, start: Numbers | None = None) -> GustResponse:
    """Simulates one stroke per row of `wind`, which is uniform in space and constant during a stroke.

    Args:
        hold: hover and regulator.
        wind: velocity of the air in the world during each stroke [m/s].
        closed: whether the regulator acts; if False, all commands are zero.
        start: state before the first stroke, see `HoverHold` [m, -, m/s, rad]; the undisturbed hover when None.
    """
    gust = finite("wind", wind, (None, 3))
    x = hold.still if start is None else finite("start", start, hold.still.shape)
    states, commands = _gust(hold, x, gust, closed)
    time = hold.hover.flight.period * jnp.arange(gust.shape[0])
    return GustResponse(time, gust, states[:, :3], states[:, 3:6], states[:, 6:9], commands)


@eqx.filter_jit
def _gust(hold, start, gust, closed):
    def one(x, wind):
        u = hold.command(x) if closed else jnp.zeros(len(CHANNELS))
        return hold.stroke(x, u, wind), (x, u)

    return jax.lax.scan(one, start, gust)[1]


@eqx.filter_jit
def _stroke(hover, state, command, wind):
    flight = hover.flight
    if wind is not None:
        air = eqx.tree_at(lambda air: air.wind, flight.air, wind, is_leaf=lambda x: x is None)
        hover = dataclasses.replace(hover, flight=dataclasses.replace(flight, air=air))
    disturbance, before = state[: -len(CHANNELS)], state[-len(CHANNELS) :]
    law = SteeredStroke(hover.amplitude, flight.frequency, before, command)
    return jnp.concatenate([stroke_map(hover, disturbance, law=law), command])


def _without_wings(found: PeriodicRegulator, wings: int) -> PeriodicRegulator:
    """The regulator without the gains on the wings, and its multipliers."""
    gain = found.gain.at[:, THORAX : THORAX + wings].set(0.0)
    multipliers = jnp.linalg.eigvals(found.A - found.B @ gain)
    order = jnp.argsort(-jnp.abs(multipliers))
    return dataclasses.replace(found, gain=gain, multipliers=multipliers[order])
