"""Reverse-mode adjoint that stores the Runge-Kutta stages.

diffrax's own reverse mode stores states, and on the backward pass repeats every step to find its stages. Here stages
are small and evaluating the vector field dominates the cost: storing them saves that repetition, and the backward pass
compiles one derivative of the field instead of a whole step.
"""

import itertools
from collections.abc import Callable
from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun
from jaxtyping import Array, Float

from .flat_state import FlatState
from .tableaus import Tableau

STORED_STEPS = 4096  # default limit of stored steps; 4 MB for a state of 13 numbers


class StoredStages(diffrax.AbstractAdjoint):
    """Reverse mode for explicit Runge-Kutta methods of diffrax, which stores the stages on the forward pass.

    The time steps are held fixed. Derivatives with respect to the initial state and the parameters of the field are
    those of the Runge-Kutta map with these steps; derivatives with respect to the first time and the output times are
    those of the solution.

    It is used like any adjoint of diffrax, with `SaveAt(ts=...)` and a state that is one vector or a tuple of vectors:

    >>> import diffrax, jax, jax.numpy as jnp
    >>> from stepping import StoredStages
    >>> def end(rate):
    ...     field = diffrax.ODETerm(lambda t, y, _: -rate * y)
    ...     made = diffrax.diffeqsolve(field, diffrax.Dopri5(), 0.0, 1.0, 0.1, jnp.ones(1),
    ...         saveat=diffrax.SaveAt(ts=jnp.ones(1)), adjoint=StoredStages(),
    ...         stepsize_controller=diffrax.PIDController(1e-8, 1e-8))
    ...     return made.ys[-1, 0]
    >>> print(round(float(jax.grad(end)(2.0)), 6))
    -0.135335

    Attributes:
        max_steps: maximum number of steps whose stages are stored; a longer run reports that it took too many steps.
    """

    max_steps: int = eqx.field(static=True, default=STORED_STEPS)

    def loop(
        self, *, args, terms, solver, saveat, t0, max_steps, init_state, stepsize_controller, event, throw, **kwargs
    ):
        """Called by diffrax.

        Args:
            args: further arguments of the field.
            terms: the field.
            solver: an explicit Runge-Kutta method of one tableau.
            saveat: output times.
            t0: first time [s].
            max_steps: maximum number of steps.
            init_state: initial state of the loop.
            stepsize_controller: step size controller.
            event: must be None.
            throw: not used.
            kwargs: passed on.
        """
        del throw
        record = saveat.subs
        if not stores_stages(solver):
            raise ValueError(f"solver = {solver!r}: StoredStages needs an explicit Runge-Kutta method of one tableau")
        if event is not None or not isinstance(record, diffrax.SubSaveAt) or record.ts is None or saveat.dense:
            raise ValueError("StoredStages takes SaveAt(ts=...) alone, without events, dense output or other records")
        parts = init_state.y if isinstance(init_state.y, tuple) else (init_state.y,)
        if not all(eqx.is_array(part) and part.ndim == 1 for part in parts):
            raise ValueError("StoredStages: the state must be vectors; see jax.flatten_util.ravel_pytree")
        field = closed_field(lambda t, y: terms.vf(t, y, args), t0, init_state.y)
        moving = field, init_state.y, t0, record.ts
        forward = _Forward(solver, stepsize_controller, max_steps, kwargs)
        rest = eqx.tree_at(lambda s: s.y, init_state, None)
        found, stats = _solve(moving, *_constant((forward, rest)), self.max_steps)
        return jax.tree.map(_plain_integer, found), stats


class _Forward(eqx.Module):
    """diffrax's loop with everything bound that is not differentiated."""

    solver: diffrax.AbstractSolver
    controller: diffrax.AbstractStepSizeController
    max_steps: int | None = eqx.field(static=True)
    options: dict[str, Any]

    def __call__(self, moving, state, dense=False, max_steps=None):
        field, start, t0, times = moving
        return diffrax.ForwardMode().loop(
            args=None,
            terms=diffrax.ODETerm(lambda t, y, _: field(t, y)),
            solver=self.solver,
            stepsize_controller=self.controller,
            saveat=diffrax.SaveAt(ts=times, dense=dense),
            t0=t0,
            max_steps=self.max_steps if max_steps is None else max_steps,
            init_state=eqx.tree_at(lambda s: s.y, state, start, is_leaf=lambda x: x is None),
            event=None,
            throw=False,
            **self.options,
        )


def _plain_integer(x):
    """Removes the empty tangent that a custom derivative gives to arrays of integers or booleans."""
    # Otherwise diffrax's check of the result would be differentiated, for which equinox has no rule.
    if not eqx.is_array(x) or eqx.is_inexact_array(x):
        return x
    return jax.lax.stop_gradient(x.astype(float)).astype(x.dtype)


def _constant(tree):
    """The tree with derivatives stopped at its arrays."""
    arrays, rest = eqx.partition(tree, eqx.is_inexact_array)
    return eqx.combine(jax.lax.stop_gradient(arrays), rest)


@eqx.filter_custom_vjp
def _solve(moving, forward, state, stored):
    return forward(moving, state)


@_solve.def_fwd
def _solve_forward(perturbed, moving, forward, state, stored):
    field, start, _, _ = moving
    term = diffrax.ODETerm(lambda t, y, _: field(t, y))
    at = (state.tprev, state.tnext, start, None, state.solver_state, state.made_jump)
    info = eqx.filter_eval_shape(forward.solver.step, term, *at)[2]
    most = stored if forward.max_steps is None else min(stored, forward.max_steps)
    buffers = (
        jnp.full(most + 1, jnp.inf, float),
        jax.tree.map(lambda x: jnp.full((most, *x.shape), jnp.inf, x.dtype), info),
        0,
    )
    where = lambda s: (s.dense_ts, s.dense_infos, s.dense_save_index)  # noqa: E731
    with_buffers = eqx.tree_at(where, state, buffers, is_leaf=lambda x: x is None)
    found, stats = forward(moving, with_buffers, dense=True, max_steps=most)
    ts, infos, count = where(found)
    plain = eqx.tree_at(where, found, (None, None, None))
    return (plain, stats), (ts, count, infos, perturbed)


@_solve.def_bwd
def _solve_backward(kept, wanted, _, moving, forward, state, stored):
    ts, count, infos, perturbed = kept
    field, start, _, times = moving
    infos = {name: _joined(part) for name, part in infos.items()}
    solver = forward.solver
    jumps = getattr(forward.controller, "jump_ts", None)
    jumps = jnp.zeros(0) if jumps is None else jumps
    moved, fixed = eqx.partition(field, perturbed[0])
    by_states = _joined(_without_none(wanted[0].save_state.ys, start, times.shape))
    from_record, by_times = _through_record(solver, ts, count, infos, times, by_states)
    a, b, c, same = _tableau(solver)
    last = len(b) - 1

    def begin(n, later):
        """Cotangents of the start and of the stages of step n, before any stage is pulled back."""
        # There is no step before the first one: for n = -1 the record contributes nothing, and `later` is unchanged.
        here = jax.tree.map(lambda part: jnp.where(n >= 0, part[jnp.maximum(n, 0)], 0.0), from_record)
        end = later + here["y1"]
        return end + here["y0"], here["k"] + b[:, None] * end[None]

    def stage(carry):
        """Pulls back one evaluation of the field."""
        n, i, by_start, by_stages, by_next, by_field = carry
        jumped, _ = _around(ts[n], jumps)
        _, end = _around(ts[n + 1], jumps)
        h = end - ts[n]
        y = infos["y0"][n] + a[i] @ infos["k"][n]
        t = jnp.where(c[i] == 1.0, end, ts[n] + c[i] * h)  # exact, so that it lies on the correct side of a jump
        pulled = h * by_stages[i] + jnp.where(i == last, by_next, 0.0)
        rates = lambda moved, y: _joined(eqx.combine(moved, fixed)(t, _split(y, start)))  # noqa: E731
        _, pull = jax.vjp(rates, moved, y)
        by_moved, by_y = pull(pulled)
        by_field = jax.tree.map(jnp.add, by_field, by_moved)
        by_start, by_stages = by_start + by_y, by_stages + a[i][:, None] * by_y[None]
        # If the last stage of a step is the first of the next, it is evaluated once for both.
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

    n, nothing = count - 1, jnp.zeros_like(_joined(start))
    carry = n, jnp.full_like(n, last), *begin(n, nothing), nothing, jax.tree.map(jnp.zeros_like, moved)
    _, _, by_start, _, _, by_field = jax.lax.while_loop(lambda carry: carry[0] >= 0, stage, carry)
    by_t0 = -jnp.sum(by_start * infos["k"][0, 0]) / (ts[1] - ts[0])  # effect of a later start from the same y
    return by_field, _split(by_start, start), by_t0, by_times


def _joined(state):
    """The vectors of a state one after the other."""
    return jnp.concatenate(state, axis=-1) if isinstance(state, tuple) else state


def _split(entries, like):
    """The state whose vectors, of the lengths of those of `like`, have these entries."""
    if not isinstance(like, tuple):
        return entries
    return tuple(jnp.split(entries, list(itertools.accumulate(part.shape[0] for part in like[:-1]))))


def _without_none(cotangents, start, times):
    """Cotangents of states at some times, zero where a state is not used."""
    zero = lambda found, part: jnp.zeros((*times, *part.shape)) if found is None else found  # noqa: E731
    return jax.tree.map(zero, cotangents, start, is_leaf=lambda x: x is None)


def stores_stages(solver: diffrax.AbstractSolver) -> bool:
    """Whether a solver is an explicit Runge-Kutta method of one tableau."""
    return isinstance(solver, diffrax.AbstractERK) and isinstance(solver.tableau, diffrax.ButcherTableau)


class _ClosedField(eqx.Module):
    """A vector field as a pytree whose leaves are all arrays that it depends on."""

    program: Any = eqx.field(static=True)
    depends: list[Array]

    def __call__(self, t: Float[Array, ""], y: FlatState) -> FlatState:
        rates = jaxpr_as_fun(ClosedJaxpr(self.program, self.depends))(t, *jax.tree.leaves(y))
        return tuple(rates) if isinstance(y, tuple) else rates[0]


def closed_field(field: Callable, t: Float[Array, ""], y: FlatState) -> _ClosedField:
    """The field (t, y) -> dy/dt as a pytree whose leaves are the arrays that it closes over, traced or not."""
    # Not `eqx.filter_closure_convert`: its result cannot be called with arrays that are sharded over other devices.
    made = jax.make_jaxpr(field)(t, y)
    return _ClosedField(made.jaxpr, [jnp.asarray(part) for part in made.consts])


def _through_record(solver, ts, count, infos, times, wanted):
    """Cotangents of the steps (y0, y1 and k of each) and of the output times, from the cotangents of the output."""
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
    """a, b, c of all stages, and whether the last stage is the first of the next step."""
    table = Tableau.of(solver)
    return jnp.asarray(table.a), jnp.asarray(table.b), jnp.asarray(table.c), solver.tableau.fsal


def _around(t, jumps):
    """Whether a step begins just after a jump, and where the step before it ends: diffrax skips the jump itself."""
    jump = jnp.nextafter(t, -jnp.inf)
    jumped = jnp.any(jump == jumps)
    return jumped, jnp.where(jumped, jnp.nextafter(jump, -jnp.inf), t)
