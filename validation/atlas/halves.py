"""The two halves of the atlas: swimmers that fix the common coefficients, and swimmers that judge them.

The halves were chosen before any swimmer of the second half was simulated with these coefficients. The first half are
the swimmers whose published speeds were known while the water model was written, except the two-dimensional one, to
which elongated-body theory does not apply; their results are not evidence. Of the second half, Carling's eel and the
lamprey had been simulated with other coefficients; the others had never been simulated.
"""

FIXED = ("kern-reference", "kern-fast", "tytell-eel")
JUDGED = ("carling", "amphibot", "tytell-speeds", "lamprey", "salamandra", "ramananarivo")
WITHOUT_FIGURE = ("bpk06-eel", "ibamr-eel")


def role(name: str) -> str:
    """Either "fixed" or "judged"; "-" for a swimmer without a published value.

    Raises:
        ValueError: for a name in neither half.
    """
    for names, word in ((FIXED, "fixed"), (JUDGED, "judged"), (WITHOUT_FIGURE, "-")):
        if name in names:
            return word
    raise ValueError(f"swimmer {name!r}: must be one of {', '.join(FIXED + JUDGED + WITHOUT_FIGURE)}")
