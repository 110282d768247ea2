"""Deprecated location of the published machines, now in `anguilla.robots`; removed in 0.3."""

from spatial.moved_names import moved

__getattr__ = moved(
    __name__,
    {
        "EEL_TORQUE_LIMITS": "anguilla.robots.eel:EEL_TORQUE_LIMITS",
        "EelLaw": "anguilla.robots.eel:EelLaw",
        "eel": "anguilla.robots.eel:model",
        "eel_law": "anguilla.robots.eel:eel_law",
        "MothParameters": "anguilla.robots.moth:MothParameters",
        "StrokeLaw": "anguilla.robots.moth:StrokeLaw",
        "moth": "anguilla.robots.moth:model",
        "HeldShape": "anguilla.robots.natrix:HeldShape",
        "ShellLaw": "anguilla.robots.natrix:ShellLaw",
        "UndulationLaw": "anguilla.robots.natrix:UndulationLaw",
        "natrix": "anguilla.robots.natrix:model",
        "natrix_bending": "anguilla.robots.natrix:natrix_bending",
        "natrix_shape": "anguilla.robots.natrix:natrix_shape",
        "natrix_solids": "anguilla.robots.natrix:natrix_solids",
        "natrix_undulation": "anguilla.robots.natrix:natrix_undulation",
        "RowingCycle": "anguilla.robots.rower:RowingCycle",
        "RowingMotion": "anguilla.robots.rower:RowingMotion",
        "Stroke": "anguilla.robots.rower:Stroke",
        "rower": "anguilla.robots.rower:model",
        "rower_loop": "anguilla.robots.rower:rower_loop",
        "scull": "anguilla.robots.rower:scull",
        "steady_stroke": "anguilla.robots.rower:steady_stroke",
        "stroke": "anguilla.robots.rower:stroke",
    },
)
