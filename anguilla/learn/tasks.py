"""Tasks: goal, reward, termination and observation."""

import abc
import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from spatial import Numbers, finite, non_negative, positive, safe_norm, unit
from spatial.printing import Printed

from .state import State

GRAVITY = 9.81  # m/s², in the cost of transport


class AbstractTask(Printed):
    """Interface of a task; its functions are pure, so that environments can be batched and differentiated.

    Attributes:
        duration: length of an episode, after which it is truncated [s].
    """

    duration: eqx.AbstractVar[float]

    @property
    def current(self) -> Float[Array, "3"] | None:
        """Velocity of the water in the world [m/s]; None for still water."""
        return None

    @abc.abstractmethod
    def goal(self, centre: Float[Array, "3"], key: Any) -> Float[Array, "n"]:
        """Goal of an episode, drawn at its start and part of its state.

        Args:
            centre: centre of mass at the start, in the world [m].
            key: random key.
        """

    @abc.abstractmethod
    def seen(self, state: State) -> Float[Array, "n"]:
        """The agent's observation of its goal, in the frame of the head."""

    @abc.abstractmethod
    def reward(self, state: State, following: State, mass: Float[Array, ""], period: float) -> Float[Array, ""]:
        """Reward of one control step.

        Args:
            state: state before the step.
            following: state after the step.
            mass: mass of the body [kg].
            period: control period [s].
        """

    def ended(self, state: State) -> Bool[Array, ""]:
        """Whether the episode ends in this state, before its duration is over."""
        return jnp.zeros((), bool)


class Cruise(AbstractTask):
    """Swim as far as possible in a given direction at a low cost.

    The return is distance - weight · work / (m g), in metres: a cost of transport W/(m g d) of one reduces the return
    by `weight` metres for each metre swum.

    Attributes:
        direction: unit vector in the world; initially the nose of the eel points towards -x.
        weight: weight of the cost of transport [-].
        duration: length of an episode [s].
    """

    direction: Float[Array, "3"]
    weight: Float[Array, ""]
    duration: float = eqx.field(static=True)

    def __init__(self, direction: Numbers = (-1.0, 0.0, 0.0), weight: Numbers = 1.0, duration: float = 4.0):
        self.direction = unit("Cruise.direction", direction, 3)
        self.weight = non_negative("Cruise.weight", weight)
        self.duration = float(positive("Cruise.duration", duration, "s"))

    def goal(self, centre: Float[Array, "3"], key: Any) -> Float[Array, "3"]:
        """The direction; the centre [m] and the key are not used."""
        return self.direction

    def seen(self, state: State) -> Float[Array, "3"]:
        """The direction, in the frame of the head [-]."""
        return state.head.rotation.T @ state.goal

    def reward(self, state: State, following: State, mass: Float[Array, ""], period: float) -> Float[Array, ""]:
        """Distance gained minus the weighted work in metres [m]; mass [kg], period [s]."""
        gained = state.goal @ (following.centre - state.centre)
        return gained - self.weight * (following.work - state.work) / (mass * GRAVITY)


class Turn(AbstractTask):
    """Reach a heading and keep it. The return is ∫cos(heading - goal) dt, in seconds.

    The heading is the angle about the vertical of the line from the nose to the centre of mass; it is zero initially.

    Attributes:
        heading: minimum and maximum of the heading to reach [rad], which is drawn for each episode.
        duration: length of an episode [s].
    """

    heading: Float[Array, "2"]
    duration: float = eqx.field(static=True)

    def __init__(self, heading: Numbers = (-1.0, 1.0), duration: float = 6.0):
        self.heading = finite("Turn.heading", heading, (2,))
        self.duration = float(positive("Turn.duration", duration, "s"))

    def goal(self, centre: Float[Array, "3"], key: Any) -> Float[Array, "3"]:
        """Desired unit vector from the nose to the centre of mass, in the world [-]; the centre [m] is not used."""
        angle = jax.random.uniform(key, (), float, *self.heading)
        return jnp.stack([jnp.cos(angle), jnp.sin(angle), 0.0])

    def seen(self, state: State) -> Float[Array, "3"]:
        """The desired direction, in the frame of the head [-]."""
        return state.head.rotation.T @ state.goal

    def reward(self, state: State, following: State, mass: Float[Array, ""], period: float) -> Float[Array, ""]:
        """Cosine of the heading error times the period [s]; the mass [kg] is not used."""
        aft = (following.centre - following.head.position)[:2]
        return period * (aft @ state.goal[:2]) / safe_norm(aft)


class StationKeeping(AbstractTask):
    """Stay at a place in a current. The return is ∫dt / (1 + (d/scale)²), in seconds, d the distance to the place.

    An episode ends when the eel is further than `limit` from its place.

    Attributes:
        stream: velocity of the water in the world [m/s].
        offset: maximum distance, along each horizontal axis, of the place from the centre of mass at the start [m].
        scale: distance at which the reward is half of its maximum [m].
        limit: maximum distance [m].
        duration: length of an episode [s].
    """

    stream: Float[Array, "3"]
    offset: Float[Array, ""]
    scale: Float[Array, ""]
    limit: Float[Array, ""]
    duration: float = eqx.field(static=True)

    def __init__(
        self,
        stream: Numbers = (0.3, 0.0, 0.0),
        offset: Numbers = 0.2,
        scale: Numbers = 0.5,
        limit: Numbers = 2.0,
        duration: float = 8.0,
    ):
        self.stream = finite("StationKeeping.stream", stream, (3,))
        self.offset = non_negative("StationKeeping.offset", offset, "m")
        self.scale = positive("StationKeeping.scale", scale, "m", ())
        self.limit = positive("StationKeeping.limit", limit, "m", ())
        self.duration = float(positive("StationKeeping.duration", duration, "s"))

    @property
    def current(self) -> Float[Array, "3"]:
        """Velocity of the water in the world [m/s]."""
        return self.stream

    def goal(self, centre: Float[Array, "3"], key: Any) -> Float[Array, "3"]:
        """The place, in the world, near the centre of mass at the start [m]."""
        return centre.at[:2].add(self.offset * jax.random.uniform(key, (2,), float, -1.0, 1.0))

    def seen(self, state: State) -> Float[Array, "6"]:
        """Vector from the centre of mass to the place [m], and the current [m/s], in the frame of the head."""
        return jnp.concatenate(
            [state.head.rotation.T @ (state.goal - state.centre), state.head.rotation.T @ self.stream]
        )

    def reward(self, state: State, following: State, mass: Float[Array, ""], period: float) -> Float[Array, ""]:
        """Period [s] divided by 1 + (d/scale)², d the distance to the place; the mass [kg] is not used."""
        away = (following.centre - state.goal) / self.scale
        return period / (1.0 + away @ away)

    def ended(self, state: State) -> Bool[Array, ""]:
        """Whether the eel is too far from its place."""
        away = state.centre - state.goal
        return away @ away > self.limit**2


def _winding(points: int = 41) -> Float[Array, "points 3"]:
    """An S-shaped path ahead of the eel: 8 m towards -x, 0.5 m to either side."""
    s = jnp.linspace(0.0, 1.0, points)
    return jnp.stack([-8.0 * s, 0.5 * jnp.sin(2.0 * math.pi * s) ** 3, jnp.zeros(points)], axis=1)


class FollowPath(AbstractTask):
    """Follow a path with the nose. The return is progress - weight ∫d² dt, d the distance to the path.

    An episode ends when the nose is further than `limit` from the path.

    Attributes:
        points: vertices of the path in the world, from its beginning [m].
        weight: weight of the squared distance [1/(m·s)].
        ahead: distance along the path to the point ahead that the agent observes [m].
        limit: maximum distance [m].
        duration: length of an episode [s].
    """

    points: Float[Array, "points 3"]
    weight: Float[Array, ""]
    ahead: Float[Array, ""]
    limit: Float[Array, ""]
    duration: float = eqx.field(static=True)

    def __init__(
        self,
        points: Numbers | None = None,
        weight: Numbers = 1.0,
        ahead: Numbers = 1.0,
        limit: Numbers = 2.0,
        duration: float = 10.0,
    ):
        self.points = _winding() if points is None else finite("FollowPath.points", points, (None, 3))
        if self.points.shape[0] < 2:
            raise ValueError(f"FollowPath.points has shape {self.points.shape}: must be at least two points")
        steps = jnp.sum(jnp.diff(self.points, axis=0) ** 2, axis=1)
        positive("FollowPath.points: squared distance of two neighbours", steps, "m²")
        self.weight = non_negative("FollowPath.weight", weight)
        self.ahead = positive("FollowPath.ahead", ahead, "m", ())
        self.limit = positive("FollowPath.limit", limit, "m", ())
        self.duration = float(positive("FollowPath.duration", duration, "s"))

    def nearest(self, place: Float[Array, "3"]) -> tuple[Float[Array, ""], Float[Array, "3"]]:
        """Arc length of the nearest point of the path [m], and that point, in the world [m]."""
        step = jnp.diff(self.points, axis=0)
        length = jnp.linalg.norm(step, axis=1)
        along = jnp.clip(jnp.sum((place[None] - self.points[:-1]) * step, axis=1) / length**2, 0.0, 1.0)
        foot = self.points[:-1] + along[:, None] * step
        k = jnp.argmin(jnp.sum((foot - place[None]) ** 2, axis=1))
        before = jnp.concatenate([jnp.zeros(1), jnp.cumsum(length)])
        return before[k] + along[k] * length[k], foot[k]

    def at(self, s: Float[Array, ""]) -> Float[Array, "3"]:
        """Point of the path at an arc length [m], in the world [m]."""
        length = jnp.linalg.norm(jnp.diff(self.points, axis=0), axis=1)
        before = jnp.concatenate([jnp.zeros(1), jnp.cumsum(length)])
        return jax.vmap(lambda x: jnp.interp(s, before, x))(self.points.T)

    def goal(self, centre: Float[Array, "3"], key: Any) -> Float[Array, "0"]:
        """Empty: the path is the goal; the centre [m] and the key are not used."""
        return jnp.zeros(0)

    def seen(self, state: State) -> Float[Array, "6"]:
        """Vectors from the nose to the nearest point of the path and the point ahead, in the frame of the head [m]."""
        s, foot = self.nearest(state.head.position)
        seen = jnp.stack([foot, self.at(s + self.ahead)]) - state.head.position[None]
        return (seen @ state.head.rotation).ravel()

    def reward(self, state: State, following: State, mass: Float[Array, ""], period: float) -> Float[Array, ""]:
        """Progress minus weight · period [s] · squared distance, in metres; the mass [kg] is not used."""
        s, _ = self.nearest(state.head.position)
        after, foot = self.nearest(following.head.position)
        off = following.head.position - foot
        return after - s - self.weight * period * (off @ off)

    def ended(self, state: State) -> Bool[Array, ""]:
        """Whether the nose is too far from the path."""
        off = state.head.position - self.nearest(state.head.position)[1]
        return off @ off > self.limit**2


class Escape(AbstractTask):
    """Move the centre of mass as far as possible from rest, in any direction, in one second. The return is in metres.

    Attributes:
        duration: length of an episode [s].
    """

    duration: float = eqx.field(static=True)

    def __init__(self, duration: float = 1.0):
        self.duration = float(positive("Escape.duration", duration, "s"))

    def goal(self, centre: Float[Array, "3"], key: Any) -> Float[Array, "3"]:
        """The centre of mass at the start, in the world [m]."""
        return centre

    def seen(self, state: State) -> Float[Array, "4"]:
        """Displacement since the start, in the frame of the head [m], and the remaining time [s]."""
        return jnp.append(state.head.rotation.T @ (state.centre - state.goal), self.duration - state.time)

    def reward(self, state: State, following: State, mass: Float[Array, ""], period: float) -> Float[Array, ""]:
        """Distance gained [m]; mass [kg] and period [s] are not used."""
        return safe_norm(following.centre - state.goal) - safe_norm(state.centre - state.goal)


TASKS = {"cruise": Cruise, "turn": Turn, "station": StationKeeping, "path": FollowPath, "escape": Escape}
