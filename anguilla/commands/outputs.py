"""The files of a run of the command line: those of an earlier run of the same name are removed, and its own are listed.

The recipe lists every picture with the hash of its content, in comments. Only files that still have this content are
removed: a file of the user's stays, and so does a picture that was edited, until one of the same name is drawn.
"""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..whole_files import size_text
from .recipe import CHECKSUM, damage, write_recipe

WROTE = re.compile(r"^# wrote ([0-9a-f]{64}) ([^/\\]+)$")
PIECE = re.compile(r'file="([^"/\\]+)"')  # of a ParaView collection


class Outputs:
    """The files of one run.

    Attributes:
        files: files written so far, in order, to be listed for the user.
        kept: pictures of an earlier run that were changed since and therefore not removed.
    """

    def __init__(self, out: Path, name: str, recipe: Sequence[str]):
        """The files of a run that has written none.

        Args:
            out: directory of the results.
            name: name of the run, with which its files begin.
            recipe: lines of its recipe.
        """
        self.out, self.name, self.recipe = out, name, list(recipe)
        self.files: list[Path] = []
        self.kept: list[Path] = []

    def start(self, dataset: Any) -> None:
        """Removes the pictures of an earlier run of this name, and writes data and recipe.

        This happens after the simulation: one that fails leaves the earlier results complete.

        Args:
            dataset: the result of the run.
        """
        from ..results import save

        self.kept = remove_pictures(self.out / f"{self.name}.recipe")
        self.files.append(save(dataset, self.out / f"{self.name}.nc"))
        self.files.append(write_recipe(self.recipe, self.out / f"{self.name}.recipe"))

    def add(self, picture: Path) -> None:
        """Lists a picture that has been written; the recipe lists it from now on, also if a later one fails.

        Args:
            picture: the file; a ParaView collection stands for its pieces too.
        """
        self.files.append(picture)
        pieces = PIECE.findall(picture.read_text()) if picture.suffix == ".pvd" else []
        for path in (picture, *(picture.with_name(piece) for piece in pieces)):
            self.recipe.append(f"# wrote {_digest(path)} {path.name}")
        write_recipe(self.recipe, self.out / f"{self.name}.recipe")

    def lines(self) -> list[str]:
        """The files with their sizes, and the earlier pictures that were kept, for the summary."""
        written = f"\n{'':16}".join(f"{path} ({size_text(path)})" for path in self.files)
        kept = [
            f"kept            {path}: of an earlier run, changed since" for path in self.kept if path not in self.files
        ]
        return [f"files           {written}", *kept]


def remove_pictures(recipe: Path) -> list[Path]:
    """Removes the pictures that an unchanged recipe lists; returns those that it lists with another content.

    Args:
        recipe: the recipe of an earlier run; it need not exist.
    """
    if not recipe.is_file() or damage(recipe) is not None:
        return []
    lines = recipe.read_text().splitlines()
    if not lines[:1] or not lines[0].startswith(CHECKSUM):
        return []
    kept = []
    for found in filter(None, map(WROTE.match, lines)):
        digest, path = found[1], recipe.with_name(found[2])
        if path.is_symlink() or not path.is_file():
            continue
        if _digest(path) == digest:
            path.unlink()
        else:
            kept.append(path)
    return kept


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
