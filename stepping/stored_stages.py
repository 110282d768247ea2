"""Reverse mode through time, from the stages of each Runge-Kutta step that the way forth has kept.

diffrax keeps states, and on the way back runs every step again to find its stages. They are small here and the field
is dear: keeping them saves that run, and the way back compiles one derivative of the field instead of a whole step.
"""

from collections.abc import Callable
from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun
from jaxtyping import Array, Bool, Float, Int, PyTree

KEPT_STEPS = 4096  # in reverse mode; of a state of 13 numbers they are 4 MB


class Outcome(eqx.Module):
    """What an integration in time has found.

    Attributes:
        states: at the times of the record.
        steps: accepted and rejected time steps.
        reached: whether it came to the last time.
        dense: the continuous solution, when it was asked for.
    """

    states: PyTree
    steps: Int[Array, "2"]
    reached: Bool[Array, ""]
    dense: Any


def can_keep_stages(solver: diffrax.AbstractSolver) -> bool:
    """Whether a solver is an explicit Runge-Kutta method of one tableau."""
    return isinstance(solver, diffrax.AbstractERK) and isinstance(solver.tableau, diffrax.ButcherTableau)


class _ClosedField(eqx.Module):
    """A field with all that it depends on as its leaves."""

    program: Any = eqx.field(static=True)
    depends: list[Array]

    def __call__(self, t: Float[Array, ""], y: Float[Array, "n"]) -> Float[Array, "n"]:
        return jaxpr_as_fun(ClosedJaxpr(self.program, self.depends))(t, y)[0]


def closed_field(field: Callable, t: Float[Array, ""], y: Float[Array, "n"]) -> _ClosedField:
    """The field (t, y) -> dy/dt as a pytree: what it has taken from around it, traced or not, becomes visible."""
    # Not `eqx.filter_closure_convert`, which refuses to be called with arrays that are laid out over other devices.
    made = jax.make_jaxpr(field)(t, y)
    return _ClosedField(made.jaxpr, [jnp.asarray(part) for part in made.consts])


@eqx.filter_custom_vjp
def solved(
    moving: tuple[Callable, Float[Array, "n"], Float[Array, ""], Float[Array, "times"]],
    march: Callable[..., Outcome],
    jumps: Float[Array, "jumps"],
) -> Outcome:
    """Integrates dy/dt = field(t, y), with derivatives by reverse mode.

    Steps stay where they are when something moves: derivatives are those of the Runge-Kutta map on its own grid, by
    the field's parameters and the start; by the first time and the times of the record those of the solution.

    Args:
        moving: field (t, y) -> dy/dt as a pytree of all that it depends on, start, first time [s], times of record [s].
        march: a pytree that integrates, by its explicit Runge-Kutta method `solver`:
            (field, start, t0, times, dense, max_steps) -> `Outcome`.
        jumps: times past which the first stage is evaluated anew [s].
    """
    return march(*moving)


@solved.def_fwd
def _forth(perturbed, moving, march, jumps):
    found = march(*moving, dense=True, max_steps=KEPT_STEPS)
    kept = found.dense
    plain = eqx.tree_at(lambda o: o.dense, found, None)
    return plain, (kept.ts, kept.ts_size - 1, kept.infos, perturbed)


@solved.def_bwd
def _back(kept, wanted, _, moving, march, jumps):
    ts, count, infos, perturbed = kept
    field, start, _, times = moving
    solver = march.solver
    moved, fixed = eqx.partition(field, perturbed[0])
    from_record, by_times = _through_record(solver, ts, count, infos, times, wanted.states)
    a, b, c, same = _tableau(solver)
    last = len(b) - 1

    def begin(n, later):
        """The step n, before any of its stages: cotangents of its start and of its stages."""
        here = jax.tree.map(lambda part: part[jnp.maximum(n, 0)], from_record)
        end = later + here["y1"]
        return end + here["y0"], here["k"] + b[:, None] * end[None]

    def stage(carry):
        """Through one evaluation of the field."""
        n, i, by_start, by_stages, by_next, by_field = carry
        jumped, _ = _around(ts[n], jumps)
        _, end = _around(ts[n + 1], jumps)
        h = end - ts[n]
        y = infos["y0"][n] + a[i] @ infos["k"][n]
        t = jnp.where(c[i] == 1.0, end, ts[n] + c[i] * h)  # on its side of a jump, to the last digit
        pulled = h * by_stages[i] + jnp.where(i == last, by_next, 0.0)
        _, pull = jax.vjp(lambda moved, y: eqx.combine(moved, fixed)(t, y), moved, y)
        by_moved, by_y = pull(pulled)
        by_field = jax.tree.map(jnp.add, by_field, by_moved)
        by_start, by_stages = by_start + by_y, by_stages + a[i][:, None] * by_y[None]
        # Where a step's last stage is the first of the next, one evaluation stands for both.
        shared = same & ~jumped & (n > 0)
        over = i == jnp.where(shared, 1, 0)
        next_start, next_stages = begin(n - 1, by_start)
        pick = lambda new, old: jnp.where(over, new, old)  # noqa: E731
        return (
            n - over,
            pick(last, i - 1),
            pick(next_start, by_start),
            pick(next_stages, by_stages),
            pick(jnp.where(shared, h, 0.0) * by_stages[0], by_next),
            by_field,
        )

    n, nothing = count - 1, jnp.zeros_like(start)
    carry = n, jnp.full_like(n, last), *begin(n, nothing), nothing, jax.tree.map(jnp.zeros_like, moved)
    _, _, by_start, _, _, by_field = jax.lax.while_loop(lambda carry: carry[0] >= 0, stage, carry)
    by_t0 = -jnp.sum(by_start * infos["k"][0, 0]) / (ts[1] - ts[0])  # a later start from the same y
    return by_field, by_start, by_t0, by_times


def _through_record(solver, ts, count, infos, times, wanted):
    """From cotangents of the record to those of the steps (y0, y1 and k of each) and of the times."""
    step = jnp.clip(jnp.searchsorted(ts, times, side="left") - 1, 0, count - 1)

    def recorded(info, n, t):
        return solver.interpolation_cls(t0=ts[n], t1=ts[n + 1], **info).evaluate(t)

    def one(n, t, by_state):
        _, pull = jax.vjp(lambda info, t: recorded(info, n, t), jax.tree.map(lambda part: part[n], infos), t)
        return pull(by_state)

    by_info, by_times = jax.vmap(one)(step, times, wanted)
    gather = lambda part, all: jnp.zeros_like(all).at[step].add(part)  # noqa: E731
    return jax.tree.map(gather, by_info, infos), by_times


def _tableau(solver):
    """a (stages, stages), b, c of all stages, and whether the last is the first of the next step."""
    tableau = solver.tableau
    stages = len(tableau.b_sol)
    a = np.zeros((stages, stages))
    for row, values in enumerate(tableau.a_lower, start=1):
        a[row, : len(values)] = values
    return jnp.asarray(a), jnp.asarray(tableau.b_sol), jnp.asarray(np.append(0.0, tableau.c)), tableau.fsal


def _around(t, jumps):
    """Whether a step begins just past a jump, and the end of the step before it: diffrax leaves out the jump itself."""
    jump = jnp.nextafter(t, -jnp.inf)
    jumped = jnp.any(jump == jumps)
    return jumped, jnp.where(jumped, jnp.nextafter(jump, -jnp.inf), t)
