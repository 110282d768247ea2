"""Path following by line-of-sight guidance: the body swims towards a point of the path ahead of it."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, positive
from spatial.checks import shown

from .attitude import Attitude, integral_time_or_none, softly_limited
from .body_view import Place
from .controller import AbstractController, Sensed
from .helm import CHANNELS
from .sensors import AbstractSensor, Position, Velocity
from .waypoints import Waypoints

CATCH_UP = 2.0  # k, rate at which the reference point closes its along-track distance to the body [1/s]


class LineOfSight(AbstractController):
    """Follows a path in space through the three channels of a `Helm`, in still water or in a current.

    The body is at p and has the velocity v. A reference point c(s) on the path, with tangent T, moves along with it:
    ds/dt = T·v + k T·(p - c). The body turns to the direction d, towards the point a distance Δ ahead of c, shifted by
    the integral I of the cross-track error e = (1 - T Tᵀ)(p - c):

        d = c(s + Δ) - p - I,   dI/dt = (e/T_i) Δ²/(Δ² + |e + I|²)                        after [BPP08], in space

    The integral lets a body in a current stay on the path by swimming at an angle to it. On a path of curvature κ, the
    feedforward u_0 = -feedforward κ(s + Δ/2) bends the body along the arc.

    >>> import anguilla, gaits, gaits.feedback as fb
    >>> path = fb.Waypoints([[0, 0, 0], [-5, 0, 0], [-10, 3, -1]], smooth=True)
    >>> follow = fb.LineOfSight(path, at=1.0)
    >>> steered = gaits.Steered(fb.Helm(gaits.planar()), follow, servo=fb.Servo((0.4, 0.4, 1.0)))
    >>> follow.channels
    ('offset_K3', 'offset_K2', 'roll_wave')

    Attributes:
        path: path to follow.
        lookahead: Δ [m]; one to two lengths of the body.
        integral_time: T_i [s]; infinite for no integral action.
        feedforward: curvature offset per curvature of the path [-].
        pitch_limit: maximum pitch [rad].
        attitude: gains and limits of the attitude control.
        sensors: heading, pitch, roll, gyroscope, position and velocity.
    """

    path: Waypoints
    lookahead: Float[Array, ""]
    integral_time: Float[Array, ""]
    feedforward: Float[Array, ""]
    pitch_limit: Float[Array, ""]
    attitude: Attitude
    sensors: tuple[AbstractSensor, ...]

    def __init__(
        self,
        path: Waypoints,
        *,
        lookahead: Numbers = 3.0,
        integral_time: Numbers | None = 15.0,
        feedforward: Numbers = 1.5,
        pitch_limit: Numbers = 0.4,
        attitude: Attitude | None = None,
        at: Place = None,
    ):
        if not isinstance(path, Waypoints):
            raise ValueError(f"LineOfSight.path = {shown(path)}: must be gaits.feedback.Waypoints")
        self.path = path
        self.lookahead = positive("LineOfSight.lookahead", lookahead, "m", ())
        self.integral_time = integral_time_or_none("LineOfSight.integral_time", integral_time)
        self.feedforward = finite("LineOfSight.feedforward", feedforward, ())
        self.pitch_limit = positive("LineOfSight.pitch_limit", pitch_limit, "rad", ())
        self.attitude = Attitude(gain=(2.5, 3.5)) if attitude is None else attitude
        self.sensors = (*self.attitude.sensors(at), Position(at), Velocity(at))  # pyright: ignore[reportCallIssue]

    def start(self) -> dict[str, Float[Array, "_"]]:
        """Arc length [m], integral of the error [m], filtered errors of heading and pitch [rad], all zero."""
        return {"arc": jnp.zeros(1), "integral": jnp.zeros(3), "errors": jnp.zeros(2)}

    def __call__(self, t: Float[Array, ""], sensed: Sensed, memory: dict[str, Float[Array, "_"]]):
        """Commands of a `Helm` [1/m, 1/m, -], and the rates of the memory.

        Args:
            t: time [s].
            sensed: position [m], velocity [m/s], heading, pitch, roll [rad] and gyroscope [rad/s].
            memory: arc length, integral of the error [m], filtered errors [rad].
        """
        p, v, (s,), ahead = sensed["position"], sensed["velocity"], memory["arc"], self.lookahead
        T, away = self.path.tangent(s), p - self.path.point(s)
        along = T @ away
        e, integral = away - along * T, memory["integral"]
        aim = self.path.point(s + ahead) - p - integral
        level = jnp.sqrt(aim[0] ** 2 + aim[1] ** 2 + 1e-12)
        heading = jnp.arctan2(-aim[1], -aim[0])  # the nose points along -t1
        reference = jnp.stack([heading, softly_limited(jnp.arctan2(aim[2], level), self.pitch_limit)])
        known = -self.feedforward * self._curvature(s)
        command, turning = self.attitude(reference, sensed, memory["errors"], known)
        rates = {
            "arc": (T @ v + CATCH_UP * along)[None],
            "integral": e / self.integral_time * ahead**2 / (ahead**2 + jnp.sum((e + integral) ** 2)),
            "errors": turning,
        }
        return command, rates

    def _curvature(self, s: Float[Array, ""]) -> Float[Array, "2"]:
        """Mean curvature of the path over the next Δ, to the left and upwards [1/m]."""
        near, far = self.path.tangent(s), self.path.tangent(s + self.lookahead)
        left = near[0] * far[1] - near[1] * far[0]
        return jnp.stack([left, far[2] - near[2]]) / self.lookahead

    @property
    def channels(self) -> tuple[str, ...]:
        """Channels of a `Helm`."""
        return CHANNELS

    @property
    def unit(self) -> str:
        """Unit of the curvature offsets; the share of the roll wave is dimensionless."""
        return "1/m"
