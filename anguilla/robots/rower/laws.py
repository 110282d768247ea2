"""Motion of the rower: periodic cubic splines for knees, trunk and oars."""

import equinox as eqx
import interpax
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy.interpolate import make_interp_spline

from spatial import Numbers, finite, one_of, positive

DRIVE_KNOTS, RECOVERY_KNOTS = 5, 6  # number of knot intervals in the two parts of the stroke
CURVES = ("knee", "trunk", "oar")
RANGE = {"knee": (55.0, 165.0), "trunk": (-28.0, 25.0), "oar": (-62.0, 42.0)}  # catch and finish [deg]
# Fractions of drive and recovery between which each moves. Drive: legs, then trunk. Recovery: hands, trunk, legs.
DRIVE = {"knee": (0.0, 0.85), "trunk": (0.25, 1.0), "oar": (0.0, 1.0)}
RECOVERY = {"knee": (0.3, 1.0), "trunk": (0.0, 0.6), "oar": (0.0, 1.0)}


class Stroke(eqx.Module):
    """One period of rowing: three curves given by their values at knots.

    The knots divide drive and recovery evenly. Each curve is the periodic cubic spline through these values. It is also
    the B-spline of a control polygon (`control_polygons`), by which [KR13, VII.C] designs the motions manually.

    Attributes:
        period: period of the stroke [s].
        drive: share of the period from catch to finish.
        knee: inner angle of the knees at the knots, π when straight [rad].
        trunk: lean of the trunk from the vertical towards the bow [rad].
        oar: angle of the oars from perpendicular to the boat, positive with the blades astern [rad].
    """

    period: Float[Array, ""]
    drive: Float[Array, ""]
    knee: Float[Array, "knots"]
    trunk: Float[Array, "knots"]
    oar: Float[Array, "knots"]

    @property
    def knots(self) -> Float[Array, "edges"]:
        """Times of the knots, including the end of the period [s]."""
        drive = jnp.arange(DRIVE_KNOTS) / DRIVE_KNOTS * self.drive
        recovery = self.drive + jnp.arange(RECOVERY_KNOTS + 1) / RECOVERY_KNOTS * (1.0 - self.drive)
        return self.period * jnp.concatenate([drive, recovery])

    @property
    def break_times(self) -> tuple[Array, ...]:
        """Knots of the first period, where third derivatives jump [s]."""
        return tuple(self.knots)

    def curves(self) -> "Curves":
        """The curves t -> (knee, trunk, oar) [rad], differentiable in time, knot values and drive ratio."""
        values = jnp.stack([self.knee, self.trunk, self.oar])
        closed = jnp.concatenate([values, values[:, :1]], axis=1)
        one = lambda row: interpax.CubicSpline(self.knots, row, bc_type="periodic", check=False)  # noqa: E731
        with jax.numpy_rank_promotion("allow"):  # the library relies on implicit rank promotion
            return Curves(jax.vmap(one)(closed), self.knots)

    def control_polygons(self) -> tuple[np.ndarray, np.ndarray]:
        """Abscissae (Greville) [s] and heights [rad] of the B-spline control points of the three curves."""
        values = np.stack([np.asarray(self.knee), np.asarray(self.trunk), np.asarray(self.oar)], axis=1)
        spline = make_interp_spline(np.asarray(self.knots), np.concatenate([values, values[:1]]), 3, bc_type="periodic")
        at = np.array([spline.t[i + 1 : i + 4].mean() for i in range(len(spline.c))])
        return at, spline.c


class Curves(eqx.Module):
    """The three curves of a stroke, built once per run.

    Attributes:
        splines: the three splines, stacked.
        knots: times at which their third derivatives jump [s].
    """

    splines: interpax.CubicSpline
    knots: Float[Array, "edges"]

    def __call__(self, t: Float[Array, "*times"]) -> Float[Array, "*times 3"]:
        """Knee, trunk and oar [rad]."""
        with jax.numpy_rank_promotion("allow"):
            return jax.vmap(lambda one: one(t), out_axes=-1)(self.splines)


def stroke(drive: Numbers = 0.4, period: Numbers = 60.0 / 27.0, profile: str = "smooth") -> Stroke:
    """A stroke like those of [KR13, VII.D], at 27 per minute; `drive` is 0.4 in the first motion, 0.5 in the second.

    The paper does not give the curves as numbers; ranges and sequence are a reconstruction.

    Args:
        drive: share of the period from catch to finish.
        period: period of the stroke [s].
        profile: motion of the oars in the drive: "smooth" (half a cosine), or "steep" (faster in the middle).
    """
    one_of("profile", profile, ("smooth", "steep"))
    share = float(finite("drive", drive, ()))
    if not 0.1 < share < 0.9:
        raise ValueError(f"drive = {share}: must lie between 0.1 and 0.9")
    s, r = np.arange(DRIVE_KNOTS) / DRIVE_KNOTS, np.arange(RECOVERY_KNOTS) / RECOVERY_KNOTS
    values = {}
    for name in CURVES:
        out = _ramp(s, *DRIVE[name])
        if name == "oar" and profile == "steep":
            out = out - 0.05 * np.sin(2.0 * np.pi * s)
        low, high = np.deg2rad(RANGE[name])
        values[name] = jnp.asarray(low + (high - low) * np.concatenate([out, 1.0 - _ramp(r, *RECOVERY[name])]))
    made = Stroke(positive("period", period, "s"), jnp.asarray(share), **values)
    return eqx.tree_at(lambda it: it.oar, made, _turning_at_catch_and_finish(made))


def _turning_at_catch_and_finish(made: Stroke) -> Float[Array, "knots"]:
    """Oar values; those one knot after catch and finish are adjusted so that the oars reverse at catch and finish."""
    knots, values = np.asarray(made.knots), np.asarray(made.oar)
    turns, moved = knots[[0, DRIVE_KNOTS]], np.eye(len(values))[[1, DRIVE_KNOTS + 1]]

    def slopes(v):
        return make_interp_spline(knots, np.append(v, v[0]), 3, bc_type="periodic").derivative()(turns)

    effect = np.stack([slopes(row) for row in moved], axis=1)
    return jnp.asarray(values - np.linalg.solve(effect, slopes(values)) @ moved)


def _ramp(s, begin, end):
    """Half-cosine ramp from 0 to 1."""
    return 0.5 * (1.0 - np.cos(np.pi * np.clip((s - begin) / (end - begin), 0.0, 1.0)))
