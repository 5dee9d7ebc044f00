"""What is certainly a dict: it is made as one, or asked for what nothing else has."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Mapping, Unknown

_DICTS = frozenset(f"collections.{name}" for name in ("Counter", "OrderedDict", "defaultdict"))
#: Sparse tensors have ``values()``, too.
_OF_DICTS = ("items", "keys")


def is_dict(facts: Facts, kept: ast.expr) -> bool:
    """Whether an expression is a dict of Python, or what looks things up as one does.

    Args:
        facts: the facts of the module.
        kept: the expression.
    """
    if isinstance(facts.value(kept), Mapping):
        return True
    made = facts.assigned(kept) if isinstance(kept, ast.Name) else None
    is_made = bool(made) and all(
        isinstance(each, ast.Call)
        and (facts.names.builtin(each.func) == "dict" or facts.name(each.func) in _DICTS)
        for each in made or ()
    )
    return is_made or _is_gone_through(facts, kept)


def _is_gone_through(facts: Facts, kept: ast.expr) -> bool:
    """Whether what nothing else is known of is asked for ``d[2].items()`` in the same function."""
    root = _root(kept)
    if not isinstance(facts.value(kept), Unknown) or not isinstance(root, ast.Name):
        return False
    bindings = set(facts.flow.reaching(root))
    return bool(bindings) and any(
        isinstance(call.func, ast.Attribute)
        and same_expression(call.func.value, kept)
        and isinstance(other := _root(call.func.value), ast.Name)
        and set(facts.flow.reaching(other)) == bindings
        for method in _OF_DICTS
        for call in facts.names.method_calls(method)
    )


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node
