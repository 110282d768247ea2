"""Coefficients of Runge-Kutta methods with constant tables."""

import dataclasses

import diffrax
import numpy as np


@dataclasses.dataclass(frozen=True, eq=False)
class Tableau:
    """An explicit Runge-Kutta method: Y_i = y + h Σ a_ij k_j, k_i = f(t + c_i h, Y_i), y₁ = y + h Σ b_i k_i.

    Attributes:
        a: coefficients of the stages, strictly lower triangular.
        b: weights.
        c: stage times, as fractions of a step.
    """

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray

    @staticmethod
    def of(solver: "type[diffrax.AbstractERK] | diffrax.AbstractERK") -> "Tableau":
        """The tableau of an explicit Runge-Kutta method of diffrax.

        >>> Tableau.of(diffrax.Heun).b.tolist()
        [0.5, 0.5]
        """
        table = solver.tableau
        if not isinstance(table, diffrax.ButcherTableau):
            raise ValueError(f"solver = {solver!r}: must be an explicit Runge-Kutta method of one tableau")
        return Tableau(_square(table.a_lower), np.asarray(table.b_sol), np.append(0.0, table.c))

    @property
    def needed(self) -> "Tableau":
        """Without last stages of weight zero, which serve error estimates only."""
        stages = int(np.flatnonzero(self.b)[-1]) + 1
        return Tableau(self.a[:stages, :stages], self.b[:stages], self.c[:stages])


@dataclasses.dataclass(frozen=True, eq=False)
class SemiImplicitTableau:
    """A pair of Runge-Kutta methods with the same weights: one explicit, one diagonally implicit.

    The implicit one is stiffly accurate (its last stage is the end of the step) and has an explicit first stage.

    Attributes:
        explicit: coefficients of the explicit stages, strictly lower triangular.
        implicit: coefficients of the implicit stages below the diagonal.
        diagonal: diagonal of the implicit coefficients, zero first and then constant.
        b: weights.
        b_error: weights of the difference to an embedded method.
        c: stage times, as fractions of a step.
        order: order of the pair.
    """

    explicit: np.ndarray
    implicit: np.ndarray
    diagonal: np.ndarray
    b: np.ndarray
    b_error: np.ndarray
    c: np.ndarray
    order: int

    @staticmethod
    def of(solver: type, order: int) -> "SemiImplicitTableau":
        """Converts an additive method of diffrax (KenCarp3, KenCarp4, KenCarp5)."""
        explicit, implicit = solver.tableau.tableaus
        return SemiImplicitTableau(
            _square(explicit.a_lower),
            _square(implicit.a_lower),
            np.asarray(implicit.a_diagonal, float),
            np.asarray(implicit.b_sol),
            np.asarray(implicit.b_error),
            np.append(0.0, explicit.c),
            order,
        )


def _square(rows: tuple[np.ndarray, ...]) -> np.ndarray:
    """Rows below the diagonal as a square matrix."""
    size = len(rows) + 1
    return np.stack([np.pad(np.asarray(row, float), (0, size - len(row))) for row in (np.zeros(0), *rows)])


# The classical fourth-order method.
RK4 = Tableau(np.diag([0.5, 0.5, 1.0], -1), np.array([1.0, 2.0, 2.0, 1.0]) / 6.0, np.array([0.0, 0.5, 0.5, 1.0]))

# Kennedy and Carpenter's pairs ARK3(2)4L[2]SA, ARK4(3)6L[2]SA and ARK5(4)8L[2]SA. [KC03]
ARK3 = SemiImplicitTableau.of(diffrax.KenCarp3, 3)
ARK4 = SemiImplicitTableau.of(diffrax.KenCarp4, 4)
ARK5 = SemiImplicitTableau.of(diffrax.KenCarp5, 5)
