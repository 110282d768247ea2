"""A wheeled snake robot of ten links, after [LPSG13]: tree and beam models on dry friction."""

from .tree import (
    Undulation as Undulation,
    beam as beam,
    gait as gait,
    model as model,
    terrain as terrain,
    undulation as undulation,
)
