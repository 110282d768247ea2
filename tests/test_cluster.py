"""Sweeps on a scheduler: workers killed and added on the way, the same bits as one process, refusals."""

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import anguilla
from anguilla.sweeps import executors

GRID = {"a": np.linspace(0.1, 1.0, 12), "b": np.linspace(1.0, 2.0, 4)}  # 48 points, in 12 blocks of 4


def orbit():
    """A function that takes a while at each point, defined where pickle does not find it."""

    def last(a, b):
        def step(k, x):
            return x + 1e-3 * jnp.stack([x[1], -a * jnp.sin(x[0]) - 0.1 * b * x[1]])

        return {"x": jax.lax.fori_loop(0, 20_000, step, jnp.stack([a, b]))}

    return last


def bits(dataset):
    return {name: dataset[name].values.tobytes() for name in sorted(dataset.variables)}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The sweep in one process."""
    return bits(anguilla.sweep(orbit(), GRID, chunk=4, progress=False))


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="pip install 'anguilla[cluster]'")
    # Without nannies: a worker that is killed stays dead.
    with distributed.LocalCluster(
        n_workers=0, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as own:
        yield own


class Worker:
    """A worker process of a cluster, without a nanny that would start it again."""

    def __init__(self, address):
        words = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "1"]
        root = str(Path(anguilla.__file__).parents[1])
        environment = os.environ | {"PYTHONPATH": root}  # the same options of the compiler: the same bits
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([*words, "--no-dashboard"], env=environment, **quiet)

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(30)


@pytest.mark.slow
def test_one_worker_killed_and_one_added_later_give_the_bits_of_one_process(cluster, alone, tmp_path, monkeypatch):
    """A third of the way one of two workers is killed, and then a third one comes."""
    from distributed import Client

    workers = [Worker(cluster.scheduler_address) for _ in range(2)]
    written, who, write = [], {}, anguilla.sweeps.store.Store.write
    try:
        with Client(cluster) as client:
            client.wait_for_workers(2, timeout=120)

            def watched(self, index, values):
                write(self, index, values)
                written.append(index)
                if len(written) == 4:
                    workers[0].kill()
                    workers.append(Worker(cluster.scheduler_address))
                if len(written) == 8:  # the new one takes part in the rest
                    client.wait_for_workers(2, timeout=120)
                who.update({name: info for name, info in client.scheduler_info()["workers"].items()})

            monkeypatch.setattr(anguilla.sweeps.store.Store, "write", watched)
            monkeypatch.setattr(executors, "MOST", 3)  # few blocks ahead: the rest waits for the workers that are left
            store = tmp_path / "cluster"
            result = anguilla.sweep(orbit(), GRID, store=store, chunk=4, executor=client, progress=False)
            counted = {k: v["metrics"].get("task_counts", {}) for k, v in client.scheduler_info()["workers"].items()}
    finally:
        for worker in workers:
            if worker.process.poll() is None:
                worker.kill()
    assert len(written) == len(set(written)) == 12  # each block once: what was finished is not computed again
    assert len(who) == 3 and len(counted) == 2
    assert bits(result) == alone == bits(anguilla.open_sweep(store))


@pytest.mark.slow
def test_a_pool_of_processes_serves_too(alone, tmp_path):
    """Any executor with `submit`. It resumes what one process has begun, and the reverse."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        store = tmp_path / "pool"
        result = anguilla.sweep(orbit(), GRID, store=store, chunk=4, executor=pool, progress=False)
        assert bits(result) == alone
        mark = next(p for p in sorted((store / "blocks" / "done").rglob("*")) if p.is_file() and p.name != "zarr.json")
        mark.unlink()
        assert bits(anguilla.sweep(orbit(), GRID, store=store, chunk=4, executor=pool, progress=False)) == alone
    mark.unlink()
    assert bits(anguilla.sweep(orbit(), GRID, store=store, chunk=4, progress=False)) == alone


class Inline:
    """An executor that runs each task at once."""

    def submit(self, function, *args):
        future = concurrent.futures.Future()
        try:
            future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future


def test_an_executor_of_threads_or_none_at_all_gives_the_same_bits(alone):
    assert bits(anguilla.sweep(orbit(), GRID, chunk=4, executor=Inline(), progress=False)) == alone
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert bits(anguilla.sweep(orbit(), GRID, chunk=4, executor=pool, progress=False)) == alone


def test_memory_is_bounded_by_the_blocks_ahead(monkeypatch):
    """No more tasks are submitted than may wait to be written."""
    waiting, most = set(), []

    class Counting(Inline):
        def submit(self, function, *args):
            future = super().submit(function, *args)
            if function is executors.compute_block:
                waiting.add(future)
                most.append(len(waiting))
            return future

    write = anguilla.sweeps.store.Store.write

    def written(self, index, values):
        waiting.pop()
        write(self, index, values)

    monkeypatch.setattr(anguilla.sweeps.store.Store, "write", written)
    monkeypatch.setattr(executors, "MOST", 5)
    anguilla.sweep(lambda a, b: a * b, GRID, chunk=1, executor=Counting(), progress=False)
    assert max(most) == 5 and len(most) == 48


def test_a_worker_with_another_program_is_refused(monkeypatch):
    """A worker whose packages differ would give other numbers."""
    monkeypatch.setattr(executors, "trace_point", lambda fn, points: ({}, "another digest"))
    monkeypatch.setattr(executors, "_machines", {})
    with pytest.raises(ValueError, match="would compute another program") as found:
        anguilla.sweep(lambda a, b: a * b, GRID, executor=Inline(), progress=False)
    assert any("in block (0, 0)" in note for note in found.value.__notes__)


def test_a_failing_function_says_where(tmp_path):
    class Failing(Inline):
        count = 0

        def submit(self, function, *args):
            self.count += function is executors.compute_block
            return super().submit(_fail if self.count == 7 else function, *args)

    store = tmp_path / "s"
    with pytest.raises(OSError, match="no room") as found:
        anguilla.sweep(orbit(), GRID, store=store, chunk=4, executor=Failing(), progress=False)
    assert any("of the sweep; what was finished before is in its store" in note for note in found.value.__notes__)
    again = anguilla.sweep(orbit(), GRID, store=store, chunk=4, progress=False)
    assert np.isfinite(again["x"]).all()


def _fail(*args):
    raise OSError("no room")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"executor": 3}, "executor = 3: must be a dask client or an executor"),
        ({"executor": Inline(), "devices": []}, "leave devices or executor out"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        anguilla.sweep(lambda a, b: a, GRID, progress=False, **options)


def test_too_small_blocks_are_reported(capsys):
    """The scheduler's time for a block against the time to compute it."""

    class Slow(Inline):
        def submit(self, function, *args):
            time.sleep(0.002)
            return super().submit(function, *args)

    anguilla.sweep(lambda a, b: a * b, GRID, chunk=4, executor=Slow(), progress=True)
    said = capsys.readouterr().err
    assert "the scheduler takes" in said and "chunk=" in said
