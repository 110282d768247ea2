"""Compiled programs kept between runs, so that a second one starts quickly: JAX's, and those of `spatial.kept_program`.

Enabled when `anguilla` is imported, unless JAX already has a cache directory. The default is the user's cache
directory; the environment variable `ANGUILLA_CACHE` names another one, or disables
the cache (`ANGUILLA_CACHE=off`). The directory can be deleted at any time.
"""

import os
import sys
from pathlib import Path

import jax

VARIABLE = "ANGUILLA_CACHE"
OFF = ("off", "0", "no", "none")


def cache_directory() -> Path | None:
    """Directory of the compiled programs; None if the cache is disabled."""
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


def switch_on() -> Path | None:
    """Enables JAX's compilation cache; returns its directory, or None if it is disabled.

    A directory that cannot be created disables the cache with a message on the error output; the run continues.
    """
    directory = cache_directory()
    chosen = jax.config.jax_compilation_cache_dir  # pyright: ignore[reportAttributeAccessIssue]
    if directory is None or chosen:
        return None  # disabled, or already set by the user
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"anguilla: no compilation cache: {error}; set {VARIABLE} to a directory or to off", file=sys.stderr)
        return None
    jax.config.update("jax_compilation_cache_dir", str(directory))
    # Small programs too: a session compiles dozens of them, which together take as long as a large one.
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    return directory
