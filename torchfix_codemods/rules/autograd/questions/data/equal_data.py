"""Whether equal ``.data`` of a function, or of one statement, become the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.record import record
from torchfix_codemods.rules.autograd.questions.data.asked_forms import (
    are_alike,
    asked_beside,
    form_of,
    methods_of,
)
from torchfix_codemods.rules.autograd.questions.data.data_ways import way_of_read, way_of_update
from torchfix_codemods.rules.autograd.questions.data.given_data import (
    is_given_like,
    is_part_of_given,
)
from torchfix_codemods.rules.autograd.questions.data.plain_writes import is_stored_plainly
from torchfix_codemods.rules.autograd.questions.indexed_data import is_of_indexed_number
from torchfix_codemods.rules.autograd.questions.updates import updated_tensor
from torchfix_codemods.rules.autograd.questions.written_data import is_stored_to, reshaping


def way_beside_others(node: ast.Attribute, facts: Facts) -> str:
    """:func:`way_of_read`, where no other rule speaks of it and nothing equal stays."""
    if is_of_indexed_number(node, facts) or is_index_like_another_that_stays(node, facts):
        return "kept"
    way, said = way_of_read(node, facts), _staying(node, facts)
    if node in said.nodes or _stays_with(node, said, facts) or _stays_beside(node, way, facts):
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
        return any(_stays(o, facts) for o in others if _is_alike_beside(o, node, facts))
    return any(
        _stays(other, facts) and (way == "detached" or form_of(other, facts) == own)
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
    return _text_of(tensor) in _staying(tensor, facts).texts


def is_initialized_beside_given(tensor: ast.expr, facts: Facts) -> bool:
    """Whether ``.data`` of the same layer is given to a function, and stays."""
    return is_part_of_given(tensor, _staying(tensor, facts).nodes, facts)


def _text_of(node: ast.expr) -> str:
    """What is equal of equal ones: ``params[0]`` and ``params[1]`` are parts of one list."""
    if isinstance(node, ast.Subscript) and whole_number(node.slice) is not None:
        return f"{_text_of(node.value)}[…]"
    return ast.unparse(node)


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


@record
class _Staying:
    """The ``.data`` of a function that stay, and what is the same in others that stay with them."""

    nodes: tuple[ast.Attribute, ...] = ()
    texts: frozenset[str] = frozenset()
    """What they are of."""
    forms: frozenset[str] = frozenset()
    """What is asked of them."""
    beside: frozenset[tuple[ast.stmt, tuple[str, ...]]] = frozenset()
    """What is asked in the lines above and below."""


def _staying(node: ast.AST, facts: Facts) -> _Staying:
    """Of the ``.data`` that stay in the function of a node."""
    found = facts.remembered("TP104 stays", lambda: _find_staying(facts))
    return found.get(facts.names.enclosing_function(node), _Staying())


def _find_staying(facts: Facts) -> dict[ast.AST | None, _Staying]:
    """For each function the ``.data`` that stay in it; its own word counts in two of them."""
    inside: dict[ast.AST | None, list[ast.Attribute]] = {}
    for each in facts.names.attributes("data"):
        inside.setdefault(facts.names.enclosing_function(each), []).append(each)
    found = {f: _said_of([e for e in own if _stays(e, facts)], facts) for f, own in inside.items()}
    while True:
        staying = [each for said in found.values() for each in said.nodes]
        lines = {_line_of(e, facts) for e in staying if _is_read_of_tensor(e, facts)}
        grown = {f: _grown(inside[f], said, lines, facts) for f, said in found.items()}
        if all(len(grown[f].nodes) == len(said.nodes) for f, said in found.items()):
            return found
        found = grown


def _grown(inside: list[ast.Attribute], said: _Staying, lines: set[str], facts: Facts) -> _Staying:
    """With what stays for the sake of what does."""
    statements = {facts.statement(e) for e in said.nodes if isinstance(e.ctx, ast.Load)}
    more = [
        each
        for each in inside
        if each not in said.nodes
        and not (facts.name(each) is not None or _is_anothers(each, facts))
        and (
            _stays_with(each, said, facts)
            or _is_detached_in(each, statements, lines, facts)
            or is_given_like(each, said.nodes, facts)
        )
    ]
    return _said_of([*said.nodes, *more], facts) if more else said


def _said_of(staying: list[ast.Attribute], facts: Facts) -> _Staying:
    tensors = [each for each in staying if _may_be_tensor(each, facts)]
    return _Staying(
        nodes=(*staying,),
        texts=frozenset(_text_of(each.value) for each in staying),
        forms=frozenset(form for each in tensors if (form := form_of(each, facts))),
        beside=asked_beside(tensors, facts),
    )


def _may_be_tensor(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``x.data`` may be one of a tensor: what certainly is none is another thing."""
    return isinstance(facts.value(node.value), (Tensor, Unknown))


def _is_read_of_tensor(node: ast.Attribute, facts: Facts) -> bool:
    return isinstance(node.ctx, ast.Load) and _may_be_tensor(node, facts)


def _line_of(node: ast.Attribute, facts: Facts) -> str:
    """A statement as it is written; of a branch or a loop, its ``.data`` alone."""
    statement = facts.statement(node)
    written = node if hasattr(statement, "body") else statement
    return facts.remembered((_line_of, written), lambda: ast.unparse(written))


def _stays_with(node: ast.Attribute, said: _Staying, facts: Facts) -> bool:
    """Whether a ``.data`` stays because an equal one does."""
    if are_alike(form_of(node, facts), said.forms) or _is_asked_beside(node, said, facts):
        return True
    return _text_of(node.value) in said.texts and way_of_read(node, facts) == "detached"


def _is_asked_beside(node: ast.Attribute, said: _Staying, facts: Facts) -> bool:
    asked = methods_of(node, facts)
    return bool(asked) and (facts.statement(node), asked) in said.beside


def _is_detached_in(
    node: ast.Attribute, statements: set[ast.stmt], lines: set[str], facts: Facts
) -> bool:
    """Whether a ``.data`` would be detached in a statement where another stays, and so stays.

    So it is in one that is written in the same way where it stays: in ``test()`` as in ``train()``.
    """
    is_beside = facts.statement(node) in statements or _line_of(node, facts) in lines
    return is_beside and way_of_read(node, facts) == "detached"


def _is_anothers(node: ast.Attribute, facts: Facts) -> bool:
    """Whether a ``.data`` goes with what stands around it, whatever becomes of others."""
    around, statement = facts.parent(node), facts.statement(node)
    if isinstance(around, ast.Call) and facts.name(around.func) == VARIABLE:
        # What is detached there is x.
        return True
    is_update = isinstance(statement, ast.Expr) and updated_tensor(statement, facts) is not None
    return is_update or is_of_indexed_number(node, facts)


def _stays(node: ast.Attribute, facts: Facts) -> bool:
    statement = facts.statement(node)
    if isinstance(node.ctx, ast.Store) or is_stored_to(node, statement):
        return not is_stored_plainly(node, statement, facts)
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
