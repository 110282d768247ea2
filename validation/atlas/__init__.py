"""Published swimmers as data, simulated in Lighthill's water with one set of coefficients."""

from .curve import Claim as Claim, Curves as Curves, CurveSwimmer as CurveSwimmer
from .fixing import Candidate as Candidate, candidate_table as candidate_table
from .halves import FIXED as FIXED, JUDGED as JUDGED, role as role
from .swimmer import Figure as Figure, Swimmer as Swimmer
from .swimming import Swum as Swum, swim as swim
from .verdicts import (
    CURVES as CURVES,
    SWIMMERS as SWIMMERS,
    chosen as chosen,
    curve_table as curve_table,
    first_half as first_half,
    notes as notes,
    swum as swum,
    table as table,
    tally as tally,
)
from .water import CHOSEN_RULE as CHOSEN_RULE, CROSS_FLOW as CROSS_FLOW, RULES as RULES
