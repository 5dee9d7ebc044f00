"""Whether equal ``.data`` of a function, or of one statement, become the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.rules.autograd.questions.data.data_ways import way_of_read, way_of_update
from torchfix_codemods.rules.autograd.questions.data.given_data import (
    is_given_like,
    is_part_of_given,
)
from torchfix_codemods.rules.autograd.questions.indexed_data import is_of_indexed_number
from torchfix_codemods.rules.autograd.questions.updates import updated_tensor
from torchfix_codemods.rules.autograd.questions.written_data import is_stored_to, reshaping
from torchfix_codemods.rules.questions.like_calls import nameless


def way_beside_others(node: ast.Attribute, facts: Facts) -> str:
    """:func:`way_of_read`, where no other rule speaks of it and nothing equal stays."""
    if is_of_indexed_number(node, facts) or is_index_like_another_that_stays(node, facts):
        return "kept"
    way = way_of_read(node, facts)
    if _is_asked_like_another_that_stays(node, facts) or _stays_beside(node, way, facts):
        return "kept"
    if is_given_like(node, _staying(node, facts)[2], facts):
        return "kept"
    return "kept" if way == "detached" and has_equal_that_stays(node.value, facts) else way


def _stays_beside(node: ast.Attribute, way: str, facts: Facts) -> bool:
    """Whether another ``.data`` of the statement stays: of ``a * x.data + b * y.data`` one.

    What goes whatever becomes of others stays beside one alone that is written alike, as a part of
    the same: ``x, y = x[0].data, y[0].data``.
    """
    others = _others_of_statement(node, facts)
    own = _form(node, facts)
    if way == "needless":
        return any(_stays(o, facts) for o in others if _is_alike_beside(o, node, facts))
    return any(
        _stays(other, facts) and (way == "detached" or _form(other, facts) == own)
        for other in others
    )


def _is_alike_beside(one: ast.Attribute, other: ast.Attribute, facts: Facts) -> bool:
    """Whether two parts of a tuple that is assigned are the same but for the name in front."""
    display = facts.parent(one)
    if display is not facts.parent(other) or not isinstance(display, ast.Tuple):
        return False
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
    return _text_of(tensor) in _staying(tensor, facts)[0]


def is_initialized_beside_given(tensor: ast.expr, facts: Facts) -> bool:
    """Whether ``.data`` of the same layer is given to a function, and stays."""
    return is_part_of_given(tensor, _staying(tensor, facts)[2], facts)


def _text_of(node: ast.expr) -> str:
    """What is equal of equal ones: ``params[0]`` and ``params[1]`` are parts of one list."""
    if isinstance(node, ast.Subscript) and whole_number(node.slice) is not None:
        return f"{_text_of(node.value)}[…]"
    return ast.unparse(node)


def _is_asked_like_another_that_stays(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``.data`` stays in the function where the same is asked of it.

    ``.cpu().numpy()`` of ``a = x.data.cpu().numpy()`` and ``b = y.data.cpu().numpy()``.
    """
    return _is_like(_form(node, facts), _staying(node, facts)[1])


def _is_like(own: str, forms: frozenset[str]) -> bool:
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
    """``.cpu().numpy()`` of ``x.data.cpu().numpy()``: what is asked of it; empty where nothing.

    Also what takes it: ``.eq→0`` of ``a.eq(x.data)``, ``[torch.cat→0`` of ``torch.cat([x.data])``,
    and ``=`` of ``y = x.data`` that is detached, as ``+=`` of ``total += x.data * n``.
    """
    whole: ast.expr = node
    asked: ast.expr = node
    around = facts.parent(node)
    while (isinstance(around, ast.Attribute) and around.value is whole) or (
        isinstance(around, ast.Call) and around.func is whole
    ):
        whole, around = around, facts.parent(around)
        asked = whole if isinstance(whole, ast.Call) or asked is node else asked
    if asked is not node:
        end = "" if isinstance(asked, ast.Call) else "→"
        return nameless(asked, node).removeprefix(nameless(node, node)) + end
    is_listed = isinstance(around, (ast.List, ast.Tuple))
    given, call = (around, facts.parent(around)) if is_listed and around else (node, around)
    if isinstance(call, ast.Call) and given in call.args:
        taking = ast.unparse(call.func)
        if isinstance(call.func, ast.Attribute) and facts.name(call.func) is None:
            taking = f".{call.func.attr}"
        return f"{'[' if is_listed else ''}{taking}→{call.args.index(given)}"
    while isinstance(around, ast.BinOp):
        around = facts.parent(around)
    is_summed = isinstance(around, ast.AugAssign)
    is_kept = is_summed or (isinstance(around, ast.Assign) and around.value is node)
    if not is_kept or way_of_read(node, facts) not in ("detached", "kept"):
        return ""
    return "+=" if is_summed else "="


_Staying = tuple[frozenset[str], frozenset[str], tuple[ast.Attribute, ...]]


def _staying(node: ast.AST, facts: Facts) -> _Staying:
    """Of the ``.data`` that stay in the function of a node: the texts, what is asked, the nodes."""
    function = facts.names.enclosing_function(node)
    return facts.remembered(("TP104 stays", function), lambda: _find_staying(function, facts))


def _find_staying(function: ast.AST | None, facts: Facts) -> _Staying:
    inside = [
        each
        for each in facts.names.attributes("data")
        if facts.names.enclosing_function(each) is function
    ]
    staying = [each for each in inside if _stays(each, facts)]
    while True:
        texts = frozenset(_text_of(each.value) for each in staying)
        # What is certainly no tensor is another thing.
        asked = (e for e in staying if isinstance(facts.value(e.value), (Tensor, Unknown)))
        forms = frozenset(form for each in asked if (form := _form(each, facts)))
        statements = {facts.statement(e) for e in staying if isinstance(e.ctx, ast.Load)}
        more = [
            each
            for each in inside
            if each not in staying
            and (
                _stays_with(each, texts, forms, facts)
                or _is_detached_in(each, statements, facts)
                or (not _is_anothers(each, facts) and is_given_like(each, staying, facts))
            )
        ]
        if not more:
            return texts, forms, (*staying,)
        staying += more


def _stays_with(
    node: ast.Attribute, texts: frozenset[str], forms: frozenset[str], facts: Facts
) -> bool:
    """Whether a ``.data`` stays because an equal one does."""
    if facts.name(node) is not None or _is_anothers(node, facts):
        return False
    is_equal = _text_of(node.value) in texts and way_of_read(node, facts) == "detached"
    return is_equal or _is_like(_form(node, facts), forms)


def _is_detached_in(node: ast.Attribute, statements: set[ast.stmt], facts: Facts) -> bool:
    """Whether a ``.data`` would be detached in a statement where another stays, and so stays."""
    is_beside = facts.statement(node) in statements and not _is_anothers(node, facts)
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
