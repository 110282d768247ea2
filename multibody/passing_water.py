"""Water that passes along a chain of links: slices on the links, flow through the seams, shedding at the edge.

Used by fluids that carry water along the body (`hydro.AbstractFluid.shedding`). The load of a slice depends on the
strain of the body. Rigid links deform only at their joints, so the strain is the rotation between neighbours divided by
the distance between their centres. The wrench through a seam acts on one neighbour and, with the opposite sign, on the
other; only the water that leaves exerts a net wrench on the chain. The error is of second order in the link length.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from hydro import AbstractFluid, BodySection, Carried, Place
from spatial import cross, hat, join, twist_from_head, wrench_to_head

from .kinematics import Configuration
from .small_matrices import apply, inertia_in_base, product, transpose
from .state import BaseState
from .strips import Strips, WaterPath


class ImmersedWater(eqx.Module):
    """The slices that pass along a given chain in a given fluid.

    Attributes:
        added: added inertia of the slice at each point of the strips, in its frame [kg, kg·m²].
        seam_added: added inertia per metre at the seams between links [kg/m, kg·m].
        leaving_added: added inertia per metre where the water leaves [kg/m, kg·m].
        leaving_offset: abscissa where the water leaves, minus that of the centre of the link there [m].
        leaving_position: position of that point in the frame of the link [m].
        leaving_link: index of the link at which the water leaves.
    """

    added: Float[Array, "points 6 6"]
    seam_added: Float[Array, "seams 6 6"]
    leaving_added: Float[Array, "6 6"]
    leaving_offset: Float[Array, ""]
    leaving_position: Float[Array, "3"]
    leaving_link: Int[Array, ""]


class ChainWater(eqx.Module):
    """The passing water at one instant.

    Attributes:
        added_inertia: added inertia of each body about its frame [kg, kg·m, kg·m²].
        loads: loads on each body at zero rate of twist, by name, in the body frame [N, N·m].
        energy: kinetic energy of the slices [J].
        wake: power lost to the wake [W].
    """

    added_inertia: Float[Array, "bodies 6 6"]
    loads: dict[str, Float[Array, "bodies 6"]]
    energy: Float[Array, ""]
    wake: Float[Array, ""]


def immersed_water(strips: Strips, fluid: AbstractFluid) -> ImmersedWater | None:
    """Prepares the slices of a fluid on a chain; None for a fluid that carries no water along the body.

    Raises:
        ValueError: the chain defines no path of the water, has unsuitable sections, or lacks the shedding edge.
    """
    shedding, path = fluid.shedding, strips.path
    if shedding is None:
        return None
    if path is None:
        raise ValueError(
            f"fluid = {type(fluid).__name__}: water passes along the links, but this tree does not say in which order: "
            "build it with multibody.from_beam, or give its Strips a path"
        )
    shedding.check(path.profile)
    section = strips.points.section
    if not isinstance(section, BodySection):
        raise ValueError(
            f"fluid = {type(fluid).__name__}: sections are {type(section).__name__}: must be those of a hydro.Profile"
        )
    seen = lambda X: shedding.water_section(path.profile, X, jax.vmap(path.profile)(X))  # noqa: E731
    per_metre = jax.vmap(fluid.added_inertia)(shedding.water_section(path.profile, path.X, section))
    X = shedding.leaving(path.profile)
    link = jnp.clip(jnp.searchsorted(path.ends, X * (1.0 - 1e-12), side="left") - 1, 0, len(path.links) - 1)
    return ImmersedWater(
        added=strips.points.weight[:, None, None] * per_metre,
        seam_added=jax.vmap(fluid.added_inertia)(seen(path.ends[1:-1])),
        leaving_added=fluid.added_inertia(shedding.leaving_section(path.profile)),
        leaving_offset=X - path.centres[link],
        leaving_position=path.front[link] + (X - path.ends[link]) * path.rotation[link][:, 0],
        leaving_link=link,
    )


def passing_water(
    strips: Strips,
    fluid: AbstractFluid,
    water: ImmersedWater,
    state: BaseState,
    place: Configuration,
    twist: Float[Array, "bodies 6"],
) -> ChainWater:
    """Load of the passing water on the bodies.

    Args:
        strips: points of all links, with the path of the water.
        fluid: the fluid.
        water: the slices of the fluid on these strips.
        state: pose of the base in the world.
        place: poses of the bodies relative to the base.
        twist: twists of the bodies, each in its own frame [m/s, rad/s].
    """
    path, points = strips.path, strips.points
    assert path is not None
    links, bodies = np.asarray(path.links), twist.shape[0]
    axes = product(place.rotation[links], path.rotation)  # axes of the sections of each link, in the base frame
    front = place.position[links] + apply(place.rotation[links], path.front)
    own = twist_from_head(path.rotation, path.front, twist[links])  # twists of the front sections, in section axes
    strain, strain_rate = _link_strains(path, axes, own)

    # Slices on the links.
    order = np.asarray(path.link_of_body)[np.asarray(strips.body)]
    rows = np.asarray(strips.body)
    where = _place(state, place.rotation[rows], place.position[rows], points.rotation, points.position)
    here = twist_from_head(points.rotation, points.position, twist[rows])
    slices = jax.vmap(fluid.carried)(water.added, where, here, strain[0][order], strain_rate[0][order])
    inertia = inertia_in_base(points.rotation, points.position, slices.inertia)
    to_bodies = lambda values, body: jax.ops.segment_sum(values, body, bodies)  # noqa: E731
    load = to_bodies(wrench_to_head(points.rotation, points.position, slices.load), rows)

    # Flow through the seams, with axes and twists averaged over the two neighbours.
    length = jnp.diff(path.ends)
    arm = length[:-1, None] * jnp.asarray([[1.0, 0.0, 0.0]])
    before = join(own[:-1, :3] + cross(own[:-1, 3:], arm), own[:-1, 3:])
    half_axes = 0.5 * (axes[:-1] + axes[1:])
    seam = Place(_to_world(state, front[1:]), product(jnp.broadcast_to(state.rotation, half_axes.shape), half_axes))
    through = jax.vmap(fluid.carried)(water.seam_added, seam, 0.5 * (before + own[1:]), strain[1], strain_rate[1])
    force, couple = apply(half_axes, through.wrench[:, :3]), apply(half_axes, through.wrench[:, 3:])
    passing = join(force, couple + cross(front[1:], force))  # about the base's origin, in base axes

    # Leaving water.
    last, leaving = _leaving(path, fluid, water, state, place, twist, strain, strain_rate)
    n = len(links)
    on_links = jnp.zeros((n, 6)).at[:-1].add(passing).at[1:].add(-passing)
    on_links = on_links.at[water.leaving_link].add(leaving)
    carried = _from_base(place, jnp.zeros((bodies, 6)).at[links].set(on_links))
    loads = {"added_mass": load, "carried": carried}
    return ChainWater(to_bodies(inertia, rows), loads, jnp.sum(slices.energy), last.energy_flux)


def _link_strains(path: WaterPath, axes, own):
    """Strain and strain rate on links and seams, from the rotation between neighbours over the distance of centres."""
    pitch = jnp.diff(path.centres)[:, None]
    turn = product(transpose(axes[:-1]), axes[1:])
    spin = own[1:, 3:] - apply(transpose(turn), own[:-1, 3:])
    bend = _skew(turn) / pitch
    bend_rate = _skew(product(turn, jax.vmap(hat)(spin))) / pitch
    straight = jnp.asarray([1.0, 0.0, 0.0])

    def both(K, base):
        inside = jnp.concatenate([K[:1], 0.5 * (K[:-1] + K[1:]), K[-1:]])
        with_stretch = lambda k: join(jnp.broadcast_to(base, k.shape), k)  # noqa: E731
        return with_stretch(inside), with_stretch(K)

    return both(bend, straight), both(bend_rate, jnp.zeros(3))


def _skew(R):
    """Axial vector of the skew part of a rotation: the rotation vector, with an error of third order in the angle."""
    return 0.5 * jnp.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=-1)


def _leaving(path, fluid, water, state, place, twist, strain, strain_rate) -> tuple[Carried, Float[Array, "6"]]:
    """The leaving slice and its wrench about the base's origin; its section is rotated relative to the link."""
    link = water.leaving_link
    body = jnp.asarray(path.links)[link]
    xi, dxi = strain[0][link], strain_rate[0][link]
    local = twist_from_head(path.rotation[link], water.leaving_position, twist[body])
    bend = hat(water.leaving_offset * xi[3:])
    turned = jnp.eye(3) + bend + 0.5 * bend @ bend
    moved = join(turned.T @ local[:3], turned.T @ local[3:] + water.leaving_offset * dxi[3:])
    rotation = place.rotation[body] @ path.rotation[link] @ turned
    position = place.position[body] + place.rotation[body] @ water.leaving_position
    where = Place(_to_world(state, position[None])[0], state.rotation @ rotation)
    last = fluid.carried(water.leaving_added, where, moved, xi, dxi)
    return last, wrench_to_head(rotation, position, last.wrench)


def _place(state, body_rotation, body_position, rotation, position) -> Place:
    in_base = body_position + apply(body_rotation, position)
    turned = product(body_rotation, rotation)
    return Place(_to_world(state, in_base), product(jnp.broadcast_to(state.rotation, turned.shape), turned))


def _to_world(state, in_base):
    return state.position[None, :] + in_base @ state.rotation.T


def _from_base(place: Configuration, wrench: Float[Array, "bodies 6"]) -> Float[Array, "bodies 6"]:
    """Wrenches on the bodies in their own frames, from wrenches about the base's origin in base axes."""
    back = transpose(place.rotation)
    force = wrench[:, :3]
    return join(apply(back, force), apply(back, wrench[:, 3:] - cross(place.position, force)))
