"""Whether a tensor may come from something that lays it out as ``view()`` does not take it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import dropwhile, islice

from torchfix_codemods.facts.evaluation.applications import applications_of_class
from torchfix_codemods.facts.evaluation.parameters import argument_for, call_sites
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import known_calls
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.tensors.shapes import asks_for_shape
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Module, Number, Tensor, Unknown, ndim_of
from torchfix_codemods.rules.tensors.questions.cut_parts import cut_part
from torchfix_codemods.rules.tensors.questions.joined_dimensions import (
    adds_ones,
    joins_none,
    sizes_beside_ones,
)

#: Through so many functions that hand it on a parameter is followed.
_MOST_HANDED_ON = 3


def viewed_by(call: ast.Call, facts: Facts) -> ast.expr | None:
    """The tensor of which a call makes a view, where nothing shows that it can be made.

    Of ``x.contiguous().view(shape)`` it is ``x``.
    """
    method = call.func
    if not isinstance(method, ast.Attribute) or method.attr != "view":
        return None
    if not asks_for_shape(call, facts):
        return None
    viewed = copied_by(method.value) or method.value
    value = facts.value(viewed)
    if not isinstance(value, Tensor) or value.contiguous or value.ndim == 0:
        return None
    # Where a copy is made, it is the copy that asks for another spelling.
    is_made = viewed is method.value and (
        joins_none(call, viewed, facts) or _only_gets_ones(call, viewed, facts)
    )
    return None if is_made else viewed


def _only_gets_ones(call: ast.Call, viewed: ast.expr, facts: Facts) -> bool:
    """Whether a part that is cut from what nothing moved only gets dimensions of 1 beside its own.

    ``x[:, 0].view(-1, 1)``, ``x[:, ::2].view(-1, n, 1, 1)``: of a matrix no layout is in the way,
    and of more dimensions it failed in every torch.
    """
    sizes = sizes_beside_ones(call)
    part = cut_part(viewed, facts) if sizes is not None else None
    if part is None or ndim_of(facts.value(viewed)) not in (None, sizes):
        return False
    return part.ndim == sizes and not may_be_strided(part.whole, facts)


def copied_by(node: ast.expr) -> ast.expr | None:
    """``x`` of ``x.contiguous()``."""
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return None
    is_copy = isinstance(node.func, ast.Attribute) and node.func.attr == "contiguous"
    return node.func.value if is_copy and isinstance(node.func, ast.Attribute) else None


def is_spelled_anew(call: ast.Call, viewed: ast.expr, facts: Facts) -> bool:
    """Whether a view may fail, or its twin may: they are spelled alike.

    A twin asks for the same sizes in the same block. Copies are spelled as all others of their
    function are. What is calculated with a contiguous tensor lies as that one does, unless
    something shows otherwise; and ``y.view(1, -1)`` makes a row of labels, in which no layout is
    in the way, unless y has more dimensions.
    """
    if may_be_strided(viewed, facts):
        return True
    function = facts.names.enclosing_function(call)
    if function is None or _is_calculated_in_order(viewed, facts):
        return False
    if adds_ones(call) and ndim_of(facts.value(viewed)) is None:
        return False
    of_copies = _is_of_copy(call)
    strided = facts.remembered(
        ("strided views", function, of_copies),
        lambda: list(_strided_views(function, of_copies, facts)),
    )
    return bool(strided) if of_copies else any(_are_twins(call, each, facts) for each in strided)


def _are_twins(call: ast.Call, other: ast.Call, facts: Facts) -> bool:
    """Whether two views ask for the same sizes in statements of one block."""
    if len(call.args) != len(other.args) or call.keywords or other.keywords:
        return False
    statements = [facts.statement(each) for each in (call, other)]
    is_one_block = statements[1] in facts.block(statements[0])
    return is_one_block and all(map(same_expression, call.args, other.args))


def _is_calculated_in_order(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor is calculated with one that is contiguous: ``torch.cat(xs) / y``."""
    node, _ = unwrapped(node)
    if isinstance(node, ast.Call) and len(node.args) == 1 and facts.name(node.func) == VARIABLE:
        return _is_calculated_in_order(node.args[0], facts)
    made = facts.assigned(node) if isinstance(node, ast.Name) else [node]
    return bool(made) and all(
        isinstance(each, ast.BinOp)
        and any(
            isinstance(value := facts.value(side), Tensor) and value.contiguous
            for side in (each.left, each.right)
        )
        for each in made or ()
    )


def _strided_views(function: ast.AST, of_copies: bool, facts: Facts) -> Iterator[ast.Call]:
    """The views of a function that may fail, with those of copies or without."""
    for call in facts.names.inside(function, ast.Call):
        viewed = viewed_by(call, facts) if of_copies or not _is_of_copy(call) else None
        if viewed is not None and may_be_strided(viewed, facts):
            yield call


def _is_of_copy(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and copied_by(call.func.value) is not None


def may_be_strided(node: ast.expr, facts: Facts, depth: int = 0) -> bool:
    """Whether ``t``, ``permute``, a slice and the like may have made a tensor what it is.

    A parameter is followed to the calls of its function in the project.
    """
    value = facts.value(node)
    if isinstance(value, Tensor) and (value.contiguous or value.strided):
        return value.strided
    if isinstance(value, (Tensor, Unknown)) and _is_moved(node, facts):
        return True
    root = _root(node)
    if depth == _MOST_HANDED_ON or not isinstance(root, ast.Name):
        return False
    function, parameter = parameter_held(root, facts)
    if function is None or parameter is None:
        return False
    return any(
        may_be_strided(given, there, depth + 1)
        for given, there in _given(function, parameter, facts)
    )


def _is_moved(node: ast.expr, facts: Facts) -> bool:
    """Whether dimensions are moved about, or parts of inner ones taken, of whatever it may be."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        # Behind integers the first that stays is an outer one: ``x[0, 1:]``.
        parts = dropwhile(lambda p: isinstance(facts.value(p), Number), node.slice.elts)
        inner = islice(parts, 1, None)
        return any(isinstance(p, ast.Slice) and (p.lower or p.upper) for p in inner)
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in torch_api.PERMUTING
    )


def _root(node: ast.expr) -> ast.expr:
    """``x`` of ``x.data`` and ``x.float()``, which lie as x does unless something is known."""
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def _given(
    function: ast.FunctionDef, parameter: ast.arg, facts: Facts
) -> Iterator[tuple[ast.expr, Facts]]:
    """What the calls in sight give for a parameter, each with the facts of its file."""
    is_bound = facts.classes.gets_object(function)
    for call, there in _calls(function, facts):
        given = None if is_opaque(call) else argument_for(function, parameter, call, is_bound)
        if given is not None:
            yield given, there


def _calls(function: ast.FunctionDef, facts: Facts) -> Iterator[tuple[ast.Call, Facts]]:
    owner = facts.parent(function)
    if function.name == "forward" and isinstance(owner, ast.ClassDef):
        calls = applications_of_class(facts.inference, owner)
        calls = _known_applications(facts).get(owner, []) if calls is None else calls
        yield from ((call, facts) for call in calls)
    elif facts.files is None:
        yield from ((call, facts) for call in call_sites(facts.inference, function))
    else:
        yield from known_calls(function, facts)


def _known_applications(facts: Facts) -> dict[ast.ClassDef, list[ast.Call]]:
    """For each class of a file the calls of its modules there: ``self.layers[i](x)``.

    Others may call them as well, and what these give cannot be seen.
    """
    return facts.remembered("known applications", lambda: _find_applications(facts))


def _find_applications(facts: Facts) -> dict[ast.ClassDef, list[ast.Call]]:
    found: dict[ast.ClassDef, list[ast.Call]] = {}
    for call in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(call, ast.Call)
        if isinstance(call.func, (ast.Attribute, ast.Subscript)) and not facts.name(call.func):
            module = facts.value(call.func)
            if isinstance(module, Module) and module.definition is not None:
                found.setdefault(module.definition, []).append(call)
    return found
