"""An amphibious run: the snake undulates down a beach into the water and swims on at the surface.

The ground is a height field that slopes under a flat free surface. Weight, compliant contact with the sand, buoyancy
and drag of the water act together, without switching between models: the sand acts on a section where it touches it,
and the water acts on the submerged part. The same joint law is used for the whole run. The slope, the coefficients of
the sand and the water are chosen, not published.
"""

import numpy as np
import xarray as xr
from jaxtyping import Array, Float

import hydro
import multibody
from anguilla import ground

from ..robot import Settings
from .tree import DENSITY, FORWARD, LENGTH, RADIUS, SIDEWAYS, model, undulation

SLOPE = 0.04  # of the beach, below the friction along the body; it descends towards -x, the heading of the snake [-]
WATERLINE = -0.6  # x at which the water begins; the nose starts at x = 0 [m]
LEVEL = SLOPE * WATERLINE  # height of the water [m]
STIFFNESS, DAMPING, WIDTH = 2e4, 5.0, 2e-2  # of the sand [N/m²], [s/m], and smoothing of its friction [m/s]
DURATION = 32.0  # [s]


def height(x: Float[Array, ""], y: Float[Array, ""]) -> Float[Array, ""]:
    """Height of the beach [m]."""
    return SLOPE * x + 0.0 * y


def surroundings() -> hydro.Together:
    """Sand and water. The weight is not included: use `gravity` for a tree, or `hydro.Weight` for a beam."""
    sand = ground.Contact(height, FORWARD, SIDEWAYS, stiffness=STIFFNESS, damping=DAMPING, width=WIDTH)
    water = hydro.FreeSurface(level=LEVEL, flow=hydro.Morison(added_mass="kirchhoff"))
    return hydro.Together(sand, water)


def start() -> multibody.BaseState:
    """State at rest on dry sand, straight down the slope, at the depth where contact balances the weight."""
    angle = np.arctan(SLOPE)
    depth = DENSITY * np.pi * RADIUS**2 * 9.81 * np.cos(angle) / STIFFNESS
    normal = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    return multibody.BaseState((RADIUS - depth) * normal, (np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0))


def run(settings: Settings) -> xr.Dataset:
    """Simulates the tree from rest on the sand into the water."""
    dataset = multibody.simulate(
        model(),
        undulation(),
        surroundings(),
        settings.t1,
        state=start(),
        gravity=hydro.EARTH,
        samples=settings.samples,
        rtol=settings.rtol,
        atol=settings.atol,
        progress=settings.progress,
    )
    dataset.attrs |= {"terrain": "beach", "slope": SLOPE, "level": LEVEL}
    return dataset


def wet_length(body: xr.Dataset) -> np.ndarray:
    """Length of the body whose centre line is below the water, at the recorded times [m].

    Args:
        body: sections of the snake, from the `body` of its entry.
    """
    return LENGTH * np.mean(body["position"].values[..., 2] < float(body.attrs["level"]), axis=1)


def clearance(body: xr.Dataset) -> np.ndarray:
    """Minimum distance between the skin and the sand, along the normal of the sand, at the recorded times [m]."""
    place = body["position"].values
    above = (place[..., 2] - SLOPE * place[..., 0]) / np.hypot(1.0, SLOPE)
    return above.min(axis=1) - RADIUS
