"""Roll of NATRIX during undulation: response, beats, capsizing. [XHLB23, V.B]"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from hydro import FreeSurface
from multibody.floating_batch import FloatRun, float_march
from multibody.floating_rest import Equilibrium, equilibrium, floating_state
from multibody.state import BaseState
from multibody.tree import Tree
from spatial import Numbers, finite

from .laws import JOINTS, ShellLaw, natrix_undulation

CAPSIZED = np.pi / 2  # roll of the head beyond which the robot has capsized [rad]
BEATING = 1.0 / 3.0  # modulation of the roll above which a run counts as a beat
WINDOW = 2.0  # window for the amplitude of the roll: a period of the slowest gait studied [s]
REACH = np.deg2rad(5.0)  # largest initial roll of a study [rad]
REGIMES = ("nonlinear", "beat", "capsize")  # names of the regimes, by index


class RollResponse(eqx.Module):
    """Roll response of several runs.

    Attributes:
        peak: largest roll of the head in either direction, over the whole run [rad].
        deviation: standard deviation of the roll after the start [rad].
        modulation: (max - min) / (max + min) of the roll amplitudes in windows of two seconds [-].
    """

    peak: Float[Array, "runs"]
    deviation: Float[Array, "runs"]
    modulation: Float[Array, "runs"]

    @property
    def capsized(self) -> Float[Array, ""]:
        """Share of the runs that capsized: the probability of capsizing over the initial rolls."""
        return jnp.mean(jnp.where(self.peak > CAPSIZED, 1.0, 0.0))

    @property
    def regime(self) -> Float[Array, "runs"]:
        """0 nonlinear oscillation, 1 beat, 2 capsize; see `REGIMES`."""
        return jnp.where(self.peak > CAPSIZED, 2.0, jnp.where(self.modulation > BEATING, 1.0, 0.0))


def initial_rolls(count: int = 16, reach: Numbers = REACH) -> Float[Array, "runs"]:
    """Evenly spaced initial rolls from -reach to reach [rad]."""
    if not isinstance(count, int) or count < 1:
        raise ValueError(f"count = {count!r}: must be a positive integer")
    return finite("reach", reach, ()) * jnp.linspace(-1.0, 1.0, count)


def rest_states(tree: Tree, surface: FreeSurface, rolls: Numbers, rest: Equilibrium | None = None) -> BaseState:
    """The straight robot at rest with each of the given rolls [rad], with a leading axis of runs.

    Args:
        tree: the robot.
        surface: the water.
        rolls: rolls added to that of the equilibrium [rad].
        rest: equilibrium of the straight robot; computed when None.
    """
    rest = equilibrium(tree, jnp.zeros(JOINTS), surface) if rest is None else rest
    return _heeled(tree, rest.coordinates, finite("rolls", rolls, (None,)))


@eqx.filter_jit
def _heeled(tree, coordinates, rolls):
    height, roll, pitch = coordinates
    at = lambda angle: floating_state(tree, jnp.zeros(JOINTS), jnp.stack([height, roll + angle, pitch]))  # noqa: E731
    return jax.vmap(at)(rolls)


def undulating(
    tree: Tree,
    surface: FreeSurface,
    states: BaseState,
    amplitude: Numbers,
    frequency: Numbers,
    *,
    t1: float = 22.0,
    dt: float = 0.005,
    every: int = 8,
    start: float = 2.0,
    shells: ShellLaw | None = None,
    remember: bool = True,
) -> FloatRun:
    """Simulates the undulation (18) from several states in one batch.

    Args:
        tree: the robot.
        surface: the water.
        states: states of the head at the start, with a leading axis of runs.
        amplitude: amplitude of the joint angles, Q [rad].
        frequency: frequency of the undulation [Hz].
        t1: last time [s].
        dt: time step [s].
        every: number of steps between two records.
        start: duration of the smooth start [s].
        shells: law of the shells; at rest when None.
        remember: whether to store the intermediate values of reverse mode; False recomputes them.
    """
    law = natrix_undulation(amplitude, frequency, start=start, shells=shells)
    return float_march(tree, law, surface, t1, states, dt=dt, every=every, remember=remember)


def roll_response(run: FloatRun, interval: float = 0.04, start: float = 2.0) -> RollResponse:
    """Peak, standard deviation and modulation of the roll of several runs.

    Args:
        run: result of `undulating`.
        interval: interval between its recorded instants, `every * dt` [s].
        start: time at which the undulation is established [s]; at least one window must follow.
    """
    size = round(WINDOW / interval)
    windows = int((run.time.shape[0] - 1 - start / interval) / size + 1e-6)
    if windows < 1:
        raise ValueError(f"roll_response: the run must continue for {WINDOW:g} s beyond start = {start:g} s")
    late = run.roll[-windows * size :]
    amplitude = jnp.max(jnp.abs(late.reshape(windows, size, -1)), axis=1)
    low, high = jnp.min(amplitude, axis=0), jnp.max(amplitude, axis=0)
    # The roll of a capsizing run jumps from π to -π: its deviation then includes full turns, as in the paper.
    peak = jnp.max(jnp.abs(run.roll), axis=0)
    return RollResponse(peak, jnp.std(late, axis=0), (high - low) / (high + low + 1e-12))
