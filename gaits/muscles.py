"""Muscle models as tension laws: Hill's, with force-length and force-velocity curves, and Ekeberg's linear one."""

from collections.abc import Callable

import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, non_negative, number, positive

from .tensions import AbstractTension, Scalar, tension_law

Activation = AbstractTension | Numbers | Callable[[Scalar], Scalar]


class HillMuscle(AbstractTension):
    """Hill-type muscle: active force scaled by length and velocity, plus a passive spring; no pennation, rigid tendon.

        T = F0 (a f_l(x) f_v(w) + f_p(x)),   x = l / l_opt,   w = (dl/dt) / (v_max l_opt)
        f_l = exp(-(x - 1)² / width)                                                   [The03]
        f_p = (exp(k (x - 1) / e0) - 1) / (exp(k) - 1) for x > 1, else 0               [The03]
        f_v = (1 + w) / (1 - w / c) for -1 < w ≤ 0, 0 for w ≤ -1                       [Hil38]
        f_v = f_e - (f_e - 1)² / (f_e - 1 + (1 + 1/c) w) for w > 0

    For lengthening (w > 0), f_v is a hyperbola that has the slope of Hill's curve at w = 0 and tends to f_e.

    Attributes:
        force: maximum isometric force F0 [N].
        length: optimal length l_opt [m].
        activation: a, clipped to 0 .. 1: a number, a function of time, or `Commanded()`.
        speed: v_max, maximum shortening speed, in optimal lengths per second [1/s].
        width: width of the force-length curve [-].
        curvature: c of Hill's hyperbola, a / F0 in his notation [-].
        lengthening: f_e, ratio of the force at fast lengthening to the isometric force [-]; greater than 1.
        passive_strain: e0, strain at which the passive force is F0 [-].
        passive_shape: k, exponent of the passive force [-].

    Example:
        >>> import gaits, jax.numpy as jnp
        >>> muscle = gaits.HillMuscle(force=100.0, length=0.3, activation=0.5)
        >>> isometric = jnp.zeros(()), jnp.asarray(0.3), jnp.zeros(()), jnp.zeros(0)  # t, length, rate, command
        >>> float(muscle(*isometric))
        50.0
    """

    force: Scalar
    length: Scalar
    activation: AbstractTension
    speed: Scalar
    width: Scalar
    curvature: Scalar
    lengthening: Scalar
    passive_strain: Scalar
    passive_shape: Scalar

    def __init__(
        self,
        force: Numbers,
        length: Numbers,
        activation: Activation,
        *,
        speed: Numbers = 10.0,
        width: Numbers = 0.45,
        curvature: Numbers = 0.25,
        lengthening: Numbers = 1.4,
        passive_strain: Numbers = 0.6,
        passive_shape: Numbers = 5.0,
    ):
        self.force = positive("HillMuscle.force", force, "N", ())
        self.length = positive("HillMuscle.length", length, "m", ())
        self.activation = tension_law("HillMuscle.activation", activation)
        self.speed = positive("HillMuscle.speed", speed, "1/s", ())
        self.width = positive("HillMuscle.width", width, shape=())
        self.curvature = positive("HillMuscle.curvature", curvature, shape=())
        self.lengthening = 1.0 + positive(
            "HillMuscle.lengthening - 1", number("HillMuscle.lengthening", lengthening) - 1.0
        )
        self.passive_strain = positive("HillMuscle.passive_strain", passive_strain, shape=())
        self.passive_shape = positive("HillMuscle.passive_shape", passive_shape, shape=())

    @property
    def commands(self) -> int:
        """Number of commands that the activation reads."""
        return self.activation.commands

    def __call__(self, t: Scalar, length: Scalar, rate: Scalar, command: Float[Array, "commands"]) -> Scalar:
        """Tension F0 (a f_l f_v + f_p) [N]."""
        a = jnp.clip(self.activation(t, length, rate, command), 0.0, 1.0)
        x, w = length / self.length, rate / (self.speed * self.length)
        return self.force * (a * self.by_length(x) * self.by_velocity(w) + self.passive(x))

    def by_length(self, x: Scalar) -> Scalar:
        """Force-length factor f_l at x = length / optimal length [-]."""
        return jnp.exp(-((x - 1.0) ** 2) / self.width)

    def by_velocity(self, w: Scalar) -> Scalar:
        """Force-velocity factor f_v at w = lengthening rate / maximum shortening speed [-]."""
        # jnp.minimum and jnp.maximum would halve the slope at w = 0, which is the damping of an isometric muscle.
        slower, faster = jnp.where(w > 0, 0.0, w), jnp.where(w > 0, w, 0.0)
        shortening = jnp.maximum(1.0 + slower, 0.0) / (1.0 - slower / self.curvature)
        gain = self.lengthening - 1.0
        return jnp.where(w > 0, self.lengthening - gain**2 / (gain + (1.0 + 1.0 / self.curvature) * faster), shortening)

    def passive(self, x: Scalar) -> Scalar:
        """Passive force f_p at x = length / optimal length, relative to F0 [-]."""
        stretch = jnp.maximum(x - 1.0, 0.0) / self.passive_strain
        return jnp.expm1(self.passive_shape * stretch) / jnp.expm1(self.passive_shape)


class EkebergMuscle(AbstractTension):
    """Linear muscle: a spring and a damper in parallel; the activation adds force and stiffness.

        T = α a + β (a + γ) (l - l0) + δ dl/dt

    Two such muscles on opposite sides of a hinge, at the distance d, give the torque of [Eke93],
    d α (a_L - a_R) + d² β (a_L + a_R + 2γ) φ + 2 d² δ dφ/dt, for small angles φ and up to the sign convention.

    Attributes:
        force: α, force at unit activation and rest length [N].
        stiffness: β, spring stiffness per unit of activation [N/m].
        tone: γ, added to the activation in the spring term, so that the muscle at rest is elastic [-].
        damping: δ [N·s/m].
        length: rest length l0 [m].
        activation: a, clipped to a ≥ 0: a number, a function of time, or `Commanded()`.

    Example:
        >>> import gaits
        >>> muscle = gaits.EkebergMuscle(3.0, stiffness=20.0, damping=1.0, length=0.2, activation=gaits.Commanded())
        >>> muscle.commands
        1
    """

    force: Scalar
    stiffness: Scalar
    tone: Scalar
    damping: Scalar
    length: Scalar
    activation: AbstractTension

    def __init__(
        self,
        force: Numbers,
        stiffness: Numbers,
        damping: Numbers,
        length: Numbers,
        activation: Activation,
        *,
        tone: Numbers = 0.0,
    ):
        self.force = finite("EkebergMuscle.force", non_negative("EkebergMuscle.force", force, "N"), ())
        self.stiffness = finite(
            "EkebergMuscle.stiffness", non_negative("EkebergMuscle.stiffness", stiffness, "N/m"), ()
        )
        self.damping = finite("EkebergMuscle.damping", non_negative("EkebergMuscle.damping", damping, "N·s/m"), ())
        self.tone = finite("EkebergMuscle.tone", non_negative("EkebergMuscle.tone", tone), ())
        self.length = positive("EkebergMuscle.length", length, "m", ())
        self.activation = tension_law("EkebergMuscle.activation", activation)

    @property
    def commands(self) -> int:
        """Number of commands that the activation reads."""
        return self.activation.commands

    def __call__(self, t: Scalar, length: Scalar, rate: Scalar, command: Float[Array, "commands"]) -> Scalar:
        """Tension α a + β (a + γ) (l - l0) + δ dl/dt [N]."""
        a = jnp.maximum(self.activation(t, length, rate, command), 0.0)
        return self.force * a + self.stiffness * (a + self.tone) * (length - self.length) + self.damping * rate
