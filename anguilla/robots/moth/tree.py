"""The moth as a tree: an ellipsoidal thorax and two wings of rigid blades connected by springs. [PBB13, IV.A]"""

import functools
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from multibody.blades import blade_points
from multibody.joints import revolute
from multibody.strips import Strips, gather, homogeneous_inertia
from multibody.tree import Tree
from spatial import body_inertia, one_of

from .parameters import READINGS, TABLE_SECTIONS, MothParameters, Reading

SIDES = ("right", "left")
SPAN_AXIS, CHORD_AXIS = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Row:
    """One joint of a wing and the body it carries.

    Attributes:
        motion: "stroke", "bend" or "twist".
        section: index of its section, counted from the root.
        blade: whether it carries the blade of its section; if False, it carries a frame without inertia.
        first: whether it is the first joint of its section, at the far end of the previous blade.
    """

    motion: str
    section: int
    blade: bool
    first: bool


class Wing(eqx.Module):
    """Parameters of a wing, section by section from root to tip.

    Attributes:
        length: length of each section [m].
        chord: chord of the blades [m].
        twist: stiffness of the twist joints [N·m/rad].
        bend: stiffness of the bend joints [N·m/rad].
        damping: damping of each joint [N·m·s/rad].
    """

    length: Float[Array, ""]
    chord: Float[Array, "sections"]
    twist: Float[Array, "sections"]
    bend: Float[Array, "sections"]
    damping: Float[Array, ""]


def model(sections: int = 4, reading: str = "TB8", parameters: MothParameters | None = None) -> Tree:
    """The moth of [PBB13]: stroke joints actuated, twist and bend joints passive and viscoelastic.

    Thorax frame, at its centre: x to the right (s), y forward (n), z up along the long axis (a). The wings are attached
    at +αc along z (the paper prints s). Blade frame: x from root to tip, y normal to the blade, z from the trailing to
    the leading edge. At rest the axes of the right wing are those of the thorax; those of the left wing are rotated by
    π about z. In a symmetric motion, corresponding joint angles of the two wings are opposite.

    For M sections, the stiffness and damping of each joint are M/4 times those of Table I, so that the whole wing has
    the same compliance for any number of joints in series.

    Args:
        sections: number of blades per wing, M.
        reading: a key of `READINGS`.
        parameters: parameters of the machine; Table I when None. They may be traced.
    """
    one_of("moth: reading", reading, tuple(READINGS))
    if not isinstance(sections, int) or sections < 1:
        raise ValueError(f"moth: sections = {sections!r}: must be a positive integer")
    structure = _table_tree(sections, reading)
    if parameters is None:
        return structure
    numbers = _numbers(parameters, sections, READINGS[reading])
    # The parameters were checked by their constructor, so the checks of the tree are not repeated.
    fields = lambda x: (x.inertia, x.position, x.stiffness, x.damping, x.strips)  # noqa: E731
    return eqx.tree_at(fields, structure, fields(numbers))


def wing_of(parameters: MothParameters, sections: int, reading: Reading) -> Wing:
    """Chords (elliptic wing) and stiffness laws. [PBB13, IV.A, below eq. (14)]"""
    place = (np.arange(sections) + (0.5 if reading.middle else 0.0)) / sections  # X/S
    per_joint = sections / TABLE_SECTIONS
    between = lambda ends: per_joint * (ends[0] + jnp.asarray(place) * (ends[1] - ends[0]))  # noqa: E731
    return Wing(
        length=parameters.span / sections,
        chord=parameters.chord * jnp.sqrt(jnp.asarray(1.0 - place**2)),
        twist=between(parameters.twist_stiffness),
        bend=between(parameters.bend_stiffness),
        damping=per_joint * parameters.damping,
    )


def wing_rows(sections: int, reading: Reading) -> tuple[Row, ...]:
    """The joints of one wing from root to tip."""
    rows = [Row("stroke", 0, False, True)]
    for k in range(sections):
        if reading.root_twist:
            rows += [Row("bend", k, False, k > 0), Row("twist", k, True, False)]
        else:
            rows += [Row("twist", k, False, True)] * (k > 0) + [Row("bend", k, True, False)]
    return tuple(rows)


class _Numbers(eqx.Module):
    """Fields of the tree that depend on the parameters."""

    inertia: Float[Array, "bodies 6 6"]
    position: Float[Array, "joints 3"]
    stiffness: Float[Array, "joints"]
    damping: Float[Array, "joints"]
    strips: Strips | None


@eqx.filter_jit
def _numbers(parameters: MothParameters, sections: int, reading: Reading) -> _Numbers:
    """The fields of the tree, compiled as one program because eager evaluation is many times slower."""
    wing, rows = wing_of(parameters, sections, reading), wing_rows(sections, reading)
    all_blades = jax.vmap(lambda chord: blade_points(wing.length, chord, parameters.thickness))(wing.chord)
    inertias = jax.vmap(lambda blade: homogeneous_inertia(blade, parameters.wing_density))(all_blades)
    blades = [jax.tree.map(lambda x, k=k: x[k], all_blades) for k in range(sections)]
    nothing = jnp.zeros((6, 6))
    of_wing = jnp.stack([inertias[row.section] if row.blade else nothing for row in rows])
    zero = jnp.zeros(())
    root = jnp.stack([zero, zero, parameters.root * parameters.thorax[2]])
    start = jnp.stack([wing.length, zero, zero])
    position = jnp.stack([root] + [start if row.first else jnp.zeros(3) for row in rows[1:]])
    law = {"stroke": jnp.zeros(sections), "bend": wing.bend, "twist": wing.twist}
    stiffness = jnp.stack([law[row.motion][row.section] for row in rows])
    damping = jnp.stack([zero if row.motion == "stroke" else wing.damping for row in rows])
    on_wing = [blades[row.section] if row.blade else None for row in rows]
    return _Numbers(
        inertia=jnp.concatenate([_thorax_inertia(parameters)[None], of_wing, of_wing]),
        position=jnp.concatenate([position, position]),
        stiffness=jnp.concatenate([parameters.wing_factors[0] * stiffness, parameters.wing_factors[1] * stiffness]),
        damping=jnp.concatenate([damping, damping]),
        strips=gather([None, *on_wing, *on_wing]),
    )


def _thorax_inertia(parameters: MothParameters) -> Float[Array, "6 6"]:
    """Inertia of a homogeneous ellipsoid."""
    squares = parameters.thorax**2
    mass = parameters.thorax_density * 4.0 / 3.0 * jnp.pi * jnp.prod(parameters.thorax)
    return body_inertia(mass, jnp.zeros(3), jnp.diag(mass / 5.0 * (jnp.sum(squares) - squares)))


@functools.lru_cache(maxsize=32)
def _table_tree(sections: int, reading: str) -> Tree:
    """The moth of Table I, built once with all checks of a tree."""
    with jax.ensure_compile_time_eval():
        rows = wing_rows(sections, READINGS[reading])
        numbers = _numbers(MothParameters(), sections, READINGS[reading])
        names, parents, joints = ["thorax"], [], []
        for side in SIDES:
            for k, row in enumerate(rows):
                turn = np.diag([-1.0, -1.0, 1.0]) if side == "left" and row.motion == "stroke" else None
                parents.append(0 if k == 0 else len(names) - 1)
                label = f"{side}_{row.motion}" + (f"{row.section + 1}" if row.motion != "stroke" else "")
                names.append(f"{side}_blade{row.section + 1}" if row.blade else f"{label}_frame")
                joints.append(
                    revolute(
                        SPAN_AXIS if row.motion == "twist" else CHORD_AXIS,
                        rotation=turn,
                        position=numbers.position[len(joints)],
                        actuated=row.motion == "stroke",
                        name=label,
                        stiffness=numbers.stiffness[len(joints)],
                        damping=numbers.damping[len(joints)],
                    )
                )
        return Tree(names, parents, joints, numbers.inertia, numbers.strips)
