"""Log of evaluations, one line each, from which an interrupted run resumes.

Every line ends with a seal: a digest of its record and of the previous line. A changed, missing or reordered line is
rejected; an incomplete last line is dropped and evaluated again.
"""

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .file_locks import try_lock

KIND = "optimisation log"
SEAL = "seal"
RECOMPUTED = 1e-6  # relative tolerance of a recomputed value; round-off differs between machines


class EvaluationLog:
    """Evaluations on disk (or in memory only); points already in the log are found by exact comparison.

    Attributes:
        known: records of earlier runs and of this one, by kind ("kind" of the record, "" for none) and point "x".
    """

    def __init__(self, path: str | Path | None, describe: Callable[[], dict[str, Any]]):
        """Opens an existing log for appending, or creates one.

        Args:
            path: the file; None for no log.
            describe: returns the settings that must match for the log to belong to this run.
        """
        self.known: dict[tuple[str, bytes], dict[str, Any]] = {}
        self._file = None
        self._seal = ""
        if path is None:
            return
        self._path = Path(path).expanduser()
        description = json.loads(json.dumps({"anguilla": KIND, **describe()}))
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("ab+")
        try:
            if not try_lock(self._file):
                raise FileExistsError(f"log {self._path}: another run is writing it; nothing was changed")
            self._file.seek(0)
            content = self._file.read()
            if content:
                self._resume(content, description)
            else:
                self._append(description)
        except BaseException:
            self._file.close()
            raise

    def _resume(self, content: bytes, description: dict[str, Any]) -> None:
        *lines, cut = content.split(b"\n")
        found = self._read(lines, description)
        for record in found:
            self._remember(record)
        if cut:
            assert self._file is not None
            self._file.truncate(len(content) - len(cut))

    def _read(self, lines: list[bytes], description: dict[str, Any]) -> list[dict[str, Any]]:
        """The records of a log that this run may resume; raises ValueError for any other log, without changing it."""
        try:
            header = json.loads(lines[0])
            assert header["anguilla"] == KIND
        except (ValueError, IndexError, KeyError, TypeError, AssertionError):
            raise ValueError(f"log {self._path}: is not the log of an optimisation; nothing was changed") from None
        for key, value in description.items():
            if header.get(key) != value:
                raise ValueError(
                    f"log {self._path}: was written by another optimisation ({_difference(key, header.get(key), value)}"
                    "); nothing was changed: give another log"
                )
        records = []
        for number, line in enumerate(lines, 1):
            try:
                record = json.loads(line)
                seal, self._seal = record.pop(SEAL), self._sealed(record)
                assert seal == self._seal
            except (ValueError, KeyError, TypeError, AttributeError, AssertionError):
                raise ValueError(
                    f"log {self._path}: line {number} is damaged; nothing was changed: give another log, or keep the "
                    f"{number - 1} lines before it"
                ) from None
            records.append(record)
        return records[1:]

    def find(self, x: np.ndarray, kind: str = "") -> dict[str, Any] | None:
        """Returns the record of a point, or None if it was never evaluated."""
        return self.known.get((kind, x.tobytes()))

    def verify_first(self, evaluate: Callable[[np.ndarray, str], np.ndarray]) -> None:
        """Evaluates the first point of an earlier run again; raises ValueError if its values differ.

        Args:
            evaluate: (x, kind) -> objective and constraints at the point x, for a record of this kind.
        """
        if not self.known:
            return
        (kind, _), record = next(iter(self.known.items()))
        before, now = record["values"], evaluate(record["x"], kind)
        scale = np.max(np.abs(before[np.isfinite(before)]), initial=0.0)
        if not np.allclose(now, before, rtol=RECOMPUTED, atol=RECOMPUTED * scale, equal_nan=True):
            self.close()
            raise ValueError(
                f"log {self._path}: its first point had the values {before.tolist()} and now has {now.tolist()}: "
                "it was written by another optimisation, and nothing was changed: give another log"
            )

    def write(self, x: np.ndarray, kind: str = "", **record: Any) -> None:
        """Stores an evaluation and writes it immediately."""
        record = {"x": x, **({"kind": kind} if kind else {}), **record}
        record = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in record.items()}
        self._remember(record)
        if self._file is not None:
            self._append({**record, "time": time.time()})

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()

    def _append(self, record: dict[str, Any]) -> None:
        assert self._file is not None
        self._seal = self._sealed(record)
        self._file.write(json.dumps({**record, SEAL: self._seal}).encode() + b"\n")
        self._file.flush()

    def _sealed(self, record: dict[str, Any]) -> str:
        return hashlib.sha256((self._seal + json.dumps(record)).encode()).hexdigest()[:32]

    def _remember(self, record: dict[str, Any]) -> None:
        arrays = {key: np.array(value, dtype=float) for key, value in record.items() if isinstance(value, list)}
        self.known[record.get("kind", ""), arrays["x"].tobytes()] = {**record, **arrays}


def _difference(key: str, before: Any, now: Any) -> str:
    if key == "program":
        return "its model, objective, constraints, or a number they use, was another"
    return f"{key} was {before}, now {now}"
