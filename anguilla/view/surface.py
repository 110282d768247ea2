"""Surface of a body: rings of sections connected by quadrilaterals.

A body is any sequence of placed rings, so beams and links of a tree are drawn the same way. A ring is an ellipse or,
for a section of another shape, the superellipse |y/b|ⁿ + |z/c|ⁿ = 1 of its width, height and area.
"""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

AROUND = 32
BACK, FLANK, BELLY = "#465633", "#8F9657", "#F3ECC6"
EYE = "#15181A"
LIGHT = (-0.35, -0.45, 0.82)  # direction towards the light, in the world


ELLIPSE = 0.25 * np.pi  # area of an ellipse relative to the rectangle around it
_EXPONENTS = np.geomspace(0.6, 24.0, 200)
_FULLNESS = np.array([math.gamma(1.0 + 1.0 / n) ** 2 / math.gamma(1.0 + 2.0 / n) for n in _EXPONENTS])


@dataclass(frozen=True)
class Sections:
    """Placed rings, from the first to the last.

    Attributes:
        position: centres in the world [m].
        rotation: axes t1 (along), t2 (semi-axis b), t3 (semi-axis c) in the world, as columns.
        b: semi-axis, or half the width, along t2 [m].
        c: semi-axis, or half the height, along t3 [m].
        fullness: area relative to that of the rectangle 2b × 2c [-]; None for ellipses.
    """

    position: Float[np.ndarray, "rings 3"]
    rotation: Float[np.ndarray, "rings 3 3"]
    b: Float[np.ndarray, "rings"]
    c: Float[np.ndarray, "rings"]
    fullness: Float[np.ndarray, "rings"] | None = None

    def around(self, angle: Float[np.ndarray, "points"]) -> Float[np.ndarray, "rings points 2"]:
        """Points (y, z) of the rings in their planes, at angles from t2 towards t3 [m]."""
        y, z = np.broadcast_to(np.cos(angle), (len(self.b), len(angle))), np.sin(angle)[None, :]
        if self.fullness is not None:
            power = (2.0 / np.interp(self.fullness, _FULLNESS, _EXPONENTS))[:, None]
            y, z = (np.sign(x) * np.abs(x) ** power for x in (y, z))
        return np.stack([self.b[:, None] * y, self.c[:, None] * z], axis=-1)

    def on_skin(
        self, ring: int, angle: Float[np.ndarray, "points"]
    ) -> tuple[Float[np.ndarray, "points 3"], Float[np.ndarray, "points 3"]]:
        """Points of one ring at angles from t2 towards t3 [rad], and the outward normals of its ellipse."""
        b, c, rotation = self.b[ring], self.c[ring], self.rotation[ring]
        point = np.concatenate([0.0 * angle[:, None], self.around(angle)[ring]], axis=-1)
        normal = np.stack([0.0 * angle, c * np.cos(angle), b * np.sin(angle)], axis=-1)
        normal = normal / np.linalg.norm(normal, axis=-1, keepdims=True)
        return self.position[ring] + point @ rotation.T, normal @ rotation.T


@dataclass(frozen=True)
class Mesh:
    """A surface of quadrilaterals.

    Attributes:
        corners: their corners in the world [m].
        normals: outward unit normals, in the world.
        colours: red, green and blue between 0 and 1, before lighting.
    """

    corners: Float[np.ndarray, "faces 4 3"]
    normals: Float[np.ndarray, "faces 3"]
    colours: Float[np.ndarray, "faces 3"]


def rotation_matrices(quaternion: Float[np.ndarray, "*n 4"]) -> Float[np.ndarray, "*n 3 3"]:
    """Rotation matrices of unit quaternions (w, x, y, z)."""
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rgb(colour: str) -> Float[np.ndarray, "3"]:
    """Red, green and blue of "#rrggbb", between 0 and 1."""
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0


def ring_points(sections: Sections, around: int = AROUND) -> Float[np.ndarray, "rings around 3"]:
    """Points of the surface, `around` per ring, ordered from t2 towards t3."""
    angle = 2.0 * np.pi * np.arange(around) / around
    local = np.concatenate([np.zeros((len(sections.b), around, 1)), sections.around(angle)], axis=-1)
    return sections.position[:, None] + np.einsum("rij,raj->rai", sections.rotation, local)


def tube(sections: Sections, colours: Float[np.ndarray, "rings around 3"]) -> Mesh:
    """Closed surface through the rings of sections.

    Args:
        sections: the rings; rings of zero size close the ends.
        colours: red, green and blue at the points of the rings; their number is the number of points per ring.
    """
    points = ring_points(sections, colours.shape[1])
    after = np.roll(points, -1, axis=1)
    corners = np.stack([points[:-1], after[:-1], after[1:], points[1:]], axis=2).reshape(-1, 4, 3)
    normals = np.cross(corners[:, 1] - corners[:, 3], corners[:, 2] - corners[:, 0])
    # They point outwards if t1 points from ring to ring. The sign is that of the enclosed volume, one for all faces:
    # that of a single face would be round-off on the flat ends, whose centres lie in them.
    centre = np.repeat(0.5 * (sections.position[:-1] + sections.position[1:]), colours.shape[1], axis=0)
    outward = -1.0 if np.sum(normals * (corners.mean(axis=1) - centre)) < 0.0 else 1.0
    length = np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    shade = 0.25 * (colours[:-1] + colours[1:] + np.roll(colours, -1, 1)[:-1] + np.roll(colours, -1, 1)[1:])
    return Mesh(corners, normals / length * outward, shade.reshape(-1, 3))


def join(*meshes: Mesh) -> Mesh:
    """Joins several surfaces into one."""
    return Mesh(
        np.concatenate([mesh.corners for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.colours for mesh in meshes]),
    )


def faded(mesh: Mesh, colour: str, share: float) -> Mesh:
    """The same surface with its colours blended towards another, by a factor between 0 and 1."""
    return Mesh(mesh.corners, mesh.normals, (1 - share) * mesh.colours + share * rgb(colour))


def eel_skin(rings: int, around: int = AROUND) -> Float[np.ndarray, "rings around 3"]:
    """Colours of an eel, red, green and blue between 0 and 1: dark back (+t3), pale belly (-t3)."""
    height = np.sin(2.0 * np.pi * np.arange(around) / around)
    levels = np.array([-1.0, -0.55, 0.05, 0.75, 1.0])
    palette = np.stack([rgb(BELLY), rgb(BELLY), rgb(FLANK), rgb(BACK), rgb(BACK)])
    stripe = np.stack([np.interp(height, levels, channel) for channel in palette.T], axis=-1)
    return np.broadcast_to(stripe, (rings, around, 3)).copy()


def plain_skin(rings: int, colour: str, around: int = AROUND) -> Float[np.ndarray, "rings around 3"]:
    """A uniform colour: red, green and blue between 0 and 1."""
    return np.broadcast_to(rgb(colour), (rings, around, 3)).copy()


def lit(mesh: Mesh, light: Float[np.ndarray, "3"] | None = None, ambient: float = 0.5) -> Float[np.ndarray, "faces 3"]:
    """Colours of the faces after lighting: diffuse and ambient light and a specular highlight.

    Args:
        mesh: the surface.
        light: direction towards the light in the world, of any length; from above when None.
        ambient: share of ambient light.
    """
    light = np.array(LIGHT) if light is None else light
    facing = 0.5 + 0.5 * mesh.normals @ (light / np.linalg.norm(light))[:, None]  # half-Lambert: no face is black
    gleam = 0.3 * facing**24
    return np.clip(mesh.colours * (ambient + 1.3 * (1.0 - ambient) * facing**1.5) + gleam, 0.0, 1.0)
