"""Radiation table of a hull from the boundary element library capytaine; `python -m hydro.hull_table` recreates it.

Needs the extra `hull` (`pip install -e ".[hull]"`); the rest of this package only reads the stored table.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from .hull_shape import SCULL, SlenderHull
from .radiation_fit import fit_radiation
from .radiation_states import STORED_STATES, save_states
from .radiation_table import MODES, STORED, RadiationTable, save_table

LID = (60, 3, 0.01)  # panels along and across, depth [m] of a lid that moves irregular frequencies above 15 rad/s
FREQUENCIES = np.concatenate([[0.15, 0.3, 0.6], np.linspace(0.9, 15.0, 48)])  # [rad/s]
PANELS = (60, 6)  # panels along and around a quarter of the hull


def slender_body(hull: SlenderHull, panels: tuple[int, int] = PANELS, lid: tuple[int, int, float] | None = LID) -> Any:
    """The hull as a capytaine body, with two planes of symmetry and six modes about its origin."""
    capytaine = _capytaine()

    def whole(corners, faces):
        half = capytaine.ReflectionSymmetricMesh(capytaine.Mesh(corners, faces), plane="yOz")
        return capytaine.ReflectionSymmetricMesh(half, plane="xOz")

    inside = None if lid is None else whole(*hull.quarter_lid(*lid))
    return _rigid(capytaine, whole(*hull.quarter(*panels)), inside)


def hemisphere(radius: float = 1.0, panels: tuple[int, int] = (12, 24)) -> Any:
    """A hemisphere floating with its equator at the surface."""
    capytaine = _capytaine()
    whole = capytaine.mesh_sphere(radius=radius, resolution=(2 * panels[0], panels[1]))
    return _rigid(capytaine, whole.immersed_part(), None)


def solve_radiation(
    body: Any, frequencies: Float[np.ndarray, "n"], modes: tuple[str, ...] = MODES, density: float = 1000.0
) -> tuple[Float[np.ndarray, "n modes modes"], Float[np.ndarray, "n modes modes"]]:
    """Added mass [kg, kg·m, kg·m²] and damping [same, per s] at angular frequencies [rad/s]; infinity is allowed."""
    capytaine = _capytaine()
    solver = capytaine.BEMSolver()
    mass, damping = [], []
    for frequency in frequencies:
        problems = [
            capytaine.RadiationProblem(body=body, omega=float(frequency), radiating_dof=mode, rho=density)
            for mode in modes
        ]
        results: list[Any] = solver.solve_all(problems, progress_bar=False)
        mass.append([[result.added_masses[mode] for mode in modes] for result in results])
        damping.append([[result.radiation_dampings[mode] for mode in modes] for result in results])
    symmetric = lambda rows: 0.5 * (np.asarray(rows) + np.swapaxes(np.asarray(rows), 1, 2))  # noqa: E731
    return symmetric(mass), symmetric(damping)


def hull_table(
    hull: SlenderHull = SCULL, frequencies: Float[np.ndarray, "n"] = FREQUENCIES, density: float = 1000.0
) -> RadiationTable:
    """Radiation table of a slender hull: six modes about its origin, zero forward speed, deep water."""
    mass, damping = solve_radiation(slender_body(hull), np.append(frequencies, np.inf), density=density)
    clean = lambda values: np.where(_coupled(), values, 0.0)  # noqa: E731
    return RadiationTable(frequencies, clean(mass[:-1]), clean(damping[:-1]), clean(mass[-1]))


def _coupled() -> np.ndarray:
    """Mask of the entries that two planes of symmetry allow: the diagonal, surge-pitch and sway-roll."""
    pairs = np.eye(6, dtype=bool)
    for i, j in ((0, 4), (1, 3)):
        pairs[i, j] = pairs[j, i] = True
    return pairs


def _rigid(capytaine, mesh, lid):
    dofs = capytaine.rigid_body_dofs(rotation_center=(0.0, 0.0, 0.0))
    return capytaine.FloatingBody(mesh, lid_mesh=lid, dofs=dofs, center_of_mass=(0.0, 0.0, 0.0))


def _capytaine():
    try:
        import capytaine
    except ImportError as error:
        raise ImportError("computing the table of a hull needs capytaine: pip install 'anguilla[hull]'") from error
    capytaine.set_logging("ERROR")
    return capytaine


def main() -> None:
    """Recomputes the stored table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=STORED, help=f"default: {STORED.name} in the package")
    path = parser.parse_args().out
    table = hull_table()
    save_table(table, path)
    print(f"{path}: {len(FREQUENCIES)} frequencies, six modes")
    memory = save_states(fit_radiation(table), path.with_name(STORED_STATES.name))
    print(f"{memory}: states of the radiation model")


if __name__ == "__main__":
    main()
