"""Simulation of a tree with labelled output and units."""

from collections.abc import Sequence
from typing import Any

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from gaits.feedback.labels import with_feedback
from gaits.feedback.steered import LOST, Steered
from hydro import AbstractFluid, GeneralSection, Void
from spatial import Numbers, angular, finite, linear
from spatial.checks import number, positive
from stepping import SimulationError, raise_if_failed, raise_if_not_finite, short_program
from stepping.labels import HEAD, OWN_AXES, Label, attributes, coordinates, labelled, words
from stepping.progress import bar, say_compiling, waiting
from stepping.provenance import with_provenance

from .cables import Cable, check_cables, pull
from .coordinates import JointLaw, check_law, law_motion
from .drive import Drive, Torque, Wrench
from .energy import centre_of_mass, kinetic_energy, mass, momentum, potential_energy, power
from .immersion import fluid_wrenches, immerse, water_along
from .kinematics import configuration, own_twists, spread_twists
from .loops import Loops
from .small_matrices import apply, product
from .state import BaseState
from .strips import half_sizes
from .trajectory import FAILED, Trajectory, driven_law, rollout
from .tree import Tree

# name: (dimensions, unit, meaning)
VARIABLES: dict[str, Label] = HEAD | {
    "position": (("time", "body", "axis"), "m", "origin of each body frame in the world"),
    "rotation": (("time", "body", "axis", "body_axis"), "1", "axes of each body in the world, as columns"),
    "body_twist": (("time", "body", "twist"), "m/s, rad/s", "velocity of each body in its own frame"),
    "joint_position": (("time", "coordinate"), "rad or m", "joint positions"),
    "joint_velocity": (("time", "freedom"), "rad/s or m/s", "joint velocities"),
    "joint_acceleration": (("time", "freedom"), "rad/s^2 or m/s^2", "joint accelerations"),
    "torque": (("time", "freedom"), "N m or N", "torques of the motors"),
    "motor_power": (("time", "freedom"), "W", "power each motor delivers to the bodies"),
    "tension": (("time", "thread"), "N", "tension of each cable at its first point"),
    "thread_length": (("time", "thread"), "m", "length of each cable"),
    "thread_rate": (("time", "thread"), "m/s", "rate of the length of each cable"),
    "muscle_power": (("time",), "W", "power cables deliver to the bodies"),
    "joint_dissipation": (("time",), "W", "power lost to joint dampers and friction"),
    "potential_energy": (("time",), "J", "energy of joint springs and of weight"),
    "load_power": (("time",), "W", "power other external wrenches deliver to the bodies"),
    "parent": (("body",), "1", "index of the parent of each body; -1 for the base"),
    "torque_limit": (("freedom",), "N m or N", "greatest torque of each motor"),
    "speed_limit": (("freedom",), "rad/s or m/s", "greatest rate of each joint"),
    "position_lower": (("freedom",), "rad or m", "least position of each joint"),
    "position_upper": (("freedom",), "rad or m", "greatest position of each joint"),
    "shape_body": (("shape_point",), "1", "number of the body that each section belongs to"),
    "shape_position": (("shape_point", "body_axis"), "m", "centre of each section in the frame of its body"),
    "shape_rotation": (("shape_point", "body_axis", "shape_axis"), "1", "axes of each section, as columns"),
    "shape_length": (("shape_point",), "m", "length of link represented by each section"),
    "shape_b": (("shape_point",), "m", "half width of the section along its second axis"),
    "shape_c": (("shape_point",), "m", "half height of the section along its third axis"),
    "shape_fullness": (("shape_point",), "1", "area of the section relative to its width times height"),
}


@with_provenance("multibody.simulate", state=lambda _: BaseState(), solver=lambda _: diffrax.Dopri5())
def simulate(
    tree: Tree,
    law: JointLaw | Steered | None,
    fluid: AbstractFluid | None = None,
    t1: float = 10.0,
    *,
    t0: float = 0.0,
    state: BaseState | None = None,
    joints: Numbers | None = None,
    joint_rates: Numbers | None = None,
    torque: Torque | None = None,
    wrench: Wrench | None = None,
    actuators: Cable | Sequence[Cable] = (),
    gravity: Numbers | None = None,
    loops: Loops | None = None,
    samples: int = 201,
    times: Numbers | None = None,
    solver: diffrax.AbstractSolver | None = None,
    rtol: float = 1e-6,
    atol: float = 1e-8,
    controller: diffrax.AbstractStepSizeController | None = None,
    dt0: float | None = None,
    max_steps: int = 100_000,
    progress: bool = True,
) -> xr.Dataset:
    """Simulates a tree from t0 to t1 and returns its motion, torques, fluid loads and energies.

    >>> import anguilla, hydro
    >>> import multibody as mb
    >>> hinge = mb.revolute(axis=(0.0, 1.0, 0.0), name="hinge", actuated=False)
    >>> arm = mb.Link("arm", "wall", hinge, mass=1.0, centre=(0.5, 0.0, 0.0))
    >>> tree = mb.from_links([mb.Link("wall"), arm], base="fixed")
    >>> fall = mb.simulate(tree, None, t1=0.1, samples=3, gravity=hydro.EARTH, progress=False)
    >>> fall.kinetic_energy.dims, fall.kinetic_energy.units
    (('time',), 'J')

    Args:
        tree: the tree.
        law: t -> positions of the actuated joints [rad] or [m]; None if all joints are passive. For a `gaits.Steered`
            law, the command and the sensor readings are also recorded.
        fluid: the fluid around the bodies; None for no fluid.
        t1: last time [s].
        t0: first time [s].
        state: state of the base at t0; at rest at the world's origin when None.
        joints: positions of the passive joints at t0 [rad or m]; neutral when None.
        joint_rates: velocities of the passive joints at t0 [rad/s or m/s]; zero when None.
        torque: (t, q, dq) -> motor torques; only those of passive joints are used [N·m].
        wrench: (t, state, q, dq) -> other external wrenches on the bodies, each in its frame [N, N·m].
            Integrators step onto its `break_times` [s], if it has any, and onto those of a torque.
        actuators: cables between the bodies, see `Cable`.
        gravity: acceleration of gravity in the world [m/s²]; None for no gravity.
        loops: closed loops of the mechanism, from `close_loops`.
        samples: number of evenly spaced output times, both ends included.
        times: increasing output times between t0 and t1 [s], instead of `samples`.
        solver: diffrax solver; `Dopri5()` when None.
        rtol: relative tolerance of the adaptive time step.
        atol: absolute tolerance of the adaptive time step.
        controller: diffrax step size controller, instead of the tolerances.
        dt0: first (or constant) time step [s].
        max_steps: maximum number of time steps.
        progress: print progress, with a progress bar for runs longer than a few seconds.

    Returns:
        A dataset over `time`, `body` and `freedom`. Every variable has `units` and `long_name`. Each fluid load is a
        separate variable (`fluid_drag`, ...), with its power (`power_drag`, ...).

    Raises:
        SimulationError: the integration stopped before t1; the message says when, and the likely causes.
    """
    if not isinstance(law, Steered):
        check_law(tree, law)
    t0, t1 = float(number("t0", t0)), float(number("t1", t1))
    rtol = float(positive("rtol", rtol, shape=()))
    say_compiling(progress)
    trajectory = rollout(
        tree,
        law,
        fluid,
        t1,
        t0=t0,
        state=state,
        joints=joints,
        joint_rates=joint_rates,
        torque=torque,
        wrench=wrench,
        actuators=actuators,
        gravity=gravity,
        loops=loops,
        samples=samples,
        times=times,
        solver=solver,
        rtol=rtol,
        atol=atol,
        controller=controller,
        dt0=dt0,
        max_steps=max_steps,
        throw=False,
        progress=bar(progress, _foreseen(tree, loops, t1 - t0, rtol)),
    )
    steered, law = law, driven_law(law, trajectory)
    moving = jnp.concatenate([trajectory.twist, trajectory.joint_rates], axis=1)
    if trajectory.feedback is not None and not bool(trajectory.feedback.sound):
        raise SimulationError(LOST)
    raise_if_failed(trajectory.succeeded, trajectory.time, moving, trajectory.steps, FAILED)
    weight = None if gravity is None else finite("gravity", gravity, (3,))
    medium, cables = immerse(tree, Void() if fluid is None else fluid), check_cables(tree, actuators)
    commanded = steered.torque if isinstance(steered, Steered) else None
    drive = Drive(law, medium, torque, wrench, weight, loops, cables, commanded)
    record = recorded(tree, drive, trajectory, rtol=rtol, atol=atol, progress=progress)
    return with_feedback(record, steered, trajectory.feedback)


def _foreseen(tree: Tree, loops: Loops | None, duration: float, rtol: float) -> float:
    """Estimated computing time of a run [s] on a typical machine, for a gait of one cycle per second."""
    if loops is not None or tree.passive_freedoms.size:
        return np.inf  # springs and free joints determine the step: no estimate is possible
    return duration * 2e-4 * tree.layout.bodies * (1e-6 / rtol) ** 0.2


def recorded(
    tree: Tree,
    drive: Drive,
    trajectory: Trajectory,
    *,
    rtol: float = float("nan"),
    atol: float = float("nan"),
    progress: bool = False,
) -> xr.Dataset:
    """Labelled record of an existing trajectory, as returned by `simulate`.

    Args:
        tree: the tree.
        drive: everything that acted on the tree.
        trajectory: the motion of the tree.
        rtol: relative tolerance of the time integration; NaN for constant steps.
        atol: absolute tolerance of the time integration; NaN for constant steps.
        progress: print a message while recording.
    """
    with waiting("recording ...", progress):
        fields = jax.block_until_ready(_record(tree, drive, trajectory))
    raise_if_not_finite(fields, trajectory.time)
    fluid = drive.medium.fluid
    return _dataset(tree, None if isinstance(fluid, Void) else fluid, fields, trajectory, rtol, atol)


@short_program
def _record(tree: Tree, drive: Drive, trajectory: Trajectory) -> dict[str, Any]:
    """All quantities at every output time, evaluated sequentially to limit memory."""

    def instant(k):
        t, state = trajectory.time[k], trajectory.state(k)
        q, dq = trajectory.joints[k], trajectory.joint_rates[k]
        command = None if trajectory.feedback is None else trajectory.feedback.command[k]
        found = drive.dynamics(tree, t, state, q, dq, law_motion(tree, drive.law, t)[2], command)
        place = configuration(tree, q)
        twist = own_twists(place, spread_twists(tree, place, state.twist, dq))
        head = jnp.broadcast_to(state.rotation, place.rotation.shape)
        medium = drive.medium.at(t)
        powers = power(tree, state, q, dq, found.torque, fluid=medium)
        loads = fluid_wrenches(tree, medium.fluid, state, place, twist)
        water = water_along(tree, medium, state, place, twist)
        loads = loads if water is None else loads | water.loads
        momenta = momentum(tree, state, q, dq)
        alone = kinetic_energy(tree, state, q, dq)
        record = {
            "head_position": state.position,
            "head_quaternion": state.quaternion,
            "head_twist": state.twist,
            "head_twist_rate": found.base_acceleration,
            "head_velocity": state.rotation @ linear(state.twist),
            "head_angular_velocity": state.rotation @ angular(state.twist),
            "position": state.position[None, :] + apply(head, place.position),
            "rotation": product(head, place.rotation),
            "body_twist": twist,
            "joint_position": q,
            "joint_velocity": dq,
            "joint_acceleration": found.acceleration,
            "torque": found.torque,
            "motor_power": powers.motors,
            "centre_of_mass": centre_of_mass(tree, state, q),
            "centre_velocity": linear(momenta) / mass(tree),
            "momentum": momenta,
            "kinetic_energy": alone,
            "added_energy": kinetic_energy(tree, state, q, dq, fluid=medium) - alone,
            "actuator_power": jnp.sum(powers.motors),
            "joint_dissipation": -jnp.sum(powers.dampers),
            "potential_energy": potential_energy(tree, state, q, drive.gravity),
        }
        if drive.wrench is not None:
            record["load_power"] = jnp.sum(drive.wrench(t, state, q, dq) * twist)
        if drive.actuators:
            cables = pull(tree, drive.actuators, t, state, q, dq, drive.read(command))
            record |= {"tension": cables.tension, "thread_length": cables.length, "thread_rate": cables.rate}
            record["muscle_power"] = cables.power
        record |= {f"fluid_{name}": load for name, load in loads.items()}
        return record | {f"power_{name}": value for name, value in powers.fluid.items()}

    return jax.lax.map(instant, jnp.arange(trajectory.time.shape[0]))


def _dataset(
    tree: Tree,
    fluid: AbstractFluid | None,
    fields: dict[str, Any],
    trajectory: Trajectory,
    rtol: float,
    atol: float,
) -> xr.Dataset:
    table = tree.layout
    label = lambda joint, first, k: tree.joint_names[joint] + (f".{k - first}" if k > first else "")  # noqa: E731
    freedoms = [label(j, table.freedom_start[j], d) for d, j in enumerate(table.freedom_joint)]
    owner = np.repeat(np.arange(table.joints), np.diff(table.position_start))
    labels = [label(j, table.position_start[j], k) for k, j in enumerate(owner)]
    coords = coordinates(
        trajectory.time,
        body=list(tree.names),
        freedom=freedoms,
        coordinate=labels,
        body_axis=list(OWN_AXES),
    )
    fields = fields | _shape(tree)
    attrs = attributes("a tree of rigid bodies", fluid, trajectory.steps, rtol, atol)
    return _with_units(xr.Dataset(labelled(fields, VARIABLES, _describe), coords=coords, attrs=attrs), tree)


def _with_units(dataset: xr.Dataset, tree: Tree) -> xr.Dataset:
    """The dataset with one unit instead of "N m or N" where all joints turn, or all slide."""
    slides = {kind == "prismatic" for kind in tree.kinds if kind != "fixed"}
    if len(slides) == 1:
        for values in dataset.data_vars.values():
            units = values.attrs.get("units", "1").split(" or ")
            values.attrs["units"] = units[-1] if slides == {True} else units[0]
    return dataset


def _shape(tree: Tree) -> dict[str, Any]:
    """Variables that are constant in time: structure, limits, and the shape of the bodies for drawing."""
    shape: dict[str, Any] = {"parent": np.array([-1, *tree.parents])}
    if tree.limits is not None:
        shape |= {"torque_limit": tree.limits.effort, "speed_limit": tree.limits.speed}
        shape |= {"position_lower": tree.limits.lower, "position_upper": tree.limits.upper}
    if tree.strips is None:
        return shape
    points = tree.strips.points
    b, c = half_sizes(points.section)
    if isinstance(points.section, GeneralSection):
        shape["shape_fullness"] = points.section.fullness
    return shape | {
        "shape_body": np.array(tree.strips.body),
        "shape_position": points.position,
        "shape_rotation": points.rotation,
        "shape_length": points.weight,
        "shape_b": b,
        "shape_c": c,
    }


def _describe(name: str) -> Label:
    """Label of a fluid load or of its power."""
    if name.startswith("fluid_"):
        return ("time", "body", "wrench"), "N, N m", f"{words(name[6:])} on each body, in its own frame"
    return ("time",), "W", f"power the bodies receive from {words(name[6:])}"
