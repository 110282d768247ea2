"""Stability of a hover: growth of small disturbances over one stroke."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float, Int

from multibody.coordinates import JointLaw
from multibody.state import unchecked_state
from spatial import quaternion_conjugate, quaternion_multiply

from .hovering import Hover
from .stroke_maps import STEPS

NEUTRAL = 1e-4  # tolerance of unit multipliers (translation, yaw): round-off, amplified at double roots

# Signs under front-to-back reflection: vectors change sign along n, axial vectors along s and a, joint angles all do.
_MIRROR = (
    np.array([1.0, -1.0, 1.0]),
    np.array([1.0, -1.0, 1.0, -1.0]),
    np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0]),
    -1.0,
    -1.0,
)


class Floquet(eqx.Module):
    """Floquet multipliers of a hover with two equal wings, largest modulus first.

    Attributes:
        monodromy: derivative of one stroke with respect to the disturbance of its start, as in `stroke_map`.
        sagittal: multipliers of left-right symmetric disturbances; two are equal to one (translations along n and a).
        lateral: multipliers of antisymmetric disturbances; two are equal to one (translation along s, and yaw).
    """

    monodromy: Float[Array, "n n"]
    sagittal: Complex[Array, "half"]
    lateral: Complex[Array, "half"]

    @property
    def multipliers(self) -> Complex[Array, "n"]:
        """All multipliers."""
        both = jnp.concatenate([self.sagittal, self.lateral])
        return both[jnp.argsort(-jnp.abs(both))]

    def decisive(self, kind: str) -> Complex[Array, ""]:
        """The largest multiplier of "sagittal" or "lateral" disturbances that is not neutral."""
        values = np.asarray(getattr(self, kind))
        others = values[np.abs(values - 1.0) > NEUTRAL]
        return jnp.asarray(others[np.argmax(np.abs(others))])

    @property
    def stable(self) -> bool:
        """Whether all disturbances decay except changes of position and heading."""
        return all(abs(complex(self.decisive(kind))) < 1.0 for kind in ("sagittal", "lateral"))


def stroke_map(
    hover: Hover,
    disturbance: Float[Array, "n"],
    strokes: float = 1.0,
    steps: Int[Array, ""] | None = None,
    law: JointLaw | None = None,
) -> Float[Array, "n"]:
    """Disturbance of a hover one stroke later.

    A disturbance is (position [m]; rotation in the thorax's frame, as twice the tangent of half its angle; twist,
    with its angular part divided by ω; passive joints, right wing then left; their rates divided by ω).

    Args:
        hover: the flight.
        disturbance: disturbance of its start.
        strokes: 1, or 0.5, after which the result is reflected front to back.
        steps: steps per stroke; those of the flight when None.
        law: law of the stroke joints, instead of that of the hover.
    """
    if strokes not in (0.5, 1.0):
        raise ValueError(f"stroke_map: strokes = {strokes}: must be 1 or 0.5")
    flight, omega = hover.flight, hover.flight.frequency
    thorax, (joints, rates) = hover.start.thorax, hover.start.both_wings
    n = joints.shape[0]
    place, turn, speed, bent, bending = jnp.split(disturbance, [3, 6, 12, 12 + n])
    unit = jnp.concatenate([jnp.ones(3), jnp.full(3, omega)])
    quaternion = quaternion_multiply(thorax.quaternion, jnp.concatenate([jnp.ones(1), 0.5 * turn]))
    start = unchecked_state(
        thorax.position + place, quaternion / jnp.linalg.norm(quaternion), thorax.twist + unit * speed
    )
    run = flight.fly(hover.amplitude, start, joints + bent, rates + omega * bending, strokes, steps=steps, law=law)
    free = flight.tree.passive_freedoms
    joints_end, rates_end = run.joints[-1][free], run.joint_rates[-1][free]
    end: tuple[Array, ...] = (run.position[-1], run.quaternion[-1], run.twist[-1], joints_end, rates_end)
    if strokes == 0.5:
        end = tuple(jnp.asarray(sign) * x for sign, x in zip(_MIRROR, end, strict=True))
    position, orientation, twist, q, dq = end
    relative = quaternion_multiply(quaternion_conjugate(thorax.quaternion), orientation)
    return jnp.concatenate(
        [
            position - thorax.position,
            2.0 * relative[1:] / relative[0],
            (twist - thorax.twist) / unit,
            q - joints,
            (dq - rates) / omega,
        ]
    )


def floquet(hover: Hover) -> Floquet:
    """Floquet multipliers of a hover, split into two families by the symmetry of the machine.

    Half a stroke is differentiated; the other half is its mirror image.
    """
    same = dataclasses.replace(hover, flight=dataclasses.replace(hover.flight, steps=STEPS))
    return _floquet(same, jnp.asarray(hover.flight.steps))


@eqx.filter_jit
def _floquet(hover, steps):
    """The compiled part of `floquet`; the number of time steps is traced."""
    n = 12 + 2 * len(hover.flight.tree.passive_freedoms)
    half = jax.jacfwd(lambda d: stroke_map(hover, d, 0.5, steps))(jnp.zeros(n))
    monodromy = half @ half
    even, odd = _families(hover.flight.wing_joints)
    return Floquet(monodromy, _eigenvalues(even.T @ monodromy @ even), _eigenvalues(odd.T @ monodromy @ odd))


def _families(wing_joints: int) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal bases of the disturbances that are symmetric and antisymmetric under reflection."""
    sign = np.array([-1.0, 1, 1, 1, -1, -1, -1, 1, 1, 1, -1, -1])  # (s, n, a); axial vectors have the opposite signs
    size = 12 + 4 * wing_joints
    mirror = np.zeros((size, size))
    mirror[:12, :12] = np.diag(sign)
    for start in (12, 12 + 2 * wing_joints):
        for k in range(wing_joints):
            right, left = start + k, start + wing_joints + k
            mirror[right, left] = mirror[left, right] = -1.0
    values, vectors = np.linalg.eigh(mirror)
    return vectors[:, values > 0], vectors[:, values < 0]


def _eigenvalues(matrix):
    values = jnp.linalg.eigvals(matrix)
    return values[jnp.argsort(-jnp.abs(values))]
