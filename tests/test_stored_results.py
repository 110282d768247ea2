"""Result files under attack: flipped bits, cuts, two runs at once, links, a full disk."""

import os
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr

import anguilla
from anguilla.whole_files import write_whole
from gaits.search.file_locks import claimed

FLIPS = 100


@pytest.fixture(scope="module")
def result() -> xr.Dataset:
    """A small dataset that looks like a result."""
    time = np.linspace(0.0, 1.0, 12)
    twist = np.random.default_rng(0).normal(size=(12, 6))
    return xr.Dataset(
        {"head_twist": (("time", "twist"), twist, {"units": "m/s, rad/s"})},
        coords={"time": ("time", time, {"units": "s"}), "twist": list("abcdef")},
        attrs={"title": "anguilla: a test", "rtol": 1e-6},
    )


def flipped(content: bytes, bit: int) -> bytes:
    """The content with one bit changed."""
    out = bytearray(content)
    out[bit // 8] ^= 1 << bit % 8
    return bytes(out)


def test_flipped_bits_are_refused(result, tmp_path):
    path = anguilla.save(result, tmp_path / "swim.nc")
    whole = path.read_bytes()
    for bit in np.random.default_rng(1).choice(8 * len(whole), FLIPS, replace=False):
        path.write_bytes(flipped(whole, int(bit)))
        with pytest.raises(ValueError, match="swim.nc: (damaged|has no checksum|not a readable)"):
            anguilla.load(path)
    path.write_bytes(whole)
    xr.testing.assert_identical(anguilla.load(path), result)


def test_cut_files_are_refused(result, tmp_path):
    path = anguilla.save(result, tmp_path / "swim.nc")
    whole = path.read_bytes()
    for part in (0.0, 0.3, 0.8, 1 - 1 / len(whole)):
        path.write_bytes(whole[: int(part * len(whole))])
        with pytest.raises(ValueError, match="swim.nc"):
            anguilla.load(path)


def test_a_file_without_a_checksum_is_read_on_demand(result, tmp_path):
    result.to_netcdf(tmp_path / "old.nc", engine="h5netcdf")
    with pytest.raises(ValueError, match=r"verify=False\) reads it"):
        anguilla.load(tmp_path / "old.nc")
    xr.testing.assert_identical(anguilla.load(tmp_path / "old.nc", verify=False), result)


def test_other_readers_open_the_file(result, tmp_path):
    path = anguilla.save(result, tmp_path / "swim.nc")
    xr.testing.assert_identical(xr.load_dataset(path, engine="h5netcdf", decode_times=False), result)


def test_a_users_partial_file_and_links_stay(result, tmp_path):
    mine, real, link = tmp_path / "swim.nc.partial", tmp_path / "disk" / "real.nc", tmp_path / "swim.nc"
    mine.write_text("my notes")
    real.parent.mkdir()
    link.symlink_to(real)
    anguilla.save(result, link)
    assert mine.read_text() == "my notes" and link.is_symlink() and real.is_file()
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["disk", "real.nc", "swim.nc", "swim.nc.partial"]
    xr.testing.assert_identical(anguilla.load(link), result)


def test_the_mode_of_a_file_stays(tmp_path):
    path = write_whole(tmp_path / "a", b"1")
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()
    path.chmod(0o600)
    assert write_whole(path, b"2").stat().st_mode & 0o777 == 0o600 and path.read_bytes() == b"2"


def _umask() -> int:
    mask = os.umask(0o22)
    os.umask(mask)
    return mask


RACE = """
import sys, numpy as np, xarray as xr, anguilla
x = np.full(5000, float(sys.argv[2]))
result = xr.Dataset({"x": ("time", x)}, coords={"time": np.arange(5000.0)}, attrs={"title": "anguilla"})
for _ in range(30):
    anguilla.save(result, sys.argv[1])
    assert len(np.unique(anguilla.load(sys.argv[1]).x)) == 1
"""


def test_two_runs_save_into_one_name(tmp_path):
    """Each writes a file of its own; the name always has one of the two, whole, and nothing is left behind."""
    words = [sys.executable, "-c", RACE, str(tmp_path / "x.nc")]
    both = [subprocess.Popen([*words, str(k)], stderr=subprocess.PIPE, text=True) for k in range(2)]
    for process in both:
        errors = process.communicate(timeout=120)[1]
        assert process.returncode == 0, errors
    assert [path.name for path in tmp_path.iterdir()] == ["x.nc"]


def test_a_name_is_held_by_one_run(tmp_path):
    with claimed(tmp_path / "planar"):
        with pytest.raises(FileExistsError, match=rf"another run is writing it \(process {os.getpid()} on"):
            with claimed(tmp_path / "planar"):
                pass
        with claimed(tmp_path / "turn"):
            pass
    with claimed(tmp_path / "planar"):
        pass
    (tmp_path / ".planar.lock").write_text("left by a run that was killed")
    with claimed(tmp_path / "planar"):
        pass
    assert not list(tmp_path.iterdir())


FULL = """
import resource, sys, numpy as np, xarray as xr, anguilla
x = np.random.default_rng(0).normal(size=100_000)
result = xr.Dataset({"x": ("time", x)}, coords={"time": np.arange(100_000.0)}, attrs={"title": "anguilla"})
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    anguilla.save(result, sys.argv[1])
except OSError as error:
    print("refused:", type(error).__name__)
"""


def test_a_full_disk_raises(tmp_path):
    """A limit on the size of files stands for the disk; the process must end well, and the old file must stay."""
    path = tmp_path / "x.nc"
    path.write_text("the file before")
    done = subprocess.run([sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "refused: OSError\n"), done.stderr
    assert path.read_text() == "the file before" and [p.name for p in tmp_path.iterdir()] == ["x.nc"]
