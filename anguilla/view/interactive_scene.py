"""Interactive 3-D view for notebooks and browsers: the skin, coloured by a field, with a time slider."""

import base64
import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from .skin import Skin, default_field, field_on_skin, skin
from .style import GREY, INK, VERMILLION

if TYPE_CHECKING:
    import plotly.graph_objects as go

BACKGROUND, FLOOR = "#DCE8EE", "#EAF2F5"  # same colours as in the films
SPEEDS = {"0.25x": 0.25, "1x": 1.0, "4x": 4.0}  # play buttons, relative to real time
MARGIN = 0.04  # around the region swept by the body, relative to its longest side


def interactive(
    dataset: xr.Dataset,
    field: str | None = None,
    component: str | None = None,
    *,
    frames: int = 61,
    rings: int = 60,
    around: int = 20,
) -> "go.Figure":
    """Animated body as a plotly figure: drag to rotate, scroll to zoom, use the slider or the play button.

    Args:
        dataset: result of `cosserat.simulate` or `multibody.simulate`.
        field: field that colours the skin: a variable along the body, such as "internal_moment", "internal_force",
            "fluid_drag", "fluid_added_mass", "strain"; of a tree a variable over its bodies. When None, the internal
            moment of a beam, the drag or the velocity of a tree.
        component: one of its components by label; None for its magnitude.
        frames: number of instants on the slider.
        rings: number of rings of the skin along the body.
        around: number of points per ring.

    Raises:
        ImportError: plotly is not installed.
        ValueError: no such field or component.
    """
    go = _plotly()
    surface = skin(dataset, frames, rings, around)
    values, label = field_on_skin(dataset, surface, field or default_field(dataset), component)
    signed = component is not None and values.min() < 0.0
    top = float(np.abs(values).max()) or 1.0
    recorded = dataset["head_position"].values.T
    nose = np.stack([np.interp(surface.time, dataset["time"].values, axis) for axis in recorded], axis=-1)

    def body(k):
        x, y, z = np.round(surface.points[k], 5).T.astype(np.float32)
        return dict(x=x, y=y, z=z, intensity=values[k].astype(np.float32))

    def trail(k):
        x, y, z = nose[: k + 1].T.astype(np.float32)
        return dict(x=x, y=y, z=z)

    i, j, k = surface.triangles.T.astype(np.int32)
    figure = go.Figure(
        data=[
            go.Mesh3d(
                **body(0), i=i, j=j, k=k, cmin=-top if signed else 0.0, cmax=top, flatshading=False,
                colorscale="PuOr" if signed else "Viridis",
                colorbar=dict(title=dict(text=label, side="right"), thickness=14, len=0.7),
                lighting=dict(ambient=0.55, diffuse=0.7, specular=0.25, roughness=0.6), hoverinfo="skip", name="body",
            ),
            go.Scatter3d(**trail(0), mode="lines", line=dict(color=VERMILLION, width=4), name="path of the nose"),
        ],
        frames=[
            go.Frame(data=[go.Mesh3d(**body(n)), go.Scatter3d(**trail(n))], name=f"{t:.3f}")
            for n, t in enumerate(surface.time)
        ],
    )  # fmt: skip
    figure.update_layout(
        scene=_room(surface), paper_bgcolor=BACKGROUND, font=dict(color=INK), showlegend=False,
        margin=dict(l=0, r=0, t=10, b=10), sliders=[_slider(surface)], updatemenus=[_buttons(surface)],
    )  # fmt: skip
    return figure


def interactive_page(
    dataset: xr.Dataset,
    path: str | Path,
    field: str | None = None,
    component: str | None = None,
    *,
    title: str | None = None,
    fields: Sequence[str] | None = None,
    frames: int = 61,
) -> Path:
    """Writes `interactive` as one HTML file that fills the window, with a menu of fields; returns its path.

    >>> import anguilla, cosserat, gaits, hydro
    >>> swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.5, samples=3, progress=False)
    >>> anguilla.view.interactive_page(swim, "swim.html", "internal_moment").name
    'swim.html'

    Args:
        dataset: result of `cosserat.simulate` or `multibody.simulate`.
        path: output file; its directory is created if necessary.
        field: field that colours the skin first, see `interactive`.
        component: one of its components by label; None for its magnitude.
        title: heading of the page; that of the record when None.
        fields: magnitudes that the menu offers; those of `PAGE_FIELDS` that are recorded when None.
        frames: number of instants on the slider.
    """
    path = Path(path)
    first = field or default_field(dataset)
    figure = interactive(dataset, first, component, frames=frames)
    heading = title or str(dataset.attrs.get("title", path.stem))
    figure.update_layout(
        title=dict(text=heading, x=0.02, y=0.985, yanchor="top", font=dict(size=18)), margin=dict(t=44), autosize=True
    )
    surface = skin(dataset, frames, 60, 20)
    offered = [name for name in (fields or PAGE_FIELDS) if name in dataset.variables and name != first]
    painted = {first: field_on_skin(dataset, surface, first, component)}
    painted |= {name: field_on_skin(dataset, surface, name) for name in offered}
    menu = {
        words: {"top": float(np.max(np.abs(values))) or 1.0, "frames": [_encoded(row) for row in values]}
        for values, words in painted.values()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    script = MENU_SCRIPT.replace("FIELDS", json.dumps(menu))
    text = figure.to_html(include_plotlyjs=True, auto_play=False, default_height="100vh", post_script=script)
    path.write_text(
        text.replace("<head>", f"<head><title>{html.escape(heading)}</title>{PAGE_STYLE}", 1), encoding="utf-8"
    )
    return path


# Offered by the menu of the page where they are recorded.
PAGE_FIELDS = ("internal_moment", "internal_force", "strain", "fluid_drag", "fluid_added_mass", "body_twist")
PAGE_STYLE = "<style>html, body {margin: 0; height: 100%; overflow: hidden}</style>"
MENU_SCRIPT = """
const graph = document.getElementById('{plot_id}'), fields = FIELDS;
const decoded = text => Array.from(new Float32Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer));
const menu = document.createElement('select');
menu.id = 'field';
menu.style = 'position: fixed; right: 14px; top: 40px; font: 13px sans-serif; max-width: 45vw';
for (const name of Object.keys(fields)) menu.add(new Option(name, name));
menu.onchange = () => {
  const chosen = fields[menu.value];
  graph._transitionData._frames.forEach((frame, k) => {
    frame.data[0] = {...frame.data[0], intensity: decoded(chosen.frames[k])};
  });
  const now = graph.layout.sliders[0].active || 0;
  Plotly.restyle(graph, {intensity: [decoded(chosen.frames[now])], cmin: 0, cmax: chosen.top, colorscale: 'Viridis',
    'colorbar.title.text': menu.value}, [0]);
};
document.body.appendChild(menu);
"""


def _encoded(values: np.ndarray) -> str:
    return base64.b64encode(np.asarray(values, "<f4").tobytes()).decode()


def _plotly():
    try:
        import plotly.graph_objects as go
    except ImportError as error:
        raise ImportError("the interactive view needs plotly: pip install 'anguilla[interactive]'") from error
    return go


def _room(surface: Skin):
    """Axes that contain the whole run, with equal scales."""
    low, high = surface.points.min(axis=(0, 1)), surface.points.max(axis=(0, 1))
    pad = MARGIN * float(np.max(high - low))
    low, high = low - pad, high + pad
    sides = (high - low) / np.max(high - low)
    axis = dict(backgroundcolor=FLOOR, gridcolor="#C9D6DC", zerolinecolor=GREY, showbackground=True)
    return {
        "aspectmode": "manual",
        "domain": dict(x=[0.0, 1.0], y=[0.06, 1.0]),
        "aspectratio": dict(zip("xyz", 3.0 * sides, strict=True)),
        "camera": dict(eye=dict(x=-0.45, y=-1.05, z=0.68), projection=dict(type="orthographic")),
        **{
            f"{name}axis": dict(title=f"{name} [m]", range=[float(low[n]), float(high[n])], **axis)
            for n, name in enumerate("xyz")
        },
    }


def _slider(surface: Skin):
    jump = dict(mode="immediate", frame=dict(duration=0, redraw=True), transition=dict(duration=0))
    return dict(
        active=0,
        currentvalue=dict(prefix="t = ", suffix=" s"),
        x=0.34,
        len=0.64,
        pad=dict(t=10, b=24),  # room for the labels below
        steps=[dict(args=[[f"{t:.3f}"], jump], label=f"{t:.2f}", method="animate") for t in surface.time],
    )


def _buttons(surface: Skin):
    pause = dict(mode="immediate", frame=dict(duration=0, redraw=False))
    every = 1000.0 * float(surface.time[1] - surface.time[0])

    def play(speed):
        return dict(frame=dict(duration=every / speed, redraw=True), transition=dict(duration=0), fromcurrent=True)

    return dict(
        type="buttons",
        direction="left",
        x=0.0,
        y=0.0,
        xanchor="left",
        yanchor="top",
        pad=dict(t=24, l=8),
        buttons=[
            dict(label="❚❚", method="animate", args=[[None], pause]),
            *(dict(label=f"▶ {words}", method="animate", args=[None, play(speed)]) for words, speed in SPEEDS.items()),
        ],
    )
