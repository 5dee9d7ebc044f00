"""Batches that a function makes of one example and takes it out of again."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.module import Facts


def leaves_batch(facts: Facts, node: ast.Subscript) -> bool:
    """Whether an index 0 takes out of a batch what the same test above has made one of.

    ``if single: x = x.unsqueeze(0)``, and below ``if single: y = y.data[0]``: a row.
    """
    function, names = facts.names.enclosing_function(node), facts.names
    asked = {
        test.id for test, way in tests_around(names, node) if way and isinstance(test, ast.Name)
    }
    if function is None or not asked:
        return False
    return any(
        way and isinstance(test, ast.Name) and test.id in asked
        for call in names.method_calls("unsqueeze")
        if call.lineno < node.lineno
        and names.enclosing_function(call) is function
        and _adds_first(call)
        for test, way in tests_around(names, call)
    )


def _adds_first(call: ast.Call) -> bool:
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return len(given) == 1 and constant(given[0]) == 0
