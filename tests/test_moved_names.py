"""Public names of version 0.1.0 that have moved: found at their old place, with a warning that gives the new one."""

import importlib

import pytest

MOVED = {
    "multibody.robots": "eel eel_law moth natrix natrix_undulation rower scull steady_stroke StrokeLaw ShellLaw",
    "multibody.vertebra": "Wrist Layout direct_kinematics inverse_kinematics jacobian workspace largest_amplitude",
    "spatial": "Span integrate SimulationError raise_if_failed kept_program",
    "anguilla.view": "moth_deformation moth_film moth_forces moth_multipliers moth_still moth_velocities",
}


@pytest.mark.parametrize("package", MOVED)
def test_old_places_work_and_name_the_new_one(package):
    module = importlib.import_module(package)
    for name in MOVED[package].split():
        with pytest.warns(DeprecationWarning, match=f"{package}.{name} has moved to .*; removed in 0.3"):
            assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        module.no_such_name  # noqa: B018


def test_import_from_an_old_module():
    with pytest.warns(DeprecationWarning):
        from multibody.vertebra import Wrist
    from anguilla.robots.vertebra import Wrist as wrist

    assert Wrist is wrist
