"""Simulated measurements for `gaits.identify`: tracked markers, inertial sensors and torques."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import AbstractFluid, Void
from spatial import Numbers, cross, finite, increasing, matrix_from_quaternion, quaternion_exp
from spatial.checks import of_kind, refuse_if
from spatial.printing import Printed
from stepping import AbstractMotion, unstored_program

from .beam import Beam
from .body_fields import internal_wrench
from .head_equation import check_model
from .panels import Panels
from .shape import still_shape
from .state import HeadState, unchecked_state
from .strain import Gait
from .trajectory import Trajectory


class InitialState(Printed):
    """An initial state in independent coordinates, for identification.

    >>> import anguilla, cosserat
    >>> start = cosserat.InitialState(rotation=[0.0, 0.0, 0.3])
    >>> start.head.quaternion.round(4).tolist()
    [0.9888, 0.0, 0.0, 0.1494]

    Attributes:
        position: position of the nose in the world [m].
        rotation: rotation vector of the head in the world [rad].
        twist: twist of the head, in its frame [m/s, rad/s].
    """

    position: Float[Array, "3"]
    rotation: Float[Array, "3"]
    twist: Float[Array, "6"]

    def __init__(
        self,
        position: Numbers = (0.0, 0.0, 0.0),
        rotation: Numbers = (0.0, 0.0, 0.0),
        twist: Numbers = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    ):
        self.position = finite("position", position, (3,))
        self.rotation = finite("rotation", rotation, (3,))
        self.twist = finite("twist", twist, (6,))

    @property
    def head(self) -> HeadState:
        """The initial state for `rollout`."""
        return unchecked_state(self.position, quaternion_exp(self.rotation), self.twist)


class Inertial(eqx.Module):
    """Readings of inertial sensors.

    Attributes:
        gyro: angular velocity in the section frame [rad/s].
        accelerometer: acceleration minus gravity, in the section frame [m/s²].
    """

    gyro: Float[Array, "times sensors 3"]
    accelerometer: Float[Array, "times sensors 3"]


def markers(
    beam: Beam, gait: Gait, run: Trajectory, X: Numbers, path: Panels | None = None
) -> Float[Array, "times markers 3"]:
    """Positions of markers on the midline in the world [m], as tracked by a camera.

    >>> import anguilla, cosserat, gaits, hydro
    >>> beam, gait = cosserat.eel(), gaits.planar()
    >>> run = cosserat.rollout(beam, gait, hydro.Morison(), t1=0.5, samples=3)
    >>> cosserat.markers(beam, gait, run, [0.0, 0.5, 1.0, 2.0]).shape  # times, markers, axes
    (3, 4, 3)

    Args:
        beam: the body.
        gait: strain law of the run.
        run: motion of the head.
        X: abscissae of the markers [m].
        path: grid of the shape; one panel when None.
    """
    _check(beam, gait, None, run)
    path = Panels() if path is None else path
    of_kind("path", path, Panels, "a cosserat.Panels, or None")
    return _markers(path.sample(beam, Void()), gait, _on_body(beam, X), (run.time, run.position, run.quaternion))


@unstored_program
def _markers(body, gait, X, motion):
    here = body.stations(X).from_smooth

    def at(now):
        t, position, quaternion = now
        shape = still_shape(jax.vmap(lambda x: gait(x, t))(body.X), body.panel_integral)
        return position[None] + (matrix_from_quaternion(quaternion) @ (shape.position @ here)).T

    return jax.lax.map(at, motion)


def inertial_sensors(
    beam: Beam, gait: Gait, fluid: AbstractFluid | None, run: Trajectory, X: Numbers, gravity: Numbers = (0.0, 0.0, 0.0)
) -> Inertial:
    """Readings of gyroscopes and accelerometers that are fixed to the sections at X.

    Args:
        beam: the body.
        gait: strain law of the run.
        fluid: fluid of the run.
        run: motion of the head.
        X: abscissae of the sensors [m].
        gravity: acceleration of gravity in the world [m/s²], such as `hydro.EARTH`.
    """
    _check(beam, gait, fluid, run)
    return _inertial(beam, gait, fluid, _motion(run), _on_body(beam, X), finite("gravity", gravity, (3,)))


@unstored_program
def _inertial(beam, gait, fluid, motion, X, g):
    def at(now):
        t, state = now
        fields = internal_wrench(beam, gait, fluid, state, t, stations=X)
        V, spin = fields.twist[:, :3], fields.twist[:, 3:]
        acceleration = fields.twist_rate[:, :3] + cross(spin, V)
        rotation = matrix_from_quaternion(fields.quaternion)
        return Inertial(spin, acceleration - jnp.einsum("sij,i->sj", rotation, g))

    return jax.lax.map(at, motion)


def torques(
    beam: Beam, gait: Gait, fluid: AbstractFluid | None, run: Trajectory, X: Numbers
) -> Float[Array, "times sections 3"]:
    """Internal moments that the head side exerts on the tail side at X, in the section frames [N·m].

    Args:
        beam: the body.
        gait: strain law of the run.
        fluid: fluid of the run.
        run: motion of the head.
        X: abscissae of the sections [m].
    """
    _check(beam, gait, fluid, run)
    return _torques(beam, gait, fluid, _motion(run), _on_body(beam, X))


@unstored_program
def _torques(beam, gait, fluid, motion, X):
    moment = lambda now: internal_wrench(beam, gait, fluid, now[1], now[0], stations=X).moment  # noqa: E731
    return jax.lax.map(moment, motion)


def _motion(run):
    """Times and states of the head."""
    return run.time, unchecked_state(run.position, run.quaternion, run.twist)


def _check(beam, gait, fluid, run):
    check_model(beam, gait, Void() if fluid is None else fluid, None)
    of_kind("beam", beam, Beam, "a cosserat.Beam")
    of_kind("run", run, AbstractMotion, "a motion of the head, as cosserat.rollout returns")


def _on_body(beam, X):
    """Increasing abscissae on the body [m]."""
    X = jnp.asarray(increasing("X", X, "m"))
    return refuse_if(X, (X[0] < 0.0) | (X[-1] > beam.length), "X must lie between the nose (0) and the tail [m]")
