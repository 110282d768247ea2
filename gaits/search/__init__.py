"""Objectives, parameters and gradient-based optimisation of gaits and bodies."""

from .identification import IdentificationProblem as IdentificationProblem, identify as identify
from .identified import Identified as Identified
from .objectives import Constraint as Constraint, Objective as Objective
from .optimisation import optimise as optimise
from .optimum import Optimum as Optimum
from .parameters import Parameters as Parameters
from .problem import OptimisationError as OptimisationError
