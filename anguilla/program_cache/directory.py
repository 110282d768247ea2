"""The folder of compiled programs: the user's own, closed to everybody else, bounded in size.

Loading a compiled program runs it, so nothing is ever read from a folder that another user could write to.
"""

import contextlib
import os
import stat
import sys
from pathlib import Path

VARIABLE = "ANGUILLA_CACHE"
OFF = ("off", "0", "no", "none")
MOST_BYTES = 1_000_000_000  # beyond which the programs that were not used for longest are removed


def cache_directory() -> Path | None:
    """Where compiled programs are stored; None when the cache is turned off."""
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
    """Makes the folder, or closes one of the user's own that others could only read.

    Raises:
        PermissionError: it belongs to somebody else, or others could write to it: what it holds may not be ours.
        OSError: it cannot be made.
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
    """Whether the folder is the user's, and nobody else can reach into it."""
    if not hasattr(os, "getuid"):
        return directory.is_dir()
    try:
        found = directory.stat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def read_own(file: Path) -> bytes | None:
    """The content of a file of the user's own in a private folder; None for any other, and when there is none."""
    if not is_private(file.parent):
        return None
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(file, flags), "rb") as opened:
            found = os.fstat(opened.fileno())
            own = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)
            content = opened.read() if own and stat.S_ISREG(found.st_mode) else None
            with contextlib.suppress(OSError):
                os.utime(file)  # used now: not to be removed soon
            return content
    except OSError:
        return None


def prune(directory: Path, most: int = MOST_BYTES) -> None:
    """Removes the files that were not used for longest until the rest takes no more than so many bytes."""
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
