"""The state of the head: all that the motion of a beam with imposed strains depends on."""

from spatial import FrameState as HeadState, unchecked_state as unchecked_state

__all__ = ["HeadState", "unchecked_state"]
