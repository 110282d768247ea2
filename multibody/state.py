"""State of the base: pose and twist."""

from spatial import FrameState as BaseState, unchecked_state as unchecked_state

__all__ = ["BaseState", "unchecked_state"]
