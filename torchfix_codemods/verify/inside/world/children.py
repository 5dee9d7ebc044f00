"""Children of the program are forked, whatever it asks for: they need not import torch again, and
what they are given to do is watched like the rest.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.context
from typing import Any


def install() -> None:
    """Let every way to start a process of ``multiprocessing`` be a fork."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return
    context: Any = multiprocessing.context
    fork = context._concrete_contexts["fork"]
    context._concrete_contexts.update(dict.fromkeys(context._concrete_contexts, fork))
    context._default_context._default_context = fork
