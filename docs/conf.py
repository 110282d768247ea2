"""The documentation site: `make docs` builds it into out/docs, warnings are errors."""

import os
import re
import sys
from importlib.metadata import version as installed
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(HERE)]

import docstrings  # noqa: E402
import generated_pages  # noqa: E402

project, author = "anguilla", "the anguilla authors"
release = version = installed("anguilla")
project_copyright = "MIT licence"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "mathml",
    "name_links",
]
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]

# Tutorials and how-to pages: run only on request (`make docs EXECUTE=1`), and then only what has changed. Outputs
# of earlier runs are shown in any build.
CACHE = ROOT / "out" / "docs-cache"
nb_execution_mode = "cache" if os.environ.get("EXECUTE") else "off"
nb_execution_cache_path = str(CACHE)
nb_execution_timeout = 900
nb_execution_raise_on_error = True
nb_merge_streams = True
generated_pages.write(HERE / "generated", CACHE)

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_dmath_double_inline = True
myst_heading_anchors = 3
myst_links_external_new_tab = True
suppress_warnings = ["mystnb.unknown_mime_type"]  # a page that shows a plotly figure also has its HTML

default_role = "py:obj"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
autodoc_class_signature = "mixed"
napoleon_use_ivar = True
napoleon_use_rtype = False
maximum_signature_line_length = 90
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "anguilla"
html_static_path = ["_static"]
html_css_files = ["anguilla.css"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
WATER, DEEP = "#2b7a94", "#6fbcd3"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": WATER, "color-brand-content": WATER},
    "dark_css_variables": {"color-brand-primary": DEEP, "color-brand-content": DEEP},
}
pygments_style, pygments_dark_style = "friendly", "native"
copybutton_exclude = ".linenos, .gp, .go"


def setup(app) -> None:
    """Connects what reads the docstrings of this code base."""
    app.connect("autodoc-process-docstring", docstrings.to_rst, priority=100)
    app.connect("autodoc-process-docstring", docstrings.types_to_rst, priority=900)
    app.connect("autodoc-process-signature", _short_signature)


def _short_signature(app, what, name, obj, options, signature, annotation):
    """Annotations as they are written in the code: `Numbers` instead of the union it denotes."""

    def short(text):
        plain = re.sub(r"(?:jax\.)?jaxlib\._jax\.", "", text or "")
        return re.sub(_NUMBERS, "Numbers", plain) or None

    return short(signature), short(annotation)


_NUMBERS = re.compile(r"Array \| ndarray \| bool \| number \| bool \| int \| float \| complex \| Sequence\[Any\]")
