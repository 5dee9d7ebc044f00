"""Modules and private names of torch that are gone."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Iterator, Mapping
from typing import Any

import libcst as cst

from torchfix_codemods.catalogue import rows_of
from torchfix_codemods.catalogue.rows import Gone, Value
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.templates import edited
from torchfix_codemods.facts.era import Version, parse_version
from torchfix_codemods.facts.guards import is_guarded
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Need, Rule


def _last(name: str) -> str:
    return name.rpartition(".")[2]


class RemovedModule(Rule):
    """
    ## What it does
    Writes what the names of `torch._six` and other private modules stood for, and says for modules
    that went without a successor, such as `torch.utils.ffi`, `torch.legacy` or the fields of
    torchtext, what to use: all rows of the [catalogue](../catalogue.md) about them.

    ## Why
    The import fails, and the whole file with it.

    ## Example
    ```python
    from torch._six import inf, string_classes
    if isinstance(name, string_classes) or norm == inf:
        ...
    ```
    becomes
    ```python
    import math
    if isinstance(name, (str, bytes)) or norm == math.inf:
        ...
    ```

    ## Numbers
    Restored: the import fails today.

    ## When it stays its hand
    Where the import stands under `try` or a test of the version. Names that are imported but only
    used by other files, and modules without successor, are reported.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.13.0
    - https://github.com/pytorch/pytorch/releases/tag/v1.0.0
    """

    code = "TP904"
    name = "removed-module"
    since = "1.0"
    numerics = Numerics.RESTORED
    message = "this module is gone from torch"
    rows = rows_of("TP904")
    words = frozenset().union(*(row.words for row in rows))

    def for_target(self, newest: Version) -> Rule | None:
        rule = copy.copy(self)
        rule.rows = tuple(row for row in self.rows if parse_version(row.since) <= newest)
        rule.__dict__.pop("_values", None)
        rule.__dict__.pop("_gone", None)
        return rule

    @functools.cached_property
    def _values(self) -> Mapping[str, Value]:
        return {row.old: row for row in self.rows if isinstance(row, Value)}

    @functools.cached_property
    def _gone(self) -> Mapping[str, Gone]:
        return {row.old: row for row in self.rows if isinstance(row, Gone)}

    # Finding

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        yield from self._find_use(node, facts)

    def find_Name(self, node: ast.Name, facts: Facts) -> Iterator[Found]:
        yield from self._find_use(node, facts)

    def find_Import(self, node: ast.Import, facts: Facts) -> Iterator[Found]:
        for index, alias in enumerate(node.names):
            if alias.asname is None and self._is_unused(alias.name, node, facts):
                root = alias.name.partition(".")[0]
                message = f"{alias.name} is gone, and nothing of it is used"
                yield self.found(node, message, index=index, module=root)
                return
            yield from self._find_gone(alias.name, node, facts)

    def _is_unused(self, module: str, node: ast.Import, facts: Facts) -> bool:
        """Whether an import of a module without successor only makes its package known."""
        if module not in self._gone or "." not in module or is_guarded(facts, node, module):
            return False
        used = facts.names.nodes.get(ast.Attribute, ())
        return not any((facts.name(n) or "").startswith(module) for n in used)

    def find_ImportFrom(self, node: ast.ImportFrom, facts: Facts) -> Iterator[Found]:
        if node.level:
            return
        scope = facts.names.scope_of(node)
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            value = self._values.get(name)
            if value is None:
                yield from self._find_gone(name, node, facts)
            elif not any(facts.names.uses_of(scope, alias.asname or alias.name)):
                if value.gone and not is_guarded(facts, node, _last(name)):
                    yield self.advice(node, _message(value))

    def _find_use(self, node: ast.Attribute | ast.Name, facts: Facts) -> Iterator[Found]:
        name = facts.name(node) or ""
        row = self._values.get(name)
        if row is None or not isinstance(node.ctx, ast.Load):
            if isinstance(node, ast.Attribute) and name in self._gone:
                yield from self._find_gone(name, node, facts)
            return
        if is_guarded(facts, node, _last(name)) or _is_import_guarded(node, facts):
            return
        text = _spelled(row.new, node, facts)
        if text is not None:
            yield self.found(
                node, _message(row), numerics=row.numerics, needs=text[1], text=text[0]
            )

    def _find_gone(self, name: str, node: ast.AST, facts: Facts) -> Iterator[Found]:
        """What is said of a module, or of something in it."""
        parts = name.split(".")
        for count in range(len(parts), 1, -1):
            row = self._gone.get(".".join(parts[:count]))
            if row is not None and not is_guarded(facts, node, parts[-1]):
                gone = f" since torch {row.gone}" if row.gone else ""
                yield self.advice(node, f"{row.old} is gone{gone}: {row.advice}")
                return

    # Rewriting

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        return self._written(updated)

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        return self._written(updated)

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        statement = updated.body[0]
        if not isinstance(statement, cst.Import):
            return updated
        names = list(statement.names)
        index = self.data["index"]
        names[index] = names[index].with_changes(name=cst.Name(self.data["module"]))
        return updated.with_changes(body=[statement.with_changes(names=names), *updated.body[1:]])

    def _written(self, updated: cst.Attribute | cst.Name) -> cst.BaseExpression:
        new = cst.parse_expression(self.data["text"])
        changes: dict[str, Any] = {} if new.lpar else {"lpar": updated.lpar, "rpar": updated.rpar}
        return new.with_changes(**changes)


def _message(row: Value) -> str:
    if row.gone is None:
        return f"{row.old} is {row.new} today"
    return f"{row.old} is gone since torch {row.gone}: {row.new}"


def _is_import_guarded(node: ast.Attribute | ast.Name, facts: Facts) -> bool:
    """Whether the import that a name comes from stands where the file chooses by version."""
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name):
        return False
    found = facts.names.scope_of(root).lookup(root.id)
    return found is not None and any(
        is_guarded(facts, binding.node, root.id) for binding in found[1]
    )


def _spelled(text: str, node: ast.expr, facts: Facts) -> tuple[str, tuple[Need, ...]] | None:
    """An expression with its modules as the file writes them."""
    edits: list[tuple[int, int, str]] = []
    needs: list[Need] = []
    pending: list[ast.AST] = [ast.parse(text, mode="eval").body]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Attribute):
            path = spell(facts, ast.unparse(part), node)
            if path is None:
                return None
            needs += path.needs
            edits.append((part.col_offset, part.end_col_offset or 0, path.text))
        elif isinstance(part, ast.Name) and facts.names.scope_of(node).lookup(part.id):
            return None
        else:
            pending += ast.iter_child_nodes(part)
    return edited(text, edits), tuple(needs)
