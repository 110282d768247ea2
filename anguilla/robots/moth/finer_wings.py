"""Initial guess for a moth with more wing sections, from the hover of one with fewer."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from .hovering import Hover
from .stroke_maps import Flight


def refined_guess(found: Hover, finer: Flight) -> Float[Array, "n"]:
    """Unknowns of a hover, as in `Hover.unknowns`, interpolated from a moth with another number of sections.

    Args:
        found: a hover.
        finer: the same moth with a different number of sections.
    """
    places, others = joint_places(found.flight), joint_places(finer)

    def cut(angles: Float[Array, "joints"]) -> Float[Array, "finer_joints"]:
        out = np.zeros(len(others))
        for motion in ("bend", "twist"):
            known = [k for k, (name, _) in enumerate(places) if name == motion]
            wanted = [k for k, (name, _) in enumerate(others) if name == motion]
            # Cumulative rotation of the joints, at the midpoints of their sections.
            total = np.concatenate([[0.0], np.cumsum(np.asarray(angles)[known])])
            at = np.concatenate([[0.0], [places[k][1] for k in known]])
            curve = np.interp([others[k][1] for k in wanted], at, total)
            out[wanted] = np.diff(curve, prepend=0.0)
        return jnp.asarray(out)

    start = found.start
    rates = start.joint_rates / found.flight.frequency
    thorax = [start.pitch[None], start.velocity, start.pitch_rate[None] / found.flight.frequency]
    return jnp.concatenate([*thorax, cut(start.joints), cut(rates), found.amplitude[None]])


def joint_places(flight: Flight) -> list[tuple[str, float]]:
    """For each passive joint of the right wing: "bend" or "twist", and the midpoint of its section over the span."""
    names = [flight.tree.joint_names[k] for k in flight.tree.passive_freedoms[: flight.wing_joints]]
    words = [name.removeprefix("right_") for name in names]
    cut = [(word.rstrip("0123456789"), int(word.lstrip("abcdefghijklmnopqrstuvwxyz"))) for word in words]
    return [(motion, (section - 0.5) / flight.sections) for motion, section in cut]
