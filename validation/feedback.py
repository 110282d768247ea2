"""Feedback against closed forms: a servo, a spring made of sensors and a torque, a delay."""

import jax
import jax.numpy as jnp
import numpy as np

import gaits
import gaits.feedback as fb
import multibody as mb

from .closed_forms import GROUP
from .report import Measurement, check, require

STEPPED = 1e-8  # relative: a hundred times the tolerance of the step
PADE = 1e-8  # five times m! n! / ((m + n)! (m + n + 1)!), the leading error of the [4/5] approximant of exp(-i)
INERTIA = 0.01 + 0.25  # kg·m², about the hinge of an arm of 1 kg whose centre is half a metre away
ANGLE = (fb.JointPosition("hinge", name="q"), fb.JointVelocity("hinge", name="dq"))


def _arm(actuated):
    hinge = mb.revolute(axis=(0.0, 1.0, 0.0), name="hinge", actuated=actuated)
    link = mb.Link("arm", "wall", hinge, mass=1.0, centre=(0.5, 0.0, 0.0), about_centre=0.01 * np.eye(3))
    return mb.from_links([mb.Link("wall"), link], base="fixed")


@check(
    group=GROUP,
    title="joint that a critically damped servo drives to one radian, and the work of its motor",
    unit="rad, J",
    source="1 - (1 + ωt) e^(-ωt), and the kinetic energy",
    meaning="the servo of a feedback loop does not follow its equation, or its acceleration does not reach the joint",
)
def servo_step() -> Measurement:
    """The worst of angle and work over a second."""
    omega = 2 * np.pi * 0.7
    law = gaits.Steered(lambda t, y: y, fb.Hold([1.0], *ANGLE), servo=fb.Servo(0.7))
    work = lambda t, state, q, dq, found: found.torque * dq  # noqa: E731
    run = mb.rollout(_arm(True), law, t1=1.0, samples=6, rtol=1e-10, atol=1e-12, integrand=work)
    t = np.asarray(run.time)
    angle = np.asarray(run.joints[:, 0]) - (1 - (1 + omega * t) * np.exp(-omega * t))
    energy = 0.5 * INERTIA * (omega**2 * t * np.exp(-omega * t)) ** 2
    require(energy.max() > 0.1, "the arm hardly moves")
    return max(np.abs(angle).max(), np.abs(np.asarray(run.integrals[:, 0]) - energy).max()), 0.0, STEPPED


@check(
    group=GROUP,
    title="arm on a spring and a damper that are a sensor, a reflex and a torque, one second",
    unit="rad",
    source="damped oscillator",
    meaning="sensors, controller or torque of a feedback loop are wrong in sign, order or time",
)
def reflex_as_a_spring() -> Measurement:
    """Torque -k q - c dq/dt, from 0.3 rad."""
    k, c = 3.0, 0.4
    spring = fb.Reflex(lambda t, sensed: -k * sensed["q"] - c * sensed["dq"], *ANGLE)
    law = gaits.Steered(None, spring, torque=lambda t, q, dq, u: u)
    run = mb.rollout(_arm(False), law, t1=1.0, samples=6, joints=[0.3], rtol=1e-10, atol=1e-12)
    t, decay = np.asarray(run.time), c / (2 * INERTIA)
    omega = np.sqrt(k / INERTIA - decay**2)
    expected = 0.3 * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    return np.abs(np.asarray(run.joints[:, 0]) - expected).max(), 0.0, STEPPED


@check(
    group=GROUP,
    title="wave of one radian per delay through a chain of five states",
    unit="-",
    source="exp(-iωτ)",
    meaning="delayed sensors are late by another time, or distorted",
)
def delay_of_a_wave() -> Measurement:
    """Response of the chain to exp(iωt), from its matrices."""
    order, tau = 5, 0.25
    delay, zero = fb.Delay(tau, order), jnp.zeros(order)
    A = np.asarray(jax.jacfwd(lambda x: delay.rates(jnp.array(0.0), x))(zero))
    b, c = np.asarray(delay.rates(jnp.array(1.0), zero)), np.asarray(jax.jacfwd(delay.read)(zero))
    response = c @ np.linalg.solve(1j / tau * np.eye(order) - A, b)
    return abs(response - np.exp(-1j)), 0.0, PADE
