"""Equations as MathML, made when the pages are: a browser shows them without a script and without a network."""

import re

from docutils import nodes
from latex2mathml.converter import convert


def setup(app) -> dict[str, bool]:
    """Registers the renderer under the name `mathml`."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(self, node) -> None:
    self.body.append(_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def _block(self, node) -> None:
    text = node.astext()
    for environment in ("align*", "align", "equation*", "equation"):
        text = text.replace(f"{{{environment}}}", "{aligned}")
    self.body.append(f'<div class="math-block">{_mathml(text, "block")}</div>\n')
    raise nodes.SkipNode


def _mathml(text: str, display: str) -> str:
    try:
        return convert(re.sub(r"\\(sin|cos|log|exp)\s+(?=[\w\\])", r"\\\1\,", text), display=display)
    except Exception as error:
        raise ValueError(f"an equation cannot be written as MathML: {text!r}") from error
