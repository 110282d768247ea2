"""The moth of [PBB13]: a thorax and two soft wings that hover."""

from .asymmetric_hover import (
    DriftingHover as DriftingHover,
    drifting_guess as drifting_guess,
    drifting_hover as drifting_hover,
)
from .energy_budget import (
    Accounts as Accounts,
    Figures as Figures,
    accounts as accounts,
    half_range as half_range,
    hover_figures as hover_figures,
    stroke_torques as stroke_torques,
    tip_angle as tip_angle,
)
from .finer_wings import refined_guess as refined_guess
from .hover_control import (
    HoverHold as HoverHold,
    gust_response as gust_response,
    hover_hold as hover_hold,
)
from .hovering import Hover as Hover, cold_guess as cold_guess, hover as hover
from .parameters import READINGS as READINGS, MothParameters as MothParameters, Reading as Reading
from .published import PUBLISHED as PUBLISHED, published_lines as published_lines
from .sensitivities import (
    TABLE as TABLE,
    Sensitivity as Sensitivity,
    parameters_of as parameters_of,
    sensitivity as sensitivity,
    table_of as table_of,
)
from .stability import Floquet as Floquet, floquet as floquet, stroke_map as stroke_map
from .stiffness_design import Design as Design, least_power as least_power
from .stroke_maps import Flight as Flight, Sagittal as Sagittal, StrokeLaw as StrokeLaw, flight as flight
from .tree import model as model, wing_of as wing_of, wing_rows as wing_rows

# The most used names, which `dir(moth)` lists; other names are imported from their modules.
__all__ = (
    "MothParameters",
    "READINGS",
    "StrokeLaw",
    "accounts",
    "drifting_hover",
    "flight",
    "floquet",
    "hover",
    "hover_figures",
    "hover_hold",
    "least_power",
    "model",
    "sensitivity",
)


def __dir__() -> list[str]:
    return sorted(__all__)
