"""What a fluid does to one cross-section, per metre, in the section's own frame."""

from .added_mass import (
    FORMS as FORMS,
    convective_wrench as convective_wrench,
    section_added_inertia as section_added_inertia,
)
from .blades import (
    BladeSection as BladeSection,
    QuasiSteady as QuasiSteady,
    blade_forces as blade_forces,
)
from .buoyancy import (
    FreeSurface as FreeSurface,
    WetPart as WetPart,
    wet_part as wet_part,
)
from .buoyancy_solid import (
    Solid as Solid,
    face_loads as face_loads,
    face_potentials as face_potentials,
    prism as prism,
    solid as solid,
)
from .drag import (
    drag_wrench as drag_wrench,
)
from .fluid import (
    CONVECTIVE as CONVECTIVE,
    AbstractFluid as AbstractFluid,
    Place as Place,
    Void as Void,
)
from .gravity import (
    EARTH as EARTH,
    Weight as Weight,
    weight_wrench as weight_wrench,
)
from .morison import (
    Morison as Morison,
)
from .polygons import (
    PolygonSection as PolygonSection,
    polygon as polygon,
    regular_outline as regular_outline,
)
from .profiles import (
    Cap as Cap,
    Profile as Profile,
    Taper as Taper,
    eel_profile as eel_profile,
    uniform_profile as uniform_profile,
)
from .sections import (
    AbstractSection as AbstractSection,
    EllipticSection as EllipticSection,
)
from .together import (
    Together as Together,
)
