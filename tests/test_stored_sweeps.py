"""Stores of sweeps under attack: other functions, flipped bits, missing chunks, two runs at once."""

import shutil

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

import anguilla
from anguilla.sweeps import run as sweep_run, store as sweep_store
from gaits.search.file_locks import claimed

GRID = {"a": np.linspace(0.5, 2.0, 6), "b": [1.0, 3.0]}
OFFSET = 0.25
FLIPS = 100


def result(a, b):
    """Two variables, one of them an array; NaN in one corner."""
    return {"sine": jnp.where(a > 1.6, jnp.nan, jnp.sin(a * b) + OFFSET), "row": jnp.stack([a, b])}


def run(store, fn=result, **options):
    return anguilla.sweep(fn, GRID, store=store, chunk=4, progress=False, **options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A complete store and its values."""
    path = tmp_path_factory.mktemp("sweep") / "store"
    return path, run(path).load()


@pytest.fixture
def store(whole, tmp_path):
    """A copy to damage."""
    return shutil.copytree(whole[0], tmp_path / "store")


def unfinished(store):
    """Takes the mark off the last block."""
    marks = sorted(file for file in (store / "blocks" / "done" / "c").rglob("*") if file.is_file())
    marks[-1].unlink()


def test_flipped_bits_are_refused_or_harmless(store, whole):
    """In any file of the store, read through either entry."""
    files = sorted(file for file in store.rglob("*") if file.is_file())
    sizes = np.array([file.stat().st_size for file in files])
    # Chunks are small beside metadata here: half of the flips go to files by their size, half to any file alike.
    random = np.random.default_rng(2)
    chosen = [
        *random.choice(len(files), FLIPS // 2, p=sizes / sizes.sum()),
        *random.integers(len(files), size=FLIPS // 2),
    ]
    refused = 0
    for k in chosen:
        content = files[k].read_bytes()
        bit = int(random.integers(8 * len(content)))
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        files[k].write_bytes(changed)
        try:
            assert anguilla.open_sweep(store).load().identical(whole[1]), f"{files[k]} bit {bit}"
        except ValueError:
            refused += 1
        files[k].write_bytes(content)
    assert refused > 0.9 * FLIPS
    assert anguilla.open_sweep(store).load().identical(whole[1])


def test_going_on_reads_every_block(store):
    """A flip that stays within a chunk nobody computes again."""
    unfinished(store)
    chunk = store / "sine" / "c" / "1" / "0"
    content = bytearray(chunk.read_bytes())
    content[len(content) // 2] ^= 4
    chunk.write_bytes(content)
    with pytest.raises(ValueError, match=r"block \(1, 0\) is damaged"):
        run(store)


def test_exchanged_chunks_are_seen(store):
    """Each has its right checksum, in the wrong place."""
    unfinished(store)
    one, other = (store / "row" / "c" / k / "0" / "0" for k in "01")
    one.write_bytes(other.read_bytes())
    with pytest.raises(ValueError, match=r"block \(0, 0\) is not what was written"):
        run(store)


@pytest.mark.parametrize("name", ["sine/c/2/0", "row/c/0/0/0"])
def test_a_deleted_chunk_is_missed(store, whole, name):
    (store / name).unlink()
    with pytest.raises(ValueError, match=f"{name} is missing") as refusal:
        anguilla.open_sweep(store)
    mark = next(word for word in str(refusal.value).split() if "/blocks/done/" in word)
    (store.parent / mark).unlink()
    assert run(store).load().identical(whole[1])


def other_constant(a, b):
    return {"sine": jnp.where(a > 1.6, jnp.nan, jnp.sin(a * b) + 0.25 + 1e-15), "row": jnp.stack([a, b])}


def other_in_a_corner(a, b):
    sine = jnp.sin(a * b) + OFFSET
    return {"sine": jnp.where(a > 1.6, jnp.nan, jnp.where(a == 0.8, sine + 1.0, sine)), "row": jnp.stack([a, b])}


@pytest.mark.parametrize("fn", [other_constant, other_in_a_corner])
@pytest.mark.parametrize("complete", [True, False])
def test_another_function_is_refused(store, fn, complete):
    if not complete:
        unfinished(store)
    before = {file: file.read_bytes() for file in store.rglob("*") if file.is_file()}
    with pytest.raises(ValueError, match="the function, or a number it uses, was another"):
        run(store, fn)
    assert {file: file.read_bytes() for file in store.rglob("*") if file.is_file()} == before


def test_a_number_that_the_function_closes_over_is_seen(store, monkeypatch):
    monkeypatch.setattr(f"{__name__}.OFFSET", 0.5)
    with pytest.raises(ValueError, match="the function, or a number it uses, was another"):
        run(store)


def test_other_versions_are_refused(store, monkeypatch):
    monkeypatch.setattr(sweep_run, "versions", lambda: {**anguilla_versions(), "jaxlib": "0.0.1"})
    with pytest.raises(ValueError, match=r"jaxlib was \S+, now 0.0.1"):
        run(store)


def anguilla_versions():
    from stepping.program_identity import versions

    return versions()


def test_blocks_are_computed_again(store, monkeypatch):
    """What no digest sees, such as Python code that a program calls back, several blocks that are recomputed do."""
    unfinished(store)
    monkeypatch.setattr(sweep_store, "_sealed", lambda *_: (store / sweep_store.SEAL).read_text().strip())
    monkeypatch.setattr("anguilla.sweeps.run.trace_point", lambda fn, points: _as_before(fn, points, store))
    with pytest.raises(ValueError, match="'sine' at the points computed before differs"):
        run(store, other_in_a_corner)


def _as_before(fn, points, store):
    from anguilla.sweeps.devices import trace_point

    return trace_point(fn, points)[0], sweep_store._description(store)["program"]


def test_damaged_metadata_is_said_in_words(store):
    file = store / "zarr.json"
    file.write_bytes(file.read_bytes()[:-40])
    for call in (run, anguilla.open_sweep):
        with pytest.raises(ValueError, match="zarr.json is damaged"):
            call(store)


def test_one_run_at_a_time(store):
    unfinished(store)
    with claimed(store), pytest.raises(FileExistsError, match="another run is writing it"):
        run(store)


def test_a_store_without_its_seal_is_not_overwritten(store):
    (store / sweep_store.SEAL).unlink()
    for call in (run, anguilla.open_sweep):
        with pytest.raises(ValueError, match="checksum .* is missing"):
            call(store)


def refusing(a, b):
    """Raises at some points, as a run that fails."""
    return {"sine": eqx.error_if(jnp.sin(a * b), (a > 1.6) & (b > 2.0), "too fast"), "row": jnp.stack([a, b])}


@pytest.mark.parametrize("chunk", [1, 4, 12])
def test_points_that_raise_are_nan_and_leave_the_others_alone(tmp_path, chunk):
    """Before: the sweep stopped. Bits of the other points are those of a sweep without the bad ones."""
    sweep = lambda grid, fn, **options: anguilla.sweep(fn, grid, chunk=chunk, progress=False, **options)  # noqa: E731
    with pytest.warns(UserWarning, match=r"raised at 2 of 12 points.*NaN. At a = (1.7|2.0), b = 3.0: too fast"):
        found = sweep(GRID, refusing, store=tmp_path / "store").load()
    right = sweep(GRID, lambda a, b: {"sine": jnp.sin(a * b), "row": jnp.stack([a, b])}).load()
    bad = (found.a > 1.6) & (found.b > 2.0)
    for name in ("sine", "row"):
        assert np.isnan(found[name].where(bad, drop=True)).all()
        assert found[name].where(~bad, 0.0).equals(right[name].where(~bad, 0.0))
    assert anguilla.open_sweep(tmp_path / "store").load().identical(found)


def test_a_sweep_of_whole_numbers_that_raises_stops():
    with pytest.raises((RuntimeError, ValueError), match="too fast"):
        anguilla.sweep(lambda a: eqx.error_if(jnp.int32(3), a > 1.0, "too fast"), {"a": [0.5, 1.5]}, progress=False)
