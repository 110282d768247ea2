"""The moth in flight: its stroke, its coordinates, and the maps that one half and one whole stroke make of them."""

import math

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from hydro import EARTH, AbstractFluid
from multibody.immersion import immerse
from multibody.implicit_steps import stiff_march
from multibody.state import BaseState, unchecked_state
from multibody.trajectory import Drive, Integrand, Trajectory
from multibody.tree import Tree
from spatial import finite, positive, quaternion_exp

from .parameters import READINGS, MothParameters
from .tree import model

STEPS = 500  # of a stroke: 0.08 ms at 25 Hz; with the paper's 0.1 ms the mean force misses the weight by 1.1e-8
FEWEST_STEPS = 100  # that resolve a stroke at all


def fewest_steps(sections: int) -> int:
    """Steps of a stroke that hold short blades: 800 for sixteen sections, of which 400 explode."""
    return max(FEWEST_STEPS, 2 * math.ceil(1.6 * sections**2))


class StrokeLaw(eqx.Module):
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
    """A moth, the air it flies in, and how its flight is computed.

    Attributes:
        tree: the bodies.
        air: around them.
        frequency: of the stroke, ω [rad/s].
        gravity: acceleration of gravity in the world [m/s²].
        steps: time steps of a stroke; even.
    """

    tree: Tree
    air: AbstractFluid
    frequency: Float[Array, ""]
    gravity: Float[Array, "3"]
    steps: int = eqx.field(static=True)

    @property
    def period(self) -> Float[Array, ""]:
        """Of a stroke [s]."""
        return 2.0 * jnp.pi / self.frequency

    @property
    def wing_joints(self) -> int:
        """Passive joints of one wing."""
        return len(self.tree.passive_freedoms) // 2

    def drive(self, amplitude: Float[Array, ""]) -> Drive:
        """All that acts on the moth while it flies with this stroke [rad]."""
        law = StrokeLaw(amplitude, self.frequency)
        return Drive(law, immerse(self.tree, self.air), None, None, self.gravity)

    @property
    def sections(self) -> int:
        """Blades of one wing."""
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
    ) -> Trajectory:
        """Flies from t = 0 with constant steps, which make of a stroke a smooth map of its start.

        Derivatives go forward. One compiled program serves flights of any length that are recorded at their ends.

        Args:
            amplitude: of the stroke [rad].
            state: of the thorax.
            joints: of the passive joints, right wing then left [rad].
            joint_rates: their velocities [rad/s].
            strokes: how long, in strokes.
            samples: even output times, both ends included; steps are shortened so that they fall on them.
            integrand: as in `rollout`.
            steps: of a stroke, even, and traced if need be; those of this flight when None.
        """
        if samples < 2:
            raise ValueError(f"fly: samples = {samples}: must be at least 2")
        records = samples - 1
        wanted = strokes * jnp.asarray(self.steps if steps is None else steps)
        between = jnp.ceil(wanted / records)
        return stiff_march(
            self.tree,
            StrokeLaw(amplitude, self.frequency),
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
    """A moth ready to fly.

    Args:
        sections: blades on each wing.
        reading: a key of `READINGS`.
        parameters: of the machine; Table I when None. They may be traced.
        steps: time steps of a stroke; when None, 500, or more where many sections ask for it.
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
    """A state in which both wings do the same: the thorax moves in its plane of symmetry.

    Attributes:
        pitch: about s, nose up when positive [rad].
        velocity: of the thorax along its n and a [m/s].
        pitch_rate: [rad/s].
        joints: passive joints of the right wing [rad]; the left wing's are opposite.
        joint_rates: [rad/s].
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
        """Its mirror image front to back: what a half stroke makes of the state in symmetric hover."""
        return Sagittal(
            -self.pitch, self.velocity * jnp.array([-1.0, 1.0]), -self.pitch_rate, -self.joints, -self.joint_rates
        )

    def scaled(self, frequency: Float[Array, ""]) -> Float[Array, "n"]:
        """As one vector of numbers of order one: rates over ω, velocities in m/s."""
        rates = self.pitch_rate[None] / frequency, self.joint_rates / frequency
        return jnp.concatenate([self.pitch[None], self.velocity, rates[0], self.joints, rates[1]])

    @staticmethod
    def unscaled(x: Float[Array, "n"], frequency: Float[Array, ""]) -> "Sagittal":
        """From the vector that `scaled` gives."""
        joints = (x.shape[0] - 4) // 2
        return Sagittal(x[0], x[1:3], frequency * x[3], x[4 : 4 + joints], frequency * x[4 + joints :])


def sagittal_end(run: Trajectory, wing_joints: int, free: np.ndarray) -> Sagittal:
    """The last instant of a flight that stays in the plane of symmetry."""
    quaternion, twist = run.quaternion[-1], run.twist[-1]
    pitch = 2.0 * jnp.arctan2(quaternion[1], quaternion[0])
    q, dq = run.joints[-1][free][:wing_joints], run.joint_rates[-1][free][:wing_joints]
    return Sagittal(pitch, twist[1:3], twist[3], q, dq)


def half_stroke(
    flight: Flight, amplitude: Float[Array, ""], start: Sagittal, steps: int | Int[Array, ""] | None = None
) -> tuple[Sagittal, Float[Array, ""]]:
    """State after half a stroke, seen in the mirror front to back, and how far the thorax rose [m]."""
    run = flight.fly(amplitude, start.thorax, *start.both_wings, 0.5, steps=steps)
    end = sagittal_end(run, flight.wing_joints, flight.tree.passive_freedoms)
    return end.reversed(), run.position[-1, 2]


def clamped_start(
    flight: Flight, amplitude: Float[Array, ""], strokes: int = 7, steps: int | Int[Array, ""] | None = None
) -> Sagittal:
    """What the wings come to when the thorax is held: a guess of a flight, found without knowing one.

    The thorax is made so heavy that nothing moves it, which needs no other program than free flight.

    Args:
        flight: the moth.
        amplitude: of the stroke [rad].
        strokes: how many, from rest.
        steps: of a stroke; those of the flight when None.
    """
    heavy = flight.tree.inertia.at[0].multiply(1e9)
    held = eqx.tree_at(lambda f: (f.tree.inertia, f.gravity), flight, (heavy, jnp.zeros(3)))
    still = jnp.zeros(flight.wing_joints)
    zero = jnp.zeros(())
    start = Sagittal(zero, jnp.zeros(2), zero, still, still)
    # From wings at rest the stroke starts at its turning point, where its velocity is zero as well.
    amplitude = positive("amplitude", amplitude, "rad")
    run = held.fly(amplitude, start.thorax, *start.both_wings, float(strokes), steps=steps)
    end = sagittal_end(run, flight.wing_joints, flight.tree.passive_freedoms)
    return Sagittal(zero, jnp.zeros(2), zero, end.joints, end.joint_rates)
