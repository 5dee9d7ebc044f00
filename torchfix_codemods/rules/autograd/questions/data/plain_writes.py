"""What is written through ``.data`` where that says nothing: there is no graph to hide it from."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import is_fresh
from torchfix_codemods.facts.paths.uses import augmented, uses_of
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rules.autograd.questions.data.seen_where_off import is_seen_without_grad
from torchfix_codemods.rules.autograd.questions.graphless.gradients import is_plain_grad
from torchfix_codemods.rules.autograd.questions.updates import updated_tensor
from torchfix_codemods.rules.autograd.questions.written_data import (
    cannot_get_history,
    is_plain,
    is_plain_before,
    reshaping,
)


def is_stored_plainly(node: ast.Attribute, statement: ast.stmt, facts: Facts) -> bool:
    """Whether ``x.data[i] = 0`` stores what has no graph into a part of what has none either.

    So it is asked of tensors whose ``.data`` goes in another line of the function anyway, of new
    ones and of gradients.
    """
    if _stores_parts(statement) and is_seen_without_grad(node.value, facts):
        return True
    return _stores_plainly(statement, facts) and (
        is_plain_grad(node.value, facts)
        or is_reshaped_plainly(node.value, facts)
        or is_written_when_made(node.value, facts)
    )


def _stores_plainly(statement: ast.stmt, facts: Facts) -> bool:
    """Whether only parts of something get a value, which brings no graph with it."""
    if not isinstance(statement, (ast.Assign, ast.AugAssign)):
        return False
    return _stores_parts(statement) and is_plain(statement.value, facts)


def _stores_parts(statement: ast.stmt) -> bool:
    """``x[i] = y``, ``x[i] += y``."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    return bool(targets) and all(isinstance(target, ast.Subscript) for target in targets)


def is_written_when_made(tensor: ast.expr, facts: Facts) -> bool:
    """Whether all that is written through ``.data`` of a new tensor is there before it is read.

    ``mask = torch.zeros(n)`` and ``mask.data[i] = 1`` in the lines below: no graph can need the
    numbers from before.
    """
    bindings = [*facts.flow.reaching(tensor)] if isinstance(tensor, ast.Name) else []
    if len(bindings) != 1:
        return False
    value = facts.value(tensor)
    if not isinstance(value, Tensor) or value.grad is not False:
        return False
    (made,) = bindings
    key = "written when made", made
    return facts.remembered(key, lambda: _is_written_before_read(made, facts))


def _is_written_before_read(made: Binding, facts: Facts) -> bool:
    line = made.node
    if not isinstance(line, ast.Assign) or len(line.targets) > 1 or made.path or made.is_shared:
        return False
    if not _makes_new(line.value, facts) or augmented(facts, made):
        return False
    block, scope = facts.block(line), facts.names.scope_of(line)
    below = block[block.index(line) + 1 :]
    written, read = 0, len(below)
    for use in uses_of(facts, made):
        if facts.names.scope_of(use) is not scope:
            return False
        around = (facts.statement(use), *facts.names.ancestors(facts.statement(use)))
        # What stands elsewhere runs later: above it, in the next turn of a loop.
        at = next((below.index(each) for each in around if each in below), len(below))
        if _is_plain_write(use, facts):
            written = max(written, at)
        elif getattr(facts.parent(use), "attr", "") == "data":
            # Half of the lines would say it, half would not.
            return False
        elif not _only_asks(use, facts):
            read = min(read, at)
    return written < read


def _makes_new(node: ast.expr, facts: Facts) -> bool:
    """``torch.zeros(2)``, also where it is moved or seen in another shape at once."""
    while not is_fresh(node, facts):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        node = node.func.value
    return True


def _is_plain_write(use: ast.Name, facts: Facts) -> bool:
    """``x.data[i] = 0``, ``x.data.fill_(0)``."""
    data, statement = facts.parent(use), facts.statement(use)
    if not isinstance(data, ast.Attribute) or data.attr != "data":
        return False
    if isinstance(statement, ast.Expr):
        return updated_tensor(statement, facts) is use and cannot_get_history(statement, facts)
    part = facts.parent(data)
    if not isinstance(part, ast.Subscript) or part.value is not data:
        return False
    return isinstance(part.ctx, ast.Store) and _stores_plainly(statement, facts)


def _only_asks(use: ast.Name, facts: Facts) -> bool:
    """``x.size(0)``."""
    asked = facts.parent(use)
    return isinstance(asked, ast.Attribute) and torch_effects.tells(asked.attr)


def is_reshaped_plainly(tensor: ast.expr, facts: Facts) -> bool:
    """Whether a tensor without a graph is given another size in a function, without ``.data`` then.

    What else is written into it there is written without it as well.
    """

    def find() -> set[tuple[ast.AST | None, str]]:
        return {
            (facts.names.enclosing_function(each), ast.unparse(each.value))
            for each in facts.names.attributes("data")
            if reshaping(each, facts) is not None and is_plain_before(each, facts)
        }

    reshaped = facts.remembered("data reshaped plainly", find)
    key = facts.names.enclosing_function(tensor), ast.unparse(tensor)
    value = facts.value(tensor) if key in reshaped else None
    return isinstance(value, Tensor) and value.grad is False
