"""What becomes of each ``.data``, taken by itself."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import has_to_be_number, is_formatted
from torchfix_codemods.facts.paths.writes import is_parameter, may_change
from torchfix_codemods.facts.values.lattice import WITHOUT_HISTORY, Tensor
from torchfix_codemods.rules.autograd.questions.data.leaves import is_missed_by_none, leaf_made_of
from torchfix_codemods.rules.autograd.questions.data.plain_writes import (
    is_reshaped_plainly,
    is_written_when_made,
)
from torchfix_codemods.rules.autograd.questions.graphless.gradients import is_plain_grad
from torchfix_codemods.rules.autograd.questions.graphless.made_of import is_without_graph
from torchfix_codemods.rules.autograd.questions.graphless.switched_off import (
    is_without_grad,
    was_made_without_grad,
)
from torchfix_codemods.rules.autograd.questions.needless_data import (
    has_nothing_to_detach,
    is_needless,
)
from torchfix_codemods.rules.autograd.questions.reads import is_made_number, is_only_read
from torchfix_codemods.rules.autograd.questions.updates import (
    group_of_updates,
    initialization,
    is_in_forward,
    updated_tensor,
    whole_loop,
)
from torchfix_codemods.rules.autograd.questions.written_data import cannot_get_history
from torchfix_codemods.rules.questions.own_lines import stands_alone


def way_of_read(node: ast.Attribute, facts: Facts) -> str:
    """What becomes of ``x.data`` where nothing is written through it.

    Args:
        node: the attribute, of a tensor.
        facts: the facts of the module.

    Returns:
        "needless" where it goes whatever becomes of it, "plain" where there is nothing to detach,
        "detached" for ``x.detach()``, "number" for ``x.item()``, "kept" for what stays as it is.
    """
    return facts.remembered(("TP104", node), lambda: _way_of_read(node, facts))


def _way_of_read(node: ast.Attribute, facts: Facts) -> str:
    if is_needless(node, facts):
        return "needless"
    if is_formatted(facts, node) and has_to_be_number(facts, node):
        # ``"%.4f" % x.data`` makes a number of it, and takes nothing else.
        return "number"
    if _is_made_anew(node, facts) or gives_name_itself(node, facts):
        return "plain"
    leaf = leaf_made_of(node, facts)
    if leaf is not None and isinstance(leaf.func, ast.Attribute):
        is_free = not may_change(node.value, facts) and is_missed_by_none(leaf, node, facts)
        return "detached" if is_free else "kept"
    if not is_only_read(facts, node, strict=may_change(node.value, facts)):
        return "kept"
    if has_nothing_to_detach(node, facts):
        return "plain"
    # ``float(x.detach())`` is no better form: that is ``x.item()``.
    return "kept" if is_made_number(node, facts) else "detached"


def _is_made_anew(node: ast.Attribute, facts: Facts) -> bool:
    """``x.data.cpu()`` of what was calculated without gradients, and is only read besides.

    No graph keeps x then, whatever is written into its memory later. So it is with
    ``x = x.data.cpu()``, after which x has no other name.
    """
    held = node.value
    if not isinstance(held, ast.Name):
        return False
    statement = facts.statement(node)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    is_same = [getattr(target, "id", None) for target in targets] == [held.id]
    if len(targets) > 1:
        return False
    is_alone = is_same or (_is_used_at_once(node, facts) and _is_kept_by_no_graph(held, facts))
    return is_alone and was_made_without_grad(held, facts)


def gives_name_itself(node: ast.Attribute, facts: Facts) -> bool:
    """``x = x.data`` where gradients are off, of what never had a graph: x is what it was.

    What held it before is read nowhere else, or where nothing can come of it.

    Args:
        node: the attribute.
        facts: the facts of the module.
    """
    statement, held = facts.parent(node), node.value
    if not isinstance(statement, ast.Assign) or not isinstance(held, ast.Name):
        return False
    if [getattr(target, "id", None) for target in statement.targets] != [held.id]:
        return False
    if not is_without_grad(node, facts) or not _is_kept_by_no_graph(held, facts):
        return False
    return is_without_graph(held, facts)


def _is_used_at_once(node: ast.Attribute, facts: Facts) -> bool:
    """``x.data.cpu()``, ``f(x.data)``: the same tensor gets no other name beside x."""
    return isinstance(facts.parent(node), (ast.Attribute, ast.Call, ast.Subscript))


def _is_kept_by_no_graph(name: ast.Name, facts: Facts) -> bool:
    """Whether all other reads of what a name holds are made where gradients are off, and no more.

    What is kept there, in a list or by code that is not known, may become part of a graph later.
    """
    found, held = facts.names.scope_of(name).lookup(name.id), set(facts.flow.reaching(name))
    uses = [] if found is None else facts.names.uses_of(found[0], name.id)
    others = [use for use in uses if use is not name and held & set(facts.flow.reaching(use))]
    return all(is_without_grad(o, facts) and is_only_read(facts, o, strict=False) for o in others)


def _never_gets_graph(updated: ast.expr, facts: Facts) -> bool:
    """Whether whole numbers are written where gradients are off, as all that reads them is.

    So no backward pass misses what they were: ``word.data.fill_(best)`` in a loop that generates.
    """
    if not isinstance(updated, ast.Name) or not is_without_grad(updated, facts):
        return False
    value = facts.value(updated)
    is_of_integers = isinstance(value, Tensor) and value.dtype in WITHOUT_HISTORY
    return is_of_integers and _is_kept_by_no_graph(updated, facts)


def way_of_update(statement: ast.Expr | ast.AugAssign, facts: Facts) -> str:
    """What becomes of ``x.data.add_(y)``, of a tensor, and of ``p.data += y``, of a parameter.

    Returns:
        "plain" where ``.data`` goes, "initialized" for a function of ``nn.init``, "updated" for
        an update under ``no_grad``, "kept" for what stays as it is.
    """
    updated = updated_tensor(statement, facts)
    if updated is None:
        return "kept"
    if isinstance(statement, ast.Expr) and (way := _way_of_call(statement, updated, facts)):
        return way
    if is_in_forward(statement, facts):
        return "kept"
    group = group_of_updates(statement, facts)
    can_move = group and all(stands_alone(facts, one) for one in whole_loop(group, facts))
    return "updated" if can_move else "kept"


def _way_of_call(statement: ast.Expr, updated: ast.expr, facts: Facts) -> str | None:
    """What becomes of a call on ``x.data``; None where it may be an update under ``no_grad``."""
    if is_written_when_made(updated, facts) and cannot_get_history(statement, facts):
        return "plain"
    if is_in_forward(statement, facts):
        return "kept"
    if not is_parameter(updated, facts):
        is_plain = is_plain_grad(updated, facts) or is_reshaped_plainly(updated, facts)
        is_plain = is_plain or _never_gets_graph(updated, facts)
        return "plain" if is_plain and cannot_get_history(statement, facts) else "kept"
    return "initialized" if initialization(statement) is not None else None
