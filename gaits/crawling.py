"""Crawling gaits: waves of curvature or stretch, and the distribution of the ground load along the body.

    serpenoid      a curvature wave travels from head to tail
    sidewinding    a curvature wave of which only one flank per wavelength rests on the ground
    rectilinear    a stretch wave whose shortened parts rest on the ground
    inchworm       the whole body stretches with the tail anchored, then shortens with the head anchored
    concertina     a patch of folds travels along a straight body
    follow_the_leader   every section follows the path of the head

Each gait is a law (X, t) -> strain for `cosserat` and, if the body does not stretch, for `multibody.strain_law`.
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
    """A gait with active lifting: the strains, and the ground load of each section relative to its weight.

    Use it like any other gait, and pass its `lifting` to the ground model: `ground.Friction(..., lifting=gait.lifting)`
    or the argument `grip` of `ground.Contact`.

    Attributes:
        strain: the strain law.
        lifting: ratio of ground load to weight [-], a law of (X, t) whose mean along the body is one.
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
    """Ratio of ground load to weight of a body that lifts part of every wave; the mean along the body is always one.

        p(X, t) = (1 + a cos θ) / (1 + a m(t)),    θ = 2π n (X/λ - t/T) + φ,    m = mean of cos θ over 0 ≤ X ≤ L

    With n = 2 and φ = 0, the bends of `serpenoid` are lifted for a < 0 and loaded for a > 0.

    Attributes:
        depth: a, from -1 to 1; at ±1 the load falls to zero once per period of cos θ [-].
        wavelength: λ of the gait [m].
        period: T of the gait [s].
        length: length L of the body [m].
        phase: φ [rad].
        order: n; 2 treats the bends of both sides alike, 1 only those of one side.
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
    """Ratio of ground load to weight of a body that rests on its tail for half a period, then on its head.

        p(X, t) = 1 + a [(m + 1) ((1 + s)/2 x^m + (1 - s)/2 (1 - x)^m) - 1],    x = X/L,
        s(t) = tanh(k sin 2πt/T) / tanh k

    The tail carries the load in the first half of each period. The mean along the body is one. With m = 1 the load is
    linear along the body; a large m concentrates it at the ends, as on the feet of a caterpillar.

    Attributes:
        depth: a, from 0 (even load) to 1 (the load falls to zero at the free end) [-].
        period: T [s].
        length: length L of the body [m].
        abruptness: k, steepness of the load transfer between the ends [-].
        order: m, at least 1; the anchored end carries its load over a length of about L/(m + 1).
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
        amplitude: α, maximum angle between the body and its mean direction [rad].
        wavelength: λ [m].
        period: T [s].
        begin: time at which the start from a straight body begins [s]; not used if `end` is None.
        end: time at which the start ends [s]; None for a wave of full amplitude at all times.

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
    """Sidewinding: a serpenoid wave that rests on the ground only where the heading is largest.

    If only those points touched the ground, without slip, the body would move by λ (J0(α) - cos α) against its
    heading and by λ sin α sideways in each period.

    Args:
        amplitude: α, maximum angle between the body and its mean direction [rad].
        wavelength: λ [m].
        length: length of the body [m].
        period: T [s].
        depth: lifting of the rest of the body, from 0 (none) to 1 (complete) [-].
    """
    lifting = SinusLifting(depth, wavelength, period, length, phase=-jnp.pi / 2.0, order=1)
    return Crawl(serpenoid(amplitude, wavelength, period), lifting)


def rectilinear(
    amplitude: Numbers, wavelength: Numbers, length: Numbers, period: Numbers = 1.0, depth: Numbers = 0.95
) -> Crawl:
    """Rectilinear crawling, as of an earthworm: a stretch wave towards the tail whose shortened parts are loaded.

    Args:
        amplitude: amplitude of the stretch, at most 0.95 [-].
        wavelength: λ [m].
        length: length of the body [m].
        period: T [s].
        depth: lifting of the stretched parts, from 0 (none) to 1 (complete) [-].
    """
    amplitude = within("amplitude", amplitude, 0.0, 0.95)
    wave = TravellingWave(-amplitude, wavelength, period, phase=jnp.pi / 2.0)  # shortest where θ = 0
    return Crawl(Strain(stretch=1.0 + wave), SinusLifting(depth, wavelength, period, length, order=1))


def inchworm(amplitude: Numbers, length: Numbers, period: Numbers = 1.0, depth: Numbers = 1.0, order: int = 1) -> Crawl:
    """Inchworm crawling: the body stretches anchored at the tail and shortens anchored at the head.

    The stretch is uniform along the body, Γ1 = 1 + a (1 - cos 2πt/T)/2.

    Args:
        amplitude: a, maximum stretch [-].
        length: length of the body at rest [m].
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
    """Concertina crawling: folds at fixed abscissae, with an envelope of patches that travels towards the tail.

        K3 = α (2π/λ) cos(2πX/λ) (1 + cos θ)/2,    θ = 2π (n X/L - t/T)

    Args:
        amplitude: α, maximum heading within the folds [rad].
        fold: λ, length of a fold [m].
        length: length L of the body [m].
        period: T, time in which a patch moves by its own length [s].
        patches: n, number of patches along the body [-].
    """
    bend = 2.0 * jnp.pi * finite("amplitude", amplitude, ()) / positive("fold", fold, "m", ())
    patch = positive("length", length, "m", ()) / positive("patches", patches, "", ())
    envelope = 0.5 + TravellingWave(0.5, patch, period, phase=jnp.pi / 2.0)
    return planar_bending(bend * envelope * Function(_Folds(positive("fold", fold, "m", ()))))


def follow_the_leader(curvature: Callable[[Scalar], Scalar], advance: Callable[[Scalar], Scalar]) -> Strain:
    """Every section follows the path of the head: K3(X, t) = κ(s(t) - X), so that K̇3 = -ds/dt K3'.

    A body with passive wheels along its whole length can move in no other way; the only input is the curvature at the
    head.

    Args:
        curvature: curvature κ(s) of the path, a function of arc length [m] -> [1/m]; the body initially lies on s < 0.
        advance: arc length s(t) travelled by the head, a function of time [s] -> [m].

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
