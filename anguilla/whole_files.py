"""Atomic file writes, and the size of a written file."""

import contextlib
import os
import secrets
from pathlib import Path


def write_whole(path: Path, content: bytes) -> Path:
    """Writes to a temporary name and renames, so that no partial file is ever visible.

    A symbolic link is preserved and its target replaced. On failure, for example a full disk, the previous file is
    untouched and no temporary file remains.

    Args:
        path: output file; missing directories are created, an existing file is replaced.
        content: the complete content.

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


def size_text(path: Path) -> str:
    """Size of a file in kB or MB."""
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(size / 1e3, 1.0):.0f} kB"
