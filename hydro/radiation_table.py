"""Added mass and damping of a floating body over frequency, and the retardation function derived from them."""

import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
from jaxtyping import Float

MODES = ("Surge", "Sway", "Heave", "Roll", "Pitch", "Yaw")
STORED = Path(str(resources.files("hydro") / "data" / "scull.npz"))


@dataclass(frozen=True)
class RadiationTable:
    """Frequency-dependent radiation load: F = -A(ω) dV/dt - B(ω) V. [KR13, eq. (49)]

    Six modes about the body's origin, twist (V, Ω) linear first, zero forward speed.

    Attributes:
        frequency: ω, increasing and positive [rad/s].
        added_mass: A(ω), in the frame of the hull [kg, kg·m, kg·m²].
        damping: B(ω), in the same frame [kg/s, kg·m/s, kg·m²/s].
        high_frequency: A(∞) as computed directly, in the same frame [kg, kg·m, kg·m²].
    """

    frequency: Float[np.ndarray, "n"]
    added_mass: Float[np.ndarray, "n 6 6"]
    damping: Float[np.ndarray, "n 6 6"]
    high_frequency: Float[np.ndarray, "6 6"]

    def __post_init__(self):
        count = len(self.frequency)
        if count < 4 or not (np.all(np.diff(self.frequency) > 0) and self.frequency[0] > 0):
            raise ValueError(f"RadiationTable.frequency = {self.frequency}: must be 4 or more, positive, increasing")
        for name, shape in (("added_mass", (count, 6, 6)), ("damping", (count, 6, 6)), ("high_frequency", (6, 6))):
            values = getattr(self, name)
            if values.shape != shape or not np.all(np.isfinite(values)):
                raise ValueError(f"RadiationTable.{name} has shape {values.shape}: must be finite, of shape {shape}")

    def continued(self, step: float = 0.05, decades: float = 12.0) -> tuple[np.ndarray, np.ndarray]:
        """B(ω) on a uniform grid from zero, extrapolated beyond the table by an exponential with matching slope.

        Between zero and the first frequency B grows quadratically. If the last slope is not negative, or decays too
        slowly, the tail decays within a quarter of the table.

        Args:
            step: step of the grid [rad/s].
            decades: length of the extrapolation, in decay lengths (e-folds) of the slowest tail.

        Returns:
            ω [rad/s] and B at these frequencies.
        """
        from scipy.interpolate import PchipInterpolator

        known = np.concatenate([[0.0], self.frequency])
        values = np.concatenate([np.zeros((1, 6, 6)), self.damping])
        inside = PchipInterpolator(known, values, axis=0)
        last, end = self.frequency[-1], self.damping[-1]
        slope = inside.derivative()(last)
        longest = 0.25 * last
        scale = np.where(slope * end < 0, np.abs(end) / np.maximum(np.abs(slope), 1e-300), longest)
        scale = np.minimum(scale, longest)
        omega = np.arange(0.0, last + decades * longest, step)
        tail = end * np.exp(-np.maximum(omega - last, 0.0)[:, None, None] / scale)
        return omega, np.where((omega <= last)[:, None, None], inside(np.minimum(omega, last)), tail)

    def kernel(self, time: Float[np.ndarray, "times"]) -> Float[np.ndarray, "times 6 6"]:
        """K(t) = 2/π ∫ B(ω) cos ωt dω, the retardation function of [KR13, eq. (50)] (Ogilvie).

        B is interpolated linearly between grid points; the integral of the interpolant is exact for any t.
        """
        omega, damping = self.continued()
        return 2.0 / np.pi * _cosine_integral(omega, damping, np.asarray(time, float))

    def high_frequency_mass(self) -> Float[np.ndarray, "6 6"]:
        """A(∞) consistent with the kernel: A(ω) + 1/ω ∫ K(t) sin ωt dt, averaged over the table (Ogilvie).

        The sine transform is evaluated as the Hilbert transform of B, P ∫ B(w)/(w² - ω²) dw, without the kernel.
        """
        omega, damping = self.continued()
        step = omega[1] - omega[0]
        # Evaluated midway between grid points, where the singular parts of the principal value cancel by symmetry.
        at = np.floor(self.frequency / step) * step + 0.5 * step
        mass = np.stack([[np.interp(at, self.frequency, column) for column in row] for row in self._columns()])
        weight = 1.0 / (omega[None, :] ** 2 - at[:, None] ** 2) * step
        lacking = 2.0 / np.pi * np.einsum("fw,wij->fij", weight, damping)
        inner = self.frequency > 0.1 * self.frequency[-1]
        return np.mean((np.moveaxis(mass, 2, 0) - lacking)[inner], axis=0)

    def _columns(self):
        return np.moveaxis(self.added_mass, 0, 2)


def _cosine_integral(omega, values, time):
    """∫ f(ω) cos ωt dω for piecewise linear f (first-order Filon rule)."""
    step = omega[1] - omega[0]
    half = 0.5 * step * time
    # Cosine transform of a hat function: step (sin(h)/h)² with h = step t/2.
    hat = step * np.sinc(half / np.pi) ** 2
    weights = np.ones(len(omega))
    weights[0] = 0.5  # half a hat function; its odd part multiplies B(0) = 0
    sums = np.cos(time[:, None] * omega[None, :]) * weights @ values.reshape(len(omega), -1)
    return (hat[:, None] * sums).reshape(len(time), *values.shape[1:])


def save_table(table: RadiationTable, path: Path) -> None:
    """Writes a table as a NumPy archive."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            frequency=table.frequency,
            added_mass=table.added_mass,
            damping=table.damping,
            high_frequency=table.high_frequency,
        )


def load_table(path: Path = STORED) -> RadiationTable:
    """Reads a table; by default that of the single scull, made by `python -m hydro.hull_table`."""
    return RadiationTable(**read_archive(path, RadiationTable.__dataclass_fields__))


def read_archive(path: Path, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Arrays of a NumPy archive.

    Raises:
        ValueError: the file is damaged: every array in it has a checksum.
    """
    try:
        with np.load(path) as stored:
            return {name: stored[name] for name in names}
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"path = {path}: damaged, or not an archive of radiation ({error})") from error
