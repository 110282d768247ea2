"""Loads of a fluid: per metre on a cross-section, in the frame of the section; on a hull; on the blade of an oar."""

from .added_mass import (
    FORMS as FORMS,
    convective_wrench as convective_wrench,
    section_added_inertia as section_added_inertia,
)
from .blades import BladeSection as BladeSection, QuasiSteady as QuasiSteady, blade_forces as blade_forces
from .buoyancy import FreeSurface as FreeSurface, WetPart as WetPart, wet_part as wet_part
from .buoyancy_solid import (
    Solid as Solid,
    face_loads as face_loads,
    face_potentials as face_potentials,
    prism as prism,
    solid as solid,
)
from .drag import drag_wrench as drag_wrench
from .fluid import (
    CONVECTIVE as CONVECTIVE,
    AbstractFluid as AbstractFluid,
    Carried as Carried,
    Place as Place,
    StiffMatrices as StiffMatrices,
    Void as Void,
)
from .friction import SkinFriction as SkinFriction
from .general_sections import (
    BodySection as BodySection,
    GeneralSection as GeneralSection,
    SectionPiece as SectionPiece,
    general as general,
    outline_section as outline_section,
    rectangle_section as rectangle_section,
)
from .gravity import EARTH as EARTH, Weight as Weight, weight_wrench as weight_wrench
from .hull import Hull as Hull
from .hull_shape import SCULL as SCULL, SlenderHull as SlenderHull
from .hydrostatics import (
    LinearHydrostatics as LinearHydrostatics,
    cardan_angles as cardan_angles,
    cardan_rates as cardan_rates,
)
from .lighthill import Lighthill as Lighthill
from .morison import Morison as Morison
from .oars import OarBlade as OarBlade
from .polygons import PolygonSection as PolygonSection, polygon as polygon, regular_outline as regular_outline
from .profiles import (
    Cap as Cap,
    Profile as Profile,
    Taper as Taper,
    eel_profile as eel_profile,
    section_profile as section_profile,
    uniform_profile as uniform_profile,
)
from .radiation import Radiation as Radiation, convolution as convolution
from .radiation_fit import fit_radiation as fit_radiation
from .radiation_states import load_states as load_states
from .radiation_table import RadiationTable as RadiationTable, load_table as load_table
from .resistance import Ittc57 as Ittc57
from .sections import AbstractSection as AbstractSection, EllipticSection as EllipticSection
from .sections_of_mesh import MeshProfile as MeshProfile, mesh_profile as mesh_profile
from .sections_of_table import TablePiece as TablePiece, table_profile as table_profile
from .shedding import Shedding as Shedding
from .streams import Shear as Shear, VortexStreet as VortexStreet
from .superposition import Together as Together

# The names most users need; everything else is imported from its module.
__all__ = (
    "AbstractFluid",
    "BladeSection",
    "Cap",
    "Carried",
    "EARTH",
    "EllipticSection",
    "FreeSurface",
    "GeneralSection",
    "Hull",
    "Ittc57",
    "Lighthill",
    "LinearHydrostatics",
    "Morison",
    "OarBlade",
    "Place",
    "PolygonSection",
    "Profile",
    "QuasiSteady",
    "Radiation",
    "Shear",
    "Shedding",
    "SkinFriction",
    "SlenderHull",
    "Solid",
    "Taper",
    "Together",
    "Void",
    "VortexStreet",
    "Weight",
    "eel_profile",
    "mesh_profile",
    "outline_section",
    "polygon",
    "prism",
    "rectangle_section",
    "section_profile",
    "solid",
    "table_profile",
    "uniform_profile",
)


def __dir__() -> list[str]:
    return sorted(__all__)
