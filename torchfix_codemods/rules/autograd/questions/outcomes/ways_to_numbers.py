"""What stands between a value with a graph and the number or the text that is made of it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import call_taking, values_given
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import (
    WITHOUT_HISTORY,
    Array,
    Module,
    Number,
    Size,
    Tensor,
    Text,
    Value,
)

#: Modules of Python that read numbers out of what they get.
_READING_LIBRARIES = frozenset({"json", "logging", "math", "sys", "warnings"})
_CHOOSING_METHODS = frozenset("argmax max topk".split())
_CHOOSING_LOSSES = frozenset("cross_entropy nll_loss CrossEntropyLoss NLLLoss NLLLoss2d".split())


def way_up(start: ast.expr, end: ast.expr, facts: Facts) -> Iterator[tuple[ast.AST, ast.AST]]:
    """The nodes from an expression up to one around it, each with the one that holds it."""
    child: ast.AST = start
    while child is not end:
        parent = facts.parent(child)
        assert parent is not None
        yield child, parent
        child = parent


def has_no_history(value: Value) -> bool:
    """Whether a value is certainly part of no graph."""
    if isinstance(value, Tensor):
        return value.grad is False or value.dtype in WITHOUT_HISTORY
    return isinstance(value, (Number, Array, Text, Size))


def is_kept_by_python(node: ast.expr, facts: Facts) -> bool:
    """Whether a function of Python itself may pass the graph on: ``deque(outputs)``."""
    call = call_taking(facts.names, node)
    if call is None:
        return False
    top = (facts.name(call.func) or "").partition(".")[0]
    return top in sys.stdlib_module_names and top not in _READING_LIBRARIES


def with_methods(node: ast.expr, facts: Facts) -> ast.expr:
    """``Variable(x).cuda()`` for ``x``: what is made of something that has no graph has none."""
    while True:
        parent = facts.parent(node)
        if isinstance(parent, ast.Attribute):
            node = parent
        elif isinstance(parent, ast.Call) and (parent.func is node or parent.args[:1] == [node]):
            others = values_given(parent)
            if not all(isinstance(o, (ast.Name, ast.Constant)) for o in others if o is not node):
                return node
            node = parent
        else:
            return node


def is_text(node: ast.expr, facts: Facts) -> bool:
    """``print(loss)``, ``"%f" % loss``: nothing is computed there that has a graph."""
    if isinstance(facts.value(node), Text):
        return True
    return isinstance(node, ast.Call) and getattr(node.func, "id", None) in ("print", "len", "type")


def chooses(start: ast.expr, facts: Facts) -> bool:
    """Whether a class is chosen by a value in its statement, or a loss for classes computed."""
    for parent in facts.names.ancestors(start):
        if isinstance(parent, ast.stmt):
            break
        if isinstance(parent, ast.Call):
            name = facts.name(parent.func) or ""
            value = facts.value(parent.func)
            if isinstance(value, Module):
                name = value.cls or ""
            method = parent.func.attr if isinstance(parent.func, ast.Attribute) else ""
            last = name.rpartition(".")[2]
            has_dimension = len(values_given(parent)) > name.startswith("torch.")
            if name.startswith("torch.") and last in _CHOOSING_LOSSES:
                return True
            if (last if name.startswith("torch.") else method) in _CHOOSING_METHODS:
                return has_dimension
    return False


def stores_of(statement: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For) -> Iterator[ast.AST]:
    """What a statement stores in: names, attributes, items, and the tuples of them."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, (ast.expr)) and isinstance(getattr(node, "ctx", None), ast.Store):
                yield node
