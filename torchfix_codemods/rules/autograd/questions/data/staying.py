"""Which ``.data`` of a function stay: of one kind all of them go, or none does."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import without_items
from torchfix_codemods.facts.libraries import python_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.writes import is_parameter
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.rules.autograd.questions.data.data_ways import (
    gives_name_itself,
    way_of_read,
    way_of_update,
)
from torchfix_codemods.rules.autograd.questions.data.leaves import leaf_made_of
from torchfix_codemods.rules.autograd.questions.data.plain_writes import (
    is_reshaped_plainly,
    is_stored_plainly,
)
from torchfix_codemods.rules.autograd.questions.indexed_data import is_of_indexed_number
from torchfix_codemods.rules.autograd.questions.needless_data import asks_for_form
from torchfix_codemods.rules.autograd.questions.updates import (
    initialization,
    updated_tensor,
    what_is_updated,
)
from torchfix_codemods.rules.autograd.questions.written_data import is_stored_to, reshaping

_Tie = tuple[ast.AST | None, str]


def way_beside_others(node: ast.Attribute, facts: Facts) -> str:
    """:func:`way_of_read`, where no other rule speaks of it and none of its kind stays."""
    if is_of_indexed_number(node, facts) or stays_with_others(node, facts):
        return "kept"
    return way_of_read(node, facts)


def stays_with_others(node: ast.Attribute, facts: Facts) -> bool:
    """Whether a ``.data`` of the same kind stays in the function, as all of them do then.

    Who reads ``a.detach()`` beside ``b.data`` looks for a reason.
    """
    held = facts.remembered("TP104 stays", lambda: _find_staying(facts))
    return any(tie in held for tie in _ties(node, facts)) and not _goes_alone(node, facts)


def _find_staying(facts: Facts) -> set[_Tie]:
    """What binds ``.data`` that stay to others."""
    bound: list[tuple[_Tie, ...]] = []
    held = set[_Tie]()
    for each in facts.names.attributes("data"):
        if not _is_of_tensor(each, facts) or _goes_alone(each, facts):
            continue
        if not _stays(each, facts):
            bound.append(_ties(each, facts))
        elif not _is_gone_through(each, facts):
            held.update(_ties(each, facts))
    while more := {tie for ties in bound if not held.isdisjoint(ties) for tie in ties} - held:
        held |= more
    return held


def _is_gone_through(node: ast.expr, facts: Facts) -> bool:
    """``for w in x.data``, ``list(x.data.view(-1))``, of which each element is asked for.

    Elements of data were numbers, unlike those of x: such lines have a reason of their own.
    """
    around = facts.parent(node)
    while isinstance(around, ast.Attribute) and around.value is node:
        call, method = facts.parent(around), around.attr
        is_view = torch_effects.gives_alias(method) or torch_effects.may_be_itself(method)
        if not isinstance(call, ast.Call) or call.func is not around or not is_view:
            return False
        node, around = call, facts.parent(call)
    if isinstance(around, (ast.For, ast.comprehension)):
        return around.iter is node
    if not isinstance(around, ast.Call) or node not in around.args:
        return False
    return python_functions.walks(facts.names.builtin(around.func))


def _ties(node: ast.Attribute, facts: Facts) -> tuple[_Tie, ...]:
    """What a ``.data`` has in common with those that stay or go with it.

    That is the function with its kind, the function with its tensor, and where it is read the line:
    ``test()`` reads as ``train()`` does.
    """
    statement, function = facts.statement(node), facts.names.enclosing_function(node)
    kind = _kind(node, facts)
    ties: tuple[_Tie, ...] = (function, kind), (function, f"{_viewed(node.value)}.data")
    if kind == "read" and not hasattr(statement, "body"):
        line = facts.remembered((_ties, statement), lambda: ast.unparse(statement))
        return (*ties, (None, line))
    is_read = isinstance(node.ctx, ast.Load) and not is_stored_to(node, statement)
    return (*ties, (function, "read")) if is_read and _stores_to_data(statement) else ties


def _viewed(node: ast.expr) -> str:
    """``weight`` of ``weight.t()``: the tensor on whose memory one is."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and torch_effects.gives_alias(node.func.attr)
    ):
        node = node.func.value
    return ast.unparse(node)


def _kind(node: ast.Attribute, facts: Facts) -> str:
    """What a ``.data`` is there for: a gradient, what is set up, written into, or read.

    Weights are set up by ``nn.init``, which has a line for each whatever becomes of others.
    """
    statement = facts.statement(node)
    updated = what_is_updated(statement)
    if getattr(node.value if updated is None else updated, "attr", "") == "grad":
        return "gradient"
    if _is_set_up(node, statement, facts):
        return "set up"
    return "written" if updated is not None or _stores_to_data(statement) else "read"


def _stores_to_data(statement: ast.stmt) -> bool:
    """``x.data = y.data``, ``x.data[i] = y.data``."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    cores = map(without_items, targets)
    return any(isinstance(core, ast.Attribute) and core.attr == "data" for core in cores)


def _goes_alone(node: ast.Attribute, facts: Facts) -> bool:
    """Whether a ``.data`` has to go, or its line has to be mended, whatever becomes of others."""
    if isinstance(facts.value(node.value), Tensor):
        # What is detached there is x.
        if leaf_made_of(node, facts) is not None or is_asked_beside_store(node, facts):
            return True
        around = facts.parent(node)
        if isinstance(around, ast.Attribute) and around.attr != "new":
            # ``x.data.new_zeros(2)`` is another tensor, whatever becomes of what x holds;
            # ``x.data.new(2)`` is rewritten whole, with all that are alike, or stays.
            if torch_effects.makes_alike(around.attr):
                return True
        if gives_name_itself(node, facts):
            return True
    is_reshaped = reshaping(node, facts) is not None or is_reshaped_plainly(node.value, facts)
    return is_reshaped or is_of_indexed_number(node, facts)


def is_asked_beside_store(node: ast.Attribute, facts: Facts) -> bool:
    """``w.data = draw(w.data.size())``: the line has its ``.data`` for the memory of w.

    The size is that of w itself.

    Args:
        node: the attribute, of a tensor.
        facts: the facts of the module.
    """
    return _stores_to_data(facts.statement(node)) and asks_for_form(node, facts)


def _is_set_up(node: ast.Attribute, statement: ast.stmt, facts: Facts) -> bool:
    """``w.data.zero_()``; ``init(w.data)``: a line that gives a function a parameter fills it.

    So does ``w.data = init(w.data)``, and one that gives anything to ``torch.nn.init``.
    """
    if isinstance(statement, ast.Expr) and initialization(statement) is not None:
        return True
    call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if not isinstance(call, ast.Call) or node not in call.args:
        return False
    if isinstance(statement, ast.Assign) and not is_stored_to(node, statement):
        return False
    is_filling = (facts.name(call.func) or "").startswith("torch.nn.init.")
    return is_filling or is_parameter(node.value, facts)


def _is_of_tensor(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``x.data`` may be one of a tensor: what certainly is none is another thing."""
    if facts.name(node) is not None or not isinstance(facts.value(node.value), (Tensor, Unknown)):
        return False
    around = facts.parent(node)
    if isinstance(around, ast.Attribute):
        return torch_effects.is_known(around.attr)
    return not (isinstance(around, ast.Call) and around.func is node)


def _stays(node: ast.Attribute, facts: Facts) -> bool:
    """Whether a ``.data`` stays, taken by itself."""
    statement = facts.statement(node)
    if isinstance(statement, (ast.Expr, ast.AugAssign)):
        if updated_tensor(statement, facts) is not None:
            # What else is read of it in the statement goes with it.
            is_tensor = isinstance(facts.value(node.value), Tensor)
            return not is_tensor or way_of_update(statement, facts) == "kept"
    if isinstance(node.ctx, ast.Store) or is_stored_to(node, statement):
        return not is_stored_plainly(node, statement, facts)
    if not isinstance(facts.value(node.value), Tensor):
        return True
    return way_of_read(node, facts) == "kept"
