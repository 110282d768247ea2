"""Public functions on batches that are sharded over two devices of the CPU, for `test_two_devices.py`.

Prints one line of JSON: for each function how many calls back to Python are inside loops of its program, how many
devices hold its result, and the greatest difference from the result of one device, relative to the greatest value.
"""

import json

import jax

jax.config.update("jax_num_cpu_devices", 2)

import diffrax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

import anguilla  # noqa: E402, F401  double precision
import cosserat  # noqa: E402
import gaits  # noqa: E402
import hydro  # noqa: E402
import multibody as mb  # noqa: E402

BODY = cosserat.Beam(cosserat.rod(1.0, 0.03, 0.05).profile, load_panels=(2,))
WATER, PATH, SPAN = hydro.Morison(), cosserat.Panels(order=8), 0.25
TURN, BAR = mb.revolute((0.0, 0.0, 1.0), position=(0.1, 0.0, 0.0)), {"mass": 1.0, "centre": (0.05, 0.0, 0.0)}
CHAIN = mb.from_links(
    [mb.Link("b0", None, None, **BAR), *(mb.Link(f"b{k + 1}", f"b{k}", TURN, **BAR) for k in range(3))]
)


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


def calls_in_loops(program, inside=False):
    """Number of calls back to Python inside the loops of a traced program."""
    count = 0
    for equation in program.eqns:
        name = equation.primitive.name
        count += inside and "callback" in name
        for part in jax.tree.leaves(equation.params, is_leaf=lambda x: hasattr(x, "eqns") or hasattr(x, "jaxpr")):
            part = getattr(part, "jaxpr", part)
            if hasattr(part, "eqns"):
                count += calls_in_loops(part, inside or name in ("while", "scan"))
    return count


def report(function):
    """The figures of one function of one number."""
    batch = np.linspace(0.9, 1.1, 4)
    over_two = NamedSharding(Mesh(np.array(jax.devices()), ("rows",)), PartitionSpec("rows"))
    mapped = jax.jit(jax.vmap(function))
    calls = calls_in_loops(mapped.trace(batch).jaxpr)
    found, alone = mapped(jax.device_put(batch, over_two)), mapped(batch)
    size = float(jnp.max(jnp.abs(alone)))
    difference = float(np.max(np.abs(np.asarray(found) - np.asarray(alone))))
    return {"calls_in_loops": calls, "devices": len(found.sharding.device_set), "difference": difference / size}


if __name__ == "__main__":
    slope = jax.grad(lambda wavelength: jnp.sum(swim(wavelength)))
    functions = {f.__name__: f for f in (swim, wrench, soft_swim, torques, accelerations, tree_swim)} | {"slope": slope}
    print(json.dumps({name: report(f) for name, f in functions.items()}))
