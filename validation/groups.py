"""Names of the groups of checks."""

GROUPS = ("conservation", "agreement", "closed forms")  # in the order in which they are printed
