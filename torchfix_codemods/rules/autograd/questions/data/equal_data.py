"""Whether equal ``.data`` of a function, or of one statement, become the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.autograd.questions.data.asked_forms import form_of
from torchfix_codemods.rules.autograd.questions.data.data_ways import way_of_read
from torchfix_codemods.rules.autograd.questions.data.given_data import (
    is_given_like,
    is_part_of_given,
)
from torchfix_codemods.rules.autograd.questions.data.staying import (
    staying,
    stays,
    stays_with,
    text_of,
)
from torchfix_codemods.rules.autograd.questions.indexed_data import is_of_indexed_number


def way_beside_others(node: ast.Attribute, facts: Facts) -> str:
    """:func:`way_of_read`, where no other rule speaks of it and nothing equal stays."""
    if is_of_indexed_number(node, facts) or is_index_like_another_that_stays(node, facts):
        return "kept"
    way, said = way_of_read(node, facts), staying(node, facts)
    if node in said.nodes or stays_with(node, said, facts) or _stays_beside(node, way, facts):
        return "kept"
    if is_given_like(node, said.nodes, facts):
        return "kept"
    return way


def _stays_beside(node: ast.Attribute, way: str, facts: Facts) -> bool:
    """Whether another ``.data`` of the statement stays: of ``a * x.data + b * y.data`` one.

    What goes whatever becomes of others stays beside one alone that it is compared with, or that is
    written alike, as a part of the same: ``x, y = x[0].data, y[0].data``.
    """
    others = _others_of_statement(node, facts)
    own = form_of(node, facts)
    if way == "needless":
        return any(stays(o, facts) for o in others if _is_alike_beside(o, node, facts))
    return any(
        stays(other, facts) and (way == "detached" or form_of(other, facts) == own)
        for other in others
    )


def _is_alike_beside(one: ast.Attribute, other: ast.Attribute, facts: Facts) -> bool:
    """Whether two parts of a tuple that is assigned are the same but for the name in front.

    So are the two of ``x.data == y.data``, whatever their names.
    """
    display = facts.parent(one)
    if display is not facts.parent(other) or not isinstance(display, (ast.Compare, ast.Tuple)):
        return False
    if isinstance(display, ast.Compare):
        return True
    is_assigned = isinstance(facts.parent(display), ast.Assign)
    return is_assigned and _behind_name(one) == _behind_name(other)


def _behind_name(node: ast.expr) -> str:
    """``.squeeze(0).data`` of ``x.squeeze(0).data``."""
    front = node
    while isinstance(front, (ast.Attribute, ast.Call, ast.Subscript)):
        front = front.func if isinstance(front, ast.Call) else front.value
    return ast.unparse(node).removeprefix(ast.unparse(front))


def has_equal_that_stays(tensor: ast.expr, facts: Facts) -> bool:
    """Whether the ``.data`` of an expression stays elsewhere in the same function.

    Half of them would be of one kind then, half of the other.
    """
    return text_of(tensor) in staying(tensor, facts).texts


def is_initialized_beside_given(tensor: ast.expr, facts: Facts) -> bool:
    """Whether ``.data`` of the same layer is given to a function, and stays."""
    return is_part_of_given(tensor, staying(tensor, facts).nodes, facts)


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
