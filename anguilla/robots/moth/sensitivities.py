"""Sensitivity of lift and power to every parameter of Table I: all derivatives from one linearised half stroke."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from multibody.energy import mass
from multibody.newton_euler import Dynamics
from multibody.state import BaseState
from multibody.tree import Tree
from spatial import solve

from .hovering import Hover
from .parameters import MothParameters
from .stroke_maps import Flight, Sagittal, flight, sagittal_end

# Parameters of Table I for a moth with two equal wings; the stroke amplitude comes last.
TABLE = (
    "span", "chord", "thickness", "thorax_a", "thorax_b", "thorax_c", "root", "thorax_density", "wing_density",
    "air_density", "frequency", "twist_root", "twist_tip", "bend_root", "bend_tip", "damping", "amplitude",
)  # fmt: skip


class Sensitivity(eqx.Module):
    """Derivatives with respect to the parameters named in `TABLE`; in hover, the amplitude is not a parameter.

    Each derivative has the SI unit of the result divided by that of the parameter.

    Attributes:
        table: the parameter values, each in the unit of its field in `MothParameters`.
        power: mean power of one motor in hover [W].
        lift: weight that the moth supports with its stroke [N]; in hover, its own weight.
        hover_power: derivatives of the power in hover [W], with the amplitude adjusted.
        hover_amplitude: derivatives of the amplitude needed to hover [rad].
        lift_at_stroke: derivatives of the supported weight at constant amplitude [N].
        power_at_stroke: derivatives of the power at constant amplitude, with the weight equal to the lift [W].
    """

    table: Float[Array, "17"]
    power: Float[Array, ""]
    lift: Float[Array, ""]
    hover_power: Float[Array, "17"]
    hover_amplitude: Float[Array, "17"]
    lift_at_stroke: Float[Array, "17"]
    power_at_stroke: Float[Array, "17"]

    def relative(self, name: str) -> Float[Array, "17"]:
        """Relative sensitivities: per cent of the result per per cent of each parameter."""
        amplitude = self.table[-1]
        size = {"hover_power": self.power, "hover_amplitude": amplitude, "lift_at_stroke": self.lift}
        return getattr(self, name) * self.table / size.get(name, self.power)


def table_of(parameters: MothParameters) -> Float[Array, "17"]:
    """The parameters named in `TABLE`, each in the unit of its field in `MothParameters`."""
    p = parameters
    singles = [p.span, p.chord, p.thickness, *p.thorax, p.root, p.thorax_density, p.wing_density, p.air_density]
    return jnp.stack([*singles, p.frequency, *p.twist_stiffness, *p.bend_stiffness, p.damping, p.amplitude])


def parameters_of(table: Float[Array, "17"]) -> MothParameters:
    """Builds parameters from the values named in `TABLE`.

    Args:
        table: the values, each in the unit of its field in `MothParameters`.
    """
    return MothParameters(
        *(table[k] for k in range(3)),
        thorax=table[3:6],
        root=table[6],
        thorax_density=table[7],
        wing_density=table[8],
        air_density=table[9],
        frequency=table[10],
        twist_stiffness=table[11:13],
        bend_stiffness=table[13:15],
        damping=table[15],
        amplitude=table[16],
    )


def sensitivity(parameters: MothParameters, hover: Hover, sections: int = 4, reading: str = "TB8") -> Sensitivity:
    """Computes all derivatives at a hover.

    Half a stroke is linearised once, with respect to its initial state, the parameters and the strength of gravity. The
    implicit function theorem gives the response to a change of the parameters: in hover, that of the initial state and
    the amplitude; at constant amplitude, that of the initial state and the strength of gravity that is supported.

    Args:
        parameters: parameters of the moth, with two equal wings.
        hover: the hover of this moth.
        sections: as in `model`.
        reading: as in `model`.
    """
    known = parameters, hover.unknowns, hover.flight.gravity
    return _sensitivity(*known, jnp.asarray(hover.flight.steps), sections, reading)


@eqx.filter_jit
def _sensitivity(parameters, unknowns, gravity, steps, sections, reading):
    """The compiled part of `sensitivity`; the number of time steps is traced, the number of sections is static."""
    table = table_of(parameters).at[-1].set(unknowns[-1])
    n = unknowns.shape[0] - 1

    def half_stroke(start: Float[Array, "n"], numbers: Float[Array, "17"], pull: Float[Array, ""]):
        moth = flight(sections, reading, parameters_of(numbers), gravity=pull * gravity)
        return jnp.concatenate([defects(moth, start, numbers[-1], steps), mass(moth.tree)[None]])

    values = half_stroke(unknowns[:-1], table, jnp.ones(()))
    by_start, by_table, by_pull = jax.jacfwd(half_stroke, argnums=(0, 1, 2))(unknowns[:-1], table, jnp.ones(()))
    fixed = jnp.arange(len(TABLE)) < len(TABLE) - 1

    def answer(last: Float[Array, "outputs"], columns: Float[Array, "outputs table"]):
        """Response of one unknown, which keeps the defects zero together with the initial state, and of the power."""
        slope = jnp.concatenate([by_start[: n + 1], last[: n + 1, None]], axis=1)
        moved = -solve(slope, columns[: n + 1])
        power = columns[n + 1] + by_start[n + 1] @ moved[:n] + last[n + 1] * moved[n]
        return moved[n], power

    amplitude, hover_power = answer(by_table[:, -1], jnp.where(fixed[None, :], by_table, 0.0))
    pull, power_at_stroke = answer(by_pull, by_table)
    power, weight = values[n + 1], values[n + 2] * jnp.linalg.norm(gravity)
    return Sensitivity(
        table=table,
        power=power,
        lift=weight,
        hover_power=hover_power,
        hover_amplitude=amplitude,
        lift_at_stroke=weight * pull + jnp.linalg.norm(gravity) * by_table[n + 2],
        power_at_stroke=power_at_stroke,
    )


def defects(
    moth: Flight, start: Float[Array, "n"], amplitude: Float[Array, ""], steps: Int[Array, ""]
) -> Float[Array, "n+2"]:
    """Difference between the states half a stroke apart, mean climb velocity [m/s], mean power of one motor [W]."""
    begin = Sagittal.unscaled(start, moth.frequency)
    run = moth.fly(amplitude, begin.thorax, *begin.both_wings, 0.5, integrand=MotorPower(moth.tree), steps=steps)
    end = sagittal_end(run, moth.wing_joints, moth.tree.passive_freedoms).reversed()
    half = 0.5 * moth.period
    return jnp.concatenate([end.scaled(moth.frequency) - start, run.position[-1, 2:] / half, run.integrals[-1] / half])


class MotorPower(eqx.Module):
    """Power of one stroke motor, as an integrand [W].

    Attributes:
        tree: the tree.
    """

    tree: Tree

    def __call__(
        self,
        t: Float[Array, ""],
        state: BaseState,
        q: Float[Array, "positions"],
        dq: Float[Array, "freedoms"],
        motion: Dynamics,
    ) -> Float[Array, "1"]:
        """Value at one instant."""
        return (motion.torque * dq)[self.tree.actuated_freedoms[:1]]
