"""The compiler's options that the front door sets: only where the compiler knows them, never against the user's."""

import os
import subprocess
import sys

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


def test_an_option_that_the_compiler_does_not_know_is_left_out(monkeypatch):
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    monkeypatch.setattr(compiler_flags, "OPTION", "xla_cpu_" + "no_such_option")
    compiler_flags.switch_on()
    assert "XLA_FLAGS" not in os.environ


def test_a_program_is_compiled_with_it():
    """In a process of its own: options are read once, when the backend starts."""
    program = "import anguilla, jax; print(float(jax.jit(lambda x: x * x)(1.5)), __import__('os').environ['XLA_FLAGS'])"
    clean = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    said = subprocess.run([sys.executable, "-c", program], env=clean, capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["2.25", "--xla_cpu_use_fusion_emitters=false"]
