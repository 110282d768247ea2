"""A wheeled snake robot of ten links, after [LPSG13]: as a tree, as a beam, on dry friction and on ideal wheels."""

from .tree import (
    Undulation as Undulation,
    beam as beam,
    gait as gait,
    model as model,
    terrain as terrain,
    undulation as undulation,
)
