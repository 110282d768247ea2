"""Independently computed figures of the continuous eel, and the inputs they were computed for."""

import functools
import json
from importlib import resources
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

import cosserat
import gaits
from spatial import matrix_from_quaternion


class Case(NamedTuple):
    """One state of the reference file.

    Attributes:
        name: name of the case.
        gait: the strain law.
        state: state of the head.
        t: time [s].
        expected: outputs of the reference, in the world frame.
        alternatives: head accelerations with other fluid models.
    """

    name: str
    gait: gaits.Strain
    state: cosserat.HeadState
    t: float
    expected: dict[str, Any]
    alternatives: dict[str, Any]


@functools.cache
def eel_reference() -> dict[str, Any]:
    """The complete reference file."""
    return json.loads(resources.files("validation").joinpath("data/eel_reference.json").read_text())


def gait_from_reference(row: dict[str, Any]) -> gaits.Strain:
    """A strain law from its description in the reference file."""
    if row["kind"] == "eel":
        return gaits.spiral(
            offset2=row["K2of"],
            offset3=row["K3of"],
            amplitude=row["alpha"],
            wavelength=row["lam"],
            period=row["T"],
            begin=row["ti"],
            end=row["tf"],
        )
    # Each row: e0 + (a + p X) sin(2π(X/λ - t/T) + φ), in the order K1, K2, K3, Γ1, Γ2, Γ3.
    laws = [gaits.TravellingWave((p, a), lam, T, phi) + e0 for e0, a, p, lam, T, phi in row["rows"]]
    return gaits.timoshenko_reissner(*laws[3:], *laws[:3])


def eel_cases() -> list[Case]:
    """The states at which accelerations and internal wrenches are known."""
    file = eel_reference()
    return [_case(row) for row in file["states"] + file["strain_states"]]


def _case(row: dict[str, Any]) -> Case:
    given = row["inputs"]
    quaternion = np.array(given["q_unnormalised_wxyz"])
    quaternion = quaternion / np.linalg.norm(quaternion)
    rotation = np.asarray(matrix_from_quaternion(jnp.asarray(quaternion)))
    twist = np.concatenate([rotation.T @ given["v0"], rotation.T @ given["w0"]])
    state = cosserat.HeadState(given["r0"], quaternion, twist)
    return Case(
        row["name"],
        gait_from_reference(given["gait"]),
        state,
        given["t"],
        row["outputs"],
        row["acc_alternatives"],
    )


def world_acceleration(state: cosserat.HeadState, twist_rate: Any) -> np.ndarray:
    """Acceleration of the nose and angular acceleration of the head, in the world [m/s², rad/s²]."""
    V, omega, rotation = np.asarray(state.twist[:3]), np.asarray(state.twist[3:]), np.asarray(state.rotation)
    rate = np.asarray(twist_rate)
    return np.concatenate([rotation @ (rate[:3] + np.cross(omega, V)), rotation @ rate[3:]])
