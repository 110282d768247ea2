"""The wheeled snake: ten links connected by nine revolute joints, its joint law, and the same body as a beam.

From the simulations of [LPSG13] (quoted from memory, not checked again): ten links of 0.14 m, 1 kg and 0.0016 kg·m²,
and the law φ_i = α sin(ωt + (i - 1) δ) + φ0. Chosen here: the radius of the links, the parameters of the law, and the
Coulomb coefficients of passive wheels, which roll easily and hardly slip sideways. The simplest model of the book has
viscous friction instead.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

import cosserat
import gaits
import multibody
from anguilla import ground
from gaits import Start
from gaits.laws import Scalar
from hydro import uniform_profile
from spatial import Numbers, finite, positive
from spatial.printing import Printed

LINKS = 10
LINK, MASS, INERTIA = 0.14, 1.0, 0.0016  # length, mass and inertia of each link [m], [kg], [kg·m²] [LPSG13]
RADIUS = 0.05  # radius of each link, our choice [m]
LENGTH = LINKS * LINK
DENSITY = MASS / (LINK * np.pi * RADIUS**2)
FORWARD, SIDEWAYS = 0.05, 0.5  # friction coefficients of the passive wheels, our choice
AMPLITUDE, LAG, PERIOD, START = np.deg2rad(30.0), np.deg2rad(40.0), 4.0, 2.0  # α, δ [rad], 2π/ω, start [s]; our choice


def profile():
    """Profile of a cylinder with the length of the whole body."""
    return uniform_profile(LENGTH, RADIUS, RADIUS)


def model() -> multibody.Tree:
    """Ten links and nine yaw joints, all actuated; the base frame is at the nose, with x towards the tail."""
    links = []
    for k in range(LINKS):
        joint = multibody.revolute((0.0, 0.0, 1.0), position=(LINK, 0.0, 0.0), name=f"yaw{k}") if k else None
        links.append(
            multibody.Link(
                f"link{k}",
                f"link{k - 1}" if k else None,
                joint,
                mass=MASS,
                centre=(LINK / 2, 0.0, 0.0),
                about_centre=np.diag([0.5 * MASS * RADIUS**2, INERTIA, INERTIA]),
                strip=multibody.strip(profile(), (k * LINK, (k + 1) * LINK)),
            )
        )
    return multibody.from_links(links)


class Undulation(Printed):
    """Lateral undulation of the joints: q_i = f(t) (α sin(2πt/T - (i - 1) δ) + φ0), after [LPSG13].

    Joints are counted from the head.

    Attributes:
        amplitude: α [rad].
        lag: δ, phase lag between one joint and the next [rad].
        period: T [s].
        turn: φ0 [rad].
        start: f, a smooth start from 0 to 1.
    """

    amplitude: Float[Array, ""]
    lag: Float[Array, ""]
    period: Float[Array, ""]
    turn: Float[Array, ""]
    start: Start

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "joints"]:
        """Angles of the nine joints at time t [s]."""
        phase = 2.0 * jnp.pi * t / self.period - self.lag * jnp.arange(LINKS - 1)
        return self.start(t, t) * (self.amplitude * jnp.sin(phase) + self.turn)

    @property
    def break_times(self) -> tuple[Scalar, ...]:
        """Beginning and end of the smooth start [s]."""
        return self.start.break_times


def undulation(
    amplitude: Numbers = AMPLITUDE, lag: Numbers = LAG, period: Numbers = PERIOD, turn: Numbers = 0.0
) -> Undulation:
    """The joint law with the parameters chosen here; the wave travels towards the tail.

    Args:
        amplitude: α [rad].
        lag: δ [rad].
        period: T [s].
        turn: φ0 [rad].
    """
    return Undulation(
        finite("amplitude", amplitude, ()),
        finite("lag", lag, ()),
        positive("period", period, "s", ()),
        finite("turn", turn, ()),
        Start(0.0, START),
    )


def beam() -> cosserat.Beam:
    """The same body as a continuous beam: length, mass per metre and radius of the links."""
    return cosserat.Beam(profile(), DENSITY)


def gait(amplitude: Numbers = AMPLITUDE, lag: Numbers = LAG, period: Numbers = PERIOD) -> gaits.Strain:
    """The joint law as a curvature wave, K3 = -α/l sin(2π(X/λ - t/T)) with λ = 2πl/δ and X from the first joint.

    Args:
        amplitude: α of the joints [rad].
        lag: δ [rad].
        period: T [s].
    """
    lag = positive("lag", lag, "rad", ())
    wave = gaits.TravellingWave(-finite("amplitude", amplitude, ()) / LINK, 2 * jnp.pi * LINK / lag, period, -lag)
    return gaits.planar_bending(Start(0.0, START) * wave)


def terrain(forward: Numbers = FORWARD, sideways: Numbers = SIDEWAYS, **options) -> ground.Friction:
    """A level floor under passive wheels.

    Args:
        forward: friction coefficient along the body [-].
        sideways: friction coefficient across the body [-].
        options: other arguments of `ground.Friction`.
    """
    return ground.Friction(forward, sideways, density=DENSITY, **options)
