"""The rowing boat of [KR13, VII]: boat, sliding seat, legs, trunk and two oars, with one closed loop.

Boat frame: origin amidships on the water line, x to the bow, y to port, z up. The segment lengths of the rower are
those of De Leva for 1.85 m and 83 kg. The rigging is a reconstruction: the paper measured it but does not print it.
"""

from collections.abc import Sequence

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from hydro import EARTH, SCULL, Hull, Ittc57, LinearHydrostatics, OarBlade, Radiation, load_states
from hydro.hull import Fin
from multibody.dh import DHRow, from_dh
from multibody.energy import mass
from multibody.joints import revolute
from multibody.loop_cuts import Cut
from multibody.loops import Loops, close_loops
from multibody.machine_on_hull import PLANE, Afloat
from multibody.tree import Tree
from spatial import Numbers, body_inertia, non_negative

from .laws import Curves, Stroke

# Feet (aft of the origin, height), shank, thigh, height of the seat, hip above the seat [m].
D1, B1, D2, D3, B4, D8 = 0.55, 0.08, 0.461, 0.449, 0.17, 0.08
D5, B5 = 0.79, 0.22  # oarlocks: distance from the centre line, height above the water [m]
LEVER = 1.80  # L_e, fitted to the published speed [m]
FIN = (-3.0, 0.0, -0.15)  # centre of pressure of the fin, not published [m]
DIP = 0.15  # φ, inclination of the shafts [rad]
HEIGHT, RIDER = 1.85, 83.0  # height and mass of the rower [m], [kg]
HULL_MASS, SEAT_MASS, OAR_MASS = 12.75, 1.0, 1.5  # [kg]
OARS = ("starboard_oar", "port_oar")
BODIES = ("boat", "shank", "thigh", "trunk", "seat", *OARS)
HANDLES = ("starboard_handle", "port_handle")  # joints that raise and lower the oars
# De Leva (1996), men. Legs: mass fraction; distance of the centre from the upper joint, and radius of gyration, over
# the length. Trunk: mass fraction; height above the hip, and radius of gyration, over the stature. Arm position: our
# choice.
SHANK, THIGH, FOOT = (0.0433, 0.4395, 0.249), (0.1416, 0.4095, 0.329), 0.0137
TRUNK_PARTS = {"trunk": (0.4346, 0.1684, 0.1060), "head": (0.0694, 0.4162, 0.0439), "arms": (0.0988, 0.26, 0.05)}


def model(handles: bool = False) -> Tree:
    """The tree of [KR13, Table 2] cut at the seat: 7 bodies, joints of ankle, knee, hip, seat and two oarlocks.

    Ankle and seat are passive: the loop determines them from knee and hip. Row 7 of the printed table is the cut joint,
    row 8 its frame on the trunk.

    Args:
        handles: whether the hands can raise and lower the handles, which is not in the paper. The oarlocks are then
            massless bodies, and each oar has one more joint, positive in the sense of a roll to starboard.
    """
    quarter = np.pi / 2.0
    rows = [
        DHRow(0, b=B1, alpha=quarter, d=-D1, name="ankle", actuated=False),
        DHRow(1, alpha=np.pi, d=D2, name="knee"),
        DHRow(2, alpha=np.pi, d=D3, name="hip"),
        DHRow(0, sigma=1, gamma=quarter, b=B4, alpha=quarter, theta=quarter, name="seat", actuated=False),
        DHRow(0, gamma=-quarter, b=B5, alpha=np.pi, d=D5, name="starboard_oar"),
        DHRow(0, gamma=quarter, b=B5, alpha=0.0, d=D5, name="port_oar"),
    ]
    feet = 2.0 * FOOT * RIDER
    boat = _body(HULL_MASS, (0.0, 0.0, 0.05), HULL_MASS * np.array([0.25, 1.75, 1.75]) ** 2)
    boat = boat + _body(feet, (-D1, 0.0, B1), np.zeros(3))
    inertia = [
        boat,
        _segment(SHANK, D2, from_far=True),
        _segment(THIGH, D3, from_far=True),
        _trunk(),
        _body(SEAT_MASS, (0.0, 0.0, 0.0), 0.01 * np.ones(3)),
        _oar(downwards=1.0),
        _oar(downwards=-1.0),
    ]
    if not handles:
        return from_dh(rows, jnp.stack(inertia), names=BODIES)
    locks, still = len(BODIES) - len(OARS), jnp.zeros((6, 6))
    # y of both oars points astern when they are perpendicular to the boat.
    lifted = [revolute((0.0, -1.0, 0.0), name=name) for name in HANDLES]
    return Tree(
        names=[*BODIES[:locks], "starboard_lock", "port_lock", *OARS],
        parents=[*(row.antecedent for row in rows), locks, locks + 1],
        joints=[*(row.joint() for row in rows), *lifted],
        inertia=jnp.stack([*inertia[:locks], still, still, *inertia[locks:]]),
    )


def rower_loop(tree: Tree) -> Loops:
    """The closed loop of boat, legs, trunk and seat: the trunk rotates about a point of the seat `D8` below the hip."""
    quarter = np.pi / 2.0
    on_seat = DHRow(0, alpha=quarter).joint()  # the axis of the cut joint is transverse to the boat
    on_trunk = DHRow(0, alpha=np.pi, d=-D8).joint()
    cut = Cut(
        "seat_hinge",
        "seat",
        "trunk",
        first_rotation=on_seat.rotation,
        second_rotation=on_trunk.rotation,
        second_position=on_trunk.position,
    )
    guess = all_joints(jnp.deg2rad(110.0), jnp.asarray(0.1), jnp.asarray(0.0), jnp.asarray(0.0))
    level = jnp.zeros(tree.layout.positions - guess.shape[0])  # handles that can be raised
    return close_loops(tree, [cut], jnp.concatenate([guess, level]))[0]


def all_joints(
    knee: Float[Array, ""], trunk: Float[Array, ""], starboard: Float[Array, ""], port: Float[Array, ""]
) -> Float[Array, "6"]:
    """Positions of all joints from the angles of knee, trunk and oars, with the loop closed.

    Args:
        knee: inner angle, π when straight [rad].
        trunk: lean from the vertical towards the bow [rad].
        starboard: starboard oar, from perpendicular to the boat, positive with the blade astern [rad].
        port: port oar [rad].
    """
    reach = jnp.sqrt(D2**2 + D3**2 - 2.0 * D2 * D3 * jnp.cos(knee))  # from ankle to hip
    rise = jnp.arcsin((B4 + D8 * jnp.cos(trunk) - B1) / reach)
    ankle = rise + jnp.arccos((D2**2 + reach**2 - D3**2) / (2.0 * D2 * reach))
    fold = jnp.pi - knee
    hip = 0.5 * jnp.pi - trunk - ankle + fold
    seat = -D1 + reach * jnp.cos(rise) - D8 * jnp.sin(trunk)
    return jnp.stack([ankle, fold, hip, seat, starboard, port])


class RowingMotion(eqx.Module):
    """Motion of a stroke, t -> positions of all joints, or of the actuated ones.

    Attributes:
        curves: angles of knee, trunk and oar as functions of time.
        port: angle added to the port oar relative to the starboard one; zero for straight rowing [rad].
    """

    curves: Curves
    port: Float[Array, ""]

    def __init__(self, stroke: Stroke, port: Numbers = 0.0):
        self.curves, self.port = stroke.curves(), jnp.asarray(port, float)

    def __call__(self, t: Float[Array, ""]) -> Float[Array, "6"]:
        """Positions of all six joints [rad], [m]."""
        knee, trunk, oar = self.curves(t)
        return all_joints(knee, trunk, oar, oar + self.port)

    def actuated(self, t: Float[Array, ""]) -> Float[Array, "4"]:
        """Positions of knee, hip and oars, the law for `multibody.rollout` with `loops` [rad]."""
        return self(t)[np.array([1, 2, 4, 5])]


def scull(
    *,
    lever: Numbers = LEVER,
    area: Numbers = 0.082,
    form: Numbers = 1.0,
    memory: bool = True,
    freedoms: Sequence[int] = PLANE,
    balance: float = 0.0,
    handles: bool = False,
    fin: float = 0.0,
) -> Afloat:
    """The boat with its rower in the water, as in [KR13, VII].

    Args:
        lever: L_e, oarlock to blade [m]; fitted, because the paper does not print it.
        area: area of a blade [m²].
        form: form factor k of the resistance [-]. The paper's value of 1 gives a high resistance; 0 is common for so
            slender a hull.
        memory: whether to model the memory of radiated waves; if False, only the added mass is modelled.
        freedoms: free modes of the boat: (0, 2, 4) for surge, heave, pitch as in the paper; all six for a free boat.
        balance: roll stiffness provided by rower and oars [N·m/rad]; a free scull capsizes without it. Not published.
        handles: whether the hands can raise and lower the handles, to balance the boat by a controller (`balanced`).
        fin: area of a fin near the stern [m²]. Racing hulls have one, because a slender hull is unstable in yaw. Not
            published; without effect in surge, heave and pitch.
    """
    tree = model(handles)
    modes = tuple(freedoms)
    radiation = load_states().only(modes)
    if not memory:
        radiation = Radiation(radiation.added_mass, radiation.drift, radiation.feed, 0.0 * radiation.read)
    stiffness = SCULL.stiffness()
    stiffness[3, 3] += balance
    hull = Hull(
        LinearHydrostatics(stiffness, 9.81 * mass(tree)),
        radiation,
        Ittc57(SCULL.length, SCULL.wetted_surface, form=form),
        Fin(FIN, fin) if non_negative("fin", fin, "m²", ()) > 0.0 else None,
    )
    oars = {
        "starboard_oar": OarBlade(lever, -DIP, area=area),
        "port_oar": OarBlade(lever, DIP, area=area),
    }
    return Afloat(tree, hull, oars, rower_loop(tree), gravity=EARTH, freedoms=modes)


def _body(mass, centre, moments):
    return body_inertia(jnp.asarray(float(mass)), jnp.asarray(centre, float), jnp.diag(jnp.asarray(moments, float)))


def _segment(numbers, length, from_far):
    """Inertia of both legs as one rod along x of the joint frame; De Leva measures from the joint nearer the trunk."""
    share, centre, gyration = numbers
    heavy = 2.0 * share * RIDER
    middle = length * (1.0 - centre if from_far else centre)
    across = heavy * (gyration * length) ** 2
    return _body(heavy, (middle, 0.0, 0.0), (0.1 * across, across, across))


def _trunk():
    """Inertia of trunk, head and arms, along x upwards from the hip."""
    total = sum(share for share, _, _ in TRUNK_PARTS.values()) * RIDER
    middle = sum(share * RIDER * centre * HEIGHT for share, centre, _ in TRUNK_PARTS.values()) / total
    across = sum(
        share * RIDER * ((gyration * HEIGHT) ** 2 + (centre * HEIGHT - middle) ** 2)
        for share, centre, gyration in TRUNK_PARTS.values()
    )
    return _body(total, (middle, 0.0, 0.0), (0.25 * across, across, across))


def _oar(downwards):
    """Inertia of an oar of 2.88 m, inclined by `DIP`, with its centre 0.5 m outboard of the oarlock."""
    centre = 0.5 * np.array([np.cos(DIP), 0.0, downwards * np.sin(DIP)])
    across = OAR_MASS * 0.83**2
    return _body(OAR_MASS, centre, (0.01, across, across))
