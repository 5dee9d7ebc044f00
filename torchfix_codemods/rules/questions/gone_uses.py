"""What a file does with names that are gone, and in which lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from torchfix_codemods.catalogue.rows import Gone
from torchfix_codemods.facts.guards import is_guarded
from torchfix_codemods.facts.language.classes import is_asked_for
from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.unreached import reached
from torchfix_codemods.rules.questions.named_lines import also_in, numbered

Said = tuple[tuple[str, ...], str, str]
"""Names that are gone, what became of them and what to do."""
Told = Mapping[Said, list[ast.alias]]
"""What an import tells, and which of its names each of that is about."""


def also_told(
    name: str,
    node: ast.AST,
    facts: Facts,
    is_alike: Callable[[ast.Attribute | ast.Name], bool],
) -> str | None:
    """What the first use of a name says of the others: ``, here and in line 5``.

    Args:
        name: the qualified name.
        node: what uses it; an import with a name of its own says where that is used.
        facts: the file.
        is_alike: whether the same is to be said of another use.

    Returns:
        None where another line tells.
    """
    if isinstance(node, ast.Import):
        return also_in(sorted(_used_of(node, name, facts)), facts, ", used in")
    reads = sorted(_reads_like(node, name, facts), key=lambda n: (n.lineno, n.col_offset))
    alike = reached((other for other in reads if is_alike(other)), facts)
    if alike and alike[0] is not node:
        return None
    lines = {facts.origin(other.lineno) for other in alike[1:]}
    return also_in(sorted(lines - {facts.origin(n.lineno) for n in alike[:1]}), facts)


def _used_of(node: ast.Import, module: str, facts: Facts) -> set[int]:
    """The lines that use ``legacy``, of ``import torch.legacy.optim as legacy``."""
    names, scope = facts.names, facts.names.scope_of(node)
    named = [a.asname for a in node.names if a.name == module and a.asname is not None]
    return {facts.origin(use.lineno) for name in named for use in names.uses_of(scope, name)}


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


def also_imported(
    node: ast.ImportFrom, facts: Facts, told_by: Callable[[ast.ImportFrom], Told], said: Said
) -> str | None:
    """What the first import says of those of its function that would tell the same, and of uses.

    Args:
        node: the import.
        facts: the file.
        told_by: what an import would tell.
        said: what this one tells.

    Returns:
        ``, here and in line 9, used in lines 12 and 20``; None where another import tells.
    """
    function = facts.names.enclosing_function(node)
    froms = (
        other
        for other in facts.names.nodes.get(ast.ImportFrom, ())
        if isinstance(other, ast.ImportFrom) and facts.names.enclosing_function(other) is function
    )
    alike = {each: told[said] for each in froms if said in (told := told_by(each))}
    run = reached(alike, facts) or [node]
    if min(run, key=start_of) is not node:
        return None
    lines = {facts.origin(each.lineno) for each in run}
    uses = {
        facts.origin(use.lineno)
        for each in run
        for alias in alike[each]
        for use in facts.names.uses_of(facts.names.scope_of(each), alias.asname or alias.name)
    }
    used = also_in(sorted(uses - lines), facts, ", used in")
    return also_in(sorted(lines - {facts.origin(node.lineno)}), facts) + used


def fails_at_import(module: str, facts: Facts) -> bool:
    """Whether ``import torch.utils.ffi`` stands in the file, which fails above all uses."""
    return any(
        isinstance(statement, ast.Import)
        and any(alias.name == module and alias.asname is None for alias in statement.names)
        and not is_guarded(facts, statement, module)
        for statement in facts.tree.body
    )


def is_only_imported(row: Gone, node: ast.Import, facts: Facts) -> bool:
    """Whether ``import torch.utils.ffi`` only makes the package known.

    What a program takes by the name of a module with an heir is the heir.
    """
    if "." not in row.old or is_guarded(facts, node, row.old):
        return False
    used = () if row.has_heir else facts.names.nodes.get(ast.Attribute, ())
    return not any((facts.name(n) or "").startswith(row.old) for n in used)


def is_imported(node: ast.Name, facts: Facts) -> bool:
    """Whether a name is only bound by imports from a module."""
    found = facts.names.scope_of(node).lookup(node.id)
    return found is not None and all(isinstance(b.node, ast.ImportFrom) for b in found[1])


def is_used_as_type(node: ast.expr, facts: Facts) -> bool:
    """Whether a type that is still there is called, or asked for by ``isinstance``."""
    parent = facts.parent(node)
    is_called = isinstance(parent, ast.Call) and parent.func is node
    return is_called or is_asked_for(facts.names, node)


def said_beside(row: Gone, facts: Facts) -> Iterator[str]:
    """What is said beside the advice on a name that is gone: of what the file uses, or speaks of.

    What it imports by another name is used by its own: ``StratifiedKFold as KFold`` is no KFold.
    """
    names = facts.names
    own = _own_names(row.old, facts)
    used = {own.get(name, name) for name in names.used}
    texts = [c.value for c in names.nodes.get(ast.Constant, ()) if isinstance(c, ast.Constant)]
    for name, said in row.also.items():
        if name in used or names.attributes(name):
            yield said
        # ``psroi_pooling`` is no ``roi_pool``.
        elif any(isinstance(t, str) and re.search(rf"(?<![A-Za-z]){name}", t) for t in texts):
            yield said
    yield from _taken_by_next(row, facts)


def _own_names(module: str, facts: Facts) -> dict[str, str]:
    """The names that a module has for what the file imports from it, by the file's names."""
    return {
        alias.asname or alias.name: alias.name
        for node in facts.names.nodes.get(ast.ImportFrom, ())
        if isinstance(node, ast.ImportFrom) and node.module == module and not node.level
        for alias in node.names
    }


def _taken_by_next(row: Gone, facts: Facts) -> Iterator[str]:
    """What is said of ``next(batches)``, where ``batches = iter(BucketIterator(…))``."""
    calls = facts.names.calls("next") if row.attributes else ()
    taken = [c for c in calls if facts.names.builtin(c.func) == "next" and c.args]
    lines = {facts.origin(c.lineno) for c in taken if _is_iterated(c.args[0], row, facts)}
    if lines:
        ask = "asks" if len(lines) == 1 else "ask"
        yield (
            f"{numbered(sorted(lines))} {ask} for batches by next(), and the iter() of a DataLoader"
            " ends after one pass"
        )


def _is_iterated(node: ast.expr, row: Gone, facts: Facts) -> bool:
    made = facts.assigned(node) if isinstance(node, ast.Name) else None
    return any(
        isinstance(each, ast.Call)
        and facts.names.builtin(each.func) == "iter"
        and any(isinstance(a, ast.Call) and facts.name(a.func) == row.old for a in each.args)
        for each in made or ()
    )
