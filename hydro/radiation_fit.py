"""State-space fit of a radiation table: Hankel realisation of the kernel, constrained to be stable and passive."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from .radiation import Radiation
from .radiation_table import RadiationTable

# Groups of modes that are fitted together, and the number of states of each. For a hull symmetric fore-aft and
# port-starboard only surge-pitch and sway-roll couple, and weakly; the default neglects that coupling.
HULL_ORDERS: dict[tuple[int, ...], int] = {(0,): 10, (1,): 12, (2,): 10, (3,): 12, (4,): 12, (5,): 12}
LASTS, STEP = 12.0, 0.04  # duration and sampling step of the kernel that is realised [s]
DIRECTIONS = 12  # directions of motion per frequency in which passivity is enforced
MARGIN = 1e-4  # minimum damping at those frequencies relative to the largest, so that it stays positive between them


def fit_radiation(table: RadiationTable, orders: Mapping[tuple[int, ...], int] | None = None) -> Radiation:
    """Fits a state-space model to the kernel of a table, with a consistent added mass.

    Args:
        table: added mass and damping.
        orders: number of states for each group of coupled modes; `HULL_ORDERS` when None.
    """
    from scipy.linalg import block_diag

    A, B, C = np.zeros((0, 0)), np.zeros((0, 6)), np.zeros((6, 0))
    for modes, order in (HULL_ORDERS if orders is None else orders).items():
        drift, feed, read = fit_group(table, modes, order)
        into, out = np.zeros((order, 6)), np.zeros((6, order))
        into[:, list(modes)], out[list(modes)] = feed, read
        A = np.asarray(block_diag(A, drift))
        B, C = np.concatenate([B, into]), np.concatenate([C, out], axis=1)
    return Radiation(_added_mass(table, A, B, C), A, B, C)


def fit_group(
    table: RadiationTable, modes: Sequence[int], order: int, passive: bool = True
) -> tuple[Float[np.ndarray, "n n"], Float[np.ndarray, "n modes"], Float[np.ndarray, "modes n"]]:
    """A, B, C of one group of coupled modes: K(t) = C exp(A t) B.

    A and B come from the singular vectors of the Hankel matrix of the kernel; unstable poles are reflected. C then
    minimises the distance to the kernel, with zero resistance to steady motion, C A⁻¹ B = 0, and passivity at every
    frequency, Re K(iω) ≥ 0: a least-squares problem with linear constraints.

    Args:
        table: added mass and damping.
        modes: indices of the coupled modes.
        order: number of states.
        passive: enforce Re K(iω) ≥ 0.
    """
    m = len(modes)
    if order < 2 * m:
        raise ValueError(f"orders[{tuple(modes)}] = {order}: must be at least two states for each of {m} modes")
    time = np.arange(0.0, LASTS, STEP)
    kernel = table.kernel(time)[np.ix_(range(len(time)), modes, modes)]
    # Each mode is scaled separately, so that coupled modes have equal weight.
    scale = np.sqrt(kernel[0, range(m), range(m)])
    kernel = kernel / np.outer(scale, scale)
    A, B, C = _hankel(kernel, order)
    A = _stable(A)
    C = _read_out(A, B, kernel, time, table, C, passive)
    return A, B * scale, scale[:, None] * C


def _hankel(kernel, order):
    """A, B, C such that C exp(A k STEP) B matches the samples of the kernel (eigensystem realisation)."""
    from scipy.linalg import logm

    count, m = len(kernel) // 2, kernel.shape[1]
    block = lambda shift: np.block([[kernel[i + j + shift] for j in range(count)] for i in range(count)])  # noqa: E731
    left, size, right = np.linalg.svd(block(0))
    root = np.sqrt(size[:order])
    observe, control = left[:, :order] * root, root[:, None] * right[:order]
    step = (left[:, :order] / root).T @ block(1) @ (right[:order] / root[:, None]).T
    return np.real(np.asarray(logm(step))) / STEP, control[:, :m], observe[:m]


def _stable(A):
    """The matrix with the poles in the right half-plane reflected to the left."""
    value, vector = np.linalg.eig(A)
    value = -np.abs(np.real(value)) + 1j * np.imag(value)
    return np.real(vector @ np.diag(value) @ np.linalg.inv(vector))


def _read_out(A, B, kernel, time, table, C, passive):
    from scipy.linalg import expm
    from scipy.optimize import LinearConstraint, minimize

    n, m = B.shape
    step, reached = expm(A * STEP), [B]
    for _ in time[1:]:
        reached.append(step @ reached[-1])
    # C is flattened to a vector c of m n numbers: kernel_ab(t) = Σ_k C_ak X_kb(t).
    states = np.stack(reached)  # time, n, m
    design = np.einsum("ac,tkb->tabck", np.eye(m), states).reshape(-1, m * n)
    gram, right = design.T @ design, design.T @ kernel.ravel()
    at_rest = np.linalg.solve(-A, B)
    still = np.einsum("ac,kb->abck", np.eye(m), at_rest).reshape(-1, m * n)
    grid = [np.geomspace(1e-4, 0.019, 20), np.linspace(0.02, 6.0, 900), np.geomspace(6.2, 500.0, 60)]
    omega = np.concatenate(grid) * table.frequency[-1]
    reply = np.linalg.solve(1j * omega[:, None, None] * np.eye(n) - A, np.broadcast_to(B, (len(omega), n, m))).real
    angle = np.pi * np.arange(DIRECTIONS if m > 1 else 1) / DIRECTIONS
    v = np.stack([np.cos(angle), np.sin(angle)], axis=1)[:, :m]
    work = np.einsum("da,fkb,db->fdak", v, reply, v).reshape(-1, m * n)
    # Because K(0) = 0 and K(∞) = 0, the damping is proportional to ω² at low and to ω⁻² at high frequencies.
    share = (2.0 * omega / table.frequency[-1]) ** 2
    least = MARGIN * np.max(work @ C.ravel())
    work = work / np.repeat(share / (1.0 + share) ** 2, len(v))[:, None]

    def solve(active):
        rows = [LinearConstraint(still, 0.0, 0.0)]
        if len(active):
            rows.append(LinearConstraint(work[active], least, np.inf))
        size = np.trace(gram) / len(gram)
        return minimize(
            lambda c: (0.5 * c @ gram @ c - right @ c) / size,
            C.ravel(),
            jac=lambda c: (gram @ c - right) / size,
            method="SLSQP",
            constraints=rows,
            options={"maxiter": 200, "ftol": 1e-14},
        ).x

    active = np.zeros(0, int)
    best = solve(active)
    # Active-set loop: violated constraints are added; only a few out of thousands are active.
    for _ in range(40 if passive else 0):
        broken = np.flatnonzero(work @ best < 0.5 * least)
        if len(broken) == 0:
            break
        worst = broken[np.argsort((work @ best)[broken])[:20]]
        active = np.union1d(active, worst)
        best = solve(active)
    return best.reshape(m, n)


def _added_mass(table: RadiationTable, A, B, C) -> Float[np.ndarray, "6 6"]:
    """Mean of A(ω) - Im K(iω)/ω over the table: the added mass consistent with the states (Ogilvie)."""
    omega = table.frequency
    matrix = 1j * omega[:, None, None] * np.eye(len(A)) - A
    response = C @ np.linalg.solve(matrix, np.broadcast_to(B, (len(omega), *B.shape)))
    rest = table.added_mass - np.imag(response) / omega[:, None, None]
    inner = omega > 0.1 * omega[-1]
    served = np.any(np.abs(response) > 0, axis=0)
    # Entries without states keep the directly computed value.
    mass = np.where(served, rest[inner].mean(axis=0), table.high_frequency)
    return 0.5 * (mass + mass.T)
