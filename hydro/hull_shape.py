"""Shape of a slender boat in closed form: elliptic sections between two sharp ends."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from spatial import positive

GRAVITY = 9.81  # [m/s²]


@dataclass(frozen=True)
class SlenderHull:
    """The wetted part of a hull: half-ellipses whose breadth and draft vanish at both ends.

        half breadth  B/2 (1 - |ξ|ⁿ),   draft  T (1 - |ξ|ᵐ),   ξ = 2x/L from -1 (stern) to 1 (bow)

    Frame: origin amidships on the water line, x to the bow, y to port, z up.

    Attributes:
        length: length L on the water line [m].
        breadth: maximum breadth B on the water line [m].
        draft: maximum draft T [m].
        breadth_power: exponent n; a larger value gives a fuller water plane.
        draft_power: exponent m.
    """

    length: float
    breadth: float
    draft: float
    breadth_power: float
    draft_power: float

    def __post_init__(self):
        for name, value in vars(self).items():
            object.__setattr__(self, name, float(positive(f"SlenderHull.{name}", value, "", ())))

    def section(self, xi: Float[np.ndarray, "n"]) -> tuple[Float[np.ndarray, "n"], Float[np.ndarray, "n"]]:
        """Half breadth and draft at ξ [m]."""
        reach = np.abs(xi)
        return 0.5 * self.breadth * (1.0 - reach**self.breadth_power), self.draft * (1.0 - reach**self.draft_power)

    def along(self, values: Float[np.ndarray, "n"], weights: Float[np.ndarray, "n"]) -> float:
        """Integrates values at the nodes of `stations` over the length [m times their unit]."""
        return float(0.5 * self.length * np.sum(values * weights))

    def stations(self) -> tuple[Float[np.ndarray, "n"], Float[np.ndarray, "n"]]:
        """Gauss nodes ξ and weights, on each half of the hull separately because the profile has a kink amidships."""
        node, weight = np.polynomial.legendre.leggauss(80)
        half = 0.5 * (node + 1.0)
        return np.concatenate([-half[::-1], half]), 0.5 * np.concatenate([weight[::-1], weight])

    @property
    def volume(self) -> float:
        """Displaced volume [m³]."""
        xi, weight = self.stations()
        b, t = self.section(xi)
        return self.along(0.5 * np.pi * b * t, weight)

    @property
    def wetted_surface(self) -> float:
        """Wetted area [m²]: the integral of the girths of the half-ellipses along the hull."""
        xi, weight = self.stations()
        b, t = self.section(xi)
        angle = (np.arange(400) + 0.5) * np.pi / 400
        girth = np.mean(np.hypot(b[:, None] * np.cos(angle), t[:, None] * np.sin(angle)), axis=1) * np.pi
        return self.along(girth, weight)

    def stiffness(self, density: float = 1000.0) -> Float[np.ndarray, "6 6"]:
        """Restoring stiffness of buoyancy in heave, roll and pitch: G of [KR13, eq. (46)] [N/m, N, N·m].

        The weight is not included, because it acts on the bodies. The water plane is symmetric about both axes, so
        there is no coupling.
        """
        xi, weight = self.stations()
        b, t = self.section(xi)
        x = 0.5 * self.length * xi
        # The centroid of a half-ellipse lies 4t/(3π) below the water line.
        moment = -self.along(0.5 * np.pi * b * t * 4.0 * t / (3.0 * np.pi), weight)
        heave = self.along(2.0 * b, weight)
        roll = self.along(2.0 * b**3 / 3.0, weight) + moment
        pitch = self.along(2.0 * b * x**2, weight) + moment
        return density * GRAVITY * np.diag([0.0, 0.0, heave, roll, pitch, 0.0])

    def quarter(self, lengthwise: int, girthwise: int) -> tuple[Float[np.ndarray, "n 3"], np.ndarray]:
        """Vertices and faces of the quarter x > 0, y > 0 of the wetted surface, normals outwards."""
        xi = np.sin(np.linspace(0.0, 0.5 * np.pi, lengthwise + 1))  # finer at the bow
        angle = np.linspace(0.0, 0.5 * np.pi, girthwise + 1)
        b, t = self.section(xi)
        x = np.broadcast_to((0.5 * self.length * xi)[:, None], (len(xi), len(angle)))
        corners = np.stack([x, np.outer(b, np.sin(angle)), -np.outer(t, np.cos(angle))], axis=-1).reshape(-1, 3)
        first = np.arange(lengthwise)[:, None] * (girthwise + 1) + np.arange(girthwise)[None, :]
        faces = np.stack([first, first + 1, first + girthwise + 2, first + girthwise + 1], axis=-1)
        return corners, faces.reshape(-1, 4)

    def quarter_lid(self, lengthwise: int, across: int, depth: float) -> tuple[Float[np.ndarray, "n 3"], np.ndarray]:
        """Vertices and faces of the quarter x > 0, y > 0 of a horizontal lid inside the hull, at this depth [m]."""
        reach = 0.999 * (1.0 - depth / self.draft) ** (1.0 / self.draft_power)
        xi = reach * np.sin(np.linspace(0.0, 0.5 * np.pi, lengthwise + 1))
        b, t = self.section(xi)
        width = b * np.sqrt(1.0 - (depth / t) ** 2)
        x = np.broadcast_to((0.5 * self.length * xi)[:, None], (len(xi), across + 1))
        y = np.outer(width, np.linspace(0.0, 1.0, across + 1))
        corners = np.stack([x, y, np.full_like(y, -depth)], axis=-1).reshape(-1, 3)
        first = np.arange(lengthwise)[:, None] * (across + 1) + np.arange(across)[None, :]
        faces = np.stack([first, first + across + 1, first + across + 2, first + 1], axis=-1)
        return corners, faces.reshape(-1, 4)


# The single scull of [KR13, VII]: 7.9 m by 0.27 m, draft 93.2 mm.
SCULL = SlenderHull(length=7.9, breadth=0.27, draft=0.0932, breadth_power=2.4, draft_power=3.9)
