"""The head's acceleration under imposed strains: the first space loop, from any path. [BPK06, VIII.A]"""

import functools
import inspect
from collections.abc import Callable

import equinox as eqx
from jaxtyping import Array, Float

from gaits.refusals import check_gait
from hydro import AbstractFluid, Void
from spatial import Numbers, number
from spatial.checks import shown

from .beam import Beam
from .panels import Panels
from .soft.soft_beam import Soft, SoftState
from .space_error import guarded, limits_of
from .space_path import AbstractSpacePath, HeadDynamics
from .state import HeadState
from .strain import Gait


def check_model(
    beam: Beam | Soft, gait: Gait | None, fluid: AbstractFluid, path: AbstractSpacePath | None
) -> AbstractSpacePath:
    """Refuses arguments of the wrong kind; returns the path, the default one for None."""
    path = Panels() if path is None else path
    kinds = (
        ("beam", beam, Beam | Soft, "a cosserat.Beam or a cosserat.Soft"),
        ("fluid", fluid, AbstractFluid, "a hydro fluid, such as hydro.Morison() or hydro.Void()"),
        ("path", path, AbstractSpacePath, "a space path, such as cosserat.Panels() or cosserat.Nested()"),
    )
    for name, value, kind, rule in kinds:
        if not isinstance(value, kind):
            hint = "; did you forget the parentheses?" if inspect.isroutine(value) or inspect.isclass(value) else ""
            raise ValueError(f"{name} = {shown(value)}: must be {rule}{hint} (the order is beam, gait, fluid)")
    if gait is not None or not isinstance(beam, Soft):  # a soft beam may be left to itself
        check_gait(gait)
    if fluid.shedding is not None:
        fluid.shedding.check(beam.profile)
    return path


def check_state(state: HeadState | SoftState) -> None:
    """Refuses what is not the state of a head, or of a soft beam."""
    if not isinstance(state, HeadState | SoftState):
        raise ValueError(f"state = {shown(state)}: must be a cosserat.HeadState, as cosserat.HeadState() at rest")


def compiled(f: Callable) -> Callable:
    """Compiles a function of (beam, gait, fluid, state, t, path, ...) once for all times, given as numbers or arrays.

    It returns its result and the `Limits` of the path there: the path is fitted, or the limits reported.
    """
    inner = eqx.filter_jit(f)

    @functools.wraps(f)
    def outer(beam, gait, fluid, state, t, path=None, *args, **kwargs):
        check_state(state)
        fluid = Void() if fluid is None else fluid
        path, t = check_model(beam, gait, fluid, path), number("t", t)
        if isinstance(beam, Soft) and beam.is_beam:
            beam = beam.beam
        evaluate = lambda path: inner(beam, gait, fluid, state, t, path, *args, **kwargs)  # noqa: E731
        return guarded(evaluate, path, beam, gait, fluid, state, t)

    return outer


@compiled
def head_dynamics(
    beam: Beam,
    gait: Gait,
    fluid: AbstractFluid,
    state: HeadState,
    t: Numbers,
    path: AbstractSpacePath | None = None,
) -> HeadDynamics:
    """The body reduced to its head: inertia (body and water) and wrench, in the head frame. (34)

    Args:
        beam: the body.
        gait: strain law (X, t) -> (Γ, K).
        fluid: the fluid around it.
        state: pose and twist of the head.
        t: time [s].
        path: the way along X; `Panels()` when None: as many panels as its tolerance takes.
    """
    assert path is not None
    body = path.sample(beam, fluid)
    return path.head_dynamics(body, gait, fluid, state, t), limits_of(path, body, gait, state, t)


def head_acceleration(
    beam: Beam,
    gait: Gait,
    fluid: AbstractFluid,
    state: HeadState,
    t: Numbers,
    path: AbstractSpacePath | None = None,
) -> Float[Array, "6"]:
    """Rate of the head's twist under the imposed strains, in the head frame [m/s², rad/s²].

    It is d(V, Ω)/dt of the components in the moving frame; the acceleration of the nose in the head's axes is
    dV/dt + Ω×V.

    >>> import anguilla, cosserat, gaits, hydro
    >>> state = cosserat.HeadState(twist=(-1.0, 0.0, 0.0, 0.0, 0.0, 0.0))  # forward at 1 m/s
    >>> acceleration = cosserat.head_acceleration(cosserat.eel(), gaits.planar(), hydro.Morison(), state, t=0.0)
    >>> round(float(acceleration[0]), 3)  # drag decelerates the straight body [m/s²]
    0.244

    Args:
        beam: the body.
        gait: strain law (X, t) -> (Γ, K).
        fluid: the fluid around it.
        state: pose and twist of the head.
        t: time [s].
        path: the way along X; `Panels()` when None: as many panels as its tolerance takes.
    """
    return head_dynamics(beam, gait, fluid, state, t, path).twist_rate
