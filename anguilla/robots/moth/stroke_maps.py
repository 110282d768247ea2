"""The moth in flight: stroke law, simulation, symmetric states, and the map over half a stroke."""

import math

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from hydro import EARTH, AbstractFluid
from multibody.coordinates import JointLaw
from multibody.drive import Drive
from multibody.immersion import immerse
from multibody.implicit_steps import stiff_march
from multibody.state import BaseState, unchecked_state
from multibody.trajectory import Integrand, Trajectory
from multibody.tree import Tree
from spatial import finite, positive, quaternion_exp
from spatial.printing import Printed

from .parameters import READINGS, MothParameters
from .tree import model

STEPS = 500  # per stroke, 0.08 ms at 25 Hz; with the paper's 0.1 ms, mean force and weight differ by 1.1e-8
FEWEST_STEPS = 100  # minimum number of steps that resolve a stroke


def fewest_steps(sections: int) -> int:
    """Minimum number of steps per stroke for stability: 820 for sixteen sections, for which 400 are unstable."""
    return max(FEWEST_STEPS, 2 * math.ceil(1.6 * sections**2))


class StrokeLaw(Printed):
    """Angles of the right and left stroke joints, A cos ωt and -A cos ωt: wings forward at t = 0. [PBB13, IV.A]

    Attributes:
        amplitude: A [rad].
        frequency: ω [rad/s].
    """

    amplitude: Float[Array, ""]
    frequency: Float[Array, ""]

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "2"]:
        """Joint angles at a time [rad]."""
        right = self.amplitude * jnp.cos(self.frequency * t)
        return jnp.stack([right, -right])


class Flight(eqx.Module):
    """A moth, its air, and the settings of its simulation.

    Attributes:
        tree: the tree.
        air: the air.
        frequency: angular frequency of the stroke, ω [rad/s].
        gravity: acceleration of gravity in the world [m/s²].
        steps: time steps per stroke; even.
    """

    tree: Tree
    air: AbstractFluid
    frequency: Float[Array, ""]
    gravity: Float[Array, "3"]
    steps: int = eqx.field(static=True)

    @property
    def period(self) -> Float[Array, ""]:
        """Period of a stroke [s]."""
        return 2.0 * jnp.pi / self.frequency

    @property
    def wing_joints(self) -> int:
        """Number of passive joints of one wing."""
        return len(self.tree.passive_freedoms) // 2

    def drive(self, amplitude: Float[Array, ""]) -> Drive:
        """Everything that acts on the moth with this stroke amplitude [rad]."""
        law = StrokeLaw(amplitude, self.frequency)
        return Drive(law, immerse(self.tree, self.air), None, None, self.gravity)

    @property
    def sections(self) -> int:
        """Number of blades of one wing."""
        return sum(name.startswith("right_blade") for name in self.tree.names)

    def fly(
        self,
        amplitude: Float[Array, ""],
        state: BaseState,
        joints: Float[Array, "passive"],
        joint_rates: Float[Array, "passive"],
        strokes: float = 1.0,
        *,
        samples: int = 2,
        integrand: Integrand | None = None,
        steps: int | Int[Array, ""] | None = None,
        law: JointLaw | None = None,
    ) -> Trajectory:
        """Simulates from t = 0 with constant steps, so that the final state is a smooth function of the initial one.

        Differentiable in forward mode. One compiled program serves any number of strokes for a given `samples`.

        Args:
            amplitude: stroke amplitude [rad].
            state: state of the thorax.
            joints: angles of the passive joints, right wing then left [rad].
            joint_rates: their velocities [rad/s].
            strokes: duration in strokes.
            samples: number of evenly spaced output times, both ends included; steps are shortened to fall on them.
            integrand: as in `rollout`.
            steps: steps per stroke, even, possibly traced; those of this flight when None.
            law: t -> angles of the two stroke joints, instead of `StrokeLaw` with this amplitude.
        """
        if samples < 2:
            raise ValueError(f"fly: samples = {samples}: must be at least 2")
        records = samples - 1
        wanted = strokes * jnp.asarray(self.steps if steps is None else steps)
        between = jnp.ceil(wanted / records)
        return stiff_march(
            self.tree,
            StrokeLaw(amplitude, self.frequency) if law is None else law,
            self.air,
            dt=strokes * self.period / (records * between),
            steps=between.astype(int),
            records=records,
            state=state,
            joints=joints,
            joint_rates=joint_rates,
            gravity=self.gravity,
            integrand=integrand,
        )


def flight(
    sections: int = 4,
    reading: str = "TB8",
    parameters: MothParameters | None = None,
    *,
    steps: int | None = None,
    gravity: Float[Array, "3"] | tuple[float, float, float] = EARTH,
) -> Flight:
    """Builds a moth ready for simulation.

    Args:
        sections: number of blades per wing.
        reading: a key of `READINGS`.
        parameters: parameters of the machine; Table I when None. They may be traced.
        steps: time steps per stroke; when None, 500, or more for many sections.
        gravity: acceleration of gravity in the world [m/s²].
    """
    if steps is not None and (not isinstance(steps, int) or steps < 2 or steps % 2):
        raise ValueError(f"flight: steps = {steps!r}: must be an even positive integer")
    numbers = MothParameters() if parameters is None else parameters
    tree, air = model(sections, reading, numbers), READINGS[reading].air(numbers.air_density)
    return Flight(
        tree=tree,
        air=air,
        frequency=numbers.frequency,
        gravity=finite("flight: gravity", gravity, (3,)),
        steps=max(STEPS, fewest_steps(sections)) if steps is None else steps,
    )


class Sagittal(eqx.Module):
    """A state in which both wings move symmetrically and the thorax stays in its plane of symmetry.

    Attributes:
        pitch: pitch about s, nose up positive [rad].
        velocity: velocity of the thorax along its n and a [m/s].
        pitch_rate: pitch rate [rad/s].
        joints: passive joints of the right wing [rad]; those of the left wing are opposite.
        joint_rates: their velocities [rad/s].
    """

    pitch: Float[Array, ""]
    velocity: Float[Array, "2"]
    pitch_rate: Float[Array, ""]
    joints: Float[Array, "joints"]
    joint_rates: Float[Array, "joints"]

    @property
    def thorax(self) -> BaseState:
        """State of the thorax, at the world's origin."""
        zero = jnp.zeros(())
        turn = quaternion_exp(jnp.stack([self.pitch, zero, zero]))
        twist = jnp.stack([zero, self.velocity[0], self.velocity[1], self.pitch_rate, zero, zero])
        return unchecked_state(jnp.zeros(3), turn, twist)

    @property
    def both_wings(self) -> tuple[Float[Array, "passive"], Float[Array, "passive"]]:
        """Angles and rates of all passive joints."""
        mirrored = lambda x: jnp.concatenate([x, -x])  # noqa: E731
        return mirrored(self.joints), mirrored(self.joint_rates)

    def reversed(self) -> "Sagittal":
        """Mirror image front to back: the state of a symmetric hover half a stroke later."""
        return Sagittal(
            -self.pitch, self.velocity * jnp.array([-1.0, 1.0]), -self.pitch_rate, -self.joints, -self.joint_rates
        )

    def scaled(self, frequency: Float[Array, ""]) -> Float[Array, "n"]:
        """One vector of numbers of order one: rates divided by ω, velocities in m/s."""
        rates = self.pitch_rate[None] / frequency, self.joint_rates / frequency
        return jnp.concatenate([self.pitch[None], self.velocity, rates[0], self.joints, rates[1]])

    @staticmethod
    def unscaled(x: Float[Array, "n"], frequency: Float[Array, ""]) -> "Sagittal":
        """Inverse of `scaled`."""
        joints = (x.shape[0] - 4) // 2
        return Sagittal(x[0], x[1:3], frequency * x[3], x[4 : 4 + joints], frequency * x[4 + joints :])


def sagittal_end(run: Trajectory, wing_joints: int, free: np.ndarray) -> Sagittal:
    """Final state of a flight that stays in the plane of symmetry."""
    quaternion, twist = run.quaternion[-1], run.twist[-1]
    pitch = 2.0 * jnp.arctan2(quaternion[1], quaternion[0])
    q, dq = run.joints[-1][free][:wing_joints], run.joint_rates[-1][free][:wing_joints]
    return Sagittal(pitch, twist[1:3], twist[3], q, dq)


def half_stroke(
    flight: Flight, amplitude: Float[Array, ""], start: Sagittal, steps: int | Int[Array, ""] | None = None
) -> tuple[Sagittal, Float[Array, ""]]:
    """State after half a stroke, reflected front to back, and the climb of the thorax [m]."""
    run = flight.fly(amplitude, start.thorax, *start.both_wings, 0.5, steps=steps)
    end = sagittal_end(run, flight.wing_joints, flight.tree.passive_freedoms)
    return end.reversed(), run.position[-1, 2]


def clamped_start(
    flight: Flight, amplitude: Float[Array, ""], strokes: int = 7, steps: int | Int[Array, ""] | None = None
) -> Sagittal:
    """State after several strokes from rest with the thorax fixed, as an initial guess for a hover.

    The thorax is made so heavy that it does not move, so that the compiled program of free flight can be used.

    Args:
        flight: the moth.
        amplitude: stroke amplitude [rad].
        strokes: number of strokes from rest.
        steps: steps per stroke; those of the flight when None.
    """
    heavy = flight.tree.inertia.at[0].multiply(1e9)
    held = eqx.tree_at(lambda f: (f.tree.inertia, f.gravity), flight, (heavy, jnp.zeros(3)))
    still = jnp.zeros(flight.wing_joints)
    zero = jnp.zeros(())
    start = Sagittal(zero, jnp.zeros(2), zero, still, still)
    # The stroke starts at its turning point, where its velocity is zero, as is that of the wings.
    amplitude = positive("amplitude", amplitude, "rad")
    run = held.fly(amplitude, start.thorax, *start.both_wings, float(strokes), steps=steps)
    end = sagittal_end(run, flight.wing_joints, flight.tree.passive_freedoms)
    return Sagittal(zero, jnp.zeros(2), zero, end.joints, end.joint_rates)
