"""Mathematics shared by every package: twists, wrenches, inertias, rotations, and argument checks."""

from .checks import (
    Numbers as Numbers,
    finite as finite,
    increasing as increasing,
    non_negative as non_negative,
    number as number,
    one_of as one_of,
    positive as positive,
    require_float64 as require_float64,
    shaped as shaped,
    unit as unit,
    within as within,
)
from .inertia import (
    body_inertia as body_inertia,
    shift_inertia as shift_inertia,
    solve_inertia as solve_inertia,
    split_inertia as split_inertia,
)
from .linear_systems import (
    factor_spd as factor_spd,
    solve as solve,
    solve_factored as solve_factored,
    solve_spd as solve_spd,
)
from .moved_names import moved
from .node_algebra import (
    node_coadjoint as node_coadjoint,
    node_cross as node_cross,
    node_rotation as node_rotation,
)
from .rotations import (
    dexp as dexp,
    matrix_from_quaternion as matrix_from_quaternion,
    quaternion_conjugate as quaternion_conjugate,
    quaternion_exp as quaternion_exp,
    quaternion_multiply as quaternion_multiply,
    quaternion_rate as quaternion_rate,
    small_displacement as small_displacement,
    stumpff as stumpff,
)
from .state import FrameState as FrameState, unchecked_state as unchecked_state
from .twists import (
    Ad as Ad,
    ad as ad,
    bracket as bracket,
    coadjoint as coadjoint,
    twist_from_head as twist_from_head,
    wrench_to_head as wrench_to_head,
)
from .vectors import (
    angular as angular,
    cross as cross,
    hat as hat,
    join as join,
    linear as linear,
    nodewise as nodewise,
    safe_norm as safe_norm,
    safe_sqrt as safe_sqrt,
    signed_square as signed_square,
)

__getattr__ = moved(
    __name__,
    {
        "KEPT_STEPS": "stepping:STORED_STEPS",
        "Marcher": "stepping:Marcher",
        "SimulationError": "stepping:SimulationError",
        "Span": "stepping:Span",
        "integrate": "stepping:integrate",
        "kept_program": "stepping:program",
        "raise_if_failed": "stepping:raise_if_failed",
    },
)

# What users need first; everything else is reached in its module.
__all__ = (
    "Ad",
    "ad",
    "angular",
    "body_inertia",
    "bracket",
    "coadjoint",
    "cross",
    "hat",
    "join",
    "linear",
    "safe_norm",
    "signed_square",
    "twist_from_head",
    "wrench_to_head",
)


def __dir__() -> list[str]:
    return sorted(__all__)
