"""Orthographic camera: projects points of the world onto an image."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class Camera:
    """Orthographic view: lengths have the same scale everywhere in the image.

    Attributes:
        azimuth: horizontal direction of the camera, from the world's x axis towards y [rad].
        elevation: angle of the camera above the horizon [rad]; π/2 looks straight down.
    """

    azimuth: float = np.deg2rad(-70.0)
    elevation: float = np.deg2rad(38.0)

    @property
    def axes(self) -> Float[np.ndarray, "3 3"]:
        """Rows: right, up, and towards the camera, in the world."""
        ca, sa, ce, se = (
            np.cos(self.azimuth),
            np.sin(self.azimuth),
            np.cos(self.elevation),
            np.sin(self.elevation),
        )
        return np.array([[-sa, ca, 0.0], [-se * ca, -se * sa, ce], [ce * ca, ce * sa, se]])

    def project(self, points: Float[np.ndarray, "*n 3"]) -> Float[np.ndarray, "*n 3"]:
        """Coordinates right and up [m], and nearness to the camera [m]."""
        return points @ self.axes.T

    def towards(self) -> Float[np.ndarray, "3"]:
        """Unit vector from the scene to the camera."""
        return self.axes[2]

    def light(self) -> Float[np.ndarray, "3"]:
        """Direction towards a light above and to the left of the viewer."""
        right, _, towards = self.axes
        return np.array([0.0, 0.0, 0.85]) - 0.3 * right + 0.4 * towards


def best_camera(position: Float[np.ndarray, "time X 3"], planar: bool) -> Camera:
    """Oblique view from above in which successive bodies overlap least.

    Args:
        position: the centre line in time [m].
        planar: whether it stays in a horizontal plane; such a motion is viewed from higher up.
    """
    elevation = np.deg2rad(48.0 if planar else 24.0)
    bodies = position[:: max(len(position) // 12, 1)]

    def covered(azimuth: float) -> int:
        """Cells of a coarse image that a body passes through."""
        view = Camera(azimuth, elevation).project(bodies)[..., :2].reshape(-1, 2)
        low = view.min(axis=0)
        scale = np.min(np.array([64.0, 36.0]) / np.maximum(np.ptp(view, axis=0), 1e-9))
        return len(np.unique(np.floor(scale * (view - low)).astype(int), axis=0))

    # Never along an axis, where depth would vanish; ties are resolved towards negative y (x to the right).
    oblique = np.deg2rad([-105.0, -75.0, -115.0, -65.0, -60.0, -120.0, 60.0, 65.0, 115.0, 120.0])
    return Camera(max(oblique.tolist(), key=covered), elevation)
