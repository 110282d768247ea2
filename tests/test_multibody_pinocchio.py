"""The tree engine against pinocchio, an independent implementation in C++."""

import jax
import jax.numpy as jnp
import numpy as np
import pinocchio as pin
import pytest

import multibody as mb
from anguilla import robots
from validation.pinocchio_tree import to_pinocchio

TOLERANCE = 1e-10  # relative to the largest component: round-off of two algorithms on up to 42 freedoms
GRAVITY = np.array([0.4, -1.2, -9.81])


def random_rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.sign(np.linalg.det(q))


def random_unit(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def random_joint(rng, kind):
    common = dict(rotation=random_rotation(rng), position=rng.normal(size=3) * 0.3, rotor_inertia=rng.uniform(0, 0.1))
    if kind == "helical":
        return mb.helical(random_unit(rng), pitch=rng.uniform(0.05, 0.2), **common)
    if kind == "universal":
        first = random_unit(rng)
        second = np.cross(first, random_unit(rng))  # pinocchio's universal joint asks for perpendicular axes
        return mb.universal(first, second / np.linalg.norm(second), **common)
    if kind in ("spherical", "fixed"):
        return mb.Joint(kind, **common)
    return mb.Joint(kind, random_unit(rng), **common)


def random_inertia(rng):
    """Of a cloud of points, so that it is physical."""
    points, masses = rng.normal(size=(6, 3)) * 0.2, rng.uniform(0.1, 1.0, 6)
    centre = masses @ points / masses.sum()
    arms = points - centre
    about = sum(m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, arms, strict=True))
    return masses.sum(), centre, about


def random_tree(rng, parents, kinds, base="floating"):
    links = []
    for i, (parent, kind) in enumerate(zip([None, *parents], [None, *kinds], strict=True)):
        m, c, about = random_inertia(rng)
        joint = None if kind is None else random_joint(rng, kind)
        name = None if parent is None else f"b{parent}"
        links.append(mb.Link(f"b{i}", name, joint, mass=m, centre=c, about_centre=about))
    return mb.from_links(links, base)


def scalar_last(quaternion):
    return np.roll(np.asarray(quaternion), -1)


class Case:
    """One machine in one random state, in both conventions; `ours` holds every result."""

    def __init__(self, tree, seed):
        rng = np.random.default_rng(seed)
        self.tree, table = tree, tree.layout
        self.model, ride, seat = to_pinocchio(tree, GRAVITY)
        self.data = self.model.createData()
        self.offset = 6 if tree.floating else 0
        self.state = mb.BaseState()
        self.pin_q, self.pin_v = np.zeros(self.model.nq), np.zeros(self.model.nv)
        if tree.floating:
            turn = rng.normal(size=4)
            turn /= np.linalg.norm(turn)
            self.state = mb.BaseState(rng.normal(size=3), turn, rng.normal(size=6))
            self.pin_q[:7] = np.concatenate([self.state.position, scalar_last(turn)])
            self.pin_v[:6] = self.state.twist
        self.dq, self.ddq, self.torque = (rng.normal(size=table.freedoms) for _ in range(3))
        self.wrench = rng.normal(size=(table.bodies, 6))
        pieces, order = [], list(range(self.offset))
        for k, kind in enumerate(tree.kinds):
            if kind == "fixed":
                continue
            joint = self.model.joints[ride[k + 1]]
            values = rng.normal(size=tree.layout.position_start[k + 1] - tree.layout.position_start[k])
            if kind == "spherical":
                values /= np.linalg.norm(values)
            pieces.append(values)
            self.pin_q[joint.idx_q : joint.idx_q + joint.nq] = scalar_last(values) if kind == "spherical" else values
            order.extend(range(joint.idx_v, joint.idx_v + joint.nv))
        self.q, self.order = np.concatenate(pieces), np.array(order)
        self.pin_v[self.order[self.offset :]] = self.dq
        armature = np.zeros(self.model.nv)
        armature[self.order[self.offset :]] = np.asarray(tree.rotor_inertia)
        self.model.armature = armature
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for body, wrench in enumerate(self.wrench):
            forces[ride[body]] = forces[ride[body]] + seat[body].act(pin.Force(wrench))
        self.forces = pin.StdVec_Force()
        self.forces.extend(forces)
        self.mixed = tree.with_actuation((rng.random(len(tree.kinds)) < 0.5).tolist())
        self.ours = jax.jit(_everything)(
            tree,
            tree.with_actuation(False),
            self.mixed,
            self.state,
            *map(jnp.asarray, (self.q, self.dq, self.ddq, self.torque, self.wrench)),
        )

    def pin_equations(self):
        """Mass matrix and bias of pinocchio, in the tree's order."""
        M = pin.crba(self.model, self.data, self.pin_q)
        M = np.triu(M) + np.triu(M, 1).T
        h = pin.rnea(self.model, self.data, self.pin_q, self.pin_v, np.zeros(self.model.nv), self.forces)
        return M[np.ix_(self.order, self.order)], h[self.order]

    def to_pin(self, x):
        out = np.zeros(self.model.nv)
        out[self.order] = x
        return out


def _everything(tree, passive, mixed, state, q, dq, ddq, torque, wrench):
    around = dict(wrench=wrench, gravity=jnp.asarray(GRAVITY))
    still = jnp.zeros_like(dq)
    inverse = mb.inverse_dynamics(tree, state, q, dq, ddq, **around)
    return dict(
        equations=mb.equations(tree, state, q, dq, **around),
        mass_matrix=mb.mass_matrix(tree, q),
        inverse=inverse,
        forward=mb.forward_dynamics(tree, state, q, dq, torque, **around),
        there_and_back=mb.forward_dynamics(tree, state, q, dq, inverse.torque, **around),
        hybrid_active=mb.hybrid_dynamics(tree, state, q, dq, ddq, still, **around),
        hybrid_passive=mb.hybrid_dynamics(passive, state, q, dq, still, inverse.torque, **around),
        hybrid_mixed=mb.hybrid_dynamics(mixed, state, q, dq, ddq, torque, **around),
        kinetic_energy=mb.kinetic_energy(tree, state, q, dq),
        momentum=mb.momentum(tree, state, q, dq),
        centre_of_mass=mb.centre_of_mass(tree, state, q),
    )


KINDS_MIX = ("revolute", "spherical", "prismatic", "universal", "helical", "fixed", "revolute", "spherical")


def _random(seed, base="floating"):
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(0, i + 1)) for i in range(8)]
    return random_tree(rng, parents, [KINDS_MIX[j] for j in rng.permutation(8)], base)


MACHINES = {
    "random0": lambda: _random(0),
    "random1": lambda: _random(1),
    "random-fixed": lambda: _random(3, base="fixed"),
    "branched": lambda: random_tree(np.random.default_rng(4), [0, 1, 1, 2, 0, 5, 5], ["revolute"] * 7),
    "arm": lambda: random_tree(np.random.default_rng(5), range(6), ["revolute"] * 6, base="fixed"),
    "eel": lambda: robots.eel.model(),
    "chain36": lambda: random_tree(np.random.default_rng(6), range(36), ["revolute"] * 36),
}


@pytest.fixture(params=MACHINES, scope="module")
def case(request):
    return Case(MACHINES[request.param](), seed=7)


def relative(ours, theirs):
    return np.max(np.abs(np.asarray(ours) - theirs)) / max(1e-300, np.max(np.abs(theirs)))


def whole(case, dynamics):
    return np.concatenate([dynamics.base_acceleration[: case.offset], dynamics.acceleration])


def test_mass_matrix_and_bias(case):
    M, bias = case.pin_equations()
    A, h = case.ours["equations"]
    assert relative(A, M) < TOLERANCE
    assert relative(h, bias) < TOLERANCE
    assert relative(case.ours["mass_matrix"], M) < TOLERANCE


def test_inverse_dynamics(case):
    M, h = case.pin_equations()
    found, off = case.ours["inverse"], case.offset
    base = -np.linalg.solve(M[:off, :off], h[:off] + M[:off, off:] @ case.ddq)
    full = np.concatenate([base, case.ddq])
    if case.tree.floating:
        assert relative(found.base_acceleration, base) < TOLERANCE
    else:
        np.testing.assert_array_equal(found.base_acceleration, 0.0)
    torque = pin.rnea(case.model, case.data, case.pin_q, case.pin_v, case.to_pin(full), case.forces)
    assert relative(found.torque, torque[case.order][off:]) < TOLERANCE


def test_forward_dynamics(case):
    effort = np.concatenate([np.zeros(case.offset), case.torque])
    theirs = pin.aba(case.model, case.data, case.pin_q, case.pin_v, case.to_pin(effort), case.forces)
    assert relative(whole(case, case.ours["forward"]), theirs[case.order]) < TOLERANCE


def test_hybrid_with_random_mix_is_dense_schur(case):
    M, h = case.pin_equations()
    tree, off, found = case.mixed, case.offset, case.ours["hybrid_mixed"]
    assert 0 < len(tree.passive_freedoms) < len(case.dq)
    active = off + tree.actuated_freedoms
    unknown = np.concatenate([np.arange(off), off + tree.passive_freedoms]).astype(int)
    effort = np.concatenate([np.zeros(off), case.torque])
    x = np.concatenate([np.zeros(off), case.ddq])
    right = effort[unknown] - h[unknown] - M[np.ix_(unknown, active)] @ x[active]
    x[unknown] = np.linalg.solve(M[np.ix_(unknown, unknown)], right)
    assert relative(whole(case, found), x) < TOLERANCE
    assert relative(found.torque, (M @ x + h)[off:]) < TOLERANCE


def test_hybrid_limits_and_inverse_then_direct(case):
    ours, inverse = case.ours, case.ours["inverse"]
    assert relative(ours["hybrid_active"].torque, np.asarray(inverse.torque)) < TOLERANCE
    assert relative(whole(case, ours["hybrid_active"]), whole(case, inverse)) < TOLERANCE
    assert relative(whole(case, ours["hybrid_passive"]), whole(case, ours["there_and_back"])) < TOLERANCE
    assert relative(whole(case, ours["there_and_back"]), whole(case, inverse)) < TOLERANCE


def test_energy_momentum_and_centre_of_mass(case):
    model, data, ours = case.model, case.data, case.ours
    M, _ = case.pin_equations()
    v = case.pin_v[case.order]
    assert abs(ours["kinetic_energy"] - 0.5 * v @ M @ v) < TOLERANCE * abs(ours["kinetic_energy"])
    if not case.tree.floating:
        return  # pinocchio leaves the mass of a fixed base out of what follows
    assert relative(ours["centre_of_mass"], pin.centerOfMass(model, data, case.pin_q)) < TOLERANCE
    theirs = pin.computeCentroidalMomentum(model, data, case.pin_q, case.pin_v)
    spin = theirs.angular + np.cross(data.com[0], theirs.linear)
    assert relative(ours["momentum"], np.concatenate([theirs.linear, spin])) < TOLERANCE


def test_vmap_agrees_with_one_by_one():
    tree = MACHINES["random0"]()
    rng = np.random.default_rng(0)
    q = mb.displace(tree, tree.neutral(), jnp.asarray(rng.normal(size=tree.layout.freedoms)))
    batch = jnp.asarray(rng.normal(size=(3, tree.layout.freedoms)))
    f = jax.jit(lambda dq: mb.inverse_dynamics(tree, mb.BaseState(), q, dq, dq).torque)
    assert relative(jax.jit(jax.vmap(f))(batch), np.stack([f(dq) for dq in batch])) < TOLERANCE
