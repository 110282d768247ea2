"""State of an environment."""

from jaxtyping import Array, Float, PyTree

from cosserat import HeadState
from spatial.printing import Printed


class State(Printed):
    """Complete state of an episode, and integrals over the body that the rewards of tasks use.

    Attributes:
        time: time since the start of the episode [s].
        head: pose and twist of the head.
        drive: states of the drive: servo and phase.
        goal: goal of the task, drawn at the start, of any unit.
        centre: centre of mass, in the world [m].
        velocity: velocity of the centre of mass, in the world [m/s].
        energy: kinetic energy of body and added mass, plus potential energy [J].
        loss: power lost to the water by drag, wake and convective terms [W].
        work: work of the actuators since the start [J]; valid in still water only.
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
