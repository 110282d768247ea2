"""Equilibrium of a soft beam: Newton's method with the exact tangent, load stepping, arc-length continuation."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from gaits.refusals import check_gait
from hydro import AbstractFluid, Void
from spatial import Numbers, finite, number, positive, quaternion_exp, quaternion_multiply, solve
from spatial.checks import integer, of_kind, refuse_if
from stepping import unstored_program

from ..panels import Panels
from ..state import HeadState, unchecked_state
from ..strain import Gait
from .equations import reduced_force
from .sampled_soft import SampledSoft, sample_soft
from .soft_beam import Soft
from .soft_loop import static_parts

FAILED = (
    "no equilibrium was found: Newton's iteration did not converge. Likely causes: the load passes a fold or a "
    "buckling load (raise `load_steps`, or follow the branch with equilibrium_path), a free strain without stiffness, "
    "or too few modes."
)


LARGEST_STEP = 1.0  # greatest change of strain times length in one iteration; longer steps may reach another branch


class Equilibrium(eqx.Module):
    """A soft beam at rest.

    Attributes:
        q: modes [-, 1/m].
        head: the head, at rest.
        factor: factor on all loads [-].
        step: greatest change of a strain in the last Newton iteration, times the length [-]; the error is at most of
            the order of its square.
        iterations: number of iterations.
        converged: whether Newton's method converged.
        tangent: derivative of the residual force with respect to head rotation and modes; symmetric for dead loads [J].
        reaction: reaction on the head, in its frame [N, N·m].
    """

    q: Float[Array, "modes"]
    head: HeadState
    factor: Float[Array, ""]
    step: Float[Array, ""]
    iterations: Int[Array, ""]
    converged: Bool[Array, ""]
    tangent: Float[Array, "m m"]
    reaction: Float[Array, "6"]


class StaticProblem(eqx.Module):
    """A soft beam in its surroundings, and the residual of its equilibrium as a function of head rotation and modes.

    Attributes:
        sampled: the body on its grids.
        gait: imposed strains; None for the rest shape.
        fluid: loads on the sections.
        head: reference pose, from which a pinned head rotates.
        t: time [s].
        command: commands of the actuators, of any unit; zero when None.
    """

    sampled: SampledSoft
    gait: Gait | None
    fluid: AbstractFluid
    head: HeadState
    t: Float[Array, ""]
    command: Float[Array, "commands"] | None = None

    @property
    def free(self) -> tuple[int, ...]:
        """Components of the head's pose that are unknown."""
        return self.sampled.soft.head.free

    @property
    def unknowns(self) -> np.ndarray:
        """Indices of the equations of head and modes to be solved."""
        return np.concatenate([self.free, 6 + np.arange(self.sampled.soft.modes)]).astype(int)

    def place(self, x: Float[Array, "m"]) -> tuple[HeadState, Float[Array, "modes"]]:
        """Head and modes from the unknowns: displacement and rotation of the head in its frame, then q."""
        h = len(self.free)
        moved = jnp.zeros(6).at[np.asarray(self.free, int)].set(x[:h], unique_indices=True)
        turned = quaternion_multiply(self.head.quaternion, quaternion_exp(moved[3:]))
        position = self.head.position + self.head.rotation @ moved[:3]
        return unchecked_state(position, turned, jnp.zeros(6)), x[h:]

    def force(self, x: Float[Array, "m"], factor: Float[Array, ""]) -> Float[Array, "m_and_given"]:
        """External minus internal force on head and modes [N, N·m, J]."""
        head, q = self.place(x)
        parts = static_parts(self.sampled, self.gait, self.fluid, head, q, self.t, factor, self.command)
        return reduced_force(parts, self.sampled.soft.components)

    def missing(self, x: Float[Array, "m"], factor: Float[Array, ""]) -> Float[Array, "m"]:
        """Residual: internal minus external force, zero in equilibrium [N·m, J]."""
        return -self.force(x, factor)[self.unknowns]

    def tangent(self, x: Float[Array, "m"], factor: Float[Array, ""]) -> Float[Array, "m m"]:
        """Exact derivative of `missing` with respect to the unknowns [N·m, J]."""
        return jax.jacfwd(self.missing)(x, factor)

    def scale(self) -> Float[Array, "m"]:
        """Factors that make the unknowns of order one: strain times length, displacement over length."""
        L, component = self.sampled.soft.length, np.asarray(self.sampled.soft.components, int)
        head = jnp.where(np.asarray(self.free, int) < 3, 1.0 / L, 1.0)
        return jnp.concatenate([head, jnp.where(component < 3, 1.0, L)])


def static_problem(
    soft: Soft,
    fluid: AbstractFluid | None = None,
    *,
    gait: Gait | None = None,
    head: HeadState | None = None,
    t: Numbers = 0.0,
    command: Numbers | None = None,
    path: Panels | None = None,
) -> StaticProblem:
    """The equilibrium of a soft beam as a root-finding problem. Arguments as in `equilibrium`."""
    fluid, state, path = checked_model(soft, gait, fluid, head, path)
    time = number("t", t)
    if soft.modes == 0:
        raise ValueError("soft has no free strain: its shape is the gait's")
    if any(k < 3 for k in soft.head.free):
        raise ValueError(
            "equilibrium: the head is free to drift, and nothing decides where it rests: clamp or pin it "
            "(Soft(..., head=cosserat.Clamped()))"
        )
    sampled = sample_soft(soft, fluid, path.order, path.panels)
    given = checked_command(soft, command)
    return StaticProblem(sampled, gait, fluid, soft.head.held(state, time)[0], time, given)


def checked_model(
    soft: Soft, gait: Gait | None, fluid: AbstractFluid | None, head: HeadState | None, path: Panels | None
) -> tuple[AbstractFluid, HeadState, Panels]:
    """Checks the types of the arguments; returns fluid, head and path, with defaults for None."""
    fluid, state = Void() if fluid is None else fluid, HeadState() if head is None else head
    path = Panels() if path is None else path
    for name, value, wanted, words in (
        ("soft", soft, Soft, "a cosserat.Soft"),
        ("fluid", fluid, AbstractFluid, "a hydro fluid, such as hydro.Weight(1000.0), or None"),
        ("head", state, HeadState, "a cosserat.HeadState, or None"),
        ("path", path, Panels, "a cosserat.Panels, or None"),
    ):
        of_kind(name, value, wanted, words)
    if gait is not None:
        check_gait(gait)
    return fluid, state, path


def checked_command(soft: Soft, command: Numbers | None) -> Float[Array, "commands"]:
    """The commands of the actuators as an array, of any unit; zero when None."""
    return jnp.zeros(soft.commands) if command is None else finite("command", command, (soft.commands,))


def equilibrium(
    soft: Soft,
    fluid: AbstractFluid | None = None,
    *,
    gait: Gait | None = None,
    head: HeadState | None = None,
    t: Numbers = 0.0,
    command: Numbers | None = None,
    guess: Numbers | None = None,
    factor: Numbers = 1.0,
    load_steps: int = 1,
    path: Panels | None = None,
    tolerance: float = 1e-9,
    max_iterations: int = 40,
    throw: bool = True,
) -> Equilibrium:
    """Equilibrium shape of a soft beam under its loads. jit-, vmap- and grad-safe.

    It is found by Newton's method with the exact tangent. Derivatives with respect to all parameters of the body, the
    law and the loads follow from the implicit function theorem.

    Args:
        soft: the beam; its head must be clamped, pinned or moved.
        fluid: loads on the sections, such as `hydro.Weight`; none when None.
        gait: imposed strains; the rest shape when None.
        head: pose of the head; at the world's origin when None.
        t: time of gait, loads and muscles [s].
        command: commands of the actuators, of any unit; zero when None.
        guess: initial unknowns: head rotation [rad] (pinned) and modes [-, 1/m], in the section frame; zero when None.
        factor: factor on all loads of the soft beam, but not on those of the fluid [-].
        load_steps: number of equal steps in which the factor grows to its value.
        path: space path; `Panels()` when None.
        tolerance: change of a strain times the length in one iteration at which the iteration has converged [-].
        max_iterations: maximum number of Newton iterations in each load step.
        throw: raise if no equilibrium is found; otherwise check `converged`.

    Example:
        A rod rolled up by a moment at its tail:

        >>> import cosserat, jax.numpy as jnp
        >>> rod = cosserat.rod(length=1.0, b=0.01, c=0.01)
        >>> soft = cosserat.Soft(rod, cosserat.FreeStrains(modes={"K3": 2}), cosserat.Springs([1, 1, 1, 1, 1, 2.0]),
        ...     loads=cosserat.EndLoad(moment=[0, 0, 4 * jnp.pi]), head=cosserat.Clamped())
        >>> round(float(cosserat.equilibrium(soft).q[0]), 9)  # K3 = M / EI
        6.283185307
    """
    problem = static_problem(soft, fluid, gait=gait, head=head, t=t, command=command, path=path)
    size = len(problem.unknowns)
    start = jnp.zeros(size) if guess is None else finite("guess", guess, (size,))
    load_steps, max_iterations = integer("load_steps", load_steps, 1), integer("max_iterations", max_iterations, 1)
    tolerance = float(positive("tolerance", tolerance, shape=()))
    found = _equilibrium(problem, start, number("factor", factor), load_steps, tolerance, max_iterations)
    if not throw:
        return found
    return refuse_if(found, ~found.converged, FAILED)


@unstored_program
def _equilibrium(problem, start, goal, load_steps, tolerance, max_iterations):
    """The compiled part of `equilibrium`."""
    fixed = jax.tree.map(lambda leaf: jax.lax.stop_gradient(leaf) if eqx.is_array(leaf) else leaf, problem)

    def raised(carry, share):
        x, count, good, _, _ = carry
        x, step, taken, slope = _newton(
            lambda x: fixed.missing(x, share * jax.lax.stop_gradient(goal)),
            x,
            fixed.scale(),
            tolerance,
            max_iterations,
        )
        return (x, count + taken, good & (step <= tolerance), step, slope), None

    shares = jnp.arange(1.0, load_steps + 1.0) / load_steps
    size = start.shape[0]
    ready = (jax.lax.stop_gradient(start), jnp.asarray(0), jnp.asarray(True), jnp.asarray(0.0), jnp.eye(size))
    (x, count, converged, step, slope), _ = jax.lax.scan(raised, ready, shares)
    x, slope = jax.lax.stop_gradient((x, slope))
    # Implicit function theorem: one more Newton step, from which the value is removed, has the exact derivative.
    invertible = jnp.where(converged, slope, jnp.eye(size))
    correction = -solve(invertible, problem.force(x, goal)[problem.unknowns])
    x = x - (correction - jax.lax.stop_gradient(correction))
    head, q = problem.place(x)
    return Equilibrium(q, head, goal, step, count, converged, slope, -problem.force(x, goal)[:6])


class EquilibriumPath(eqx.Module):
    """Equilibria along a branch, past folds.

    Attributes:
        factor: factor on the loads at each point [-].
        q: modes [-, 1/m].
        least: smallest eigenvalue of the tangent's symmetric part [J]; negative if unstable, under dead loads.
        converged: whether Newton's method converged at each point.
    """

    factor: Float[Array, "points"]
    q: Float[Array, "points modes"]
    least: Float[Array, "points"]
    converged: Bool[Array, "points"]


def equilibrium_path(
    soft: Soft,
    fluid: AbstractFluid | None = None,
    *,
    arc: Numbers,
    points: int = 50,
    gait: Gait | None = None,
    head: HeadState | None = None,
    t: Numbers = 0.0,
    command: Numbers | None = None,
    guess: Numbers | None = None,
    factor: Numbers = 0.0,
    path: Panels | None = None,
    tolerance: float = 1e-9,
    max_iterations: int = 30,
    throw: bool = True,
) -> EquilibriumPath:
    """Follows a branch of equilibria by arc-length continuation, past folds of the load. jit- and vmap-safe.

    The arc length is measured in the space of strains times the length and the load factor.

    Args:
        soft: the beam.
        fluid: loads on the sections; none when None.
        arc: arc length of a step [-]; negative to start with a decreasing factor.
        points: number of points of the branch after the first.
        gait: imposed strains; the rest shape when None.
        head: pose of the head; at the world's origin when None.
        t: time of gait, loads and muscles [s].
        command: commands of the actuators, of any unit; zero when None.
        guess: unknowns near the first equilibrium, as in `equilibrium`; zero when None.
        factor: factor on the loads at the first equilibrium [-].
        path: space path; `Panels()` when None.
        tolerance: as in `equilibrium`.
        max_iterations: maximum number of Newton iterations at each point.
        throw: raise if a point is not found; otherwise check `converged`.
    """
    problem = static_problem(soft, fluid, gait=gait, head=head, t=t, command=command, path=path)
    points, max_iterations = integer("points", points, 1), integer("max_iterations", max_iterations, 1)
    tolerance = float(positive("tolerance", tolerance, shape=()))
    arc = finite("arc", arc, ())
    size = len(problem.unknowns)
    start = jnp.zeros(size) if guess is None else finite("guess", guess, (size,))
    begin = number("factor", factor)
    found = _path(problem, start, begin, arc, points, tolerance, max_iterations)
    if not throw:
        return found
    return refuse_if(found, ~jnp.all(found.converged), FAILED)


@unstored_program
def _path(problem, start, factor, arc, points, tolerance, max_iterations):
    """The compiled part of `equilibrium_path`."""
    size, h = len(problem.unknowns), len(problem.free)
    scale = jnp.append(problem.scale(), 1.0)
    first, step, _, _ = _newton(lambda x: problem.missing(x, factor), start, problem.scale(), tolerance, max_iterations)

    def missing(y):  # residual as a function of scaled unknowns and factor
        return problem.missing(y[:-1] / scale[:-1], y[-1])

    def direction(slope, before):
        """Unit tangent of the branch, oriented like the previous one."""
        along = solve(jnp.concatenate([slope, before[None]]), jnp.zeros(size + 1).at[-1].set(1.0))
        return along / jnp.linalg.norm(along)

    def advance(carry, _):
        y, slope, before = carry
        along = direction(slope, before)
        ahead = y + jnp.abs(arc) * along

        def augmented(z):
            return jnp.append(missing(z), along @ (z - ahead))

        z, step, _, slope = _newton(augmented, ahead, jnp.ones(size + 1), tolerance, max_iterations)
        tangent = slope[:-1, :-1] * scale[None, :-1]
        least = jnp.linalg.eigvalsh(0.5 * (tangent + tangent.T))[0]
        return (z, slope[:-1], along), (z, step <= tolerance, least)

    begin = jnp.append(first * scale[:-1], factor)
    outward = jnp.zeros(size + 1).at[-1].set(jnp.sign(arc))  # the factor grows first if arc > 0
    slope = jax.jacfwd(missing)(begin)
    tangent = slope[:, :-1] * scale[None, :-1]
    least = jnp.linalg.eigvalsh(0.5 * (tangent + tangent.T))[:1]
    _, (found, good, lasts) = jax.lax.scan(advance, (begin, slope, outward), length=points)
    everywhere = jnp.concatenate([begin[None], found])
    x, factors = everywhere[:, :-1] / scale[None, :-1], everywhere[:, -1]
    converged = jnp.append(step <= tolerance, good)
    return EquilibriumPath(factors, x[:, h:], jnp.concatenate([least, lasts]), converged)


def _newton(
    missing: Callable[[Float[Array, "n"]], Float[Array, "n"]],
    x: Float[Array, "n"],
    scale: Float[Array, "n"],
    tolerance: float,
    max_iterations: int,
) -> tuple[Float[Array, "n"], Float[Array, ""], Int[Array, ""], Float[Array, "n n"]]:
    """Newton's method: root, last scaled step, number of iterations, and Jacobian at the root.

    A step that does not reduce the residual is halved. The function is called in only one place, because compiling it
    dominates the cost.
    """

    def with_slope(x):
        def twice(x):
            value = missing(x)
            return value, value

        slope, value = jax.jacfwd(twice, has_aux=True)(x)
        return value, slope

    def unfinished(carry):
        _, _, _, _, step, share, count = carry
        return (count < max_iterations) & ((count == 0) | (step > tolerance)) & (share > 1e-6)

    def iterate(carry):
        best, value, slope, newton, step, share, count = carry
        size = jnp.max(jnp.abs(scale * newton))
        trial = best + share * newton * jnp.minimum(1.0, LARGEST_STEP / jnp.maximum(size, 1e-300))
        trial_value, trial_slope = with_slope(trial)
        # Near the root round-off dominates the residual: full steps are accepted.
        smaller = (jnp.linalg.norm(trial_value) < jnp.linalg.norm(value)) | (size < 1e-6)
        better = jnp.all(jnp.isfinite(trial_value)) & ((count == 0) | smaller)
        best, value, slope = (
            jnp.where(better, new, old) for new, old in ((trial, best), (trial_value, value), (trial_slope, slope))
        )
        step = jnp.where(better & (count > 0), share * size, jnp.inf)
        share = jnp.where(better, 1.0, 0.5 * share)
        return best, value, slope, -solve(slope, value), step, share, count + 1

    n = x.shape[0]
    ready = (x, jnp.zeros(n), jnp.eye(n), jnp.zeros(n), jnp.asarray(jnp.inf), jnp.asarray(1.0), jnp.asarray(0))
    best, _, slope, _, step, _, count = jax.lax.while_loop(unfinished, iterate, ready)
    return best, jnp.where(jnp.isfinite(step), step, jnp.inf), count, slope
