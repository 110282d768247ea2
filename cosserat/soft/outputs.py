"""Quantities that follow from the modes of a soft beam: pose of the tail, lengths of the threads."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from gaits.refusals import check_gait
from hydro import Void
from spatial import Numbers, finite, number
from spatial.checks import of_kind
from stepping import unstored_program

from ..panels import Panels
from ..section_motion import strained_shape
from ..strain import Gait
from .sampled_soft import sample_soft
from .soft_beam import Soft
from .soft_loop import tail_place


def tail_pose(
    soft: Soft, q: Numbers, *, gait: Gait | None = None, t: Numbers = 0.0, path: Panels | None = None
) -> tuple[Float[Array, "3"], Float[Array, "3 3"]]:
    """Position [m] and axes (columns) of the tail in the head frame, for given modes.

    Args:
        soft: the beam.
        q: modes [-, 1/m].
        gait: imposed strains; the rest shape when None.
        t: time [s].
        path: space path; `Panels()` when None.
    """
    path = _checked(soft, gait, path)
    sampled = sample_soft(soft, Void(), path.order, path.panels)
    return _tail_pose(sampled, gait, finite("q", q, (soft.modes,)), number("t", t))


def _checked(soft, gait, path):
    """Returns the path, or the default path for None; raises on arguments of the wrong kind."""
    of_kind("soft", soft, Soft, "a cosserat.Soft")
    if gait is not None:
        check_gait(gait)
    path = Panels() if path is None else path
    of_kind("path", path, Panels, "a cosserat.Panels, or None")
    return path


@unstored_program
def _tail_pose(sampled, gait, q, t):
    shape = strained_shape(sampled.body, sampled.strains(gait, q, jnp.zeros_like(q), t))
    position, rotation = tail_place(sampled, shape)
    return position, rotation


def thread_length(
    soft: Soft,
    q: Numbers,
    dq: Numbers | None = None,
    *,
    gait: Gait | None = None,
    t: Numbers = 0.0,
    path: Panels | None = None,
) -> tuple[Float[Array, "threads"], Float[Array, "threads"]]:
    """Lengths of the threads of a soft beam [m] and their rates [m/s], for given modes. jit-, vmap- and grad-safe.

    The derivative of a length with respect to the modes is minus the force on the modes per unit of tension.

    Args:
        soft: the beam; the lengths are those of its `Thread` and `Chamber` actuators, in their order.
        q: modes [-, 1/m].
        dq: rates of the modes [1/s, 1/(m·s)]; zero when None.
        gait: imposed strains; the rest shape when None.
        t: time [s].
        path: space path; `Panels()` when None.

    Example:
        >>> import cosserat
        >>> tendon = cosserat.Thread((0.01, 0.0), tension=0.0, start=0.2)
        >>> rod = cosserat.rod(length=0.5, b=0.02, c=0.02)
        >>> soft = cosserat.Soft(rod, cosserat.FreeStrains(modes={"K3": 1}), cosserat.Elastic(1e6), actuators=tendon)
        >>> length, rate = cosserat.thread_length(soft, q=[2.0], dq=[1.0])  # (1 - K3 d2) of 0.3 m
        >>> round(float(length[0]), 6), round(float(rate[0]), 6)
        (0.294, -0.003)
    """
    path = _checked(soft, gait, path)
    sampled = sample_soft(soft, Void(), path.order, path.panels)
    modes = finite("q", q, (soft.modes,))
    rates = jnp.zeros(soft.modes) if dq is None else finite("dq", dq, (soft.modes,))
    return _lengths(sampled, gait, modes, rates, number("t", t))


@unstored_program
def _lengths(sampled, gait, q, dq, t):
    found = sampled.threads(gait, q, dq, t)
    return found.length, found.rate
