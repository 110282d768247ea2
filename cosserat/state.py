"""State of the head: pose and twist, which determine the motion of a beam with imposed strains."""

from spatial import FrameState as HeadState, unchecked_state as unchecked_state

__all__ = ["HeadState", "unchecked_state"]
