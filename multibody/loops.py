"""Closed loops: cut joints of a tree are enforced by Lagrange multipliers, and positions are projected."""

from collections.abc import Sequence
from typing import cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from hydro import AbstractFluid
from spatial import Numbers, finite, solve, solve_spd
from spatial.checks import of_kind, sequence
from spatial.printing import Printed
from stepping import unstored_program

from .arguments import check_tree, instant
from .coordinates import displace, position_rates
from .hybrid import equations
from .immersion import Immersion
from .kinematics import configuration
from .loop_cuts import Cut
from .newton_euler import Dynamics
from .state import BaseState
from .tree import Tree

CLOSED = 1e-9  # largest gap of a closed loop [m, rad]
_NEWTON_STEPS = 4  # two suffice from the integrator's estimate, whose gap is close to its tolerance


class Loops(Printed):
    """The cut joints of a tree; built by `close_loops`.

    Attributes:
        cuts: the cut joints.
        rows: indices of a set of independent constraints, chosen once.
        dependent: freedoms that `independent_map` computes from the others; as many as rows.
    """

    cuts: tuple[Cut, ...]
    rows: tuple[int, ...] = eqx.field(static=True)
    dependent: tuple[int, ...] = eqx.field(static=True)

    def gaps(self, tree: Tree, q: Float[Array, "positions"]) -> Float[Array, "constraints"]:
        """Gaps of all constraints, including redundant ones [m, rad]."""
        place = configuration(tree, q)
        return jnp.concatenate([cut.gap(tree, place) for cut in self.cuts])

    def jacobian(self, tree: Tree, q: Float[Array, "positions"]) -> Float[Array, "rows freedoms"]:
        """Independent rows of the constraint Jacobian W, with W dq = 0. [KR13, eq. (13)]"""
        place = configuration(tree, q)
        return jnp.concatenate([cut.jacobian(tree, place) for cut in self.cuts])[np.array(self.rows)]

    def bias(self, tree: Tree, q: Float[Array, "positions"], dq: Float[Array, "freedoms"]) -> Float[Array, "rows"]:
        """Bias (dW/dt) dq of the constraint on the accelerations."""
        rate = position_rates(tree, q, dq)
        return jax.jvp(lambda x: self.jacobian(tree, x) @ dq, (q,), (rate,))[1]

    def close(self, tree: Tree, q: Float[Array, "positions"]) -> Float[Array, "positions"]:
        """The nearest joint positions that close the loops, by Newton's method; only passive joints move.

        The step has minimum norm over all passive joints. It is singular only at singularities of the mechanism; a step
        with a fixed set of dependent joints would have others too. Raises at run time if the loops cannot close.
        """
        rows = np.array(self.rows)

        def newton(q, _):
            return displace(tree, q, -self._minimum_norm_change(tree, q, self.gaps(tree, q)[rows])), None

        closed, _ = jax.lax.scan(newton, q, None, length=_NEWTON_STEPS)
        names = ", ".join(repr(cut.name) for cut in self.cuts)
        open_still = ~(jnp.max(jnp.abs(self.gaps(tree, closed))) < CLOSED)
        return eqx.error_if(closed, open_still, f"the loops {names} cannot close at these joint positions")

    def consistent(
        self, tree: Tree, q: Float[Array, "positions"], dq: Float[Array, "freedoms"]
    ) -> Float[Array, "freedoms"]:
        """The nearest joint velocities that keep the loops closed; only those of passive joints change."""
        return dq - self._minimum_norm_change(tree, q, self.jacobian(tree, q) @ dq)

    def _minimum_norm_change(self, tree, q, rates):
        """Change of minimum norm of the passive joint velocities that changes the constraint rates by `rates`."""
        free = tree.passive_freedoms
        W = self.jacobian(tree, q)[:, free]
        return jnp.zeros(tree.layout.freedoms).at[free].set(W.T @ solve_spd(W @ W.T, rates))

    def independent_map(self, tree: Tree, q: Float[Array, "positions"]) -> Float[Array, "freedoms independent"]:
        """Matrix G that gives all joint velocities from the independent ones, in freedom order. [KR13, eq. (15)]"""
        W, dependent = self.jacobian(tree, q), np.array(self.dependent)
        independent = np.setdiff1d(np.arange(tree.layout.freedoms), dependent)
        G = jnp.zeros((tree.layout.freedoms, len(independent)))
        G = G.at[independent, np.arange(len(independent))].set(1.0)
        return G.at[dependent].set(-solve(W[:, dependent], W[:, independent]))


class LoopDynamics(eqx.Module):
    """Solution of the dynamics with closed loops.

    Attributes:
        motion: base acceleration, joint accelerations and motor torques.
        multipliers: λ of [KR13, eq. (13)], one per independent constraint [N, N·m].
    """

    motion: Dynamics
    multipliers: Float[Array, "rows"]


def close_loops(tree: Tree, cuts: Sequence[Cut], q: Numbers) -> tuple[Loops, Float[Array, "positions"]]:
    """Closes the loops of a tree from an initial guess, and selects independent constraints and dependent freedoms.

    The independent constraints are selected once, by pivoted QR. The guess should therefore be in general position, not
    at a singularity of the mechanism.

    Args:
        tree: the opened mechanism; only its passive joints are moved.
        cuts: the cut joints.
        q: initial guess of all joint positions [rad] or [m].

    Returns:
        The loops, and joint positions that close them.

    Raises:
        ValueError: a loop cannot be closed from the guess, or too many joints are actuated.
    """
    check_tree(tree)
    cuts = sequence("cuts", cuts, "the cut joints")
    if not cuts:
        raise ValueError("close_loops: cuts is empty: must name one cut joint at least")
    for k, cut in enumerate(cuts):
        of_kind(f"cuts[{k}]", cut, Cut, "a multibody.Cut")
    values = finite("q", q, (tree.layout.positions,))
    free = tree.passive_freedoms
    every = Loops(tuple(cuts), tuple(range(sum(len(cut.gap(tree, configuration(tree, values))) for cut in cuts))), ())
    gaps_of, jacobian_of = unstored_program(every.gaps), unstored_program(every.jacobian)
    for _ in range(60):
        gaps = np.asarray(gaps_of(tree, values))
        if np.max(np.abs(gaps)) < 1e-13:
            break
        W = np.asarray(jacobian_of(tree, values))[:, free]
        step = np.zeros(tree.layout.freedoms)
        step[free] = -np.linalg.lstsq(W, gaps, rcond=1e-10)[0]
        step *= min(1.0, 0.5 / max(1e-300, np.max(np.abs(step))))  # half a radian at most: stay on the branch
        values = displace(tree, values, jnp.asarray(step))
    _refuse_open(tree, cuts, values)
    W = np.asarray(jacobian_of(tree, values))
    rows = _independent(W.T)
    dependent = free[_independent(W[rows][:, free])]
    if len(dependent) < len(rows):
        raise ValueError(
            f"cuts {[cut.name for cut in cuts]}: {len(rows)} independent constraints but only {len(dependent)} "
            f"passive freedoms to satisfy them: make {len(rows) - len(dependent)} more joint(s) passive"
        )
    return Loops(tuple(cuts), tuple(int(r) for r in rows), tuple(int(d) for d in np.sort(dependent))), values


def loop_dynamics(
    tree: Tree,
    loops: Loops,
    state: BaseState,
    q: Float[Array, "positions"],
    dq: Float[Array, "freedoms"],
    acceleration: Float[Array, "freedoms"],
    torque: Float[Array, "freedoms"],
    *,
    fluid: AbstractFluid | Immersion | None = None,
    wrench: Float[Array, "bodies 6"] | None = None,
    gravity: Float[Array, "3"] | None = None,
) -> LoopDynamics:
    """Dynamics of a tree with closed loops, base floating or fixed, joints actuated or passive.

        A (dV0/dt, ddq) + h + (0, Wᵀ λ) = (0, Γ),   W ddq + (dW/dt) dq = 0           after [KR13, eqs. (13), (17)]

    With as many passive freedoms as constraints, this is inverse dynamics: λ and Γ follow from the motion. With all
    joints passive and given torques, it is direct dynamics.

    Args:
        tree: the opened mechanism.
        loops: its cut joints.
        state: pose and twist of the base.
        q: joint positions that close the loops [rad] or [m].
        dq: joint velocities that keep them closed [rad/s] or [m/s].
        acceleration: accelerations of the actuated joints; other entries are ignored [rad/s²] or [m/s²].
        torque: motor torques on the passive joints; other entries are ignored [N·m] or [N].
        fluid: fluid around the tree; None for no fluid.
        wrench: other external wrenches on each body, in the body frame [N, N·m].
        gravity: acceleration of gravity in the world [m/s²].
    """
    of_kind("loops", loops, Loops, "a multibody.Loops, from multibody.close_loops")
    parts = {"q": q, "dq": dq, "acceleration": acceleration, "torque": torque, "wrench": wrench, "gravity": gravity}
    q, dq, acceleration, torque, wrench, gravity = instant(tree, state, **parts)
    A, h = equations(tree, state, q, dq, fluid=fluid, wrench=wrench, gravity=gravity)
    W, bias = loops.jacobian(tree, q), loops.bias(tree, q, dq)
    offset, rows = (6 if tree.floating else 0), W.shape[0]
    W = jnp.concatenate([jnp.zeros((rows, offset)), W], axis=1)
    free = tree.passive_freedoms
    unknown = np.concatenate([np.arange(offset), offset + free]).astype(int)
    imposed = jnp.zeros(offset + tree.layout.freedoms).at[offset:].set(acceleration).at[offset + free].set(0.0)
    given = jnp.zeros_like(imposed).at[offset + free].set(torque[free])

    W_u = W[:, unknown]
    top = jnp.concatenate([A[np.ix_(unknown, unknown)], W_u.T], axis=1)
    matrix = jnp.concatenate([top, jnp.concatenate([W_u, jnp.zeros((rows, rows))], axis=1)])
    right = jnp.concatenate([(given - h - A @ imposed)[unknown], -bias - W @ imposed])
    solution = solve(matrix, right)
    motion = imposed.at[unknown].set(solution[: len(unknown)])
    multipliers = solution[len(unknown) :]
    effort = (A @ motion + h + W.T @ multipliers).at[unknown].set(given[unknown])
    base = motion[:6] if tree.floating else jnp.zeros(6)
    return LoopDynamics(Dynamics(base, motion[offset:], effort[offset:]), multipliers)


def _refuse_open(tree, cuts, values):
    place = configuration(tree, values)
    for cut in cuts:
        gap = np.asarray(cut.gap(tree, place))
        if not np.max(np.abs(gap)) < CLOSED:
            raise ValueError(
                f"loop {cut.name!r} between bodies {cut.first!r} and {cut.second!r} cannot close: the nearest "
                f"configuration found leaves a gap of {np.max(np.abs(gap)):.3g} [m, rad]"
            )


def _independent(columns):
    """Indices of a maximal set of independent columns."""
    from scipy.linalg import qr

    if columns.shape[0] == 0 or columns.shape[1] == 0:
        return np.zeros(0, int)
    R, order = cast(tuple[np.ndarray, np.ndarray], qr(columns, mode="r", pivoting=True))
    size = np.abs(np.diag(R))
    rank = int(np.sum(size > 1e-8 * max(size[0], 1e-300)))
    return np.sort(order[:rank])
