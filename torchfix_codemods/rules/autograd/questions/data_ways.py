"""What becomes of each ``.data``, and whether equal ones of a function become the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.writes import is_parameter, may_change
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rules.autograd.questions.graphless.switched_off import (
    is_without_grad,
    was_made_without_grad,
)
from torchfix_codemods.rules.autograd.questions.indexed_data import is_of_indexed_number
from torchfix_codemods.rules.autograd.questions.needless_data import (
    has_nothing_to_detach,
    is_needless,
    is_plain_grad,
)
from torchfix_codemods.rules.autograd.questions.reads import is_only_read
from torchfix_codemods.rules.autograd.questions.updates import (
    group_of_updates,
    initialization,
    is_in_forward,
    updated_tensor,
)
from torchfix_codemods.rules.autograd.questions.written_data import (
    cannot_get_history,
    is_stored_to,
    reshaping,
)


def way_of_read(node: ast.Attribute, facts: Facts) -> str:
    """What becomes of ``x.data`` where nothing is written through it.

    Args:
        node: the attribute, of a tensor.
        facts: the facts of the module.

    Returns:
        "needless" where it goes whatever becomes of it, "plain" where there is nothing to detach,
        "detached" for ``x.detach()``, "kept" for what stays as it is.
    """
    return facts.remembered(("TP104", node), lambda: _way_of_read(node, facts))


def way_beside_others(node: ast.Attribute, facts: Facts) -> str:
    """:func:`way_of_read`, where no other rule speaks of it and no equal index stays."""
    if is_of_indexed_number(node, facts) or is_index_like_another_that_stays(node, facts):
        return "kept"
    return "kept" if _stays_beside(node, facts) else way_of_read(node, facts)


def _stays_beside(node: ast.Attribute, facts: Facts) -> bool:
    """``{"d": x.data.item(), "g": y.data.item()}``, where ``y`` may be no tensor."""
    form = _form(node, facts)
    others = _others_of_statement(node, facts) if form else ()
    return any(_form(other, facts) == form and _stays(other, facts) for other in others)


def _way_of_read(node: ast.Attribute, facts: Facts) -> str:
    if is_needless(node, facts):
        return "needless"
    if _is_made_anew(node, facts):
        return "plain"
    if not is_only_read(facts, node, strict=may_change(node.value, facts)):
        return "kept"
    return "plain" if has_nothing_to_detach(node, facts) else "detached"


def _is_made_anew(node: ast.Attribute, facts: Facts) -> bool:
    """``x = x.data.cpu()`` of what was calculated without gradients, and has no name from then on.

    Of that nothing else has to be kept from what is written into the new x later.
    """
    statement = facts.statement(node)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target, held = statement.targets[0], node.value
    is_same = isinstance(target, ast.Name) and isinstance(held, ast.Name) and target.id == held.id
    return is_same and is_without_grad(node, facts) and was_made_without_grad(held, facts)


def way_of_update(statement: ast.Expr, facts: Facts) -> str:
    """What becomes of ``x.data.add_(y)``, of a tensor.

    Returns:
        "plain" where ``.data`` goes, "initialized" for a function of ``nn.init``, "updated" for
        an update under ``no_grad``, "kept" for what stays as it is.
    """
    updated = updated_tensor(statement, facts)
    if updated is None or is_in_forward(statement, facts):
        return "kept"
    if not is_parameter(updated, facts):
        is_plain = is_plain_grad(updated, facts) and cannot_get_history(statement, facts)
        return "plain" if is_plain else "kept"
    if initialization(statement) is not None:
        return "initialized"
    return "updated" if group_of_updates(statement, facts) else "kept"


def has_equal_that_stays(tensor: ast.expr, facts: Facts) -> bool:
    """Whether the ``.data`` of an expression stays elsewhere in the same function.

    Half of them would be of one kind then, half of the other.
    """
    function = facts.names.enclosing_function(tensor)
    staying = facts.remembered(("TP104 stays", function), lambda: _staying(function, facts))
    return ast.unparse(tensor) in staying


def has_another_that_stays(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``.data`` stays of an equal expression, or of one that looks like this one.

    Of ``f(x.data, y.data)`` half would be of another kind, and so it is with
    ``a = x.data.cpu().numpy()`` and ``b = y.data.cpu().numpy()`` of one function.
    """
    if has_equal_that_stays(node.value, facts):
        return True
    if any(_stays(other, facts) for other in _others_of_statement(node, facts)):
        return True
    return is_asked_like_another_that_stays(node, facts)


def is_asked_like_another_that_stays(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``.data`` stays in the function where the same is asked of it.

    ``.cpu().numpy()`` of ``a = x.data.cpu().numpy()`` and ``b = y.data.cpu().numpy()``.
    """
    function = facts.names.enclosing_function(node)
    forms = facts.remembered(
        ("TP104 forms that stay", function), lambda: _forms_that_stay(function, facts)
    )
    own = _form(node, facts)
    return bool(own) and any(own.startswith(form) or form.startswith(own) for form in forms)


def is_index_like_another_that_stays(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``x.data`` says which part is meant, and stays where the same says it elsewhere.

    ``h[i.data] = a`` beside ``c[i.data] = b``, where ``c`` may be a dict.
    """
    inside: ast.AST = node
    for around in facts.names.ancestors(node):
        if isinstance(around, ast.Subscript) and around.slice is inside:
            return has_equal_that_stays(node.value, facts)
        if not isinstance(around, (ast.BinOp, ast.Tuple)):
            return False
        inside = around
    return False


def _others_of_statement(node: ast.Attribute, facts: Facts) -> Iterator[ast.Attribute]:
    """What else is ``.data`` in a statement; of a loop, in what it goes through."""
    statement = facts.statement(node)
    for other in facts.names.attributes("data"):
        is_read = isinstance(other.ctx, ast.Load)
        if other is not node and is_read and facts.statement(other) is statement:
            yield other


def _form(node: ast.Attribute, facts: Facts) -> str:
    """``.cpu().numpy()`` of ``x.data.cpu().numpy()``: what is asked of it; empty where nothing."""
    whole: ast.expr = node
    around = facts.parent(node)
    while (isinstance(around, ast.Attribute) and around.value is whole) or (
        isinstance(around, ast.Call) and around.func is whole
    ):
        whole, around = around, facts.parent(around)
    is_call = isinstance(whole, ast.Call)
    return ast.unparse(whole).removeprefix(ast.unparse(node)) if is_call else ""


def _forms_that_stay(function: ast.AST | None, facts: Facts) -> frozenset[str]:
    """What is asked of the ``.data`` that stay in a function, or at the level of the module."""
    staying = (node for node in _of_function(function, facts) if _stays(node, facts))
    return frozenset(form for node in staying if (form := _form(node, facts)))


def _of_function(function: ast.AST | None, facts: Facts) -> Iterator[ast.Attribute]:
    for node in facts.names.attributes("data"):
        if facts.names.enclosing_function(node) is function:
            yield node


def _staying(function: ast.AST | None, facts: Facts) -> frozenset[str]:
    """The texts of what keeps a ``.data`` in a function, or at the level of the module."""
    return frozenset(
        ast.unparse(node.value) for node in _of_function(function, facts) if _stays(node, facts)
    )


def _stays(node: ast.Attribute, facts: Facts) -> bool:
    statement = facts.statement(node)
    if isinstance(node.ctx, ast.Store) or is_stored_to(node, statement):
        return True
    if facts.name(node) is not None or reshaping(node, facts) is not None:
        return False
    around = facts.parent(node)
    if isinstance(around, ast.Call) and facts.name(around.func) == VARIABLE:
        # What is detached there is x.
        return False
    if not isinstance(facts.value(node.value), Tensor):
        return True
    if isinstance(statement, ast.Expr) and updated_tensor(statement, facts) is not None:
        # What else is read of it in the statement goes with it.
        return way_of_update(statement, facts) == "kept"
    return not is_of_indexed_number(node, facts) and way_of_read(node, facts) == "kept"
