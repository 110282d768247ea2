"""Lengths that were probably given in another unit than metres."""

from .user_warnings import warn

LONGEST = 35.0  # m: longer than any animal, and than any robot so far


def warn_of_length(what: str, **lengths: float) -> None:
    """Warns that lengths were probably not given in metres, with what they would be in other units.

    Args:
        what: what has these lengths.
        lengths: each length by the word that follows it, such as long=500.0 [m].
    """

    def listed(scale: float) -> str:
        return " and ".join(f"{scale * value:g} m {word}" for word, value in lengths.items())

    warn(
        f"{what} is {listed(1.0)}: lengths are in metres. If you meant millimetres, divide by 1000 ({listed(1e-3)}); "
        f"if centimetres, by 100 ({listed(1e-2)})."
    )
