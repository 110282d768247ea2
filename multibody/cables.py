"""Cables between the bodies of a tree: tendons and muscles routed through points fixed to the bodies."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gaits import AbstractTension, taut, tension_law
from spatial import Numbers, cross, finite, join, non_negative, safe_norm
from spatial.checks import given, sequence, shaped, shown
from spatial.printing import Printed

from .arguments import instant
from .kinematics import configuration, own_twists, spread_twists
from .small_matrices import apply, transpose
from .state import BaseState
from .tree import Tree

WORLD = "world"


class Cable(Printed):
    """A cable that runs in straight segments through points fixed to bodies, with a tension T ≥ 0.

        l = Σ |p(k+1) - p(k)|,   generalised force = -T ∂l/∂q

    The cable is slack where the law gives a negative tension: T = max(law, 0). With friction, the tension decreases
    from the first point on: at each via point it is multiplied by the capstan factor exp(-μ θ), where θ is the angle
    by which the cable turns there. This is the state in which the whole cable slides towards its first point. Segments
    must not have zero length.

    Attributes:
        bodies: name of the body that carries each point, or "world" for a point fixed in the world.
        points: coordinates of each point, in the frame of its body or in the world [m].
        tension: law of the tension.
        friction: friction coefficient μ at the via points [-]; None for no friction.

    Example:
        >>> import multibody as mb
        >>> hinge = mb.revolute(axis=(0.0, 0.0, 1.0), name="hinge", actuated=False)
        >>> arm = mb.Link("arm", "wall", hinge, mass=1.0, centre=(0.5, 0.0, 0.0))
        >>> tree = mb.from_links([mb.Link("wall"), arm], base="fixed")
        >>> biceps = mb.Cable([("wall", (-0.1, 0.05, 0.0)), ("arm", (0.1, 0.05, 0.0))], tension=4.0)
        >>> bent = mb.rollout(tree, None, t1=0.1, samples=2, actuators=[biceps])
        >>> round(float(bent.joint_rates[-1, 0]), 3)  # about T d t / I [rad/s]
        0.08
    """

    bodies: tuple[str, ...] = eqx.field(static=True)
    points: Float[Array, "points 3"]
    tension: AbstractTension
    friction: Float[Array, ""] | None

    def __init__(
        self, via: Sequence[tuple[str, Numbers]], tension: AbstractTension | Any, *, friction: Numbers | None = None
    ):
        """Takes pairs (body, point) in order, and a tension: a number, a function of t, or a law of `gaits` [N]."""
        via = sequence("Cable.via", via, "two or more pairs (name of a body, point [m])")
        if len(via) < 2 or any(not isinstance(pair, Sequence) or len(pair) != 2 for pair in via):
            raise ValueError(f"Cable.via = {shown(via)}: must be two or more pairs (name of a body, point [m])")
        self.bodies = tuple(str(body) for body, _ in via)
        self.points = jnp.stack([finite(f"Cable.via[{k}]", point, (3,)) for k, (_, point) in enumerate(via)])
        self.tension = tension_law("Cable.tension", tension)
        if not isinstance(tension, AbstractTension) and not callable(tension):
            non_negative("Cable.tension", tension, "N")
        self.friction = None if friction is None else non_negative("Cable.friction", friction)
        if self.friction is not None:
            shaped("Cable.friction", self.friction, ())

    @property
    def commands(self) -> int:
        """Number of commands that the tension law reads."""
        return self.tension.commands


class Pull(eqx.Module):
    """Lengths, tensions and loads of the cables at one instant.

    Attributes:
        length: length of each cable [m].
        rate: time derivative of the length [m/s].
        tension: tension at the first point of each cable [N].
        wrench: total wrench of the cables on each body, in the body frame [N, N·m].
        power: power that the cables deliver to the bodies [W].
    """

    length: Float[Array, "cables"]
    rate: Float[Array, "cables"]
    tension: Float[Array, "cables"]
    wrench: Float[Array, "bodies 6"]
    power: Float[Array, ""]


def check_cables(tree: Tree, actuators: Cable | Sequence[Cable], name: str = "actuators") -> tuple[Cable, ...]:
    """Returns the cables as a tuple, after checking that their bodies exist.

    Args:
        tree: the tree.
        actuators: one cable, or several.
        name: name of the argument, for error messages.

    Raises:
        ValueError: an item is not a cable, or a cable names a body that the tree does not have.
    """
    several = "a multibody.Cable, or several"
    cables = (actuators,) if isinstance(actuators, Cable) else sequence(name, actuators, several)
    for cable in cables:
        if not isinstance(cable, Cable):
            raise ValueError(f"{name} has {shown(cable)}: must be {several}")
        for body in cable.bodies:
            if body not in tree.names and body != WORLD:
                raise ValueError(
                    f"Cable.via: {body!r} is no body of the tree: must be one of {', '.join(tree.names)}, or 'world'"
                )
    return cables


def refuse_commands(cables: tuple[Cable, ...]) -> None:
    """Raises if a cable reads commands; for runs without a controller."""
    count = sum(cable.commands for cable in cables)
    if count:
        raise ValueError(
            f"actuators: they read {count} commands and nothing gives them: run the tree under a gaits.Steered, or "
            "take tensions that are known, such as gaits.Tension(5.0)"
        )


def pull(
    tree: Tree,
    cables: tuple[Cable, ...],
    t: Float[Array, ""],
    state: BaseState,
    q: Float[Array, "positions"],
    dq: Float[Array, "freedoms"],
    command: Float[Array, "commands"] | None = None,
) -> Pull:
    """Lengths, tensions and wrenches of cables at one instant.

    Args:
        tree: the tree.
        cables: the cables.
        t: time [s].
        state: pose and twist of the base.
        q: joint positions [rad] or [m].
        dq: joint velocities [rad/s] or [m/s].
        command: commands of the cables, in the order of the cables, in any unit; zero when None.
    """
    place = configuration(tree, q)
    twist = own_twists(place, spread_twists(tree, place, state.twist, dq))
    # The world is appended as one more body; all poses are in the base frame.
    back = state.rotation.T
    rotation = jnp.concatenate([place.rotation, back[None]])
    position = jnp.concatenate([place.position, -(back @ state.position)[None]])
    twist = jnp.concatenate([twist, jnp.zeros((1, 6))])
    ends = np.cumsum([cable.commands for cable in cables])
    given = jnp.zeros(int(ends[-1]) if len(ends) else 0) if command is None else jnp.asarray(command, float)
    shaped("command", given, (int(ends[-1]) if len(ends) else 0,))
    wrench, states = jnp.zeros((len(tree.names) + 1, 6)), []
    for cable, own in zip(cables, jnp.split(given, ends[:-1]) if len(ends) else (), strict=True):
        rows = np.array(
            [len(tree.names) if body not in tree.names else tree.names.index(body) for body in cable.bodies]
        )
        turn = rotation[rows]
        points = position[rows] + apply(turn, cable.points)
        velocity = apply(turn, twist[rows, :3] + cross(twist[rows, 3:], cable.points))
        segments = jnp.diff(points, axis=0)
        size = safe_norm(segments)
        along = segments / jnp.where(size > 0, size, 1.0)[:, None]
        length, rate = jnp.sum(size), jnp.sum(along * jnp.diff(velocity, axis=0))
        tension = taut(cable.tension(t, length, rate, own))
        forces = (tension * _tension_ratios(cable, along))[:, None] * along
        # Each point is pulled towards its neighbours.
        force = jnp.pad(forces, ((0, 1), (0, 0))) - jnp.pad(forces, ((1, 0), (0, 0)))
        force = apply(transpose(turn), force)
        wrench = wrench.at[rows].add(join(force, cross(cable.points, force)))
        states.append((length, rate, tension))
    length, rate, tension = jnp.asarray(states).reshape(-1, 3).T
    return Pull(length, rate, tension, wrench[:-1], jnp.sum(wrench * twist))


def thread_length(
    tree: Tree,
    cables: Cable | Sequence[Cable],
    q: Float[Array, "positions"],
    dq: Float[Array, "freedoms"] | None = None,
    *,
    state: BaseState | None = None,
) -> tuple[Float[Array, "cables"], Float[Array, "cables"]]:
    """Lengths of cables [m] and their rates [m/s]. jit-, vmap- and grad-safe.

    Args:
        tree: the tree.
        cables: the cables.
        q: joint positions [rad] or [m].
        dq: joint velocities [rad/s] or [m/s]; zero when None.
        state: pose and twist of the base; at rest at the world's origin when None.
    """
    base = BaseState() if state is None else state
    (positions,) = instant(tree, base, q=q)
    known = check_cables(tree, cables, "cables")
    rates = jnp.zeros(tree.layout.freedoms) if dq is None else given("dq", dq, (tree.layout.freedoms,))
    none = tuple(eqx.tree_at(lambda cable: cable.tension, cable, tension_law("tension", 0.0)) for cable in known)
    found = pull(tree, none, jnp.zeros(()), base, positions, rates)
    return found.length, found.rate


def _tension_ratios(cable, along):
    """Tension of each segment relative to that of the first segment [-]."""
    if cable.friction is None:
        return jnp.ones(along.shape[0])
    before, after = along[:-1], along[1:]
    angle = jnp.arctan2(safe_norm(cross(before, after)), jnp.sum(before * after, axis=1))
    return jnp.exp(-cable.friction * jnp.concatenate([jnp.zeros(1), jnp.cumsum(angle)]))
