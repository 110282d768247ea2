"""Where the base is and how it moves: what a tree with imposed joints depends on besides time."""

from spatial import FrameState as BaseState, unchecked_state as unchecked_state

__all__ = ["BaseState", "unchecked_state"]
