"""Forces and moments other than those of the fluid: at an end or along the body, dead or following the section."""

from collections.abc import Callable, Sequence

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, join, number, one_of
from spatial.checks import sequence, shown
from spatial.printing import Printed

History = Callable[[Float[Array, ""]], Float[Array, ""]]


class EndLoad(Printed):
    """A force and a moment on the tail or on the nose.

    Attributes:
        force: force [N], in the world if dead, in the section frame if following.
        moment: moment [N·m], in the same frame as the force.
        follower: whether it turns with the section; a dead load keeps its direction in the world.
        at: "tail" or "head".
        history: t -> factor, for a load that varies in time; None for 1.
        break_times: times at which the factor or one of its derivatives jumps; the integrator steps onto them [s].

    Example:
        >>> import cosserat, jax.numpy as jnp
        >>> push = cosserat.EndLoad(force=[0.0, 20.0, 0.0], follower=True)
        >>> pulse = cosserat.EndLoad([0.0, 1.0, 0.0], history=lambda t: jnp.where(t < 0.5, 1.0, 0.0), break_times=[0.5])
    """

    force: Float[Array, "3"]
    moment: Float[Array, "3"]
    follower: bool = eqx.field(static=True)
    at: str = eqx.field(static=True)
    history: History | None
    break_times: tuple[Float[Array, ""], ...]

    def __init__(
        self,
        force: Numbers = (0.0, 0.0, 0.0),
        moment: Numbers = (0.0, 0.0, 0.0),
        *,
        follower: bool = False,
        at: str = "tail",
        history: History | None = None,
        break_times: Sequence[Numbers] = (),
    ):
        one_of("EndLoad.at", at, ("tail", "head"))
        self.force = finite("EndLoad.force", force, (3,))
        self.moment = finite("EndLoad.moment", moment, (3,))
        self.follower, self.at, self.history = bool(follower), at, _checked("EndLoad", history)
        self.break_times = _times("EndLoad", break_times)

    def wrench(self, rotation: Float[Array, "3 3"], t: Float[Array, ""]) -> Float[Array, "6"]:
        """The load in the section frame; the columns of `rotation` are its axes in the world [N, N·m]."""
        load = join(self.force, self.moment)
        if not self.follower:
            load = join(rotation.T @ self.force, rotation.T @ self.moment)
        return load if self.history is None else self.history(t) * load


class DistributedLoad(Printed):
    """A force and a moment per metre of the body.

    Attributes:
        density: six numbers or X -> six numbers (f, c) [N/m, N], in the world if dead, in the section frame if
            following.
        follower: whether it turns with the section.
        history: t -> factor, for a load that varies in time; None for 1.
        break_times: times at which the factor or one of its derivatives jumps; the integrator steps onto them [s].
    """

    density: Float[Array, "6"] | Callable[[Float[Array, ""]], Float[Array, "6"]]
    follower: bool = eqx.field(static=True)
    history: History | None
    break_times: tuple[Float[Array, ""], ...]

    def __init__(
        self,
        density: Numbers | Callable[[Float[Array, ""]], Float[Array, "6"]],
        *,
        follower: bool = False,
        history: History | None = None,
        break_times: Sequence[Numbers] = (),
    ):
        self.density = density if callable(density) else finite("DistributedLoad.density", density, (6,))
        self.follower, self.history = bool(follower), _checked("DistributedLoad", history)
        self.break_times = _times("DistributedLoad", break_times)

    def wrench(self, X: Float[Array, ""], rotation: Float[Array, "3 3"], t: Float[Array, ""]) -> Float[Array, "6"]:
        """The load per metre at X in the section frame, whose axes in the world are columns of `rotation` [N/m, N]."""
        load = jnp.asarray(self.density(X), float) if callable(self.density) else self.density
        if not self.follower:
            load = join(rotation.T @ load[:3], rotation.T @ load[3:])
        return load if self.history is None else self.history(t) * load


Load = EndLoad | DistributedLoad


def check_load(load: object) -> None:
    """Rejects anything that is not a load."""
    if not isinstance(load, Load):
        raise ValueError(f"loads has {shown(load)}: must be a cosserat.EndLoad or a cosserat.DistributedLoad")


def _checked(name: str, history: History | None) -> History | None:
    if history is not None and not callable(history):
        raise ValueError(f"{name}.history = {shown(history)}: must be a callable t -> factor, or None")
    return history


def _times(name: str, times: Sequence[Numbers]) -> tuple[Float[Array, ""], ...]:
    return tuple(number(f"{name}.break_times", t) for t in sequence(f"{name}.break_times", times, "times [s]"))
