"""Uses of a value without a graph that only read it: they record nothing, under no_grad or not."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.libraries import python_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Number, Text

#: What goes through the elements of what it is given.
_ITERATING = frozenset({"enumerate", "zip", "list", "tuple", "reversed"})


_WRITING = ("numpy.", "torch.save", "torchvision.utils.")


def only_reads(use: ast.expr, facts: Facts) -> bool:
    """Whether a use of a value that has no graph certainly records none.

    So does what is cut from it (``out[0].data.numpy()``), what goes to numpy, matplotlib, a file or
    the screen, a comparison, and a loop over its elements. What is computed from it together with
    anything else, or by a module, may record; numbers for a text that are computed from it may not.
    """
    return follow([Place(facts, use)], _may_record) is None


def _may_record(use: Use) -> Iterable[Place] | None:
    """None for what may record a graph; else what has none either."""
    facts, by = use.facts, use.by
    if use.kind == "operand":
        if not _is_of_plain(use):
            return None
        if _is_with_number(by, use.node, facts):
            return use.result()
        return () if follow(use.result(), _may_keep) is None else None
    if torch_effects.cuts_graph(_asked_for(use)):
        return ()
    if use.kind == "argument" and isinstance(by, ast.Call):
        return _of_argument(use, by)
    if use.kind == "element":
        return use.result() if isinstance(by, (ast.Tuple, ast.List)) else None
    if use.kind == "iterated":
        return () if isinstance(by, (ast.For, ast.AsyncFor)) else None
    return _of_value(use)


def _may_keep(use: Use) -> Iterable[Place] | None:
    """The same of what is computed: as text or a number it has no graph any more."""
    if use.kind == "operand":
        return use.result() if _is_of_plain(use) else None
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        return () if _writes(use.by, use.facts) else None
    return _of_value(use)


def _of_value(use: Use) -> Iterable[Place] | None:
    if use.kind in ("asked", "compared", "formatted", "statement"):
        # What is a statement by itself, a notebook may show.
        return ()
    if use.kind == "tested":
        return None if isinstance(use.by, ast.comprehension) else ()
    if use.kind == "method" and isinstance(use.by, ast.Call):
        method = _asked_for(use)
        is_known = torch_effects.may_come_before(method) or _chooses_or_reduces(method)
        is_plain = all(_is_plain(given) for given in values_given(use.by))
        return use.result() if is_known and is_plain else None
    is_part = isinstance(use.by, ast.Subscript) and use.kind == "item" and _is_plain(use.by.slice)
    return use.result() if is_part else None


def _asked_for(use: Use) -> str:
    """The attribute or method of a value that is asked for."""
    asked = use.facts.parent(use.node)
    is_value = use.kind in ("attribute", "method") and isinstance(asked, ast.Attribute)
    return asked.attr if isinstance(asked, ast.Attribute) and is_value else ""


def _of_argument(use: Use, call: ast.Call) -> Iterable[Place] | None:
    if _writes(call, use.facts):
        return ()
    builtin = use.facts.names.builtin(call.func)
    if builtin is not None:
        return use.result() if builtin in _ITERATING else None
    name = use.facts.name(call.func)
    return () if name is not None and (name.startswith(_WRITING) or is_foreign(name)) else None


def _is_of_plain(use: Use) -> bool:
    """``100 * out / len(x)``, ``-out``: with nothing that other code computes."""
    if not isinstance(use.by, ast.BinOp):
        return True
    other = use.by.right if use.by.left is use.node else use.by.left
    return all(_is_of_numbers(c, use.facts) for c in ast.walk(other) if isinstance(c, ast.Call))


def _is_with_number(operation: ast.AST, node: ast.expr, facts: Facts) -> bool:
    """``out / 2``, ``-out``: what has no graph has none then."""
    if not isinstance(operation, ast.BinOp):
        return True
    other = operation.right if operation.left is node else operation.left
    return isinstance(facts.value(other), Number)


def _is_of_numbers(call: ast.Call, facts: Facts) -> bool:
    builtin = facts.names.builtin(call.func)
    if builtin is not None:
        return python_functions.reports(builtin)
    return (facts.name(call.func) or "").startswith(("math.", "numpy."))


def _chooses_or_reduces(method: str) -> bool:
    return torch_effects.reads_only(method) and torch_effects.does(method, "chooses", "reduces")


def _is_plain(node: ast.expr) -> bool:
    """Whether nothing is called in an expression."""
    return not any(isinstance(part, (ast.Call, ast.Await)) for part in ast.walk(node))


def _writes(call: ast.Call, facts: Facts) -> bool:
    """``print(out)``, ``float(out)``, ``"{:.3f}".format(out)``, ``" ".join(out)``."""
    function = call.func
    if isinstance(function, ast.Name):
        return python_functions.reports(facts.names.builtin(function))
    return isinstance(function, ast.Attribute) and isinstance(facts.value(function.value), Text)
