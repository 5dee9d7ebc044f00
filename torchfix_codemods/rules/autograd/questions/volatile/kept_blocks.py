"""Statements of a method that calculate with a volatile value which its object keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.programs.training import is_harmless, trains
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.rules.autograd.questions.outcomes.reach import reach_of
from torchfix_codemods.rules.autograd.questions.outcomes.reading import only_reads
from torchfix_codemods.rules.autograd.questions.outcomes.value_flow import bindings_of
from torchfix_codemods.rules.autograd.questions.volatile.calls import volatile_calls
from torchfix_codemods.rules.autograd.questions.volatile.spans import Span, suspends
from torchfix_codemods.rules.autograd.questions.volatile.uses import moved, target_of


def span_of_kept(call: ast.Call, facts: Facts) -> Span | None:
    """The statements to put under ``no_grad`` for ``self.x = Variable(x, volatile=True)``.

    They stand in its block, from there to the last that uses what the object keeps. None where
    the method uses it elsewhere, too, or where another one calculates with it that does not train
    and has given the object nothing else before.
    """
    method = facts.names.enclosing_function(call)
    owner = None if method is None else facts.parent(method)
    if not isinstance(method, ast.FunctionDef) or not isinstance(owner, ast.ClassDef):
        return None
    flow = _Kept(facts)
    if method.name == "__init__" or not flow.add_store(call):
        return None
    statement = facts.statement(call)
    block = facts.block(statement)
    first = block.index(statement)
    last = first + max((i for i, s in enumerate(block[first:]) if flow.takes(s)), default=0)
    span = Span(block, first, last)
    if not flow.is_recorded or suspends(span) or flow.is_used_beside(method, span):
        return None
    if not is_harmless(span.statements, flow.expressions, facts):
        return None
    others = (_is_harmless_beside(name, method, owner, facts) for name in flow.attributes)
    return span if all(others) else None


class _Kept:
    """What an object keeps of a volatile value, and what is calculated from it in a block."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self.attributes: set[str] = set()
        self.bindings: set[Binding] = set()
        self.expressions: set[ast.expr] = set()
        self.is_recorded = False

    def add_store(self, call: ast.Call) -> bool:
        """Whether a call makes what an attribute of the object keeps."""
        target = target_of(moved(call, self._facts), self._facts)
        if not isinstance(target, ast.Attribute) or not is_self(self._facts, target.value):
            return False
        self.attributes.add(target.attr)
        return True

    def takes(self, statement: ast.stmt) -> bool:
        """Whether a statement keeps another volatile value, or uses what is kept."""
        facts = self._facts
        made = [c for c in volatile_calls(facts) if facts.statement(c) is statement]
        stores = [self.add_store(call) for call in made]
        reads = [*self.reads_in(statement)]
        for read in reads:
            reach = reach_of(read, facts)
            self.expressions.add(reach.expression)
            self.is_recorded = self.is_recorded or not only_reads(read, facts)
            inner = facts.statement(read)
            self.bindings.update(bindings_of(inner, reach.expression, facts))
            for target in inner.targets if isinstance(inner, ast.Assign) else ():
                if isinstance(target, ast.Attribute) and is_self(facts, target.value):
                    self.attributes.add(target.attr)
        return bool(reads) or any(stores)

    def reads_in(self, root: ast.AST) -> Iterator[ast.expr]:
        """What reads one of the attributes, or a name that holds what is calculated."""
        facts = self._facts
        for node in walk(root):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                if node.attr in self.attributes and is_self(facts, node.value):
                    yield node
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                if not self.bindings.isdisjoint(facts.flow.reaching(node)):
                    yield node

    def is_used_beside(self, method: ast.FunctionDef, span: Span) -> bool:
        """Whether the method uses what is kept outside of a span, once it ran."""
        inside = {node for statement in span.statements for node in walk(statement)}
        start = span.statements[0].lineno
        return any(r not in inside and r.lineno > start for r in self.reads_in(method))


def _is_harmless_beside(
    name: str, method: ast.FunctionDef, owner: ast.ClassDef, facts: Facts
) -> bool:
    """Whether nothing else calculates with an attribute, but where it trains, or is set anew."""
    if facts.files is None and facts.is_used_elsewhere(name):
        return False
    for read in _reads(name, facts):
        function = facts.names.enclosing_function(read)
        if function is method or _is_of_other_class(read, owner, facts):
            continue
        if only_reads(read, facts) or is_under_no_grad(read, facts):
            continue
        if function is None or not (
            trains(function.body, facts) or _is_set_before(read, function, facts)
        ):
            return False
    return all(
        only_reads(read, there) or _is_of_other_class(read, owner, there)
        for there in others_with(name, facts)
        for read in _reads(name, there)
    )


def _reads(name: str, facts: Facts) -> list[ast.Attribute]:
    return [read for read in facts.names.attributes(name) if isinstance(read.ctx, ast.Load)]


def _is_of_other_class(read: ast.Attribute, owner: ast.ClassDef, facts: Facts) -> bool:
    """Whether ``self.x`` is an attribute of a class that has nothing to do with another one."""
    cls = facts.names.enclosing_class(read)
    if cls is None or not is_self(facts, read.value):
        return False
    below, above = facts.classes.bases(cls), facts.classes.bases(owner)
    named = {ast.unparse(base).rpartition(".")[2] for each in below for base in each.bases}
    return owner not in below and cls not in above and owner.name not in named


def _is_set_before(read: ast.Attribute, function: ast.AST, facts: Facts) -> bool:
    """Whether a method has set ``self.x`` anew, whichever way it came to what reads it."""
    text = ast.unparse(read)
    return any(
        isinstance(statement, ast.Assign)
        and statement.lineno < read.lineno
        and any(ast.unparse(target) == text for target in statement.targets)
        for statement in getattr(function, "body", ())
    )
