"""Statements that calculate with a volatile value which an object keeps, in all its methods."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.programs.training import is_harmless, trains
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.rules.autograd.questions.outcomes.letting_out import collectors
from torchfix_codemods.rules.autograd.questions.outcomes.reach import reach_of
from torchfix_codemods.rules.autograd.questions.outcomes.reading import only_reads
from torchfix_codemods.rules.autograd.questions.outcomes.value_flow import bindings_of
from torchfix_codemods.rules.autograd.questions.volatile.calls import volatile_calls
from torchfix_codemods.rules.autograd.questions.volatile.spans import Span, suspends
from torchfix_codemods.rules.autograd.questions.volatile.uses import moved, target_of

_NO_GRAD = "torch.no_grad"


def spans_of_kept(
    call: ast.Call, facts: Facts, spans_of: Callable[[ast.Call], list[Span] | None]
) -> list[Span] | None:
    """The statements to put under ``no_grad`` for ``self.x = Variable(x, volatile=True)``.

    They follow in its block, or stand in other methods. None where another file speaks of ``x``,
    where it may hold anything else, or where a method does more with it than to give it to a call,
    from which ``spans_of`` follows on.

    Args:
        call: what makes the volatile value.
        facts: the facts of the module.
        spans_of: the statements that the value of a call flows through in its method.
    """
    span = _span_of_kept(call, facts)
    return [span] if span is not None else _spans_of_readers(call, facts, spans_of)


def _spans_of_readers(
    call: ast.Call, facts: Facts, spans_of: Callable[[ast.Call], list[Span] | None]
) -> list[Span] | None:
    kept = target_of(moved(call, facts), facts)
    owner = facts.names.enclosing_class(call)
    if not isinstance(kept, ast.Attribute) or owner is None or not is_self(facts, kept.value):
        return None
    if facts.is_used_elsewhere(kept.attr) or not _is_always_volatile(kept, facts):
        return None
    reads = _reads_of(kept, facts)
    spans: list[Span] = []
    for read in reads:
        if only_reads(read, facts) or is_under_no_grad(read, facts):
            continue
        method = facts.names.enclosing_function(read)
        if not isinstance(method, ast.FunctionDef) or facts.parent(method) is not owner:
            return None
        if facts.names.scope_of(read) is not facts.names.scopes[method]:
            return None
        if spell(facts, _NO_GRAD, read) != spell(facts, _NO_GRAD, call):
            return None
        made = reach_of(read, facts).expression
        if not isinstance(made, ast.Call) or trains(method.body, facts):
            return None
        if collectors(read, facts.statement(read), facts) != []:
            return None
        found = spans_of(made)
        if found is None:
            return None
        spans += [span for span in found if span not in spans]
    return spans if reads else None


def _reads_of(kept: ast.Attribute, facts: Facts) -> list[ast.Attribute]:
    """What reads an attribute once it is set."""
    setter = facts.names.enclosing_function(kept)
    return [
        read
        for read in facts.names.attributes(kept.attr)
        if isinstance(read.ctx, ast.Load)
        if facts.names.enclosing_function(read) is not setter or read.lineno > kept.lineno
    ]


def _is_always_volatile(kept: ast.Attribute, facts: Facts) -> bool:
    """Whether an attribute of the object itself is set to volatile values alone in the end."""
    made = {facts.statement(call) for call in volatile_calls(facts)}
    setter, statement = facts.names.enclosing_function(kept), facts.statement(kept)
    is_sure = isinstance(setter, ast.FunctionDef) and statement in setter.body
    for other in facts.names.attributes(kept.attr):
        if not is_self(facts, other.value):
            return False
        if isinstance(other.ctx, ast.Load) or facts.statement(other) in made:
            continue
        is_above = facts.names.enclosing_function(other) is setter and other.lineno < kept.lineno
        if not (is_above and is_sure):
            return False
    return True


def _span_of_kept(call: ast.Call, facts: Facts) -> Span | None:
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
