"""The head's acceleration under imposed strains: the first space loop, from any path. [BPK06, VIII.A]"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast, get_args

import jax.numpy as jnp
from jaxtyping import Array, Float

from gaits.feedback.steered import Steered
from gaits.refusals import check_gait
from hydro import AbstractFluid, GeneralSection, Void
from spatial import Numbers, number
from spatial.checks import shown
from stepping import unstored_program

from .beam import Beam
from .grid_error import Limits, guarded, limits_of
from .panels import Panels
from .plausible_bodies import warn_of_density
from .quadrature import volume
from .soft.soft_beam import Soft, SoftState
from .space_path import AbstractSpacePath, HeadDynamics
from .state import HeadState
from .strain import Gait

P = ParamSpec("P")
Result = TypeVar("Result")


def check_model(
    beam: Beam | Soft,
    gait: Gait | Steered | None,
    fluid: AbstractFluid,
    path: AbstractSpacePath | None,
    steered: bool = False,
) -> AbstractSpacePath:
    """Raises on arguments of the wrong kind; returns the path, or the default path for None.

    Args:
        beam: the body.
        gait: strain law. A `Steered` gait raises unless `steered`; its law is then checked with its loop.
        fluid: the fluid around it.
        path: space path or None.
        steered: whether this is a run in time, in which a controller can have a memory.
    """
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
    if steered and isinstance(gait, Steered):
        pass
    elif gait is not None or not isinstance(beam, Soft):  # a soft beam needs no gait
        check_gait(gait)
    if isinstance(beam, Soft) and beam.commands and not isinstance(gait, Steered):
        raise ValueError(
            f"beam: its actuators read {beam.commands} commands and nothing gives them: run it under a gaits.Steered, "
            "or take tensions that are known, such as gaits.Tension(5.0)"
        )
    if beam.profile.general and not fluid.acts_on(GeneralSection):
        raise ValueError(
            f"fluid = {type(fluid).__name__}: needs the outline of the sections, which a hydro.GeneralSection does not "
            "have: use elliptic sections"
        )
    if fluid.shedding is not None:
        fluid.shedding.check(beam.profile)
    body = beam.beam if isinstance(beam, Soft) else beam
    warn_of_density(body.density, body.masses, lambda: volume(body), fluid)
    return path


def check_state(state: HeadState | SoftState) -> None:
    """Raises unless the argument is the state of a head or of a soft beam."""
    if not isinstance(state, HeadState | SoftState):
        raise ValueError(f"state = {shown(state)}: must be a cosserat.HeadState, as cosserat.HeadState() at rest")


def head_of(state: HeadState | SoftState) -> HeadState:
    """The head's state of a beam whose strains are all imposed; raises on any other state."""
    check_state(state)
    if isinstance(state, HeadState):
        return state
    if state.q.shape[0]:
        raise ValueError(f"state = {shown(state)}: must be a cosserat.HeadState, since the beam has no free strains")
    return state.head


def compiled(f: Callable[P, tuple[Result, Limits | None]]) -> Callable[P, Result]:
    """Compiles a function of (beam, gait, fluid, state, t, path, ...) once for all times, given as numbers or arrays.

    The function returns its result and the `Limits` of the path, or None for a soft beam. `guarded` uses the limits to
    refine the path of a beam, or to warn; callers get the result only.
    """
    inner: Callable[..., tuple[Result, Any]] = unstored_program(f)

    @functools.wraps(f)
    def outer(beam, gait, fluid, state, t, path=None, *args, **kwargs):
        check_state(state)
        fluid = Void() if fluid is None else fluid
        path, t = check_model(beam, gait, fluid, path), number("t", t)
        if isinstance(beam, Soft) and beam.is_beam:
            beam = beam.beam
        evaluate = lambda path: inner(beam, gait, fluid, state, t, path, *args, **kwargs)  # noqa: E731
        if isinstance(beam, Soft):
            return evaluate(path)[0]
        state = head_of(state)
        return guarded(evaluate, path, beam, gait, fluid, state, t)

    signature = inspect.signature(f)
    parts = get_args(signature.return_annotation)
    if parts:  # the documentation shows what callers get
        vars(outer)["__signature__"] = signature.replace(return_annotation=parts[0])
        outer.__annotations__ = f.__annotations__ | {"return": parts[0]}
    return cast("Callable[P, Result]", outer)


@compiled
def head_dynamics(
    beam: Beam,
    gait: Gait,
    fluid: AbstractFluid,
    state: HeadState,
    t: Numbers,
    path: AbstractSpacePath | None = None,
) -> tuple[HeadDynamics, Limits]:
    """The body reduced to its head: inertia (body and water) and wrench, in the head frame. (34)

    Args:
        beam: the body.
        gait: strain law (X, t) -> (Γ, K).
        fluid: the fluid around it.
        state: pose and twist of the head.
        t: time [s].
        path: space path; `Panels()` when None, with as many panels as its tolerance requires.
    """
    assert path is not None
    body, now = path.sample(beam, fluid), jnp.asarray(t)
    return path.head_dynamics(body, gait, fluid, state, now), limits_of(path, body, gait, state, now)


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
        path: space path; `Panels()` when None, with as many panels as its tolerance requires.
    """
    return head_dynamics(beam, gait, fluid, state, t, path).twist_rate
