"""A law of motion with a controller, which engines accept in place of a gait or a joint law."""

from collections.abc import Callable
from typing import Any

from jaxtyping import Array, Float

from spatial.checks import shown
from spatial.printing import Printed

from .controller import AbstractController
from .replay import LoopRecord, Replay
from .sensors import AbstractSensor
from .servo import AbstractServo


class Steered(Printed):
    """A law of motion with a controller: `cosserat.rollout`, `multibody.rollout` and `simulate` accept it as a gait.

    The command u of the controller is the input of a servo, and the output y of the servo is an argument of the law:

        beams  law(X, t, y) -> strain (Γ, K),     trees  law(t, y) -> positions of the actuated joints.

    Without a servo the law is law(X, t), law(t) or None, and the command drives forces only. Forces depend on u itself:
    `torque` receives all components; actuators of the body that read n commands (threads, cables, muscles) receive the
    last n.

    >>> import anguilla, gaits, gaits.feedback as fb
    >>> import jax.numpy as jnp
    >>> turn_back = fb.Reflex(lambda t, sensed: jnp.stack([sensed["heading"]]), fb.Heading())
    >>> steered = gaits.Steered(fb.Offset(gaits.planar(), "K3"), turn_back, servo=fb.Servo(frequency=1.0))

    Attributes:
        law: law of motion.
        controller: maps sensor readings to a command.
        servo: `gaits.feedback.Servo`, or `gaits.feedback.Smooth` for commands that are twice differentiable in time.
        torque: (t, q, dq, u) -> motor torques of the passive joints of a tree [N·m]; None for none.
    """

    law: Callable[..., Float[Array, "n"]] | None
    controller: AbstractController
    servo: AbstractServo | None
    torque: Callable[..., Float[Array, "freedoms"]] | None

    def __init__(
        self,
        law: Callable[..., Any] | None,
        controller: AbstractController,
        *,
        servo: AbstractServo | None = None,
        torque: Callable[..., Any] | None = None,
    ):
        if law is not None and not callable(law):
            raise ValueError(f"Steered.law = {shown(law)}: must be a function (X, t, y) of a beam, (t, y) of a tree")
        if isinstance(law, Steered):
            raise ValueError("Steered.law is steered already: one controller may have several channels")
        if not isinstance(controller, AbstractController):
            hint = "; gaits.feedback.Reflex makes one of a function (t, sensed)" if callable(controller) else ""
            raise ValueError(f"Steered.controller = {shown(controller)}: must be a gaits.feedback controller{hint}")
        if servo is not None and not isinstance(servo, AbstractServo):
            raise ValueError(f"Steered.servo = {shown(servo)}: must be a gaits.feedback.Servo, Smooth or None")
        if servo is not None and law is None:
            raise ValueError("Steered.servo: there is no law for it to move; leave it out, or give a law(..., t, y)")
        if torque is not None and not callable(torque):
            raise ValueError(f"Steered.torque = {shown(torque)}: must be a function (t, q, dq, u) or None")
        check_sensors(controller.sensors)
        self.law, self.controller, self.servo, self.torque = law, controller, servo, torque

    @property
    def break_times(self) -> tuple:
        """Times at which a higher time derivative of the law or the controller jumps [s]."""
        return tuple(getattr(self.law, "break_times", ())) + tuple(getattr(self.controller, "break_times", ()))

    def replay(self, record: LoopRecord) -> Any:
        """The law of motion of a run, as an open-loop gait (X, t) or joint law (t), exact at the recorded times.

        Args:
            record: `feedback` of the trajectory of the run.
        """
        if self.servo is None or self.law is None:
            return self.law
        return Replay(self.law, record.time, record.motion)


def check_sensors(sensors: Any) -> None:
    """Raises ValueError unless `sensors` is a tuple of sensors with distinct, valid names."""
    if not isinstance(sensors, tuple) or not all(isinstance(sensor, AbstractSensor) for sensor in sensors):
        raise ValueError(f"controller.sensors = {shown(sensors)}: must be a tuple of sensors, as (fb.Heading(),)")
    names = [sensor.name for sensor in sensors]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"controller.sensors: two are named {name!r}: give one another name=...")
        if not name.isidentifier():
            raise ValueError(f"sensor name {name!r}: must be a plain name, such as 'heading'")


def plain(gait: Any) -> Any:
    """Returns the gait or joint law; raises ValueError for a `Steered`, which can be evaluated only within a run."""
    if isinstance(gait, Steered):
        raise ValueError(
            "gait is steered: it has a memory, and is given to rollout and simulate only. After a run, "
            "gait.replay(run.feedback) is the plain law that was driven"
        )
    return gait


LOST = "the controller returned a command that is NaN or infinite"
