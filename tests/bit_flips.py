"""Random bit flips in every kind of stored file. `python -m tests.bit_flips` prints how often the answer was right, how
often the file was refused, and how often another number came out in silence.

A refusal is a ValueError (exit code 2 on the command line), or a program that is compiled again.
"""

import argparse
import contextlib
import io
import json
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import anguilla
import cosserat
import gaits
import hydro
from anguilla import cli
from anguilla.commands.recipe import write_recipe
from anguilla.program_cache import directory, stored_programs
from anguilla.program_cache.memory_maps import MemoryMaps
from gaits.search.evaluation_log import EvaluationLog
from hydro.radiation_states import STORED_STATES

FLIPS = 100
RIGHT, REFUSED, SILENT = "right", "refused", "silent"


class Stored(NamedTuple):
    """Files of one kind, and how they are read.

    Attributes:
        files: the files in which bits are flipped.
        read: returns what the files say; raises ValueError to refuse them; None to compile again.
        same: whether what was read is what was written.
        within: first and last byte that are flipped; the whole file when None.
    """

    files: list[Path]
    read: Callable[[], Any]
    same: Callable[[Any], bool]
    within: tuple[int, int] | None = None


def outcomes(stored: Stored, flips: int = FLIPS, seed: int = 26) -> Counter:
    """Numbers of flips by outcome; the files are as before at the end."""
    random, counts = np.random.default_rng(seed), Counter({RIGHT: 0, REFUSED: 0, SILENT: 0})
    for _ in range(flips):
        file = stored.files[random.integers(len(stored.files))]
        content = file.read_bytes()
        first, last = stored.within or (0, len(content))
        bit = int(random.integers(8 * first, 8 * last))
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(changed)
        counts[_outcome(stored)] += 1
        file.write_bytes(content)
    if not stored.same(stored.read()):
        raise AssertionError("the files are not as before")
    return counts


def _outcome(stored: Stored) -> str:
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")  # JAX reports a program that it cannot read
        try:
            found = stored.read()
        except ValueError:
            return REFUSED
        except SystemExit as end:
            return REFUSED if end.code == 2 else SILENT
    if found is None:
        return REFUSED
    return RIGHT if stored.same(found) else SILENT


def _swim():
    body = cosserat.Beam(cosserat.rod(1.0, 0.03, 0.05).profile, load_panels=(2,))
    options = {"samples": 3, "rtol": 1e-4, "progress": False, "path": cosserat.Panels(8, 1, 1, 0.5)}
    return cosserat.simulate(body, gaits.planar(), hydro.Void(), 0.1, **options)


def result(folder: Path) -> Stored:
    """A NetCDF file."""
    swim = _swim()
    path = anguilla.save(swim, folder / "swim.nc")
    return Stored([path], lambda: anguilla.load(path), lambda found: found.identical(swim))


def provenance(folder: Path) -> Stored:
    """The record in a NetCDF file from which the run is repeated."""
    whole = result(folder)
    text = whole.read().attrs["provenance"].encode()
    first = whole.files[0].read_bytes().index(text)
    return whole._replace(within=(first, first + len(text)))


def _sweep(folder: Path) -> tuple[Path, Stored]:
    point = lambda a, b: {"sine": jnp.sin(a * b), "row": jnp.stack([a, b])}  # noqa: E731
    grid = {"a": np.linspace(0.5, 2.0, 6), "b": [1.0, 3.0]}
    store = folder / "store"
    whole = anguilla.sweep(point, grid, store=store, chunk=4, progress=False).load()
    return store, Stored([], lambda: anguilla.open_sweep(store).load(), lambda found: found.identical(whole))


def _files(store: Path, metadata: bool) -> list[Path]:
    return sorted(p for p in store.rglob("*") if p.is_file() and (p.name in ("zarr.json", "sha256")) == metadata)


def chunks(folder: Path) -> Stored:
    """Chunks of a Zarr store: results, coordinates and marks."""
    store, stored = _sweep(folder)
    return stored._replace(files=_files(store, False))


def metadata(folder: Path) -> Stored:
    """Metadata of a Zarr store, and its seal."""
    store, stored = _sweep(folder)
    return stored._replace(files=_files(store, True))


def log(folder: Path) -> Stored:
    """The log of an optimisation."""
    path = folder / "log.jsonl"
    bowl = gaits.quantity("bowl", "1", lambda a, w: (w - 0.7) ** 2 * jnp.sum(a), "amplitude", "wavelength")
    wave = gaits.TravellingWave([1.0, 2.0], 1.0, 1.0)
    gaits.optimise(bowl, wave, {"wavelength": (0.1, 2.0)}, log=path, progress=False)
    description = {k: v for k, v in json.loads(path.read_bytes().splitlines()[0]).items() if k != "seal"}

    def read():
        copy = shutil.copy(path, folder / "copy.jsonl")  # an incomplete last line would be cut off
        opened = EvaluationLog(copy, lambda: description)
        opened.close()
        return {key: record["values"].tobytes() for key, record in opened.known.items()}

    right = read()
    return Stored([path], read, lambda found: found.items() <= right.items())  # what is missing is evaluated again


def recipe(folder: Path) -> Stored:
    """The recipe of a run of the command line."""
    chosen = cli.understood(["swim", "--gait", "spiral", "--t1", "3", "--out", str(folder)])
    path = write_recipe(chosen.recipe, folder / "spiral.recipe")
    read = lambda: cli.understood([f"@{path}", "--out", str(folder)]).recipe  # noqa: E731
    return Stored([path], read, lambda found: found == chosen.recipe)


def program(folder: Path) -> Stored:
    """A compiled program of the engines."""
    directory.make_private(folder / "programs")
    function, beam = cosserat.mass, cosserat.eel()
    cache = stored_programs.ProgramCache(folder / "programs", MemoryMaps(limit=0))
    right = float(cache(function, eqx.filter_jit(function), (beam,)))
    (path,) = (folder / "programs").glob("*.program")
    name = stored_programs.program_name(function, jax.tree.leaves((beam,)), (beam,))
    arrays = [leaf for leaf in jax.tree.leaves((beam,)) if eqx.is_array(leaf)]

    def read():
        loaded = stored_programs._load(path, name)
        return None if loaded is None else float(loaded(arrays))

    return Stored([path], read, lambda found: found == right)


def jax_program(folder: Path) -> Stored:
    """A compiled program that JAX stores."""
    from jax.experimental.compilation_cache import compilation_cache

    compilation_cache.reset_cache()
    jax.config.update("jax_compilation_cache_dir", str(folder / "jax"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)

    def read():
        jax.clear_caches()
        return float(jax.jit(lambda x: jnp.sum(jnp.sin(3.0 * x + jnp.arange(7.0))))(0.3))

    right = read()
    files = sorted((folder / "jax").glob("*-cache"))
    return Stored(files, read, lambda found: found == right)


def radiation(folder: Path) -> Stored:
    """The radiation states of a hull."""
    path = folder / "states.npz"
    shutil.copy(STORED_STATES, path)
    read = lambda: hydro.load_states(path)  # noqa: E731
    right = read()
    return Stored([path], read, lambda found: bool(eqx.tree_equal(found, right)))


KINDS = {
    "NetCDF file": result,
    "provenance": provenance,
    "Zarr chunk": chunks,
    "Zarr metadata": metadata,
    "optimisation log": log,
    "recipe": recipe,
    "stored program": program,
    "radiation states": radiation,
    "program stored by JAX": jax_program,  # the last, because it changes the options of JAX
}


def rows(kinds: list[str], flips: int = FLIPS) -> Iterator[tuple[str, Counter]]:
    """Outcomes by kind."""
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            yield kind, outcomes(KINDS[kind](Path(folder)), flips)


def main() -> int:
    """Prints the table; 1 if another number came out in silence."""
    parser = argparse.ArgumentParser(prog="python -m tests.bit_flips", description=__doc__)
    parser.add_argument("--only", choices=KINDS, nargs="+", default=list(KINDS))
    parser.add_argument("--flips", type=int, default=FLIPS)
    options = parser.parse_args()
    silent = 0
    for kind, counts in rows(options.only, options.flips):
        silent += counts[SILENT]
        print(f"{kind:24}" + "".join(f"{counts[name]:6} {name}" for name in (RIGHT, REFUSED, SILENT)), flush=True)
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
