"""Studies of the continuous eel: gait optimisation, co-design of body and gait, gradients against CMA-ES."""
