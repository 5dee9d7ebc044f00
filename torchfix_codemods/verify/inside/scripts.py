"""Which of the changed lines are in a graph of TorchScript that ran: no mark is in there.

All lines of a graph count as run when it is called, those of a branch not taken, too.
"""

from __future__ import annotations

import functools
import re
from typing import Any, Callable, Iterator, Tuple

import torch

from .trace import Trace

_PLACE = re.compile(r'File "([^"]+)", line (\d+)')

#: A file and a line of it.
Line = Tuple[str, int]


def install(trace: Trace, ran: Callable[[str, int], None]) -> None:
    """Tell of the lines of each scripted function and module that is called from now on.

    Args:
        trace: the record, which knows the user's files.
        ran: is called with a path within the tree and a line.
    """
    for name in ("ScriptFunction", "RecursiveScriptModule"):
        cls = getattr(torch.jit, name, None)
        if cls is not None:
            _tell_of_calls(cls, trace, ran)


def _tell_of_calls(cls: Any, trace: Trace, ran: Callable[[str, int], None]) -> None:
    original = cls.__call__
    told: set[int] = set()

    @functools.wraps(original)
    def call(script: Any, *args: Any, **kwargs: Any) -> Any:
        if id(script) not in told:
            told.add(id(script))
            try:
                for path, line in set(_lines(script.inlined_graph)):
                    relative = trace.relative(path)
                    if relative is not None:
                        ran(relative, line)
            except Exception:
                # A module without a forward of its own has no graph.
                pass
        return original(script, *args, **kwargs)

    cls.__call__ = call


def _lines(block: Any) -> Iterator[Line]:
    for node in block.nodes():
        for path, line in _PLACE.findall(node.sourceRange()):
            yield path, int(line)
        for inner in node.blocks():
            yield from _lines(inner)
