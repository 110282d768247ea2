"""Files that are written whole or not at all."""

import contextlib
import os
import secrets
from pathlib import Path


def write_whole(path: Path, content: bytes) -> Path:
    """Writes a file under a name of its own, then gives it the right one: nobody ever sees half of it.

    A symbolic link stays, and what it points to is replaced. When the disk is full, or anything else goes wrong, the
    file that was there before is untouched and nothing is left behind.

    Args:
        path: the file; directories on the way are made, an existing file is replaced.
        content: all of it.

    Returns:
        The path.
    """
    place = Path(os.path.realpath(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f".{place.name}-{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            with contextlib.suppress(OSError):
                part.chmod(place.stat().st_mode & 0o777)
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)
    return path
