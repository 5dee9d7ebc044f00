"""What comes out of the batches of a loader: a list, where torch stacks no tensor of it."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Batch, Loader, LoaderIterator

#: Through so many names a part of a batch is followed.
_LONGEST_CHAIN = 3


def is_of_batch(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether a loader gives it: what it collates of texts, and of other objects, is a list."""
    if isinstance(facts.value(node), (Batch, Loader, LoaderIterator)):
        return True
    if isinstance(node, ast.Subscript):
        return is_of_batch(facts, node.value, depth)
    if not isinstance(node, ast.Name) or depth > _LONGEST_CHAIN:
        return False
    return any(
        is_of_batch(
            facts,
            gone_through(facts, binding) if binding.kind == "for" else binding.value,
            depth + 1,
        )
        for binding in facts.flow.reaching(node)
        if binding.value is not None
    )


def gone_through(facts: Facts, binding: Binding) -> ast.expr:
    """What a loop takes the elements of: ``x`` of ``enumerate(x)`` and of ``zip(y, x)``."""
    iterated, path = binding.value, list(binding.path)
    assert iterated is not None
    while path and isinstance(iterated, ast.Call) and iterated.args:
        walker, step = facts.names.builtin(iterated.func), path.pop(0)
        if walker == "enumerate" and step == 1:
            iterated = iterated.args[0]
        elif walker == "zip" and isinstance(step, int) and step < len(iterated.args):
            iterated = iterated.args[step]
        else:
            break
    return iterated
