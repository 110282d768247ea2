"""The environments with gymnasium's interface, and their registered names. Needs the extra `learn`."""

from typing import Any

import equinox as eqx
import gymnasium
import jax
import numpy as np

from spatial import finite, one_of
from stepping import SimulationError

from .drawing import picture
from .environment import Environment, make
from .randomisation import Randomisation
from .tasks import FollowPath, StationKeeping

NAMES = {
    "anguilla/Cruise-v0": "cruise",
    "anguilla/Turn-v0": "turn",
    "anguilla/StationKeeping-v0": "station",
    "anguilla/FollowPath-v0": "path",
    "anguilla/Escape-v0": "escape",
}
LARGEST = 1e3  # bound of the observations [m, m/s, rad/s, ...], far above those of any swim


class GymEnv(gymnasium.Env):
    """An environment for libraries that use gymnasium.

    Actions and observations are float32 boxes; the dynamics are computed in float64. Episodes are truncated after the
    duration of their task. `gymnasium.make("anguilla/Cruise-v0")` builds one after `import anguilla.learn.gym`.

    >>> import anguilla
    >>> from anguilla import learn
    >>> env = learn.GymEnv("cruise")
    >>> observation, info = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    >>> observation.shape, sorted(info)
    ((25,), ['time', 'work'])

    Attributes:
        environment: the functional environment before randomisation.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(
        self,
        task: str | Environment = "cruise",
        randomisation: Randomisation | None = None,
        render_mode: str | None = None,
        **options: Any,
    ):
        """Builds the functional environment, or uses a given one.

        Args:
            task: name of a task, or an environment.
            randomisation: draws the environment of each episode; None for no randomisation.
            render_mode: "rgb_array" or None.
            options: arguments of `Environment`, if `task` is a name.
        """
        one_of("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        if isinstance(task, Environment):
            if options:
                raise ValueError(f"options {sorted(options)}: go with the name of a task, not with an environment")
            self.environment = task
        else:
            self.environment = make(task, **options)
        self.metadata = self.metadata | {"render_fps": round(1.0 / self.environment.period)}
        self.randomisation, self.render_mode = randomisation, render_mode
        size = jax.eval_shape(lambda key: _first(self.environment, None, key)[2], jax.random.key(0)).shape
        self.observation_space = gymnasium.spaces.Box(-LARGEST, LARGEST, size, np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (self.environment.action_size,), np.float32)
        self._drawn = self._state = None
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Starts an episode; the same seed gives the same episode.

        Args:
            seed: random seed; None to continue the random sequence.
            options: not used.
        """
        super().reset(seed=seed)
        key = jax.random.key(int(self.np_random.integers(2**31)))
        self._drawn, self._state, seen = _started(self.environment, self.randomisation, key)
        self._steps = 0
        return _boxed(seen), _info(self._state)

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        """One control period.

        Args:
            action: one number for each channel, clipped to [-1, 1].
        """
        if self._state is None:
            raise ValueError("step: the episode has not begun; call reset() first")
        action = finite("action", np.asarray(action, float), (self.environment.action_size,))
        self._state, seen, reward, terminal = _stepped(self._drawn, self._state, action)
        self._steps += 1
        if not np.isfinite(float(reward)):
            raise SimulationError(
                f"the motion is lost after {self._steps} control steps; last action: {action.tolist()}"
            )
        return _boxed(seen), float(reward), bool(terminal), self._steps >= self.environment.steps, _info(self._state)

    def render(self) -> np.ndarray | None:
        """The eel from above; None without a render mode."""
        if self.render_mode is None:
            return None
        if self._state is None or self._drawn is None:
            raise ValueError("render: the episode has not begun; call reset() first")
        half_width, midline = _outline(self._drawn, self._state)
        task, marks = self._drawn.task, np.zeros((0, 2))
        if isinstance(task, FollowPath):
            marks = np.asarray(task.points)[:, :2]
        elif isinstance(task, StationKeeping):
            marks = np.asarray(self._state.goal)[None, :2]
        title = f"{type(task).__name__}, {float(self._state.time):.2f} s"
        return picture(np.asarray(midline), np.asarray(half_width), marks, title)


def _info(state):
    return {"time": float(state.time), "work": float(state.work)}


def _boxed(seen):
    return np.clip(np.asarray(seen), -LARGEST, LARGEST).astype(np.float32)


def _first(environment, randomisation, key):
    drawing, beginning = jax.random.split(key)
    drawn = environment if randomisation is None else randomisation(environment, drawing)
    state = drawn.initial(beginning)
    return drawn, state, drawn.observation(state)


# Compiled once for all instances of a task.
_started = eqx.filter_jit(_first)


@eqx.filter_jit
def _stepped(environment, state, action):
    following = environment.transition(state, action)
    reward = environment.reward(state, action, following)
    return following, environment.observation(following), reward, environment.terminal(following)


@eqx.filter_jit
def _outline(environment, state):
    sections = jax.vmap(environment.body.beam.profile)(environment.body.X)
    return sections.b, environment.midline(state)


def register() -> None:
    """Registers the names with gymnasium; further calls have no effect."""
    for name, task in NAMES.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point="anguilla.learn.gym:GymEnv", kwargs={"task": task})


register()
