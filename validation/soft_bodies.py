"""Soft beams: shapes, buckling loads, frequencies and swims against closed forms and an independent computation."""

import functools
import json
import warnings
from importlib import resources
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import gaits
import hydro
from cosserat.soft.equations import imbalance
from cosserat.soft.sampled_soft import sample_soft
from cosserat.soft.soft_loop import soft_loop

from .report import Measurement, check

_SOURCE = "shooting and collocation, modal and link programs of their own (validation/data/soft_reference.json)"
_BENDING = (1.0, 1.0, 1.0, 1.0, 1.0, 2.0)  # stiffness of a rod with only K3 free [N·m²]


@functools.cache
def soft_reference() -> dict[str, Any]:
    """Results of independent programs: tips of rods at rest, frequencies, buckling loads and motions."""
    return json.loads((resources.files("validation") / "data" / "soft_reference.json").read_text())


def _clamped(stiffness, loads, modes, length=1.0, rest=(1.0, 0, 0, 0, 0, 0)):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="this body is 78")  # the 45° bend has a radius of 100 m
        rod = cosserat.rod(length, 0.01, 0.01)
    parts = rod, cosserat.FreeStrains(modes=modes), cosserat.Springs(stiffness)
    return cosserat.Soft(*parts, loads=loads, rest=rest, head=cosserat.Clamped())


@check(
    group="agreement",
    title="45° bend under a dead tip load of 600: position of the tip, ten modes a strain",
    unit="m",
    source=_SOURCE,
    meaning="strains in space, the tangent or the load of a rod at rest are wrong",
    shares="soft statics",
)
def soft_bend_45() -> Measurement:
    """κ = 1 and GJ = G/6; truncating the Legendre basis changes the tip by less than 1e-9 of the length."""
    stiffness = [1e7, 5e6, 5e6, 1e7 / 12, 1e7 / 12, 1e7 / 12]
    six = dict.fromkeys(("G1", "G2", "G3", "K1", "K2", "K3"), 10)
    load = cosserat.EndLoad(force=[0.0, 0.0, 600.0])
    soft = _clamped(stiffness, load, six, 25.0 * np.pi, (1.0, 0, 0, 0, 0, 0.01))
    position, _ = cosserat.tail_pose(soft, cosserat.equilibrium(soft, load_steps=4).q)
    expected = soft_reference()["static_bend45_P600"]["tip_position"]
    return float(np.abs(np.asarray(position) - np.asarray(expected)).max()), 0.0, 1e-8 * 25.0 * np.pi


@check(
    group="closed forms",
    title="Greenhill's column: own weight at which it buckles, qL³/EI",
    unit="-",
    source="(9/4) j², j the first zero of the Bessel function J of order -1/3",
    meaning="distributed loads or their geometric stiffness are wrong",
    shares="soft statics",
)
def soft_greenhill() -> Measurement:
    """Eight modes."""
    soft = _clamped(_BENDING, cosserat.DistributedLoad([-2.0, 0, 0, 0, 0, 0]), {"K3": 8})
    closed = soft_reference()["buckling"]["values"]["greenhill_selfweight_qL3_over_EI"]["closed"]
    return cosserat.buckling_factor(soft, below=7.0, above=9.0), closed, 1e-8 * closed


@check(
    group="agreement",
    title="first bending frequency of a clamped rod with shear and rotary inertia",
    unit="rad/s",
    source="Timoshenko's transfer matrix (validation/data/soft_reference.json)",
    meaning="the inertia of the modes or their stiffness is wrong",
)
def soft_frequency() -> Measurement:
    """Twelve modes of extension, shear and bending each."""
    soft = cosserat.Soft(
        cosserat.rod(0.5, 0.01, 0.02, 1100.0),
        cosserat.FreeStrains(modes=dict.fromkeys(("G1", "G2", "K3"), 12)),
        cosserat.Elastic(1e6, poisson=0.45, shear_correction=0.9),
        head=cosserat.Clamped(),
    )
    expected = soft_reference()["eig_cantilever"]["values"]["bending_t3"][0]
    return float(cosserat.natural_modes(soft).frequency[0]), expected, 1e-8 * expected


def _instant():
    """An instant of an eel with a free tail that swims in space, and its reduced equations."""
    tail = cosserat.FreeStrains(1.2, modes={"G2": 2, "K2": 2, "K3": 3})
    soft = cosserat.Soft(cosserat.eel(), tail, cosserat.Elastic(1e5, damping_time=0.02))
    fluid, t = hydro.Morison(added_mass="kirchhoff"), jnp.asarray(2.3)
    sampled = sample_soft(soft, fluid, 32, 1)
    q, dq = jnp.asarray(np.random.default_rng(0).normal(size=(2, soft.modes)) * 0.05)
    head = cosserat.HeadState(twist=[-0.3, 0.02, 0.01, 0.1, 0.05, -0.04])
    loop = eqx.filter_jit(soft_loop)(sampled, gaits.spiral(), fluid, head, q, dq, t)
    return soft, sampled, fluid, head, q, dq, t, loop


@check(
    group="agreement",
    title="inertia matrix of head and modes: by columns and by unit accelerations of the inverse dynamics",
    unit="-",
    source="∫Jᵀ(M + M_a)J against the force that a unit acceleration costs",
    meaning="Jacobian columns and the gathering of loads are not each other's transpose",
    shares="soft instant",
)
def soft_inertia() -> Measurement:
    """Each entry relative to the inertia of its row and its column."""
    loop = _instant()[-1]
    matrix, force = np.asarray(loop.inertia()), np.asarray(loop.force())
    left = jax.jit(jax.vmap(lambda rates: imbalance(loop.parts, loop.components, rates)))
    columns = (force[None, :] - np.asarray(left(jnp.eye(len(force))))).T
    return float(np.abs((columns - matrix) / np.sqrt(np.outer(np.diag(matrix), np.diag(matrix)))).max()), 0.0, 1e-11


@check(
    group="agreement",
    title="stress of the modes, K q + D dq, against the internal wrench by diffrax along X",
    unit="-",
    source="the space path whose loops share no quadrature with the modes",
    meaning="the equation of the modes, its springs or dampers, or the acceleration of the head is wrong",
    shares="soft instant",
)
def soft_stress() -> Measurement:
    """Relative to the maximum; fixed panels across the kinks of the drag have an error of 1e-6."""
    soft, sampled, fluid, head, q, dq, t, loop = _instant()
    law = soft.strain(gaits.spiral(), t, q, dq, loop.rates()[6:])
    X = np.asarray(sampled.body.load_X)
    body = cosserat.internal_wrench(soft.beam, law, fluid, head, t, cosserat.Nested(), X)
    stress = -np.concatenate([np.asarray(body.force), np.asarray(body.moment)], axis=1)
    expected = np.asarray(sampled.stiffness @ q + sampled.damping @ dq)
    return (
        float(np.abs(np.asarray(sampled.projected(jnp.asarray(stress.T))) - expected).max() / np.abs(expected).max()),
        0.0,
        1e-6,
    )


@check(
    group="agreement",
    title="actuated front and passive tail in water: head after 1 s",
    unit="m",
    source=_SOURCE,
    meaning="imposed and free strains, drag, added mass or the implicit steps do not go together",
)
def soft_swim() -> Measurement:
    """Ten modes; equal implicit steps of 1/100 s."""
    water = hydro.Morison(
        drag_lateral=1.5, drag_dorsal=0.0, drag_roll=0.0, mass_dorsal=0.0, mass_roll=0.0, added_mass="kirchhoff"
    )

    def front(X, t):
        x = jnp.minimum(t, 1.0)
        start = x**5 * (126.0 - 420.0 * x + 540.0 * x**2 - 315.0 * x**3 + 70.0 * x**4)
        K3 = 4.0 * jnp.sin(2.0 * jnp.pi * X) ** 2 * start * jnp.sin(2.0 * jnp.pi * (X - t))
        return jnp.zeros(6).at[0].set(1.0).at[5].set(K3)

    law = cosserat.Springs([1.0, 1.0, 1.0, 1.0, 1.0, 0.15], damping_time=0.05)
    soft = cosserat.Soft(cosserat.rod(1.0, 0.02, 0.04), cosserat.FreeStrains(0.5, modes={"K3": 10}), law)
    run = cosserat.rollout(soft, front, water, 1.0, samples=2, method="implicit", dt0=0.01)
    expected = soft_reference()["case4_swim"]["times"]["1"]["head"]
    return float(np.abs(np.asarray(run.position[-1, :2]) - np.asarray(expected)).max()), 0.0, 1e-6
