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
        """The tableau without trailing stages of weight zero, which only serve error estimates."""
        stages = int(np.flatnonzero(self.b)[-1]) + 1
        return Tableau(self.a[:stages, :stages], self.b[:stages], self.c[:stages])


@dataclasses.dataclass(frozen=True, eq=False)
class SemiImplicitTableau:
    """A pair of Runge-Kutta methods with the same weights: one explicit, one diagonally implicit.

    Attributes:
        explicit: coefficients of the explicit stages, strictly lower triangular.
        implicit: coefficients of the implicit stages below the diagonal.
        diagonal: diagonal of the implicit coefficients.
        b: weights.
        b_error: weights of the difference to an embedded method.
        c: stage times, as fractions of a step.
        order: order of the pair.
        at_ends: whether the first and the last stage are the ends of the step (an explicit first stage, a stiffly
            accurate implicit method).
    """

    explicit: np.ndarray
    implicit: np.ndarray
    diagonal: np.ndarray
    b: np.ndarray
    b_error: np.ndarray
    c: np.ndarray
    order: int
    at_ends: bool = True

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


def extrapolated_euler(order: int) -> SemiImplicitTableau:
    """Linearly implicit Euler steps of h, h/2, ..., h/p, extrapolated to the order p. [HW96, IV.9]

    Each stage evaluates the loads at the end of the previous stage, never at an extrapolated point. This keeps the step
    stable under loads that appear and vanish within it, such as contact.
    """
    counts = range(1, order + 1)
    stages = [(n, i) for n in counts for i in range(n)]
    before = np.array([[1.0 / n if (m == n and j < i) else 0.0 for m, j in stages] for n, i in stages])

    def weights(used):
        share = {n: np.prod([n / (n - m) for m in used if m != n]) for n in used}
        return np.array([share.get(n, 0.0) / n for n, _ in stages])

    steps = np.array([1.0 / n for n, _ in stages])
    ends = np.array([(i + 1.0) / n for n, i in stages])
    b = weights(list(counts))
    return SemiImplicitTableau(before, before, steps, b, b - weights(list(counts)[1:]), ends, order, at_ends=False)


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

# Second order, three evaluations per step, for loads that are not smooth.
EULER2 = extrapolated_euler(2)
