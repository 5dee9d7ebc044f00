"""`iterator.next()` is Python 2: `next(iterator)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.evidence import defines_method
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import Instance, LoaderIterator, Module
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule


class LoaderNext(Rule):
    """
    ## What it does
    Takes the next batch of a `DataLoader`'s iterator by `next(iterator)`.

    ## Why
    `next` as a method is Python 2. The iterators of `DataLoader` kept it as an extra until torch
    1.12; since 1.13 it raises `AttributeError`.

    ## Example
    ```python
    images, labels = iter(loader).next()
    ```
    becomes
    ```python
    images, labels = next(iter(loader))
    ```

    ## Numbers
    Restored: the same batch as before.

    ## When it stays its hand
    Where the iterator is not certainly that of a `DataLoader`. If it comes from `iter(…)` of
    something unknown a finding says what to write, unless the file has a class with a method
    `next` of its own. Where `next` is the file's own function, too.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.13.0
    - https://peps.python.org/pep-3114/
    """

    code = "TP801"
    name = "loader-next"
    since = "0.1"
    numerics = Numerics.RESTORED
    words = frozenset({"next"})
    message = "an iterator has no method next() any more: next(iterator)"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr != "next":
            return
        if call.args or call.keywords:
            return
        receiver = function.value
        is_shadowed = facts.names.scope_of(call).lookup("next") is not None
        if isinstance(facts.value(receiver), LoaderIterator) and not is_shadowed:
            yield self.found(call)
        elif _comes_from_iter(facts, receiver) and not defines_method(facts.names, "next"):
            yield self.advice(
                call,
                "iterators of Python 3 and of DataLoader have no method next(): write "
                "next(iterator), unless this one's class defines it",
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        if not isinstance(updated.func, cst.Attribute):
            return updated
        return updated.with_changes(func=cst.Name("next"), args=[cst.Arg(value=updated.func.value)])


def _comes_from_iter(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is what ``iter(…)`` returned, wherever that was called."""
    if isinstance(node, ast.Call):
        is_builtin = facts.names.scope_of(node).lookup("iter") is None
        return isinstance(node.func, ast.Name) and node.func.id == "iter" and is_builtin
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node)
    elif isinstance(node, ast.Attribute):
        owner = facts.value(node.value)
        if not isinstance(owner, (Instance, Module)) or owner.definition is None:
            return False
        bindings = tuple(facts.classes.attribute_sources(owner.definition, node.attr))
    else:
        return False
    return any(
        isinstance(binding.value, ast.Call)
        and not binding.path
        and _comes_from_iter(facts, binding.value)
        for binding in bindings
    )
