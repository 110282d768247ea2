"""Control of heading, pitch and roll of a swimming beam, shared by the controllers of depth, heading and path."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, positive
from spatial.printing import Printed

from .body_view import Place
from .controller import Sensed
from .sensors import AbstractSensor, Gyroscope, Heading, Pitch, Roll


class Attitude(Printed):
    """Attitude control: commands of a `Helm` that turn a beam to a heading and a pitch and keep it upright.

        e = (heading, pitch)_ref - (heading, pitch) - damping d(heading, pitch)/dt
        de_f/dt = (e - e_f)/τ,   u = -gain e_f + u_0
        y_3 = -(roll_gain φ + roll_damping dφ/dt)

    u_1 turns the body about the vertical of the world and u_2 about the horizontal. If the body has rolled by φ,

        K3 = cos φ u_1 - sin φ u_2,   K2 = cos φ u_2 + sin φ u_1.

    The defaults suit the eel of 2 m at 0.4 m/s with `Servo((0.4, 0.4, 1.0))`. The servos of the offsets are slower than
    the beat, because offsets that follow the beat of a rolled body would roll it further.

    Attributes:
        gain: offset per radian of heading, and per radian of pitch [1/(m·rad)].
        damping: factors of the rates of heading and pitch in the errors [s].
        low_pass: τ [s]; about half the period of the gait, because the head of a swimming body yaws with every beat.
        limit: maximum |u_1| and |u_2|, by smooth saturation [1/m].
        roll_gain: share of the roll wave per radian of roll [1/rad].
        roll_damping: share of the roll wave per roll rate [s/rad].
        roll_limit: maximum |share| of the roll wave, by smooth saturation [-].
    """

    gain: Float[Array, "2"]
    damping: Float[Array, "2"]
    low_pass: Float[Array, ""]
    limit: Float[Array, ""]
    roll_gain: Float[Array, ""]
    roll_damping: Float[Array, ""]
    roll_limit: Float[Array, ""]

    def __init__(
        self,
        gain: Numbers = (1.5, 3.7),
        damping: Numbers = (0.0, 1.2),
        low_pass: Numbers = 0.5,
        limit: Numbers = 0.3,
        roll_gain: Numbers = 0.4,
        roll_damping: Numbers = 0.3,
        roll_limit: Numbers = 0.3,
    ):
        self.gain = jnp.broadcast_to(finite("Attitude.gain", gain), (2,))
        self.damping = jnp.broadcast_to(finite("Attitude.damping", damping), (2,))
        self.low_pass = positive("Attitude.low_pass", low_pass, "s", ())
        self.limit = positive("Attitude.limit", limit, "1/m", ())
        self.roll_gain = finite("Attitude.roll_gain", roll_gain, ())
        self.roll_damping = finite("Attitude.roll_damping", roll_damping, ())
        self.roll_limit = positive("Attitude.roll_limit", roll_limit, "", ())

    def sensors(self, at: Place) -> tuple[AbstractSensor, ...]:
        """Sensors that it reads, at a place on the body."""
        return Heading(at), Pitch(at), Roll(at), Gyroscope(at)  # pyright: ignore[reportCallIssue]

    def __call__(
        self, reference: Float[Array, "2"], sensed: Sensed, filtered: Float[Array, "2"], known: Numbers = 0.0
    ) -> tuple[Float[Array, "3"], Float[Array, "2"]]:
        """Commands of a `Helm` [1/m, 1/m, -], and the rate of e_f [rad/s].

        Args:
            reference: heading and pitch [rad].
            sensed: heading, pitch, roll [rad] and gyroscope [rad/s].
            filtered: e_f [rad].
            known: feedforward offsets u_0 [1/m].
        """
        (p, q, r), phi = sensed["gyroscope"], sensed["roll"]
        c, s = jnp.cos(phi), jnp.sin(phi)
        rates = jnp.stack([c * r + s * q, c * q - s * r])  # about the vertical and the horizontal
        error = on_circle(reference - jnp.stack([sensed["heading"], sensed["pitch"]])) - self.damping * rates
        yaw, pitch = softly_limited(jnp.asarray(known) - self.gain * filtered, self.limit)
        wave = softly_limited(-(self.roll_gain * phi + self.roll_damping * p), self.roll_limit)
        return jnp.stack([c * yaw - s * pitch, c * pitch + s * yaw, wave]), (error - filtered) / self.low_pass


def on_circle(angle: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """Wraps an angle to the interval from -π to π [rad]."""
    return jnp.arctan2(jnp.sin(angle), jnp.cos(angle))


def softly_limited(value: Float[Array, "*n"], limit: Float[Array, ""]) -> Float[Array, "*n"]:
    """Smooth saturation limit · tanh(value / limit), of any unit."""
    return limit * jnp.tanh(value / limit)


def seek_depth(
    below: Float[Array, ""], integral: Float[Array, ""], lookahead: Float[Array, ""], integral_time: Float[Array, ""]
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Reference pitch [rad] by line-of-sight guidance to a depth, and the rate of its integral action [m/s]. [BPP08]

        θ = -atan((e + s)/Δ),   ds/dt = (e/T_i) Δ²/(Δ² + (e + s)²)

    Args:
        below: e, depth of the reference minus depth of the body [m].
        integral: s [m].
        lookahead: Δ [m].
        integral_time: T_i [s].
    """
    aim = below + integral
    rate = below / integral_time * lookahead**2 / (lookahead**2 + aim**2)
    return -jnp.arctan2(aim, lookahead), rate


def integral_time_or_none(name: str, value: Numbers | None) -> Float[Array, ""]:
    """A time constant [s], or infinity for None."""
    return jnp.asarray(jnp.inf) if value is None else positive(name, value, "s", ())
