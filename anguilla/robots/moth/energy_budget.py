"""Energy budget of a stroke of the moth: works, impulses, and the published figures."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from multibody.coordinates import law_motion
from multibody.energy import mass, power
from multibody.immersion import Immersion, fluid_wrenches, immerse
from multibody.kinematics import configuration, own_twists, spread_accelerations, spread_twists
from multibody.newton_euler import Dynamics
from multibody.small_matrices import apply, product
from multibody.state import BaseState
from multibody.trajectory import Trajectory
from multibody.tree import Tree
from spatial import linear

from .hovering import Hover
from .stroke_maps import Flight


class Accounts(eqx.Module):
    """Averages over one stroke.

    Attributes:
        motor_power: power of the right and the left stroke motor [W].
        damper_loss: power dissipated by the joint dampers [W].
        drag_loss: power dissipated by drag [W].
        lift_power: power received from lift [W]; zero, because lift is normal to the velocity.
        convective_power: power of the convective load of the added mass [W]; zero for this form of the load.
        air_force: force of the air on the moth in the world, including added mass [N].
        weight: weight of the moth [N].
        mass: mass of the moth [kg].
    """

    motor_power: Float[Array, "2"]
    damper_loss: Float[Array, ""]
    drag_loss: Float[Array, ""]
    lift_power: Float[Array, ""]
    convective_power: Float[Array, ""]
    air_force: Float[Array, "3"]
    weight: Float[Array, ""]
    mass: Float[Array, ""]

    @property
    def energy_defect(self) -> Float[Array, ""]:
        """Motor work minus all losses, relative to the motor work [-]."""
        given = jnp.sum(self.motor_power)
        return (given - self.damper_loss - self.drag_loss) / given

    @property
    def weight_defect(self) -> Float[Array, ""]:
        """Mean vertical force of the air minus the weight, relative to the weight [-]."""
        return self.air_force[2] / self.weight - 1.0

    @property
    def specific_power(self) -> Float[Array, ""]:
        """Power of both motors per mass of the moth [W/kg]."""
        return jnp.sum(self.motor_power) / self.mass


@eqx.filter_jit
def accounts(hover: Hover, steps: int | None = None) -> tuple[Accounts, Trajectory]:
    """Simulates one stroke of a hover and integrates its energy budget along with the motion.

    Args:
        hover: the flight.
        steps: number of time steps, each recorded; those of the flight when None.
    """
    old = hover.flight
    flight = Flight(old.tree, old.air, old.frequency, old.gravity, old.steps if steps is None else steps)
    run = flight.fly(
        hover.amplitude,
        hover.start.thorax,
        *hover.start.both_wings,
        samples=flight.steps + 1,
        integrand=StrokeIntegrand(flight.tree, immerse(flight.tree, flight.air)),
    )
    mean = run.integrals[-1] / flight.period
    total = mass(flight.tree)
    weight = total * jnp.linalg.norm(flight.gravity)
    return Accounts(mean[:2], mean[2], mean[3], mean[4], mean[5], mean[6:9], weight, total), run


class StrokeIntegrand(eqx.Module):
    """Powers [W] and the force of the air [N], in the order of `Accounts`.

    Attributes:
        tree: the tree.
        medium: the air.
    """

    tree: Tree
    medium: Immersion

    def __call__(
        self,
        t: Float[Array, ""],
        state: BaseState,
        q: Float[Array, "positions"],
        dq: Float[Array, "freedoms"],
        motion: Dynamics,
    ) -> Float[Array, "9"]:
        """Value at one instant."""
        received = power(self.tree, state, q, dq, motion.torque, fluid=self.medium)
        of_air = [received.fluid.get(name, jnp.zeros(())) for name in ("drag", "lift", "added_mass")]
        force = jnp.sum(air_forces(self.tree, self.medium, state, q, dq, motion), axis=0)
        scalars = jnp.stack([-jnp.sum(received.dampers), -of_air[0], of_air[1], of_air[2]])
        return jnp.concatenate([received.motors[self.tree.actuated_freedoms], scalars, force])


def air_forces(
    tree: Tree,
    medium: Immersion,
    state: BaseState,
    q: Float[Array, "positions"],
    dq: Float[Array, "freedoms"],
    motion: Dynamics,
) -> Float[Array, "bodies 3"]:
    """Force of the air on each body in the world, including added inertia [N]."""
    place = configuration(tree, q)
    twist = own_twists(place, spread_twists(tree, place, state.twist, dq))
    rates = motion.base_acceleration[None, :] + spread_accelerations(tree, place, state.twist, dq, motion.acceleration)
    load = -apply(medium.added_inertia, own_twists(place, rates))
    for term in fluid_wrenches(tree, medium.fluid, state, place, twist).values():
        load = load + term
    head = jnp.broadcast_to(state.rotation, place.rotation.shape)
    return apply(product(head, place.rotation), linear(load))


class Figures(eqx.Module):
    """Quantities that [PBB13, IV.C] publishes for its hover; amplitudes are half the peak-to-peak value.

    Attributes:
        amplitude: amplitude of the stroke [rad].
        forward: amplitude of the thorax along n [m].
        upward: amplitude of the thorax along a [m].
        pitch: amplitude of the pitch [rad].
        twist: amplitude of the twist of the right wing's tip, summed over all twist joints [rad].
        twist_lag: phase lag of its first harmonic behind the stroke [rad].
        bend: amplitude of the bending of the tip, summed over all bend joints [rad].
        bend_lag: phase lag behind the stroke [rad].
        torque: peak torque of a stroke motor [N·m].
        power: mean power of one motor [W].
        specific_power: power of both motors per mass [W/kg].
    """

    amplitude: Float[Array, ""]
    forward: Float[Array, ""]
    upward: Float[Array, ""]
    pitch: Float[Array, ""]
    twist: Float[Array, ""]
    twist_lag: Float[Array, ""]
    bend: Float[Array, ""]
    bend_lag: Float[Array, ""]
    torque: Float[Array, ""]
    power: Float[Array, ""]
    specific_power: Float[Array, ""]


@eqx.filter_jit
def stroke_torques(hover: Hover, run: Trajectory) -> Float[Array, "times 2"]:
    """Torques of the right and the left stroke motor along a recorded stroke [N·m]."""
    flight = hover.flight
    tree = flight.tree
    drive = flight.drive(hover.amplitude)

    def torque(k):
        t, q, dq = run.time[k], run.joints[k], run.joint_rates[k]
        motion = drive.dynamics(tree, t, run.state(k), q, dq, law_motion(tree, drive.law, t)[2])
        return motion.torque[tree.actuated_freedoms]

    return jax.lax.map(torque, jnp.arange(run.time.shape[0]))


def hover_figures(hover: Hover, means: Accounts, run: Trajectory) -> Figures:
    """Computes the published quantities from a recorded stroke.

    Args:
        hover: the flight.
        means: its energy budget.
        run: the stroke, at evenly spaced times from 0 to one period.
    """
    tree = hover.flight.tree
    pitch = 2.0 * jnp.arctan2(run.quaternion[:, 1], run.quaternion[:, 0])
    tip = {motion: tip_angle(tree, run.joints, motion) for motion in ("twist", "bend")}
    return Figures(
        amplitude=hover.amplitude,
        forward=half_range(run.position[:, 1]),
        upward=half_range(run.position[:, 2]),
        pitch=half_range(pitch),
        twist=half_range(tip["twist"]),
        twist_lag=_lag(tip["twist"]),
        bend=half_range(tip["bend"]),
        bend_lag=_lag(tip["bend"]),
        torque=jnp.max(jnp.abs(stroke_torques(hover, run))),
        power=jnp.mean(means.motor_power),
        specific_power=means.specific_power,
    )


def half_range(signal: Float[Array, "times"]) -> Float[Array, ""]:
    """Amplitude of a signal in any unit: half its peak-to-peak value."""
    return 0.5 * (jnp.max(signal) - jnp.min(signal))


def tip_angle(
    tree: Tree, joints: Float[Array, "times positions"], motion: str, side: str = "right"
) -> Float[Array, "times"]:
    """Sum of the "twist" or "bend" angles of one wing [rad]."""
    rows = [k for k, name in enumerate(tree.joint_names) if name.startswith(f"{side}_{motion}")]
    return jnp.sum(joints[:, np.asarray(rows, int)], axis=1)


def _lag(signal: Float[Array, "times"]) -> Float[Array, ""]:
    """Phase lag of the first harmonic behind cos ωt [rad]; the last sample is one period after the first."""
    phase = 2.0 * jnp.pi * jnp.arange(signal.shape[0] - 1) / (signal.shape[0] - 1)
    return jnp.arctan2(jnp.sum(signal[:-1] * jnp.sin(phase)), jnp.sum(signal[:-1] * jnp.cos(phase)))
