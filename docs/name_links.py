"""Names of the API in running text become links: `cosserat.rollout`, `Panels.head_dynamics`."""

from collections import Counter

from docutils import nodes
from sphinx.util.nodes import make_refnode


def setup(app) -> dict[str, bool]:
    """Connects the pass over finished pages."""
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def link_names(app, doctree, docname: str) -> None:
    """Wraps literals that are dotted names of described objects into links to them."""
    objects = app.env.domains.python_domain.objects
    endings = Counter(".".join(name.split(".")[-2:]) for name in objects)
    full = {".".join(name.split(".")[-2:]): name for name in objects}
    for literal in list(doctree.findall(nodes.literal)):
        text = literal.astext().removesuffix("()")
        name = text if text in objects else full.get(text) if endings[text] == 1 else None
        inside = isinstance(literal.parent, nodes.reference) or isinstance(literal.parent, nodes.title)
        if "." not in text or name is None or inside or objects[name].objtype == "module":
            continue
        entry = objects[name]
        link = make_refnode(app.builder, docname, entry.docname, entry.node_id, literal.deepcopy(), name)
        literal.replace_self(link)
