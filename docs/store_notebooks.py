"""Makes the outputs of executed notebooks small enough to be stored, and free of paths of the machine.

    .venv/bin/python -m pytest --nbmake --overwrite notebooks   # executes them in place
    .venv/bin/python docs/store_notebooks.py                    # all of them, or those that are named

Pictures get a palette of 256 colours, which takes a third of the space; one that is there as PNG and JPEG is stored as
PNG. A notebook that warns is refused: its text should say what the warning says, and its code switch it off there.
"""

import base64
import io
import json
import sys
from pathlib import Path

from PIL import Image

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
COLOURS = 256


def with_palette(png: str) -> str:
    """A picture in base64 with a palette; unchanged if it has one already."""
    picture = Image.open(io.BytesIO(base64.b64decode(png)))
    if picture.mode == "P":
        return png
    small = io.BytesIO()
    picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(small, "png", optimize=True)
    return base64.b64encode(small.getvalue()).decode() + "\n"


def store(path: Path) -> None:
    """Rewrites one notebook.

    Args:
        path: an executed notebook.
    """
    notebook = json.loads(path.read_text())
    for number, cell in enumerate(notebook["cells"]):
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                raise SystemExit(f"{path.name}, cell {number}: it warns:\n{''.join(output['text'])}")
            data = output.get("data", {})
            if "image/png" in data:
                data["image/png"] = with_palette("".join(data["image/png"]))
                data.pop("image/jpeg", None)
        cell["metadata"].pop("execution", None)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    for path in [Path(name) for name in sys.argv[1:]] or sorted(NOTEBOOKS.glob("*.ipynb")):
        store(path)
