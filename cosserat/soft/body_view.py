"""The state of a soft beam at one instant as sensors measure it."""

from typing import Any

from jaxtyping import Array, Float

from gaits.feedback.body_view import nth_thread
from hydro import AbstractFluid

from ..body_view import BeamView
from ..strain import Gait
from .sampled_soft import SampledSoft
from .soft_beam import Soft, SoftState


class SoftView(BeamView):
    """A soft beam at one instant: a beam with its total strain, and threads.

    Attributes:
        sampled: the body on its grids.
        gait: imposed strains; None for the rest shape.
        state: state of head and modes.
        command: output of the controller, of any unit; None before its first output.
    """

    sampled: SampledSoft | None = None
    gait: Gait | None = None
    state: SoftState | None = None
    command: Float[Array, "m"] | None = None

    @staticmethod
    def of(
        sampled: SampledSoft,
        gait: Gait | None,
        fluid: AbstractFluid,
        t: Float[Array, ""],
        state: SoftState,
        rate: Float[Array, "6"] | None = None,
        ddq: Float[Array, "modes"] | None = None,
        command: Float[Array, "m"] | None = None,
    ) -> "SoftView":
        """The view of a soft beam.

        Args:
            sampled: the body on its grids.
            gait: imposed strains; None for the rest shape.
            fluid: the fluid around it.
            t: time [s].
            state: state of head and modes.
            rate: d(twist)/dt of the head, in its frame [m/s², rad/s²]; None before the dynamics are solved.
            ddq: second rates of the modes [1/s², 1/(m·s²)]; None before the dynamics are solved.
            command: output of the controller, of any unit; None before its first output.
        """
        law = sampled.soft.strain(gait, t, state.q, state.dq, ddq)
        return SoftView(t, state.head, law, sampled.body, fluid, rate, sampled, gait, state, command)

    def moment(self, X: Float[Array, ""]) -> Float[Array, "3"]:
        """Internal moment that the head side exerts on the tail side, in the section frame [N·m]."""
        soft = self._sampled.soft
        if soft.loads or len(soft.head.free) < 6:
            raise ValueError("the internal moment is read on soft beams whose head is free and that carry no loads")
        return super().moment(X)

    def thread(self, number: int) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, ""]]:
        """Length [m], rate [m/s] and tension [N] of a thread."""
        sampled, state = self._sampled, self.state
        assert state is not None
        given = None if self.command is None else last_commands(sampled.soft, self.command)
        return nth_thread(number, sampled.threads(self.gait, state.q, state.dq, self.t, given))

    @property
    def _sampled(self) -> Any:
        return self.sampled


def last_commands(soft: Soft, command: Float[Array, "m"]) -> Float[Array, "commands"]:
    """The commands of the actuators, of any unit: the last entries of a controller's output."""
    return command[command.shape[0] - soft.commands :]
