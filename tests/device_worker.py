"""Public functions on batches that are sharded over two devices of the CPU, for `test_two_devices.py`.

Arguments: names of functions. Prints one line of JSON: for each function how many calls back to Python are inside loops
of its program, how many of its values are of single precision, how many devices hold its result, and the greatest
difference from the result of one device, relative to the greatest value.
"""

import json
import sys

import jax

jax.config.update("jax_num_cpu_devices", 2)

import diffrax  # noqa: E402
import equinox as eqx  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

import anguilla  # noqa: E402  double precision
import cosserat  # noqa: E402
import gaits  # noqa: E402
import gaits.feedback as fb  # noqa: E402
import hydro  # noqa: E402
import multibody as mb  # noqa: E402
from anguilla import ground, learn  # noqa: E402
from anguilla.sweeps.devices import Machine  # noqa: E402

BODY = cosserat.Beam(cosserat.rod(1.0, 0.03, 0.05).profile, load_panels=(2,))
WATER, PATH, SPAN = hydro.Morison(), cosserat.Panels(order=8, panels=1, loads=1, tolerance=1.0), 0.25
TURN, BAR = mb.revolute((0.0, 0.0, 1.0), position=(0.1, 0.0, 0.0)), {"mass": 1.0, "centre": (0.05, 0.0, 0.0)}
CHAIN = mb.from_links(
    [mb.Link("b0", None, None, **BAR), *(mb.Link(f"b{k + 1}", f"b{k}", TURN, **BAR) for k in range(3))]
)
BATCH = np.linspace(0.9, 1.1, 4)


def gait(wavelength):
    """A wave of curvature."""
    return gaits.planar(wavelength=wavelength)


def swim(wavelength):
    """Motion of the nose of a beam by adaptive steps."""
    run = cosserat.rollout(BODY, gait(wavelength), WATER, SPAN, samples=2, path=PATH, rtol=1e-4, throw=False)
    return run.position[-1]


def wrench(wavelength):
    """Internal moment along a beam at one instant."""
    state = cosserat.HeadState(twist=[-0.3, 0.1, 0.0, 0.0, 0.1, 0.2])
    return cosserat.internal_wrench(BODY, gait(wavelength), WATER, state, 0.3, PATH).moment


def soft_swim(wavelength):
    """Motion of a beam with a passive tail by implicit steps."""
    tail = cosserat.FreeStrains(start=0.5, modes={"K3": 2})
    soft = cosserat.Soft(BODY, tail, cosserat.Elastic(young=1e6))
    return cosserat.rollout(soft, gait(wavelength), WATER, SPAN, samples=2, path=PATH, dt0=0.125, throw=False).q[-1]


def torques(scale):
    """Base acceleration and torques of a tree at one instant."""
    q = scale * jnp.linspace(0.1, 0.4, CHAIN.layout.freedoms)
    found = mb.inverse_dynamics(CHAIN, mb.BaseState(), q, q, q)
    return jnp.concatenate([found.base_acceleration, found.torque])


def accelerations(scale):
    """Accelerations of a tree at one instant."""
    q = scale * jnp.linspace(0.1, 0.4, CHAIN.layout.freedoms)
    return mb.forward_dynamics(CHAIN, mb.BaseState(), q, q, q).acceleration


def tree_swim(scale):
    """Motion of a tree by equal steps."""
    law = lambda t: scale * 0.3 * jnp.sin(6.0 * t - jnp.arange(1.0 * CHAIN.layout.freedoms))  # noqa: E731
    steps = {"controller": diffrax.ConstantStepSize(), "dt0": 0.05}
    return mb.rollout(CHAIN, law, None, SPAN, samples=2, throw=False, **steps).position[-1]


def lighthill(wavelength):
    """Motion in Lighthill's water, whose loads pass along the body."""
    water = hydro.Lighthill(friction=0.01, drag_lateral=0.5)
    return cosserat.rollout(BODY, gait(wavelength), water, 0.1, samples=2, path=PATH, rtol=1e-4, throw=False).twist[-1]


def crawl(wavelength):
    """Motion under dry friction."""
    law, rough = gaits.serpenoid(amplitude=0.5, wavelength=wavelength, period=2.0), ground.Friction(0.1, 0.6)
    return cosserat.rollout(BODY, law, rough, 0.1, samples=2, path=PATH, rtol=1e-4, throw=False).twist[-1]


def soft_contact(stiffness):
    """Motion of a soft beam on compliant ground by implicit steps."""
    soft = cosserat.Soft(BODY, cosserat.FreeStrains(modes={"K2": 2}), cosserat.Elastic(1e6, damping_time=0.05))
    earth = hydro.Together(hydro.Weight(1000.0), ground.Contact(stiffness=1e4 * stiffness))
    start = {"state": cosserat.HeadState((0.0, 0.0, 0.04)), "path": PATH, "dt0": 0.02}
    return cosserat.rollout(soft, None, earth, 0.1, samples=2, throw=False, **start).twist[-1]


def tendons(tension):
    """Bending of a clamped soft beam by a tendon."""
    tail, law = cosserat.FreeStrains(modes={"K3": 2}), cosserat.Elastic(1e6)
    thread = cosserat.Thread((0.01, 0.0), tension=lambda t: 5.0 * tension * jnp.sin(6.0 * t))
    arm = cosserat.Soft(BODY, tail, law, actuators=thread, head=cosserat.Clamped())
    return cosserat.rollout(arm, None, WATER, 0.1, samples=2, path=PATH, dt0=0.02, throw=False).q[-1]


def cables(tension):
    """Joints of a tree, pulled by a cable, by implicit steps."""
    hinge = mb.revolute((0.0, 0.0, 1.0), position=(0.1, 0.0, 0.0), actuated=False, stiffness=1.0, damping=0.1)
    bar = BAR | {"about_centre": np.diag([0.01, 0.02, 0.03])}
    tree = mb.from_links([mb.Link("b0", None, None, **bar), mb.Link("b1", "b0", hinge, **bar)])
    cable = mb.Cable([("b0", (0.05, 0.03, 0.0)), ("b1", (0.05, 0.03, 0.0))], 5.0 * tension)
    return mb.stiff_march(tree, None, None, dt=0.01, steps=10, actuators=cable).joints[-1]


class Integral(fb.AbstractController):
    """Proportional and integral action on the heading."""

    gain: jax.Array
    sensors: tuple = (fb.Heading(),)

    def start(self):
        return jnp.zeros(1)

    def __call__(self, t, sensed, memory):
        error = 0.3 - sensed["heading"]
        return -self.gain * jnp.stack([error + memory[0]]), jnp.stack([error])


def feedback(gain):
    """Motion under a controller with memory, through a servo."""
    law = gaits.Steered(fb.Offset(gait(1.0), "K3"), Integral(gain), servo=fb.Servo(2.0))
    steps = {"controller": diffrax.ConstantStepSize(), "dt0": 0.05}
    return cosserat.rollout(BODY, law, WATER, 0.2, samples=2, path=PATH, throw=False, **steps).position[-1]


def steady(wavelength):
    """The period of steady swimming."""
    cycle = cosserat.steady_swim(BODY, gait(wavelength), WATER, steps=8, stations=3, path=PATH, throw=False)
    return jnp.concatenate([cycle.displacement, jnp.ravel(cycle.torque)])


def objective(wavelength):
    """An objective of steady swimming and its derivative, as an optimisation takes them."""

    def cost(wavelength):
        swim = cosserat.steady_swim(BODY, gait(wavelength), WATER, steps=8, stations=3, path=PATH, throw=False)
        return gaits.cost_of_transport(swim)

    return jnp.stack(jax.jvp(cost, (wavelength,), (jnp.ones_like(wavelength),)))


def episode(amplitude):
    """Rewards of some control steps of a learning environment."""
    actions = jnp.tile(jnp.array([0.9, 0.8, 0.4, -0.3]), (3, 1)) * amplitude
    return learn.unroll(learn.make("cruise"), actions, jax.random.key(3)).rewards


def traced(program, inside=False):
    """Calls back to Python inside the loops of a traced program, and values of single precision anywhere in it."""
    calls = singles = 0
    for equation in program.eqns:
        name = equation.primitive.name
        calls += inside and "callback" in name
        singles += sum(str(getattr(out.aval, "dtype", "")) in ("float32", "complex64") for out in equation.outvars)
        for part in jax.tree.leaves(equation.params, is_leaf=lambda x: hasattr(x, "eqns") or hasattr(x, "jaxpr")):
            part = getattr(part, "jaxpr", part)
            if hasattr(part, "eqns"):
                more = traced(part, inside or name in ("while", "scan"))
                calls, singles = calls + more[0], singles + more[1]
    return calls, singles


def figures(program, found, alone, devices):
    """The figures of one function, from its traced program and both results."""
    calls, singles = traced(program.jaxpr)
    found, alone = np.asarray(found), np.asarray(alone)
    difference = float(np.max(np.abs(found - alone)) / np.max(np.abs(alone)))
    return {"calls_in_loops": calls, "singles": singles, "devices": devices, "difference": difference}


def report(function):
    """A function of one number, mapped over the rows."""
    program = jax.make_jaxpr(jax.vmap(function))(BATCH)
    # Arrays of bodies and grids are arguments: as constants of the program the compiler would fold them for minutes.
    mapped = jax.jit(lambda constants, batch: jax.core.eval_jaxpr(program.jaxpr, constants, batch)[0])
    over_two = NamedSharding(Mesh(np.array(jax.devices()), ("rows",)), PartitionSpec("rows"))
    found, alone = mapped(program.consts, jax.device_put(BATCH, over_two)), mapped(program.consts, BATCH)
    return figures(program, found, alone, len(found.sharding.device_set))


def report_sweep():
    """`anguilla.sweep` over all devices, and over the first."""
    held, start = [], Machine.start

    def noted(self, parameters):
        started = start(self, parameters)
        held.append(len(started.results["value"].sharding.device_set))  # pyright: ignore
        return started

    Machine.start = noted
    both, alone = (
        anguilla.sweep(swim, {"wavelength": BATCH}, devices=devices, progress=False)["value"].values
        for devices in (None, jax.devices()[:1])
    )
    assert held[-1] == 1
    return figures(jax.make_jaxpr(jax.vmap(swim))(BATCH), both, alone, held[0])


def report_episodes():
    """`learn.unroll_batch`, which takes all devices, and one device."""
    environment, keys = learn.make("turn"), jax.random.split(jax.random.key(0), 4)
    policy = lambda seen: jnp.tanh(seen[:4])  # noqa: E731
    both = learn.unroll_batch(environment, policy, keys, 3).rewards
    one = lambda key: learn.unroll(environment, policy, key, 3).rewards  # noqa: E731
    alone = eqx.filter_jit(lambda e, keys: jax.vmap(lambda key: learn.unroll(e, policy, key, 3).rewards)(keys))
    program = jax.make_jaxpr(jax.vmap(one))(keys)
    return figures(program, both, alone(environment, keys), len(both.sharding.device_set))


def slope(wavelength):
    """The derivative of a swim in reverse mode."""
    return jax.grad(lambda wavelength: jnp.sum(swim(wavelength)))(wavelength)


if __name__ == "__main__":
    special = {"sweep": report_sweep, "episodes": report_episodes}
    print(json.dumps({name: special[name]() if name in special else report(globals()[name]) for name in sys.argv[1:]}))
