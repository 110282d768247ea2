"""Environments to learn in: control steps per second of the cruising eel at 50 Hz, and predictive control.

`python -m tests.benchmarks.learning steps DEVICES BATCH` is one of the processes; it prints steps per second, and how
many cores were busy.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

from tests.benchmarks.table import Row, at_least

STEPS = {1: 500, 64: 100, 1024: 20}
SECONDS = 15.0  # of predictive control


def learning_rows() -> Iterator[Row]:
    """Each row in a process of its own. On one core processor time, as the other groups; on two cores wall time."""
    cores = len(os.sched_getaffinity(0))
    for batch in STEPS:
        for devices in (1,) if batch == 1 else (1, min(2, cores)):
            rate, busy = map(float, _process("steps", str(devices), str(batch)).split())
            what = f"control steps a second at 50 Hz, batch of {batch}, {devices} core{'s' * (devices > 1)}"
            how = f"wall time, the batch split over {devices} devices of XLA, {busy:.2f} cores busy"
            note = (
                f"{rate / 50.0:.3g} s of swimming a second; two steps of RK4 each; {how if devices > 1 else 'CPU time'}"
            )
            yield Row(what, rate, "≥", None, note)
    ratio, each = map(float, _process("predictive", "1", "1").split())
    yield at_least(
        f"predictive control of the eel to a heading, {SECONDS:g} s: time simulated / computing time, one core",
        ratio,
        1.0,
        f"plant included, compilation not; {1e3 * each:.3g} ms of computing in each control step of 100 ms",
    )


def _process(*words):
    command = [sys.executable, "-m", "tests.benchmarks.learning", *words]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")[-2]


def _least(run, clock, rounds=4):
    run()
    taken = []
    for _ in range(rounds):
        begin = clock()
        run()
        taken.append(clock() - begin)
    return min(taken)


def steps_a_second(batch: int, devices: int) -> tuple[float, float]:
    """Of `unroll_batch` with a steady action, and how many cores are busy meanwhile."""
    import equinox as eqx
    import jax
    import numpy as np

    from anguilla import learn

    actions = np.tile([0.9, 0.8, 0.4, -0.3], (STEPS[batch], 1))
    given = learn.make("cruise"), actions, jax.random.split(jax.random.key(0), batch)
    returns = eqx.filter_jit(lambda *given: learn.unroll_batch(*given).rewards.sum(axis=1))
    clock = time.process_time if devices == 1 else time.perf_counter
    run = lambda: returns(*given).block_until_ready()  # noqa: E731
    taken = _least(run, clock)
    begin, used = time.perf_counter(), time.process_time()
    run()
    return batch * STEPS[batch] / taken, (time.process_time() - used) / (time.perf_counter() - begin)


def predictive_ratio() -> tuple[float, float]:
    """Time simulated over processor time on one core, and seconds in each control step."""
    import jax

    import cosserat
    from anguilla import learn

    control = learn.predictive_steering(1.0)
    path = cosserat.Panels(order=32, panels=1, loads=2)
    plant = learn.make("turn", beam=cosserat.eel(), period=0.1, substeps=8, path=path)
    steps = round(SECONDS / plant.period)
    wall = _least(lambda: learn.steer(control, plant, steps, jax.random.key(0)), time.process_time, 2)
    return SECONDS / wall, wall / steps


def main(what: str, devices: int, batch: int) -> None:
    """One process, on as many cores as it has devices."""
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[-devices:]))
    import jax

    import anguilla  # noqa: F401  double precision, and its compiler flags

    jax.config.update("jax_num_cpu_devices", devices)
    print(*(steps_a_second(batch, devices) if what == "steps" else predictive_ratio()))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
