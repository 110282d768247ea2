"""The folder of compiled programs: private to the user and bounded in size.

Loading a compiled program executes it, so nothing is read from a folder that another user could write to.
"""

import contextlib
import os
import stat
import sys
from pathlib import Path

VARIABLE = "ANGUILLA_CACHE"
OFF = ("off", "0", "no", "none")
MOST_BYTES = 1_000_000_000  # above which the least recently used programs are removed


def cache_directory() -> Path | None:
    """Folder of the compiled programs; None if the cache is disabled."""
    chosen = os.environ.get(VARIABLE, "").strip()
    if chosen.lower() in OFF:
        return None
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "anguilla"


def make_private(directory: Path) -> None:
    """Creates the folder, or restricts the access to the user's own folder if others could only read it.

    Raises:
        PermissionError: it belongs to another user, or others could write to it.
        OSError: it cannot be created.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    if hasattr(os, "getuid"):
        found = directory.stat()
        if found.st_uid != os.getuid():
            raise PermissionError(f"{directory} belongs to another user")
        if found.st_mode & 0o022:
            raise PermissionError(f"other users may write to {directory}; delete it, or `chmod 700` it if they did not")
        directory.chmod(0o700)


def is_private(directory: Path) -> bool:
    """Whether the folder belongs to the user and is inaccessible to others."""
    if not hasattr(os, "getuid"):
        return directory.is_dir()
    try:
        found = directory.stat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def read_own(file: Path) -> bytes | None:
    """Content of the user's own file in a private folder; None for any other or a missing file."""
    if not is_private(file.parent):
        return None
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(file, flags), "rb") as opened:
            found = os.fstat(opened.fileno())
            own = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)
            content = opened.read() if own and stat.S_ISREG(found.st_mode) else None
            with contextlib.suppress(OSError):
                os.utime(file)  # marks it as recently used
            return content
    except OSError:
        return None


def prune(directory: Path, most: int = MOST_BYTES) -> None:
    """Removes the least recently used files until the rest takes at most the given number of bytes."""
    files = []
    for file in directory.rglob("*"):
        with contextlib.suppress(OSError):
            found = file.lstat()
            if stat.S_ISREG(found.st_mode):
                files.append((found.st_mtime, found.st_size, file))
    total = sum(size for _, size, _ in files)
    for _, size, file in sorted(files):
        if total <= most:
            return
        with contextlib.suppress(OSError):
            file.unlink()
        total -= size
