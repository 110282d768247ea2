"""The equations of motion of a soft beam, reduced to its head and its modes.

    [M_00 M_0q; M_q0 M_qq] (dη0/dt, d²q/dt²) = (wrench on the head, force on the modes)

There are two forms, which check each other. By columns: J' = -ad_ξ J + BΦ, which is a plain integral of Ad_g BΦ in the
head's axes, and M = ∫Jᵀ(M̄ + M̄_a)J. By inverse dynamics: for given accelerations, the stress Λ of each section is the
wrench on the part aft of it minus the inertial wrench of that part, and ∫ΦᵀBᵀΛ is its projection on the modes. Arrays
are (component, node).
"""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jaxtyping import Array, Float

from spatial import Ad, cross, factor_spd, join, nodewise, solve_factored

from ..node_arrays import apply
from ..quadrature import gathered_from_tail, integral_from_head

_Ad = nodewise(Ad)
_cross = nodewise(cross)


class Parts(eqx.Module):
    """Ingredients of the reduced equations, at the smooth nodes.

    Attributes:
        rotation: axes of each section in the head frame, as columns.
        position: centre of each section in the head frame [m].
        inertia: inertia of body and water lumped at each node, in the section frame [kg, kg·m²].
        wrench: wrench on each node minus its inertial wrench at zero dη0/dt and d²q/dt², in the section frame [N, N·m].
        nose_inertia: added inertia of the nose, in the head frame [kg, kg·m²].
        nose: wrench on the nose, in the head frame [N, N·m].
        tail: wrench on the tail, about the nose, in the head frame [N, N·m]; None for none.
        leaving: wrench of the water that leaves the body, about the nose in the head frame, distributed over the nodes
            around the shedding edge [N, N·m]; None for none.
        inner: generalised force of springs, dampers and actuators on the modes [J].
        phi: modes times the stretch of the grid, at the nodes that they move [-].
        panel_integral: maps values in one panel to integrals from its start to its nodes and end [m].
    """

    rotation: Float[Array, "3 3 nodes"]
    position: Float[Array, "3 nodes"]
    inertia: Float[Array, "6 6 nodes"]
    wrench: Float[Array, "6 nodes"]
    nose_inertia: Float[Array, "6 6"]
    nose: Float[Array, "6"]
    tail: Float[Array, "6"] | None
    leaving: Float[Array, "6 nodes"] | None
    inner: Float[Array, "modes"]
    phi: Float[Array, "modes active"]
    panel_integral: Float[Array, "order order_and_one"]


def inertia_matrix(parts: Parts, components: tuple[int, ...]) -> Float[Array, "m m"]:
    """M of the head and the modes, by columns [kg, kg·m, kg·m²]: ∫Jᵀ(M̄ + M̄_a)J."""
    active = parts.phi.shape[1]
    shift, bent = twist_columns(parts, components)
    moved = _products(parts.inertia, shift)
    momenta = _products(parts.inertia[..., -active:], bent)
    head = jnp.einsum("ian,ibn->ab", shift, moved) + parts.nose_inertia
    mixed = jnp.einsum("ian,ibn->ab", shift[..., -active:], momenta)
    modes = jnp.einsum("ian,ibn->ab", bent, momenta)
    return jnp.block([[head, mixed], [mixed.T, modes]])


def twist_columns(
    parts: Parts, components: tuple[int, ...]
) -> tuple[Float[Array, "6 6 nodes"], Float[Array, "6 modes active"]]:
    """J: twist of each section, in its frame, for a unit twist of the head and for a unit rate of each mode."""
    shift = _Ad(parts.rotation, parts.position)
    return shift, _products(shift[..., -parts.phi.shape[1] :], mode_columns(parts, components))


def _products(matrix, columns):
    """Products of 6x6 matrices and columns, node by node."""
    return functools.reduce(jnp.add, (matrix[:, k, None] * columns[None, k] for k in range(6)))


def mode_columns(parts: Parts, components: tuple[int, ...]) -> Float[Array, "6 modes active"]:
    """Twist about the nose, in the head frame, of each section for a unit rate of each mode: ∫Ad_g BΦ."""
    n, active = parts.phi.shape
    density = strain_axes(parts)[:, np.asarray(components, int)] * parts.phi[None]
    return integral_from_head(density.reshape(6 * n, active), parts.panel_integral).reshape(6, n, active)


def strain_axes(parts: Parts) -> Float[Array, "6 6 active"]:
    """Ad_g: twist about the nose, in the head frame, of the part aft of a section for a unit rate of each strain."""
    active = parts.phi.shape[1]
    R, r = parts.rotation[..., -active:], parts.position[..., -active:]
    lever = _cross(jnp.broadcast_to(r[:, None], R.shape).reshape(3, -1), R.reshape(3, -1)).reshape(R.shape)
    linear = jnp.concatenate([R, jnp.zeros_like(R)], axis=0)
    return jnp.concatenate([linear, jnp.concatenate([lever, R], axis=0)], axis=1)


def imbalance(parts: Parts, components: tuple[int, ...], rates: Float[Array, "m"]) -> Float[Array, "m"]:
    """Force minus inertial force at given rates (dη0/dt, d²q/dt²), by inverse dynamics [N, N·m, J].

    This is the residual b - M a of the reduced equations, computed without M.
    """
    taken, at_nose = _inertial(parts, components, rates)
    left = eqx.tree_at(lambda p: (p.wrench, p.nose), parts, (parts.wrench - taken, parts.nose - at_nose))
    return reduced_force(left, components)


def inertia_product(parts: Parts, components: tuple[int, ...], rates: Float[Array, "m"]) -> Float[Array, "m"]:
    """M a for given rates a = (dη0/dt, d²q/dt²), by inverse dynamics, without M [N, N·m, J]."""
    taken, at_nose = _inertial(parts, components, rates)
    changed = (taken, at_nose, None, None, jnp.zeros_like(parts.inner))
    alone = eqx.tree_at(
        lambda p: (p.wrench, p.nose, p.tail, p.leaving, p.inner), parts, changed, is_leaf=lambda x: x is None
    )
    return reduced_force(alone, components)


def _inertial(parts: Parts, components: tuple[int, ...], rates: Float[Array, "m"]):
    """Inertial wrench of each section, in its frame, and of the nose, in the head frame, at given rates [N, N·m]."""
    active = parts.phi.shape[1]
    still = parts.position.shape[1] - active
    moved = jnp.einsum("kn,k,kc->cn", parts.phi, rates[6:], np.eye(6)[np.asarray(components, int)])
    bent = integral_from_head(apply(strain_axes(parts), moved), parts.panel_integral)  # ∫Ad_g BΦ d²q/dt²
    twist_rate = rates[:6, None] + jnp.pad(bent, ((0, 0), (still, 0)))
    back = jnp.swapaxes(parts.rotation, 0, 1)
    linear = apply(back, twist_rate[:3] + _cross(twist_rate[3:], parts.position))
    rate = jnp.concatenate([linear, apply(back, twist_rate[3:])])
    return apply(parts.inertia, rate), parts.nose_inertia @ rates[:6]


def reduced_force(parts: Parts, components: tuple[int, ...]) -> Float[Array, "m"]:
    """b: the wrenches on the sections, reduced to the head and projected on the modes [N, N·m, J]."""
    active = parts.phi.shape[1]
    force = apply(parts.rotation, parts.wrench[:3])
    couple = apply(parts.rotation, parts.wrench[3:]) + _cross(parts.position, force)
    loads = jnp.concatenate([force, couple])  # about the nose, in the head frame
    loads = loads if parts.leaving is None else loads + parts.leaving
    head = jnp.sum(loads, axis=1) + parts.nose
    if parts.tail is not None:
        head = head + parts.tail
    # Λ of each section: the resultant of the loads aft of it.
    aft = gathered_from_tail(loads[:, -active:], parts.panel_integral, parts.tail)
    work = apply(jnp.swapaxes(strain_axes(parts), 0, 1), aft)
    return jnp.concatenate([head, jnp.sum(parts.phi * work[np.asarray(components, int)], axis=1) + parts.inner])


def accelerations(
    parts: Parts, components: tuple[int, ...], free: tuple[int, ...], given: Float[Array, "6"]
) -> Float[Array, "m"]:
    """Solves the reduced equations for (dη0/dt, d²q/dt²) [m/s², rad/s², 1/s², 1/(m·s²)].

    Args:
        parts: parts of the reduced equations.
        components: index in the strain vector of each mode.
        free: components of dη0/dt, in the head frame, that follow from the dynamics.
        given: dη0/dt, whose other components are prescribed [m/s², rad/s²].
    """
    n = parts.phi.shape[0]
    unknown = (*free, *range(6, 6 + n))
    dynamic, static = eqx.partition(parts, eqx.is_array)
    leaves, tree = jax.tree.flatten(dynamic)

    def reduced(matrix):
        return picked(picked(matrix, unknown).T, unknown)

    def solved(factor, matrix, force):
        return placed(solve_factored(factor, reduced(matrix), picked(force, unknown)), unknown, 6 + n)

    def rebuilt(leaves):
        return eqx.combine(jax.tree.unflatten(tree, leaves), static)

    def balanced(given, parts):
        matrix, force = inertia_matrix(parts, components), reduced_force(parts, components)
        known = jnp.concatenate([given, jnp.zeros(n)])
        factor = factor_spd(reduced(matrix))
        found = known + solved(factor, matrix, force - (0.0 if len(free) == 6 else matrix @ known))
        return found, (factor, matrix)

    @jax.custom_jvp
    def rates(given, *leaves):
        return balanced(given, rebuilt(leaves))[0]

    def derivative(primals, tangents):
        """M δa = δ(b - M a) at fixed a: the matrix itself is not differentiated."""
        found, system = balanced(primals[0], rebuilt(primals[1:]))
        moving = [k for k, change in enumerate(tangents) if not isinstance(change, SymbolicZero)]
        if not moving:
            return found, jnp.zeros_like(found)

        def left(*moved):
            now = list(primals)
            for k, value in zip(moving, moved, strict=True):
                now[k] = value
            shifted = found + jnp.pad(now[0] - primals[0], (0, n))
            return imbalance(rebuilt(now[1:]), components, shifted)

        _, change = jax.jvp(left, tuple(primals[k] for k in moving), tuple(tangents[k] for k in moving))
        driven = jnp.zeros(6) if isinstance(tangents[0], SymbolicZero) else tangents[0]
        return found, jnp.concatenate([driven, jnp.zeros(n)]) + solved(*system, change)

    rates.defjvp(derivative, symbolic_zeros=True)
    return rates(given, *leaves)


def picked(rows: Float[Array, "m ..."], places: tuple[int, ...]) -> Float[Array, "places ..."]:
    """Rows at constant places; a slice where these are the last rows, since gathers compile to loops."""
    return rows[rows.shape[0] - len(places) :] if _last(places, rows.shape[0]) else rows[np.asarray(places, int)]


def placed(values: Float[Array, "places"], places: tuple[int, ...], size: int) -> Float[Array, "size"]:
    """A vector with values at constant places, of any unit, and zeros elsewhere, without a scatter: see `picked`."""
    if _last(places, size):
        return jnp.pad(values, (size - len(places), 0))
    return jnp.asarray(np.equal.outer(np.arange(size), np.asarray(places, int)), float) @ values


def _last(places, size):
    return tuple(places) == tuple(range(size - len(places), size))


def head_reaction(parts: Parts, components: tuple[int, ...], rates: Float[Array, "m"]) -> Float[Array, "6"]:
    """Reaction on the head, in its frame [N, N·m]; zero if the head is free."""
    return -imbalance(parts, components, rates)[:6]


def about_nose(rotation: Float[Array, "3 3"], position: Float[Array, "3"], wrench: Float[Array, "6"]):
    """A wrench on a section, in its frame, as a wrench about the nose in the head frame [N, N·m]."""
    force = rotation @ wrench[:3]
    return join(force, rotation @ wrench[3:] + cross(position, force))
