"""Joint laws of NATRIX: undulation (18), free bending (17), a frozen shape, and the law of the shells."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gaits import Ramps
from gaits.laws import Scalar
from spatial import Numbers, finite, non_negative, positive
from spatial.printing import Printed

from .tree import LENGTH, SHELL_JOINTS, YAW_ABSCISSAE, YAW_JOINTS

JOINTS = 14


class ShellLaw(Printed):
    """Roll angles of the six shells: for each shell a constant and one harmonic of the gait.

        q_r,k = s(t) (offset_k + cosine_k cos 2πFt + sine_k sin 2πFt)

    Attributes:
        offset: constant part of each shell's motor angle [rad].
        cosine: cosine amplitude of each shell's motor angle [rad].
        sine: sine amplitude of each shell's motor angle [rad].
    """

    offset: Float[Array, "6"]
    cosine: Float[Array, "6"]
    sine: Float[Array, "6"]

    def __init__(self, offset: Numbers = 0.0, cosine: Numbers = 0.0, sine: Numbers = 0.0):
        spread = lambda name, value: jnp.broadcast_to(finite(f"ShellLaw.{name}", value), (6,))  # noqa: E731
        self.offset, self.cosine, self.sine = spread("offset", offset), spread("cosine", cosine), spread("sine", sine)

    def __call__(self, phase: Float[Array, ""]) -> Float[Array, "6"]:
        """Angles at a phase 2πFt [rad]."""
        return self.offset + self.cosine * jnp.cos(phase) + self.sine * jnp.sin(phase)


class UndulationLaw(eqx.Module):
    """A bending wave from head to tail.

        q_j = s(t) Q exp(α s_j) sin(2π (n s_j / L - F t)),   j = 0, 3, ..., 7             [XHLB23, eq. (18)]

    s_j is the abscissa of joint j from the snout, and s(t) a smooth start, which the paper does not give. The paper
    also prints j = 8, which does not exist.

    Attributes:
        amplitude: Q [rad].
        frequency: F [Hz].
        growth: α [1/m].
        waves: n, number of waves on the body [-].
        shells: law of the shells; None for shells at rest.
        start: s, a fifth-degree polynomial that rises from 0 to 1.
    """

    amplitude: Float[Array, ""]
    frequency: Float[Array, ""]
    growth: Float[Array, ""]
    waves: Float[Array, ""]
    shells: ShellLaw | None
    start: Ramps

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "14"]:
        """Positions of the joints [rad]."""
        s = jnp.asarray(YAW_ABSCISSAE)
        phase = 2.0 * jnp.pi * self.frequency * t
        wave = self.amplitude * jnp.exp(self.growth * s) * jnp.sin(2.0 * jnp.pi * self.waves * s / LENGTH - phase)
        share = self.start(t, t)
        q = jnp.zeros(JOINTS).at[np.array(YAW_JOINTS)].set(share * wave)
        if self.shells is None:
            return q
        return q.at[np.array(SHELL_JOINTS)].set(share * self.shells(phase))

    @property
    def break_times(self) -> tuple[Scalar, ...]:
        """Beginning and end of the smooth start [s]."""
        return self.start.break_times


def natrix_undulation(
    amplitude: Numbers = 0.25,
    frequency: Numbers = 1.0,
    *,
    growth: Numbers = 0.1,
    waves: Numbers = 1.5,
    start: Numbers = 2.0,
    shells: ShellLaw | None = None,
) -> UndulationLaw:
    """The undulation of [XHLB23, V.B]; growth and number of waves have the published values by default.

    Args:
        amplitude: Q [rad].
        frequency: F [Hz].
        growth: α [1/m].
        waves: n, number of waves on the body [-].
        start: duration of the smooth start [s]; not published.
        shells: law of the shells; None for shells at rest, as published.
    """
    ramp = Ramps(jnp.stack([jnp.zeros(()), positive("start", start, "s")]), (0.0, 1.0))
    return UndulationLaw(
        non_negative("amplitude", amplitude, "rad"),
        positive("frequency", frequency, "Hz"),
        finite("growth", growth, ()),
        finite("waves", waves, ()),
        shells,
        ramp,
    )


class BendingLaw(eqx.Module):
    """Uniform lateral bending to one side and back, then to the other and back.

        f(t) = (0.25 t⁴ - 0.5 t_f t³ + 0.25 t_f² t²) / 160 on [0, t_f], then -f(t - t_f)      [XHLB23, eq. (17)]

    Its second derivative jumps at t_f: `break_times` makes `rollout` restart there.

    Attributes:
        t_f: half period [s].
    """

    t_f: Float[Array, ""]

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "14"]:
        """Positions of the joints [rad]."""
        late = t >= self.t_f
        s = jnp.where(late, t - self.t_f, t)
        bend = (0.25 * s**4 - 0.5 * self.t_f * s**3 + 0.25 * self.t_f**2 * s**2) / 160.0
        return jnp.zeros(JOINTS).at[np.array(YAW_JOINTS)].set(jnp.where(late, -bend, bend))

    @property
    def break_times(self) -> tuple[Scalar, ...]:
        """Times at which the second derivative jumps [s]."""
        return (self.t_f,)


def natrix_bending(t_f: Numbers = 10.0) -> BendingLaw:
    """The bending of [XHLB23, V.A], Figure 5.

    Args:
        t_f: half period [s].
    """
    return BendingLaw(positive("t_f", t_f, "s"))


class HeldShape(eqx.Module):
    """Constant joint positions.

    Attributes:
        joints: joint positions [rad].
    """

    joints: Float[Array, "joints"]

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "joints"]:
        """The positions, independent of time [rad]."""
        return self.joints


def natrix_shape(amplitude: Numbers = 0.25, phase: Numbers = 0.0, shells: Numbers = 0.0) -> Float[Array, "14"]:
    """Joint positions of a frozen wave q_j = Q cos(2π n s_j / L + phase), n = 1.5, and of the shells [rad].

    Args:
        amplitude: Q [rad].
        phase: phase of the wave [rad].
        shells: roll angles of the shells, one number or six [rad].
    """
    wave = jnp.cos(3.0 * jnp.pi * jnp.asarray(YAW_ABSCISSAE) / LENGTH + finite("phase", phase, ()))
    q = jnp.zeros(JOINTS).at[np.array(YAW_JOINTS)].set(finite("amplitude", amplitude, ()) * wave)
    return q.at[np.array(SHELL_JOINTS)].set(jnp.broadcast_to(finite("shells", shells), (6,)))
