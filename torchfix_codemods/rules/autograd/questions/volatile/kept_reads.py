"""Volatile values that an object keeps for its other methods, as `set_input` does for `test`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.rules.autograd.questions.outcomes.letting_out import collectors
from torchfix_codemods.rules.autograd.questions.outcomes.reach import reach_of
from torchfix_codemods.rules.autograd.questions.outcomes.reading import only_reads
from torchfix_codemods.rules.autograd.questions.volatile.calls import volatile_calls
from torchfix_codemods.rules.autograd.questions.volatile.kept_blocks import span_of_kept
from torchfix_codemods.rules.autograd.questions.volatile.spans import Span
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
    span = span_of_kept(call, facts)
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
