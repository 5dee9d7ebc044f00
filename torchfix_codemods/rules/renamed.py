"""The base of the rules that are no more than a table of renamed names."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from torchfix_codemods.catalogue import rows_of
from torchfix_codemods.catalogue.rows import Name
from torchfix_codemods.edit import cst
from torchfix_codemods.edit.imports import with_moved_names, without_names
from torchfix_codemods.edit.parentheses import in_place_of
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.age.era import Version, parse_version
from torchfix_codemods.facts.guards import is_guarded
from torchfix_codemods.facts.language.classes import is_asked_for
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries.torch_names import last_part, module_part
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.questions.identity import is_told_apart
from torchfix_codemods.rules.questions.imported_names import (
    can_go_along,
    comes_by_star,
    imported,
    is_replaced,
    qualified,
)
from torchfix_codemods.rules.questions.unread_imports import why_needless


class Renamed(Rule):
    """Base of rules that spell a function, class or constant of torch by its new name.

    The names are those of the catalogue's rows with the code of the subclass, which gives its
    docstring, and ``words`` where it finds more than these names.
    Every way to refer to the name is followed: by attributes, by ``from`` and star imports (the
    import changes together with all that it serves, or nothing does), by an alias (only the
    import changes), in ``mock.patch("…")``. A name that moved to another module is written
    through what the file has imported already, or gets an import of its own.

    Nothing is rewritten where the new local name is taken, where the file replaces the old
    function or chooses between old and new itself, where an imported name is exported by
    ``__all__`` or spoken of in another file that may import it from this one, and where a function
    that is still there is a key or compared with others.
    """

    rows: Sequence[Name] = ()
    renames: dict[str, str] = {}
    row_of: dict[str, Name] = {}
    methods: Mapping[str, str] = {}
    gone: Mapping[str, str] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        rows = cls.__dict__.get("rows") or rows_of(cls.code)
        cls._follow(cls, [row for row in rows if isinstance(row, Name)])
        cls.words = cls.__dict__.get("words", frozenset()).union(map(last_part, cls.renames))

    def for_target(self, newest: Version) -> Rule | None:
        if super().for_target(newest) is None:
            return None
        rule = copy.copy(self)
        rule.target = newest
        self._follow(rule, [row for row in self.rows if parse_version(row.since) <= newest])
        return rule

    def for_other_libraries(self) -> Rule | None:
        rows = [row for row in self.rows if not row.is_about_torch]
        rule = copy.copy(self)
        self._follow(rule, rows)
        rule.words = frozenset(map(last_part, rule.renames))
        return rule if rows else None

    @staticmethod
    def _follow(rule: Renamed | type[Renamed], rows: Sequence[Name]) -> None:
        rule.rows = rows
        rule.renames = {row.old: row.new for row in rows}
        rule.row_of = {row.old: row for row in rows}
        rule.gone = {row.old: row.state for row in rows if row.is_gone}
        rule.methods = {last_part(row.old): last_part(row.new) for row in rows if row.method}
        for row in rows:
            if row.method:
                old = f"torch.Tensor.{last_part(row.old)}"
                rule.renames[old] = f"torch.Tensor.{last_part(row.new)}"
                rule.row_of[old] = row

    def renames_in(self, facts: Facts) -> Mapping[str, str]:
        """The part of the table that can be followed in a file."""
        return self.renames

    def may_follow(self, use: ast.expr, old: str, facts: Facts) -> bool:
        """Whether a use of the name ``old`` means the same by its new name."""
        is_function = last_part(old)[:1].islower()
        row = self.row_of.get(old)
        if not is_function or row is None or row.numerics is not Numerics.IDENTICAL:
            return True
        return not is_told_apart(facts.names, use, self.renames[old])

    def prepared(self, uses: Sequence[ast.expr], old: str, facts: Facts) -> Iterator[Found]:
        """What is to be done about uses that cannot follow, so that they can in the next round."""
        return iter(())

    def found_by_name(
        self, old: str, node: ast.AST, message: str, facts: Facts, **more: Any
    ) -> Found:
        """A place that has the name ``old``, with the claim and the reason that its row gives."""
        row, claim = self.row_of[old], None
        if row.asked and isinstance(node, ast.expr) and is_asked_for(facts.names, node):
            claim = row.asked
        reason = row.reason(claim, self.target)
        return self.found(node, message, numerics=claim or row.numerics, reason=reason, **more)

    # Finding

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        old = facts.name(node)
        new = self.renames_in(facts).get(old or "")
        if old is None or new is None or not isinstance(node.ctx, ast.Load):
            return
        if is_guarded(facts, node, last_part(new)) or is_replaced(facts, old):
            return
        if not self.may_follow(node, old, facts):
            yield from self.prepared([node], old, facts)
            return
        message = _message(old, new)
        if (facts.name(node.value) or "") == module_part(new):
            yield self.found_by_name(old, node, message, facts, attr=last_part(new), path=None)
        elif (path := spell(facts, new, node)) is None:
            if old in self.gone:
                yield self.advice(node, self._left(old, new))
        else:
            yield self.found_by_name(
                old, node, message, facts, needs=path.needs, attr=None, path=path.text
            )

    def find_Name(self, node: ast.Name, facts: Facts) -> Iterator[Found]:
        # Other imported names are found at their import.
        scope = facts.names.scope_of(node)
        old = facts.name(node) if scope.lookup(node.id) is None else None
        new = self.renames_in(facts).get(old or "")
        if old is None or new is None or is_guarded(facts, node, last_part(new)):
            return
        if not self.may_follow(node, old, facts):
            yield from self.prepared([node], old, facts)
        elif scope.lookup(last_part(new)) is None and comes_by_star(facts, new):
            yield self.found_by_name(old, node, _message(old, new), facts, value=last_part(new))

    def find_ImportFrom(self, node: ast.ImportFrom, facts: Facts) -> Iterator[Found]:
        unread = self._unread_in(node, facts)
        if unread:
            old = qualified(node, node.names[min(unread)])
            message = f"{old} {self.gone[old]}, and {unread[min(unread)]}"
            yield self.found_by_name(old, node, message, facts, unread=unread)
            return
        group = f"import in line {node.lineno}"
        renamed, along = dict[int, str](), dict[int, str]()
        for index, alias in enumerate(node.names):
            old = qualified(node, alias)
            new = self.renames_in(facts).get(old)
            if new is None or is_guarded(facts, node, last_part(new)):
                continue
            changed = imported(facts, node, alias, new)
            if changed is None:
                if old in self.gone:
                    yield self.advice(node, self._left(old, new))
                elif can_go_along(facts, node, alias, new):
                    along[index] = new
                continue
            others = [use for use in changed.uses if not self.may_follow(use, old, facts)]
            if others:
                yield from self.prepared(others, old, facts)
                continue
            if not changed.is_there:
                renamed[index] = new
            for use in changed.changing:
                yield self.found_by_name(
                    old,
                    use,
                    _message(old, new),
                    facts,
                    group=None if changed.is_there else group,
                    value=last_part(new),
                )
        if renamed:
            old, new = qualified(node, node.names[min(renamed)]), renamed[min(renamed)]
            yield self.found_by_name(
                old, node, _message(old, new), facts, group=group, renamed=along | renamed
            )

    def _unread_in(self, node: ast.ImportFrom, facts: Facts) -> dict[int, str]:
        """The places of imported names that are gone and can go, each with the reason."""
        return {
            index: why
            for index, alias in enumerate(node.names)
            if (old := qualified(node, alias)) in self.gone
            and (new := self.renames_in(facts).get(old)) is not None
            and not is_guarded(facts, node, last_part(new))
            and (why := why_needless(facts, node, alias, new))
        }

    def _left(self, old: str, new: str) -> str:
        """What to say where the new name of what is gone cannot be written."""
        return f"{old} {self.gone[old]}: it is {new} today"

    def find_Constant(self, node: ast.Constant, facts: Facts) -> Iterator[Found]:
        if not isinstance(node.value, str) or node.value not in self.renames_in(facts):
            return
        call = facts.parent(node)
        if isinstance(call, ast.Call) and node in call.args[:1] and last_name(call.func) == "patch":
            new = self.renames[node.value]
            message = _message(node.value, new)
            yield self.found_by_name(node.value, node, message, facts, was=node.value, new=new)

    # Rewriting

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        if self.data["path"] is None:
            return updated.with_changes(attr=cst.Name(self.data["attr"]))
        return in_place_of(updated, self.data["path"])

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.Name:
        return updated.with_changes(value=self.data["value"])

    def leave_SimpleString(
        self, original: cst.SimpleString, updated: cst.SimpleString
    ) -> cst.SimpleString:
        return updated.with_changes(value=updated.value.replace(self.data["was"], self.data["new"]))

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> (
        cst.SimpleStatementLine | cst.FlattenSentinel[cst.SimpleStatementLine] | cst.RemovalSentinel
    ):
        if "unread" in self.data:
            return without_names(updated, self.data["unread"])
        return with_moved_names(updated, self.data["renamed"])


def _message(old: str, new: str) -> str:
    return f"{old} is now {last_part(new) if module_part(old) == module_part(new) else new}"
