"""Model predictive control: bounded commands that minimise a sum of squares over a short horizon.

The model is any differentiable function (state, command) -> state; this module does not depend on an engine.
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from spatial import Numbers, finite, positive, solve
from spatial.checks import callable_as, integer, shown
from spatial.printing import Printed

SHARES = (1.0, 0.5, 0.2, 0.05)  # step lengths of the line search; the best is taken, or none


class Plan(eqx.Module):
    """Commands for the next steps: the memory of a `Predictive` controller.

    Attributes:
        commands: commands of the steps of the horizon, of any unit.
        last: the last command that was applied, of any unit.
    """

    commands: Float[Array, "steps m"]
    last: Float[Array, "m"]


class Predicted(eqx.Module):
    """A closed loop with a predictive controller, one row for each control step.

    Attributes:
        states: states of the plant at the end of each step.
        commands: command during each step, of any unit.
        cost: predicted cost of the plan at each step, in the unit of the residuals squared.
    """

    states: PyTree[Float[Array, "..."]]
    commands: Float[Array, "steps m"]
    cost: Float[Array, "steps"]


class Predictive(Printed):
    """Receding-horizon control by Gauss-Newton steps: (state, plan) -> (command, plan).

        min over u_1 ... u_N of ½ |r(x_1 ... x_N, u_1 ... u_N)|²,   x_k = model(x_{k-1}, u_k),   low <= u_k <= high

    Each call shifts the previous plan by one step (warm start), improves it by a few projected Gauss-Newton steps with
    exact derivatives through the model, and returns its first command. A step that does not lower the cost is shortened
    or skipped, so that the cost never increases. jit-, vmap- and grad-safe.

    >>> import anguilla, gaits.feedback as fb
    >>> import jax.numpy as jnp
    >>> cart = lambda x, u: jnp.stack([x[0] + 0.1 * x[1], x[1] + 0.1 * u[0]])  # position and speed
    >>> to_zero = lambda states, commands, last: jnp.concatenate([states[:, 0], 0.1 * commands[:, 0]])
    >>> control = fb.Predictive(cart, to_zero, low=[-1.0], high=[1.0], horizon=15)
    >>> loop = control.run(cart, jnp.array([0.3, 0.0]), steps=60)
    >>> bool(jnp.abs(loop.states[-1, 0]) < 0.01), float(jnp.abs(loop.commands).max()) <= 1.0
    (True, True)

    Attributes:
        model: (state, command) -> state one control step later; it may be coarser than the plant.
        residuals: (states, commands, last) -> residual vector r; `states` are those after each step of the horizon and
            `commands` those of each step, along the first axis; `last` is the command before the horizon.
        low: lower bound of the command, of any unit.
        high: upper bound of the command, of any unit.
        damping: damping of the Gauss-Newton step, relative to the mean diagonal of JᵀJ [-].
        horizon: number N of control steps in the horizon.
        iterations: number of Gauss-Newton steps in each call.
    """

    model: Callable[..., Any]
    residuals: Callable[..., Float[Array, "n"]]
    low: Float[Array, "m"]
    high: Float[Array, "m"]
    damping: Float[Array, ""]
    horizon: int = eqx.field(static=True)
    iterations: int = eqx.field(static=True)

    def __init__(
        self,
        model: Callable[..., Any],
        residuals: Callable[..., Any],
        low: Numbers,
        high: Numbers,
        horizon: int = 10,
        iterations: int = 2,
        damping: Numbers = 1e-3,
    ):
        callable_as("Predictive.model", model, "(state, command) -> state")
        callable_as("Predictive.residuals", residuals, "(states, commands, last) -> (n,)")
        self.model, self.residuals = model, residuals
        self.low = finite("Predictive.low", low, (None,))
        self.high = finite("Predictive.high", high, self.low.shape)
        positive("Predictive: high - low", self.high - self.low)
        self.damping = positive("Predictive.damping", damping, "", ())
        self.horizon = integer("Predictive.horizon", horizon, 1)
        self.iterations = integer("Predictive.iterations", iterations, 1)

    def start(self, command: Numbers | None = None) -> Plan:
        """A plan with a constant command, of any unit; when None, the midpoint of the bounds."""
        held = 0.5 * (self.low + self.high) if command is None else finite("command", command, self.low.shape)
        held = jnp.clip(held, self.low, self.high)
        return Plan(jnp.tile(held, (self.horizon, 1)), held)

    def predicted(self, state: PyTree, commands: Float[Array, "steps m"], last: Float[Array, "m"]) -> Float[Array, "n"]:
        """Residuals that the model predicts for commands from a state; `last` is the command before them."""

        def step(x, u):
            x = self.model(x, u)
            return x, x

        _, states = jax.lax.scan(step, state, commands)
        return self.residuals(states, commands, last)

    def cost(self, state: PyTree, commands: Float[Array, "steps m"], last: Float[Array, "m"]) -> Float[Array, ""]:
        """Half the sum of squares of the predicted residuals."""
        return 0.5 * jnp.sum(self.predicted(state, commands, last) ** 2)

    def slope(
        self, state: PyTree, commands: Float[Array, "steps m"], last: Float[Array, "m"]
    ) -> tuple[Float[Array, "n"], Float[Array, "n unknowns"]]:
        """Residuals and their Jacobian with respect to the commands.

        Forward mode, because there are few unknowns and it compiles quickly.
        """

        def both(unknowns):
            found = self.predicted(state, unknowns.reshape(commands.shape), last)
            return found, found

        jacobian, values = jax.jacfwd(both, has_aux=True)(commands.ravel())
        return values, jacobian

    def improved(
        self, state: PyTree, commands: Float[Array, "steps m"], last: Float[Array, "m"]
    ) -> tuple[Float[Array, "steps m"], Float[Array, ""]]:
        """Commands after one projected Gauss-Newton step, and their cost; unchanged if no step lowers the cost."""
        low, high = (jnp.broadcast_to(bound, commands.shape).ravel() for bound in (self.low, self.high))
        residual, J = self.slope(state, commands, last)
        u, gradient, H = commands.ravel(), J.T @ residual, J.T @ J
        # A command at a bound stays there if the descent direction points outwards; the others are free. [B82]
        free = ~(((u <= low) & (gradient > 0.0)) | ((u >= high) & (gradient < 0.0)))
        size = u.shape[0]
        H = H + self.damping * (jnp.trace(H) / size + jnp.finfo(float).tiny) * jnp.eye(size)
        H = jnp.where(free[:, None] & free[None, :], H, jnp.eye(size))
        change = -solve(H, jnp.where(free, gradient, 0.0))
        tried = jax.vmap(lambda share: jnp.clip(u + share * change, low, high))(jnp.asarray(SHARES))
        costs = jax.vmap(lambda x: self.cost(state, x.reshape(commands.shape), last))(tried)
        costs = jnp.append(jnp.where(jnp.isfinite(costs), costs, jnp.inf), 0.5 * jnp.sum(residual**2))
        best = jnp.argmin(costs)
        return jnp.concatenate([tried, u[None]])[best].reshape(commands.shape), costs[best]

    def __call__(self, state: PyTree, plan: Plan) -> tuple[Float[Array, "m"], Plan, Float[Array, ""]]:
        """The command for the next control step, of any unit, the new plan, and its predicted cost.

        Args:
            state: present state of the model.
            plan: plan of the previous control step, or `start()`.
        """
        if not isinstance(plan, Plan):
            raise ValueError(f"plan = {shown(plan)}: must be a Plan, as start() or the last call returns it")
        commands = jnp.concatenate([plan.commands[1:], plan.commands[-1:]])
        improve = lambda _, now: self.improved(state, now[0], plan.last)  # noqa: E731
        commands, cost = jax.lax.fori_loop(0, self.iterations, improve, (commands, jnp.zeros(())))
        return commands[0], Plan(commands, commands[0]), cost

    def run(
        self,
        plant: Callable[..., Any],
        state: PyTree,
        steps: int,
        seen: Callable[..., Any] | None = None,
        plan: Plan | None = None,
    ) -> Predicted:
        """Runs the closed loop with a plant, as one `jax.lax.scan`.

        Args:
            plant: (state, command) -> state one control step later.
            state: initial state of the plant.
            steps: number of control steps.
            seen: maps a state of the plant to a state of the model; the identity when None.
            plan: initial plan; `start()` when None.
        """
        seen = (lambda x: x) if seen is None else seen

        def step(carry, _):
            x, plan = carry
            command, plan, cost = self(seen(x), plan)
            x = plant(x, command)
            return (x, plan), Predicted(x, command, cost)

        begin = self.start() if plan is None else plan
        return jax.lax.scan(step, (state, begin), length=integer("steps", steps, 1))[1]
