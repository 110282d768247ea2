"""Positions of ideal wheels on beams and trees, and the planar mechanics of these bodies."""

import abc
from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from cosserat import Beam, HeadState
from cosserat.panels import Panels
from cosserat.sampled_body import SampledBody
from cosserat.section_motion import body_shape
from cosserat.strain import Gait
from hydro import AbstractFluid
from multibody import Immersion, JointLaw, Tree, configuration, law_motion
from multibody.newton_euler import motor_torques, newton_euler
from spatial import Numbers, cross, finite, increasing, matrix_from_quaternion
from spatial.checks import integer, sequence, shown
from spatial.printing import Printed

from .axles import PLANAR, Axles


class Wheels(Printed):
    """Wheels on a beam, their axles along t2: their sections do not slip sideways.

    Attributes:
        abscissae: increasing X of the wheels [m].

    Example:
        >>> from anguilla import ground
        >>> ground.Wheels([0.1, 0.4, 0.8]).abscissae.shape
        (3,)
    """

    abscissae: Float[Array, "wheels"]

    def __init__(self, abscissae: Numbers):
        if isinstance(abscissae, Sequence) and len(abscissae) == 0:
            raise ValueError("Wheels.abscissae = []: needs at least one wheel; without any, use cosserat.rollout")
        self.abscissae = increasing("Wheels.abscissae", abscissae, "m")

    @classmethod
    def everywhere(cls, beam: Beam, count: int = 12) -> "Wheels":
        """Wheels evenly along the whole body, which approximate continuous contact.

        Only follow-the-leader motion, K̇3 = V1 K3', is consistent; the curvature at the head is then the only input.
        """
        count = integer("Wheels.everywhere: count", count, 3)
        return cls(beam.length * (np.arange(count) + 0.5) / count)

    def check(self, beam: Beam, path: Panels) -> None:
        """Rejects wheels off the body, and wheels closer together than the nodes of the shape."""
        if isinstance(self.abscissae, Tracer) or isinstance(beam.length, Tracer):
            return
        X, length = np.asarray(self.abscissae), float(beam.length)
        if X.size and (X[0] < 0.0 or X[-1] > length):
            raise ValueError(f"Wheels.abscissae = {X.tolist()}: must lie on the body, between 0 and {length:g} [m]")
        grid = length / (path.order * path.counts[0])
        if X.size > 1 and np.diff(X).min() < grid:
            raise ValueError(
                f"Wheels.abscissae = {X.tolist()}: two wheels are {np.diff(X).min():g} m apart, nearer than the "
                f"{grid:g} m between the nodes of the body's shape: use one wheel, or more cosserat.Panels(panels=...)"
            )


class TreeWheels(Printed):
    """Wheels on the bodies of a tree.

    Attributes:
        bodies: names of the bodies that carry them.
        position: points of contact in the frames of the bodies [m].
        axle: unit vectors along the axles, in the frames of the bodies.
    """

    bodies: tuple[str, ...] = eqx.field(static=True)
    position: Float[Array, "wheels 3"]
    axle: Float[Array, "wheels 3"]

    def __init__(self, bodies: Sequence[str], position: Numbers | None = None, axle: Numbers = (0.0, 1.0, 0.0)):
        """Creates wheels.

        Args:
            bodies: names of the bodies.
            position: points of contact in the frames of the bodies, one for each wheel or one for all [m]; the origin
                when None.
            axle: directions of the axles in the frames of the bodies, one for each wheel or one for all.
        """
        self.bodies = (bodies,) if isinstance(bodies, str) else sequence("TreeWheels.bodies", bodies, "names of bodies")
        if any(not isinstance(name, str) for name in self.bodies):
            raise ValueError(f"TreeWheels.bodies = {shown(bodies)}: must be names of bodies")
        if not self.bodies:
            raise ValueError("TreeWheels.bodies = (): needs at least one wheel; without any, use multibody.rollout")
        self.position = _for_each("position", jnp.zeros(3) if position is None else position, len(self.bodies))
        axle = _for_each("axle", axle, len(self.bodies))
        self.axle = axle / jnp.linalg.norm(axle, axis=1, keepdims=True)

    def rows(self, tree: Tree) -> np.ndarray:
        """Indices of the bodies."""
        for name in self.bodies:
            if name not in tree.names:
                raise ValueError(f"TreeWheels.bodies: {name!r} is not a body of the tree {tree.names}")
        return np.array([tree.names.index(name) for name in self.bodies], int)


def _for_each(name, value, count):
    array = finite(f"TreeWheels.{name}", value)
    if array.shape not in ((3,), (count, 3)):
        raise ValueError(
            f"TreeWheels.{name} has shape {array.shape}: must be (3,), or ({count}, 3), one for each wheel"
        )
    return jnp.broadcast_to(array, (count, 3))


class AbstractRoller(eqx.Module):
    """Interface of a body on wheels whose shape is imposed."""

    @abc.abstractmethod
    def axles(self, t: Float[Array, ""]) -> Axles:
        """The wheels at a time [s], in the head frame."""

    @abc.abstractmethod
    def equations(self, state: HeadState, t: Float[Array, ""]) -> tuple[Float[Array, "6 6"], Float[Array, "6"]]:
        """Inertia and wrench of inertia @ d(twist)/dt = wrench + wheel forces, in the head frame [kg, N, N·m]."""

    def planar_equations(self, state: HeadState, t: Float[Array, ""]) -> tuple[Float[Array, "3 3"], Float[Array, "3"]]:
        """The rows and columns of V1, V2 and Ω3; the ground balances the others."""
        inertia, wrench = self.equations(state, t)
        rows = np.array(PLANAR)
        return inertia[np.ix_(rows, rows)], wrench[rows]

    @property
    @abc.abstractmethod
    def length(self) -> Float[Array, ""]:
        """Characteristic length of the body [m]."""

    @property
    @abc.abstractmethod
    def law(self) -> Gait | JointLaw:
        """The law that imposes the shape."""


class RollingBeam(AbstractRoller):
    """A beam on wheels."""

    body: SampledBody
    gait: Gait
    fluid: AbstractFluid
    path: Panels
    from_smooth: Float[Array, "nodes wheels"]

    def axles(self, t):
        """The wheels, interpolated from the nodes of the shape."""
        shape = body_shape(self.body, self.gait, t)[1]
        at = lambda field: (field @ self.from_smooth).T  # noqa: E731
        quaternion = at(shape.quaternion)
        quaternion = quaternion / jnp.linalg.norm(quaternion, axis=1, keepdims=True)
        normal = matrix_from_quaternion(quaternion)[:, :, 1]
        turning = cross(at(shape.spin), normal)
        return Axles(normal, at(shape.position), turning, at(shape.velocity), at(shape.acceleration))

    def equations(self, state, t):
        """Inertia and wrench of the first space loop of the beam."""
        found = self.path.head_dynamics(self.body, self.gait, self.fluid, state, t)
        return found.inertia, found.wrench

    @property
    def length(self):
        """Length of the beam at rest [m]."""
        return self.body.beam.length

    @property
    def law(self):
        """The gait."""
        return self.gait


class RollingTree(AbstractRoller):
    """A tree on wheels, all joints imposed."""

    tree: Tree
    joint_law: JointLaw
    medium: Immersion
    wheels: TreeWheels

    def axles(self, t):
        """The wheels; their rates are time derivatives of the contact points under the joint law."""
        rows = self.wheels.rows(self.tree)

        def contacts(t):
            place = configuration(self.tree, law_motion(self.tree, self.joint_law, t)[0])
            point = place.position[rows] + jnp.einsum("wij,wj->wi", place.rotation[rows], self.wheels.position)
            return point, jnp.einsum("wij,wj->wi", place.rotation[rows], self.wheels.axle)

        along = lambda t: jax.jvp(contacts, (t,), (jnp.ones_like(t),))  # noqa: E731
        ((point, normal), (velocity, turning)), (_, (acceleration, _)) = jax.jvp(along, (t,), (jnp.ones_like(t),))
        return Axles(normal, point, turning, velocity, acceleration)

    def equations(self, state, t):
        """Composite inertia and wrench of the tree about its base."""
        balance = self._balance(state, t, None)[0]
        return jnp.sum(balance.inertia, axis=0), -jnp.sum(balance.wrench, axis=0)

    def torques(
        self, state: HeadState, t: Float[Array, ""], rate: Float[Array, "6"], force: Float[Array, "wheels"]
    ) -> Float[Array, "freedoms"]:
        """Motor torques of the imposed joint motion under the wheel forces [N·m]."""
        rows = self.wheels.rows(self.tree)
        push = force[:, None] * self.wheels.axle
        wrench = jnp.concatenate([push, cross(self.wheels.position, push)], axis=1)
        wrench = jax.ops.segment_sum(wrench, rows, self.tree.layout.bodies)
        balance, (q, dq, ddq) = self._balance(state, t, wrench)
        needed = balance.wrench + jnp.einsum("bij,j->bi", balance.inertia, rate)
        return motor_torques(self.tree, balance.place, needed, q, dq, ddq)

    def _balance(self, state, t, wrench):
        joints = law_motion(self.tree, self.joint_law, t)
        return newton_euler(self.tree, state, *joints, fluid=self.medium.at(t), wrench=wrench), joints

    @property
    def length(self):
        """Sum of the distances from joint to joint [m]."""
        return jnp.maximum(jnp.sum(jnp.linalg.norm(self.tree.position, axis=1)), 1e-3)

    @property
    def law(self):
        """The joint law."""
        return self.joint_law
