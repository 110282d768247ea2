"""File locks that the operating system releases when the owning process ends, for any reason."""

import contextlib
import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows: no advisory locks; files are still replaced as a whole
    fcntl = None


def try_lock(file: IO[Any]) -> bool:
    """Locks an open file until it is closed.

    Args:
        file: an open file.

    Returns:
        False if another run holds the lock; True otherwise, also if the file system does not support locks.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Reserves a path for one run; a second run that claims the same path gets an error.

    A hidden file next to the path holds the lock and is removed at the end. A file left behind by a killed run is no
    longer locked and is reused.

    Args:
        path: file to be written, or the common prefix of several files.

    Raises:
        FileExistsError: another run is writing it.
    """
    lock = path.with_name(f".{path.name}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    file = _open_locked(lock, path)
    try:
        file.truncate(0)
        file.write(f"process {os.getpid()} on {platform.node()} since {time.strftime('%Y-%m-%d %H:%M:%S')}")
        file.flush()
        yield
    finally:
        lock.unlink(missing_ok=True)
        file.close()


def _open_locked(lock: Path, path: Path) -> IO[str]:
    while True:
        file = lock.open("a+")
        if not try_lock(file):
            with file:
                file.seek(0)
                owner = file.read() or "unknown"
            raise FileExistsError(
                f"{path}: another run is writing it ({owner}); nothing was changed: wait for it, or give another place"
            )
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), lock.stat()):
                return file
        file.close()  # the previous owner removed it after it was opened and before it was locked
