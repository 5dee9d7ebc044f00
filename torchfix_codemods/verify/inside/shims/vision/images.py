"""Pictures: of PIL where it is installed, arrays where it is not."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

try:
    PIL: Any = importlib.import_module("PIL.Image")
except ImportError:
    PIL = None


def picture(array: Any) -> Any:
    """An array (height, width[, channels]) as a picture; a picture as it is."""
    if PIL is None or not isinstance(array, np.ndarray):
        return array
    return PIL.fromarray(np.ascontiguousarray(array))


def array_of(image: Any) -> Any:
    """The array (height, width[, channels]) of a picture."""
    return image if isinstance(image, np.ndarray) else np.array(image)


def read(path: str) -> Any:
    """The picture in a file, in three colours."""
    if PIL is None:
        raise ImportError("reading a picture from a file needs PIL")
    with open(path, "rb") as file:
        return PIL.open(file).convert("RGB")
