"""The continuous eel against chains of rigid links: convergence of the head acceleration."""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

import cosserat
import gaits
import hydro
import multibody
from cosserat.strain import Gait

LINKS = (13, 40, 160)
TIMES = (0.7, 1.1, 1.6, 2.3)  # during the start of the gait and after it, at four phases [s]
TWIST = (-0.3, 0.05, -0.02, 0.1, -0.2, 0.3)  # twist of the head, without special components [m/s, rad/s]
# The planar gait is written as the spiral without offsets, so that one compiled program serves both.
GAITS: dict[str, Callable[[], Gait]] = {"planar": lambda: gaits.spiral(0.0, 0.0), "spiral": gaits.spiral}
FLUIDS: dict[str, Callable[[], hydro.AbstractFluid]] = {"vacuum": hydro.Void, "water": hydro.Morison}


def beam_against_chain(links: Sequence[int] = LINKS, times: Sequence[float] = TIMES) -> xr.Dataset:
    """Relative error of the head acceleration for planar and spiral gait, in vacuum and in water.

    The chain is `multibody.from_beam` with the joint rotations of `multibody.strain_law`; the reference is
    `cosserat.head_acceleration` of the same body, gait, fluid and head twist. The two engines share neither
    code nor nodes.

    Args:
        links: numbers of links, increasing, at least two of them.
        times: instants [s]; the error is the root mean square over them of |difference| / |reference|.

    Returns:
        `error` over `gait`, `fluid` and `links`, `order` over `gait` and `fluid`: the slope of log(error)
        against log(distance between link centres), by least squares.

    Raises:
        ValueError: fewer than two numbers of links, or not increasing.
    """
    counts = [int(n) for n in links]
    if len(counts) < 2 or any(b <= a for a, b in zip(counts, counts[1:], strict=False)):
        raise ValueError(f"links = {counts}: must be at least two increasing numbers")
    beam, instants = cosserat.eel(), jnp.asarray(times, float)
    error = np.zeros((len(GAITS), len(FLUIDS), len(counts)))
    for g, gait_of in enumerate(GAITS.values()):
        gait = gait_of()
        for f, fluid_of in enumerate(FLUIDS.values()):
            fluid = fluid_of()
            head = cosserat.HeadState(twist=TWIST)
            reference = np.stack([cosserat.head_acceleration(beam, gait, fluid, head, t) for t in instants])
            for k, n in enumerate(counts):
                tree, law = multibody.from_beam(beam, n), multibody.strain_law(gait, beam.length, n)
                found = np.stack([_chain_acceleration(tree, law, fluid, t) for t in instants])
                relative = np.linalg.norm(found - reference, axis=1) / np.linalg.norm(reference, axis=1)
                error[g, f, k] = np.sqrt(np.mean(relative**2))
    pitch = float(beam.length) / (np.array(counts) - 1.0)
    slopes = np.polyfit(np.log(pitch), np.log(error).reshape(-1, len(counts)).T, 1)[0]
    words = {"units": "1", "long_name": "relative error of the head's acceleration, chain against beam"}
    return xr.Dataset(
        {
            "error": (("gait", "fluid", "links"), error, words),
            "order": (("gait", "fluid"), slopes.reshape(error.shape[:2]), {"units": "1", "long_name": "order in 1/N"}),
            "pitch": ("links", pitch, {"units": "m", "long_name": "distance between link centres"}),
        },
        coords={
            "gait": list(GAITS),
            "fluid": list(FLUIDS),
            "links": ("links", counts, {"units": "1", "long_name": "number of links N"}),
        },
        attrs={"title": "anguilla: beam against chain", "body": "cosserat.eel()", "times": list(map(float, times))},
    )


def table(study: xr.Dataset) -> str:
    """Table of the study: one row per case, one column per number of links, the measured order at the end."""
    counts = study["links"].values
    rows = [
        f"{'head acceleration, relative error':36}" + "".join(f"{f'N = {n}':>12}" for n in counts) + f"{'order':>8}"
    ]
    for gait in study["gait"].values:
        for fluid in study["fluid"].values:
            case = study.sel(gait=gait, fluid=fluid)
            errors = "".join(f"{float(e):12.2e}" for e in case["error"])
            rows.append(f"{f'{gait} gait, {fluid}':36}{errors}{float(case['order']):8.2f}")
    return "\n".join(rows)


@jax.jit
def _chain_acceleration(
    tree: multibody.Tree, law: multibody.StrainLaw, fluid: hydro.AbstractFluid, t: Float[Array, ""]
) -> Float[Array, "6"]:
    q, dq, ddq = multibody.law_motion(tree, law, t)
    state = multibody.BaseState(twist=TWIST)
    return multibody.inverse_dynamics(tree, state, q, dq, ddq, fluid=fluid).base_acceleration


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    print(table(beam_against_chain()))
