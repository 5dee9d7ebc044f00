"""Whether a number of Python is needed where a call of today gives a tensor of no dimension."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from torchfix_codemods.facts.libraries import python_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.uses import writes_text_of
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Array, Text

#: ``{!r}`` and ``{!s}`` of a format, which write a tensor as ``str`` does.
_CONVERSION = re.compile(r"![rsa]")


def needs_number(facts: Facts, node: ast.expr) -> bool:
    """Whether something tells the tensor of no dimension ``node`` from the number that it holds.

    Comparing, calculating and ``"{:.2f}".format(node)`` do not. Printing does, and so may what
    keeps it, hands it on, or adds many of them up.
    """
    return follow([Place(facts, node)], _tells_number) is not None


def _tells_number(use: Use) -> Iterable[Place] | None:
    """None for what tells a tensor from a number; else where what is made of it goes."""
    if use.place.content:
        return None
    # No number has methods of tensors: there a tensor is meant.
    if use.kind in ("attribute", "method", "statement", "tested"):
        return ()
    if use.kind in ("compared", "chosen"):
        return use.result()
    if use.kind == "asked":
        return () if use.is_for_identity else None
    if use.kind == "operand":
        return None if _meets_array(use) else use.result()
    if use.kind == "formatted":
        return None if _writes_as_text(use) else ()
    if use.kind == "bound" and isinstance(use.by, ast.Assign):
        is_named = all(isinstance(target, ast.Name) for target in use.by.targets)
        return _reads_in_function(use) if is_named else None
    return () if use.kind == "argument" and _takes_either(use) else None


def _reads_in_function(use: Use) -> list[Place] | None:
    """The reads of a name of a function; one of the module may be read from other files."""
    return [*use.named()] if use.facts.names.scope_of(use.by).kind == "function" else None


def _meets_array(use: Use) -> bool:
    """``array * norm``, which gives an array for a number, and a tensor or nothing else."""
    by = use.by
    return isinstance(by, ast.BinOp) and any(
        isinstance(use.facts.value(operand), Array) for operand in (by.left, by.right)
    )


def _writes_as_text(use: Use) -> bool:
    by = use.by
    if isinstance(by, ast.FormattedValue):
        return by.conversion != -1
    return not isinstance(by, ast.BinOp) or writes_text_of(use.facts, by, by.right)


def _takes_either(use: Use) -> bool:
    """``float(norm)``, ``"{}".format(norm)``."""
    call = use.by
    if not isinstance(call, ast.Call):
        return False
    if python_functions.makes_number(use.facts.names.builtin(call.func)):
        return True
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "format"):
        return False
    form = use.facts.value(call.func.value)
    is_plain = not isinstance(call.func.value, ast.Constant) or not _CONVERSION.search(
        str(call.func.value.value)
    )
    return isinstance(form, Text) and is_plain
