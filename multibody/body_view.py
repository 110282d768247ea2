"""View of a tree at one instant, from which sensors read."""

from jaxtyping import Array, Float

from gaits.feedback.body_view import AbstractBodyView, Place, nth_thread
from hydro import AbstractFluid
from hydro.streams import water_velocity

from .cables import Cable, pull
from .kinematics import configuration, own_twists, spread_accelerations, spread_twists
from .newton_euler import Dynamics
from .state import BaseState
from .tree import Tree


class TreeView(AbstractBodyView):
    """A tree at one instant.

    Attributes:
        t: the instant [s].
        tree: the tree.
        base: pose and twist of the base.
        q: joint positions [rad or m].
        dq: joint velocities [rad/s or m/s].
        fluid: the fluid around the bodies.
        found: accelerations and torques; None before the dynamics are solved.
        cables: cables between the bodies.
        command: commands of the cables, in any unit; None before the controller is evaluated.
    """

    t: Float[Array, ""]
    tree: Tree
    base: BaseState
    q: Float[Array, "positions"]
    dq: Float[Array, "freedoms"]
    fluid: AbstractFluid
    found: Dynamics | None = None
    cables: tuple[Cable, ...] = ()
    command: Float[Array, "commands"] | None = None

    def pose(self, at: Place = None) -> tuple[Float[Array, "3"], Float[Array, "3 3"]]:
        """Position in the world [m] and axes in the world, as columns."""
        if at is None:
            return self.base.position, self.base.rotation
        body, place = self._body(at), configuration(self.tree, self.q)
        rotation = self.base.rotation @ place.rotation[body]
        return self.base.position + self.base.rotation @ place.position[body], rotation

    def twist(self, at: Place = None) -> Float[Array, "6"]:
        """Velocity (V, Ω) in the frame of the body [m/s, rad/s]."""
        if at is None:
            return self.base.twist
        place = configuration(self.tree, self.q)
        return own_twists(place, spread_twists(self.tree, place, self.base.twist, self.dq))[self._body(at)]

    def twist_rate(self, at: Place = None) -> Float[Array, "6"]:
        """d(twist)/dt in the frame of the body [m/s², rad/s²]."""
        found = self._found()
        if at is None:
            return found.base_acceleration
        place = configuration(self.tree, self.q)
        spread = spread_accelerations(self.tree, place, self.base.twist, self.dq, found.acceleration)
        return own_twists(place, found.base_acceleration[None] + spread)[self._body(at)]

    def water(self, at: Place = None) -> Float[Array, "3"]:
        """Velocity of the undisturbed water, in the world [m/s]."""
        return water_velocity(self.fluid, self.pose(at)[0], self.t)

    def joint(self, name: str) -> tuple[Float[Array, "_"], Float[Array, "_"]]:
        """Positions [rad or m] and velocities [rad/s or m/s] of a joint."""
        k, table = self._joint(name), self.tree.layout
        positions = slice(int(table.position_start[k]), int(table.position_start[k + 1]))
        return self.q[positions], self.dq[self._freedoms(k)]

    def torque(self, name: str) -> Float[Array, "_"]:
        """Motor torques of a joint [N·m or N]."""
        return self._found().torque[self._freedoms(self._joint(name))]

    def thread(self, number: int) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, ""]]:
        """Length [m], rate [m/s] and tension [N] of a cable."""
        return nth_thread(number, pull(self.tree, self.cables, self.t, self.base, self.q, self.dq, self.command))

    def _found(self):
        if self.found is None:
            raise ValueError("accelerations follow from the command: they are read through a filter, as Accelerometer")
        return self.found

    def _freedoms(self, joint):
        table = self.tree.layout
        return slice(int(table.freedom_start[joint]), int(table.freedom_start[joint + 1]))

    def _body(self, at):
        if not isinstance(at, str):
            raise ValueError(f"at = {at!r}: a place on a tree is the name of a body, or None for the base")
        if at not in self.tree.names:
            raise ValueError(f"at = {at!r}: must be a body of this tree, one of {', '.join(self.tree.names)}")
        return self.tree.names.index(at)

    def _joint(self, name):
        if name not in self.tree.joint_names:
            raise ValueError(f"joint {name!r}: must be a joint of this tree, one of {', '.join(self.tree.joint_names)}")
        return self.tree.joint_names.index(name)
