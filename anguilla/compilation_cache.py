"""Compiled programs kept between runs, so that a second one starts quickly: JAX's, and those of `spatial.kept_program`.

On as soon as `anguilla` is imported, unless JAX was told another directory before. The directory is that of the
user's caches; the environment variable `ANGUILLA_CACHE` names another one, or turns
the cache off (`ANGUILLA_CACHE=off`). It can be deleted at any time.
"""

import os
import sys
from pathlib import Path

import jax

VARIABLE = "ANGUILLA_CACHE"
OFF = ("off", "0", "no", "none")


def cache_directory() -> Path | None:
    """Where compiled programs are kept; None when the cache is turned off."""
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
    """Makes JAX keep what it compiles; returns where, or None when it does not.

    A directory that cannot be made turns the cache off, with a word on the error output: a run must not fail for it.
    """
    directory = cache_directory()
    chosen = jax.config.jax_compilation_cache_dir  # pyright: ignore[reportAttributeAccessIssue]
    if directory is None or chosen:
        return None  # turned off, or told by the user before
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"anguilla: no compilation cache: {error}; set {VARIABLE} to a directory or to off", file=sys.stderr)
        return None
    jax.config.update("jax_compilation_cache_dir", str(directory))
    # The small ones too: a session makes dozens of them, and together they take as long as a great one.
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    return directory
