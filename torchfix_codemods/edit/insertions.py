"""Lines that rewrites need elsewhere in the module: imports and definitions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import Definition, Found, ImportOf


@dataclass
class Insertion:
    """Text that goes to a byte offset (replacing up to ``end``) once one of ``founds`` is done."""

    offset: int
    end: int
    text: str
    founds: list[Found] = field(default_factory=list)


def insertions_for(
    founds: Sequence[Found], facts: Facts, starts: Sequence[int], size: int
) -> list[Insertion]:
    """What the findings need at module level, each thing once."""
    result: dict[tuple[int, str], Insertion] = {}
    for found in founds:
        for need in found.needs:
            place = _place(need, facts)
            if place is None:
                continue
            line, text = place
            offset = starts[line] if line < len(starts) else size
            insertion = result.setdefault((offset, text), Insertion(offset, offset, text))
            insertion.founds.append(found)
    return list(result.values())


def _place(need: Definition | ImportOf, facts: Facts) -> tuple[int, str] | None:
    """The number of lines above the insertion, and its text; None where nothing is missing."""
    if isinstance(need, Definition):
        if need.after is not None:
            return _end_line(need.after), need.text + "\n"
        line = max(after_imports(facts.tree), _import_of(facts, need.text))
        blank = _is_blank(facts, line + 1)
        return line, f"\n{need.text}\n" if blank else f"\n{need.text}\n\n"
    if need.name is None:
        if _is_imported(facts, need.module.partition(".")[0], need.module):
            return None
        above = _first_import_from(facts.tree, need.module)
        return before_imports(facts.tree) if above is None else above, f"import {need.module}\n"
    if _is_imported(facts, need.name, f"{need.module}.{need.name}"):
        return None
    return after_imports(facts.tree), f"from {need.module} import {need.name}\n"


def _is_imported(facts: Facts, local: str, qualified: str) -> bool:
    bindings = facts.names.module.bindings.get(local, [])
    return any(b.qualified in (qualified, qualified.partition(".")[0]) for b in bindings)


def _first_import_from(tree: ast.Module, module: str) -> int | None:
    """The number of lines above the first import from a package, among the module's first ones."""
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom):
            names = [statement.module or ""]
        elif isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        else:
            names = []
        if any(name == module or name.startswith(module + ".") for name in names):
            return statement.lineno - 1
        if not (names or _is_docstring(statement) or _may_stand_among_imports(statement)):
            return None
    return None


def _import_of(facts: Facts, definition: str) -> int:
    """The last line of the imports that bring the names used in a definition."""
    used = {n.id for n in ast.walk(ast.parse(definition)) if isinstance(n, ast.Name)}
    statements = [
        binding.node
        for name in used
        for binding in facts.names.module.bindings.get(name, ())
        if binding.kind == "import" and facts.parent(binding.node) is facts.tree
    ]
    return max((_end_line(s) for s in statements if isinstance(s, ast.stmt)), default=0)


def _is_blank(facts: Facts, line: int) -> bool:
    return line > len(facts.lines) or not facts.lines[line - 1].strip()


def after_imports(tree: ast.Module) -> int:
    """The last line of the imports at the head of a module (of its docstring without any)."""
    last = 0
    for statement in tree.body:
        is_import = isinstance(statement, (ast.Import, ast.ImportFrom))
        guarded = isinstance(statement, (ast.Try, ast.If)) and all(
            isinstance(inner, (ast.Import, ast.ImportFrom)) for inner in statement.body
        )
        if is_import or guarded or _is_docstring(statement):
            last = _end_line(statement)
        elif not _may_stand_among_imports(statement):
            break
    return last


def before_imports(tree: ast.Module) -> int:
    """The last line of a module's docstring and ``__future__`` imports."""
    last = 0
    for statement in tree.body:
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (future or _is_docstring(statement)):
            break
        last = _end_line(statement)
    return last


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _may_stand_among_imports(statement: ast.stmt) -> bool:
    """``__author__ = …``, ``matplotlib.use("Agg")``, ``sys.path.append(…)`` between imports."""
    return isinstance(statement, (ast.Expr, ast.Assign))


def _end_line(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno
