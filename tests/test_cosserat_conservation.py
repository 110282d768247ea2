"""Momentum on a coarse grid. The other conservation laws of the eel are checks of `validation`: see test_validation."""

import diffrax
import equinox as eqx
import numpy as np
import pytest

import cosserat
import hydro
from cosserat.state import unchecked_state
from validation.subjects import eel, six_strains

pytestmark = pytest.mark.slow


def test_momentum_in_vacuum_is_kept_on_twelve_nodes_as_well():
    """Time is the only source of error, for twists are derivatives of the discrete poses: the grid does not matter."""
    path, gait = cosserat.Panels(order=12, panels=1, loads=1), six_strains()
    start = cosserat.HeadState(twist=[0.1, -0.05, 0.08, 0.2, -0.1, 0.15])
    run = cosserat.rollout(
        eel(),
        gait,
        hydro.Void(),
        10.0,
        state=start,
        samples=11,
        rtol=1e-12,
        atol=1e-13,
        solver=diffrax.Dopri8(),
        path=path,
        land=True,
    )
    one = lambda p, q, eta, t: cosserat.momentum(eel(), gait, unchecked_state(p, q, eta), t, path)  # noqa: E731
    momentum = np.asarray(eqx.filter_vmap(one)(run.position, run.quaternion, run.twist, run.time))
    scale = np.abs(momentum[0]).max()
    assert scale > 1.0  # it moves
    assert np.abs(momentum - momentum[:1]).max() / scale < 1e-11
