"""`python -m validation.mutants`: puts the papers' misprints back, one at a time, and shows that a check fails.

Each mutant is a substitution in a temporary copy of the packages; the checks named with it then run in a process of
their own. A mutant that survives is a hole in the checks.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

PACKAGES = ("spatial", "hydro", "gaits", "cosserat", "multibody", "validation")


class Mutant(NamedTuple):
    """A wrong term.

    Attributes:
        name: its name.
        where: the equation that prints it, or what it is.
        file: which file changes.
        old: text that stands there exactly once.
        new: text put in its place.
        checks: the checks that must see it.
    """

    name: str
    where: str
    file: str
    old: str
    new: str
    checks: tuple[str, ...]


MUTANTS = (
    Mutant(
        "added_wrench_of_the_head", "(34), (38): f_e - f_ea", "cosserat/nested.py",
        "coriolis=lever @ (inertia @ rates", "coriolis=lever @ ((s.inertia_w - added) @ rates",
        ("tail_condition_planar",),
    ),
    Mutant(
        "added_wrench_of_the_head_fast", "(34), (38), in the fast path", "cosserat/panels.py",
        "gyroscopic - apply(inertia, motion.twist_rate)",
        "gyroscopic - apply(body.inertia - body.added, motion.twist_rate)",
        ("reference_other_fluids",),
    ),
    Mutant(
        "added_mass_of_a_section", "(42), (63): ρA - c_lm", "cosserat/nested.py",
        "(s.inertia_w + added) @ rates - s.gyroscopic_w()", "(s.inertia_w - added) @ rates - s.gyroscopic_w()",
        ("tail_condition_planar",),
    ),
    Mutant(
        "added_inertia_about_the_axis", "(42), (64): ρI - c_am", "hydro/added_mass.py",
        "normal[1], roll, zero", "normal[1], -roll, zero",
        ("ellipsoid_of_section_IV",),
    ),
    Mutant(
        "added_mass_everywhere", "ρ - c in both loops, which the tail cannot see", "hydro/added_mass.py",
        "jnp.stack([zero, normal[0], normal[1]", "jnp.stack([zero, -normal[0], -normal[1]",
        ("straight_lateral_inertia",),
    ),
    Mutant(
        "nose_added_mass", "(44): f_d + c_m a_o", "cosserat/nested.py",
        "nose = nose - fluid.nose_added_inertia", "nose = nose + fluid.nose_added_inertia",
        ("tail_condition_planar",),
    ),
    Mutant(
        "virtual_work", "(41): δ∫L = ∫δW", "cosserat/nested.py",
        "load = s.load_w() - (", "load = -s.load_w() - (",
        ("tail_condition_planar",),
    ),
    Mutant(
        "frame_of_the_head", "(25), (26): R(0) = 1", "cosserat/nested.py",
        "state.quaternion, R @ linear(state.twist)", "state.quaternion, linear(state.twist)",
        ("reference_acceleration",),
    ),
    Mutant(
        "start_from_rest", "(68): sin(τ)", "gaits/envelopes.py",
        "jnp.sin(2.0 * jnp.pi * tau)", "jnp.sin(tau)",
        ("beam_momentum_in_vacuum",),
    ),
    Mutant(
        "perimeter", "IX.A: π(b + c)/2", "hydro/morison.py",
        "self.drag_axial * section.perimeter", "self.drag_axial * 0.5 * section.perimeter",
        ("circular_cable",),
    ),
    Mutant(
        "axis_lengths", "IX.A: b and c as whole axes", "hydro/morison.py",
        "self.drag_lateral * 2.0 * c, self.drag_dorsal * 2.0 * b", "self.drag_lateral * c, self.drag_dorsal * b",
        ("circular_cable",),
    ),
    Mutant(
        "axes_exchanged", "drag on b where c belongs", "hydro/morison.py",
        "self.drag_lateral * 2.0 * c, self.drag_dorsal * 2.0 * b",
        "self.drag_lateral * 2.0 * b, self.drag_dorsal * 2.0 * c",
        ("drag_of_the_straight_eel",),
    ),
    Mutant(
        "convective_added_mass", "sign of the convective part of (9)", "hydro/added_mass.py",
        "return -added_inertia * join(cross", "return added_inertia * join(cross",
        ("reference_other_fluids",),
    ),
    Mutant(
        "kirchhoff_momentum", "sign of the added momentum's transport", "hydro/added_mass.py",
        "return coadjoint(twist, added_inertia * twist)", "return -coadjoint(twist, added_inertia * twist)",
        ("reference_other_fluids",),
    ),
    Mutant(
        "coriolis_of_the_stretch", "factor 2 of 2 ω × RΓ̇", "cosserat/nested.py",
        "self.tangent) + 2.0 * self.stretch_rate", "self.tangent) + self.stretch_rate",
        ("reference_acceleration",),
    ),
    Mutant(
        "gyroscopic_moment", "sign of ω × ρIω", "cosserat/panels.py",
        "wrench = settle(fluid_wrench + gyroscopic", "wrench = settle(fluid_wrench - gyroscopic",
        ("euler_poinsot_beam",),
    ),
)  # fmt: skip


def sources() -> Path:
    """The directory that holds the packages."""
    found = importlib.util.find_spec("validation")
    if found is None or found.origin is None:
        raise RuntimeError("the packages are not importable from files")
    return Path(found.origin).parent.parent


def mutate(mutant: Mutant, root: Path) -> None:
    """Applies a substitution to a copy of the packages.

    Raises:
        ValueError: when the text does not stand there exactly once.
    """
    path = root / mutant.file
    text = path.read_text(encoding="utf-8")
    count = text.count(mutant.old)
    if count != 1:
        raise ValueError(f"mutant {mutant.name!r}: {mutant.old!r} stands {count} times in {mutant.file}: must be once")
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")


def killers(mutant: Mutant) -> tuple[str, ...]:
    """The checks that fail, by a wrong number rather than an error, once the mutant is in place.

    Raises:
        RuntimeError: when the checks could not be made.
    """
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        for package in PACKAGES:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(sources() / package, root / package, ignore=ignored)
        mutate(mutant, root)
        words = [word for name in mutant.checks for word in ("--check", name)]
        environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, "-m", "validation", *words], cwd=root, env=environment, capture_output=True, text=True
        )
    if done.returncode not in (0, 1) or "Traceback" in done.stdout + done.stderr:
        raise RuntimeError(f"mutant {mutant.name!r}: the checks could not be made:\n{done.stdout}{done.stderr}")
    return tuple(name for name in mutant.checks if f"/{name}: " in done.stdout)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the mutants; returns 1 when one survives."""
    parser = argparse.ArgumentParser(prog="python -m validation.mutants", description=__doc__)
    names = [mutant.name for mutant in MUTANTS]
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=", ".join(names))
    chosen = parser.parse_args(arguments).only
    survivors = 0
    for mutant in MUTANTS:
        if chosen is not None and mutant.name not in chosen:
            continue
        begin = time.perf_counter()
        found = killers(mutant)
        survivors += not found
        verdict = "killed by " + ", ".join(found) if found else "SURVIVED"
        print(f"{mutant.name:32} {mutant.where:48} {verdict}  {time.perf_counter() - begin:.0f} s", flush=True)
    print(f"{survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
