"""The base of the rules that follow the catalogue's rows about names that are gone."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from itertools import chain

from torchfix_codemods.catalogue.rows import Gone, Value
from torchfix_codemods.edit import cst
from torchfix_codemods.edit.imports import is_imported_above, with_moved_names, without_names
from torchfix_codemods.edit.parentheses import in_place_of
from torchfix_codemods.edit.templates import spelled
from torchfix_codemods.facts.guards import is_guarded, is_import_guarded
from torchfix_codemods.facts.libraries.torch_names import canonical, last_part
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics, strongest
from torchfix_codemods.rule import Found
from torchfix_codemods.rules.followed import Followed
from torchfix_codemods.rules.questions.gone_uses import (
    Told,
    also_imported,
    also_told,
    is_imported,
    is_only_imported,
    is_used_as_type,
)
from torchfix_codemods.rules.questions.removed_messages import (
    advice_at,
    advice_on_import,
    gone_message,
    is_kind,
    is_told_at_uses,
    is_told_where_used,
)
from torchfix_codemods.rules.questions.state_keys import reads_state_keys
from torchfix_codemods.rules.questions.unread_imports import (
    idle_message,
    is_idle,
    is_plain,
    is_read,
    is_unread,
    unread_message,
)


class Removed(Followed):
    """Base of the rules that write what removed names stood for, or say what to use.

    A subclass gives its code and its docstring. Where an import stands under ``try`` or a test of
    the version nothing is said.
    """

    @functools.cached_property
    def _values(self) -> Mapping[str, Value]:
        return {row.old: row for row in self.rows if isinstance(row, Value)}

    @functools.cached_property
    def _gone(self) -> Mapping[str, Gone]:
        # A private module's class is asked for by the public name that it would have.
        gone = [row for row in self.rows if isinstance(row, Gone) and not row.has_heir]
        return {name: row for row in gone for name in (row.old, canonical(row.old))}

    @functools.cached_property
    def _modules(self) -> Mapping[str, Gone]:
        heirs = {row.old: row for row in self.rows if isinstance(row, Gone) and row.has_heir}
        return {**self._gone, **heirs}

    # Finding

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        yield from self._find_use(node, facts)

    def find_Name(self, node: ast.Name, facts: Facts) -> Iterator[Found]:
        yield from self._find_use(node, facts)

    def find_Import(self, node: ast.Import, facts: Facts) -> Iterator[Found]:
        for index, alias in enumerate(node.names):
            row = self._modules.get(alias.name)
            if row is not None and alias.asname is None and is_only_imported(row, node, facts):
                root = alias.name.partition(".")[0]
                message = f"{row.old} is gone, and nothing of it is used"
                if row.has_heir:
                    message = f"the module {row.old} is gone"
                reason = row.reason(Numerics.RESTORED, self.target)
                is_known = is_plain(facts, node) and is_imported_above(root, node, facts)
                data = {"unread": {index}} if is_known else {"index": index, "module": root}
                yield self.found(node, message, reason=reason, **data)
                return
            row = self._gone_at(alias.name, node, facts, self._modules)
            if row is not None and alias.asname is not None and is_idle(facts, node, alias):
                yield self.advice(node, idle_message(row, node))
            else:
                yield from self._find_gone(alias.name, node, facts, row)

    def find_ImportFrom(self, node: ast.ImportFrom, facts: Facts) -> Iterator[Found]:
        if node.level:
            return
        moved: dict[int, Value] = {}
        unread: dict[int, Value | Gone] = {}
        for index, (alias, row) in enumerate(self._imported_by(node, facts)):
            if row is None:
                continue
            if isinstance(row, Value) and _is_further_down(row):
                moved[index] = row
            elif row.is_gone and is_unread(facts, node, alias):
                unread[index] = row
            elif isinstance(row, Value):
                if row.is_gone and not is_read(facts, node, alias):
                    yield self.advice(node, _message(row))
            elif is_idle(facts, node, alias):
                yield self.advice(node, idle_message(row, node, f"{node.module}.{alias.name}"))
        for told in self._told_by(node, facts):
            also = also_imported(node, facts, lambda n: self._told_by(n, facts), told)
            if also is not None:
                names, state, said = told
                yield self.advice(node, gone_message(names, state + also, said))
        if unread:
            message = unread_message(node, unread)
            reason = strongest(
                row.reason(Numerics.RESTORED, self.target) for row in unread.values()
            )
            yield self.found(node, message, reason=reason, unread=frozenset(unread))
        elif moved:
            rows = list(moved.values())
            yield self.found(
                node,
                "; ".join(map(_message, rows)),
                numerics=rows[0].numerics,
                reason=rows[0].reason(target=self.target),
                renamed={index: row.new for index, row in moved.items()},
            )

    def _imported_by(
        self, node: ast.ImportFrom, facts: Facts
    ) -> Iterator[tuple[ast.alias, Value | Gone | None]]:
        """The names that an import takes, each with its row if something is to be said of it."""
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            row = self._values.get(name) or self._gone_at(name, node, facts)
            yield alias, None if row is None or is_guarded(facts, node, alias.name) else row

    def _told_by(self, node: ast.ImportFrom, facts: Facts) -> Told:
        """What an import tells of the gone names that are used, with the aliases of each."""
        found: dict[tuple[str, str], dict[str, list[ast.alias]]] = {}
        for alias, row in self._imported_by(node, facts) if not node.level else ():
            name = f"{node.module}.{alias.name}"
            if isinstance(row, Gone) and not is_idle(facts, node, alias):
                if not is_told_at_uses(row, name, facts):
                    said = row.state, advice_on_import(row, node, facts)
                    found.setdefault(said, {}).setdefault(row.old, []).append(alias)
        return {(tuple(of), *said): [*chain(*of.values())] for said, of in found.items()}

    def _find_use(self, node: ast.Attribute | ast.Name, facts: Facts) -> Iterator[Found]:
        name = facts.name(node) or ""
        row = self._values.get(name)
        if row is None or not isinstance(node.ctx, ast.Load):
            gone = self._gone.get(name)
            if gone is not None and is_told_where_used(gone, node, facts, self._gone):
                yield from self._find_gone(name, node, facts, self._gone_at(name, node, facts))
            return
        if is_guarded(facts, node, last_part(name)) or is_import_guarded(facts, node):
            return
        if row.gone is None and is_used_as_type(node, facts):
            return
        if isinstance(node, ast.Name) and facts.assigned(node) is not None:
            # What the name is assigned changes.
            return
        if isinstance(node, ast.Name) and _is_further_down(row) and is_imported(node, facts):
            # Its import changes.
            return
        text = spelled(row.new, node, facts)
        if text is not None:
            yield self.found(
                node,
                _message(row),
                numerics=row.numerics,
                reason=row.reason(target=self.target),
                needs=text.needs,
                text=text.text,
            )

    def _find_gone(
        self, name: str, node: ast.AST, facts: Facts, row: Gone | None
    ) -> Iterator[Found]:
        """What is said of a module, or of something in it, once for uses of what is gone."""
        if row is None or (row.gone is None and is_kind(name, node, facts)):
            return
        said = advice_at(row, node, facts)

        def is_alike(other: ast.Attribute | ast.Name) -> bool:
            is_told = is_told_where_used(row, other, facts, self._gone)
            is_row = is_told and self._gone_at(name, other, facts) is row
            if not is_row or (row.gone is None and is_kind(name, other, facts)):
                return False
            return advice_at(row, other, facts) == said

        also = also_told(name, node, facts, is_alike)
        if also is not None:
            yield self.advice(node, gone_message([row.old], row.state + also, said))

    def _gone_at(
        self, name: str, node: ast.AST, facts: Facts, rows: Mapping[str, Gone] | None = None
    ) -> Gone | None:
        """The row for a name, or for the module that it is in, where something is to be said."""
        parts = name.split(".")
        for count in range(len(parts), 1, -1):
            row = (rows or self._gone).get(".".join(parts[:count]))
            if row is not None and not is_guarded(facts, node, parts[-1]):
                return None if row.renames_keys and reads_state_keys(facts) else row
        return None

    # Rewriting

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        return in_place_of(updated, self.data["text"])

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        return in_place_of(updated, self.data["text"])

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> (
        cst.SimpleStatementLine | cst.FlattenSentinel[cst.SimpleStatementLine] | cst.RemovalSentinel
    ):
        if "unread" in self.data:
            return without_names(updated, self.data["unread"])
        if "renamed" in self.data:
            return with_moved_names(updated, self.data["renamed"])
        statement = updated.body[0]
        if not isinstance(statement, cst.Import):
            return updated
        names = list(statement.names)
        index = self.data["index"]
        names[index] = names[index].with_changes(name=cst.Name(self.data["module"]))
        return updated.with_changes(body=[statement.with_changes(names=names), *updated.body[1:]])


def _message(row: Value) -> str:
    return f"{row.old} {row.state}: {row.new}" if row.gone else f"{row.old} is {row.new} today"


def _is_further_down(row: Value) -> bool:
    """``collections.Iterable``, which is ``collections.abc.Iterable``: the import says so."""
    module, _, name = row.old.rpartition(".")
    return row.new.startswith(f"{module}.") and row.new.endswith(f".{name}")
