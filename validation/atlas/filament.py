"""A passive elastic filament driven at its head: a soft beam in Lighthill's water.

All runs are nondimensional, with the length and the density of the filament and the driving period as units. A higher
driving frequency then means a lower stiffness and couple, proportional to the square of the period, and a lower
viscosity, proportional to the period.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

import cosserat

from .curve import Curves, CurveSwimmer, Panel, peaks, trend
from .water import CROSS_FLOW, OWN_REYNOLDS, water

SLENDERNESS = 60.0  # length over radius
FIRST_HERTZ, LENGTH = 5.0, 0.045  # of the filament: first natural frequency in water [Hz], length [m]
COUPLE = 0.6  # amplitude of the couple on the head [EI/L]
LOSS_TIME = 0.01  # Kelvin-Voigt damping time relative to the period of the first natural frequency
MODES, STEPS, PERIODS, KEPT = 6, 40, 16, 4  # free modes, steps per period, periods of a run, periods of the average
TRIED = tuple(np.round(np.geomspace(0.4, 7.0, 16), 3).tolist())  # frequencies relative to the first natural one
SHARED = 1.0  # relative frequency at which the dissipation is varied
BETA = (4.730040745, 7.853204624, 10.99560784)  # free-free beam: the natural frequencies are proportional to β²
_SOURCE = (
    "S. Ramananarivo, R. Godoy-Diana, B. Thiria, Passive elastic mechanism to mimic fish-muscle action in anguilliform "
    "swimming, J. R. Soc. Interface 10, 2013"
)


def filament(ratio: Float[Array, ""]) -> cosserat.Soft:
    """The filament with unit length, density and period, for a driving frequency relative to the first natural one."""
    radius = 1.0 / SLENDERNESS
    beam = cosserat.rod(1.0, radius, radius, density=1.0)
    area = jnp.pi * radius**2
    # ω1² = β⁴ EI/(m + m_a) with m_a = m for a circle; ω1 = 2π/ratio.
    rigidity = 2.0 * area * (2.0 * jnp.pi / (ratio * BETA[0] ** 2)) ** 2
    young = rigidity / (area * radius**2 / 4.0)
    shake = cosserat.EndLoad(
        moment=jnp.asarray([0.0, 0.0, 1.0]) * COUPLE * rigidity,
        at="head",
        history=lambda t: jnp.sin(2.0 * jnp.pi * t) * (1.0 - jnp.exp(-t)),
    )
    free = cosserat.FreeStrains(modes={"K3": MODES})
    return cosserat.Soft(beam, free, cosserat.Elastic(young, damping_time=LOSS_TIME * ratio), loads=shake)


@eqx.filter_jit
def shaken(
    ratios: Float[Array, "runs"], speeds: Float[Array, "runs"], cross_flow: Float[Array, ""]
) -> tuple[Float[Array, "runs"], Float[Array, "runs"]]:
    """Mean speed [lengths per period] and travelling share of the bending wave.

    Args:
        ratios: frequencies relative to the first natural one.
        speeds: speeds for the Reynolds number of the friction [lengths per period].
        cross_flow: drag coefficient across the body [-].
    """
    viscosity = 1.0e-6 / (FIRST_HERTZ * LENGTH**2)

    def one(run):
        ratio, speed = run
        soft = filament(ratio)
        medium = water(1.0, 1.0, viscosity / ratio, jnp.maximum(speed, 1e-3), None, cross_flow=cross_flow)
        samples = PERIODS * STEPS + 1
        path = cosserat.rollout(
            soft, None, medium, t1=float(PERIODS), samples=samples, method="implicit", dt0=1.0 / STEPS, throw=False
        )
        assert path.q is not None
        start = path.position[-1 - KEPT * STEPS]
        X = jnp.linspace(0.0, 1.0, 41)
        bend = path.q[-STEPS:] @ jax.vmap(soft.functions)(X).T
        return jnp.linalg.norm(path.position[-1] - start) / KEPT, travelling_share(bend)

    return jax.lax.map(one, (ratios, speeds))


def travelling_share(wave: Float[Array, "times stations"]) -> Float[Array, ""]:
    """Travelling share of a wave, sampled evenly over one period.

    It is 0 for a standing wave and 1 for a travelling wave of constant amplitude: the ratio of the smaller to the
    larger singular value of (Re Y, Im Y), Y(X) the complex amplitude of the first harmonic.
    """
    phase = jnp.exp(-2j * jnp.pi * jnp.arange(wave.shape[0]) / wave.shape[0])
    amplitude = phase @ wave
    parts = jnp.stack([amplitude.real, amplitude.imag])
    least, most = jnp.sqrt(jnp.maximum(jnp.linalg.eigvalsh(parts @ parts.T), 0.0))
    return least / most


def swim_filament(ratios, cross_flow: float = CROSS_FLOW) -> tuple[np.ndarray, np.ndarray]:
    """Speeds [lengths per period] and travelling shares at frequencies relative to the first natural one."""
    ratios = jnp.asarray(ratios, float)
    speeds = jnp.full_like(ratios, 0.3)
    share = jnp.zeros_like(ratios)
    for _ in range(OWN_REYNOLDS):
        speeds, share = shaken(ratios, speeds, jnp.asarray(cross_flow, float))
    return np.asarray(speeds), np.asarray(share)


def filament_curves() -> Curves:
    """Speed over frequency with its resonances, and the travelling share over the drag."""
    per_period, share = swim_filament(TRIED)
    speed = per_period * np.asarray(TRIED) * FIRST_HERTZ  # [L/s]
    natural = [(beta / BETA[0]) ** 2 for beta in BETA]
    found = peaks(np.log(TRIED), speed)
    tops = [float(np.exp(x)) for x in found]
    drags = (0.1 * CROSS_FLOW, CROSS_FLOW, 4.0 * CROSS_FLOW)
    shares = [float(swim_filament([SHARED], drag)[1][0]) for drag in drags]
    near = [min(natural, key=lambda n: abs(np.log(n / top))) for top in tops]
    return Curves(
        "ramananarivo",
        (
            Panel(
                "frequency / first natural frequency in water",
                "speed [lengths a second]",
                TRIED,
                tuple(speed.tolist()),
                marks=tuple(natural),
            ),
            Panel("frequency / first natural frequency in water", "travelling share", TRIED, tuple(share.tolist())),
            Panel("cross-flow drag coefficient", "travelling share", drags, tuple(shares)),
        ),
        (
            trend(
                "speed peaks near the natural frequencies of the filament in water",
                ", ".join(f"peak at {top:.2f}, natural {n:.2f}" for top, n in zip(tops, near, strict=True)) or "none",
                len(tops) > 0 and all(abs(top / n - 1.0) <= 0.15 for top, n in zip(tops, near, strict=True)),
            ),
            trend(
                "the bending wave travels more where more energy is dissipated along the body",
                ", ".join(f"share {s:.2f} at drag {d:g}" for s, d in zip(shares, drags, strict=True)),
                bool(np.all(np.diff(shares) > 0)),
                from_memory=False,
            ),
        ),
    )


RAMANANARIVO = CurveSwimmer(
    name="ramananarivo",
    title="elastic filament driven at its head",
    source=_SOURCE + ": abstract for beam plus Lighthill and for the part of dissipation; resonances from memory",
    chosen="an alternating couple on the head in place of the magnet, slenderness 60, length 45 mm, a first natural "
    "frequency of 5 Hz, loss time 0.01 periods of it; the filament swims under water instead of at the surface",
    compute=filament_curves,
)
