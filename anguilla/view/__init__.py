"""Figures and films of a swim; every function takes a dataset and returns a matplotlib figure or writes a file."""

from spatial.moved_names import moved

from .animation import animate as animate, frames as frames, still as still
from .body import body_mesh as body_mesh, sections_at as sections_at
from .budget import identity_residual as identity_residual, power_budget as power_budget
from .camera import Camera as Camera
from .chain_skin import chain_body as chain_body
from .convergence import beam_against_chain as beam_against_chain
from .interactive_scene import interactive as interactive, interactive_page as interactive_page
from .loop_figures import feedback_loop as feedback_loop
from .maps import field_map as field_map, moving_strains as moving_strains, space_time as space_time
from .optimisation import (
    gaits_compared as gaits_compared,
    optimisers_compared as optimisers_compared,
    optimum_path as optimum_path,
)
from .profiles import internal_wrench as internal_wrench
from .surface import Mesh as Mesh, Sections as Sections, eel_skin as eel_skin, plain_skin as plain_skin, tube as tube
from .sweeps import sweep_maps as sweep_maps
from .time_series import (
    fluid_forces as fluid_forces,
    head_velocity as head_velocity,
    internal_moment as internal_moment,
)
from .trajectory import (
    configurations as configurations,
    configurations_plane as configurations_plane,
    configurations_rows as configurations_rows,
    configurations_space as configurations_space,
)
from .tree_motion import (
    forward_velocity as forward_velocity,
    head_path as head_path,
    joint_maps as joint_maps,
    joint_torques as joint_torques,
)
from .vtk import write_vtk as write_vtk

# The main public names; everything else is imported from its module.
__all__ = (
    "Camera",
    "animate",
    "chain_body",
    "configurations",
    "configurations_plane",
    "configurations_rows",
    "configurations_space",
    "feedback_loop",
    "field_map",
    "fluid_forces",
    "forward_velocity",
    "gaits_compared",
    "head_path",
    "head_velocity",
    "interactive",
    "interactive_page",
    "internal_moment",
    "internal_wrench",
    "joint_maps",
    "joint_torques",
    "moving_strains",
    "optimum_path",
    "power_budget",
    "space_time",
    "still",
    "sweep_maps",
    "write_vtk",
)


# Pictures of one machine are in its folder since 0.2.0.
_MOTH = {
    "figures": ("moth_deformation", "moth_forces", "moth_multipliers", "moth_snapshots", "moth_velocities"),
    "film": ("moth_film", "moth_still"),
}
__getattr__ = moved(
    __name__,
    {name: f"anguilla.robots.moth.{module}:{name}" for module, names in _MOTH.items() for name in names},
)


def __dir__() -> list[str]:
    return sorted(__all__)
