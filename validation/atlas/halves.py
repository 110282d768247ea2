"""Which swimmers fix the atlas's common coefficients, and which judge them: named before any of the second half swam.

The first half are the swimmers whose published speeds had been in view while the water was written, except the
two-dimensional one, which elongated-body theory does not reach. None of their figures can be evidence. Of the second
half Carling's eel and the lamprey had swum under another choice of coefficients; the others had never swum.
"""

FIXED = ("kern-reference", "kern-fast", "tytell-eel")
JUDGED = ("carling", "amphibot", "tytell-speeds", "lamprey", "salamandra", "ramananarivo")
WITHOUT_FIGURE = ("bpk06-eel", "ibamr-eel")


def role(name: str) -> str:
    """Either "fixed" or "judged"; "-" for a swimmer without a published figure.

    Raises:
        ValueError: for a name in neither half.
    """
    for names, word in ((FIXED, "fixed"), (JUDGED, "judged"), (WITHOUT_FIGURE, "-")):
        if name in names:
            return word
    raise ValueError(f"swimmer {name!r}: must be one of {', '.join(FIXED + JUDGED + WITHOUT_FIGURE)}")
