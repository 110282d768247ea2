"""Validation: measured numbers against references; conservation, agreement, closed forms, claims of the papers."""

from .catalogue import GROUPS as GROUPS, all_checks as all_checks
from .report import Check as Check, check as check
from .running import run as run
