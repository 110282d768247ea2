"""One good call of every public constructor and function, and what else each argument may be."""

import functools

import diffrax
import jax.numpy as jnp
import numpy as np

import cosserat
import gaits
import hydro
import multibody as mb
import stepping
from anguilla import ground
from gaits import feedback

from .call_table import (
    ANY_NUMBER,
    Argument,
    Call,
    call,
    integer,
    non_negative,
    optional,
    positive,
    real,
    spread,
    strict,
    thing,
)
from .good_calls_of_files import calls_of_files


def _strain(X, t):
    return jnp.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]) + 0.0 * t


@functools.cache
def things():
    """Objects that good calls need."""
    beam = cosserat.rod(1.0, b=0.02, c=0.03)
    soft = cosserat.Soft(beam, cosserat.FreeStrains(modes={"K3": 2}), cosserat.Elastic(1e6), head=cosserat.Clamped())
    tree = mb.from_links(
        [mb.Link("base", mass=1.0), mb.Link("arm", "base", mb.revolute(name="elbow", actuated=False), mass=1.0)]
    )
    return beam, soft, tree


@functools.cache
def calls() -> dict[str, Call]:
    """The table: `package.name` -> call."""
    beam, soft, tree = things()
    water, gait, head, base = hydro.Morison(), gaits.planar(), cosserat.HeadState(), mb.BaseState()
    path, joint = cosserat.Panels(), mb.revolute()
    wave = {"wavelength": positive(1.0), "period": positive(1.0)}
    amplitude = real((1.0, 0.5), *ANY_NUMBER, "vector")  # coefficients of a polynomial
    ramp = {"begin": strict(0.0, "negative", "zero"), "end": strict(1.0, "one", "four", "fraction")}
    state = {"position": real([0.0, 0.0, 0.0]), "quaternion": real([1.0, 0, 0, 0]), "twist": real([0.0] * 6)}
    law = functools.partial(real, 0.1)
    solver = {
        "solver": optional(thing(diffrax.Dopri5())),
        "controller": optional(thing(diffrax.ConstantStepSize())),
        "adjoint": optional(thing(diffrax.ForwardMode())),
    }
    eel = {
        "radius": positive(0.075, "one", "four"),
        "shoulder": strict(0.296, "one"),
        "tail": strict(1.95, "one", "fraction"),
        "tail_b": positive(0.025),
        "tail_c": positive(0.05),
        "length": strict(2.0, "four", "fraction"),
    }
    body = {"density": positive(1000.0), "nose_radius": non_negative(0.0), "masses": thing((), "empty")}
    drag = {f"drag_{axis}": non_negative(1.0) for axis in ("lateral", "dorsal", "roll")}
    added = {f"mass_{axis}": non_negative(1.0) for axis in ("lateral", "dorsal", "roll")}
    current = {"current": optional(real([0.1, 0.0, 0.0]))}
    rubs = {"forward": non_negative(0.1), "sideways": non_negative(0.2), "backward": optional(non_negative(0.1))}
    wheels = ground.Wheels([0.1, 0.5, 0.9])
    swims = {"beam": thing(beam), "gait": thing(gait), "fluid": optional(thing(water))}
    at = {"state": thing(head), "t": real(0.0), "path": optional(thing(path))}
    bends = {"gait": optional(thing(gait)), "head": optional(thing(head)), "path": optional(thing(path))}
    static = bends | {"tolerance": positive(1e-9), "max_iterations": integer(40)}
    run = {
        "t1": strict(1.0, "one", "four", "fraction"),
        "t0": strict(0.0, "negative", "zero"),
        "gravity": optional(real([0.0, 0.0, -9.81])),
        "samples": integer(3, least=2),
        "times": optional(thing(None)),
        "rtol": positive(1e-6),
        "atol": positive(1e-8),
        "dt0": optional(positive(0.1)),
        "max_steps": integer(100),
        "solver": solver["solver"],
        "controller": optional(thing(None)),
    }
    joint_numbers = real([0.0])
    posed = {"tree": thing(tree), "q": real([0.0])}
    pulled = {
        "fluid": optional(thing(hydro.Void())),
        "wrench": optional(real(np.zeros((2, 6)))),
        "gravity": optional(real([0.0, 0.0, -9.81])),
    }
    cable = mb.Cable([("base", (0.0, 0.0, 0.0)), ("arm", (0.1, 0.0, 0.0))], 1.0)
    floating = {**posed, "heading": real(0.0), "hulls": optional(thing(None))}
    still = cosserat.Trajectory(
        time=jnp.array([0.0, 1.0]),
        position=jnp.zeros((2, 3)),
        quaternion=jnp.tile(jnp.eye(4)[0], (2, 1)),
        twist=jnp.zeros((2, 6)),
        steps=jnp.zeros(2, int),
        succeeded=jnp.array(True),
        limits=None,
    )
    measured = {"beam": thing(beam), "gait": thing(gait), "run": thing(still), "X": real([0.1, 0.5])}
    folded = {"amplitude": strict(0.5, "zero", "one", "four", "fraction"), "period": positive(1.0)}
    shape = {"length": positive(1.0), "b": positive(0.02), "c": positive(0.02)}
    table = {
        "cosserat.Beam": call(cosserat.Beam, profile=thing(beam.profile), load_panels=optional(thing((4,))), **body),
        "cosserat.DistributedLoad": call(
            cosserat.DistributedLoad,
            density=real([0.0] * 6),
            history=optional(thing(jnp.cos)),
            break_times=thing([0.5], "empty", "vector"),
            untried=("follower",),
        ),
        "cosserat.Elastic": call(
            cosserat.Elastic,
            young=positive(1e6),
            poisson=optional(strict(0.4, "zero")),
            shear_correction=positive(1.0),
            damping_time=non_negative(0.1),
            damping=spread((0.0,) * 6),
            untried=("shear",),  # excludes poisson
        ),
        "cosserat.EndLoad": call(
            cosserat.EndLoad,
            force=real([0.0, 1.0, 0.0]),
            moment=real([0.0, 0.0, 0.0]),
            at=thing("tail"),
            history=optional(thing(jnp.cos)),
            break_times=thing([0.5], "empty", "vector"),
            untried=("follower",),
        ),
        "cosserat.FreeStrains": call(
            cosserat.FreeStrains,
            start=non_negative(0.0),
            stop=optional(positive(5.0)),
            modes=integer(2, "zero_int", "one_int"),
            basis=optional(thing(cosserat.Legendre())),
            untried=("in_series",),
        ),
        "cosserat.HeadState": call(cosserat.HeadState, **state),
        "cosserat.Hyperelastic": call(
            cosserat.Hyperelastic,
            density=thing(lambda X, xi: 0.5 * jnp.sum(xi**2)),
            damping=spread(0.0),
            rest=real([1.0, 0, 0, 0, 0, 0]),
        ),
        "cosserat.Nested": call(
            cosserat.Nested,
            steps=integer(64),
            max_steps=integer(512),
            **solver,
        ),
        "cosserat.Panels": call(
            cosserat.Panels,
            order=integer(8, least=2),
            panels=optional(integer(2)),
            loads=optional(integer(1)),
            tolerance=positive(1e-5),
        ),
        "cosserat.PointMass": call(
            cosserat.PointMass,
            X=non_negative(0.5),
            mass=positive(1.0),
            inertia=strict(0.0, "zero", "one", "four", "fraction"),
            centre=real([0.0, 0.0, 0.0]),
        ),
        "cosserat.Soft": call(
            cosserat.Soft,
            beam=thing(beam),
            pieces=thing(cosserat.FreeStrains(modes=1), "empty"),
            law=thing(cosserat.Elastic(1e6)),
            rest=real([1.0, 0, 0, 0, 0, 0]),
            actuators=thing((), "empty"),
            loads=thing((), "empty"),
            head=optional(thing(cosserat.Clamped())),
        ),
        "cosserat.SoftState": call(
            cosserat.SoftState,
            q=real([0.0, 0.1], "empty_with_dq"),
            dq=optional(real([0.0, 0.0])),
            head=optional(thing(head)),
        ),
        "cosserat.Springs": call(
            cosserat.Springs,
            stiffness=spread([1.0] * 6),
            damping_time=non_negative(0.1),
            damping=spread([0.0] * 6),
        ),
        "cosserat.eel": call(cosserat.eel, masses=thing((), "empty"), density=positive(1000.0), **eel),
        "cosserat.rod": call(cosserat.rod, **shape, **body),
        "cosserat.actuator_power": call(cosserat.actuator_power, heavy=True, **swims, **at),
        "cosserat.energetics": call(cosserat.energetics, heavy=True, **swims, **at),
        "cosserat.head_acceleration": call(cosserat.head_acceleration, heavy=True, **swims, **at),
        "cosserat.internal_wrench": call(
            cosserat.internal_wrench,
            heavy=True,
            stations=optional(integer(5, least=2)),
            **swims,
            **at,
        ),
        "cosserat.momentum": call(cosserat.momentum, heavy=True, beam=thing(beam), gait=thing(gait), **at),
        "cosserat.space_error": call(
            cosserat.space_error, heavy=True, **(swims | {"fluid": thing(water)}), **(at | {"t": real(0.0, "vector")})
        ),
        "cosserat.mass": call(cosserat.mass, beam=thing(beam)),
        "cosserat.volume": call(cosserat.volume, beam=thing(beam)),
        "cosserat.steady_swim": call(
            cosserat.steady_swim,
            heavy=True,
            **(swims | {"fluid": thing(water)}),
            period=optional(positive(1.0)),
            t0=optional(real(0.0)),
            guess=real([-0.3, 0, 0, 0, 0, 0]),
            steps=integer(8, least=4),
            stations=integer(3, least=2),
            path=optional(thing(path)),
            transient=integer(1, least=0),
            tolerance=positive(1e-10),
            untried=("throw",),
        ),
        "cosserat.rollout": call(
            cosserat.rollout,
            heavy=True,
            **swims,
            **run,
            state=optional(thing(head)),
            path=optional(thing(path)),
            adjoint=solver["adjoint"],
            method=optional(thing("adaptive")),
            progress=optional(thing(diffrax.NoProgressMeter())),
            untried=("dense", "land", "throw", "memory"),
        ),
        "cosserat.simulate": call(
            cosserat.simulate,
            heavy=True,
            **swims,
            **run,
            state=optional(thing(head)),
            path=optional(thing(path)),
            stations=integer(5, least=2),
            method=optional(thing("adaptive")),
            untried=("progress",),
        ),
        "cosserat.equilibrium": call(
            cosserat.equilibrium,
            heavy=True,
            soft=thing(soft),
            fluid=optional(thing(water)),
            t=real(0.0),
            guess=optional(real([0.0, 0.0])),
            factor=real(1.0),
            load_steps=integer(1),
            **static,
            untried=("throw", "command"),
        ),
        "cosserat.equilibrium_path": call(
            cosserat.equilibrium_path,
            heavy=True,
            soft=thing(soft),
            fluid=optional(thing(water)),
            arc=real(0.1),
            points=integer(3),
            t=real(0.0),
            guess=optional(real([0.0, 0.0])),
            factor=real(0.0),
            **static,
            untried=("throw", "command"),
        ),
        "cosserat.natural_modes": call(
            cosserat.natural_modes,
            heavy=True,
            soft=thing(soft),
            fluid=optional(thing(water)),
            q=optional(real([0.0, 0.0])),
            t=real(0.0),
            **bends,
            untried=("command",),
        ),
        "cosserat.complex_modes": call(
            cosserat.complex_modes,
            heavy=True,
            soft=thing(soft),
            fluid=thing(water),
            gait=optional(thing(gait)),
            state=optional(thing(head)),
            t=real(0.0),
            path=optional(thing(path)),
            untried=("command",),
        ),
        "cosserat.buckling_factor": call(
            cosserat.buckling_factor,
            heavy=True,
            soft=thing(soft),
            fluid=optional(thing(water)),
            below=real(0.0),
            above=real(1.0),
            **bends,
            tolerance=positive(1e-12),
        ),
        "cosserat.soft_state": call(
            cosserat.soft_state, heavy=True, soft=thing(soft), strain=thing(_strain), head=optional(thing(head))
        ),
        # hydro
        "hydro.Cap": call(
            hydro.Cap, base=real(0.1), height=strict(0.1, "negative", "one", "four", "fraction"), **_two_axes()
        ),
        "hydro.FreeSurface": call(
            hydro.FreeSurface,
            density=positive(1000.0),
            gravity=positive(9.81),
            level=real(0.0),
            roll_damping=optional(non_negative(1.0)),
            heave_damping=optional(non_negative(1.0)),
            flow=optional(thing(water)),
            added_share=strict(0.5, "zero", "one"),
        ),
        "hydro.Ittc57": call(
            hydro.Ittc57,
            length=positive(8.0),
            wetted_surface=positive(2.0),
            form=non_negative(1.0),
            waves=non_negative(0.1),
            density=positive(1000.0),
            viscosity=positive(1e-6),
        ),
        "hydro.Lighthill": call(
            hydro.Lighthill,
            density=non_negative(1000.0),
            edge=positive("tail"),
            aft=thing("truncate"),
            friction=non_negative(0.01),
            nose_drag=non_negative(0.1),
            **drag,
            **added,
            **current,
        ),
        "hydro.LinearHydrostatics": call(
            hydro.LinearHydrostatics, stiffness=real(np.eye(6)), buoyancy=non_negative(1000.0)
        ),
        "hydro.Morison": call(
            hydro.Morison,
            density=non_negative(1000.0),
            drag_axial=non_negative(0.01),
            nose_drag=non_negative(0.1),
            nose_mass=non_negative(1.0),
            added_mass=thing("paper"),
            **drag,
            **added,
            **current,
        ),
        "hydro.OarBlade": call(
            hydro.OarBlade,
            lever=positive(1.8),
            dip=real(0.1),
            area=positive(0.08),
            coefficient=positive(2.0),
            density=positive(1000.0),
        ),
        "hydro.Profile": call(
            hydro.Profile, breaks=strict([0.0, 1.0]), pieces=thing((lambda X: (0.1 + 0.0 * X, 0.1 + 0.0 * X),))
        ),
        "hydro.QuasiSteady": call(
            hydro.QuasiSteady,
            density=non_negative(1.22),
            lift=non_negative(1.8),
            drag=strict(1.92, "four", "fraction"),
            drag_swing=strict(1.55, "negative", "zero", "one"),
            added_mass=non_negative(0.25),
            wind=optional(real([0.0, 0.0, 0.0])),
        ),
        "hydro.Radiation": call(
            hydro.Radiation,
            added_mass=real(np.eye(6)),
            drift=real(-np.eye(2)),
            feed=real(np.ones((2, 6))),
            read=real(np.ones((6, 2))),
        ),
        "hydro.Shear": call(hydro.Shear, velocity=real([0.1, 0.0, 0.0]), gradient=real(np.zeros((3, 3)))),
        "hydro.Shedding": call(hydro.Shedding, edge=positive("tail"), aft=thing("truncate")),
        "hydro.SkinFriction": call(
            hydro.SkinFriction,
            line=thing("laminar"),
            length=positive(1.0),
            viscosity=positive(1e-6),
            speed=optional(positive(1.0)),
        ),
        "hydro.SlenderHull": call(
            hydro.SlenderHull,
            length=positive(8.0),
            breadth=positive(0.5),
            draft=positive(0.1),
            breadth_power=positive(2.0),
            draft_power=positive(2.0),
        ),
        "hydro.Taper": call(hydro.Taper, span=strict([0.0, 1.0]), b=positive([0.1, 0.1]), c=positive([0.1, 0.1])),
        "hydro.Together": call(hydro.Together, parts=thing(water)),
        "hydro.VortexStreet": call(
            hydro.VortexStreet,
            speed=real(0.1),
            circulation=real(0.1),
            spacing=positive(0.3),
            width=optional(positive(0.1)),
            core=optional(positive(0.05)),
            phase=real(0.0),
            centre=real(0.0),
        ),
        "hydro.Weight": call(hydro.Weight, density=positive(1000.0), gravity=real([0.0, 0.0, -9.81])),
        "hydro.eel_profile": call(hydro.eel_profile, **eel),
        "hydro.GeneralSection": call(
            hydro.GeneralSection,
            area=strict(8e-4, "zero"),
            second_moments=strict([1.0, 1.0]),
            width=strict(0.02, "one", "four", "fraction"),
            height=strict(0.04, "one", "four", "fraction"),
            **{
                name: optional(non_negative(0.1))
                for name in (
                    "perimeter",
                    "lateral_width",
                    "dorsal_width",
                    "roll_drag",
                    "lateral_mass",
                    "dorsal_mass",
                    "roll_mass",
                    "torsion",
                )
            },
        ),
        "hydro.outline_section": call(
            hydro.outline_section,
            outline=real([[0.1, -0.1], [0.0, 0.2], [-0.1, -0.1], [0.1, -0.1]]),
            untried=("water",),  # keywords of GeneralSection
        ),
        "hydro.rectangle_section": call(
            hydro.rectangle_section, width=positive(0.02), height=positive(0.04), untried=("water",)
        ),
        "hydro.section_profile": call(
            hydro.section_profile,
            X=strict([0.0, 1.0]),
            sections=thing([hydro.rectangle_section(0.02, 0.04), hydro.rectangle_section(0.02, 0.04)]),
        ),
        "hydro.polygon": call(hydro.polygon, outline=real([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])),
        "hydro.prism": call(
            hydro.prism,
            section=thing(hydro.polygon([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])),
            length=positive(1.0),
            start=real(0.0),
        ),
        "hydro.table_profile": call(
            hydro.table_profile,
            X=strict([0.0, 0.5, 1.0]),
            b=non_negative([0.1, 0.1, 0.1]),
            c=non_negative([0.1, 0.1, 0.1]),
            untried=("round_ends",),
        ),
        "hydro.uniform_profile": call(hydro.uniform_profile, **shape),
        # gaits
        "gaits.Function": call(gaits.Function, function=thing(lambda X, t: 0.0 * t)),
        "gaits.Ramps": call(gaits.Ramps, times=strict([0.0, 1.0]), values=real([0.0, 1.0])),
        "gaits.SinusLifting": call(
            gaits.SinusLifting,
            depth=strict(0.5, "zero", "one", "negative"),
            length=positive(1.0),
            phase=real(0.0),
            order=integer(2),
            **wave,
        ),
        "gaits.Start": call(gaits.Start, **ramp),
        "gaits.Strain": call(
            gaits.Strain, stretch=law(), shear2=law(), shear3=law(), torsion=law(), bending2=law(), bending3=law()
        ),
        "gaits.TravellingWave": call(gaits.TravellingWave, amplitude=amplitude, phase=real(0.0), **wave),
        "gaits.concertina": call(
            gaits.concertina,
            amplitude=real(0.5),
            fold=positive(0.5),
            length=positive(1.0),
            period=positive(1.0),
            patches=positive(1.0),
        ),
        "gaits.depth_rate": call(gaits.depth_rate, vertical=real([0.0, 0.0, 1.0])),
        "gaits.dive": call(
            gaits.dive,
            offset=real(0.5),
            times=strict((2.0, 3.0, 4.0, 5.0, 6.0, 7.0)),
            amplitude=amplitude,
            **wave,
            **ramp,
        ),
        "gaits.extensible_kirchhoff": call(
            gaits.extensible_kirchhoff, stretch=law(), torsion=law(), bending2=law(), bending3=law()
        ),
        "gaits.follow_the_leader": call(gaits.follow_the_leader, curvature=thing(jnp.sin), advance=thing(jnp.sin)),
        "gaits.from_table": call(
            gaits.from_table,
            X=strict(np.linspace(0.0, 1.0, 5)),
            times=strict(np.linspace(0.0, 1.0, 5)),
            values=real(np.ones((5, 5))),
            untried=("periodic",),
        ),
        "gaits.inchworm": call(
            gaits.inchworm, length=positive(1.0), depth=strict(0.5, "zero", "one"), order=integer(1), **folded
        ),
        "gaits.inextensible_kirchhoff": call(
            gaits.inextensible_kirchhoff, torsion=law(), bending2=law(), bending3=law()
        ),
        "gaits.path_distance": call(gaits.path_distance, target=real(np.ones((5, 3)))),
        "gaits.periodic_orbit": call(
            gaits.periodic_orbit,
            heavy=True,
            flow=thing(lambda y, args: 0.5 * y),
            guess=real([1.0], "vector"),
            transient=integer(1, least=0),
            tolerance=positive(1e-9),
            max_iterations=integer(5),
            step_limit=positive(1.0, "inf"),
            untried=("args", "throw"),
        ),
        "gaits.planar": call(gaits.planar, amplitude=amplitude, **wave, **ramp),
        "gaits.planar_bending": call(gaits.planar_bending, bending3=law()),
        "gaits.quantity": call(
            gaits.quantity,
            name=thing("speed", "text"),
            unit=thing("m/s", "text"),
            function=thing(jnp.sum),
            arrays=thing("time", "text"),
        ),
        "gaits.rectilinear": call(
            gaits.rectilinear,
            amplitude=strict(0.1, "zero"),
            length=positive(1.0),
            depth=strict(0.95, "zero", "one", "negative"),
            **wave,
        ),
        "gaits.serpenoid": call(
            gaits.serpenoid,
            amplitude=real(0.5),
            begin=real(0.0),
            end=optional(strict(1.0, "one", "four", "fraction")),
            **wave,
        ),
        "gaits.sidewinding": call(
            gaits.sidewinding,
            amplitude=real(0.5),
            length=positive(1.0),
            depth=strict(0.95, "zero", "one", "negative"),
            **wave,
        ),
        "gaits.spiral": call(gaits.spiral, offset2=real(0.5), offset3=real(0.5), amplitude=amplitude, **wave, **ramp),
        "gaits.timoshenko_reissner": call(
            gaits.timoshenko_reissner,
            **{name: law() for name in ("stretch", "shear2", "shear3", "torsion", "bending2", "bending3")},
        ),
        "gaits.turn": call(gaits.turn, offset=real(0.5), amplitude=amplitude, **wave, **ramp),
        "gaits.universal": call(gaits.universal, bending2=law(), bending3=law()),
        "gaits.optimise": call(
            gaits.optimise,
            heavy=True,
            objective=thing(gaits.quantity("size", "1", jnp.sum, "time")),
            gait=Argument(gait, frozenset({"*"})),  # any pytree of numbers
            parameters=thing({"wavelength": (0.5, 1.5)}),
            model=thing(lambda gait: {"time": jnp.ones(3)}),
            method=thing("slsqp"),
            starts=integer(1),
            screen=integer(0, least=0),
            race=integer(0, least=0),
            seed=integer(0, least=0),
            max_iterations=integer(3),
            tolerance=positive(1e-8),
            feasibility=positive(1e-6),
            infeasible_start=thing("refuse"),
            log=optional(thing(None, "text")),
            untried=("constraints", "batch", "progress"),
        ),
        # ground
        "ground.Contact": call(
            ground.Contact,
            height=thing(lambda x, y: 0.0 * x),
            stiffness=positive(1e4),
            damping=non_negative(1.0),
            width=positive(0.01),
            viscous=non_negative(0.0),
            grip=optional(real(1.0)),
            **rubs,
        ),
        "ground.Coulomb": call(
            ground.Coulomb,
            forward=non_negative(0.1),
            backward=non_negative(0.1),
            sideways=non_negative(0.2),
            width=positive(0.01),
            viscous=non_negative(0.0),
        ),
        "ground.Friction": call(
            ground.Friction,
            density=positive(1000.0),
            width=positive(0.01),
            viscous=non_negative(0.0),
            incline=strict(0.1, "zero", "one", "negative", "four", "fraction"),
            normal=optional(real([0.0, 0.0, 1.0])),
            gravity=real([0.0, 0.0, -9.81]),
            lifting=optional(real(1.0)),
            **rubs,
        ),
        "ground.TreeWheels": call(
            ground.TreeWheels,
            bodies=thing(["base"], "text"),
            position=optional(real([[0.0, 0.0, 0.0]])),
            axle=real([[0.0, 1.0, 0.0]]),
        ),
        "ground.Wheels": call(ground.Wheels, abscissae=strict([0.1, 0.5])),
        "ground.roll": call(
            ground.roll,
            heavy=True,
            body=thing(beam),
            law=thing(gait),
            wheels=thing(wheels),
            ground=optional(thing(water)),
            path=optional(thing(path)),
            state=optional(thing(head)),
            untried=("throw",),
            **{key: run[key] for key in ("t1", "t0", "samples", "times", "rtol", "atol", "max_steps")},
        ),
        # multibody
        "multibody.BaseState": call(mb.BaseState, **state),
        "multibody.Cut": call(
            mb.Cut,
            name=thing("cut", "text"),
            first=thing("a", "text"),
            second=thing("b", "text"),
            kind=thing("revolute"),
            first_rotation=optional(real(np.eye(3))),
            first_position=real([0.0, 0.0, 0.0]),
            second_rotation=optional(real(np.eye(3))),
            second_position=real([0.0, 0.0, 0.0]),
        ),
        "multibody.DHRow": call(
            mb.DHRow,
            antecedent=integer(0, "negative_int", "one_int", least=0),
            sigma=thing(0, "zero_int", "one_int"),
            **{name: real(0.0) for name in ("gamma", "b", "alpha", "d", "theta", "r")},
            untried=("options",),
        ),
        "multibody.Joint": call(
            mb.Joint,
            kind=thing("revolute"),
            axis=real([0.0, 0.0, 1.0]),
            second_axis=real([0.0, 1.0, 0.0]),
            pitch=real(0.0),
            rotation=optional(real(np.eye(3))),
            position=real([0.0, 0.0, 0.0]),
            name=optional(thing("hinge", "text")),
            stiffness=real(0.0),
            rest=real(0.0),
            damping=non_negative(0.0),
            friction=non_negative(0.0),
            friction_speed=positive(0.01),
            rotor_inertia=non_negative(0.0),
            untried=("actuated",),
        ),
        "multibody.helical": call(mb.helical, axis=real([0.0, 0.0, 1.0]), pitch=real(0.1), untried=("options",)),
        "multibody.prismatic": call(mb.prismatic, axis=real([0.0, 0.0, 1.0]), untried=("options",)),
        "multibody.revolute": call(mb.revolute, axis=real([0.0, 0.0, 1.0]), untried=("options",)),
        "multibody.universal": call(
            mb.universal, axis=real([1.0, 0.0, 0.0]), second_axis=real([0.0, 1.0, 0.0]), untried=("options",)
        ),
        "multibody.JointLimits": call(
            mb.JointLimits,
            freedoms=thing(2, "zero_int", "one_int", "four"),
            lower=strict(-1.0, "-inf", "negative", "zero", "one"),
            upper=strict(1.0, "inf", "one", "four", "fraction", "zero", "negative"),
            speed=non_negative(1.0, "inf"),
            effort=non_negative(1.0, "inf"),
        ),
        "multibody.Link": call(
            mb.Link,
            name=thing("arm", "text"),
            parent=optional(thing("base", "text")),
            joint=optional(thing(joint)),
            mass=non_negative(1.0),
            centre=real([0.0, 0.0, 0.0]),
            about_centre=optional(real(np.eye(3))),
            strip=optional(thing(None)),
            untried=("inertia",),  # excludes mass
        ),
        "multibody.Tree": call(
            mb.Tree,
            names=thing(["base", "arm"]),
            parents=thing([0]),
            joints=thing([joint]),
            inertia=real(np.stack([np.eye(6)] * 2)),
            strips=optional(thing(None)),
            base=thing("floating"),
        ),
        "multibody.from_links": call(mb.from_links, links=thing([mb.Link("base", mass=1.0)]), base=thing("floating")),
        "multibody.from_beam": call(
            mb.from_beam,
            beam=thing(beam),
            links=integer(4, least=2),
            points=integer(3),
            passive=optional(thing((0.2, 0.8))),
            stiffness=spread(0.1),
            damping=spread(0.1),
        ),
        "multibody.strain_law": call(
            mb.strain_law,
            gait=thing(gait),
            length=positive(1.0),
            links=integer(4, least=2),
            passive=optional(thing((0.2, 0.8))),
        ),
        "multibody.strip": call(
            mb.strip,
            profile=thing(beam.profile),
            span=strict([0.0, 1.0]),
            origin=real([0.0, 0.0, 0.0]),
            rotation=optional(real(np.eye(3))),
            nose_radius=optional(non_negative(0.01)),
            points=integer(3),
        ),
        "multibody.link_inertia": call(
            mb.link_inertia, piece=thing(mb.strip(beam.profile, [0.0, 1.0])), density=positive(1000.0)
        ),
        "multibody.mass": call(mb.mass, tree=thing(tree)),
        "multibody.rollout": call(
            mb.rollout,
            heavy=True,
            tree=thing(tree),
            law=optional(thing(None)),
            fluid=optional(thing(hydro.Void())),
            state=optional(thing(base)),
            joints=optional(real([0.0])),
            joint_rates=optional(real([0.0])),
            torque=optional(thing(None)),
            wrench=optional(thing(None)),
            loops=optional(thing(None)),
            integrand=optional(thing(None)),
            adjoint=solver["adjoint"],
            progress=optional(thing(diffrax.NoProgressMeter())),
            untried=("throw", "memory", "actuators"),
            **run,
        ),
        "multibody.simulate": call(
            mb.simulate,
            heavy=True,
            tree=thing(tree),
            law=optional(thing(None)),
            fluid=optional(thing(hydro.Void())),
            state=optional(thing(base)),
            joints=optional(real([0.0])),
            joint_rates=optional(real([0.0])),
            torque=optional(thing(None)),
            wrench=optional(thing(None)),
            loops=optional(thing(None)),
            untried=("progress", "actuators"),
            **run,
        ),
        "multibody.march": call(
            mb.march,
            heavy=True,
            tree=thing(tree),
            law=optional(thing(None)),
            fluid=optional(thing(hydro.Void())),
            t1=run["t1"],
            dt=strict(0.1, "one"),
            t0=run["t0"],
            every=integer(1),
            state=optional(thing(base)),
            joints=optional(real([0.0])),
            joint_rates=optional(real([0.0])),
            wrench=optional(thing(None)),
            gravity=run["gravity"],
            untried=("remember", "actuators"),
        ),
        "multibody.stiff_march": call(
            mb.stiff_march,
            heavy=True,
            tree=thing(tree),
            law=optional(thing(None)),
            fluid=optional(thing(hydro.Void())),
            dt=positive(0.1),
            steps=integer(4),
            records=integer(1),
            t0=real(0.0),
            state=optional(thing(base)),
            joints=optional(real([0.0])),
            joint_rates=optional(real([0.0])),
            gravity=run["gravity"],
            integrand=optional(thing(None)),
            untried=("actuators",),
        ),
        "cosserat.InitialState": call(
            cosserat.InitialState,
            position=real([0.0, 0.0, 0.0]),
            rotation=real([0.0, 0.0, 0.0]),
            twist=real([0.0] * 6),
        ),
        "cosserat.Helix": call(
            cosserat.Helix, radius=positive(0.01), pitch=strict(0.3, *ANY_NUMBER - {"zero"}), phase=real(0.0)
        ),
        "gaits.Tension": call(gaits.Tension, value=real(1.0)),
        "gaits.Commanded": call(gaits.Commanded, gain=real(1.0), bias=real(0.0), highest=optional(positive(10.0))),
        "gaits.EkebergMuscle": call(
            gaits.EkebergMuscle,
            force=non_negative(1.0),
            stiffness=non_negative(1.0),
            damping=non_negative(0.1),
            length=positive(0.1),
            activation=real(0.5),
            tone=non_negative(0.1),
        ),
        "gaits.HillMuscle": call(
            gaits.HillMuscle,
            force=positive(10.0),
            length=positive(0.1),
            activation=real(0.5),
            speed=positive(10.0),
            width=positive(0.45),
            curvature=positive(0.25),
            lengthening=strict(1.4, "four", "fraction"),
            passive_strain=positive(0.6),
            passive_shape=positive(5.0),
        ),
        "gaits.StateTension": call(
            gaits.StateTension, value=thing(lambda t, length, rate, u: length), commands=integer(0, least=0)
        ),
        "gaits.Oscillators": call(
            gaits.Oscillators,
            frequency=real(1.0),
            amplitude=non_negative(1.0),
            weights=real(np.zeros((2, 2))),
            lags=real(np.zeros((2, 2))),
            rate=positive(10.0),
            output=thing("alternating"),
            phase=real(0.0),
            feedback=optional(thing(None)),
            filter_time=positive(0.05),
            sensors=thing((), "empty"),
            untried=("settled",),
        ),
        "gaits.NodeStrain": call(
            gaits.NodeStrain, nodes=strict([0.0, 0.5, 1.0]), strain=thing("K3"), gait=optional(thing(None))
        ),
        "cosserat.Oblique": call(
            cosserat.Oblique,
            first=real((0.01, 0.0)),
            last=real((-0.01, 0.0)),
            start=strict(0.0, "negative", "zero"),
            stop=strict(0.5, "one", "four", "fraction"),
        ),
        "cosserat.Thread": call(
            cosserat.Thread,
            routing=real((0.01, 0.0)),
            tension=non_negative(1.0),
            start=non_negative(0.0),
            stop=optional(positive(0.5)),
            friction=optional(non_negative(0.1)),
            pulled_from=thing("start"),
        ),
        "cosserat.Chamber": call(
            cosserat.Chamber,
            routing=real((0.01, 0.0)),
            pressure=real(1.0),
            area=positive(1e-4),
            start=non_negative(0.0),
            stop=optional(positive(0.5)),
        ),
        "multibody.Cable": call(
            mb.Cable,
            via=thing([("base", (0.0, 0.0, 0.0)), ("arm", (0.0, 0.0, 0.0))]),
            tension=non_negative(1.0),
            friction=optional(non_negative(0.1)),
        ),
        # Functions of one instant of a tree, whose known numbers are checked.
        "multibody.forward_dynamics": call(
            mb.forward_dynamics, state=thing(base), dq=joint_numbers, torque=joint_numbers, **pulled, **posed
        ),
        "multibody.hybrid_dynamics": call(
            mb.hybrid_dynamics,
            state=thing(base),
            dq=joint_numbers,
            acceleration=joint_numbers,
            torque=joint_numbers,
            **pulled,
            **posed,
        ),
        "multibody.loop_dynamics": call(
            mb.loop_dynamics,
            heavy=True,
            loops=thing(mb.Loops((), (), ())),
            state=thing(base),
            dq=joint_numbers,
            acceleration=joint_numbers,
            torque=joint_numbers,
            **pulled,
            **posed,
        ),
        "multibody.inverse_dynamics": call(
            mb.inverse_dynamics, state=thing(base), dq=joint_numbers, ddq=joint_numbers, **pulled, **posed
        ),
        "multibody.mass_matrix": call(mb.mass_matrix, fluid=pulled["fluid"], **posed),
        "multibody.kinetic_energy": call(
            mb.kinetic_energy, state=thing(base), dq=joint_numbers, fluid=pulled["fluid"], **posed
        ),
        "multibody.momentum": call(mb.momentum, state=thing(base), dq=joint_numbers, **posed),
        "multibody.centre_of_mass": call(mb.centre_of_mass, state=thing(base), **posed),
        "multibody.potential_energy": call(mb.potential_energy, state=thing(base), gravity=pulled["gravity"], **posed),
        "multibody.power": call(
            mb.power, state=thing(base), dq=joint_numbers, torque=joint_numbers, fluid=pulled["fluid"], **posed
        ),
        "multibody.thread_length": call(
            mb.thread_length,
            cables=thing(cable, "empty"),
            dq=optional(real([0.0])),
            state=optional(thing(base)),
            **posed,
        ),
        # Functions of assembled objects: only refusals are tried where a good call takes long.
        "multibody.close_loops": call(
            mb.close_loops, heavy=True, tree=thing(tree), cuts=thing([mb.Cut("cut", "base", "arm")]), q=real([0.0])
        ),
        "multibody.equilibrium": call(
            mb.equilibrium,
            heavy=True,
            surface=thing(hydro.FreeSurface()),
            guess=optional(real([0.0, 0.0, 0.0])),
            tolerance=positive(1e-9),
            max_iterations=integer(60),
            **floating,
        ),
        "multibody.righting_curve": call(
            mb.righting_curve,
            heavy=True,
            surface=thing(hydro.FreeSurface()),
            roll=real([0.0, 0.1], "vector"),
            **floating,
        ),
        "multibody.hulls": call(mb.hulls, heavy=True, tree=thing(tree), solids=thing([(0, np.eye(3), None)])),
        "multibody.from_dh": call(
            mb.from_dh,
            rows=thing([mb.DHRow(0)], "empty"),
            inertia=real(np.stack([np.eye(6)] * 2)),
            names=optional(thing(["base", "arm"])),
            strips=optional(thing(None)),
            base=thing("floating"),
        ),
        "cosserat.ActiveStrain": call(cosserat.ActiveStrain, strain=thing(_strain)),
        "cosserat.ActiveStress": call(cosserat.ActiveStress, value=thing(_strain)),
        "cosserat.Moved": call(cosserat.Moved, path=thing(lambda t: (jnp.zeros(3), jnp.eye(4)[0]))),
        "cosserat.markers": call(cosserat.markers, heavy=True, path=optional(thing(path)), **measured),
        "cosserat.inertial_sensors": call(
            cosserat.inertial_sensors,
            heavy=True,
            fluid=optional(thing(water)),
            gravity=real([0.0, 0.0, -9.81]),
            **measured,
        ),
        "cosserat.torques": call(cosserat.torques, heavy=True, fluid=optional(thing(water)), **measured),
        "cosserat.thread_length": call(
            cosserat.thread_length,
            heavy=True,
            soft=thing(soft),
            q=real([0.0, 0.1]),
            dq=optional(real([0.0, 0.0])),
            gait=optional(thing(gait)),
            t=real(0.0),
            path=optional(thing(path)),
        ),
        "hydro.Hull": call(
            hydro.Hull,
            hydrostatics=thing(hydro.LinearHydrostatics(np.eye(6), 1000.0)),
            radiation=thing(hydro.Radiation(np.eye(6), -np.eye(1), np.ones((1, 6)), np.ones((6, 1)))),
            resistance=optional(thing(None)),
            fin=optional(thing(None)),
        ),
        "gaits.Steered": call(
            gaits.Steered,
            law=optional(thing(lambda t, y: y)),
            controller=thing(feedback.Hold([0.0])),
            servo=optional(thing(feedback.Servo(1.0))),
            torque=optional(thing(None)),
        ),
        "gaits.periodic_lqr": call(
            gaits.periodic_lqr,
            flow=thing(lambda x, u: 1.2 * x + u),
            start=real([0.0], "vector"),  # another number of states, which the weights refuse
            command=real([0.0], "vector"),
            state_weight=real([1.0]),
            command_weight=strict([1.0]),
        ),
        # stepping
        "stepping.Span": call(stepping.Span, t0=run["t0"], t1=run["t1"], samples=run["samples"], times=run["times"]),
    }
    return table | calls_of_files(beam, gait, tree)


def _two_axes():
    return {"b": positive(0.1), "c": positive(0.1)}


RECORDS = "a record that the library fills"
ABSTRACT = "to be subclassed"
INSIDE = "takes traced arrays inside compiled loops; shapes are checked by the annotations"
NOT_TRIED = {
    **dict.fromkeys(
        (
            "cosserat.BodyFields",
            "cosserat.Energetics",
            "cosserat.Trajectory",
            "cosserat.SimulationError",
            "multibody.Dynamics",
            "multibody.Loops",
            "multibody.SimulationError",
            "multibody.Strip",
            "multibody.Trajectory",
            "hydro.Carried",
            "hydro.EARTH",
            "hydro.Solid",
            "gaits.Cycle",
            "gaits.OptimisationError",
            "gaits.Identified",
            "gaits.MidlineFit",
            "gaits.Optimum",
            "gaits.Orbit",
            "ground.Rolling",
            "ground.RollingWrench",
            "stepping.Equations",
            "stepping.Point",
            "stepping.SimulationError",
        ),
        RECORDS,
    ),
    **dict.fromkeys(
        ("cosserat.AbstractSpacePath", "hydro.AbstractFluid", "gaits.AbstractLaw", "stepping.AbstractMechanism"),
        ABSTRACT,
    ),
    **dict.fromkeys(
        (
            "hydro.BladeSection",
            "hydro.EllipticSection",
            "hydro.Place",
            "hydro.PolygonSection",
            "stepping.SemiImplicit",
            "stepping.explicit_steps",
            "stepping.implicit_steps",
            "stepping.integrate",
        ),
        INSIDE,
    ),
    "multibody.from_mjcf": "a text, which MuJoCo reads and refuses: tested with models",
    "gaits.float_leaves": "takes any object",
    **dict.fromkeys(
        (
            "cosserat.Clamped",
            "cosserat.Free",
            "cosserat.Pinned",
            "hydro.Void",
        ),
        "has no argument",
    ),
    **dict.fromkeys(("multibody.fixed", "multibody.spherical"), "its options are those of Joint, which are tried"),
    "gaits.PeriodicRegulator": RECORDS,
}
