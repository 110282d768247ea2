"""Hover of a moth with two possibly unequal wings: it keeps its height but may drift and yaw."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from gaits import periodic_orbit
from multibody.state import BaseState, unchecked_state
from multibody.trajectory import Trajectory
from spatial import angular, linear, quaternion_conjugate, quaternion_multiply

from .hovering import STEP_LIMIT, TOLERANCE, Hover
from .stroke_maps import Flight


class DriftingHover(eqx.Module):
    """A flight that is periodic up to a horizontal displacement and a rotation about the vertical.

    Attributes:
        flight: the moth.
        amplitude: amplitude of both strokes, for which the moth keeps its height [rad].
        state: state of the thorax at t = 0, at the world's origin.
        joints: angles of the passive joints at t = 0 [rad].
        joint_rates: their velocities [rad/s].
        residual: difference between the states one stroke apart, in scaled numbers, including the change of height.
        drift: mean velocity of the thorax in the world over the first stroke [m/s].
        yaw_rate: mean yaw rate about the vertical [rad/s].
    """

    flight: Flight
    amplitude: Float[Array, ""]
    state: BaseState
    joints: Float[Array, "passive"]
    joint_rates: Float[Array, "passive"]
    residual: Float[Array, ""]
    drift: Float[Array, "3"]
    yaw_rate: Float[Array, ""]

    @property
    def unknowns(self) -> Float[Array, "n"]:
        """Initial state and amplitude as one vector of scaled numbers: an initial guess for a similar moth."""
        return _unknowns(self.flight, self.state, self.joints, self.joint_rates, self.amplitude)


def drifting_guess(hover: Hover) -> Float[Array, "n"]:
    """Unknowns of a symmetric hover as an initial guess; units as in `DriftingHover.unknowns`."""
    return _unknowns(hover.flight, hover.start.thorax, *hover.start.both_wings, hover.amplitude)


@eqx.filter_jit
def drifting_hover(
    flight: Flight, guess: Float[Array, "n"], *, tolerance: float = TOLERANCE, max_iterations: int = 30
) -> DriftingHover:
    """Periodic flight of a moth whose wings may differ; position and heading are free, the height is constant.

    Args:
        flight: the moth.
        guess: unknowns of a similar flight, from `drifting_guess` or `DriftingHover.unknowns`.
        tolerance: largest accepted residual.
        max_iterations: maximum number of Newton iterations.
    """
    orbit = periodic_orbit(
        _stroke,
        guess,
        flight,
        transient=0,
        tolerance=tolerance,
        max_iterations=max_iterations,
        step_limit=STEP_LIMIT,
    )
    state, joints, rates, amplitude = _start(flight, orbit.start)
    run = flight.fly(amplitude, state, joints, rates)
    turn = quaternion_multiply(run.quaternion[-1], quaternion_conjugate(state.quaternion))
    return DriftingHover(
        flight,
        amplitude,
        state,
        joints,
        rates,
        orbit.residual,
        run.position[-1] / flight.period,
        2.0 * jnp.arctan2(turn[3], turn[0]) / flight.period,
    )


def _stroke(unknowns: Float[Array, "n"], flight: Flight) -> Float[Array, "n"]:
    state, joints, rates, amplitude = _start(flight, unknowns)
    run = flight.fly(amplitude, state, joints, rates)
    free = flight.tree.passive_freedoms
    end = _end(run)
    after = _unknowns(flight, end, run.joints[-1][free], run.joint_rates[-1][free], amplitude)
    return after.at[-1].add(-run.position[-1, 2] / flight.period)


def _end(run: Trajectory) -> BaseState:
    return unchecked_state(run.position[-1], run.quaternion[-1], run.twist[-1])


def _unknowns(flight, state, joints, rates, amplitude):
    """Tilt, twist, joints, rates, amplitude; without heading and position."""
    w, x, y, z = state.quaternion
    # q = q_heading q_tilt; q_tilt has no component about the vertical.
    tilt = 2.0 * jnp.stack([w * x + z * y, w * y - z * x]) / (w**2 + z**2)
    omega = flight.frequency
    velocity, spin = linear(state.twist), angular(state.twist) / omega
    return jnp.concatenate([tilt, velocity, spin, joints, rates / omega, amplitude[None]])


def _start(flight, unknowns):
    omega, n = flight.frequency, len(flight.tree.passive_freedoms)
    tilt, velocity, spin, joints, rates, amplitude = jnp.split(unknowns, [2, 5, 8, 8 + n, 8 + 2 * n])
    quaternion = jnp.concatenate([jnp.ones(1), 0.5 * tilt, jnp.zeros(1)])
    state = unchecked_state(
        jnp.zeros(3), quaternion / jnp.linalg.norm(quaternion), jnp.concatenate([velocity, omega * spin])
    )
    return state, joints, omega * rates, amplitude[0]
