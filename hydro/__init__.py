"""What a fluid does to one cross-section, per metre, in the section's own frame."""

from .added_mass import (
    FORMS as FORMS,
    convective_wrench as convective_wrench,
    section_added_inertia as section_added_inertia,
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
from .morison import (
    Morison as Morison,
)
from .profiles import (
    Cap as Cap,
    Profile as Profile,
    Taper as Taper,
    eel_profile as eel_profile,
    uniform_profile as uniform_profile,
)
from .sections import (
    EllipticSection as EllipticSection,
)
