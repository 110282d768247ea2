"""Values and derivatives of a model in forward mode, and the error of a model that allows reverse mode only."""

from collections.abc import Callable
from typing import Any

import jax

REFUSED = "forward-mode autodiff (jvp) to a custom_vjp"  # part of JAX's message


def values_and_jacobian(function: Callable[[Any], Any], x: Any) -> tuple[Any, Any]:
    """Values of a function of a vector, and their derivatives by it.

    Raises:
        ValueError: part of the function has a derivative in reverse mode only.
    """
    try:
        jacobian, values = jax.jacfwd(lambda z: (function(z),) * 2, has_aux=True)(x)
    except TypeError as error:
        if REFUSED not in str(error):
            raise
        raise ValueError(
            "model: has derivatives in reverse mode only: it is differentiated in forward mode; give "
            "adjoint=diffrax.ForwardMode() to `rollout`"
        ) from error
    return values, jacobian
