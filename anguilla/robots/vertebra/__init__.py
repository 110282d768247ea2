"""The eel's vertebra: a spherical parallel wrist, and the actuation of a chain of wrists in a swimming body. [CHA08]"""

from .amplitude import Amplitude as Amplitude, largest_amplitude as largest_amplitude
from .design import (
    DESIGNS as DESIGNS,
    Wrist as Wrist,
    orthogonal_axes as orthogonal_axes,
    parallel_axes as parallel_axes,
    prototype as prototype,
)
from .direct import (
    Assembly as Assembly,
    assembly as assembly,
    direct_branches as direct_branches,
    direct_kinematics as direct_kinematics,
)
from .from_gait import (
    gait_angles as gait_angles,
    gait_constraint as gait_constraint,
    gait_margins as gait_margins,
    gait_postures as gait_postures,
    refuse_stretch as refuse_stretch,
    relative_quaternion as relative_quaternion,
    scaled as scaled,
)
from .inverse import (
    Posture as Posture,
    inverse_branches as inverse_branches,
    inverse_kinematics as inverse_kinematics,
    posture as posture,
)
from .layout import (
    BEAM_TO_VERTEBRA as BEAM_TO_VERTEBRA,
    Layout as Layout,
    to_vertebra as to_vertebra,
    wrist_rotation as wrist_rotation,
)
from .limits import MARGINS as MARGINS, Limits as Limits, margins as margins, rod_distance as rod_distance
from .motors import Actuation as Actuation, actuate as actuate, actuate_body as actuate_body, actuation as actuation
from .orientation import (
    leg_from_rotation as leg_from_rotation,
    rotation_from_leg as rotation_from_leg,
    rotation_from_tilt as rotation_from_tilt,
    tilt_from_rotation as tilt_from_rotation,
)
from .rates import (
    condition_number as condition_number,
    determinant_A as determinant_A,
    diagonal_B as diagonal_B,
    inverse_jacobian as inverse_jacobian,
    jacobian as jacobian,
    matrix_A as matrix_A,
    parallel_measures as parallel_measures,
    serial_measures as serial_measures,
    singularity_margin as singularity_margin,
)
from .workspaces import (
    Workspace as Workspace,
    inside_joint_space as inside_joint_space,
    platform_rotation as platform_rotation,
    workspace as workspace,
    worst_margin as worst_margin,
)

# The most used names, which `dir(vertebra)` lists; other names are imported from their modules.
__all__ = (
    "Layout",
    "Limits",
    "Wrist",
    "actuation",
    "condition_number",
    "direct_kinematics",
    "gait_constraint",
    "inverse_kinematics",
    "jacobian",
    "largest_amplitude",
    "margins",
    "orthogonal_axes",
    "parallel_axes",
    "prototype",
    "singularity_margin",
    "workspace",
)


def __dir__() -> list[str]:
    return sorted(__all__)
