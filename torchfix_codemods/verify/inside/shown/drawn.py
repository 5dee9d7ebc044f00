"""What a program draws with matplotlib: to many a script its plots are all that it gives.

Each call of an axis that draws is told as something that is saved, by its numbers; whether they
come as a tensor, an array or a list, and in which precision, is the same. What is written into a
plot is told as if it were printed.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy
import torch

from ..digest import digest
from ..imports import after_import
from ..trace import Trace

#: The methods of axes that take numbers to draw.
_DRAWING = (
    "plot scatter bar barh hist imshow matshow step stem errorbar fill_between boxplot text "
    "contour contourf pcolormesh semilogx semilogy loglog quiver plot_surface plot_wireframe"
).split()

#: Where the classes of axes are.
_CLASSES = {"matplotlib.axes": "Axes", "mpl_toolkits.mplot3d.axes3d": "Axes3D"}


def install(trace: Trace) -> None:
    """Tell of what is drawn, as soon as the program imports matplotlib.

    Args:
        trace: the record.
    """
    for module, name in _CLASSES.items():
        after_import(module, functools.partial(_record, name, trace))


def _record(name: str, trace: Trace, module: Any) -> None:
    cls = getattr(module, name)
    for method in _DRAWING:
        if hasattr(cls, method):
            setattr(cls, method, _recorded(getattr(cls, method), method, trace))


_DRAWS = threading.local()


def _recorded(method: Any, name: str, trace: Trace) -> Any:
    @functools.wraps(method)
    def draw(*args: Any, **kwargs: Any) -> Any:
        if trace.is_busy or getattr(_DRAWS, "now", False):
            return method(*args, **kwargs)
        for value in (*args[1:], *kwargs.values()):
            if isinstance(value, str) and name == "text":
                _say(value, trace)
        given = [_numbers(value) for value in (*args[1:], *kwargs.values())]
        trace.emit("save", lambda: {"file": f"plot {name}", "value": digest(given)})
        _DRAWS.now = True
        try:
            return method(*args, **kwargs)
        finally:
            _DRAWS.now = False

    return draw


def _say(words: str, trace: Trace) -> None:
    trace.emit("print", lambda: {"value": words})


def _numbers(value: Any) -> Any:
    """Numbers as they can be drawn, in single precision; nothing of colours and other objects."""
    if isinstance(value, (str, bool)) or value is None:
        return None
    try:
        if isinstance(value, torch.Tensor):
            value = value.detach().cpu().numpy()
        return numpy.array(value, dtype="float32")
    except (TypeError, ValueError, RuntimeError):
        return None
