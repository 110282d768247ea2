"""What a fluid does to one cross-section, per metre, in the section's own frame."""

from .added_mass import (
    FORMS as FORMS,
)
from .added_mass import (
    convective_wrench as convective_wrench,
)
from .added_mass import (
    section_added_inertia as section_added_inertia,
)
from .drag import (
    drag_wrench as drag_wrench,
)
from .fluid import (
    CONVECTIVE as CONVECTIVE,
)
from .fluid import (
    AbstractFluid as AbstractFluid,
)
from .fluid import (
    Place as Place,
)
from .fluid import (
    Void as Void,
)
from .morison import (
    Morison as Morison,
)
from .profiles import (
    Cap as Cap,
)
from .profiles import (
    Profile as Profile,
)
from .profiles import (
    Taper as Taper,
)
from .profiles import (
    eel_profile as eel_profile,
)
from .profiles import (
    uniform_profile as uniform_profile,
)
from .sections import (
    EllipticSection as EllipticSection,
)
