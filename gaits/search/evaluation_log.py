"""A log of evaluations, one line each, from which a run that was killed goes on."""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

KIND = "optimisation log"


class EvaluationLog:
    """Evaluations on disk, or nowhere: what is in it already is known by its point, bit for bit.

    Attributes:
        known: records of an earlier run and of this one, by kind ("kind" of the record, "" for none) and point "x".
    """

    def __init__(self, path: str | Path | None, description: dict[str, Any]):
        """Opens a log for more, or begins one.

        Args:
            path: the file; None keeps no log.
            description: what must be the same for the log to belong to this run.
        """
        self.known: dict[tuple[str, bytes], dict[str, Any]] = {}
        self._file = None
        if path is None:
            return
        path = Path(path).expanduser()
        description = json.loads(json.dumps({"anguilla": KIND, **description}))
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("x")
            self._file.write(json.dumps(description) + "\n")
            self._file.flush()
            return
        text = path.read_text()
        lines = text.splitlines()
        _refuse_foreign(path, lines, description)
        with path.open("r+") as file:
            file.truncate(text.rfind("\n") + 1)  # a kill may have cut the last line
        for line in lines[1:]:
            try:
                self._remember(json.loads(line))
            except json.JSONDecodeError:
                continue
        self._file = path.open("a")

    def find(self, x: np.ndarray, kind: str = "") -> dict[str, Any] | None:
        """The record of a point; None when it was never evaluated."""
        return self.known.get((kind, x.tobytes()))

    def write(self, x: np.ndarray, kind: str = "", **record: Any) -> None:
        """Remembers an evaluation, and writes it at once."""
        record = {"x": x, **({"kind": kind} if kind else {}), **record}
        record = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in record.items()}
        self._remember(record)
        if self._file is not None:
            self._file.write(json.dumps({**record, "time": time.time()}) + "\n")
            self._file.flush()

    def close(self) -> None:
        """No more is written."""
        if self._file is not None:
            self._file.close()

    def _remember(self, record: dict[str, Any]) -> None:
        arrays = {key: np.array(value, dtype=float) for key, value in record.items() if isinstance(value, list)}
        self.known[record.get("kind", ""), arrays["x"].tobytes()] = {**record, **arrays}


def _refuse_foreign(path: Path, lines: list[str], description: dict[str, Any]) -> None:
    try:
        found = json.loads(lines[0])
        assert found["anguilla"] == description["anguilla"]
    except (json.JSONDecodeError, IndexError, KeyError, TypeError, AssertionError):
        raise ValueError(f"log {path}: is not the log of an optimisation; nothing was changed") from None
    for key, value in description.items():
        if found.get(key) != value:
            raise ValueError(
                f"log {path}: was written by another optimisation ({key} was {found.get(key)}, now {value}); "
                "nothing was changed: give another log"
            )
