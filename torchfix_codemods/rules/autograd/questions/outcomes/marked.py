"""What becomes of ``x.volatile = True``: a block under ``no_grad``, nothing, or a sentence."""

from __future__ import annotations

import ast

from torchfix_codemods.edit.spelling import Spelling, spell
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.record import record
from torchfix_codemods.rules.autograd.questions.volatile import messages
from torchfix_codemods.rules.autograd.questions.volatile.blocks import spans_of_uses
from torchfix_codemods.rules.autograd.questions.volatile.marks import (
    block_of_mark,
    is_of_tensor,
    may_be_of_variable,
)
from torchfix_codemods.rules.autograd.questions.volatile.spans import Span
from torchfix_codemods.rules.autograd.questions.volatile.uses import volatile_before


@record
class Verdict:
    """What becomes of a mark; where nothing is told and there is no span, it goes."""

    told: str = ""
    span: Span | None = None
    spelling: Spelling | None = None


def verdict_on_mark(node: ast.Assign, facts: Facts) -> Verdict | None:
    """What becomes of ``x.volatile = True`` and ``x.volatile = False``; None for anything else."""
    target = node.targets[0]
    if not isinstance(target, ast.Attribute) or target.attr != "volatile":
        return None
    marked, is_false = target.value, constant(node.value) in (False, 0)
    # An unknown x that gets `requires_grad` as well is one.
    is_tensor = facts.is_tensor(marked) or (is_false and is_of_tensor(target, facts))
    if not isinstance(marked, ast.Name) or not is_tensor:
        is_told = constant(node.value) is True and may_be_of_variable(target, facts)
        return Verdict(messages.does_nothing(marked, node, facts)) if is_told else None
    if is_false and (made := volatile_before(node, marked, facts)):
        # Where it ends what goes under a block, it goes with the flag.
        is_open = any(spans_of_uses(call, None, facts) is None for call in made)
        return Verdict(messages.LETS_THROUGH.format(marked.id)) if is_open else None
    if is_false or is_under_no_grad(node, facts):
        return Verdict()
    is_true = constant(node.value) in (True, 1)
    span = block_of_mark(node, marked, facts) if is_true else None
    spelling = spell(facts, "torch.no_grad", node)
    if span is None or spelling is None:
        return Verdict(messages.does_nothing(marked, node, facts))
    return Verdict("", span, spelling)
