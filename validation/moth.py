"""`python -m validation.moth`: the hover of every reading of [PBB13] next to the published values."""

import jax

from anguilla.robots.moth import (
    READINGS,
    Accounts,
    Figures,
    Floquet,
    Hover,
    accounts,
    flight,
    floquet,
    hover,
    hover_figures,
    published_lines,
)


def hover_of(reading: str, sections: int = 4) -> tuple[Hover, Accounts, Figures, Floquet]:
    """The hover of one reading, found from rest, with its energy budget, figures and multipliers."""
    found = hover(flight(sections, reading))
    means, run = accounts(found)
    return found, means, hover_figures(found, means, run), floquet(found)


def hover_lines(readings: tuple[str, ...] = tuple(READINGS)) -> list[str]:
    """Table of published and computed values, accuracy of each hover and its stability."""
    hovers = {name: hover_of(name) for name in readings}
    lines = published_lines({name: ours for name, (_, _, ours, _) in hovers.items()})
    for name, (found, means, _, multipliers) in hovers.items():
        decisive = [complex(multipliers.decisive(kind)) for kind in ("sagittal", "lateral")]
        lines += [
            f"{name:6}{READINGS[name].words}",
            f"{'':6}residual {float(found.residual):.1e}, force / weight - 1 {float(means.weight_defect):.1e}, "
            f"energy {float(means.energy_defect):.1e}; multipliers sagittal {decisive[0]:.3f}, lateral "
            f"{decisive[1]:.3f} (modulus {abs(decisive[1]):.4f}): {'stable' if multipliers.stable else 'unstable'}",
        ]
    return lines


def main() -> None:
    """Prints the table."""
    jax.config.update("jax_enable_x64", True)
    print("\n".join(hover_lines()))


if __name__ == "__main__":
    main()
