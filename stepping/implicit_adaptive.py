"""The semi-implicit step as a diffrax solver, with diffrax's adaptive steps, output, adjoints and progress meters."""

from collections.abc import Callable
from typing import Any, ClassVar

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp

from .flat_state import Flattening
from .implicit import implicit_step_with_error
from .mechanism import AbstractMechanism
from .tableaus import ARK4, SemiImplicitTableau


class FlatMechanism(eqx.Module):
    """A mechanism whose states are flat.

    Attributes:
        mechanism: the model.
        flattening: map between points of the mechanism and flat states.
    """

    mechanism: AbstractMechanism
    flattening: Flattening = eqx.field(static=True)


class SemiImplicit(diffrax.AbstractAdaptiveSolver):
    """Solver that is implicit in stiffness and damping, for `integrate` with an `AbstractMechanism`.

    The method is described in `stepping.implicit`.

    Attributes:
        tableau: the pair of Runge-Kutta methods, with an embedded error estimate.
    """

    tableau: SemiImplicitTableau = eqx.field(static=True, default=ARK4)

    term_structure: ClassVar = diffrax.ODETerm
    interpolation_cls: ClassVar[Callable[..., diffrax.AbstractLocalInterpolation]] = (
        diffrax.ThirdOrderHermitePolynomialInterpolation
    )

    def order(self, terms: Any) -> int:
        """Order of convergence.

        Args:
            terms: not read.
        """
        return self.tableau.order

    def init(self, terms, t0, t1, y0, args):
        """Checks the arguments; the solver has no state besides y.

        Args:
            terms: not read.
            t0: not read [s].
            t1: not read [s].
            y0: not read.
            args: must be a `FlatMechanism`, as `integrate` passes it.
        """
        if not isinstance(args, FlatMechanism):
            raise ValueError("SemiImplicit moves a stepping.AbstractMechanism, not a mere vector field")

    def step(self, terms, t0, t1, y0, args, solver_state, made_jump):
        """One step.

        Args:
            terms: not read.
            t0: start of the step [s].
            t1: end of the step [s].
            y0: state at its start.
            args: the mechanism.
            solver_state: None.
            made_jump: not read.
        """
        t, h = jnp.asarray(t0), jnp.asarray(t1 - t0)
        flat = args.flattening.flat
        end, error, rates = implicit_step_with_error(args.mechanism, t, args.flattening.state(y0), h, self.tableau)
        k0, k1 = (jax.tree.map(lambda part: h * part, flat(rate)) for rate in rates)
        y1 = flat(end)
        return y1, flat(error), {"y0": y0, "y1": y1, "k0": k0, "k1": k1}, None, diffrax.RESULTS.successful

    def func(self, terms, t0, y0, args):
        """The vector field.

        Args:
            terms: the field.
            t0: time [s].
            y0: state.
            args: the mechanism.
        """
        return terms.vf(t0, y0, args)
