"""Equilibrium, stability and righting moment of a floating tree of fixed shape."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool, Float

from hydro import FreeSurface
from spatial import Numbers, cross, finite, join, matrix_from_quaternion, quaternion_exp, quaternion_multiply
from spatial.checks import integer, of_kind, positive, refuse_if, shown
from stepping import unstored_program

from .arguments import check_tree
from .energy import centre_of_mass, mass
from .floating_hulls import Hulls, displaced_volume, frozen
from .hybrid import mass_matrix
from .state import BaseState, unchecked_state
from .tree import Tree

UNBALANCED = 1e-6  # greatest residual of heave and trim on a righting curve, relative to the weight
DRIFTING = (
    "righting_curve: heave and trim have not reached equilibrium at some of the angles. Likely causes: a robot that "
    "hardly floats, or a hull with sharp edges."
)
LONGEST = np.array([0.02, 0.2, 0.2])  # maximum Newton step in heave [m], roll and pitch [rad]


class Equilibrium(eqx.Module):
    """A shape at rest on the water.

    Attributes:
        state: pose of the base, at rest.
        coordinates: height of the centre of mass in the world [m], roll and pitch [rad]; see `floating_state`.
        residual: largest remaining force relative to the weight [-], and moment relative to the weight times one metre.
        stiffness: second derivatives of the potential energy in these coordinates, in world axes [N/m, N, N·m].
        frequencies: frequencies of small oscillations in these coordinates, about world axes, in increasing order
            [Hz]; negative for an unstable mode, with the magnitude of its growth rate over 2π.
        stable: whether the equilibrium is a minimum of the energy.
        converged: whether the residual is below the tolerance.
    """

    state: BaseState
    coordinates: Float[Array, "3"]
    residual: Float[Array, ""]
    stiffness: Float[Array, "3 3"]
    frequencies: Float[Array, "3"]
    stable: Bool[Array, ""]
    converged: Bool[Array, ""]


def floating_state(
    tree: Tree, q: Float[Array, "positions"], coordinates: Float[Array, "3"], heading: Float[Array, ""] | float = 0.0
) -> BaseState:
    """State of the base at rest, with R = Ry(pitch) Rx(roll) Rz(heading) and the centre of mass on the world z axis.

    Args:
        tree: the tree.
        q: joint positions [rad] or [m].
        coordinates: height of the centre of mass in the world [m], roll about the long axis, pitch of that axis [rad].
        heading: rotation about z of the base, which selects the long axis of the body; x when zero [rad].
    """
    return _floating(_centre_in_base(tree, q), coordinates, heading)


def _floating(centre, coordinates, heading):
    height, roll, pitch = coordinates
    turn = lambda axis, angle: quaternion_exp(jnp.zeros(3).at[axis].set(angle))  # noqa: E731
    quaternion = quaternion_multiply(turn(1, pitch), quaternion_multiply(turn(0, roll), turn(2, heading)))
    arm = matrix_from_quaternion(quaternion) @ centre
    return unchecked_state(jnp.zeros(3).at[2].set(height) - arm, quaternion, jnp.zeros(6))


def _centre_in_base(tree, q):
    return centre_of_mass(tree, unchecked_state(jnp.zeros(3), jnp.eye(4)[0], jnp.zeros(6)), q)


def equilibrium(
    tree: Tree,
    q: Numbers,
    surface: FreeSurface,
    *,
    guess: Numbers | None = None,
    heading: Numbers = 0.0,
    hulls: Hulls | None = None,
    tolerance: float = 1e-12,
    max_iterations: int = 60,
) -> Equilibrium:
    """Finds the equilibrium of the shape by Newton's method on the potential energy.

    The steps use the absolute values of the energy's curvatures, so that the energy decreases from any initial guess.
    A guess that is already an equilibrium is returned unchanged, whether stable or not.

    Args:
        tree: the tree.
        q: fixed joint positions [rad] or [m].
        surface: the water.
        guess: height of the centre of mass in the world [m], roll and pitch [rad]; when None, upright with the centre
            of mass at the water level.
        heading: see `floating_state` [rad].
        hulls: closed shapes of the bodies; when None, the sections of the links are used.
        tolerance: largest accepted residual.
        max_iterations: maximum number of steps.

    Raises:
        ValueError: the robot is heavier than the water it can displace.
    """
    check_tree(tree)
    q = finite("q", q, (tree.layout.positions,))
    guess = None if guess is None else finite("guess", guess, (3,))
    tolerance = float(positive("tolerance", tolerance, shape=()))
    max_iterations = integer("max_iterations", max_iterations, 1)
    heading = finite("heading", heading, ())
    _check_hulls(hulls)
    refuse_sinking(tree, surface)
    start = jnp.zeros(3).at[0].set(surface.level) if guess is None else guess
    return _equilibrium(tree, q, surface, start, heading, hulls, tolerance, max_iterations)


def _check_hulls(hulls):
    if hulls is not None:
        of_kind("hulls", hulls, Hulls, "a multibody.Hulls, from multibody.hulls, or None")


def refuse_sinking(tree: Tree, surface: FreeSurface) -> None:
    """Raises if there is no surface, or if the robot is heavier than the water it displaces."""
    if not isinstance(surface, FreeSurface):
        raise ValueError(f"surface = {shown(surface)}: must be a hydro.FreeSurface, on which the bodies float")
    weight, water = mass(tree), surface.density * displaced_volume(tree)
    if isinstance(weight, Tracer) or isinstance(water, Tracer):
        return  # a missing equilibrium is then reported as not converged
    if weight >= water:
        raise ValueError(
            f"the robot sinks: its mass {float(weight):.4g} kg is not below the {float(water):.4g} kg of water that "
            "its bodies displace: no equilibrium on the surface"
        )


class _Hydrostatics:
    """Energy of gravity and buoyancy of a fixed shape, and its gradient, as functions of the floating coordinates."""

    def __init__(self, tree, q, surface, heading, hulls):
        self.shape = frozen(tree, surface, q) if hulls is None else hulls.frozen(tree, surface, q)
        self.inertia = mass_matrix(tree, q)[:6, :6]
        self.weight, self.level = mass(tree) * surface.gravity, surface.level
        self.centre, self.heading = _centre_in_base(tree, q), heading

    def energy(self, x):
        return self.weight * (x[0] - self.level) + self.shape.potential(self.state(x))

    def slope(self, x):
        """Gradient of the energy, which is minus the generalised force of buoyancy and weight."""
        state = self.state(x)
        pull = self.weight * state.rotation[2]
        load = self.shape.wrench(state) - join(pull, cross(self.centre, pull))
        return -self.twists(x)[:, 2:5].T @ load

    def state(self, x):
        return _floating(self.centre, x, self.heading)

    def twists(self, x):
        """Twists of the base for unit rates of x, y, height, roll, pitch and heading, as columns."""
        R, (_, across, up) = self.state(x).rotation, jnp.eye(3)
        arm = R @ self.centre
        along = jnp.stack([jnp.cos(x[2]), jnp.zeros(()), -jnp.sin(x[2])])  # axis of roll in the world
        still = jnp.zeros(3)
        twist = lambda velocity, spin: join(R.T @ (velocity - cross(spin, arm)), R.T @ spin)  # noqa: E731
        slides = [twist(e, still) for e in jnp.eye(3)]
        return jnp.stack(slides + [twist(still, spin) for spin in (along, across, up)], axis=1)

    def mobility(self, x):
        """J M⁻¹ Jᵀ for height, roll and pitch, with horizontal motion and heading free."""
        J = self.twists(x)
        return jnp.linalg.inv(J.T @ self.inertia @ J)[2:5, 2:5]


@unstored_program
def _equilibrium(tree, q, surface, start, heading, hulls, tolerance, max_iterations):
    shape = _Hydrostatics(tree, q, surface, heading, hulls)
    x, residual, stiffness = _descend(shape.energy, shape.slope, start, shape.weight, tolerance, max_iterations)
    # Small oscillations with horizontal motion free: ω² of (J M⁻¹ Jᵀ) K.
    square = jnp.sort(jnp.real(jnp.linalg.eigvals(shape.mobility(x) @ stiffness)))
    frequencies = jnp.sign(square) * jnp.sqrt(jnp.abs(square)) / (2.0 * jnp.pi)
    stable = jnp.linalg.eigvalsh(stiffness)[0] > 0
    return Equilibrium(shape.state(x), x, residual, stiffness, frequencies, stable, residual <= tolerance)


def _descend(energy, slope, x, weight, tolerance, max_iterations):
    """Newton steps with positive curvature, limited in length and halved until the energy decreases.

    Returns:
        The final coordinates, the residual relative to the weight, and the second derivatives.
    """
    longest = jnp.asarray(LONGEST[: x.shape[0]])

    def unfinished(carry):
        k, _, g, _ = carry
        return (k < max_iterations) & (jnp.max(jnp.abs(g)) > 0.1 * tolerance * weight)

    def step(carry):
        k, x, g, curvature = carry
        values, vectors = jnp.linalg.eigh(0.5 * (curvature + curvature.T))
        size = jnp.maximum(jnp.abs(values), 1e-6 * weight)
        move = -vectors @ ((vectors.T @ g) / size)
        move = move / jnp.maximum(1.0, jnp.max(jnp.abs(move) / longest))
        shares = 0.5 ** jnp.arange(12)
        trials = jax.lax.map(lambda s: energy(x + s * move), shares)
        # The last term allows for round-off: near convergence it exceeds the change of energy.
        falls = trials <= energy(x) + 1e-4 * shares * jnp.dot(g, move) + 1e-13 * weight
        x = x + jnp.where(jnp.any(falls), shares[jnp.argmax(falls)], 0.0) * move
        return k + 1, x, *slope_and_curvature(x)

    def slope_and_curvature(x):
        g, along = jax.linearize(slope, x)
        return g, jax.vmap(along, out_axes=1)(jnp.eye(x.shape[0]))

    _, x, g, curvature = jax.lax.while_loop(unfinished, step, (0, x, *slope_and_curvature(x)))
    return x, jnp.max(jnp.abs(g)) / weight, curvature


class RightingCurve(eqx.Module):
    """Righting moment of a heeled robot.

    Attributes:
        roll: heel about the long axis [rad].
        arm: restoring moment divided by the weight [m]; positive reduces a positive heel.
        energy: potential energy divided by the weight, relative to its minimum on the curve [m].
        height: height of the centre of mass in the world [m].
        pitch: trim [rad].
    """

    roll: Float[Array, "angles"]
    arm: Float[Array, "angles"]
    energy: Float[Array, "angles"]
    height: Float[Array, "angles"]
    pitch: Float[Array, "angles"]


def righting_curve(
    tree: Tree,
    q: Numbers,
    surface: FreeSurface,
    roll: Numbers,
    *,
    heading: Numbers = 0.0,
    hulls: Hulls | None = None,
) -> RightingCurve:
    """Righting arm over heel, with heave and trim free at each angle.

    Args:
        tree: the tree.
        q: fixed joint positions [rad] or [m].
        surface: the water.
        roll: angles of heel about the long axis, selected by `heading` [rad].
        heading: see `floating_state` [rad].
        hulls: closed shapes of the bodies; when None, the sections of the links are used.
    """
    check_tree(tree)
    q, angles = finite("q", q, (tree.layout.positions,)), finite("roll", roll, (None,))
    if angles.shape == (0,):
        raise ValueError("roll = []: must not be empty")
    heading = finite("heading", heading, ())
    _check_hulls(hulls)
    refuse_sinking(tree, surface)
    curve, residual = _righting(tree, q, surface, angles, heading, hulls)
    return refuse_if(curve, jnp.any(~(residual <= UNBALANCED)), DRIFTING)


@unstored_program
def _righting(tree, q, surface, angles, heading, hulls):
    shape = _Hydrostatics(tree, q, surface, heading, hulls)
    weight, held = shape.weight, np.array([0, 2])

    def at(roll):
        full = lambda x: jnp.stack([x[0], roll, x[1]])  # noqa: E731
        energy, slope = lambda x: shape.energy(full(x)), lambda x: shape.slope(full(x))[held]  # noqa: E731
        start = jnp.zeros(2).at[0].set(surface.level)
        x, residual, _ = _descend(energy, slope, start, weight, 1e-11, 60)
        return shape.slope(full(x))[1] / weight, energy(x) / weight, x, residual

    arm, energy, x, residual = jax.lax.map(at, angles)
    return RightingCurve(angles, arm, energy - jnp.min(energy), x[:, 0], x[:, 1]), residual
