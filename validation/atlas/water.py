"""The water of the atlas: one set of coefficients for every swimmer."""

import hydro
from spatial import Numbers, one_of

RULES = ("tail", "truncate", "hold")  # of shedding
CHOSEN_RULE = "truncate"  # best of `fixing`, on the first half
CROSS_FLOW = 1.0  # drag across the body, best of `fixing`, at the edge of its candidates
INDEPENDENT_CROSS_FLOW = 0.5  # of the independent program's figures
OWN_REYNOLDS = 4  # swims until the friction is that of the swimmer's own speed: each leaves a fifth of the error


def water(
    length: Numbers,
    density: float,
    viscosity: Numbers,
    speed: Numbers,
    edge: float | None,
    rule: str = CHOSEN_RULE,
    cross_flow: Numbers = CROSS_FLOW,
) -> hydro.Lighthill:
    """Lighthill's water with laminar friction of a plate at a speed, and the same cross-flow drag for all.

    Args:
        length: of the body [m].
        density: of the water [kg/m³].
        viscosity: kinematic [m²/s].
        speed: of the friction's Reynolds number [m/s].
        edge: abscissa where the water leaves under "truncate" and "hold"; None for a body with a blunt tail, which
            sheds there under every rule [m].
        rule: "tail", "truncate" or "hold".
        cross_flow: drag coefficient across the body [-].
    """
    one_of("rule", rule, RULES)
    friction = hydro.SkinFriction("laminar", length, viscosity, speed)
    where = {"edge": "tail"} if rule == "tail" or edge is None else {"edge": edge, "aft": rule}
    return hydro.Lighthill(
        density, friction=friction, drag_lateral=cross_flow, drag_dorsal=cross_flow, drag_roll=0.0, **where
    )
