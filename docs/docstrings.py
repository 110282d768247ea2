"""Docstrings of this code base as reStructuredText.

They are plain text with Google's headings and doctest examples; equations are indented, and bars, stars and underscores
have their mathematical meaning.
"""

import re

HEADING = re.compile(r"(Args|Attributes|Returns|Raises|Yields):")
CODE = re.compile(r"\b(lambda|def|import)\b|^\s*\w+\.\w+\(|\w = \w+\.\w+\(")


def to_rst(app, what, name, obj, options, lines: list[str]) -> None:
    """Rewrites a docstring in place."""
    out: list[str] = []
    heading, block, example = False, False, False
    for k, line in enumerate(lines):
        example = line.startswith(">>>") or (example and bool(line.strip()))
        if example:  # docutils knows such blocks
            out.append(line)
            continue
        heading = heading or bool(HEADING.fullmatch(line))
        indented = line.startswith("    ") and not heading
        if indented and not block and (k == 0 or not lines[k - 1].strip()):
            rest = "\n".join(lines[k:])
            end = re.search(r"^\S", rest, re.MULTILINE)
            language = "python" if CODE.search(rest[: end.start()] if end else rest) else "text"
            out += [f".. code-block:: {language}", ""]
            block = True
        elif block and line.strip() and not indented:
            block = False
        out.append(line if block else escaped(line))
    lines[:] = out


def escaped(line: str) -> str:
    """Escapes bars, stars and trailing underscores in a line, except inside backticks."""
    parts = re.split(r"(`[^`]*`)", line)
    for k in range(0, len(parts), 2):
        parts[k] = re.sub(r"([\\|*])", r"\\\1", parts[k])
        parts[k] = re.sub(r"_(?=\W|$)", r"\\_", parts[k])
    for k in range(1, len(parts), 2):
        if parts[k].startswith("`."):  # the ending of a file, which a reference would show without its dot
            parts[k] = f"`{parts[k]}`"
    return "".join(parts)


def types_to_rst(app, what, name, obj, options, lines: list[str]) -> None:
    """Types of attributes as napoleon wrote them down: arrays by their shape, which is what a reader wants."""
    for k, line in enumerate(lines):
        if line.startswith(":vartype "):
            lines[k] = ARRAY.sub(lambda found: _shape(found["shape"]), line).replace("*", r"\*")


ARRAY = re.compile(
    r"(?:jaxtyping\.)?(?:Float|Int|Bool|Complex)\[(?:\w+\.)*(?:Array|ndarray), ['\"](?P<shape>[^'\"]*)['\"]\]"
)


def _shape(text: str) -> str:
    sizes = ["…" if size.startswith("*") else size for size in text.split()]
    return f"array ({', '.join(sizes)})" if sizes else "number"
