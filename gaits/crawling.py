"""Crawling gaits: waves of curvature or stretch, and the distribution of the weight along the body.

    serpenoid      a wave of curvature runs from head to tail
    sidewinding    the same, and only one flank of each wave rests on the ground
    rectilinear    a wave of stretch, whose short parts rest on the ground
    inchworm       the whole body stretches while the tail is anchored, and shortens while the head is
    concertina     a patch of folds runs along a straight body
    follow_the_leader   every section follows the path of the head

Each is a law (X, t) -> strain for `cosserat` and, unless it stretches, for `multibody.strain_law`.
"""

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, positive, within
from spatial.checks import callable_as, integer

from .envelopes import Start
from .laws import AbstractLaw, Function, Scalar, TravellingWave
from .strain import Strain, planar_bending


class Crawl(eqx.Module):
    """A gait with active lifting: the strains, and the load of each section relative to its weight.

    It is used like any other gait; pass its `lifting` to the ground, `ground.Friction(..., lifting=gait.lifting)`, or
    as the `grip` of `ground.Contact`.

    Attributes:
        strain: the gait.
        lifting: load on the ground over weight [-], a law of (X, t) of mean one along the body.
    """

    strain: Strain
    lifting: AbstractLaw

    def __call__(self, X: Scalar, t: Scalar) -> Float[Array, "6"]:
        """Strain (Γ, K) at the abscissa X [m] and the time t [s], in the section frame [-, 1/m]."""
        return self.strain(X, t)

    @property
    def break_times(self) -> tuple[Scalar, ...]:
        """Times at which a higher time derivative of a strain jumps [s]."""
        return self.strain.break_times


class SinusLifting(AbstractLaw):
    """Load over weight of a body that lifts part of every wave; its mean along the body is one at all times.

        p(X, t) = (1 + a cos θ) / (1 + a m(t)),    θ = 2π n (X/λ - t/T) + φ,    m = mean of cos θ over 0 ≤ X ≤ L

    With n = 2 and φ = 0 it lifts the bends of `serpenoid`, whose curvature is a cosine, for a < 0, and presses on them
    for a > 0.

    Attributes:
        depth: a, from -1 to 1; the load falls to zero once per wave at ±1 [-].
        wavelength: λ of the gait [m].
        period: T of the gait [s].
        length: L of the body [m].
        phase: φ [rad].
        order: n: 2 treats all bends of a wave alike, 1 only those of one side.
    """

    depth: Float[Array, ""]
    wavelength: Float[Array, ""]
    period: Float[Array, ""]
    length: Float[Array, ""]
    phase: Float[Array, ""]
    order: int = eqx.field(static=True)

    def __init__(
        self,
        depth: Numbers,
        wavelength: Numbers,
        period: Numbers,
        length: Numbers,
        phase: Numbers = 0.0,
        order: int = 2,
    ):
        if integer("SinusLifting.order", order, 1) > 2:
            raise ValueError(f"SinusLifting.order = {order!r}: must be 1 (bends of one side) or 2 (all bends)")
        self.depth = within("SinusLifting.depth", depth, -1.0, 1.0)
        self.wavelength = positive("SinusLifting.wavelength", wavelength, "m", ())
        self.period = positive("SinusLifting.period", period, "s", ())
        self.length = positive("SinusLifting.length", length, "m", ())
        self.phase = finite("SinusLifting.phase", phase, ())
        self.order = int(order)

    def __call__(self, X: Scalar, t: Scalar) -> Scalar:
        """Load over weight at (X, t) [-]."""
        turn = 2.0 * jnp.pi * self.order
        theta = lambda X: turn * (X / self.wavelength - t / self.period) + self.phase  # noqa: E731
        mean = (jnp.sin(theta(self.length)) - jnp.sin(theta(0.0))) / (turn * self.length / self.wavelength)
        return (1.0 + self.depth * jnp.cos(theta(X))) / (1.0 + self.depth * mean)


class Anchors(AbstractLaw):
    """Load over weight of a body that rests on its tail in the first half of each period, on its head in the second.

        p(X, t) = 1 + a [(m + 1) ((1 + s)/2 x^m + (1 - s)/2 (1 - x)^m) - 1],    x = X/L,
        s(t) = tanh(k sin 2πt/T) / tanh k

    The mean along the body is one. With m = 1 the load is linear along the body; a large m concentrates it at the ends,
    as on the feet of a caterpillar.

    Attributes:
        depth: a, from 0 (even load) to 1 (the load falls to zero at the free end) [-].
        period: T [s].
        length: L of the body [m].
        abruptness: k, of the change from one end to the other [-].
        order: m, at least 1: the holding end carries its load over about L/(m + 1).
    """

    depth: Float[Array, ""]
    period: Float[Array, ""]
    length: Float[Array, ""]
    abruptness: Float[Array, ""]
    order: int = eqx.field(static=True)

    def __init__(self, depth: Numbers, period: Numbers, length: Numbers, abruptness: Numbers = 5.0, order: int = 1):
        self.depth = within("Anchors.depth", depth, 0.0, 1.0)
        self.period = positive("Anchors.period", period, "s", ())
        self.length = positive("Anchors.length", length, "m", ())
        self.abruptness = positive("Anchors.abruptness", abruptness, "", ())
        self.order = integer("Anchors.order", order, 1)

    def __call__(self, X: Scalar, t: Scalar) -> Scalar:
        """Load over weight at (X, t) [-]."""
        switch = jnp.tanh(self.abruptness * jnp.sin(2.0 * jnp.pi * t / self.period)) / jnp.tanh(self.abruptness)
        x = X / self.length
        tail, head = 0.5 * (1.0 + switch) * x**self.order, 0.5 * (1.0 - switch) * (1.0 - x) ** self.order
        return 1.0 + self.depth * ((self.order + 1) * (tail + head) - 1.0)


def serpenoid(
    amplitude: Numbers, wavelength: Numbers, period: Numbers = 1.0, begin: Numbers = 0.0, end: Numbers | None = None
) -> Strain:
    """Lateral undulation: the heading along the body is θ = α sin 2π(X/λ - t/T). [HIR93]

    Args:
        amplitude: α, largest angle between the body and its mean direction [rad].
        wavelength: λ [m].
        period: T [s].
        begin: begin of the start from a straight body [s].
        end: end of the start [s]; None for a body that is curved from the first time on.

    Example:
        >>> import gaits, jax.numpy as jnp
        >>> gait = gaits.serpenoid(amplitude=0.5, wavelength=1.0)
        >>> [round(float(k), 4) for k in gait(jnp.zeros(()), jnp.zeros(()))]
        [1.0, 0.0, 0.0, 0.0, 0.0, 3.1416]
    """
    curvature = 2.0 * jnp.pi * finite("amplitude", amplitude, ()) / positive("wavelength", wavelength, "m", ())
    wave = TravellingWave(curvature, wavelength, period, phase=jnp.pi / 2.0)  # dθ/dX, a cosine
    return planar_bending(wave if end is None else Start(begin, end) * wave)


def sidewinding(
    amplitude: Numbers, wavelength: Numbers, length: Numbers, period: Numbers = 1.0, depth: Numbers = 0.95
) -> Crawl:
    """A serpenoid that rests on the flanks with the largest heading: it moves sideways, over its own tracks.

    If only those flanks touched the ground, without slip, the body would move by λ (J0(α) - cos α) against its
    heading and by λ sin α sideways in each period.

    Args:
        amplitude: α [rad].
        wavelength: λ [m].
        length: of the body [m].
        period: T [s].
        depth: how far the other flanks are lifted, from 0 (not at all) to 1 [-].
    """
    lifting = SinusLifting(depth, wavelength, period, length, phase=-jnp.pi / 2.0, order=1)
    return Crawl(serpenoid(amplitude, wavelength, period), lifting)


def rectilinear(
    amplitude: Numbers, wavelength: Numbers, length: Numbers, period: Numbers = 1.0, depth: Numbers = 0.95
) -> Crawl:
    """A wave of stretch that runs towards the tail while the shortened parts rest on the ground: the earthworm.

    Args:
        amplitude: of the stretch, less than 1 [-].
        wavelength: λ [m].
        length: of the body [m].
        period: T [s].
        depth: how far the long parts are lifted, from 0 to 1 [-].
    """
    amplitude = within("amplitude", amplitude, 0.0, 0.95)
    wave = TravellingWave(-amplitude, wavelength, period, phase=jnp.pi / 2.0)  # shortest where θ = 0
    return Crawl(Strain(stretch=1.0 + wave), SinusLifting(depth, wavelength, period, length, order=1))


def inchworm(amplitude: Numbers, length: Numbers, period: Numbers = 1.0, depth: Numbers = 1.0, order: int = 1) -> Crawl:
    """The whole body stretches, Γ1 = 1 + a (1 - cos 2πt/T)/2, anchored at the tail; it shortens anchored at the head.

    Args:
        amplitude: a, largest stretch [-].
        length: of the body at rest [m].
        period: T [s].
        depth: share of the load that moves to the anchored end, from 0 to 1 [-].
        order: concentration of the load at the anchored end, see `Anchors`.
    """
    amplitude, period = within("amplitude", amplitude, 0.0, 10.0), positive("period", period, "s", ())
    stretch = 1.0 + 0.5 * amplitude * Function(_Swell(period))
    return Crawl(Strain(stretch=stretch), Anchors(depth, period, length, order=order))


def concertina(
    amplitude: Numbers, fold: Numbers, length: Numbers, period: Numbers = 1.0, patches: Numbers = 1.0
) -> Strain:
    """Folds that stand still while a patch of them runs towards the tail: K3 = α (2π/λ) cos(2πX/λ) (1 + cos θ)/2.

    Args:
        amplitude: α, largest heading within the folds [rad].
        fold: λ, length of a fold [m].
        length: of the body [m].
        period: T, in which a patch moves by its own length [s].
        patches: patches of folds along the body [-].
    """
    bend = 2.0 * jnp.pi * finite("amplitude", amplitude, ()) / positive("fold", fold, "m", ())
    patch = positive("length", length, "m", ()) / positive("patches", patches, "", ())
    envelope = 0.5 + TravellingWave(0.5, patch, period, phase=jnp.pi / 2.0)
    return planar_bending(bend * envelope * Function(_Folds(positive("fold", fold, "m", ()))))


def follow_the_leader(curvature: Callable[[Scalar], Scalar], advance: Callable[[Scalar], Scalar]) -> Strain:
    """Every section follows the path of the head: K3(X, t) = κ(s(t) - X), so that K̇3 = -ds/dt K3'.

    With wheels along the whole body no other motion is possible; the curvature at the head is the only input.

    Args:
        curvature: κ(s) of the path, a function of the arc length [m] -> [1/m]; s < 0 is where the body lies at first.
        advance: s(t), arc length travelled by the head, a function of time [s] -> [m].

    Example:
        >>> import gaits, jax.numpy as jnp
        >>> gait = gaits.follow_the_leader(curvature=lambda s: jnp.cos(s), advance=lambda t: 0.5 * t)
        >>> round(float(gait(jnp.asarray(0.2), jnp.asarray(0.4))[5]), 4)
        1.0
    """
    callable_as("curvature", curvature, "arc length -> curvature")
    callable_as("advance", advance, "time -> arc length")
    return planar_bending(Function(_Path(curvature, advance)))


class _Path(eqx.Module):
    """κ(s(t) - X)."""

    curvature: Callable[[Scalar], Scalar]
    advance: Callable[[Scalar], Scalar]

    def __call__(self, X, t):
        return self.curvature(self.advance(t) - X)


class _Swell(eqx.Module):
    """1 - cos 2πt/T."""

    period: Float[Array, ""]

    def __call__(self, X, t):
        return 1.0 - jnp.cos(2.0 * jnp.pi * t / self.period)


class _Folds(eqx.Module):
    """cos 2πX/λ."""

    wavelength: Float[Array, ""]

    def __call__(self, X, t):
        return jnp.cos(2.0 * jnp.pi * X / self.wavelength)
