"""Lighthill's model: independent reference values, lift in steady yaw, and the power lost to the wake."""

import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import gaits

from .lighthill_cases import (
    fluid_resultant,
    frictionless,
    lighthill_reference,
    reference_rod,
    reference_state,
)
from .report import Measurement, check, require

_SOURCE = "an independent program in NumPy, two routes (validation/data/lighthill_reference.json)"
_TWIST = (-0.4, 0.05, -0.02, 0.1, -0.2, 0.3)  # twist of the head, without zero components [m/s, rad/s]


def _worst(rows, path):
    """Maximum relative difference of head acceleration, n and M."""
    worst = 0.0
    for row in rows:
        gait, state, t = reference_state(row["state"])
        water = frictionless(mass_roll=1.0 if row["variant"] == "full" else 0.0)
        X = [station["X"] for station in row["stations"]]
        fields = cosserat.internal_wrench(reference_rod(row["rod"]), gait, water, state, t, path, stations=X)
        pairs = (
            (fields.head_twist_rate, row["head_acceleration"]),
            (-fields.force, [station["n"] for station in row["stations"]]),
            (-fields.moment, [station["M"] for station in row["stations"]]),
        )
        for found, expected in pairs:
            expected = np.asarray(expected)
            worst = max(worst, float(np.abs(np.asarray(found) - expected).max() / np.abs(expected).max()))
    return worst


@check(
    group="agreement",
    title="Lighthill's water on twisting, stretching rods: head acceleration, n and M, fast path",
    unit="-",
    source=_SOURCE,
    meaning="slices of water see another twist, or the wrench at the nose or at the edge is wrong",
    shares="lighthill",
)
def lighthill_fast_path() -> Measurement:
    """Worst of twelve instants; the panels resolve these gaits to 1e-7."""
    return _worst(lighthill_reference()["results"], cosserat.Panels()), 0.0, 1e-6


@check(
    group="agreement",
    title="Lighthill's water on twisting, stretching rods: head acceleration, n and M, by diffrax along X",
    unit="-",
    source=_SOURCE,
    meaning="the reference path and the independent program read the theory differently",
    shares="lighthill nested",
)
def lighthill_reference_path() -> Measurement:
    """Worst of the four instants with all six strains."""
    rows = [row for row in lighthill_reference()["results"] if row["state"] == 6]
    return _worst(rows, cosserat.Nested()), 0.0, 1e-9


@check(
    group="closed forms",
    title="lift of a straight body in steady yaw, over m(L) V1 V2",
    unit="-",
    source="Lighthill (1960): the added mass at the trailing edge",
    meaning="the water leaves with another momentum than it has at the edge",
    shares="lighthill",
)
def lighthill_lift_in_yaw() -> Measurement:
    """A tapered rod; m(L) = ρπc²."""
    rod, V1, V2 = reference_rod("tapered"), -1.0, 0.2
    state = cosserat.HeadState(twist=[V1, V2, 0.0, 0.0, 0.0, 0.0])
    still = lambda X, t: jnp.eye(6)[0] + 0.0 * X  # noqa: E731
    lift = fluid_resultant(rod, still, frictionless(), state, jnp.zeros(()), jnp.zeros(6))[1]
    end = 1000.0 * np.pi * (0.08 * (0.5 + 0.9 - 0.8)) ** 2
    return float(lift) / (end * V1 * V2), 1.0, 1e-10


@check(
    group="conservation",
    title="power of the actuators less the rate of energy of body and slices, less the wake's",
    unit="W",
    source="∫η·F dX = -dℓ/dt + V1 ℓ/Γ1 at the edge",
    meaning="energy appears or is lost between body, slices of water and wake",
    shares="lighthill power",
)
def lighthill_power_identity() -> Measurement:
    """The spiralling eel without resistance, on two panels."""
    beam, gait, water, path = cosserat.eel(), gaits.spiral(), frictionless(edge=1.95), cosserat.Panels(panels=2)
    state, t = cosserat.HeadState(twist=_TWIST), jnp.asarray(1.3)

    def energy(twist, t):
        sums = cosserat.energetics(beam, gait, water, cosserat.HeadState(twist=twist), t, path)
        return sums.kinetic + sums.added, sums.wake

    rate = cosserat.head_acceleration(beam, gait, water, state, t, path)
    (_, wake), (gained, _) = jax.jvp(energy, (state.twist, t), (rate, jnp.ones(())))
    given = cosserat.actuator_power(beam, gait, water, state, t, path)
    require(abs(wake) > 1e-2, "hardly any power goes into the wake")
    return float(given - gained - wake), 0.0, 1e-8
