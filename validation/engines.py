"""The two engines against each other, and the tree against itself."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import hydro
import multibody as mb
from anguilla import robots

from .report import Measurement, check, exhibit, require
from .subjects import eel, published_gait

GROUP = "agreement"

LINKS = (13, 40, 120)
TIMES = (0.7, 1.1, 1.6, 2.3)  # during the start of the gait and after it, at four phases [s]
_TWIST = np.array([-0.3, 0.05, -0.02, 0.1, -0.2, 0.3])

ORDER = 0.1  # with 13 links the error is not yet quite in the asymptotic range
# Relative. One rounding of forces of 1.6 kN (1e-16 relative), multiplied by the inverse of the mass matrix (condition
# number 1.3e5), changes accelerations of order one by 5e-10; a few roundings are allowed.
ROUND_TRIP = 3e-9


@functools.cache
def chain_errors(fluid: str) -> tuple[float, ...]:
    """Relative error of the head acceleration of chains of `LINKS` links against the beam, spiral gait.

    Args:
        fluid: "vacuum" or "water".
    """
    medium = hydro.Void() if fluid == "vacuum" else hydro.Morison()
    gait, head = published_gait("spiral"), cosserat.HeadState(twist=_TWIST)
    beam = np.stack([cosserat.head_acceleration(eel(), gait, medium, head, jnp.asarray(t)) for t in TIMES])
    base, errors = mb.BaseState(twist=_TWIST), []
    for links in LINKS:
        tree, law = mb.from_beam(eel(), links), mb.strain_law(gait, eel().length, links)
        water = mb.immerse(tree, medium)

        @jax.jit
        def acceleration(tree, law, water, t):
            return mb.inverse_dynamics(tree, base, *mb.law_motion(tree, law, t), fluid=water).base_acceleration

        chain = np.stack([acceleration(tree, law, water, jnp.asarray(t)) for t in TIMES])
        each = np.linalg.norm(chain - beam, axis=1) / np.linalg.norm(beam, axis=1)
        errors.append(float(np.sqrt(np.mean(each**2))))
    return tuple(errors)


def _order(fluid):
    exhibit(f"chain in {fluid}", links=LINKS, error=chain_errors(fluid))
    pitch = [1.0 / (links - 1) for links in LINKS]
    return np.polyfit(np.log(pitch), np.log(chain_errors(fluid)), 1)[0], 2.0, ORDER


_CHAIN = dict(
    group=GROUP,
    source="two engines that share only the algebra and the fluid; second order expected of the midpoint rule",
    meaning="the engines do not solve the same mechanics, or the chain stands for another body",
    shares="chains",
)


@check(title="order at which a chain of rigid links tends to the beam, vacuum", unit="-", **_CHAIN)
def chain_order_in_vacuum() -> Measurement:
    """Slope of the error of the head acceleration in the length of a link."""
    return _order("vacuum")


@check(title="order at which a chain of rigid links tends to the beam, water", unit="-", **_CHAIN)
def chain_order_in_water() -> Measurement:
    """Slope of the error of the head acceleration in the length of a link."""
    return _order("water")


@check(title="head acceleration of 120 links against the beam, water", unit="rel.", **_CHAIN)
def chain_of_120_links() -> Measurement:
    """The tolerance of a thousandth is four times the error that the second-order trend predicts."""
    return chain_errors("water")[-1], 0.0, 1e-3


@check(
    group=GROUP,
    title="inverse then direct dynamics of the 36-joint eel in water",
    unit="rel.",
    source="[KR13, VI.A]: the torques found give back the accelerations",
    meaning="one of the two algorithms is wrong: the recursion or the mass matrix",
)
def tree_inverse_then_direct() -> Measurement:
    """Base and joint accelerations at a random instant."""
    tree, rng = robots.eel.model(), np.random.default_rng(3)
    medium = mb.immerse(tree, hydro.Morison())
    q, dq, ddq = (jnp.asarray(0.3 * rng.normal(size=36)) for _ in range(3))
    state = mb.BaseState(twist=rng.normal(size=6))
    inverse = jax.jit(mb.inverse_dynamics)(tree, state, q, dq, ddq, fluid=medium)
    back = jax.jit(mb.forward_dynamics)(tree, state, q, dq, inverse.torque, fluid=medium)
    require(np.abs(inverse.torque).max() > 1e-2, "no torque is needed")
    base = np.abs(back.base_acceleration - inverse.base_acceleration).max() / np.abs(inverse.base_acceleration).max()
    joints = np.abs(back.acceleration - ddq).max() / np.abs(ddq).max()
    return max(base, joints), 0.0, ROUND_TRIP
