"""Interactive 3-D view for notebooks and browsers: the skin, coloured by a field, with a time slider."""

import base64
import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from spatial.checks import finite

from .record import check_body
from .skin import Skin, default_field, field_on_skin, skin
from .style import GREY, INK, VERMILLION

if TYPE_CHECKING:
    import plotly.graph_objects as go

BACKGROUND, FLOOR = "#DCE8EE", "#EAF2F5"  # same colours as in the films
SPEEDS = {"0.25x": 0.25, "1x": 1.0, "4x": 4.0}  # play buttons, relative to real time
MARGIN = 0.04  # around the bodies, relative to the longest side of their box
PATHS = (VERMILLION, "#0072B2", "#009E73", "#CC79A7")  # colours of the noses' paths

Records = xr.Dataset | Sequence[xr.Dataset] | Mapping[str, xr.Dataset]


def interactive(
    dataset: Records,
    field: str | None = None,
    component: str | None = None,
    *,
    frames: int = 61,
    rings: int = 60,
    around: int = 20,
    follow: bool = True,
    apart: float = 0.0,
) -> "go.Figure":
    """Animated bodies as a plotly figure: drag to rotate, scroll to zoom, use the slider or the play button.

    A notebook displays the figure; `interactive_page` writes it to an HTML file. The figure opens at the instant at
    which the field is strongest; the play button then starts at the beginning.

    Args:
        dataset: result of `cosserat.simulate` or `multibody.simulate`; several swimmers of one scene as a list, or as
            a dictionary with their names. They are shown while all of them swim.
        field: field that colours the skin: a variable along the body, such as "internal_moment", "internal_force",
            "fluid_drag", "fluid_added_mass", "strain"; of a tree a variable over its bodies. When None, the internal
            moment of a beam, the drag or the velocity of a tree.
        component: one of its components by label; None for its magnitude.
        frames: number of instants on the slider.
        rings: number of rings of the skin along the body.
        around: number of points per ring.
        follow: whether the axes move with the swimmers; False shows the whole region they pass.
        apart: sideways distance by which each swimmer is shifted from the previous one [m].

    Raises:
        ImportError: plotly is not installed.
        ValueError: no such field or component, or swimmers that share no time.
    """
    go = _plotly()
    swimmers = _swimmers(dataset, frames, rings, around, apart)
    painted = [_painted(swimmer, field or default_field(swimmer.record), component) for swimmer in swimmers]
    label = painted[0][1]
    low = min(float(values.min()) for values, _ in painted)
    top = max(float(np.abs(values).max()) for values, _ in painted) or 1.0
    signed = component is not None and low < 0.0
    time = swimmers[0].surface.time
    room = _room(swimmers, follow)
    opening = _strongest([values for values, _ in painted])

    def shapes(n):
        """Data of all traces at the instant n: body and path of the nose of each swimmer."""
        for swimmer, (values, _) in zip(swimmers, painted, strict=True):
            x, y, z = np.round(swimmer.surface.points[n], 5).T.astype(np.float32)
            yield go.Mesh3d, dict(x=x, y=y, z=z, intensity=values[n].astype(np.float32))
            x, y, z = swimmer.nose[: n + 1].T.astype(np.float32)
            yield go.Scatter3d, dict(x=x, y=y, z=z)

    def constant(number, swimmer):
        """The constant data of the two traces of a swimmer."""
        i, j, k = swimmer.surface.triangles.T.astype(np.int32)
        body = dict(
            i=i, j=j, k=k, cmin=-top if signed else 0.0, cmax=top, flatshading=False, name=swimmer.name,
            colorscale="PuOr" if signed else "Viridis", showscale=number == 0,
            colorbar=dict(title=dict(text=label, side="right"), thickness=14, len=0.7),
            lighting=dict(ambient=0.55, diffuse=0.7, specular=0.25, roughness=0.6),
            hoverinfo="skip" if len(swimmers) == 1 else "name",
        )  # fmt: skip
        line = dict(color=PATHS[number % len(PATHS)], width=4)
        return body, dict(mode="lines", line=line, name=f"path of the nose, {swimmer.name}", hoverinfo="skip")

    fixed = [part for number, swimmer in enumerate(swimmers) for part in constant(number, swimmer)]
    figure = go.Figure(
        data=[kind(**moving, **still) for (kind, moving), still in zip(shapes(opening), fixed, strict=True)],
        frames=[
            go.Frame(data=[kind(**moving) for kind, moving in shapes(n)], name=f"{t:.3f}", layout=dict(scene=room[n]))
            for n, t in enumerate(time)
        ],
    )
    figure.update_layout(
        scene=_scene(room[opening]), paper_bgcolor=BACKGROUND, font=dict(color=INK), showlegend=False,
        margin=dict(l=0, r=0, t=10, b=10), sliders=[_slider(time, opening)], updatemenus=[_buttons(time)],
    )  # fmt: skip
    return figure


def interactive_page(
    dataset: Records,
    path: str | Path,
    field: str | None = None,
    component: str | None = None,
    *,
    title: str | None = None,
    fields: Sequence[str] | None = None,
    frames: int = 61,
    follow: bool = True,
    apart: float = 0.0,
) -> Path:
    """Writes `interactive` as one HTML file that fills the window, with a menu of fields; returns its path.

    >>> import anguilla, cosserat, gaits, hydro
    >>> swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.5, samples=3, progress=False)
    >>> anguilla.view.interactive_page(swim, "swim.html", "internal_moment").name
    'swim.html'

    Args:
        dataset: result of `cosserat.simulate` or `multibody.simulate`, or several of them, see `interactive`.
        path: output file; its directory is created if necessary.
        field: field that colours the skin first, see `interactive`.
        component: one of its components by label; None for its magnitude.
        title: heading of the page; that of the record when None.
        fields: magnitudes that the menu offers; those of `PAGE_FIELDS` that are recorded when None.
        frames: number of instants on the slider.
        follow: whether the axes move with the swimmers; False shows the whole region they pass.
        apart: sideways distance by which each swimmer is shifted from the previous one [m].
    """
    path = Path(path)
    swimmers = _swimmers(dataset, frames, 60, 20, apart)
    records = [swimmer.record for swimmer in swimmers]
    first = field or default_field(records[0])
    figure = interactive(dataset, field, component, frames=frames, follow=follow, apart=apart)
    heading = title or str(records[0].attrs.get("title", path.stem))
    figure.update_layout(
        title=dict(text=heading, x=0.02, y=0.985, yanchor="top", font=dict(size=18)), margin=dict(t=44), autosize=True
    )
    everywhere = [name for name in (fields or PAGE_FIELDS) if all(name in record.variables for record in records)]
    menu = {}
    for name in (first, *(name for name in everywhere if name != first)):
        own = component if name == first else None
        painted = [_painted(swimmer, name if field or name != first else default_field(swimmer.record), own)
                   for swimmer in swimmers]  # fmt: skip
        menu[painted[0][1]] = {
            "top": max(float(np.max(np.abs(values))) for values, _ in painted) or 1.0,
            "bodies": [[_encoded(row) for row in values] for values, _ in painted],
        }
    path.parent.mkdir(parents=True, exist_ok=True)
    script = PAGE_SCRIPT.replace("FIELDS", json.dumps(menu))
    text = figure.to_html(include_plotlyjs=True, auto_play=False, default_height="100vh", post_script=script)
    path.write_text(
        text.replace("<head>", f"<head><title>{html.escape(heading)}</title>{PAGE_STYLE}", 1), encoding="utf-8"
    )
    return path


# Fields in the menu of the page, if they are recorded.
PAGE_FIELDS = ("internal_moment", "internal_force", "strain", "fluid_drag", "fluid_added_mass", "body_twist")
PAGE_STYLE = "<style>html, body {margin: 0; height: 100%; overflow: hidden}</style>"
# A menu of fields, and a scene that is scaled to the window: the axes fill the fraction FILL of its width or height.
PAGE_SCRIPT = """
const graph = document.getElementById('{plot_id}'), fields = FIELDS, FILL = 0.85;
const decoded = text => Array.from(new Float32Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer));
const menu = document.createElement('select');
menu.id = 'field';
menu.style = 'position: fixed; right: 14px; top: 40px; font: 13px sans-serif; max-width: 45vw';
for (const name of Object.keys(fields)) menu.add(new Option(name, name));
menu.onchange = () => {
  const chosen = fields[menu.value], now = graph.layout.sliders[0].active || 0;
  graph._transitionData._frames.forEach((frame, k) => {
    chosen.bodies.forEach((rows, n) => {
      frame.data[2 * n] = {...frame.data[2 * n], intensity: decoded(rows[k])};
    });
  });
  Plotly.restyle(graph, {intensity: chosen.bodies.map(rows => decoded(rows[now])), cmin: 0, cmax: chosen.top,
    colorscale: 'Viridis', 'colorbar.title.text': menu.value}, chosen.bodies.map((_, n) => 2 * n));
};
document.body.appendChild(menu);

const times = (m, v) => [0, 1, 2, 3].map(i => m[i] * v[0] + m[4 + i] * v[1] + m[8 + i] * v[2] + m[12 + i] * v[3]);
const spread = () => {  // of the box of the axes on the screen, relative to the width and height of the scene
  const scene = graph._fullLayout.scene._scene, {model, view, projection} = scene.glplot.cameraParams;
  const range = (name, i) => scene.fullSceneLayout[name + 'axis'].range.map(x => x * scene.dataScale[i]);
  const sides = ['x', 'y', 'z'].map(range);
  const seen = [0, 1, 2, 3, 4, 5, 6, 7].map(n => {
    const corner = [sides[0][n & 1], sides[1][(n >> 1) & 1], sides[2][n >> 2], 1];
    const place = times(projection, times(view, times(model, corner)));
    return [place[0] / place[3], place[1] / place[3]];
  });
  return [0, 1].map(i => 0.5 * (Math.max(...seen.map(at => at[i])) - Math.min(...seen.map(at => at[i]))));
};
const fit = () => {
  const [wide, high] = spread(), ratio = graph._fullLayout.scene.aspectratio;
  const by = Math.min(FILL / wide, FILL / high);
  if (!isFinite(by) || Math.abs(by - 1) < 0.01) return Promise.resolve();
  return Plotly.relayout(graph, {'scene.aspectratio': {x: by * ratio.x, y: by * ratio.y, z: by * ratio.z}});
};
const done = () => { graph.fitted = true; };
const later = () => requestAnimationFrame(() => requestAnimationFrame(() => fit().then(done)));
window.addEventListener('resize', () => setTimeout(later, 300));
later();
"""


def _encoded(values: np.ndarray) -> str:
    return base64.b64encode(np.asarray(values, "<f4").tobytes()).decode()


def _plotly():
    try:
        import plotly.graph_objects as go
    except ImportError as error:
        raise ImportError("the interactive view needs plotly: pip install 'anguilla[interactive]'") from error
    return go


@dataclass(frozen=True)
class _Swimmer:
    """One of the bodies in the scene: its record, its surface, and the path of its nose at the same instants [m]."""

    name: str
    record: xr.Dataset
    surface: Skin
    nose: np.ndarray


def _swimmers(records: Records, frames: int, rings: int, around: int, apart: float) -> list[_Swimmer]:
    apart = float(finite("apart", apart, ()))
    if isinstance(records, xr.Dataset):
        named = {"body": records}
    elif isinstance(records, Mapping):
        named = {str(name): record for name, record in records.items()}
    elif isinstance(records, Sequence):
        named = {f"body {k + 1}": record for k, record in enumerate(records)}
    else:
        named = {"body": records}  # `check_body` raises the error
    if not named:
        raise ValueError("dataset is empty: must be a record, a list of records, or a dictionary of them")
    for record in named.values():
        check_body(record)
    begin = max(float(record["time"][0]) for record in named.values())
    end = min(float(record["time"][-1]) for record in named.values())
    if not begin < end:
        raise ValueError(f"dataset: one record begins at {begin:g} s, another ends at {end:g} s: must share some time")
    found = []
    for k, (name, record) in enumerate(named.items()):
        surface = skin(record, frames, rings, around, (begin, end))
        aside = np.array([0.0, k * apart, 0.0])
        path = record["head_position"].values.T
        nose = np.stack([np.interp(surface.time, record["time"].values, axis) for axis in path], axis=-1)
        found.append(_Swimmer(name, record, replace(surface, points=surface.points + aside), nose + aside))
    return found


def _painted(swimmer: _Swimmer, field: str, component: str | None):
    return field_on_skin(swimmer.record, swimmer.surface, field, component)


def _strongest(fields: list[np.ndarray]) -> int:
    """Index of the instant at which the mean magnitude over the bodies is greatest: at the start it may vanish."""
    return int(np.argmax(np.nan_to_num(np.sum([np.abs(values).mean(axis=1) for values in fields], axis=0))))


def _room(swimmers: list[_Swimmer], follow: bool) -> list[dict]:
    """Ranges of the axes at each instant: a box of constant size that moves smoothly with the swimmers, or is fixed."""
    low = np.min([swimmer.surface.points.min(axis=1) for swimmer in swimmers], axis=0)
    high = np.max([swimmer.surface.points.max(axis=1) for swimmer in swimmers], axis=0)
    if follow:
        centre = _smooth(0.5 * (low + high))
    else:
        centre = np.broadcast_to(0.5 * (low.min(axis=0) + high.max(axis=0)), low.shape)
    half = np.maximum(high - centre, centre - low).max(axis=0)
    half = half + MARGIN * half.max()
    return [
        {f"{name}axis": {"range": [float(c[n] - half[n]), float(c[n] + half[n])]} for n, name in enumerate("xyz")}
        for c in centre
    ]


def _smooth(path: np.ndarray) -> np.ndarray:
    """Moving average over a fifth of the run, shorter near its ends, so that the box moves smoothly."""
    reach = max(1, len(path) // 10)
    at = np.arange(len(path))
    near = np.minimum(reach, np.minimum(at, at[::-1]))
    return np.stack([path[k - n : k + n + 1].mean(axis=0) for k, n in zip(at, near, strict=True)])


def _scene(room: dict):
    """Axes with equal scales, seen from above the left side."""
    sides = np.array([np.ptp(axis["range"]) for axis in room.values()])
    look = dict(backgroundcolor=FLOOR, gridcolor="#C9D6DC", zerolinecolor=GREY, showbackground=True)
    return {
        "aspectmode": "manual",
        "domain": dict(x=[0.0, 1.0], y=[0.06, 1.0]),
        "aspectratio": dict(zip("xyz", 2.6 * sides / sides.max(), strict=True)),
        "camera": dict(eye=dict(x=-0.45, y=-1.05, z=0.68), projection=dict(type="orthographic")),
        **{name: dict(title=f"{name[0]} [m]", **axis, **look) for name, axis in room.items()},
    }


def _slider(time: np.ndarray, opening: int):
    jump = dict(mode="immediate", frame=dict(duration=0, redraw=True), transition=dict(duration=0))
    return dict(
        active=opening,
        currentvalue=dict(prefix="t = ", suffix=" s"),
        x=0.34,
        len=0.64,
        pad=dict(t=10, b=24),  # room for the labels below
        steps=[dict(args=[[f"{t:.3f}"], jump], label=f"{t:.2f}", method="animate") for t in time],
    )


def _buttons(time: np.ndarray):
    pause = dict(mode="immediate", frame=dict(duration=0, redraw=False))
    every = 1000.0 * float(time[1] - time[0])

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
