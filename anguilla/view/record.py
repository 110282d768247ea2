"""Checks that a figure receives a labelled record with the variables it needs."""

import xarray as xr

from .links import TREE, is_tree

BODY = ("time", "X", "position", "orientation", "head_position", "semiaxis_b", "semiaxis_c")  # to draw a body


def check_body(dataset: object) -> None:
    """Raises unless the argument is a record of either engine from which a body can be drawn."""
    tree = isinstance(dataset, xr.Dataset) and is_tree(dataset)
    check_record(dataset, TREE if tree else BODY, made_by="multibody.simulate" if tree else "cosserat.simulate")


def check_record(
    dataset: object,
    needs: tuple[str, ...] = BODY,
    *,
    name: str = "dataset",
    made_by: str = "cosserat.simulate",
) -> None:
    """Raises unless the argument is a labelled record with the required variables.

    Args:
        dataset: the argument to check.
        needs: names of required variables and coordinates.
        name: name of the argument.
        made_by: function that returns such records.

    Raises:
        ValueError: it has another type, or variables are missing.
    """
    if not isinstance(dataset, xr.Dataset):
        file = ", or `anguilla.load(...)`" if made_by.endswith("simulate") else ""
        raise ValueError(
            f"{name} is a {type(dataset).__name__}: must be the xarray.Dataset that `{made_by}` returns{file}"
        )
    missing = [variable for variable in needs if variable not in dataset.variables]
    if missing:
        raise ValueError(f"{name} has no {', '.join(missing)}: must be a record of `{made_by}`")
