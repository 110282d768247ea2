"""The water of the atlas: one set of coefficients for every swimmer."""

import hydro
from spatial import Numbers, one_of

RULES = ("tail", "truncate", "hold")  # shedding rules
CHOSEN_RULE = "truncate"  # best of `fixing`, on the first half
CROSS_FLOW = 1.0  # drag coefficient across the body, best of `fixing`; the largest of its candidates
INDEPENDENT_CROSS_FLOW = 0.5  # drag coefficient across the body in the independent program
OWN_REYNOLDS = 4  # fixed-point iterations for the friction at the swimmer's own speed; each divides the error by five


def water(
    length: Numbers,
    density: float,
    viscosity: Numbers,
    speed: Numbers,
    edge: float | None,
    rule: str = CHOSEN_RULE,
    cross_flow: Numbers = CROSS_FLOW,
) -> hydro.Lighthill:
    """Lighthill's water with the laminar friction of a plate at a given speed, and a common cross-flow drag.

    Args:
        length: length of the body [m].
        density: density of the water [kg/m³].
        viscosity: kinematic viscosity [m²/s].
        speed: speed for the Reynolds number of the friction [m/s].
        edge: abscissa of the shedding edge under "truncate" and "hold" [m]; None for a body with a blunt tail, which
            sheds at the tail under every rule.
        rule: "tail", "truncate" or "hold".
        cross_flow: drag coefficient across the body [-].
    """
    one_of("rule", rule, RULES)
    friction = hydro.SkinFriction("laminar", length, viscosity, speed)
    where = {"edge": "tail"} if rule == "tail" or edge is None else {"edge": edge, "aft": rule}
    return hydro.Lighthill(
        density, friction=friction, drag_lateral=cross_flow, drag_dorsal=cross_flow, drag_roll=0.0, **where
    )
