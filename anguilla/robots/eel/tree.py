"""The eel robot of [KR13, VI]: 13 bodies connected by 12 spherical joints, each made of three revolute joints."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gaits import Ramps
from gaits.laws import Scalar
from hydro import Cap, Profile, Taper
from multibody.dh import DHRow, from_dh
from multibody.strips import link_inertia, strip
from multibody.tree import Tree
from spatial import Numbers, finite, positive

SPHERES = 12
HEAD, LINK = 0.4, 0.14  # lengths [m]: d_1 and r_3j of Table 1
LENGTH = HEAD + SPHERES * LINK  # 2.08 m, as published
SEMIAXES = (0.065, 0.09)  # half of 13 cm and 18 cm [m]
EEL_TORQUE_LIMITS = np.tile([4.0, 4.0, 0.7], SPHERES)  # joints 3j-2, 3j-1 and 3j [N·m], [KR13, VI.C]


def model(density: Numbers = 1000.0) -> Tree:
    """The eel robot of [KR13, Table 1] with its sections; neutrally buoyant, all joints actuated.

    Head frame: x towards the tail, z along the major axis. Frame 3j: z towards the tail, origin at the distal end of
    link j (r = 0.14 m is along z); the section axes (t1, t2, t3) are (z, x, y). The offsets printed for rows 2 and 4
    fold the chain; with -π/2 and +π/2 it is straight and has the published length of 2.08 m. The paper does not give
    the lengths of the half spheroid of the head and of the half ellipsoid of the tail; here they are the major
    semi-axis and the whole last link.

    Args:
        density: density of the bodies [kg/m³].
    """
    density = positive("density", density, "kg/m³")
    profile = eel_robot_profile()
    head = strip(profile, (0.0, HEAD))
    names, rows, strips = ["head"], [], [head]
    inertia = [link_inertia(head, density)]
    quarter = np.pi / 2.0
    # The section axes t1, t2, t3 are the axes z, x, y of the body frame. [KR13, VI.A]
    axes = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    for j in range(1, SPHERES + 1):
        body = 3 * j - 2
        first = j == 1
        rows += [
            DHRow(
                body - 1,
                alpha=0.0 if first else quarter,
                d=HEAD if first else 0.0,
                theta=0.0 if first else quarter,
                name=f"yaw{j}",
            ),
            DHRow(body, alpha=-quarter, theta=-quarter, name=f"pitch{j}"),
            DHRow(body + 1, alpha=-quarter, theta=quarter, r=LINK, name=f"roll{j}"),
        ]
        begin = HEAD + (j - 1) * LINK
        piece = strip(profile, (begin, begin + LINK), origin=(0.0, 0.0, -LINK), rotation=axes)
        names += [f"yaw_frame{j}", f"pitch_frame{j}", f"link{j}"]
        strips += [None, None, piece]
        inertia += [jnp.zeros((6, 6)), jnp.zeros((6, 6)), link_inertia(piece, density)]
    return from_dh(rows, jnp.stack(inertia), names=names, strips=strips)


def eel_robot_profile() -> Profile:
    """Half spheroid, elliptic cylinder, half ellipsoid: 2.08 m of sections 13 cm by 18 cm. [KR13, VI.A]"""
    b, c = SEMIAXES
    nose, tail = c, LENGTH - LINK
    return Profile(
        (0.0, nose, tail, LENGTH),
        (Cap(nose, -nose, b, c), Taper((nose, tail), (b, b), (c, c)), Cap(tail, LINK, b, c)),
    )


class EelLaw(eqx.Module):
    """Planar forward swimming: the heading along the body follows a travelling wave.

        Q(s, t) = f(t) A exp(α s) sin(2π (s/λ - t/T)) + off                               [KR13, eq. (43)]
        q_j = Q(X_j + r/2, t) - Q(X_j - r/2, t),   X_j = (j - 1) r,   r = 0.14 m     after [KR13, eq. (44)]

    Eq. (44) is printed with X_{j+1} and X_j of revolute joints, which coincide, so that every angle would be zero. Here
    j counts the spherical joints, and the difference of heading is taken between the midpoints of the two links that
    joint j connects. As in the paper, X is the sum of the r: it starts at the first joint, behind the head.

    Attributes:
        amplitude: A [rad].
        growth: α [1/m].
        wavelength: λ [m].
        period: T [s].
        turn: off, a constant yaw added to each spherical joint to turn [rad].
        start: f, a fifth-degree polynomial that rises from 0 to 1.
    """

    amplitude: Float[Array, ""]
    growth: Float[Array, ""]
    wavelength: Float[Array, ""]
    period: Float[Array, ""]
    turn: Float[Array, ""]
    start: Ramps

    def heading(self, s: Float[Array, "points"], t: Float[Array, ""]) -> Float[Array, "points"]:
        """Q without its offset, at distances s behind the first joint [m] and time t [s]."""
        wave = jnp.sin(2.0 * jnp.pi * (s / self.wavelength - t / self.period))
        return self.start(t, t) * self.amplitude * jnp.exp(self.growth * s) * wave

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "positions"]:
        """Positions of the 36 joints [rad]: yaws as above, pitches and rolls zero."""
        middles = LINK * (np.arange(SPHERES + 1) - 0.5)
        yaw = jnp.diff(self.heading(jnp.asarray(middles), t)) + self.start(t, t) * self.turn
        return jnp.zeros((SPHERES, 3)).at[:, 0].set(yaw).ravel()

    @property
    def break_times(self) -> tuple[Scalar, ...]:
        """Beginning and end of the smooth start [s]."""
        return self.start.break_times


def eel_law(
    amplitude: Numbers = 0.06,
    growth: Numbers = 1.2,
    wavelength: Numbers = 1.8,
    period: Numbers = 2.0,
    turn: Numbers = 0.0,
    t_f: Numbers = 2.0,
) -> EelLaw:
    """The swimming law of [KR13, VI.C]; the defaults are the published values.

    Args:
        amplitude: A [rad].
        growth: α [1/m].
        wavelength: λ [m].
        period: T [s].
        turn: off [rad].
        t_f: duration of the smooth start [s].
    """
    return EelLaw(
        finite("amplitude", amplitude, ()),
        finite("growth", growth, ()),
        positive("wavelength", wavelength, "m"),
        positive("period", period, "s"),
        finite("turn", turn, ()),
        Ramps(jnp.stack([jnp.zeros(()), positive("t_f", t_f, "s")]), (0.0, 1.0)),
    )
