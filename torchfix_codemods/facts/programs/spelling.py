"""How a qualified name can be written at a place of a module."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.language.scopes import Binding, Scope
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.first_run import first_line


def spelling(facts: Facts, place: ast.AST, qualified: str) -> str | None:
    """``torch.sigmoid`` or ``nn.functional.relu``: the way to write ``qualified`` in a file.

    It is the shortest; of several, one by which the file writes others: no ``init.zeros_`` beside
    ``nn.init.uniform_``, whose file imports ``init`` and never reads it. Where a module has two
    names, it is the one that is written at ``place``: ``torch.as_tensor`` for
    ``torch.FloatTensor``, and ``th.as_tensor`` for ``th.FloatTensor``.

    Returns:
        dotted text that starts with a name visible at ``place``, which is imported before
        ``place`` can run, or which a star import gives that the file reads it from; None where
        there is none.
    """
    around = facts.names.scope_of(place)
    ways = facts.remembered(
        ("spelling", around, qualified), lambda: _found(around, qualified, facts)
    )
    if len(ways) > 1:
        ways = _as_written(ways, place)
    imported = (text for text, imports in ways if _is_imported_before(imports, place, facts))
    given = _given_by_stars(qualified, place, facts)
    found = [text for text in (next(imported, None), given) if text is not None]
    return min(found, key=lambda text: text.count("."), default=None)


def _is_imported_before(imports: list[Binding], place: ast.AST, facts: Facts) -> bool:
    return _run_before([binding.node for binding in imports], place, facts)


def _as_written(
    ways: list[tuple[str, list[Binding]]], place: ast.AST
) -> list[tuple[str, list[Binding]]]:
    """The ways to write a name, of those that are as good as the first the one of a place first."""
    written = first_name(place.func if isinstance(place, ast.Call) else place)
    if written is None:
        return ways
    dots = ways[0][0].count(".")
    return sorted(
        ways,
        key=lambda way: way[0].count(".") != dots or way[0].partition(".")[0] != written.id,
    )


def _given_by_stars(qualified: str, place: ast.AST, facts: Facts) -> str | None:
    """How a file writes it by ``torch`` or ``nn`` that another file gives it by a star import.

    What runs above that import cannot. It is the shortest way by a name that the file reads.
    """
    stars = facts.names.unknown_star_imports
    if not stars:
        return None
    runs_at_once = facts.names.enclosing_function(place) is None
    if runs_at_once and not all(_run_before([star], place, facts) for star in stars):
        return None
    modules = facts.remembered(_given_by_stars, lambda: _modules_of_stars(facts))
    ways = [
        local + qualified[len(module) :]
        for local, module in modules
        if qualified.startswith(f"{module}.") and facts.names.scope_of(place).lookup(local) is None
    ]
    return min(ways, key=lambda way: (way.count("."), len(way)), default=None)


def _modules_of_stars(facts: Facts) -> list[tuple[str, str]]:
    """The names that a file reads of another by a star import, each with its qualified name."""
    free = sorted(facts.names.used - facts.names.module.bindings.keys())
    named = ((local, facts.names.name_left(local)) for local in free)
    return [(local, module) for local, module in named if module is not None]


def _found(around: Scope, qualified: str, facts: Facts) -> list[tuple[str, list[Binding]]]:
    """The ways to write a name in a scope, the best first, each with what imports it."""
    candidates = []
    scope: Scope | None = around
    seen: set[str] = set()
    while scope is not None:
        for local in scope.bindings:
            if local not in seen:
                seen.add(local)
                candidates += _through(around, local, qualified, facts)
        scope = scope.parent
    candidates.sort(key=lambda way: (way[0].count("."), len(way[0])))
    if len(candidates) > 1:
        candidates.sort(key=lambda way: not _is_written(way[0].rpartition(".")[0], facts))
    return candidates


def _is_written(module: str, facts: Facts) -> bool:
    """Whether a file writes names by ``nn.init``; what is imported by itself needs no such way."""
    if "." not in module:
        return not module or module in facts.names.used
    return any(
        ast.unparse(each) == module and isinstance(facts.parent(each), ast.Attribute)
        for each in facts.names.attributes(module.rpartition(".")[2])
    )


def _through(
    around: Scope, local: str, qualified: str, facts: Facts
) -> list[tuple[str, list[Binding]]]:
    found = around.lookup(local)
    if found is None or any(b.kind != "import" for b in found[1]):
        return []
    bindings = _without_stand_ins(found[1], facts)
    names = {binding.qualified or "" for binding in bindings}
    if len(names) != 1:
        return []
    prefix = names.pop()
    if not prefix or not (qualified == prefix or qualified.startswith(prefix + ".")):
        return []
    return [(local + qualified[len(prefix) :], bindings)]


def _without_stand_ins(imports: Sequence[Binding], facts: Facts) -> list[Binding]:
    """Without the import that a handler makes where the only one that is tried fails.

    There the full name would fail as well.
    """
    first, *others = imports
    tried = facts.parent(first.node)
    if not isinstance(tried, ast.Try) or tried.body != [first.node] or tried.orelse:
        return list(imports)
    is_one = isinstance(first.node, (ast.Import, ast.ImportFrom)) and len(first.node.names) == 1
    if is_one and all(facts.parent(other.node) in tried.handlers for other in others):
        return [first]
    return list(imports)


def _run_before(imports: Iterable[ast.AST], place: ast.AST, facts: Facts) -> bool:
    """Whether one of some imports has run where ``place`` does: in a notebook, in a cell above.

    What an import says of itself, it says before anything runs.
    """
    if isinstance(place, (ast.Module, ast.Import, ast.ImportFrom)):
        return True
    return any(_runs_before(statement, place, facts) for statement in imports)


def _runs_before(statement: ast.AST, place: ast.AST, facts: Facts) -> bool:
    line, written = getattr(statement, "lineno", 0), getattr(place, "lineno", 0)
    if line <= written:
        return True
    within = facts.names.enclosing_function(statement)
    if within is not None:
        return facts.names.enclosing_function(place) is not within
    return first_line(place, facts) > line


def is_imported_below(facts: Facts, place: ast.AST, package: str) -> bool:
    """Whether ``import torch`` stands below a place alone, and above it that of a part of torch.

    What runs in a script may import it where that begins, and functions above read it.
    """
    written = getattr(place, "lineno", 0)
    found = facts.names.scope_of(place).lookup(package)
    if found is None or found[0] is not facts.names.module:
        return False
    if any(getattr(binding.node, "lineno", 0) <= written for binding in found[1]):
        return False
    return any(
        isinstance(node, (ast.Import, ast.ImportFrom)) and package in packages_loaded(node)
        for node in facts.tree.body
        if node.lineno < written
    )


def packages_loaded(node: ast.Import | ast.ImportFrom) -> set[str]:
    """The packages that an import loads; none of a relative one.

    Args:
        node: the import.
    """
    if isinstance(node, ast.ImportFrom):
        return set() if node.level else {(node.module or "").partition(".")[0]}
    return {alias.name.partition(".")[0] for alias in node.names}


def imports_torch(facts: Facts) -> bool:
    """Whether the module itself, and not just its functions, imports torch."""
    is_starred = any(m.partition(".")[0] == "torch" for m in facts.names.star_imports_of_torch)
    return imports_package(facts, "torch") or is_starred


def imports_package(facts: Facts, package: str) -> bool:
    """Whether the module itself, and not just its functions, imports something of a package."""
    return any(
        (binding.qualified or "").partition(".")[0] == package
        for bindings in facts.names.module.bindings.values()
        for binding in bindings
        if binding.kind == "import" and facts.parent(binding.node) is facts.tree
    )
