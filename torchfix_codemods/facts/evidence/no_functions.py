"""What a place shows to be no function, whatever bears the name of one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.names import Names

#: What calls the methods of a data set, or the length of what it is given.
_ASKING = frozenset({"torch.utils.data.DataLoader", "len"})


def is_no_function(names: Names, node: ast.expr) -> bool:
    """Whether an expression is used as functions cannot be: ``DataLoader(data.train)``.

    They have no parts and no length, and are neither gone through nor calculated with. What a name
    that is given one thing alone has under a name is the same wherever it is read:
    ``Sampler(data.train)`` beside it.
    """
    return any(_is_used_otherwise(names, each) for each in (node, *_same(names, node)))


def _same(names: Names, node: ast.expr) -> Iterator[ast.expr]:
    """The other places where ``data.train`` of the same ``data`` is read."""
    held = node.value if isinstance(node, ast.Attribute) else None
    found = names.scope_of(held).lookup(held.id) if isinstance(held, ast.Name) else None
    if found is None or not isinstance(node, ast.Attribute):
        return
    if [binding.kind for binding in found[1]] != ["assign"]:
        return
    reads = set(names.uses_of(found[0], found[1][0].name))
    others = names.attributes(node.attr)
    if all(isinstance(other.ctx, ast.Load) for other in others):
        yield from (other for other in others if other is not node and other.value in reads)


def _is_used_otherwise(names: Names, node: ast.expr) -> bool:
    around = names.parents.get(node)
    if isinstance(around, ast.Subscript):
        return around.value is node
    if isinstance(around, (ast.For, ast.comprehension)):
        return around.iter is node
    if isinstance(around, ast.keyword):
        around = names.parents.get(around)
    if isinstance(around, ast.Call):
        asking = names.name(around.func) or names.builtin(around.func)
        return asking in _ASKING and argument(around, 0, "dataset") is node
    return isinstance(around, ast.BinOp) and not isinstance(around.op, ast.Mod)
