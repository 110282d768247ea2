"""Numbers against references: conservation, agreement, closed forms, and the claims of the papers."""

from .catalogue import GROUPS as GROUPS, all_checks as all_checks
from .report import Check as Check, check as check
from .running import run as run
