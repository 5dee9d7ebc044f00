"""What takes a volatile value and trains itself: no block can stand around that."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.rules.autograd.questions.volatile.flows import flow_of_call


def is_given_to_training(call: ast.Call, holder: ast.expr | None, facts: Facts) -> bool:
    """Whether something that uses a volatile value runs ``backward()`` or ``step()`` itself.

    ``train(D, G, noise)`` cuts off what it makes of ``noise`` (``G(noise).data``), as nothing that
    is volatile could be differentiated. So its flag just goes.

    Args:
        call: what makes the value.
        holder: what keeps it: a name, ``self.x``, or ``batch[key]``; None where that is not known.
        facts: the facts of the module.
    """
    flow = flow_of_call(call, facts)
    using = [facts.statement(read) for read in _reads(holder, facts)]
    using += () if flow is None else flow.recording
    return trains(_without_blocks(using), facts)


def _without_blocks(statements: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    for statement in statements:
        yield from (n for n in ast.iter_child_nodes(statement) if not isinstance(n, ast.stmt))


def _reads(holder: ast.expr | None, facts: Facts) -> Iterator[ast.expr]:
    while isinstance(holder, ast.Subscript):
        holder = holder.value
    if isinstance(holder, ast.Attribute):
        yield from (n for n in facts.names.attributes(holder.attr) if isinstance(n.ctx, ast.Load))
    elif isinstance(holder, ast.Name):
        is_made = isinstance(holder.ctx, ast.Store)
        made, before = facts.statement(holder), () if is_made else facts.flow.reaching(holder)
        for use in facts.names.uses_of(facts.names.scope_of(holder), holder.id):
            reaching = facts.flow.reaching(use)
            if any(b.node is made if is_made else b in before for b in reaching):
                yield use
