"""The compiler's options that the front door sets: only where the compiler knows them, never against the user's."""

import os
import subprocess
import sys

import pytest

from anguilla import compiler_flags


def test_the_option_is_added_to_those_of_the_user(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
    compiler_flags.switch_on()
    assert os.environ["XLA_FLAGS"].split() == [
        "--xla_force_host_platform_device_count=2",
        "--xla_cpu_use_fusion_emitters=false",
    ]
    compiler_flags.switch_on()
    assert os.environ["XLA_FLAGS"].count(compiler_flags.OPTION) == 1


def test_the_users_own_choice_stays(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=true")
    compiler_flags.switch_on()
    assert os.environ["XLA_FLAGS"] == "--xla_cpu_use_fusion_emitters=true"


@pytest.mark.parametrize("version", [(0, 5, 3), (0, 11, 0), (1, 0)])
def test_a_compiler_that_may_not_know_the_option_is_left_alone(monkeypatch, version):
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    monkeypatch.setattr(compiler_flags, "JAXLIB", version)
    compiler_flags.switch_on()
    assert "XLA_FLAGS" not in os.environ


def test_a_program_is_compiled_with_it():
    """In a process of its own: options are read once, when the backend starts."""
    program = "import anguilla, jax; print(float(jax.jit(lambda x: x * x)(1.5)), __import__('os').environ['XLA_FLAGS'])"
    clean = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    said = subprocess.run([sys.executable, "-c", program], env=clean, capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["2.25", "--xla_cpu_use_fusion_emitters=false"]


def test_the_command_line_answers_without_jax():
    """Help, version and unknown verbs; JAX is configured when it is imported, before or after."""
    script = (
        "import sys, anguilla\n"
        "from anguilla.cli import main\n"
        "for words, code in ((['--version'], 0), (['--help'], 0), (['swimm'], 2)):\n"
        "    try: main(words)\n"
        "    except SystemExit as end: assert end.code == code, (words, end.code)\n"
        "assert 'jax' not in sys.modules and 'numpy' not in sys.modules\n"
        "import jax.numpy as jnp\n"
        "assert jnp.ones(1).dtype == 'float64' and 'anguilla.program_cache' in sys.modules\n"
    )
    after = "import jax, anguilla, jax.numpy as jnp\nassert jnp.ones(1).dtype == 'float64'\n"
    for text in (script, after):
        subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, timeout=120)
