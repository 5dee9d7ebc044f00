"""The base of the rules that follow the catalogue's rows about calls."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence
from typing import Any

from torchfix_codemods.catalogue.rows import Arguments, Call, Row
from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import with_keywords, without_arguments
from torchfix_codemods.edit.parentheses import in_place_of
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.templates import filled
from torchfix_codemods.facts.guards import is_chosen, is_guarded, is_import_guarded
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.stand_ins import ASSERTIONS, asserted, called_so
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found
from torchfix_codemods.rules.followed import Followed
from torchfix_codemods.rules.questions.changed_arguments import (
    Changed,
    about_arguments,
    about_dropped,
    called_by,
    changed_arguments,
    loses_something,
)
from torchfix_codemods.rules.questions.unread_imports import idle_message, is_idle
from torchfix_codemods.rules.renames.questions.asserted_calls import are_calls_followed
from torchfix_codemods.rules.renames.questions.handed_on import as_value, is_handed_on
from torchfix_codemods.rules.renames.questions.messages import about_call, about_gone, about_method
from torchfix_codemods.rules.renames.questions.new_calls import new_call
from torchfix_codemods.rules.renames.questions.rows_called import (
    CallRow,
    Index,
    index_of,
    is_for_age,
    needs_successor,
    rows_called,
    rows_of_tensors_alone,
)


class Rewritten(Followed):
    """Base of the rules that write calls of torch's functions and methods in another way.

    A subclass gives its code and its docstring. A row is followed where the function is called by
    its name, whichever way the file imports it, and as a method where the receiver is certainly of
    the right kind. Nothing is rewritten beside ``*args`` and ``**kwargs``, where an argument would
    be evaluated in another order or not at all, and where the file chooses by torch's version
    itself.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if any(isinstance(row, Arguments) for row in cls.rows):
            cls.words |= ASSERTIONS

    @functools.cached_property
    def _index(self) -> Index:
        return index_of(self.rows)

    # Finding

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if not (candidates := [*rows_called(self._index, call, facts)]):
            yield from self._find_unknown(call, facts)
            yield from self._find_assertion(call, facts)
        elif (found := self._find_called(candidates, call, facts)) and not is_chosen(facts, call):
            yield found

    def _find_called(
        self, candidates: Sequence[tuple[CallRow, ast.expr | None]], call: ast.Call, facts: Facts
    ) -> Found | None:
        for row, receiver in candidates:
            if is_for_age(row, call, facts):
                found = self._follow(row, call, receiver, facts)
                if found is not None:
                    return found
        return None

    def _find_unknown(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """A method that is gone, and that nobody but tensors ever had."""
        for row, receiver in rows_of_tensors_alone(self._index, call, facts):
            is_old = row.forms or not needs_successor(row, call, facts)
            if is_old and not is_chosen(facts, call, is_gone=row.is_name_gone):
                yield self.advice(call, about_method(row, call, receiver, facts))

    def _find_assertion(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``mock_scheduler.assert_called_with(optimizer, verbose=True)``, as its code is called."""
        name = asserted(facts, call)
        for row in () if name is None else self._index.names.get(name, ()):
            assert name is not None
            if not isinstance(row, Arguments) or row.before is not None or row.advice:
                continue
            changed = changed_arguments(row, call, facts)
            if changed is not None and are_calls_followed(facts, row, name, self.code):
                yield self._found_arguments(row, call, called_so(name), Numerics.IDENTICAL, changed)
                return

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        yield from self._find_value(node, facts)

    def find_Name(self, node: ast.Name, facts: Facts) -> Iterator[Found]:
        yield from self._find_value(node, facts)

    def find_ImportFrom(self, node: ast.ImportFrom, facts: Facts) -> Iterator[Found]:
        scope = facts.names.scope_of(node)
        for alias in () if node.level else node.names:
            if any(facts.names.uses_of(scope, alias.asname or alias.name)):
                continue
            for row in self._index.names.get(f"{node.module}.{alias.name}", ()):
                if not isinstance(row, Call) or not row.is_name_gone:
                    continue
                is_needless = is_idle(facts, node, alias)
                if not (is_needless and row.raises) and not is_guarded(facts, node, alias.name):
                    told = idle_message(row, node) if is_needless else about_gone(row, node, facts)
                    yield self.advice(node, told)

    def _find_value(self, node: ast.Attribute | ast.Name, facts: Facts) -> Iterator[Found]:
        """A function that is gone, where neither it nor ``cast[dtype]`` is called: handed on."""
        parent = facts.parent(node)
        whole = parent if isinstance(parent, ast.Subscript) and parent.value is node else node
        called = getattr(facts.parent(whole), "func", None)
        if called is whole or not isinstance(node.ctx, ast.Load):
            return
        for row in self._index.names.get(facts.name(node) or "", ()):
            if not isinstance(row, Call) or is_guarded(facts, node, last_name(node) or ""):
                continue
            if is_import_guarded(facts, node):
                continue
            text = as_value(row, node, facts)
            name, opening, rest = text.partition("(")
            spelled = spell(facts, name, node) if text else None
            if spelled is not None:
                yield self.found(
                    node,
                    about_call(row, text),
                    numerics=row.numerics,
                    reason=row.reason(target=self.target),
                    needs=spelled.needs,
                    value=spelled.text + opening + rest,
                )
            elif row.is_name_gone and not (row.raises and isinstance(parent, ast.Attribute)):
                yield self.advice(node, about_gone(row, node, facts))
            elif row.handed and is_handed_on(row, node, facts):
                yield self.advice(node, row.handed)
            return

    # Deciding

    def _follow(
        self, row: CallRow, call: ast.Call, receiver: ast.expr | None, facts: Facts
    ) -> Found | None:
        if isinstance(row, Arguments):
            return self._follow_arguments(row, call, facts)
        new = new_call(row, call, receiver, facts, self.target)
        if new is None:
            return None
        if isinstance(new, str):
            return self.advice(call, new)
        return self.found(
            call,
            about_call(row, new.form),
            region=new.region,
            numerics=new.numerics,
            reason=row.reason(new.numerics, self.target),
            needs=new.plan.needs,
            text=new.plan.text,
            places=dict(new.plan.places),
            target=new.target,
        )

    def _follow_arguments(self, row: Arguments, call: ast.Call, facts: Facts) -> Found | None:
        told = about_dropped(row, call, facts)
        if told is not None:
            return self.advice(call, told)
        changed = changed_arguments(row, call, facts)
        if changed is None:
            return None
        if row.advice:
            return self.advice(call, f"{called_by(call, facts)}: {row.advice}")
        message = about_arguments(row, call, facts, changed)
        loses = loses_something(row, call, changed)
        return self._found_arguments(row, call, message, row.numerics, changed, loses)

    def _found_arguments(
        self,
        row: Row,
        call: ast.Call,
        message: str,
        numerics: Numerics,
        changed: Changed,
        loses: bool = False,
    ) -> Found:
        return self.found(
            call,
            message,
            numerics=numerics,
            reason=row.reason(target=self.target),
            loses=loses,
            keywords=changed.named,
            dropped=changed.dropped,
        )

    # Rewriting

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if "text" in self.data:
            return self._filled(updated) or updated
        keywords, dropped = self.data["keywords"], self.data["dropped"]
        if max((*keywords, *dropped)) >= len(updated.args):
            return updated
        return without_arguments(with_keywords(updated, keywords), dropped)

    def leave_Subscript(
        self, original: cst.Subscript, updated: cst.Subscript
    ) -> cst.BaseExpression:
        return self._filled(updated.value) or updated

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        if "value" in self.data:
            return in_place_of(updated, self.data["value"])
        return self._filled(updated.value) or updated

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        return in_place_of(updated, self.data["value"])

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        assign = updated.body[0]
        if len(updated.body) != 1 or not isinstance(assign, cst.Assign):
            return updated
        first, value = assign.targets[0], self._filled(assign.value)
        if value is None or not isinstance(first.target, cst.Tuple):
            return updated
        target = first.with_changes(target=first.target.elements[self.data["target"]].value)
        return updated.with_changes(body=[assign.with_changes(targets=[target], value=value)])

    def _filled(self, call: cst.BaseExpression) -> cst.BaseExpression | None:
        if not isinstance(call, cst.Call):
            return None
        return filled(call, self.data["text"], self.data["places"])
