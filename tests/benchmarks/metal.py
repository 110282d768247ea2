"""The C kernel beside the fast path: compiled when the benchmarks run, on the same grids, to the same answer."""

import ctypes
import math
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import hydro
from cosserat.orientation import _SERIES
from cosserat.sampled_body import SampledBody

SOURCE = Path(__file__).with_name("metal.c")
FLAGS = ("-O3", "-march=native", "-ffast-math", "-shared", "-fPIC")


class Metal:
    """The kernel for one body, one fluid and one wave.

    Attributes:
        acceleration: (twist, t) -> d(twist)/dt of the head, in its frame [m/s², rad/s²].
        repeat: (twist, t, count) -> a sum over so many evaluations, for timing.
    """

    def __init__(self, body: SampledBody, fluid: hydro.Morison, wave: dict[str, Any]):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise RuntimeError("no C compiler (cc, gcc) on this machine: the metal's mark needs one")
        nodes, loads, terms = body.X.shape[0], body.load_X.shape[0], _SERIES.shape[0]
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "metal.so"
            sizes = [f"-DN={nodes}", f"-DM={loads}", f"-DTERMS={terms}"]
            subprocess.run([compiler, *FLAGS, *sizes, str(SOURCE), "-o", str(library), "-lm"], check=True)
            self._library = ctypes.CDLL(str(library))
        self._body = np.concatenate([np.ravel(np.asarray(part, float)) for part in _layout(body, fluid, wave)])
        self._library.repeat.restype = ctypes.c_double

    def acceleration(self, twist: np.ndarray, t: float) -> np.ndarray:
        """d(twist)/dt of the head."""
        out = np.zeros(6)
        self._library.head_acceleration(_pointer(self._body), _pointer(twist), ctypes.c_double(t), _pointer(out))
        return out

    def repeat(self, twist: np.ndarray, t: float, count: int) -> Callable[[], float]:
        """A call that does `count` evaluations."""
        head = _pointer(twist)
        return lambda: self._library.repeat(_pointer(self._body), head, ctypes.c_double(t), ctypes.c_int(count))


def _pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def _layout(body, fluid, wave):
    """The fields of `Body` in metal.c, in their order; inertias must be diagonal, as the eel's are."""
    for name in ("inertia", "added"):
        matrix = np.asarray(getattr(body, name))
        off = matrix - np.einsum("iin,ij->ijn", matrix, np.eye(6))
        if np.abs(off).max() > 0:
            raise ValueError(f"{name} is not diagonal: the C kernel has only the eel's sections")
    section = body.load_section
    at_loads = jax.vmap(
        lambda s: jnp.stack(
            [
                0.5 * fluid.density * fluid.drag_axial * s.perimeter,
                fluid.density * fluid.drag_lateral * s.c,
                fluid.density * fluid.drag_dorsal * s.b,
                0.5 * fluid.density * fluid.drag_roll * (s.b**2 - s.c**2) ** 2,
            ]
        )
    )(section).T
    radius = float(body.beam.nose_radius)
    diagonal = lambda matrix: np.einsum("iin->in", np.asarray(matrix))  # noqa: E731
    return [
        body.X,
        body.panel_integral[:, :-1],
        diagonal(body.inertia),
        diagonal(body.added),
        body.nose_added[0, 0],
        0.5 * fluid.density * fluid.nose_drag * math.pi * radius**2,
        body.load_weight,
        *at_loads,
        diagonal(body.load_added)[1:4],
        body.to_load.forth,
        body.to_load.back,
        _SERIES.T,
        wave["offset2"],
        wave["offset3"],
        wave["amplitude"],
        wave["wavelength"],
        wave["period"],
    ]
