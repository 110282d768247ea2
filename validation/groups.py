"""Names of the groups of checks."""

GROUPS = ("conservation", "agreement", "closed forms")
