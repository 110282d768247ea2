"""One evaluation of a soft beam: from state and time to the accelerations of head and modes."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from hydro import AbstractFluid, Place
from spatial import matrix_from_quaternion

from ..panel_loops import SectionLoads, section_loads
from ..section_motion import load_place, strained_shape
from ..shape import Shape, StillShape, still_shape
from ..state import HeadState
from ..strain import Gait
from .equations import (
    Parts,
    about_nose,
    accelerations,
    head_reaction,
    inertia_matrix,
    inertia_product,
    reduced_force,
    twist_columns,
)
from .loads import DistributedLoad, EndLoad
from .sampled_soft import SampledSoft


class SoftLoop(eqx.Module):
    """Results of one evaluation.

    Attributes:
        head: state of the head, with its prescribed parts.
        given: prescribed rates of the head twist [m/s², rad/s²].
        sections: motion of the sections and the loads on them, at zero dη0/dt and d²q/dt².
        parts: parts of the reduced equations.
        components: index in the strain vector of each mode.
        free: components of the head twist that follow from the dynamics.
    """

    head: HeadState
    given: Float[Array, "6"]
    sections: SectionLoads
    parts: Parts
    components: tuple[int, ...] = eqx.field(static=True)
    free: tuple[int, ...] = eqx.field(static=True)

    def rates(self) -> Float[Array, "m"]:
        """(dη0/dt, d²q/dt²) [m/s², rad/s², 1/s², 1/(m·s²)]."""
        return accelerations(self.parts, self.components, self.free, self.given)

    def inertia(self) -> Float[Array, "m m"]:
        """Inertia matrix of head and modes, due to body and water [kg, kg·m, kg·m²]."""
        return inertia_matrix(self.parts, self.components)

    def inertia_product(self, rates: Float[Array, "m"]) -> Float[Array, "m"]:
        """The inertia matrix times rates of head and modes, without forming the matrix [N, N·m, J]."""
        return inertia_product(self.parts, self.components, rates)

    def force(self) -> Float[Array, "m"]:
        """Force on head and modes, minus the inertial force at zero accelerations [N, N·m, J]."""
        return reduced_force(self.parts, self.components)

    def reaction(self, rates: Float[Array, "m"]) -> Float[Array, "6"]:
        """Reaction on the head at these rates, in the head frame [N, N·m]."""
        return head_reaction(self.parts, self.components, rates)


def soft_loop(
    sampled: SampledSoft,
    gait: Gait | None,
    fluid: AbstractFluid,
    head: HeadState,
    q: Float[Array, "modes"],
    dq: Float[Array, "modes"],
    t: Float[Array, ""],
    load_factor: Float[Array, ""] | float = 1.0,
    command: Float[Array, "commands"] | None = None,
) -> SoftLoop:
    """Motion, loads and reduced equations at one instant.

    Args:
        sampled: the body on its grids.
        gait: imposed strains; None for the rest shape.
        fluid: the fluid around it.
        head: pose and twist of the head.
        q: modes [-, 1/m].
        dq: rates of the modes [1/s, 1/(m·s)].
        t: time [s].
        load_factor: factor on all loads of the soft beam [-].
        command: commands of its actuators, of any unit; zero when None.
    """
    soft, body = sampled.soft, sampled.body
    head, given = soft.head.held(head, t)
    strain = sampled.strains(gait, q, dq, t)
    shape = strained_shape(body, strain)
    sections = section_loads(body, strain, shape, fluid.at(t), head)
    more = _distributed(sampled, sections.loads.place.rotation, t, load_factor)
    if more is not None:
        changed = sections.terms | {"load": more}, sections.fluid_wrench + more, sections.wrench + more @ body.from_load
        sections = eqx.tree_at(lambda s: (s.terms, s.fluid_wrench, s.wrench), sections, changed)
    parts = _parts(sampled, shape, sections.inertia, sections.wrench, sections.nose, head, t, load_factor)
    inner, leaving = sampled.internal_force(gait, q, dq, t, command), None
    if sections.water is not None and body.leaving is not None:
        # Water passing along the body carries the wrench W: stress -W in the body, W at the shedding edge.
        carried = sections.water.slices.wrench[np.asarray(soft.components, int), sampled.first :]
        inner = inner - jnp.sum(sampled.phi * carried, axis=1)
        leaving = sections.water.wrench[:, None] * body.leaving.from_smooth[None, :]
    return SoftLoop(head, given, sections, parts(inner, leaving), soft.components, soft.head.free)


def contact_matrices(
    sampled: SampledSoft, fluid: AbstractFluid, loop: SoftLoop
) -> tuple[Float[Array, "m m"], Float[Array, "m m"]] | None:
    """∫JᵀK̄J and ∫JᵀD̄J of stiff loads (`AbstractFluid.stiff_matrices`) on head and modes; None if there are none.

    Args:
        sampled: the body on its grids.
        fluid: the fluid, evaluated at the instant (`AbstractFluid.at`).
        loop: results of `soft_loop` at the same instant.
    """
    body, loads = sampled.body, loop.sections.loads
    found = jax.vmap(fluid.stiff_matrices, in_axes=(0, 0, -1), out_axes=-1)(body.load_section, loads.place, loads.twist)
    if found is None:
        return None
    head, modes = twist_columns(loop.parts, loop.components)
    still = head.shape[-1] - modes.shape[-1]  # nodes ahead of all free strains
    columns = jnp.concatenate([head, jnp.pad(modes, ((0, 0), (0, 0), (still, 0)))], axis=1) @ body.to_load
    weighted = columns * body.load_weight[None, None, :]
    reduced = lambda each: jnp.einsum("aml,abl,bkl->mk", columns, each, weighted)  # noqa: E731
    return reduced(found.stiffness), reduced(found.damping)


def touches(sampled: SampledSoft, fluid: AbstractFluid) -> bool:
    """Whether a fluid has stiff loads; decided at trace time."""
    sections, one = sampled.body.load_section, lambda x: x[0]
    place = Place(jnp.zeros(3), jnp.eye(3), jnp.zeros(()))
    found = jax.eval_shape(lambda: fluid.stiff_matrices(jax.tree.map(one, sections), place, jnp.zeros(6)))
    return found is not None


def static_parts(
    sampled: SampledSoft,
    gait: Gait | None,
    fluid: AbstractFluid,
    head: HeadState,
    q: Float[Array, "modes"],
    t: Float[Array, ""],
    load_factor: Float[Array, ""],
    command: Float[Array, "commands"] | None = None,
) -> Parts:
    """Parts of the reduced equations for a body at rest; cheaper than `soft_loop`, whose arguments it shares."""
    body, fluid = sampled.body, fluid.at(t)
    strain = sampled.strains(gait, q, jnp.zeros_like(q), t).xi
    shape = still_shape(strain if body.stretch is None else body.stretch[:, None] * strain, body.panel_integral)
    place = load_place(body, shape, head)
    rest = jnp.zeros(6)
    terms = jax.vmap(lambda section, place: fluid.terms(section, place, rest), out_axes=-1)(body.load_section, place)
    wrench = sum(terms.values(), jnp.zeros((6, body.load_X.shape[0])))
    more = _distributed(sampled, place.rotation, t, load_factor)
    wrench = (wrench if more is None else wrench + more) @ body.from_load
    if body.masses is not None:
        still = jnp.zeros((6, body.X.shape[0]))
        wrench = wrench + body.masses.gathered(body.masses.loads(fluid, shape, still, head))
    nose = fluid.nose_terms(body.beam.nose_radius, Place(head.position, head.rotation), rest)
    inner = sampled.internal_force(gait, q, jnp.zeros_like(q), t, command)
    at_nose = sum(nose.values(), jnp.zeros(6))
    return _parts(sampled, shape, body.inertia + body.added, wrench, at_nose, head, t, load_factor)(inner)


def _parts(sampled, shape, inertia, wrench, nose, head, t, factor):
    """Parts of the reduced equations, as a function of the internal force on the modes."""
    body = sampled.body
    at_nose, tail = _ends(sampled, shape, head, t, factor)
    stretch = jnp.ones(1) if body.stretch is None else body.stretch[sampled.first :]
    return lambda inner, leaving=None: Parts(
        rotation=shape.rotation,
        position=shape.position,
        inertia=inertia,
        wrench=wrench,
        nose_inertia=body.nose_added,
        nose=nose + at_nose,
        tail=tail,
        leaving=leaving,
        inner=inner,
        phi=sampled.phi * stretch[None, :],
        panel_integral=body.panel_integral,
    )


def _distributed(sampled, rotation, t, factor) -> Array | None:
    """Distributed loads at the load nodes, in the section frame [N/m, N]; None where there are none."""
    loads = [load for load in sampled.soft.loads if isinstance(load, DistributedLoad)]
    each = lambda load: jax.vmap(lambda X, R: load.wrench(X, R, t), out_axes=-1)(sampled.body.load_X, rotation)  # noqa: E731
    return factor * sum(map(each, loads[1:]), each(loads[0])) if loads else None


def _ends(sampled, shape, head, t, factor):
    """Loads on nose and tail, about the nose in the head frame; None for a tail without load."""
    nose, tail = jnp.zeros(6), None
    for load in sampled.soft.loads:
        if not isinstance(load, EndLoad):
            continue
        if load.at == "head":
            nose = nose + factor * load.wrench(head.rotation, t)
            continue
        position, rotation = tail_place(sampled, shape)
        more = about_nose(rotation, position, factor * load.wrench(head.rotation @ rotation, t))
        tail = more if tail is None else tail + more
    return nose, tail


def tail_place(sampled: SampledSoft, shape: Shape | StillShape) -> tuple[Float[Array, "3"], Float[Array, "3 3"]]:
    """Position [m] and axes of the tail in the head frame."""
    quaternion = shape.quaternion @ sampled.at_tail
    rotation = matrix_from_quaternion(quaternion / jnp.linalg.norm(quaternion))
    return shape.position @ sampled.at_tail, rotation
