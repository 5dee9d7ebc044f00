"""How many dimensions a tensor can have, as what is done with it shows."""

from __future__ import annotations

import ast
import functools
import itertools
import operator
from collections.abc import Callable, Iterator

from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.language.arguments import constant, is_opaque, whole_number
from torchfix_codemods.facts.language.branches import tests_passed
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number, Tensor

_MAX_DEPTH = 6
#: The numbers of dimensions that are told apart; the last stands for all above, too.
_MANY = 5
_ANY = frozenset(range(_MANY + 1))
_SWAPS = frozenset("transpose transpose_ swapaxes swapdims".split())
_COMPARES: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def shown_dimensions(facts: Facts, node: ast.expr, depth: int = 0) -> frozenset[int]:
    """The numbers of dimensions that a tensor can have: 3 and more of ``x.transpose(0, 2)``.

    Args:
        facts: the facts of the module.
        node: an expression that is a tensor wherever the code runs.
        depth: how many names were followed on the way here.

    Returns:
        some of 0 to 5, where 5 stands for more as well.
    """
    value = facts.value(node)
    if isinstance(value, Tensor) and value.ndim is not None:
        return frozenset({min(value.ndim, _MANY)})
    if depth > _MAX_DEPTH:
        return _ANY
    if isinstance(value, Number):
        return frozenset({0})
    if isinstance(node, ast.Name):
        return _of_name(facts, node, depth)
    if isinstance(node, ast.Attribute):
        return shown_dimensions(facts, node.value, depth + 1) if node.attr == "data" else _ANY
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        left, right = (shown_dimensions(facts, n, depth + 1) for n in (node.left, node.right))
        return frozenset(max(pair) for pair in itertools.product(left, right))
    if isinstance(node, ast.UnaryOp):
        return shown_dimensions(facts, node.operand, depth + 1)
    return _of_call(facts, node, depth) if isinstance(node, ast.Call) else _ANY


def _of_name(facts: Facts, name: ast.Name, depth: int) -> frozenset[int]:
    if may_be_reshaped(facts.inference, name):
        return _ANY
    made = facts.assigned(name)
    found = _ANY
    if made is not None:
        found = frozenset().union(*(shown_dimensions(facts, one, depth + 1) for one in made))
    for test, came_out in tests_passed(facts.names, name):
        found &= _by_test(facts, name, test, came_out)
    for least in _asked(facts, name):
        found &= _at_least(least)
    # Code that can never run shows nothing.
    return found or _ANY


def _of_call(facts: Facts, call: ast.Call, depth: int) -> frozenset[int]:
    name = facts.name(call.func)
    if is_opaque(call):
        return _ANY
    if name is not None and name.startswith("torch.") and call.args:
        function, tensor, given = name.rpartition(".")[2], call.args[0], call.args[1:]
    elif name is None and isinstance(call.func, ast.Attribute):
        function, tensor, given = call.func.attr, call.func.value, call.args
    else:
        return _ANY
    before = shown_dimensions(facts, tensor, depth + 1)
    if function == "permute":
        listed = given[0] if len(given) == 1 else None
        named = listed.elts if isinstance(listed, (ast.Tuple, ast.List)) else given
        is_starred = any(isinstance(one, ast.Starred) for one in named)
        return before if len(named) < 2 or is_starred else frozenset({min(len(named), _MANY)})
    if function in _SWAPS:
        return before & _at_least(max(map(_needed, given), default=0)) or _ANY
    if function == "unsqueeze":
        return frozenset(min(ndim + 1, _MANY) for ndim in before)
    name = torch_effects.of_any(function)
    if torch_effects.is_elementwise(name) or torch_effects.does(name, "moves"):
        # With what has more dimensions, the result has as many.
        is_alone = all(isinstance(facts.value(one), Number) for one in given) and not call.keywords
        return before if is_alone else _at_least(min(before))
    return _ANY


def _at_least(least: int) -> frozenset[int]:
    return frozenset(range(min(least, _MANY), _MANY + 1))


def _needed(dim: ast.expr) -> int:
    """How many dimensions a tensor has that has one of a certain number."""
    number = whole_number(dim)
    return 0 if number is None else max(number + 1, -number)


def _by_test(facts: Facts, tensor: ast.Name, test: ast.expr, came_out: bool) -> frozenset[int]:
    """What ``assert x.dim() == 3`` above, or ``if x.dim() > 2:`` around, says of a tensor."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is came_out:
        parts = (_by_test(facts, tensor, part, came_out) for part in test.values)
        return functools.reduce(operator.and_, parts)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return _ANY
    counted, number = _counted(facts, test.left), whole_number(test.comparators[0])
    compares = _COMPARES.get(type(test.ops[0]))
    if compares is None or counted is None or number is None:
        return _ANY
    if not _is_same(facts, counted, tensor):
        return _ANY
    fits = (n for n in range(max(number, _MANY) + 2) if compares(n, number) is came_out)
    return frozenset(min(ndim, _MANY) for ndim in fits)


def _counted(facts: Facts, node: ast.expr) -> ast.expr | None:
    """``x`` of ``x.dim()``, ``x.ndim``, ``len(x.size())`` and ``len(x.shape)``."""
    if isinstance(node, ast.Call) and facts.names.builtin(node.func) == "len" and node.args:
        return _owner(node.args[0], ("size", "shape"))
    return _owner(node, ("dim", "ndimension", "ndim"))


def _owner(node: ast.expr, names: tuple[str, ...]) -> ast.expr | None:
    method = node.func if isinstance(node, ast.Call) and not node.args else node
    return method.value if isinstance(method, ast.Attribute) and method.attr in names else None


def _is_same(facts: Facts, one: ast.expr, other: ast.Name) -> bool:
    """Whether two names, the first of them above, certainly hold the same."""
    if not isinstance(one, ast.Name) or one.id != other.id:
        return False
    reaching = set(facts.flow.reaching(other))
    # In a loop, what binds the name between them reaches both.
    lines = (getattr(binding.node, "lineno", 0) for binding in reaching)
    is_bound_between = any(one.lineno <= line <= other.lineno for line in lines)
    return not is_bound_between and set(facts.flow.reaching(one)) == reaching


def _asked(facts: Facts, name: ast.Name) -> Iterator[int]:
    """What was asked of the tensor of a name: ``x.size(2)``, ``x[:, :, 0]``."""
    for use in facts.names.scope_of(name).uses.get(name.id, ()):
        if not _is_same(facts, use, name) or not _runs_before(facts, use, name):
            continue
        user = facts.parent(use)
        call = facts.parent(user) if isinstance(user, ast.Attribute) else None
        if isinstance(user, ast.Subscript) and user.value is use:
            parts = user.slice.elts if isinstance(user.slice, ast.Tuple) else [user.slice]
            yield sum(isinstance(p, ast.Slice) or type(constant(p)) is int for p in parts)
        elif isinstance(call, ast.Call) and isinstance(user, ast.Attribute) and call.func is user:
            if user.attr in (*_SWAPS, "size"):
                yield max(map(_needed, call.args), default=0)


def _runs_before(facts: Facts, use: ast.expr, name: ast.expr) -> bool:
    return use.lineno < name.lineno and facts.inference.branches.runs_with(use, name)
