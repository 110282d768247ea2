"""Studies of the continuous eel: a better gait, body and gait together, gradients against CMA-ES."""
