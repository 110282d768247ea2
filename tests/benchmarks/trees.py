"""The tree engine against pinocchio (C++) and mujoco (C): base acceleration and torques of an imposed joint motion."""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import mujoco
import numpy as np
import pinocchio as pin

import multibody as mb
from anguilla import robots
from tests.benchmarks.table import Row, at_most
from tests.benchmarks.timing import Time, Work, called, interleaved, looped
from validation.mujoco_tree import to_mujoco
from validation.pinocchio_tree import to_pinocchio

BATCH, CALLS = 1024, 300


def tree_rows() -> Iterator[Row]:
    """The eel of 36 joints, in vacuum: peers have no water of ours."""
    tree = robots.eel.model()
    q, dq, ddq, state = motion(tree)
    ours = inverse(tree, state)
    peer = pinocchio_inverse(tree, q, dq, ddq, state)
    same = np.max(np.abs(np.concatenate(ours(q, dq, ddq)) - peer())) / np.max(np.abs(peer()))
    if same > 1e-10:
        raise AssertionError(f"pinocchio and the tree engine differ by {same:.1e}")
    # Motions of different sizes: no two members of the batch do the same.
    scale = jnp.linspace(0.5, 1.5, BATCH)[:, None]
    many = jax.jit(lambda *motion: jax.lax.map(lambda one: ours(*one), motion, batch_size=16))
    motions = (q * scale, dq * scale, ddq * scale)
    times = interleaved(
        {
            "pinocchio": Work(lambda: [peer() for _ in range(CALLS)], CALLS),
            "loop": looped(lambda t: jnp.concatenate(ours(q * t, dq, ddq)), CALLS),
            "call": called(ours, q, dq, ddq, count=CALLS),
            "batch": Work(lambda: jax.block_until_ready(many(*motions)), BATCH),
        }
    )
    there, loop, call, batch = times.values()
    yield at_most(
        "tree, 36 joints, inverse dynamics / pinocchio called from Python, single",
        loop.least / there.least,
        0.4,
        f"{loop.words} in a compiled loop, {call.words} called from Python / {there.words}; equal to {same:.0e}",
    )
    yield at_most(
        f"tree, 36 joints, batch of {BATCH} / pinocchio, per evaluation and core",
        batch.least / there.least,
        0.3,
        f"{batch.words} / {there.words}",
    )
    yield from forward_rows(tree, loop)
    chain = open_chain(36)
    q, dq, ddq, state = motion(chain)
    here = inverse(chain, state)
    peer = mujoco_inverse(chain, q, dq, ddq, state)
    times = interleaved(
        {
            "mujoco": Work(lambda: [peer() for _ in range(CALLS)], CALLS),
            "loop": looped(lambda t: jnp.concatenate(here(q * t, dq, ddq)), CALLS),
        }
    )
    yield Row(
        "tree, chain of 36 massive links, inverse dynamics / mujoco called from Python",
        times["loop"].least / times["mujoco"].least,
        "≤",
        None,
        f"{times['loop'].words} / {times['mujoco'].words}",
    )


def forward_rows(tree: mb.Tree, inverse_loop: Time) -> Iterator[Row]:
    """Forward dynamics of the same tree against pinocchio's `aba`; hybrid dynamics against the inverse."""
    q, dq, ddq, state = motion(tree)
    torque = 0.1 * ddq
    model = to_pinocchio(tree, np.zeros(3)).model
    data = model.createData()
    place = np.concatenate([np.zeros(3), [0.0, 0.0, 0.0, 1.0], q])
    rates, efforts = np.concatenate([state.twist, dq]), np.concatenate([np.zeros(6), torque])
    peer = lambda: pin.aba(model, data, place, rates, efforts)  # noqa: E731

    def ours(q, dq, torque):
        found = mb.forward_dynamics(tree, state, q, dq, torque)
        return jnp.concatenate([found.base_acceleration, found.acceleration])

    same = np.max(np.abs(ours(q, dq, torque) - peer())) / np.max(np.abs(peer()))
    if same > 1e-9:
        raise AssertionError(f"pinocchio and the tree engine differ by {same:.1e}")
    scale = jnp.linspace(0.5, 1.5, BATCH)[:, None]
    many = jax.jit(lambda *motion: jax.lax.map(lambda one: ours(*one), motion, batch_size=16))
    motions = (q * scale, dq * scale, torque * scale)
    half_free = tree.with_actuation([k >= 16 for k in range(36)])

    def hybrid(q, dq, ddq):
        found = mb.hybrid_dynamics(half_free, state, q, dq, ddq, torque)
        return jnp.concatenate([found.base_acceleration, found.acceleration, found.torque])

    there, loop, batch, mixed = interleaved(
        {
            "pinocchio": Work(lambda: [peer() for _ in range(CALLS)], CALLS),
            "loop": looped(lambda t: ours(q * t, dq, torque), CALLS),
            "batch": Work(lambda: jax.block_until_ready(many(*motions)), BATCH),
            "hybrid": looped(lambda t: hybrid(q * t, dq, ddq), CALLS),
        }
    ).values()
    yield at_most(
        "tree, 36 joints, forward dynamics / pinocchio called from Python, single",
        loop.least / there.least,
        1.0,
        f"{loop.words} in a compiled loop / {there.words}; equal to {same:.0e}",
    )
    yield at_most(
        f"tree, 36 joints, forward dynamics, batch of {BATCH} / pinocchio, per evaluation and core",
        batch.least / there.least,
        0.5,
        f"{batch.words} / {there.words}",
    )
    yield at_most(
        "tree, hybrid dynamics with 16 passive joints of 36 / inverse dynamics",
        mixed.least / inverse_loop.least,
        2.0,
        f"{mixed.words} / {inverse_loop.words}",
    )


def open_chain(joints: int) -> mb.Tree:
    """A floating chain of equal links, whose hinges turn about y and z by turns."""

    def link(name, parent, joint):
        return mb.Link(name, parent, joint, mass=1.0, centre=(0.05, 0, 0), about_centre=np.diag([1e-3, 2e-3, 2e-3]))

    links = [link("b0", None, None)]
    for k in range(joints):
        axis = (0.0, 1.0, 0.0) if k % 2 else (0.0, 0.0, 1.0)
        links.append(link(f"b{k + 1}", f"b{k}", mb.revolute(axis, position=(0.1, 0.0, 0.0))))
    return mb.from_links(links)


def motion(tree: mb.Tree) -> tuple[jax.Array, jax.Array, jax.Array, mb.BaseState]:
    """Some joint motion and some motion of the base."""
    rng = np.random.default_rng(0)
    q, dq, ddq = (jnp.asarray(rng.normal(size=tree.layout.freedoms)) * s for s in (0.3, 1.0, 3.0))
    return q, dq, ddq, mb.BaseState(twist=[-0.3, 0.1, 0.2, 0.1, 0.2, 0.3])


def inverse(tree: mb.Tree, state: mb.BaseState) -> Callable:
    """(q, dq, ddq) -> base acceleration and torques."""

    def run(q, dq, ddq):
        found = mb.inverse_dynamics(tree, state, q, dq, ddq)
        return found.base_acceleration, found.torque

    return run


def pinocchio_inverse(tree, q, dq, ddq, state) -> Callable[[], np.ndarray]:
    """The same by rnea, crba and a solve for the base."""
    model = to_pinocchio(tree, np.zeros(3)).model
    data = model.createData()
    full = np.concatenate([np.zeros(3), [0.0, 0.0, 0.0, 1.0], q])
    rates = np.concatenate([state.twist, dq])
    accelerations = np.concatenate([np.zeros(6), ddq])

    def run():
        bias = pin.rnea(model, data, full, rates, accelerations)
        mass = pin.crba(model, data, full)
        base = -np.linalg.solve(mass[:6, :6], bias[:6])
        return np.concatenate([base, bias[6:] + mass[:6, 6:].T @ base])

    return run


def mujoco_inverse(tree, q, dq, ddq, state) -> Callable[[], np.ndarray]:
    """The same by mj_inverse and a solve for the base."""
    model = to_mujoco(tree, np.zeros(3))
    data = mujoco.MjData(model)
    mass = np.zeros((model.nv, model.nv))
    data.qpos[:] = np.concatenate([np.zeros(3), [1.0, 0.0, 0.0, 0.0], q])
    data.qvel[:] = np.concatenate([state.twist, dq])
    data.qacc[:] = np.concatenate([np.zeros(6), ddq])

    def run():
        mujoco.mj_inverse(model, data)
        mujoco.mj_fullM(model, data, mass)
        base = -np.linalg.solve(mass[:6, :6], data.qfrc_inverse[:6])
        return np.concatenate([base, data.qfrc_inverse[6:] + mass[:6, 6:].T @ base])

    return run
