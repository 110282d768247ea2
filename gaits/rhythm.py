"""Coupled phase oscillators as a controller, and the strain law that applies their outputs along a beam. [ICRC07]

    dφ_i/dt = 2πν_i + Σ_j w_ij r_j sin(φ_j - φ_i - ψ_ij) + s_i
    d²r_i/dt² = a (a/4 (R_i - r_i) - dr_i/dt)
    ds_i/dt = (f_i(t, sensed) - s_i)/τ

The sensors act on the phases through a first-order filter. The outputs r_i cos φ_i are then two integrations behind the
sensor readings, so their first two time derivatives follow exactly from the rates of the memory
(`gaits.feedback.Smooth`), and no servo is needed.
"""

from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from spatial import Numbers, finite, increasing, non_negative, one_of, positive
from spatial.checks import callable_as, sequence, shown
from spatial.printing import Printed

from .feedback.controller import AbstractController, Sensed
from .feedback.sensors import STRAINS, AbstractSensor

OUTPUTS = ("alternating", "one-sided")


class Rhythm(eqx.Module):
    """States of the oscillators.

    Attributes:
        phase: φ [rad].
        amplitude: r, of any unit.
        growth: dr/dt, of any unit (that of r per second).
        push: s, filtered feedback that is added to the rates of the phases [rad/s].
    """

    phase: Float[Array, "n"]
    amplitude: Float[Array, "n"]
    growth: Float[Array, "n"]
    push: Float[Array, "n"]


class Oscillators(AbstractController):
    """Coupled phase oscillators; pass them to `gaits.Steered` with `servo=gaits.feedback.Smooth()`.

    >>> import anguilla, gaits, gaits.feedback as fb
    >>> chain = gaits.Oscillators.chain(8, frequency=1.0, lag=-0.6, amplitude=2.0)
    >>> law = gaits.NodeStrain(nodes=[0.0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.0])
    >>> steered = gaits.Steered(law, chain, servo=fb.Smooth())  # swims a beam of 2 m
    >>> joints = gaits.Steered(lambda t, y: y, chain, servo=fb.Smooth())  # drives a tree of eight joints

    Attributes:
        frequency: ν of each oscillator [Hz].
        amplitude: R of each oscillator, in the unit of the outputs, any unit.
        weights: coupling w_ij from oscillator j to i, any unit (1/s divided by the unit of the amplitude).
        lags: ψ_ij, phase difference φ_j - φ_i that the coupling drives towards [rad].
        rate: a, rate at which the amplitudes converge [1/s].
        output: "alternating" for r cos φ, "one-sided" for r (1 + cos φ).
        begin: states at the start of a run.
        feedback: (t, sensed) -> f, filtered and added to the rates of the phases [rad/s]; None for none.
        filter_time: τ [s].
        sensors: sensors that `feedback` reads.
    """

    frequency: Float[Array, "n"]
    amplitude: Float[Array, "n"]
    weights: Float[Array, "n n"]
    lags: Float[Array, "n n"]
    rate: Float[Array, ""]
    begin: Rhythm
    feedback: Callable[[Any, Sensed], Float[Array, "n"]] | None
    filter_time: Float[Array, ""]
    sensors: tuple[AbstractSensor, ...]
    output: str = eqx.field(static=True)

    def __init__(
        self,
        frequency: Numbers,
        amplitude: Numbers,
        weights: Numbers,
        lags: Numbers,
        *,
        rate: Numbers = 10.0,
        output: str = "alternating",
        phase: Numbers = 0.0,
        settled: bool = False,
        feedback: Callable[[Any, Sensed], Any] | None = None,
        filter_time: Numbers = 0.05,
        sensors: Sequence[AbstractSensor] = (),
    ):
        """Starts from the given phases, with full amplitude if `settled`, otherwise with zero amplitude."""
        self.weights = finite("Oscillators.weights", weights, (None, None))
        n = self.weights.shape[0]
        if self.weights.shape != (n, n) or n == 0:
            raise ValueError(f"Oscillators.weights has shape {self.weights.shape}: must be (n, n), one row for each")
        each = lambda name, value, check=finite: jnp.broadcast_to(  # noqa: E731
            _sized(name, check(f"Oscillators.{name}", value), n), (n,)
        )
        self.frequency, self.amplitude = each("frequency", frequency), each("amplitude", amplitude, non_negative)
        self.lags = finite("Oscillators.lags", lags, (n, n))
        self.rate = positive("Oscillators.rate", rate, "1/s", ())
        one_of("Oscillators.output", output, OUTPUTS)
        if feedback is not None and not callable(feedback):
            raise ValueError(f"Oscillators.feedback = {shown(feedback)}: must be a function (t, sensed) -> ({n},)")
        sensors = sequence("Oscillators.sensors", sensors, "a tuple of sensors")
        if sensors and feedback is None:
            raise ValueError(
                "Oscillators.sensors: nothing reads them; give feedback=(t, sensed) -> rates of the phases"
            )
        self.output, self.feedback, self.sensors = output, feedback, sensors
        self.filter_time = positive("Oscillators.filter_time", filter_time, "s", ())
        zero = jnp.zeros(n)
        self.begin = Rhythm(each("phase", phase), self.amplitude if settled else zero, zero, zero)

    @staticmethod
    def chain(
        count: int,
        frequency: Numbers,
        lag: Numbers,
        amplitude: Numbers,
        coupling: Numbers = 4.0,
        *,
        phase: Numbers | None = None,
        **more: Any,
    ) -> "Oscillators":
        """Chain with nearest-neighbour coupling: φ_(i+1) - φ_i tends to the lag, a wave that travels along the chain.

        Args:
            count: number of oscillators.
            frequency: ν, one number or one for each [Hz].
            lag: phase of each oscillator minus that of the one before; negative for a wave towards the end [rad].
            amplitude: R, one number or one for each, of any unit.
            coupling: w between neighbours, any unit (1/s divided by the unit of the amplitude).
            phase: initial phases, one number or one for each [rad]; those of the wave when None.
            more: further arguments as for `Oscillators`.
        """
        if not isinstance(count, int) or isinstance(count, bool) or count < 2:
            raise ValueError(f"Oscillators.chain: count = {count!r}: must be an integer of at least 2")
        ahead = np.eye(count, k=1)
        lag = finite("Oscillators.chain: lag", lag, ())
        weights = finite("Oscillators.chain: coupling", coupling, ()) * (ahead + ahead.T)
        start = lag * np.arange(count) if phase is None else phase
        return Oscillators(frequency, amplitude, weights, lag * (ahead - ahead.T), phase=start, **more)

    def start(self) -> Rhythm:
        """States at the start of a run."""
        return self.begin

    def __call__(self, t: Float[Array, ""], sensed: Sensed, memory: Rhythm) -> tuple[Float[Array, "n"], Rhythm]:
        """Outputs, in the unit of the amplitudes, and the rates of the states."""
        phase, r = memory.phase, memory.amplitude
        wave = jnp.cos(phase) if self.output == "alternating" else 1.0 + jnp.cos(phase)
        ahead = phase[None, :] - phase[:, None] - self.lags
        turning = 2.0 * jnp.pi * self.frequency + jnp.sum(self.weights * r[None, :] * jnp.sin(ahead), axis=1)
        swelling = self.rate * (0.25 * self.rate * (self.amplitude - r) - memory.growth)
        push = jnp.zeros_like(phase)
        if self.feedback is not None:
            push = (jnp.broadcast_to(self.feedback(t, sensed), phase.shape) - memory.push) / self.filter_time
        return r * wave, Rhythm(turning + memory.push, memory.growth, swelling, push)


class NodeStrain(Printed):
    """Law of a steered beam: one strain is a cubic spline through the outputs y_k at nodes along the body.

    >>> import anguilla, gaits
    >>> import jax.numpy as jnp
    >>> law = gaits.NodeStrain(nodes=[0.0, 0.5, 1.0])
    >>> law(0.5, 0.0, jnp.array([0.1, 0.4, 0.2])).tolist()
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.4]

    Attributes:
        nodes: abscissae of the nodes [m].
        strain: name of the strain, such as "K3".
        gait: strain law (X, t) -> (Γ, K) to which the spline is added; None for a straight body.
        pieces: coefficients of the cardinal spline of each node (one there, zero at the others), highest power first,
            any unit.
    """

    nodes: Float[Array, "n"]
    pieces: Float[Array, "4 n_less_one n"]
    strain: str = eqx.field(static=True)
    gait: Callable[..., Any] | None

    def __init__(self, nodes: Numbers, strain: str = "K3", gait: Callable[..., Any] | None = None):
        one_of("NodeStrain.strain", strain, STRAINS)
        self.nodes = increasing("NodeStrain.nodes", nodes, "m")
        if self.nodes.shape[0] < 2:
            raise ValueError("NodeStrain.nodes: must be at least two abscissae [m]")
        known = np.asarray(self.nodes)
        # The spline is twice differentiable in X, fourth-order accurate in the node spacing and linear in the values.
        from scipy.interpolate import CubicSpline  # slow to import

        self.pieces = jnp.asarray(CubicSpline(known, np.eye(known.shape[0])).c)
        if gait is not None:
            callable_as("NodeStrain.gait", gait, "a strain law (X, t) -> (Γ, K), or None")
        self.strain, self.gait = strain, gait

    def weights(self, X: Float[Array, ""]) -> Float[Array, "n"]:
        """Weights of the values at the nodes in the spline at the abscissa X [m]; pure numbers [-]."""
        k = jnp.clip(jnp.searchsorted(self.nodes, X, side="right") - 1, 0, self.nodes.shape[0] - 2)
        x, c = X - self.nodes[k], self.pieces[:, k]
        return ((c[0] * x + c[1]) * x + c[2]) * x + c[3]

    def __call__(self, X: Float[Array, ""], t: Float[Array, ""], y: Float[Array, "n"]) -> Float[Array, "6"]:
        """Strain (Γ, K) at the abscissa X [m] and the time t [s], for the values y at the nodes [-, 1/m]."""
        if y.shape != self.nodes.shape:
            raise ValueError(f"NodeStrain has {self.nodes.shape[0]} nodes: the command has {y.shape[0]} components")
        base = jnp.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]) if self.gait is None else self.gait(X, t)
        return base.at[STRAINS.index(self.strain)].add(self.weights(X) @ y)

    @property
    def break_times(self) -> tuple:
        """Break times of the gait [s]."""
        return tuple(getattr(self.gait, "break_times", ()))


def _sized(name, value, count):
    if value.shape not in ((), (count,)):
        raise ValueError(f"Oscillators.{name} has shape {value.shape}: must be one number or {count}, one for each")
    return value
