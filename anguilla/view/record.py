"""What is drawn must be a labelled record with the variables the figure needs; anything else is refused in words."""

import xarray as xr

BODY = ("time", "X", "position", "orientation", "head_position", "semiaxis_b", "semiaxis_c")  # to draw a body


def check_record(
    dataset: object,
    needs: tuple[str, ...] = BODY,
    *,
    name: str = "dataset",
    made_by: str = "cosserat.simulate",
) -> None:
    """Refuses what is not a labelled record, or lacks variables that will be drawn.

    Args:
        dataset: what the caller gave.
        needs: names of variables and coordinates.
        name: of the argument.
        made_by: what makes such records.

    Raises:
        ValueError: it is something else, or variables are missing.
    """
    if not isinstance(dataset, xr.Dataset):
        file = ", or `anguilla.load(...)`" if made_by.endswith("simulate") else ""
        raise ValueError(
            f"{name} is a {type(dataset).__name__}: must be the xarray.Dataset that `{made_by}` returns{file}"
        )
    missing = [variable for variable in needs if variable not in dataset.variables]
    if missing:
        tree = needs is BODY and "rotation" in dataset.variables
        hint = "; that of a tree becomes one by `anguilla.view.chain_body`" if tree else ""
        raise ValueError(f"{name} has no {', '.join(missing)}: must be a record of `{made_by}`{hint}")
