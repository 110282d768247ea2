"""Figures and films of a swim; every function takes a dataset and returns a matplotlib figure or writes a file."""

from .animation import animate as animate
from .animation import frames as frames
from .animation import still as still
from .body import body_mesh as body_mesh
from .body import sections_at as sections_at
from .budget import identity_residual as identity_residual
from .budget import power_budget as power_budget
from .camera import Camera as Camera
from .maps import field_map as field_map
from .maps import space_time as space_time
from .profiles import internal_wrench as internal_wrench
from .surface import Mesh as Mesh
from .surface import Sections as Sections
from .surface import eel_skin as eel_skin
from .surface import plain_skin as plain_skin
from .surface import tube as tube
from .time_series import fluid_forces as fluid_forces
from .time_series import head_velocity as head_velocity
from .time_series import internal_moment as internal_moment
from .trajectory import configurations as configurations
from .trajectory import configurations_plane as configurations_plane
from .trajectory import configurations_rows as configurations_rows
from .trajectory import configurations_space as configurations_space
