"""Control of the depth of a swimming beam, or of its heading and depth, by curvature offsets."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, positive

from .attitude import Attitude, integral_time_or_none, seek_depth, softly_limited
from .body_view import Place
from .controller import AbstractController, Sensed
from .helm import CHANNELS
from .sensors import AbstractSensor, Depth, Pitch, Velocity


class DepthHold(AbstractController):
    """Holds a depth by an offset of K2: line-of-sight guidance gives a reference pitch, which the offset controls.

        θ_ref = -θ_max tanh(atan((e + s)/Δ)/θ_max),   e = reference - depth,   ds/dt = (e/T_i) Δ²/(Δ² + (e + s)²)
        dθ_f/dt = (θ_ref - θ - θ_f)/τ,   u = -gain θ_f

    The sign is negative because a positive offset of K2 turns a swimming beam nose down. For a body that also turns,
    see `HeadingDepthHold`.

    >>> import anguilla, gaits, gaits.feedback as fb
    >>> hold = fb.DepthHold(reference=0.5, at=1.0)
    >>> steered = gaits.Steered(fb.Offset(gaits.planar(), "K2"), hold, servo=fb.Servo(1.0))
    >>> [sensor.name for sensor in hold.sensors]
    ['depth', 'pitch']

    Attributes:
        reference: depth to hold [m].
        gain: offset per radian of pitch [1/(m·rad)].
        lookahead: Δ [m]; about the length of the body.
        integral_time: T_i [s]; infinite for no integral action.
        low_pass: τ [s].
        limit: maximum |offset|; u is saturated by limit · tanh(u/limit) [1/m].
        pitch_limit: θ_max [rad].
        sensors: depth and pitch sensors.
    """

    reference: Float[Array, ""]
    gain: Float[Array, ""]
    lookahead: Float[Array, ""]
    integral_time: Float[Array, ""]
    low_pass: Float[Array, ""]
    limit: Float[Array, ""]
    pitch_limit: Float[Array, ""]
    sensors: tuple[AbstractSensor, ...]

    def __init__(
        self,
        reference: Numbers,
        *,
        gain: Numbers = 3.0,
        lookahead: Numbers = 2.0,
        integral_time: Numbers | None = None,
        low_pass: Numbers = 0.5,
        limit: Numbers = 0.6,
        pitch_limit: Numbers = 0.4,
        at: Place = None,
    ):
        self.reference = finite("DepthHold.reference", reference, ())
        self.gain = finite("DepthHold.gain", gain, ())
        self.lookahead = positive("DepthHold.lookahead", lookahead, "m", ())
        self.integral_time = integral_time_or_none("DepthHold.integral_time", integral_time)
        self.low_pass = positive("DepthHold.low_pass", low_pass, "s", ())
        self.limit = positive("DepthHold.limit", limit, "1/m", ())
        self.pitch_limit = positive("DepthHold.pitch_limit", pitch_limit, "rad", ())
        self.sensors = (Depth(at), Pitch(at))  # pyright: ignore[reportCallIssue]

    def start(self) -> Float[Array, "2"]:
        """Filtered pitch error [rad] and integral of the depth error [m], both zero."""
        return jnp.zeros(2)

    def __call__(self, t: Float[Array, ""], sensed: Sensed, memory: Float[Array, "2"]):
        """Offset of K2 [1/m], and the rates of the memory.

        Args:
            t: time [s].
            sensed: depth [m] and pitch [rad].
            memory: filtered pitch error [rad] and integral of the depth error [m].
        """
        filtered, integral = memory
        aim, rate = seek_depth(self.reference - sensed["depth"], integral, self.lookahead, self.integral_time)
        error = softly_limited(aim, self.pitch_limit) - sensed["pitch"]
        command = softly_limited(-self.gain * filtered, self.limit)
        return command[None], jnp.stack([(error - filtered) / self.low_pass, rate])

    @property
    def channels(self) -> tuple[str, ...]:
        """Name of the single channel."""
        return ("offset_K2",)

    @property
    def unit(self) -> str:
        """Unit of the curvature offset."""
        return "1/m"


class HeadingDepthHold(AbstractController):
    """Holds a heading and a depth, and keeps the body upright, through the three channels of a `Helm`.

    The reference pitch follows from the depth error as in `DepthHold`, with the depth extrapolated by a time T_d:
    e = depth_ref - depth + T_d v_z. Heading and pitch are controlled as described in `Attitude`.

    >>> import anguilla, gaits, gaits.feedback as fb
    >>> hold = fb.HeadingDepthHold(heading=0.8, depth=1.0, at=1.0)
    >>> steered = gaits.Steered(fb.Helm(gaits.planar()), hold, servo=fb.Servo((0.4, 0.4, 1.0)))
    >>> hold.channels
    ('offset_K3', 'offset_K2', 'roll_wave')

    Attributes:
        heading: heading to hold [rad].
        depth: depth to hold [m].
        lookahead: Δ of the depth control [m]; about the length of the body.
        lead: T_d, time by which the depth is extrapolated with the vertical velocity [s].
        integral_time: T_i of the depth control [s]; infinite for no integral action.
        pitch_limit: θ_max [rad].
        attitude: gains and limits of the attitude control.
        sensors: heading, pitch, roll, gyroscope, depth and velocity.
    """

    heading: Float[Array, ""]
    depth: Float[Array, ""]
    lookahead: Float[Array, ""]
    lead: Float[Array, ""]
    integral_time: Float[Array, ""]
    pitch_limit: Float[Array, ""]
    attitude: Attitude
    sensors: tuple[AbstractSensor, ...]

    def __init__(
        self,
        heading: Numbers,
        depth: Numbers,
        *,
        lookahead: Numbers = 1.7,
        lead: Numbers = 4.5,
        integral_time: Numbers | None = None,
        pitch_limit: Numbers = 0.3,
        attitude: Attitude | None = None,
        at: Place = None,
    ):
        self.heading = finite("HeadingDepthHold.heading", heading, ())
        self.depth = finite("HeadingDepthHold.depth", depth, ())
        self.lookahead = positive("HeadingDepthHold.lookahead", lookahead, "m", ())
        self.lead = finite("HeadingDepthHold.lead", lead, ())
        self.integral_time = integral_time_or_none("HeadingDepthHold.integral_time", integral_time)
        self.pitch_limit = positive("HeadingDepthHold.pitch_limit", pitch_limit, "rad", ())
        self.attitude = Attitude() if attitude is None else attitude
        self.sensors = (*self.attitude.sensors(at), Depth(at), Velocity(at))  # pyright: ignore[reportCallIssue]

    def start(self) -> Float[Array, "3"]:
        """Filtered errors of heading and pitch [rad] and integral of the depth error [m], all zero."""
        return jnp.zeros(3)

    def __call__(self, t: Float[Array, ""], sensed: Sensed, memory: Float[Array, "3"]):
        """Commands of a `Helm` [1/m, 1/m, -], and the rates of the memory.

        Args:
            t: time [s].
            sensed: heading, pitch, roll [rad], gyroscope [rad/s], depth [m] and velocity [m/s].
            memory: filtered errors of heading and pitch [rad] and integral of the depth error [m].
        """
        below = self.depth - sensed["depth"] + self.lead * sensed["velocity"][2]
        aim, rate = seek_depth(below, memory[2], self.lookahead, self.integral_time)
        reference = jnp.stack([self.heading, softly_limited(aim, self.pitch_limit)])
        command, turning = self.attitude(reference, sensed, memory[:2])
        return command, jnp.concatenate([turning, rate[None]])

    @property
    def channels(self) -> tuple[str, ...]:
        """Channels of a `Helm`."""
        return CHANNELS

    @property
    def unit(self) -> str:
        """Unit of the curvature offsets; the share of the roll wave is dimensionless."""
        return "1/m"
