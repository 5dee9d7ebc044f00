"""The mode of files that Python 3.11 does not open any more: ``open(path, "rU")``."""

from __future__ import annotations

import ast
import re

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts

#: What a call has that opens a file.
OPENS = frozenset({"open"})
_FUNCTIONS = frozenset({"io.open", "codecs.open"})
# Beside "+", which writes, no Python 3 took it.
_MODE = re.compile(r"(?=[rbt]*U[rbt]*$)")


def old_mode(call: ast.Call, facts: Facts) -> tuple[ast.expr, str] | None:
    """A mode that is gone, and what is written for it: ``"r"`` for ``"rU"``; None of others.

    Args:
        call: a call of something that may open a file.
        facts: the facts of the module.
    """
    mode = None if is_opaque(call) else argument(call, 1, "mode")
    given = None if mode is None else constant(mode)
    if mode is None or not isinstance(given, str) or not _MODE.match(given):
        return None
    if facts.names.builtin(call.func) not in OPENS and facts.name(call.func) not in _FUNCTIONS:
        return None
    kept = given.replace("U", "")
    return mode, kept if "r" in kept else f"r{kept}"
