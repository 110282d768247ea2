"""A run that is written down, as `cosserat.simulate` labels it: no engine is needed to draw."""

import numpy as np
import xarray as xr

from cosserat.simulation import VARIABLES

LENGTH, TIMES, STATIONS = 2.0, 13, 31


def made_up(planar: bool) -> xr.Dataset:
    X, t = np.linspace(0.0, LENGTH, STATIONS), np.linspace(0.0, 1.2, TIMES)
    dims = {
        "time": t,
        "X": X,
        "axis": ["x", "y", "z"],
        "section_axis": ["t1", "t2", "t3"],
        "quaternion": ["w", "x", "y", "z"],
        "twist": ["V1", "V2", "V3", "W1", "W2", "W3"],
        "wrench": ["f1", "f2", "f3", "c1", "c2", "c3"],
        "strain_component": ["G1", "G2", "G3", "K1", "K2", "K3"],
    }
    wave = np.sin(3.0 * X[None, :] - 6.0 * t[:, None])
    data = {}
    moving = {name: row for name, row in VARIABLES.items() if row[0][0] == "time" and set(row[0]) <= set(dims)}
    for k, (name, (names, units, meaning)) in enumerate(moving.items()):
        phase = np.sin(t + 0.3 * k).reshape((-1,) + (1,) * (len(names) - 1))
        data[name] = (names, phase * np.ones([len(dims[d]) for d in names]), {"units": units, "long_name": meaning})
    slope = 0.0 if planar else 0.4
    position = np.stack([X[None] - 0.5 * t[:, None] + 0 * wave, 0.1 * wave, -slope * t[:, None] + 0 * wave], -1)
    yaw = 0.3 * np.cos(3.0 * X[None, :] - 6.0 * t[:, None])
    quaternion = np.stack([np.cos(yaw / 2), 0 * yaw, 0 * yaw, np.sin(yaw / 2)], -1)
    data["position"] = (VARIABLES["position"][0], position, data["position"][2])
    data["orientation"] = (VARIABLES["orientation"][0], quaternion, data["orientation"][2])
    data["head_position"] = (VARIABLES["head_position"][0], position[:, 0], data["head_position"][2])
    data["head_quaternion"] = (VARIABLES["head_quaternion"][0], quaternion[:, 0], data["head_quaternion"][2])
    for name in ("fluid_drag", "fluid_added_mass"):
        data[name] = (("time", "X", "wrench"), np.repeat(wave[..., None], 6, axis=-1), {"units": "N/m, N"})
    data["nose_drag"] = (("time", "wrench"), np.repeat(t[:, None], 6, axis=-1), {"units": "N, N m"})
    for name, width in (("semiaxis_b", 0.05), ("semiaxis_c", 0.08)):
        data[name] = (("X",), width * np.sqrt(np.clip(1 - (X / LENGTH) ** 6, 0, 1)), {"units": "m"})
    return xr.Dataset(data, coords=dims, attrs={"title": "anguilla: a test"})
