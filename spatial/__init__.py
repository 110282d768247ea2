"""The shared kernel: what jaxlie lacks for the mechanics of twists and wrenches."""

from .checks import (
    Numbers as Numbers,
)
from .checks import (
    finite as finite,
)
from .checks import (
    increasing as increasing,
)
from .checks import (
    non_negative as non_negative,
)
from .checks import (
    one_of as one_of,
)
from .checks import (
    positive as positive,
)
from .checks import (
    require_float64 as require_float64,
)
from .checks import (
    shaped as shaped,
)
from .checks import (
    unit as unit,
)
from .inertia import (
    body_inertia as body_inertia,
)
from .inertia import (
    shift_inertia as shift_inertia,
)
from .inertia import (
    solve_inertia as solve_inertia,
)
from .rotations import (
    dexp as dexp,
)
from .rotations import (
    matrix_from_quaternion as matrix_from_quaternion,
)
from .rotations import (
    quaternion_conjugate as quaternion_conjugate,
)
from .rotations import (
    quaternion_exp as quaternion_exp,
)
from .rotations import (
    quaternion_multiply as quaternion_multiply,
)
from .rotations import (
    quaternion_rate as quaternion_rate,
)
from .rotations import (
    stumpff as stumpff,
)
from .twists import (
    Ad as Ad,
)
from .twists import (
    ad as ad,
)
from .twists import (
    bracket as bracket,
)
from .twists import (
    coadjoint as coadjoint,
)
from .twists import (
    twist_from_head as twist_from_head,
)
from .twists import (
    wrench_to_head as wrench_to_head,
)
from .vectors import (
    angular as angular,
)
from .vectors import (
    cross as cross,
)
from .vectors import (
    hat as hat,
)
from .vectors import (
    join as join,
)
from .vectors import (
    linear as linear,
)
from .vectors import (
    nodewise as nodewise,
)
from .vectors import (
    safe_norm as safe_norm,
)
from .vectors import (
    signed_square as signed_square,
)
