"""Double precision, no silent broadcasting, one place for compiled programs between runs."""

import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_compilation_cache_dir", ".pytest_cache/jax")
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
