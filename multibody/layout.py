"""Index tables of a tree, derived from its parents and joint kinds and built once per structure."""

import functools
from dataclasses import dataclass

import numpy as np

from .joints import FREEDOMS, POSITIONS
from .path_sums import DENSE, Runs, path_table


@dataclass(frozen=True, eq=False)
class Layout:
    """Index tables of a tree. Joint k connects body k + 1 to its parent; body 0 is the base.

    Attributes:
        bodies: number of bodies, including the base.
        joints: number of joints.
        positions: number of joint positions (a spherical joint has four).
        freedoms: number of joint velocities.
        position_start: index of the first position of each joint; the last entry is the number of positions.
        freedom_start: index of the first freedom of each joint; the last entry is the number of freedoms.
        freedom_joint: joint of each freedom.
        freedom_body: the body attached to the joint of each freedom.
        freedom_slot: rank of each freedom within its joint.
        joint_freedoms: freedoms of the joints, one row per rank; -1 where a joint has fewer freedoms.
        not_carried_by: for each freedom, the freedom of the same joint that moves the body but not the axis of this
            freedom; -1 if there is none.
        moves: moves[i, d] is 1 if freedom d moves body i.
        paths: tables for sums along paths; None if products with `moves` are faster.
        hops: body reached from each body in 1, 2, 4, ... steps towards the base, until all bodies reach the base.
    """

    bodies: int
    joints: int
    positions: int
    freedoms: int
    position_start: np.ndarray
    freedom_start: np.ndarray
    freedom_joint: np.ndarray
    freedom_body: np.ndarray
    freedom_slot: np.ndarray
    joint_freedoms: np.ndarray
    not_carried_by: np.ndarray
    moves: np.ndarray
    paths: Runs | np.ndarray | None
    hops: tuple[np.ndarray, ...]

    def of_kind(self, kinds: tuple[str, ...], *wanted: str) -> np.ndarray:
        """Indices of joints of the given kinds."""
        return np.array([k for k, kind in enumerate(kinds) if kind in wanted], dtype=int)


@functools.lru_cache(maxsize=256)
def layout(parents: tuple[int, ...], kinds: tuple[str, ...]) -> Layout:
    """Builds the tables of the tree whose body k + 1 is connected to body parents[k] by a joint of kind kinds[k]."""
    joints, bodies = len(parents), len(parents) + 1
    ancestor = np.eye(bodies, dtype=bool)
    for k, parent in enumerate(parents):
        ancestor[k + 1] |= ancestor[parent]

    count = [FREEDOMS[kind] for kind in kinds]
    position_start = np.concatenate([[0], np.cumsum([POSITIONS[kind] for kind in kinds])]).astype(int)
    freedom_start = np.concatenate([[0], np.cumsum(count)]).astype(int)
    freedom_joint = np.repeat(np.arange(joints), count).astype(int)
    freedom_slot = np.arange(freedom_start[-1]) - freedom_start[freedom_joint]
    moves = ancestor[:, freedom_joint + 1].astype(float)
    joint_freedoms = np.full((max(count, default=0), joints), -1)
    joint_freedoms[freedom_slot, freedom_joint] = np.arange(freedom_start[-1])
    # The axes of a spherical joint move with the body; the first axis of a universal joint is fixed to the parent.
    first = (np.array([kinds[k] == "universal" for k in freedom_joint], dtype=bool)) & (freedom_slot == 0)
    not_carried_by = np.where(first, np.arange(freedom_start[-1]) + 1, -1)

    hops, hop = [], np.concatenate([[0], np.asarray(parents, dtype=int)]).astype(int)
    while np.any(hop):
        hops.append(hop)
        hop = hop[hop]
    return Layout(
        bodies=bodies,
        joints=joints,
        positions=int(position_start[-1]),
        freedoms=int(freedom_start[-1]),
        position_start=position_start,
        freedom_start=freedom_start,
        freedom_joint=freedom_joint,
        freedom_body=freedom_joint + 1,
        freedom_slot=freedom_slot,
        joint_freedoms=joint_freedoms,
        not_carried_by=not_carried_by,
        moves=moves,
        paths=path_table(tuple(p - 1 for p in parents)) if moves.size > DENSE**2 else None,
        hops=tuple(hops),
    )
