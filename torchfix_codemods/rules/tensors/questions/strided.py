"""Whether a tensor may come from something that lays it out as ``view()`` does not take it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.applications import applications_of_class
from torchfix_codemods.facts.evaluation.parameters import argument_for, call_sites
from torchfix_codemods.facts.language.arguments import is_opaque, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import known_calls
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.tensors.shapes import asks_for_shape
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Tensor, Unknown, ndim_of

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
    is_made = viewed is method.value and _joins_none(call, viewed, facts)
    return None if is_made else viewed


def copied_by(node: ast.expr) -> ast.expr | None:
    """``x`` of ``x.contiguous()``."""
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return None
    is_copy = isinstance(node.func, ast.Attribute) and node.func.attr == "contiguous"
    return node.func.value if is_copy and isinstance(node.func, ast.Attribute) else None


def is_spelled_anew(call: ast.Call, viewed: ast.expr, facts: Facts) -> bool:
    """Whether a view may fail, or another one of its function may: they are spelled alike.

    Those of copies are spelled as others of copies are, too.
    """
    function = facts.names.enclosing_function(call)
    if function is None or may_be_strided(viewed, facts):
        return may_be_strided(viewed, facts)
    of_copies = _is_of_copy(call)
    return facts.remembered(
        ("strided views", function, of_copies), lambda: _has_strided(function, of_copies, facts)
    )


def _has_strided(function: ast.AST, of_copies: bool, facts: Facts) -> bool:
    for call in facts.names.inside(function, ast.Call):
        viewed = viewed_by(call, facts) if of_copies or not _is_of_copy(call) else None
        if viewed is not None and may_be_strided(viewed, facts):
            return True
    return False


def _is_of_copy(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and copied_by(call.func.value) is not None


def may_be_strided(node: ast.expr, facts: Facts, depth: int = 0) -> bool:
    """Whether ``t``, ``permute``, a slice and the like may have made a tensor what it is.

    A parameter is followed to the calls of its function in the project.
    """
    value = facts.value(node)
    if isinstance(value, Tensor) and (value.contiguous or value.strided):
        return value.strided
    if isinstance(value, (Tensor, Unknown)) and _is_moved(node):
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


def _is_moved(node: ast.expr) -> bool:
    """Whether dimensions are moved about, or parts of inner ones taken, of whatever it may be."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        return any(isinstance(p, ast.Slice) and (p.lower or p.upper) for p in node.slice.elts[1:])
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
        yield from ((call, facts) for call in applications_of_class(facts.inference, owner) or ())
    elif facts.files is None:
        yield from ((call, facts) for call in call_sites(facts.inference, function))
    else:
        yield from known_calls(function, facts)


def _joins_none(view: ast.Call, viewed: ast.expr, facts: Facts) -> bool:
    """Whether a view certainly joins no dimensions: ``x.view(x.size(0), 1, -1)`` of a matrix.

    Args:
        view: the call of ``view``.
        viewed: the tensor.
        facts: the facts of the module.
    """
    ndim = ndim_of(facts.value(viewed))
    if ndim is None:
        return False
    only = view.args[0] if len(view.args) == 1 else None
    sizes = only.elts if isinstance(only, (ast.Tuple, ast.List)) else view.args
    if any(isinstance(size, ast.Starred) for size in sizes):
        return False
    wanted = [size for size in sizes if whole_number(size) != 1]
    before = 0
    while before < min(ndim, len(wanted)) and _is_size(wanted[before], viewed, before, ndim, facts):
        before += 1
    behind = 0
    while behind < min(ndim, len(wanted)) - before:
        place = ndim - 1 - behind
        if not _is_size(wanted[-1 - behind], viewed, place, ndim, facts):
            break
        behind += 1
    return ndim - before - behind <= 1


def _is_size(size: ast.expr, viewed: ast.expr, place: int, ndim: int, facts: Facts) -> bool:
    """Whether an expression is ``x.size(place)``, or a name for it."""
    if isinstance(size, ast.Name):
        bindings = facts.flow.reaching(size)
        if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].value is None:
            return False
        value, path = bindings[0].value, bindings[0].path
        if path:
            holder = _asked(value)
            return path == (place,) and holder is not None and _is_same(holder, viewed, facts)
        return not isinstance(value, ast.Name) and _is_size(value, viewed, place, ndim, facts)
    if isinstance(size, ast.Subscript):
        holder, index = _asked(size.value), whole_number(size.slice)
    elif isinstance(size, ast.Call) and len(size.args) == 1 and not size.keywords:
        is_asked = isinstance(size.func, ast.Attribute) and size.func.attr == "size"
        holder = size.func.value if is_asked and isinstance(size.func, ast.Attribute) else None
        index = whole_number(size.args[0])
    else:
        return False
    return index in (place, place - ndim) and holder is not None and _is_same(holder, viewed, facts)


def _asked(sizes: ast.expr) -> ast.expr | None:
    """``x`` of ``x.size()`` and ``x.shape``."""
    method = sizes.func if isinstance(sizes, ast.Call) and not sizes.args else sizes
    wanted = "size" if isinstance(sizes, ast.Call) else "shape"
    is_asked = isinstance(method, ast.Attribute) and method.attr == wanted
    return method.value if is_asked and isinstance(method, ast.Attribute) else None


def _is_same(one: ast.expr, other: ast.expr, facts: Facts) -> bool:
    """Whether two names hold the same tensor."""
    return (
        isinstance(one, ast.Name)
        and isinstance(other, ast.Name)
        and one.id == other.id
        and set(facts.flow.reaching(one)) == set(facts.flow.reaching(other))
    )
