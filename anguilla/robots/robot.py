"""What the front door must know of a machine."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import xarray as xr
from matplotlib.figure import Figure

import hydro

FLUIDS = ("morison", "void")


@dataclass(frozen=True)
class Settings:
    """What a user may choose for a run.

    Attributes:
        t1: last time [s].
        samples: number of even output times.
        fluid: "morison" (drag and added mass of water) or "void" (nothing at all); None for the machine's own choice.
        added_mass: its form in water, one of `hydro.FORMS`.
        rtol: relative tolerance of the time step.
        atol: absolute tolerance of the time step.
        progress: show a progress bar.
        reading: of a paper that can be read in several ways (the moth); None for the machine's own choice.
        sections: on each wing of the moth; None for the published number.
        optimise: of the rower: seek a faster stroke of the same power.
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

    def medium(self) -> hydro.AbstractFluid:
        """The fluid that was chosen; water by Morison's model when none was."""
        if self.fluid is not None and self.fluid not in FLUIDS:
            raise ValueError(f"fluid = {self.fluid!r}: must be one of {', '.join(FLUIDS)}")
        return hydro.Void() if self.fluid == "void" else hydro.Morison(added_mass=self.added_mass)


@dataclass(frozen=True)
class Robot:
    """One machine.

    Attributes:
        help: what it is, in a line.
        duration: how long it runs unless told otherwise [s].
        period: of its motion [s].
        rate: output times per second that make its curves smooth [1/s].
        run: a run, recorded; everything the other three need is in the dataset.
        figures: its figures, by the name of their file; each is drawn when called.
        body: the dataset as sections along one body, for the film.
        lines: its numbers in words.
        film: (dataset, path, fps, width, camera, progress) -> path of the film; that of sections along one body
            when None.
    """

    help: str
    duration: float
    period: float
    rate: float
    run: Callable[[Settings], xr.Dataset]
    figures: Callable[[xr.Dataset], dict[str, Callable[[], Figure]]]
    body: Callable[[xr.Dataset], xr.Dataset]
    lines: Callable[[xr.Dataset], list[str]]
    film: Callable[..., Path] | None = None
