"""Uses of a value without a graph that only read it: they record nothing, under no_grad or not."""

from __future__ import annotations

import ast
from typing import TypeGuard

from torchfix_codemods.facts.language.arguments import call_taking, values_given
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.libraries import python_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import is_formatting
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
    node = use
    is_computed = False
    while True:
        parent = facts.parent(node)
        if isinstance(parent, ast.Attribute):
            if torch_effects.cuts_graph(parent.attr):
                return not is_computed
            call = facts.parent(parent)
            if not isinstance(call, ast.Call) or call.func is not parent:
                return False
            is_known = may_come_before(parent.attr) or _chooses_or_reduces(parent.attr)
            if not is_known or not _has_plain_arguments(call):
                return False
            node = call
        elif isinstance(parent, ast.Subscript) and parent.value is node:
            if not _is_plain(parent.slice):
                return False
            node = parent
        elif _is_asked(parent, node):
            return True
        elif _is_arithmetic(parent, node, facts):
            is_computed = is_computed or not _is_with_number(parent, node, facts)
            node = parent
        elif is_computed:
            return parent is not None and _is_written_by(parent, node, facts)
        else:
            return parent is not None and _is_read_by(parent, node, facts)


def _is_asked(parent: ast.AST | None, node: ast.expr) -> bool:
    """``out == wanted``, ``not out``, ``if out:``: what comes of it is part of no graph."""
    if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return parent.test is node
    is_negation = isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
    return is_negation or isinstance(parent, ast.Compare)


def _is_arithmetic(parent: ast.AST | None, node: ast.expr, facts: Facts) -> TypeGuard[ast.expr]:
    """``100 * out / len(x)``, ``-out``: with nothing that other code computes."""
    if isinstance(parent, ast.UnaryOp):
        return True
    if not isinstance(parent, ast.BinOp) or is_formatting(facts, parent, node):
        return False
    other = parent.right if parent.left is node else parent.left
    return all(_is_of_numbers(c, facts) for c in ast.walk(other) if isinstance(c, ast.Call))


def _is_with_number(operation: ast.expr, node: ast.expr, facts: Facts) -> bool:
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


def may_come_before(method: str) -> bool:
    """Whether a method may be called on a value without a graph before it is read.

    It gives the numbers themselves, as in ``y.cpu().numpy()``, or places, which have no graph.
    """
    if not torch_effects.reads_only(method):
        return False
    return torch_effects.does(method, "keeps", "reshapes", "repeats", "casts", "moves") or (
        torch_effects.does(method, "reduces") and torch_effects.has_no_graph(method)
    )


def _chooses_or_reduces(method: str) -> bool:
    return torch_effects.reads_only(method) and torch_effects.does(method, "chooses", "reduces")


def _is_written_by(parent: ast.AST, node: ast.expr, facts: Facts) -> bool:
    """Whether a computed value becomes text or a number: the graph that it may have goes, too."""
    call = call_taking(facts.names, node)
    if call is not None:
        return _writes(call, facts)
    return not isinstance(parent, (ast.For, ast.AsyncFor)) and _is_read_by(parent, node, facts)


def _has_plain_arguments(call: ast.Call) -> bool:
    return all(_is_plain(given) for given in values_given(call))


def _is_plain(node: ast.expr) -> bool:
    """Whether nothing is called in an expression."""
    return not any(isinstance(part, (ast.Call, ast.Await)) for part in ast.walk(node))


def _is_read_by(parent: ast.AST, node: ast.expr, facts: Facts) -> bool:
    if isinstance(parent, (ast.For, ast.AsyncFor)):
        return parent.iter is node
    if isinstance(parent, (ast.FormattedValue, ast.Expr)):
        # What is a statement by itself, a notebook may show.
        return True
    if isinstance(parent, (ast.Tuple, ast.List)):
        outer = facts.parent(parent)
        is_formatted = isinstance(outer, ast.BinOp) and is_formatting(facts, outer, parent)
        return is_formatted or _is_gone_through(parent, facts)
    if isinstance(parent, ast.BinOp):
        return is_formatting(facts, parent, node)
    call = call_taking(facts.names, node)
    return call is not None and _reads(call, facts)


def _is_gone_through(listed: ast.expr, facts: Facts) -> bool:
    """``for loss in [a, b]:``, ``for i, loss in enumerate([a, b]):``."""
    around = facts.parent(listed)
    if isinstance(around, ast.Call) and facts.names.builtin(around.func) in ("enumerate", "zip"):
        listed, around = around, facts.parent(around)
    return isinstance(around, (ast.For, ast.AsyncFor)) and around.iter is listed


def _reads(call: ast.Call, facts: Facts) -> bool:
    if _writes(call, facts):
        return True
    builtin = facts.names.builtin(call.func)
    if builtin is not None:
        around = facts.parent(call)
        return builtin in _ITERATING and around is not None and _is_read_by(around, call, facts)
    name = facts.name(call.func)
    return name is not None and (name.startswith(_WRITING) or is_foreign(name))


def _writes(call: ast.Call, facts: Facts) -> bool:
    """``print(out)``, ``float(out)``, ``"{:.3f}".format(out)``, ``" ".join(out)``."""
    function = call.func
    if isinstance(function, ast.Name):
        return python_functions.reports(facts.names.builtin(function))
    return isinstance(function, ast.Attribute) and isinstance(facts.value(function.value), Text)
