"""NATRIX, the snake robot of [XHLB23] that swims on the water: 14 bodies, 14 motors, six rolling shells.

The paper gives Table I and the laws (17) and (18). Masses, sections and the centre of mass of each body are not
published; they are reconstructed here and are arguments of `model`. They were calibrated on the frequencies of the
capsizing band. That there is a band, and that it rises with the amplitude, holds for any light robot whose centre of
mass is near the axis of its shells.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from hydro import PolygonSection, Solid, polygon, prism, regular_outline
from multibody.dh import DHRow
from multibody.joints import revolute
from multibody.prisms import prism_strip
from multibody.strips import Strip
from multibody.tree import Tree
from spatial import Numbers, body_inertia, positive

SNOUT, HEAD, NECK, MODULE = 0.015, 0.100, 0.105, 0.170  # lengths from Table I, and the remainder of L = 1.24 m [m]
MODULES = 6
LENGTH = SNOUT + HEAD + NECK + MODULES * MODULE
WATER = 1000.0  # [kg/m³]
# Axes t1, t2, t3 of sections in bodies whose y axis points down (neck, first module: their joints pitch).
PITCHING = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
YAW_JOINTS = (0, 3, 4, 5, 6, 7)  # indices in q of the joints that bend the body sideways
SHELL_JOINTS = (8, 9, 10, 11, 12, 13)
# Abscissae of the yaw joints from the snout [m].
YAW_ABSCISSAE = SNOUT + HEAD + np.concatenate([[0.0], NECK + MODULE * np.arange(1, MODULES)])


def model(
    *,
    shell_radius: Numbers = 0.042,
    lobe: float = 0.1,
    head_radius: Numbers = 0.0374,
    fill: Numbers = 0.5,
    head_fill: Numbers = 0.6,
    neck_fill: Numbers = 0.5,
    shell_share: Numbers = 0.3,
    gyration: Numbers = 0.028,
    vertices: int = 48,
    points: int = 2,
) -> Tree:
    """The robot of [XHLB23, Table I], with all joints actuated and reconstructed bodies.

    Bodies: head, pan (massless, between the two axes of the neck), neck, module2 to module7, shell2 to shell7. Joints
    in the order of the paper: q0 (pan, yaw), q1 (tilt), q2 (pitch), q3 to q7 (yaw), then the rolls of the six shells.
    Frames: x towards the tail; z up, except for neck and module2, whose joints pitch and whose z is along y of the
    head. For q2 to be a pitch, as in the text of the paper, Table I needs α = 0 from F1 to F2 and 90° from F2 to F3.

    Args:
        shell_radius: R0 of the shells r = R0 (1 + lobe cos 3φ), apex up [m].
        lobe: relative amplitude of the three lobes; zero for circular shells [-].
        head_radius: radius of head and neck, which are circular [m].
        fill: weight of a module with its shell, over its buoyancy when submerged [-].
        head_fill: weight of the head over its buoyancy when submerged [-].
        neck_fill: weight of the neck over its buoyancy when submerged [-].
        shell_share: share of the shell in the mass of its module.
        gyration: radius of gyration of modules and shells about their axis [m].
        vertices: number of vertices of the polygons that represent the sections.
        points: number of sections along each body.
    """
    outlines = sections(shell_radius, lobe, head_radius, vertices)
    round_area, shell_area = outlines["round"].area, outlines["shell"].area
    of_head = WATER * positive("head_fill", head_fill) * round_area * (SNOUT + HEAD)
    of_neck = WATER * positive("neck_fill", neck_fill) * round_area * NECK
    of_module = WATER * positive("fill", fill) * shell_area * MODULE
    share = positive("shell_share", shell_share)
    roll = positive("gyration", gyration, "m")
    about = jnp.asarray(head_radius, float) / np.sqrt(2.0)
    inertia = [
        _rod(of_head, SNOUT + HEAD, 0.5 * (HEAD - SNOUT), about),
        jnp.zeros((6, 6)),
        _rod(of_neck, NECK, 0.5 * NECK, about),
        *[_rod((1.0 - share) * of_module, MODULE, 0.5 * MODULE, roll)] * MODULES,
        *[_rod(share * of_module, MODULE, 0.0, roll)] * MODULES,
    ]
    quarter = np.pi / 2.0
    rows = [
        DHRow(0, d=HEAD, name="q0"),
        DHRow(1, alpha=-quarter, name="q1"),
        DHRow(2, d=NECK, name="q2"),
        *[DHRow(j, alpha=quarter if j == 3 else 0.0, d=MODULE, name=f"q{j}") for j in range(3, 8)],
    ]
    shells = [revolute((1.0, 0.0, 0.0), position=(0.5 * MODULE, 0.0, 0.0), name=f"r{j}") for j in range(2, 8)]
    return Tree(
        names=["head", "pan", "neck", *(f"module{j}" for j in range(2, 8)), *(f"shell{j}" for j in range(2, 8))],
        parents=[row.antecedent for row in rows] + list(range(3, 9)),
        joints=[row.joint() for row in rows] + shells,
        inertia=jnp.stack(inertia),
        strips=_strips(outlines, points),
    )


def sections(
    shell_radius: Numbers = 0.042, lobe: float = 0.1, head_radius: Numbers = 0.0374, vertices: int = 48
) -> dict[str, PolygonSection]:
    """Outlines of head and neck ("round") and of the shells ("shell"); arguments as in `model`."""
    return {
        "round": polygon(regular_outline(positive("head_radius", head_radius, "m"), vertices)),
        "shell": polygon(regular_outline(positive("shell_radius", shell_radius, "m"), vertices, 3, lobe)),
    }


def natrix_solids(outlines: dict[str, PolygonSection] | None = None) -> list[tuple[int, Float[Array, "3 3"], Solid]]:
    """Closed shapes for `multibody.hulls`: body index, axes of the section frame in the body frame, and shape.

    The axes are columns. With these shapes the buoyancy needs no quadrature along X.
    """
    outlines = sections() if outlines is None else outlines
    eye = jnp.eye(3)
    shell = prism(outlines["shell"], MODULE, -0.5 * MODULE)
    return [
        (0, eye, prism(outlines["round"], SNOUT + HEAD, -SNOUT)),
        (2, jnp.asarray(PITCHING), prism(outlines["round"], NECK)),
        *((9 + k, jnp.asarray(PITCHING) if k == 0 else eye, shell) for k in range(MODULES)),
    ]


def _strips(outlines: dict[str, PolygonSection], points: int) -> list[Strip | None]:
    shell = lambda axes: prism_strip(  # noqa: E731
        outlines["shell"], MODULE, origin=(-0.5 * MODULE, 0.0, 0.0), rotation=axes, points=points
    )
    head = prism_strip(outlines["round"], SNOUT + HEAD, origin=(-SNOUT, 0.0, 0.0), points=points)
    neck = prism_strip(outlines["round"], NECK, rotation=PITCHING, points=points)
    return [head, None, neck, *[None] * MODULES, shell(PITCHING), *[shell(np.eye(3))] * (MODULES - 1)]


def _rod(mass, length, middle, gyration):
    """Inertia of a straight uniform rod along x, with its centre at x = middle."""
    across = length**2 / 12.0 + 0.5 * gyration**2
    about = mass * jnp.diag(jnp.stack([gyration**2, across, across]))
    return body_inertia(mass, jnp.asarray([middle, 0.0, 0.0]), about)
