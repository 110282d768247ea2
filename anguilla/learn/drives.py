"""Drives convert the actions of an agent to strains, through a servo that makes them twice differentiable in time.

An action has one component in [-1, 1] for each channel; it is held for one control period. Commands jump from one
period to the next, and a second-order servo smooths them: its states y and dy/dt are part of the environment's state.
"""

import abc

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from gaits.feedback import Servo
from gaits.feedback.replay import MotionAt
from gaits.published import AMPLITUDE
from spatial import Numbers, finite, positive, shaped
from spatial.printing import Printed


class AbstractDrive(Printed):
    """Conversion of commands to strains.

    Attributes:
        low: command at the action -1, one for each channel, of any unit.
        high: command at the action +1, of any unit.
        servo: servo that follows the commands.
    """

    low: eqx.AbstractVar[Float[Array, "m"]]
    high: eqx.AbstractVar[Float[Array, "m"]]
    servo: eqx.AbstractVar[Servo]

    @property
    @abc.abstractmethod
    def channels(self) -> tuple[str, ...]:
        """Names of the channels."""

    @abc.abstractmethod
    def begin(self, phase: Float[Array, ""]) -> PyTree[Float[Array, "..."]]:
        """States of the drive at the start of an episode, with a straight body at rest; phase in beats."""

    @abc.abstractmethod
    def instant(
        self, t: Float[Array, ""], own: PyTree, command: Float[Array, "m"]
    ) -> tuple[MotionAt, PyTree[Float[Array, "..."]]]:
        """Strain law near the time t [s], exact in value and two derivatives at t, and rates of the drive's states."""

    @abc.abstractmethod
    def seen(self, own: PyTree) -> Float[Array, "n"]:
        """States of the drive as the agent observes them."""

    def command(self, action: Float[Array, "m"]) -> Float[Array, "m"]:
        """Command of each channel for an action [-], which is clipped to ±1."""
        half = 0.5 * (self.high - self.low)
        return 0.5 * (self.high + self.low) + half * jnp.clip(jnp.asarray(action), -1.0, 1.0)


class WaveDrive(AbstractDrive):
    """A travelling wave with commanded amplitude and frequency, and commanded uniform curvatures for steering.

        K3 = A α(X) sin 2π(X/λ - φ) + k3,   K2 = k2,   dφ/dt = f

    The servo gives A, f, k3 and k2; the phase φ is a state, so that the frequency may change smoothly.

    >>> from anguilla import learn
    >>> drive = learn.WaveDrive()
    >>> drive.channels
    ('amplitude', 'frequency', 'yaw', 'pitch')
    >>> [round(float(u), 3) for u in drive.command([0.0, 0.0, 1.0, 0.0])]
    [0.5, 1.0, 0.5, 0.0]

    Attributes:
        amplitude: coefficients of α(X), highest power of X [m] first [1/m].
        wavelength: λ [m].
        low: minimum of A [-], f [Hz], and of k3 and k2 in the section frame [1/m].
        high: maximum of A [-], f [Hz], and of k3 and k2 in the section frame [1/m].
        servo: servo that follows the commands; it starts at zero amplitude, the mean frequency and zero curvature.
    """

    amplitude: Float[Array, "terms"]
    wavelength: Float[Array, ""]
    low: Float[Array, "4"]
    high: Float[Array, "4"]
    servo: Servo

    def __init__(
        self,
        amplitude: Numbers = AMPLITUDE,
        wavelength: Numbers = 1.0,
        low: Numbers = (0.0, 0.5, -0.5, -0.5),
        high: Numbers = (1.0, 1.5, 0.5, 0.5),
        servo: Servo | None = None,
    ):
        self.amplitude = finite("WaveDrive.amplitude", amplitude, (None,))
        self.wavelength = positive("WaveDrive.wavelength", wavelength, "m", ())
        self.low, self.high = _limits("WaveDrive", low, high)
        shaped("WaveDrive.low", self.low, (4,))
        self.servo = Servo(2.0) if servo is None else servo

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels."""
        return ("amplitude", "frequency", "yaw", "pitch")

    def begin(self, phase: Float[Array, ""]) -> PyTree:
        """Servo at rest with zero amplitude and the mean frequency, and the phase [beats]."""
        y = jnp.zeros(4).at[1].set(0.5 * (self.low[1] + self.high[1]))
        return y, jnp.zeros(4), phase

    def strain(self, X: Float[Array, ""], t: Float[Array, ""], y: Float[Array, "4"]) -> Float[Array, "6"]:
        """Strain (Γ, K) at X [m] for y: amplitude [-], phase [beats] and two curvatures [1/m]; t is not used."""
        A, phase, yaw, pitch = y
        wave = A * jnp.polyval(self.amplitude, X) * jnp.sin(2.0 * jnp.pi * (X / self.wavelength - phase))
        return jnp.stack([1.0, 0.0, 0.0, 0.0, pitch, wave + yaw])

    def instant(self, t: Float[Array, ""], own: PyTree, command: Float[Array, "4"]) -> tuple[MotionAt, PyTree]:
        """The wave near the time t [s]; the phase replaces the frequency in the arguments of `strain`."""
        y, dy, phase = own
        ddy, (y_rate, dy_rate) = self.servo.acceleration(t, (y, dy), command, None, None, None)
        motion = jnp.stack([y.at[1].set(phase), dy.at[1].set(y[1]), ddy.at[1].set(dy[1])])
        return MotionAt(self.strain, t, motion), (y_rate, dy_rate, y[1])

    def seen(self, own: PyTree) -> Float[Array, "10"]:
        """Sine and cosine of the phase, outputs of the servo and their rates."""
        y, dy, phase = own
        turn = 2.0 * jnp.pi * phase
        return jnp.concatenate([jnp.stack([jnp.sin(turn), jnp.cos(turn)]), y, dy])


class BendingDrive(AbstractDrive):
    """Bending commanded at a few nodes along the body, for motion that is not periodic.

        K3 = Σ_k y_k B_k(X/L)   with the Bernstein polynomials B_k: |K3| never exceeds the greatest |y_k|

    >>> from anguilla import learn
    >>> learn.BendingDrive(nodes=3).channels
    ('bending0', 'bending1', 'bending2')

    Attributes:
        length: L [m].
        low: minimum of y_k [1/m].
        high: maximum of y_k [1/m].
        servo: servo that follows the commands; it starts with a straight body.
    """

    length: Float[Array, ""]
    low: Float[Array, "m"]
    high: Float[Array, "m"]
    servo: Servo

    def __init__(self, nodes: int = 5, limit: Numbers = 2.0, length: Numbers = 2.0, servo: Servo | None = None):
        if not isinstance(nodes, int) or nodes < 1:
            raise ValueError(f"BendingDrive.nodes = {nodes!r}: must be a positive integer")
        self.length = positive("BendingDrive.length", length, "m", ())
        self.high = jnp.broadcast_to(positive("BendingDrive.limit", limit, "1/m"), (nodes,))
        self.low = -self.high
        self.servo = Servo(2.0) if servo is None else servo

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels, from the head to the tail."""
        return tuple(f"bending{k}" for k in range(self.high.shape[-1]))

    def begin(self, phase: Float[Array, ""]) -> PyTree:
        """Servo at rest with a straight body; the phase [beats] is not used."""
        return jnp.zeros(self.high.shape), jnp.zeros(self.high.shape)

    def strain(self, X: Float[Array, ""], t: Float[Array, ""], y: Float[Array, "m"]) -> Float[Array, "6"]:
        """Strain (Γ, K) at X [m] for the curvatures y [1/m], by de Casteljau's algorithm; t is not used."""
        s = X / self.length
        for _ in range(y.shape[0] - 1):
            y = (1.0 - s) * y[:-1] + s * y[1:]
        return jnp.stack([1.0, 0.0, 0.0, 0.0, 0.0, y[0]])

    def instant(self, t: Float[Array, ""], own: PyTree, command: Float[Array, "m"]) -> tuple[MotionAt, PyTree]:
        """The bending near the time t [s]."""
        ddy, rates = self.servo.acceleration(t, own, command, None, None, None)
        return MotionAt(self.strain, t, jnp.stack([*own, ddy])), rates

    def seen(self, own: PyTree) -> Float[Array, "n"]:
        """Outputs of the servo [1/m] and their rates [1/(m·s)]."""
        return jnp.concatenate(own)


def _limits(name: str, low: Numbers, high: Numbers) -> tuple[Array, Array]:
    low, high = finite(f"{name}.low", low, (None,)), finite(f"{name}.high", high, (None,))
    shaped(f"{name}.high", high, low.shape)
    positive(f"{name}: high - low", high - low)
    return low, high
