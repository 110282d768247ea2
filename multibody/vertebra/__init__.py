"""The eel's vertebra: a spherical parallel wrist, and the motors a swimming body asks of a row of them. [CHA08]"""

from .actuation import (
    Actuation as Actuation,
)
from .actuation import (
    actuate as actuate,
)
from .actuation import (
    actuate_body as actuate_body,
)
from .actuation import (
    actuation as actuation,
)
from .amplitude import (
    Amplitude as Amplitude,
)
from .amplitude import (
    largest_amplitude as largest_amplitude,
)
from .design import (
    DESIGNS as DESIGNS,
)
from .design import (
    Wrist as Wrist,
)
from .design import (
    orthogonal_axes as orthogonal_axes,
)
from .design import (
    parallel_axes as parallel_axes,
)
from .design import (
    prototype as prototype,
)
from .direct import (
    Assembly as Assembly,
)
from .direct import (
    assembly as assembly,
)
from .direct import (
    direct_branches as direct_branches,
)
from .direct import (
    direct_kinematics as direct_kinematics,
)
from .from_gait import (
    gait_angles as gait_angles,
)
from .from_gait import (
    gait_constraint as gait_constraint,
)
from .from_gait import (
    gait_margins as gait_margins,
)
from .from_gait import (
    gait_postures as gait_postures,
)
from .from_gait import (
    refuse_stretch as refuse_stretch,
)
from .from_gait import (
    relative_quaternion as relative_quaternion,
)
from .from_gait import (
    scaled as scaled,
)
from .inverse import (
    Posture as Posture,
)
from .inverse import (
    inverse_branches as inverse_branches,
)
from .inverse import (
    inverse_kinematics as inverse_kinematics,
)
from .inverse import (
    posture as posture,
)
from .jacobian import (
    condition_number as condition_number,
)
from .jacobian import (
    determinant_A as determinant_A,
)
from .jacobian import (
    diagonal_B as diagonal_B,
)
from .jacobian import (
    inverse_jacobian as inverse_jacobian,
)
from .jacobian import (
    jacobian as jacobian,
)
from .jacobian import (
    matrix_A as matrix_A,
)
from .jacobian import (
    parallel_measures as parallel_measures,
)
from .jacobian import (
    serial_measures as serial_measures,
)
from .jacobian import (
    singularity_margin as singularity_margin,
)
from .layout import (
    BEAM_TO_VERTEBRA as BEAM_TO_VERTEBRA,
)
from .layout import (
    Layout as Layout,
)
from .layout import (
    to_vertebra as to_vertebra,
)
from .layout import (
    wrist_rotation as wrist_rotation,
)
from .limits import (
    MARGINS as MARGINS,
)
from .limits import (
    Limits as Limits,
)
from .limits import (
    margins as margins,
)
from .limits import (
    rod_distance as rod_distance,
)
from .orientation import (
    leg_from_rotation as leg_from_rotation,
)
from .orientation import (
    rotation_from_leg as rotation_from_leg,
)
from .orientation import (
    rotation_from_tilt as rotation_from_tilt,
)
from .orientation import (
    tilt_from_rotation as tilt_from_rotation,
)
from .workspace import (
    Workspace as Workspace,
)
from .workspace import (
    inside_joint_space as inside_joint_space,
)
from .workspace import (
    platform_rotation as platform_rotation,
)
from .workspace import (
    workspace as workspace,
)
from .workspace import (
    worst_margin as worst_margin,
)
