"""Interface between a machine and the command line."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import xarray as xr
from matplotlib.figure import Figure

import hydro

FLUIDS = ("morison", "void")
TERRAINS = ("floor", "beach")


@dataclass(frozen=True)
class Settings:
    """User settings of a run.

    Attributes:
        t1: last time [s].
        samples: number of evenly spaced output times.
        fluid: "morison" (drag and added mass of water) or "void" (no fluid); None for the machine's default.
        added_mass: form of the added mass, one of `hydro.FORMS`.
        rtol: relative tolerance of the time integration.
        atol: absolute tolerance of the time integration.
        progress: whether to show a progress bar.
        reading: moth only: interpretation of the paper, a key of `READINGS`; None for the default.
        sections: moth only: number of sections of each wing; None for the published number.
        optimise: rower only: whether to search for a faster stroke of the same power.
        terrain: snake only: "floor", or "beach" for a run from sand into water; None for the floor.
        feedback: whether to run the controller: gaze of natrix, balance of the rower, hover of the moth in a gust.
    """

    t1: float
    samples: int
    fluid: str | None = None
    added_mass: str = "paper"
    rtol: float = 1e-6
    atol: float = 1e-8
    progress: bool = True
    reading: str | None = None
    sections: int | None = None
    optimise: bool = False
    terrain: str | None = None
    feedback: bool = False

    def medium(self) -> hydro.AbstractFluid:
        """The chosen fluid; Morison's model of water by default."""
        if self.fluid is not None and self.fluid not in FLUIDS:
            raise ValueError(f"fluid = {self.fluid!r}: must be one of {', '.join(FLUIDS)}")
        return hydro.Void() if self.fluid == "void" else hydro.Morison(added_mass=self.added_mass)


@dataclass(frozen=True)
class Robot:
    """One machine.

    Attributes:
        help: one-line description.
        duration: default duration of a run [s].
        period: period of the motion [s].
        rate: output times per second that give smooth curves [1/s].
        processor: processor time of the default run with compilation and pictures, on one core of a server [s].
        run: simulates the machine and returns a dataset with everything that the other functions need.
        figures: returns functions that draw the figures, by file name.
        body: converts the dataset to sections along one body, for the film.
        lines: returns the main results as lines of text.
        film: (dataset, path, fps, width, camera, progress) -> path of the film; when None, the film shows the sections
            returned by `body`.
    """

    help: str
    duration: float
    period: float
    rate: float
    processor: float
    run: Callable[[Settings], xr.Dataset]
    figures: Callable[[xr.Dataset], dict[str, Callable[[], Figure]]]
    body: Callable[[xr.Dataset], xr.Dataset]
    lines: Callable[[xr.Dataset], list[str]]
    film: Callable[..., Path] | None = None
