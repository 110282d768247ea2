"""Argument types for argparse, with range checks."""

import argparse
import math
from pathlib import Path


def positive(text: str) -> float:
    """A finite number above zero."""
    value = _number(text)
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text!r}: must be finite and positive")
    return value


def finite(text: str) -> float:
    """A finite number."""
    value = _number(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r}: must be finite")
    return value


def between(lowest: float, highest: float):
    """Type of numbers between two, ends included."""

    def number(text: str) -> float:
        value = finite(text)
        if not lowest <= value <= highest:
            raise argparse.ArgumentTypeError(f"{text!r}: must be between {lowest:g} and {highest:g}")
        return value

    return number


def at_least(lowest: int):
    """Type of integers of at least `lowest`."""

    def whole(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number") from None
        if value < lowest:
            raise argparse.ArgumentTypeError(f"{text!r}: must be at least {lowest}")
        return value

    return whole


def directory(text: str) -> Path:
    """A directory that exists or can be created."""
    path = Path(text).expanduser()
    for part in (path, *path.parents):
        if part.exists():
            if not part.is_dir():
                raise argparse.ArgumentTypeError(f"{text!r}: {part} is a file, not a directory")
            break
    return path


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a number") from None
