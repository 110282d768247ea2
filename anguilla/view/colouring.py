"""Colours of a body by a field of its record, with a colour bar, for films and stills."""

from dataclasses import dataclass

import matplotlib
import numpy as np
import xarray as xr
from jaxtyping import Float
from PIL import Image, ImageDraw

from .links import is_tree
from .scene import SMOOTH, Viewport, draw_text

BAR_WIDTH, BAR_HEIGHT, MARGIN = 150, 9, 14  # [pixels]
RARE = 0.01  # share of the values at each end that may lie beyond the scale, if they would stretch it by half

ROUND_OFF = 1e-9  # of the largest value: a smaller one is zero


@dataclass(frozen=True)
class Colouring:
    """A field along the body and the scale of its colours.

    Attributes:
        times: recorded instants [s].
        abscissae: abscissae of the recorded values along the body [m].
        values: values of the field, in its unit.
        label: name of the field with its unit.
        low: value of the first colour.
        high: value of the last colour.
        signed: whether the scale is symmetric about zero.
        beyond: whether there are values below the scale, and above it; they have its first or last colour.
    """

    times: Float[np.ndarray, "times"]
    abscissae: Float[np.ndarray, "X"]
    values: Float[np.ndarray, "times X"]
    label: str
    low: float
    high: float
    signed: bool
    beyond: tuple[bool, bool] = (False, False)

    def skin(self, time: float, X: Float[np.ndarray, "rings"], around: int) -> Float[np.ndarray, "rings around 3"]:
        """Colours of rings at abscissae X [m] at a time [s]: red, green and blue between 0 and 1."""
        after = int(np.clip(np.searchsorted(self.times, time), 1, len(self.times) - 1))
        share = np.clip((time - self.times[after - 1]) / (self.times[after] - self.times[after - 1]), 0.0, 1.0)
        now = (1 - share) * self.values[after - 1] + share * self.values[after]
        ring = self.colours(np.interp(X, self.abscissae, now))
        return np.broadcast_to(ring[:, None], (len(X), around, 3)).copy()

    def colours(self, values: Float[np.ndarray, "n"]) -> Float[np.ndarray, "n 3"]:
        """Colours of values of the field."""
        table = matplotlib.colormaps["RdYlBu_r" if self.signed else "viridis"]
        return np.asarray(table((values - self.low) / (self.high - self.low)))[:, :3]

    def draw_bar(self, picture: Image.Image, view: Viewport) -> None:
        """Draws the scale in the upper right corner."""
        left, top = view.width - MARGIN - BAR_WIDTH, MARGIN + 16
        shades = np.round(255 * self.colours(np.linspace(self.low, self.high, SMOOTH * BAR_WIDTH))).astype(int)
        paint = ImageDraw.Draw(picture)
        for k, shade in enumerate(shades.tolist()):
            x = SMOOTH * left + k
            paint.line((x, SMOOTH * top, x, SMOOTH * (top + BAR_HEIGHT)), fill=tuple(shade))
        draw_text(picture, self.label, view.width - MARGIN, MARGIN - 4, 11, "ra")
        signs = ("≤ " if self.beyond[0] else "", "≥ " if self.beyond[1] else "")
        for x, value, anchor, sign in zip(
            (left, left + BAR_WIDTH), (self.low, self.high), ("la", "ra"), signs, strict=True
        ):
            draw_text(picture, f"{sign}{value:.3g}", x, top + BAR_HEIGHT + 2, 10, anchor)


def colouring(dataset: xr.Dataset, field: str, component: str | None = None) -> Colouring:
    """Colours of a beam by a field of its record.

    Args:
        dataset: a result of `cosserat.simulate`.
        field: variable over (time, X), such as "internal_moment" or "strain".
        component: one label of its last dimension, such as "K3"; None for the magnitude.

    Raises:
        ValueError: the record is that of a tree, or there is no such field or component.
    """
    if is_tree(dataset):
        raise ValueError(f"field = {field!r}: films colour beams only; `interactive_page` colours trees too")
    values, label = field_along(dataset, field, component)
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    low, high = (float(x) for x in np.nanquantile(values, [RARE, 1.0 - RARE]))
    if most - least < 1.5 * (high - low):
        low, high = least, most
    if least >= 0.0 and (label.startswith("|") or low <= ROUND_OFF * high):
        least = low = 0.0  # magnitudes start at zero
    signed = least < 0.0 < most
    if signed:
        high = max(-low, high)
        low = -high
    if high - low <= 1e-12 * max(abs(high), abs(low)):
        high = low + 1.0  # a constant field
    beyond = least < low - 1e-12 * (high - low), most > high + 1e-12 * (high - low)
    return Colouring(dataset["time"].values, dataset["X"].values, values, label, low, high, signed, beyond)


def field_along(
    dataset: xr.Dataset, name: str, component: str | None = None
) -> tuple[Float[np.ndarray, "times places"], str]:
    """A field of the record along the body, and its label with the unit.

    Args:
        dataset: the record.
        name: variable over (time, X) or (time, body), with components or without, such as "internal_moment" or
            "fluid_drag".
        component: one label of the last dimension; None for the magnitude of its first three components, or for
            "strain" that of the curvature.

    Raises:
        ValueError: there is no such variable along the body, or no such component.
    """
    place = "body" if is_tree(dataset) else "X"
    along = [
        key
        for key, variable in dataset.data_vars.items()
        if variable.dims[:2] == ("time", place) and variable.ndim <= 3
    ]
    if name not in along:
        raise ValueError(f"field {name!r}: must be one of {', '.join(map(str, along))}")
    variable = dataset[name]
    label = str(variable.attrs.get("long_name", name)).split(",")[0]
    units = str(variable.attrs.get("units", "")).split(", ")
    if variable.ndim == 2:
        return variable.values, f"{label} [{units[0]}]"
    labels = [str(x) for x in variable[variable.dims[2]].values]
    if component is None and name == "strain":  # Γ is 1 in size almost everywhere
        return np.linalg.norm(variable.values[:, :, 3:], axis=-1), f"|curvature| [{units[-1]}]"
    if component is None:
        return np.linalg.norm(variable.values[:, :, :3], axis=-1), f"|{label}| [{units[0]}]"
    if component not in labels:
        raise ValueError(f"component {component!r} of {name!r}: must be one of {', '.join(labels)}")
    k = labels.index(component)
    return variable.values[:, :, k], f"{label}, {component} [{units[-1] if k >= 3 else units[0]}]"
