"""Simulation of a beam, with all results in a labelled dataset with units."""

from typing import Any

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from gaits.feedback.labels import with_feedback
from gaits.feedback.steered import LOST, Steered
from hydro import AbstractFluid, GeneralSection
from spatial import Numbers, matrix_from_quaternion, number
from spatial.checks import integer, positive
from spatial.traced_warnings import warn_if
from stepping import (
    SimulationError,
    Span,
    compile_ahead,
    one_simulation,
    raise_if_failed,
    raise_if_not_finite,
    short_program,
)
from stepping.labels import HEAD, OWN_AXES, STRAIN, Label, attributes, coordinates, labelled, words
from stepping.progress import bar, say_compiling, waiting
from stepping.provenance import with_provenance

from .beam import Beam
from .body_fields import STATIONS, body_fields, instant_fields
from .energy import sampled_energetics, soft_energetics
from .grid_error import COILED, error_and_limits_once
from .head_equation import check_model
from .output_stations import Along
from .panel_limits import expansion_tail
from .panel_loops import second_loop
from .soft.body_view import last_commands
from .soft.instant import soft_instant
from .soft.sampled_soft import sample_soft
from .soft.soft_beam import Soft, SoftState
from .space_path import AbstractSpacePath
from .state import HeadState
from .strain import Gait
from .surroundings import surroundings
from .time_integration import FAILED, Steps, compile_estimate_ahead, motion
from .trajectory import Trajectory, driven_gait, still_motion

# name: (dimensions, unit, meaning)
VARIABLES: dict[str, Label] = HEAD | {
    "position": (("time", "X", "axis"), "m", "centre of each section in the world"),
    "orientation": (("time", "X", "quaternion"), "1", "orientation of each section in the world"),
    "section_twist": (("time", "X", "twist"), "m/s, rad/s", "velocity of each section in its own frame"),
    "strain": (("time", "X", "strain_component"), "1, 1/m", "strain in the section frame"),
    "internal_force": (("time", "X", "axis"), "N", "internal force n, head side on tail side, in the world"),
    "internal_moment": (
        ("time", "X", "section_axis"),
        "N m",
        "internal moment M, head side on tail side, in the section frame",
    ),
    "tail_force": (
        ("time", "axis"),
        "N",
        "n(L): zero when the two space loops agree; they share their quadrature, see space_error_force",
    ),
    "tail_moment": (
        ("time", "section_axis"),
        "N m",
        "M(L): zero when the two space loops agree; they share their quadrature, see space_error_moment",
    ),
    "impulse": (("time", "wrench"), "kg m/s, kg m^2/s", "momentum of body and added mass, same point"),
    "potential_energy": (("time",), "J", "energy of place: of weight, of buoyancy"),
    "dissipation": (("time",), "W", "power the fluid's resistance takes"),
    "semiaxis_b": (("X",), "m", "semi-axis of the section along t2"),
    "semiaxis_c": (("X",), "m", "semi-axis of the section along t3"),
    "section_fullness": (("X",), "1", "area of the section relative to its width times height"),
    "convective_power": (("time",), "W", "power the added mass delivers beyond the rate of its energy"),
    "modes": (("time", "mode"), "1, 1/m", "free modes q of a soft beam"),
    "mode_rates": (("time", "mode"), "1/s, 1/m/s", "rates of the free modes"),
    "mode_accelerations": (("time", "mode"), "1/s^2, 1/m/s^2", "second rates of the free modes"),
    "elastic_energy": (("time",), "J", "elastic energy of the free strains"),
    "elastic_density": (("time", "X"), "J/m", "elastic energy of the free strains per metre"),
    "imposed_power": (("time", "strain_component"), "W", "power of the actuators of each imposed strain"),
    "viscous_loss": (("time",), "W", "power the damping of the free strains takes"),
    "muscle_power": (("time",), "W", "power muscles and threads deliver to the free strains"),
    "muscle_powers": (("time", "muscle"), "W", "power each muscle or thread delivers to the free strains"),
    "tension": (
        ("time", "thread"),
        "N",
        "tension of each thread where it is pulled; negative for a chamber that pushes",
    ),
    "thread_length": (("time", "thread"), "m", "length of each thread"),
    "thread_rate": (("time", "thread"), "m/s", "rate of the length of each thread"),
    "load_power": (("time",), "W", "power the loads besides the fluid deliver"),
    "head_reaction": (("time", "wrench"), "N, N m", "what holds the head does to it, in the head frame"),
    "wake_power": (("time",), "W", "power that water leaving the body takes into its wake"),
    "carried_wrench": (("time", "X", "wrench"), "N, N m", "wrench carried by passing water, in the section frame"),
}


# For a soft beam None means implicit steps, and an initial state with all modes at zero.
@with_provenance(
    "cosserat.simulate",
    state=lambda given: None if isinstance(given["beam"], Soft) else HeadState(),
    solver=lambda given: None if isinstance(given["beam"], Soft) else diffrax.Dopri5(),
)
def simulate(
    beam: Beam | Soft,
    gait: Gait | Steered | None,
    fluid: AbstractFluid | None = None,
    t1: float = 10.0,
    *,
    t0: float = 0.0,
    state: HeadState | SoftState | None = None,
    gravity: Numbers | None = None,
    samples: int = 201,
    times: Numbers | None = None,
    stations: int = STATIONS,
    path: AbstractSpacePath | None = None,
    solver: diffrax.AbstractSolver | None = None,
    rtol: float = 1e-6,
    atol: float = 1e-8,
    controller: diffrax.AbstractStepSizeController | None = None,
    dt0: float | None = None,
    max_steps: int = 100_000,
    progress: bool = True,
    method: str | None = None,
) -> xr.Dataset:
    """Simulates a beam from t0 to t1: motion, internal wrench, loads of the fluid and energy budget.

    >>> import anguilla, cosserat, gaits, hydro
    >>> swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.5, samples=3, progress=False)
    >>> swim.internal_moment.dims, swim.internal_moment.units
    (('time', 'X', 'section_axis'), 'N m')

    Args:
        beam: the body. For a `Soft` beam the modes, the elastic energy and the powers of damping, muscles and imposed
            strains are recorded too.
        gait: strain law (X, t) -> (Γ, K); None for a soft beam without imposed strains. For a `gaits.Steered` the
            command and the readings of the sensors are recorded too.
        fluid: fluid around it; None for none.
        t1: last time [s].
        t0: first time [s].
        state: state of the head at t0; at rest at the world's origin when None.
        gravity: acceleration of gravity in the world [m/s²], such as `hydro.EARTH`; None for none, as for a neutrally
            buoyant body.
        samples: number of evenly spaced output times, both ends included.
        times: increasing output times between t0 and t1 [s], instead of `samples`.
        stations: number of evenly spaced abscissae at which the body is recorded, nose and tail included.
        path: space path; `Panels()` when None.
        solver: diffrax solver; `Dopri5()` when None, for a beam.
        rtol: relative tolerance of the adaptive time step.
        atol: absolute tolerance of the adaptive time step [m, -, m/s, rad/s].
        controller: diffrax step size controller, instead of the tolerances.
        dt0: first (or constant) time step [s].
        max_steps: maximum number of time steps.
        progress: print messages, and show a progress bar if the run takes more than a few seconds.
        method: method of the time steps, "adaptive" or "implicit"; the latter is the default for a soft beam. See
            `rollout`.

    Returns:
        A dataset over `time` and `X`. Every variable has `units` and `long_name`. The loads of the fluid are recorded
        term by term (`fluid_drag`, `fluid_added_mass`, `nose_drag`, ...). The attributes `space_error_...` are the
        estimated relative errors of the grid along X, and of the modes of a soft beam (`SpaceError`).

    Raises:
        SimulationError: the integration stopped before t1; the message gives the time and the likely causes.
    """
    fluid = surroundings(beam, fluid, gravity)
    path = check_model(beam, gait, fluid, path, steered=True)
    stations = integer("stations", stations, 2)
    number("t1", t1)
    number("t0", t0)
    positive("rtol", rtol, shape=())
    say_compiling(progress)
    span = Span(t0, t1, samples, times)
    meter = bar(progress, _foreseen(path, t1 - t0, rtol))
    steps = Steps(solver, controller, rtol, atol, dt0, max_steps, None, meter, method, times)
    with one_simulation():
        if not isinstance(beam, Soft) and not isinstance(gait, Steered):
            assert gait is not None  # checked by check_model
            body = compile_estimate_ahead(beam, gait, fluid, path, span, error_and_limits_once)
            arguments = beam, body, gait, fluid, _counted(path, path.counts), still_motion(span), stations
            compile_ahead(_record, *arguments)
        trajectory, _ = motion(beam, gait, fluid, span, state, None, path, steps, error_and_limits_once)
    driven = driven_gait(gait, trajectory)
    if isinstance(beam, Soft) and beam.is_beam:
        beam = beam.beam
    if isinstance(beam, Soft):
        panels = path.on_panels()
        body = sample_soft(beam, fluid, panels.order, panels.panels)
        if bool(trajectory.coiled):
            raise SimulationError(COILED)
    else:
        path = _counted(path, trajectory.grid)
        body = path.sample(beam, fluid)
        _raise_if_coiled(path, driven, body, trajectory)
    if trajectory.feedback is not None and not bool(trajectory.feedback.sound):
        raise SimulationError(LOST)
    raise_if_failed(trajectory.succeeded, trajectory.time, trajectory.twist, trajectory.steps, FAILED)
    with waiting("recording ...", progress):
        fields, tail = jax.block_until_ready(
            _record(beam, body, driven, fluid, path, trajectory.motion_alone(), stations)
        )
    raise_if_not_finite(fields, trajectory.time)
    warn_if(
        np.asarray(tail) > 1e-5,
        f"the free strains are not resolved by {path.in_words} along the body (relative tail of their expansion "
        f"{{:.0e}}). Use more, path=cosserat.Panels(panels=...).",
        tail,
    )
    error = trajectory.error
    how: dict[str, str | float] = {"gait": type(gait).__name__, "space_path": str(path)}
    if error is not None:
        how |= {f"space_error_{name}": float(value) for name, value in vars(error).items() if value is not None}
    attrs = attributes("a swimming Cosserat beam", fluid, trajectory.steps, rtol, atol, **how)
    return with_feedback(_dataset(fields, beam, trajectory, attrs), gait, trajectory.feedback)


def _counted(path: AbstractSpacePath, counts: tuple[int, int] | None) -> AbstractSpacePath:
    """The path with the numbers of panels that were used in a run."""
    return path if counts is None else path.with_counts(*counts)


def _foreseen(path: AbstractSpacePath, duration: float, rtol: float) -> float:
    """Approximate computation time of a run [s] on a typical machine, for a gait with a period of one second."""
    return duration * path.seconds * (1e-6 / rtol) ** 0.2


def _raise_if_coiled(path: AbstractSpacePath, gait: Any, body: Any, trajectory: Trajectory) -> None:
    if bool(trajectory.coiled):
        k = int(np.argmax(path.turn(body, gait, trajectory.time)))
        raise SimulationError(f"at t = {float(trajectory.time[k]):g} s {COILED}")


@short_program
def _record(beam, body, gait, fluid, path, trajectory: Trajectory, stations: int) -> tuple[dict[str, Any], Any]:
    """All variables at every output time, and the greatest `expansion_tail` of a soft beam's strains.

    A loop over the output times keeps memory small.
    """
    soft = isinstance(beam, Soft)
    sampled = body.body if soft else path.grid(beam, fluid, body)
    profile = beam.beam if soft else beam
    along = Along(profile, beam.length * np.linspace(0.0, 1.0, stations), (sampled.load_X, sampled.load_weight))
    prepared = sampled.stations(along.X) if soft else path.stations(body, along.X)

    def instant(k):
        t, state = trajectory.time[k], trajectory.state(k)
        if isinstance(state, SoftState):
            record = trajectory.feedback
            command = None if record is None else last_commands(beam, record.command[k])
            now = soft_instant(body, gait, fluid, state, t, command)
            head, sums = now.head, soft_energetics(body, fluid, now)
            loops = second_loop(sampled, now.law, fluid, head, t, now.first, prepared, now.at_nose)
            fields = instant_fields(loops, along, now, gait, fluid, t)
            extra = {
                "modes": state.q,
                "mode_rates": state.dq,
                "mode_accelerations": now.rates[6:],
                "elastic_energy": sums.elastic,
                "elastic_density": body.elastic_density(along.stations, along.section, state.q),
                "imposed_power": jnp.sum(along.power_density(loops, beam.imposed(gait), t), axis=0),
                "viscous_loss": sums.viscous,
                "muscle_power": sums.active,
                "load_power": sums.loads,
                "head_reaction": now.reaction,
            }
            if beam.actuators:
                extra["muscle_powers"] = now.active
            if now.threads.length.size:
                pulls = {"tension": now.threads.tension, "thread_length": now.threads.length}
                extra |= pulls | {"thread_rate": now.threads.rate}
            tail = tail_of(now.law, t)
        else:
            head = state
            first, loops = path.sums_and_loops(body, sampled, gait, fluid, state, t, prepared)
            sums = sampled_energetics(sampled, fluid, state, first)
            fields, extra, tail = body_fields(loops, along, beam, gait, fluid, state, t), {}, jnp.zeros(())
        rotation = matrix_from_quaternion(head.quaternion)
        record = {
            "head_position": head.position,
            "head_quaternion": head.quaternion,
            "head_twist": head.twist,
            "head_twist_rate": fields.head_twist_rate,
            "head_velocity": rotation @ head.twist[:3],
            "head_angular_velocity": rotation @ head.twist[3:],
            "position": fields.position_w,
            "orientation": fields.quaternion,
            "section_twist": fields.twist,
            "strain": fields.strain,
            "internal_force": fields.force_w,
            "internal_moment": fields.moment,
            "tail_force": fields.tail[:3],
            "tail_moment": fields.tail[3:],
            "centre_of_mass": sums.centre_w,
            "centre_velocity": sums.centre_velocity_w,
            "momentum": sums.momentum_w,
            "impulse": sums.impulse_w,
            "kinetic_energy": sums.kinetic,
            "added_energy": sums.added,
            "potential_energy": sums.potential,
            "actuator_power": fields.actuator_power,
            "dissipation": sums.dissipation,
            "convective_power": sums.convective,
            "wake_power": sums.wake,
        }
        if fields.carried is not None:
            record["carried_wrench"] = fields.carried
        record |= {f"fluid_{name}": value for name, value in fields.fluid.items()}
        return record | fields.nose | extra, tail

    def tail_of(law, t):
        rest = jnp.array([1.0, 0, 0, 0, 0, 0])
        strain = jax.vmap(lambda x: law(x, t) - rest)(sampled.X)
        return expansion_tail(strain.reshape(-1, path.order, 6))

    record, tails = jax.lax.map(instant, jnp.arange(trajectory.time.shape[0]))
    tail = jnp.max(tails)
    record |= {"semiaxis_b": along.section.b, "semiaxis_c": along.section.c}
    if isinstance(along.section, GeneralSection):
        record["section_fullness"] = along.section.fullness
    return record, tail


def _dataset(fields: dict[str, Any], beam: Beam | Soft, trajectory: Trajectory, attrs: dict[str, Any]) -> xr.Dataset:
    X = np.asarray(beam.length) * np.linspace(0.0, 1.0, fields["position"].shape[1])
    along = {"units": "m", "long_name": "abscissa along the body, from the nose"}
    coords = coordinates(trajectory.time, X=("X", X, along), section_axis=list(OWN_AXES), strain_component=list(STRAIN))
    return xr.Dataset(labelled(fields, VARIABLES, _describe), coords=coords, attrs=attrs)


def _describe(name: str) -> Label:
    """Label of any load term of the fluid."""
    if name.startswith("fluid_"):
        return ("time", "X", "wrench"), "N/m, N", f"{words(name[6:])} on each section per metre, in its own frame"
    return ("time", "wrench"), "N, N m", f"{words(name)}, in the head frame"
