"""What a file does with names that are gone, and in which lines."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from torchfix_codemods.facts.language.classes import is_asked_for
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.unreached import reached
from torchfix_codemods.rules.questions.named_lines import also_in


def also_told(
    name: str,
    node: ast.AST,
    facts: Facts,
    is_alike: Callable[[ast.Attribute | ast.Name], bool],
) -> str | None:
    """What the first use of a name says of the others: ``, here and in line 5``.

    Args:
        name: the qualified name.
        node: what uses it; of a statement nothing is alike.
        facts: the file.
        is_alike: whether the same is to be said of another use.

    Returns:
        None where another line tells.
    """
    reads = sorted(_reads_like(node, name, facts), key=lambda n: (n.lineno, n.col_offset))
    alike = reached((other for other in reads if is_alike(other)), facts)
    if alike and alike[0] is not node:
        return None
    lines = {facts.origin(other.lineno) for other in alike[1:]}
    return also_in(sorted(lines - {facts.origin(n.lineno) for n in alike[:1]}), facts)


def _reads_like(node: ast.AST, name: str, facts: Facts) -> Iterator[ast.Attribute | ast.Name]:
    """What is written as a use is, and reads the same."""
    same: Iterable[ast.AST] = ()
    if isinstance(node, ast.Attribute):
        same = facts.names.attributes(node.attr)
    elif isinstance(node, ast.Name):
        same = facts.names.nodes.get(ast.Name, ())
    for other in same:
        if isinstance(other, (ast.Attribute, ast.Name)) and facts.name(other) == name:
            yield other


def is_imported(node: ast.Name, facts: Facts) -> bool:
    """Whether a name is only bound by imports from a module."""
    found = facts.names.scope_of(node).lookup(node.id)
    return found is not None and all(isinstance(b.node, ast.ImportFrom) for b in found[1])


def is_used_as_type(node: ast.expr, facts: Facts) -> bool:
    """Whether a type that is still there is called, or asked for by ``isinstance``."""
    parent = facts.parent(node)
    is_called = isinstance(parent, ast.Call) and parent.func is node
    return is_called or is_asked_for(facts.names, node)
