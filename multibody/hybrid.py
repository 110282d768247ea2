"""Direct and hybrid dynamics: either the acceleration or the torque of each joint is imposed."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from hydro import AbstractFluid
from spatial import solve_spd

from .arguments import instant
from .immersion import Immersion
from .kinematics import Configuration, sums_beyond
from .newton_euler import Balance, Dynamics, inverse_dynamics, joint_resistance, newton_euler
from .small_matrices import apply
from .state import BaseState
from .tree import Tree


def equations(
    tree: Tree,
    state: BaseState,
    q: Float[Array, "positions"],
    dq: Float[Array, "freedoms"],
    *,
    fluid: AbstractFluid | Immersion | None = None,
    wrench: Float[Array, "bodies 6"] | None = None,
    gravity: Float[Array, "3"] | None = None,
) -> tuple[Float[Array, "n n"], Float[Array, "n"]]:
    """Inertia matrix A and bias h of the equations of motion A (dV0/dt, ddq) + h = (0, Γ). [KR13, eq. (17)]

    Args:
        tree: the tree.
        state: pose and twist of the base.
        q: joint positions [rad] or [m].
        dq: joint velocities [rad/s] or [m/s].
        fluid: fluid around the tree; its added inertia is in A, the rest in h.
        wrench: other external wrenches on each body, in the body frame [N, N·m].
        gravity: acceleration of gravity in the world [m/s²].

    Returns:
        A and h; the six rows of the base come first, and are omitted if the base is fixed.
    """
    still = jnp.zeros(tree.layout.freedoms)
    balance = newton_euler(tree, state, q, dq, still, fluid=fluid, wrench=wrench, gravity=gravity)
    beyond = sums_beyond(tree, balance.wrench)
    h = jnp.sum(balance.place.screws * beyond, axis=-1) + joint_resistance(tree, q, dq)
    if tree.floating:
        h = jnp.concatenate([jnp.sum(balance.wrench, axis=0), h])
    return _mass_matrix(tree, balance), h


def mass_matrix(
    tree: Tree, q: Float[Array, "positions"], *, fluid: AbstractFluid | Immersion | None = None
) -> Float[Array, "n n"]:
    """Inertia matrix A of `equations`, including rotors and added inertia. [KR13, eq. (17)]

    Args:
        tree: the tree.
        q: joint positions [rad or m].
        fluid: the fluid around the bodies; None for no fluid.

    Returns:
        A; rows and columns of a floating base come first, in the base frame [kg, kg·m, kg·m²].
    """
    state = BaseState()
    (q,) = instant(tree, state, q=q)
    still = jnp.zeros(tree.layout.freedoms)
    return _mass_matrix(tree, newton_euler(tree, state, q, still, still, fluid=fluid))


def forward_dynamics(
    tree: Tree,
    state: BaseState,
    q: Float[Array, "positions"],
    dq: Float[Array, "freedoms"],
    torque: Float[Array, "freedoms"],
    *,
    fluid: AbstractFluid | Immersion | None = None,
    wrench: Float[Array, "bodies 6"] | None = None,
    gravity: Float[Array, "3"] | None = None,
) -> Dynamics:
    """Accelerations of the base and of all joints under given torques. [KR13, eq. (20)]

    >>> import anguilla, hydro
    >>> import jax.numpy as jnp
    >>> import multibody as mb
    >>> hinge = mb.revolute(axis=(0.0, 1.0, 0.0), name="hinge")
    >>> arm = mb.Link("arm", "wall", hinge, mass=1.0, centre=(0.5, 0.0, 0.0))
    >>> tree = mb.from_links([mb.Link("wall"), arm], base="fixed")
    >>> q = jnp.zeros(1)
    >>> falling = mb.forward_dynamics(tree, mb.BaseState(), q, q, torque=q, gravity=jnp.array(hydro.EARTH))
    >>> round(float(falling.acceleration[0]), 3)  # g/l about y [rad/s²]
    19.62

    Args:
        tree: the tree; all joints are treated as passive.
        state: pose and twist of the base.
        q: joint positions [rad] or [m].
        dq: joint velocities [rad/s] or [m/s].
        torque: motor torques [N·m] or [N].
        fluid: fluid around the tree; None for no fluid.
        wrench: other external wrenches on each body, in the body frame [N, N·m].
        gravity: acceleration of gravity in the world [m/s²].
    """
    parts = instant(tree, state, q=q, dq=dq, torque=torque, wrench=wrench, gravity=gravity)
    q, dq, torque, wrench, gravity = parts
    free = np.arange(tree.layout.freedoms)
    return _mixed(tree, state, q, dq, jnp.zeros_like(dq), torque, free, fluid, wrench, gravity)


def hybrid_dynamics(
    tree: Tree,
    state: BaseState,
    q: Float[Array, "positions"],
    dq: Float[Array, "freedoms"],
    acceleration: Float[Array, "freedoms"],
    torque: Float[Array, "freedoms"],
    *,
    fluid: AbstractFluid | Immersion | None = None,
    wrench: Float[Array, "bodies 6"] | None = None,
    gravity: Float[Array, "3"] | None = None,
) -> Dynamics:
    """Dynamics under given accelerations of the actuated joints and torques on the passive ones. [PBB13, III]

    The equations of the base and the passive joints form a symmetric positive definite system, solved by Cholesky
    factorisation. For trees of this size this is faster than the articulated-body recursion, and equivalent to it.

    >>> import anguilla
    >>> import jax.numpy as jnp
    >>> import multibody as mb
    >>> inertia = [[0.01, 0.0, 0.0], [0.0, 0.01, 0.0], [0.0, 0.0, 0.01]]
    >>> motor = mb.revolute(axis=(0.0, 0.0, 1.0), name="motor")
    >>> spring = mb.revolute(axis=(0.0, 0.0, 1.0), name="spring", actuated=False, stiffness=2.0)
    >>> links = [mb.Link("wall"), mb.Link("arm", "wall", motor, mass=1.0, about_centre=inertia)]
    >>> links.append(mb.Link("hand", "arm", spring, mass=1.0, about_centre=inertia))
    >>> tree = mb.from_links(links, base="fixed")
    >>> q, rest = jnp.array([0.0, 0.1]), jnp.zeros(2)
    >>> found = mb.hybrid_dynamics(tree, mb.BaseState(), q, rest, acceleration=rest, torque=rest)
    >>> found.acceleration.round(3).tolist()  # the spring accelerates the hand: -k q / I [rad/s²]
    [0.0, -20.0]

    Args:
        tree: the tree; `tree.actuated` marks the actuated joints.
        state: pose and twist of the base.
        q: joint positions [rad] or [m].
        dq: joint velocities [rad/s] or [m/s].
        acceleration: accelerations of the actuated joints [rad/s²] or [m/s²]; entries of passive joints are ignored.
        torque: motor torques on the passive joints [N·m] or [N]; entries of actuated joints are ignored.
        fluid: fluid around the tree; None for no fluid.
        wrench: other external wrenches on each body, in the body frame [N, N·m].
        gravity: acceleration of gravity in the world [m/s²].

    Returns:
        Base acceleration, all joint accelerations, all torques.
    """
    parts = {"q": q, "dq": dq, "acceleration": acceleration, "torque": torque, "wrench": wrench, "gravity": gravity}
    q, dq, acceleration, torque, wrench, gravity = instant(tree, state, **parts)
    free = tree.passive_freedoms
    if len(free) == 0:
        return inverse_dynamics(tree, state, q, dq, acceleration, fluid=fluid, wrench=wrench, gravity=gravity)
    return _mixed(tree, state, q, dq, acceleration, torque, free, fluid, wrench, gravity)


def _mixed(tree, state, q, dq, acceleration, torque, free, fluid, wrench, gravity):
    rows = free_equations(tree, state, q, dq, acceleration, torque, free, fluid=fluid, wrench=wrench, gravity=gravity)
    return rows.motion(tree, solve_spd(rows.inertia, rows.force))


class FreeEquations(eqx.Module):
    """Rows of A (dV0/dt, ddq) + h = (0, Γ) for the base and the free joints: inertia · x = force.

    Attributes:
        inertia: inertia matrix of the base (if it floats) and the free joints [kg, kg·m, kg·m²].
        force: generalised force on them, including the effect of the imposed accelerations [N, N·m].
        rows: indices of these rows in the full system.
        matrix: A of the full system.
        bias: h of the full system.
        imposed: accelerations of the other joints; zero at these rows.
        given: motor torques at these rows; zero at the others.
    """

    inertia: Float[Array, "m m"]
    force: Float[Array, "m"]
    rows: tuple[int, ...] = eqx.field(static=True)
    matrix: Float[Array, "n n"]
    bias: Float[Array, "n"]
    imposed: Float[Array, "n"]
    given: Float[Array, "n"]

    def motion(self, tree: Tree, acceleration: Float[Array, "m"]) -> Dynamics:
        """All accelerations and torques, from those of the base and the free joints [m/s², rad/s²]."""
        rows = np.array(self.rows, int)
        motion = self.imposed.at[rows].set(acceleration)
        effort = (self.matrix @ motion + self.bias).at[rows].set(self.given[rows])
        base, offset = (motion[:6], 6) if tree.floating else (jnp.zeros(6), 0)
        return Dynamics(base, motion[offset:], effort[offset:])


def free_equations(
    tree: Tree,
    state: BaseState,
    q: Float[Array, "positions"],
    dq: Float[Array, "freedoms"],
    acceleration: Float[Array, "freedoms"],
    torque: Float[Array, "freedoms"],
    free: np.ndarray,
    *,
    fluid: AbstractFluid | Immersion | None = None,
    wrench: Float[Array, "bodies 6"] | None = None,
    gravity: Float[Array, "3"] | None = None,
) -> FreeEquations:
    """The symmetric positive definite system of the base and the free joints. [PBB13, III]

    Args:
        tree: the tree.
        state: pose and twist of the base.
        q: joint positions [rad] or [m].
        dq: joint velocities [rad/s] or [m/s].
        acceleration: accelerations of the joints that are not free [rad/s²] or [m/s²].
        torque: motor torques on the free joints [N·m] or [N].
        free: indices of the freedoms of the free joints.
        fluid: fluid around the tree; None for no fluid.
        wrench: other external wrenches on each body, in the body frame [N, N·m].
        gravity: acceleration of gravity in the world [m/s²].
    """
    A, h = equations(tree, state, q, dq, fluid=fluid, wrench=wrench, gravity=gravity)
    offset = 6 if tree.floating else 0
    imposed = jnp.zeros(offset + tree.layout.freedoms).at[offset:].set(acceleration).at[offset + free].set(0.0)
    given = jnp.zeros_like(imposed).at[offset + free].set(torque[free])
    rows = np.concatenate([np.arange(offset), offset + free]).astype(int)
    # Rows whose right-hand side is known; the terms of the imposed accelerations are on the right.
    force = (given - h - A @ imposed)[rows]
    return FreeEquations(A[np.ix_(rows, rows)], force, tuple(rows.tolist()), A, h, imposed, given)


def _mass_matrix(tree: Tree, balance: Balance) -> Float[Array, "n n"]:
    """Inertia matrix of bodies and rotors. [KR13, eq. (28)]"""
    matrix = composite_matrix(tree, balance.place, balance.inertia)
    offset = matrix.shape[0] - tree.layout.freedoms
    return matrix + jnp.diag(jnp.pad(tree.rotor_inertia, (offset, 0)))


def composite_matrix(tree: Tree, place: Configuration, inertia: Float[Array, "bodies 6 6"]) -> Float[Array, "n n"]:
    """Σ JᵀMJ over the bodies, from the composite inertia of the bodies that each freedom moves. [KR13, eq. (28)]

    Args:
        tree: the tree.
        place: poses and axes of its bodies.
        inertia: inertia M of each body, or its stiffness or damping, about the base's origin, in base axes.
    """
    table, screws = tree.layout, place.screws
    composite = sums_beyond(tree, inertia.reshape(table.bodies, 36)).reshape(-1, 6, 6)
    force = apply(composite, screws)
    pairs = force @ screws.T
    along = table.moves[table.freedom_body] > 0  # freedom e on the path to freedom d
    joints = jnp.where(along, pairs, jnp.where(along.T, pairs.T, 0.0))
    if not tree.floating:
        return joints
    top = jnp.concatenate([jnp.sum(inertia, axis=0), force.T], axis=1)
    return jnp.concatenate([top, jnp.concatenate([force, joints], axis=1)], axis=0)
