"""Surface of the rowing boat: hull, riggers, rower and oars on the recorded bodies.

Arms, riggers, the height of the blades in the recovery and their feathering are decorative: the model has no arms, and
its blades stay at constant height and exert no force in the recovery.
"""

import numpy as np
import xarray as xr
from jaxtyping import Float

from anguilla.view.surface import Mesh, Sections, join, plain_skin, rgb, tube
from hydro import SCULL

SHELL, DECK, STEEL, SKIN, SHIRT, SHORTS, HAIR = (
    "#F4F1E8",
    "#C8452D",
    "#7A858E",
    "#D9A282",
    "#1F5F8B",
    "#22303A",
    "#4A3526",
)
SHAFT, BLADE, TIP = "#2B333A", "#C8452D", "#F4F1E8"
AROUND = 16
INBOARD, OUTBOARD, BLADE_LENGTH, BLADE_WIDTH = 0.86, 2.02, 0.46, 0.21  # dimensions of an oar, from the oarlock [m]
UPPER_ARM, FOREARM = 0.30, 0.36  # [m]
LIFT, GRIP = 0.16, -0.82  # angle by which an unloaded oar is raised [rad], position of the hands on it [m]
SIDES = ((-1.0, "starboard_oar"), (1.0, "port_oar"))


def rower_mesh(dataset: xr.Dataset, instant: int) -> Mesh:
    """Boat, rower and oars at a recorded instant, in the world.

    Args:
        dataset: a result of `anguilla robot rower`.
        instant: index of the recorded time.
    """
    names = [str(name) for name in dataset["body"].values]
    position = dict(zip(names, dataset["position"].values[instant], strict=True))
    rotation = dict(zip(names, dataset["rotation"].values[instant], strict=True))
    at = lambda body, point: position[body] + rotation[body] @ np.asarray(point, float)  # noqa: E731
    boat, across = rotation["boat"], rotation["boat"][:, 1]
    bite = float(dataset["blade_in_water"].values[instant])
    shank, thigh = float(dataset.attrs["shank"]), float(dataset.attrs["thigh"])
    parts = [_hull(position["boat"], boat), _sections(at("seat", (0, 0, 0)), boat, (0.24, 0.13, 0.02), STEEL)]
    ankle, knee, hip = at("shank", (0, 0, 0)), at("shank", (shank, 0, 0)), at("thigh", (thigh, 0, 0))
    for side in (-1.0, 1.0):
        off = 0.085 * side * across
        bent = off * 1.25
        parts.append(_limb(ankle + 0.6 * off, knee + bent, 0.042, 0.055, SKIN, across))
        parts.append(_limb(knee + bent, hip + off, 0.06, 0.085, SKIN, across))
        parts.append(
            _limb(
                ankle + 0.6 * off - 0.03 * boat[:, 2],
                at("shank", (0.1, -0.11, 0)) + 0.6 * off,
                0.03,
                0.04,
                DECK,
                across,
            )
        )
    up = rotation["trunk"][:, 0]
    neck = hip + 0.53 * up
    parts.append(_limb(hip - 0.07 * up, hip + 0.12 * up, 0.13, 0.13, SHORTS, across, flat=0.75))
    parts.append(_limb(hip + 0.1 * up, hip + 0.42 * up, 0.135, 0.19, SHIRT, across, flat=0.62))
    parts.append(_limb(hip + 0.42 * up, neck, 0.19, 0.07, SHIRT, across, flat=0.62))
    parts.append(_limb(neck, hip + 0.62 * up, 0.055, 0.055, SKIN, across))
    parts.append(_ball(hip + 0.73 * up, rotation["trunk"], (0.135, 0.1, 0.085)))
    for side, name in SIDES:
        lifted = _lifted(rotation[name], side, bite)
        lock = position[name]
        parts.append(_limb(at("boat", (-0.3, 0.1 * side, 0.1)), lock, 0.012, 0.012, STEEL, boat[:, 2]))
        parts.append(_limb(at("boat", (0.3, 0.1 * side, 0.1)), lock, 0.012, 0.012, STEEL, boat[:, 2]))
        parts += _oar(lock, lifted, side, bite)
        hand = lock + lifted @ np.array([GRIP, 0.0, 0.0])
        shoulder = hip + 0.44 * up + 0.185 * side * across
        elbow = _elbow(shoulder, hand, -boat[:, 2] + 0.6 * side * across)
        parts.append(_limb(shoulder, elbow, 0.05, 0.042, SKIN, across))
        parts.append(_limb(elbow, hand, 0.04, 0.03, SKIN, across))
    return join(*parts)


def blade_point(dataset: xr.Dataset, instant: int, body: str) -> Float[np.ndarray, "3"]:
    """Middle of a submerged blade, in the world [m]."""
    k = [str(name) for name in dataset["body"].values].index(body)
    lever, dip = float(dataset.attrs["lever"]), float(dataset.attrs["dip"])
    side = 1.0 if body == "port_oar" else -1.0
    local = lever * np.array([np.cos(dip), 0.0, -side * np.sin(dip)])
    return dataset["position"].values[instant, k] + dataset["rotation"].values[instant, k] @ local


def _lifted(rotation, side, bite):
    """Axes of an oar as drawn, with x along the shaft: dipped while the blade is loaded, raised otherwise."""
    tilt = (0.15 - (1.0 - bite) * LIFT) * side  # the starboard oar's z points down
    c, s = np.cos(tilt), np.sin(tilt)
    return rotation @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def _oar(lock, axes, side, bite):
    along = axes[:, 0]
    shaft = _limb(lock - INBOARD * along, lock + (OUTBOARD - BLADE_LENGTH) * along, 0.019, 0.017, SHAFT, axes[:, 2])
    grip = _limb(lock - INBOARD * along, lock - (INBOARD - 0.13) * along, 0.023, 0.023, TIP, axes[:, 2])
    turn = 0.5 * np.pi * (1.0 - bite)  # feathered when unloaded
    wide = np.cos(turn) * axes[:, 2] + np.sin(turn) * axes[:, 1]
    thin = np.cross(along, wide)
    reach = np.linspace(0.0, BLADE_LENGTH, 9)
    shape = np.array([0.12, 0.55, 0.85, 0.97, 1.0, 1.0, 0.98, 0.93, 0.8])
    place = lock + (OUTBOARD - BLADE_LENGTH + reach)[:, None] * along
    frame = np.broadcast_to(np.stack([along, wide, thin], axis=1), (9, 3, 3))
    colours = plain_skin(9, BLADE, AROUND)
    colours[6:] = rgb(TIP)
    blade = tube(Sections(place, frame, 0.5 * BLADE_WIDTH * shape, np.full(9, 0.006)), colours)
    return [shaft, grip, blade]


def _hull(origin, axes):
    """Mesh of the boat from rings of ellipses: the lower half is the wetted hull, the upper half the deck."""
    xi = np.sin(np.linspace(-0.5 * np.pi, 0.5 * np.pi, 61))
    half, draft = SCULL.section(xi)
    top = 0.07 + 0.06 * (1.0 - xi**2)
    x = 0.5 * SCULL.length * xi * 1.015
    middle = 0.5 * (top - draft)
    place = origin + x[:, None] * axes[:, 0] + middle[:, None] * axes[:, 2]
    colours = plain_skin(len(xi), SHELL, 24)
    height = np.sin(2.0 * np.pi * np.arange(24) / 24)
    colours[:, height > 0.45] = rgb(DECK)
    cockpit = np.abs(x + 0.05) < 1.0
    colours[np.ix_(cockpit, height > 0.8)] = rgb(SHORTS)
    frame = np.broadcast_to(axes, (len(xi), 3, 3))
    return tube(Sections(place, frame, np.maximum(1.03 * half, 2e-3), np.maximum(0.5 * (top + draft), 2e-3)), colours)


def _sections(centre, axes, size, colour):
    """Mesh of a flat block, as a tube along x."""
    x = 0.5 * size[0] * np.array([-1.0, -0.98, 0.98, 1.0])
    grow = np.array([1e-3, 1.0, 1.0, 1e-3])
    frame = np.broadcast_to(axes, (4, 3, 3))
    return tube(
        Sections(centre + x[:, None] * axes[:, 0], frame, size[1] * grow, size[2] * grow), plain_skin(4, colour, AROUND)
    )


def _limb(begin, end, first, last, colour, side, flat=1.0):
    """Mesh of a tapered rod with round ends; `flat` is the ratio of its depth to its width, which is along `side`."""
    along = np.asarray(end) - np.asarray(begin)
    length = np.linalg.norm(along)
    along = along / length
    wide = side - (side @ along) * along
    wide = wide / np.linalg.norm(wide)
    axes = np.stack([along, wide, np.cross(along, wide)], axis=1)
    bend = np.linspace(0.0, 0.5 * np.pi, 4)
    s = np.concatenate(
        [-first * 0.6 * np.cos(bend[:-1]), np.linspace(0.0, length, 5), length + last * 0.6 * np.sin(bend[1:])]
    )
    radius = np.concatenate([first * np.sin(bend[:-1]), np.linspace(first, last, 5), last * np.cos(bend[1:])])
    radius = np.maximum(radius, 1e-4)
    place = np.asarray(begin) + s[:, None] * along
    frame = np.broadcast_to(axes, (len(s), 3, 3))
    return tube(Sections(place, frame, radius, flat * radius), plain_skin(len(s), colour, AROUND))


def _ball(centre, axes, size):
    """Mesh of the head, with hair on its upper part."""
    s = np.linspace(-1.0, 1.0, 13)
    grow = np.sqrt(np.maximum(1.0 - s**2, 1e-6))
    frame = np.broadcast_to(np.stack([axes[:, 0], axes[:, 1], axes[:, 2]], axis=1), (13, 3, 3))
    colours = plain_skin(13, SKIN, AROUND)
    colours[9:] = rgb(HAIR)
    return tube(Sections(centre + size[0] * s[:, None] * axes[:, 0], frame, size[1] * grow, size[2] * grow), colours)


def _elbow(shoulder, hand, away):
    """Position of the elbow, for arms of fixed length bent towards `away`; arms out of reach are stretched."""
    line = hand - shoulder
    reach = np.linalg.norm(line)
    along = line / reach
    near = 0.5 * (reach + (UPPER_ARM**2 - FOREARM**2) / reach)
    height = np.sqrt(max(UPPER_ARM**2 - near**2, 0.0))
    off = away - (away @ along) * along
    return shoulder + near * along + height * off / np.linalg.norm(off)
