"""Soft beams at rest: shapes, buckling loads and frequencies against closed forms and an independent computation.

The figures of `validation/data/soft_reference.json` come from shooting and from spectral collocation of the local
equations, neither of which this library has. Legendre strains converge exponentially: the tolerances are those of the
stated numbers of modes, found from the decay of the coefficients, not from the results.
"""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_bvp
from scipy.linalg import eigh
from scipy.optimize import brentq

import cosserat
import hydro
import multibody

REFERENCE = json.loads((Path(__file__).parents[1] / "validation/data/soft_reference.json").read_text())
SIX = ("G1", "G2", "G3", "K1", "K2", "K3")
PLANAR = ("G1", "G2", "K3")
UNIT = [1.0, 1.0, 1.0, 1.0, 1.0, 2.0]
THICK = [1e4, 4e3, 4e3, 1.5, 4.0, 2.0]


def clamped(stiffness, loads, modes, length=1.0, rest=(1.0, 0, 0, 0, 0, 0)):
    return cosserat.Soft(
        cosserat.rod(length, 0.01, 0.01),
        cosserat.FreeStrains(modes=modes),
        cosserat.Springs(stiffness),
        loads=loads,
        rest=rest,
        head=cosserat.Clamped(),
    )


def tip(soft, load_steps=4):
    found = cosserat.equilibrium(soft, load_steps=load_steps)
    return [np.asarray(x) for x in cosserat.tail_pose(soft, found.q)]


def six(n):
    return dict.fromkeys(SIX, n)


# name, stiffness, load, length, rest shape, position error over length
CASES = {
    # Constant strains, which one mode holds exactly: round-off.
    "static_rollup_full": (THICK, cosserat.EndLoad(moment=[0, 0, 4 * np.pi]), 1.0, (1.0, 0, 0, 0, 0, 0), 1e-12),
    "static_rollup_partial": (THICK, cosserat.EndLoad(moment=[0, 0, 9.0]), 1.0, (1.0, 0, 0, 0, 0, 0), 1e-12),
    "static_helix_exact": (
        [1e3, 500.0, 500.0, 2.0, 2.0, 2.0],
        cosserat.EndLoad(moment=[8.0, 0, 6.0]),
        1.0,
        (1.0, 0, 0, 0, 0, 0),
        1e-12,
    ),
    "static_bend45_P600": (
        [1e7, 5e6, 5e6, 1e7 / 12, 1e7 / 12, 1e7 / 12],
        cosserat.EndLoad(force=[0, 0, 600.0]),
        25.0 * np.pi,
        (1.0, 0, 0, 0, 0, 0.01),
        1e-8,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_rods_in_space_as_computed_independently(name):
    """Roll-up and helix are exact, the 45° bend (κ = 1, GJ = G/6) holds 1e-8 with ten modes a strain."""
    stiffness, load, length, rest, tolerance = CASES[name]
    position, rotation = tip(clamped(stiffness, load, six(10), length, rest))
    expected = REFERENCE[name]
    assert np.abs(position - np.asarray(expected["tip_position"])).max() < tolerance * length
    assert np.abs(rotation - np.asarray(expected["tip_rotation"])).max() < tolerance


@pytest.mark.slow
def test_follower_load_converges_exponentially():
    """P = 20: with two more modes a strain the error falls by more than ten times; 1e-8 at twelve modes."""
    load = cosserat.EndLoad(force=[0.0, 20.0, 0.0], follower=True)
    expected = np.asarray(REFERENCE["static_follower_P20"]["tip_position"])
    errors = [np.abs(tip(clamped(THICK, load, dict.fromkeys(PLANAR, n)))[0] - expected).max() for n in (8, 10, 12)]
    assert errors[1] < errors[0] / 10 and errors[2] < errors[1] / 10
    assert errors[2] < 1e-8


def test_weight_along_the_body_as_computed_independently():
    """A heavy rod that droops: its weight is the load of a fluid."""
    b, c, density = 0.01, 0.015, 1100.0
    soft = cosserat.Soft(
        cosserat.rod(0.6, b, c, density),
        cosserat.FreeStrains(modes=dict.fromkeys(PLANAR, 12)),
        cosserat.Elastic(3e6, poisson=0.5),
        head=cosserat.Clamped(),
    )
    shape = cosserat.equilibrium(soft, hydro.Weight(density, (0.0, -9.81, 0.0)))
    position, _ = cosserat.tail_pose(soft, shape.q)
    expected = np.asarray(REFERENCE["static_gravity_planar"]["tip_position"])
    assert np.abs(np.asarray(position) - expected).max() < 1e-8 * 0.6
    weight = density * np.pi * b * c * 0.6 * 9.81
    assert abs(float(shape.reaction[1]) - weight) < 1e-9 * weight  # the clamp carries all of it


HEAVY = {
    # Weight along the axis with a force and a moment on the tip, six strains.
    "static_hanging": (
        [2000.0, 800.0, 800.0, 1.5, 4.0, 2.0],
        [cosserat.DistributedLoad([60.0, 0, 0, 0, 0, 0]), cosserat.EndLoad([0.0, 10.0, 6.0], [0.5, 0.0, 0.0])],
        six(12),
        (1.0, 0, 0, 0, 0, 0),
    ),
    # A column that falls over to the side of its small rest curvature: qL³/EI = 12, above Greenhill's 7.84.
    "static_column_standing": (
        UNIT,
        [cosserat.DistributedLoad([-24.0, 0, 0, 0, 0, 0])],
        {"K3": 16},
        (1.0, 0, 0, 0, 0, 0.05),
    ),
}


@pytest.mark.parametrize("name", HEAVY)
def test_dead_weight_along_the_body_as_computed_independently(name):
    """Weight as a load of the body itself: pose of the tip, and the wrench at the clamp."""
    stiffness, loads, modes, rest = HEAVY[name]
    soft = clamped(stiffness, loads, modes, rest=rest)
    found = cosserat.equilibrium(soft, load_steps=12)
    position, rotation = cosserat.tail_pose(soft, found.q)
    expected = REFERENCE[name]
    assert np.abs(np.asarray(position) - np.asarray(expected["tip_position"])).max() < 1e-8
    assert np.abs(np.asarray(rotation) - np.asarray(expected["tip_rotation"])).max() < 1e-8
    at_clamp = expected["head_internal_wrench_Lambda_world"]  # what the body exerts on the clamp
    assert np.abs(np.asarray(found.reaction) + np.concatenate([at_clamp["n"], at_clamp["m"]])).max() < 1e-6


def elastica(load):
    """v/L and u/L of the inextensible elastica under a dead tip load PL²/EI, by collocation of θ'' = -load cos θ."""
    s = np.linspace(0.0, 1.0, 200)
    run = solve_bvp(
        lambda s, y: np.stack([y[1], -load * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]),
        lambda a, b: np.array([a[0], b[1], a[2], a[3]]),
        s,
        np.stack([0.5 * s, 0.5 + 0 * s, s, 0.3 * s]),
        tol=1e-11,
        max_nodes=200_000,
    )
    assert run.success
    return run.y[3, -1], 1.0 - run.y[2, -1]


@pytest.mark.parametrize("load", [1.0, 2.0, 5.0, 10.0])
def test_elastica(load):
    """Inextensible bending under a dead tip load, against the differential equation of the elastica."""
    soft = clamped(UNIT, cosserat.EndLoad(force=[0.0, 2.0, 0.0]), {"K3": 12})
    found = cosserat.equilibrium(soft, factor=load, load_steps=4)
    position, _ = cosserat.tail_pose(soft, found.q)
    v, u = elastica(load)
    assert abs(float(position[1]) - v) < 1e-8 and abs(1.0 - float(position[0]) - u) < 1e-8


@pytest.mark.parametrize(
    "name, key, modes, stiffness, load, bracket",
    [
        ("euler_clamped_free_rigidGamma", "P_cr_closed", {"K3": 8}, UNIT, "tip", (4.0, 6.0)),
        (
            "euler_clamped_free_shear_extension",
            "P_cr_closed",
            {"G1": 2, "G2": 8, "K3": 8},
            [500.0, 200.0, 1, 1, 1, 2.0],
            "tip",
            (4.0, 6.0),
        ),
        ("greenhill_selfweight_qL3_over_EI", "closed", {"K3": 8}, UNIT, "weight", (7.0, 9.0)),
    ],
)
def test_buckling_loads(name, key, modes, stiffness, load, bracket):
    """Euler's thrust, with and without shear and extension, and Greenhill's own weight: closed forms to 1e-8."""
    thrust = cosserat.EndLoad(force=[-1.0, 0, 0])
    loads = thrust if load == "tip" else cosserat.DistributedLoad([-2.0, 0, 0, 0, 0, 0])
    factor = cosserat.buckling_factor(clamped(stiffness, loads, modes), below=bracket[0], above=bracket[1])
    assert factor == pytest.approx(REFERENCE["buckling"]["values"][name][key], rel=1e-8)


@pytest.mark.slow
def test_a_branch_is_followed_past_its_folds():
    """A column past buckling, pushed sideways at its tip: the load rises, falls through zero and rises again.

    Between the folds the column is unstable. The branch returns through zero load upright, by symmetry, and ends on
    the mirror image of where it began.
    """
    down = cosserat.DistributedLoad([-20.0, 0, 0, 0, 0, 0])  # qL³/EI = 10, past Greenhill's 7.84

    soft = clamped(UNIT, down, {"K3": 6})
    bent = cosserat.equilibrium(soft, guess=[2.0, -1.0, 0, 0, 0, 0], load_steps=1)
    assert float(bent.q[0]) > 0.5
    # The factor multiplies all loads of the body: the weight is put into the fluid, the push stays a load.
    area = np.pi * 0.01**2
    weight = hydro.Weight(20.0 / (9.81 * area), (-9.81, 0.0, 0.0))
    pushed = clamped(UNIT, cosserat.EndLoad(force=[0.0, 1.0, 0.0]), {"K3": 6})
    branch = cosserat.equilibrium_path(pushed, weight, arc=-0.4, points=30, guess=bent.q, factor=0.0)
    factor, mean = np.asarray(branch.factor), np.asarray(branch.q[:, 0])
    assert mean[0] > 0.5 and mean.min() < -0.5  # it has come to the other side
    turns = np.flatnonzero(np.diff(np.sign(np.diff(factor))))
    assert len(turns) >= 2  # two folds
    unstable = np.asarray(branch.least) < 0
    assert unstable.any() and not unstable[0] and not unstable[-1]
    low, high = factor[unstable].min(), factor[unstable].max()
    assert low == pytest.approx(-high, rel=0.3)  # sampled coarsely, symmetric


def test_frequencies_with_shear_and_rotary_inertia():
    """A clamped-free rod with all six strains against the exact Timoshenko frequencies; n = 16 modes a strain."""
    soft = cosserat.Soft(
        cosserat.rod(0.5, 0.01, 0.02, 1100.0),
        cosserat.FreeStrains(modes=six(16)),
        cosserat.Elastic(1e6, poisson=0.45, shear_correction=0.9),
        head=cosserat.Clamped(),
    )
    found = np.asarray(cosserat.natural_modes(soft).frequency)
    for exact in REFERENCE["eig_cantilever"]["values"].values():
        for value in exact:
            assert np.abs(found - value).min() < 1e-8 * value


@pytest.mark.parametrize(
    "head, roots",
    [
        (cosserat.Clamped(), (1.8751040687119611, 4.694091132974175, 7.854757438237613)),
        (cosserat.Free(), (4.730040744862704, 7.853204624095838, 10.995607838001671)),
    ],
    ids=["clamped-free", "free-free"],
)
def test_frequencies_of_a_thin_rod(head, roots):
    """βL of Euler and Bernoulli, for a rod so thin (1e-5 of its length) that rotary inertia is 1e-9 of them."""
    radius, density = 1e-5, 1000.0
    soft = cosserat.Soft(
        cosserat.rod(1.0, radius, radius, density),
        cosserat.FreeStrains(modes={"K3": 14}),
        cosserat.Elastic(1.0),
        head=head,
    )
    found = np.asarray(cosserat.natural_modes(soft).frequency)
    unit = np.sqrt((np.pi * radius**4 / 4) / (density * np.pi * radius**2))
    elastic = found[found > 1e-3 * unit]
    assert elastic[:3] == pytest.approx(np.square(roots) * unit, rel=1e-8)
    assert len(found) - len(elastic) == len(head.free)  # rigid motions


def test_a_column_flutters_under_a_thrust_that_follows_its_tip():
    """Beck's column: the two lowest frequencies at 15 EI/L², and flutter from 20.05095 EI/L² on.

    The frequencies are roots of its characteristic equation; eight modes and the rotary inertia leave 1e-7 of them, and
    round-off of the general eigenvalue problem is below 1e-5.
    """
    radius, density, modulus = 1e-4, 1000.0, 4e11  # EI = ρA
    bending = modulus * np.pi * radius**4 / 4

    def rates(load):
        thrust = cosserat.EndLoad(force=[-load * bending, 0.0, 0.0], follower=True)
        free = cosserat.FreeStrains(modes={"K3": 8})
        rod, law = cosserat.rod(1.0, radius, radius, density), cosserat.Elastic(modulus)
        soft = cosserat.Soft(rod, free, law, loads=thrust, head=cosserat.Clamped())
        return np.asarray(cosserat.complex_modes(soft, None, hydro.Void()).rate)

    def characteristic(omega, load):
        root = np.sqrt(load**2 / 4 + omega**2)
        a, b = np.sqrt(root + load / 2), np.sqrt(root - load / 2)
        trigonometric = 2 * omega**2 * (1 + np.cos(a) * np.cosh(b)) + load * omega * np.sin(a) * np.sinh(b)
        return load**2 + trigonometric

    expected = [brentq(characteristic, *bracket, args=(15.0,)) for bracket in ((5.0, 8.0), (14.0, 18.0))]
    assert np.sort(np.abs(rates(15.0).imag))[:4:2] == pytest.approx(expected, rel=1e-5)
    assert rates(20.04).real.max() < 1e-3
    # Near the coalescence at ω = 11.0 the growth rate is 2.4 times the square root of the excess.
    growing = rates(20.06)[0]
    assert growing.real > 0.1 and abs(growing.imag) == pytest.approx(11.0, rel=0.01)


@pytest.mark.slow
def test_frequencies_of_the_chain_of_the_other_engine():
    """Rigid links with springs EI/h on spherical joints, in water: free-free frequencies, better than second order."""
    rod, EI, fluid = cosserat.rod(1.0, 0.02, 0.04), 0.15, hydro.Morison()
    soft = cosserat.Soft(rod, cosserat.FreeStrains(modes={"K3": 12}), cosserat.Springs([1, 1, 1, 1, 1, EI]))
    found = np.asarray(cosserat.natural_modes(soft, fluid).frequency)
    exact, errors = found[found > 1e-2][:2], []
    for links in (9, 17):
        tree = multibody.from_beam(rod, links, passive=(0.0, 1.0), stiffness=jnp.asarray([1.0, 1.0, EI]))
        inertia = np.asarray(multibody.mass_matrix(tree, tree.neutral(), fluid=fluid))
        springs = np.diag(np.concatenate([np.zeros(6), np.asarray(tree.stiffness)]))
        plane = np.concatenate([[0, 1, 5], 6 + np.arange(2, 3 * (links - 1), 3)])  # x, y, yaw and the bendings
        square = eigh(springs[np.ix_(plane, plane)], inertia[np.ix_(plane, plane)], eigvals_only=True)[3:5]
        errors.append(np.abs(np.sqrt(square) / exact - 1.0))
    assert np.all(np.log2(errors[0] / errors[1]) > 1.9)
    assert errors[1].max() < 1e-3


@pytest.mark.slow
def test_shape_is_differentiated_by_stiffness_and_load():
    """The implicit function theorem against central differences, forwards and backwards."""

    @jax.jit
    def height(x):
        soft = cosserat.Soft(
            cosserat.rod(1.0, 0.01, 0.01),
            cosserat.FreeStrains(modes={"K3": 5}),
            cosserat.Springs(jnp.asarray([1.0, 1, 1, 1, 1, 0]) + jnp.asarray([0, 0, 0, 0, 0, 1.0]) * x[0]),
            loads=cosserat.EndLoad(force=jnp.asarray([0, 1.0, 0]) * x[1]),
            head=cosserat.Clamped(),
        )
        return cosserat.tail_pose(soft, cosserat.equilibrium(soft, throw=False).q)[0][1]

    x, h = jnp.asarray([2.0, 3.0]), 1e-5
    differences = [(height(x.at[k].add(h)) - height(x.at[k].add(-h))) / (2 * h) for k in range(2)]
    assert np.asarray(jax.jacfwd(height)(x)) == pytest.approx(np.asarray(differences), rel=1e-7)
    assert np.asarray(jax.grad(height)(x)) == pytest.approx(np.asarray(differences), rel=1e-7)
