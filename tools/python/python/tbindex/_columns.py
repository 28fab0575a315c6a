"""Columns of frames and tables, which are read by their names, and values that are missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def _labels(frame: Any) -> list[Any]:
    return list(getattr(frame, "column_names", frame.columns))  # Arrow's columns are arrays


def names(frame: Any) -> list[str]:
    """The names of the columns of a frame of pandas or polars, or of a table of Arrow."""
    return [str(label) for label in _labels(frame)]


def filled(values: Any) -> tuple[Any, NDArray[np.bool_] | None]:
    """Values with 0 or False in place of those that are missing, and which these are, if there are any."""
    if isinstance(values, np.ma.MaskedArray):
        missing, fill = np.ma.getmaskarray(values), values.filled
    elif hasattr(values, "isna"):  # pandas
        missing, fill = values.isna(), values.fillna
    elif hasattr(values, "is_null"):  # Arrow and polars
        missing, fill = values.is_null(), values.fill_null
    else:
        return values, None
    missing = np.asarray(missing)
    if not missing.any():
        return np.asarray(values), None
    of = getattr(values, "dtype", None) or values.type
    return fill(False if "bool" in str(of).lower() else 0), missing


def squares(argument: str, frame: Any, columns: list[str]) -> tuple[NDArray[np.uint8], NDArray[np.bool_] | None]:
    """The squares in the columns with these names as an array of shape (rows, columns), and the rows that lack one.

    Numbers that are no square become others that are none.
    """
    there = names(frame)
    if any(there.count(name) != 1 for name in columns):
        raise ValueError(f"{argument}: a table with the columns {there}: expected one column for each of {columns}")
    labels, found, absent = _labels(frame), [], np.zeros(len(frame), np.bool_)
    for name in columns:
        values, missing = filled(frame[labels[there.index(name)]])
        values = np.asarray(values)
        if values.dtype.kind not in "iu":
            raise TypeError(f"{argument}: the column {name!r} is of {values.dtype}: expected whole numbers, the squares")
        found.append(np.clip(values.astype(np.int64, copy=False), -1, 64).astype(np.uint8))
        if missing is not None:
            absent |= missing
    return np.stack(found).T, absent if absent.any() else None
