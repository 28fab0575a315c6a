"""Columns of frames and tables, which are read by their names, and values that are missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._tbindex import Error


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
    if str(of) == "object":  # pandas, if some of the values of bool are missing
        objects = np.where(missing, False, np.asarray(values))
        are_bool = all(isinstance(value, (bool, np.bool_)) for value in objects.flat)
        return objects.astype(bool) if are_bool else objects, missing
    return fill(False if "bool" in str(of).lower() else 0), missing


def squares(
    argument: str, frame: Any, columns: list[str], masks: bool
) -> tuple[NDArray[np.uint8], NDArray[np.bool_] | None]:
    """The squares in the columns with these names as an array of shape (rows, columns), and the rows that lack one.

    A column of floats, which pandas makes of whole numbers where one is missing, lacks what is NaN. A number that is no square
    is an error, or with ``masks`` becomes 64.
    """
    there = names(frame)
    if any(there.count(name) != 1 for name in columns):
        raise ValueError(f"{argument}: a table with the columns {there}: expected one column for each of {columns}")
    labels, found, absent = _labels(frame), [], np.zeros(len(frame), np.bool_)
    for name in columns:
        values, missing = filled(frame[labels[there.index(name)]])
        values = np.asarray(values)
        if values.dtype.kind not in "iuf":
            raise TypeError(f"{argument}: the column {name!r} is of {values.dtype}: expected whole numbers, the squares")
        if missing is not None:
            absent |= missing
        if values.dtype.kind == "f":
            absent |= np.isnan(values)
            values = np.where(np.isnan(values), 0, values)
        wrong = (values < 0) | (values > 63) | (values != np.trunc(values))
        if wrong.any() and not masks:
            place = int(wrong.argmax())
            raise Error(
                f"{argument}: column {name!r}, position {place}: {values[place]}: squares are whole numbers from 0 to 63"
            )
        found.append(np.where(wrong, 64, values).astype(np.uint8))
    return np.stack(found).T, absent if absent.any() else None
