"""Uses of a value without a graph that only read it: they record nothing, under no_grad or not."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.arguments import values_given
from torchfix_codemods.facts.libraries import is_foreign
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.reach import CUTS
from torchfix_codemods.facts.uses import REPORTS, is_formatting
from torchfix_codemods.facts.values import Text

#: What may be called on a value without a graph before it is read: ``y.cpu().numpy()``.
BEFORE_READING = frozenset(
    """cpu cuda contiguous clone squeeze unsqueeze view reshape float double long int byte argmax
    argmin""".split()
)
_REDUCING = frozenset("max min topk sort sum mean t transpose permute".split())

#: What goes through the elements of what it is given.
_ITERATING = frozenset({"enumerate", "zip", "list", "tuple", "reversed"})

_WRITING = ("numpy.", "torch.save", "torchvision.utils.")


def only_reads(use: ast.expr, facts: Facts) -> bool:
    """Whether a use of a value that has no graph certainly records none.

    So does what is cut from it (``out[0].data.numpy()``), what goes to numpy, matplotlib, a file or
    the screen, and a loop over its elements. What is computed from it together with anything else,
    or by a module, may record.
    """
    node = use
    while True:
        parent = facts.parent(node)
        if isinstance(parent, ast.Attribute):
            if parent.attr in CUTS:
                return True
            call = facts.parent(parent)
            if not isinstance(call, ast.Call) or call.func is not parent:
                return False
            if parent.attr not in BEFORE_READING | _REDUCING or not _has_plain_arguments(call):
                return False
            node = call
        elif isinstance(parent, ast.Subscript) and parent.value is node:
            if not _is_plain(parent.slice):
                return False
            node = parent
        else:
            return parent is not None and _is_read_by(parent, node, facts)


def _has_plain_arguments(call: ast.Call) -> bool:
    return all(_is_plain(given) for given in values_given(call))


def _is_plain(node: ast.expr) -> bool:
    """Whether nothing is called in an expression."""
    return not any(isinstance(part, (ast.Call, ast.Await)) for part in ast.walk(node))


def _is_read_by(parent: ast.AST, node: ast.expr, facts: Facts) -> bool:
    if isinstance(parent, (ast.For, ast.AsyncFor)):
        return parent.iter is node
    if isinstance(parent, ast.FormattedValue):
        return True
    if isinstance(parent, ast.Tuple):
        outer = facts.parent(parent)
        return isinstance(outer, ast.BinOp) and is_formatting(facts, outer, parent)
    if isinstance(parent, ast.BinOp):
        return is_formatting(facts, parent, node)
    call = facts.parent(parent) if isinstance(parent, ast.keyword) else parent
    return isinstance(call, ast.Call) and call.func is not node and _reads(call, facts)


def _reads(call: ast.Call, facts: Facts) -> bool:
    function = call.func
    if isinstance(function, ast.Name) and facts.names.is_builtin(function):
        if function.id in REPORTS:
            return True
        around = facts.parent(call)
        return function.id in _ITERATING and around is not None and _is_read_by(around, call, facts)
    name = facts.name(function)
    if name is not None:
        return name.startswith(_WRITING) or is_foreign(name)
    is_format = isinstance(function, ast.Attribute) and function.attr == "format"
    return is_format and isinstance(facts.value(function.value), Text)  # type: ignore[attr-defined]
