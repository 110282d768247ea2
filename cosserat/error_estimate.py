"""Estimated error along X of beams and soft beams, for given states."""

from jaxtyping import Array, Float

from gaits.refusals import check_gait
from hydro import AbstractFluid
from spatial.checks import finite, of_kind

from .beam import Beam
from .grid_error import SpaceError, beam_space_error
from .panels import Panels
from .soft.soft_beam import Soft, SoftState
from .soft.soft_error import soft_space_error
from .space_path import AbstractSpacePath
from .state import HeadState
from .strain import Gait


def space_error(
    beam: Beam | Soft,
    gait: Gait | None,
    fluid: AbstractFluid,
    state: HeadState | SoftState,
    t: Float[Array, "*instants"],
    path: AbstractSpacePath | None = None,
) -> SpaceError | None:
    """Estimates the error of a space path by comparison with one twice as fine. jit- and vmap-safe.

    >>> import cosserat, gaits, hydro
    >>> eel, water, ripples = cosserat.eel(), hydro.Morison(), gaits.planar(wavelength=0.4)  # five waves on the body
    >>> error = cosserat.space_error(eel, ripples, water, cosserat.HeadState(), 2.3, cosserat.Panels(panels=1))
    >>> bool(1e-3 < error.force < 1e-1)
    True

    Args:
        beam: the body. For a `Soft` beam, the error due to its modes is estimated too.
        gait: strain law (X, t) -> (Γ, K); None for a soft beam without imposed strains.
        fluid: the fluid around it.
        state: pose and twist of the head; for a soft beam, state of head and modes. At one instant or at several (a
            leading axis), such as `jax.vmap(run.state)(jnp.arange(5))`.
        t: time of each instant [s].
        path: space path; `Panels()` when None.

    Returns:
        The estimate, or None for a path that controls its own error, such as `Nested`.
    """
    path = Panels() if path is None else path
    of_kind("beam", beam, Beam | Soft, "a cosserat.Beam or a cosserat.Soft")
    of_kind("fluid", fluid, AbstractFluid, "a hydro fluid, such as hydro.Morison() or hydro.Void()")
    of_kind("path", path, AbstractSpacePath, "a space path, such as cosserat.Panels()")
    t = finite("t", t)
    if isinstance(beam, Soft):
        of_kind("state", state, SoftState, "a cosserat.SoftState")
        assert isinstance(state, SoftState)  # for the type checker
        if gait is not None:
            check_gait(gait)
        return soft_space_error(beam, gait, fluid, state, t, path.on_panels())
    of_kind("state", state, HeadState, "a cosserat.HeadState")
    check_gait(gait)
    assert gait is not None and isinstance(state, HeadState)  # for the type checker
    return beam_space_error(beam, gait, fluid, state, t, path)
