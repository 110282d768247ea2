"""State of an environment."""

import equinox as eqx
from jaxtyping import Array, Float, PyTree

from cosserat import HeadState


class State(eqx.Module):
    """Everything that the future of an episode depends on, and the sums over the body that tasks reward.

    Attributes:
        time: since the start of the episode [s].
        head: pose and twist of the head.
        drive: states of the drive: servo and phase.
        goal: of the task, drawn at the start, of any unit.
        centre: centre of mass, in the world [m].
        velocity: its velocity, in the world [m/s].
        energy: kinetic energy of body and added water, and energy of place [J].
        loss: power that the water takes [W].
        work: of the actuators since the start [J]; meaningful in still water only.
    """

    time: Float[Array, ""]
    head: HeadState
    drive: PyTree[Float[Array, "..."]]
    goal: Float[Array, "n"]
    centre: Float[Array, "3"]
    velocity: Float[Array, "3"]
    energy: Float[Array, ""]
    loss: Float[Array, ""]
    work: Float[Array, ""]
