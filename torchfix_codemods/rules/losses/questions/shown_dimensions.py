"""How many dimensions a tensor can have, as what is done with it shows."""

from __future__ import annotations

import ast
import functools
import itertools
import operator
from collections.abc import Callable

from torchfix_codemods.facts.evaluation import module_calls
from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.language.arguments import (
    is_opaque,
    whole_number,
)
from torchfix_codemods.facts.language.branches import tests_passed
from torchfix_codemods.facts.language.nodes import indices, values_returned
from torchfix_codemods.facts.libraries import torch_effects, torch_layers
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.imported import imported_as
from torchfix_codemods.facts.values.lattice import Module, Number, Tensor
from torchfix_codemods.rules.losses.questions.asked_dimensions import (
    ANY,
    MANY,
    SWAPS,
    at_least,
    by_use,
    needed,
)

#: Through so many names, calls and operations a tensor is followed.
_MAX_DEPTH = 40
#: Layers that take a batch of rows or of sequences.
_TAKE_ROWS = torch_layers.that("rows")
_ROWS = frozenset({2, 3})
_COMPARES: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def shown_dimensions(facts: Facts, node: ast.expr) -> frozenset[int]:
    """The numbers of dimensions that a tensor can have: 3 and more of ``x.transpose(0, 2)``.

    Args:
        facts: the facts of the module.
        node: an expression that is a tensor wherever the code runs.

    Returns:
        some of 0 to 5, where 5 stands for more as well.
    """
    return _Reader(facts).shown(node, 0)


def after_layer(
    facts: Facts, module: Module, before: frozenset[int], depth: int = 0
) -> frozenset[int]:
    """The numbers of dimensions behind a layer that is given something.

    Args:
        facts: the facts of the module.
        module: the layer.
        before: the numbers of dimensions of what it is given.
        depth: how much was followed on the way here.
    """
    origin = imported_as(module)
    home = facts if origin is None else facts_of(origin.owner)
    there = module if origin is None else origin.value
    if home is None or not isinstance(there, Module):
        return ANY
    if there.definition is not None:
        return _after_forward(home, there.definition, before, depth)
    package, _, layer = (there.cls or "").rpartition(".")
    if package != "torch.nn" or layer not in torch_api.LAYERS or origin is not None:
        return ANY
    taken = before & _ROWS if layer in _TAKE_ROWS else before
    given = [
        module_calls.layer_output(facts.inference, module, Tensor(ndim=ndim)) for ndim in taken
    ]
    ndims = [value.ndim for value in given if isinstance(value, Tensor) and value.ndim is not None]
    return frozenset(min(n, MANY) for n in ndims) if ndims and len(ndims) == len(given) else ANY


def _after_forward(
    facts: Facts, owner: ast.ClassDef, before: frozenset[int], depth: int
) -> frozenset[int]:
    """What ``forward`` of a class of the project makes of its first argument."""
    forward = facts.classes.method(owner, "forward")
    if forward is None or facts.classes.is_wrapped(forward) or len(forward.args.args) < 2:
        return ANY
    given = (forward.args.args[1], before)
    found = [
        ANY if node is None else _Reader(facts, given).shown(node, depth + 1)
        for node in values_returned(forward) or ()
    ]
    return frozenset[int]().union(*found) or ANY


class _Reader:
    """Reads the numbers of dimensions in one file, where a parameter may be known."""

    def __init__(self, facts: Facts, given: tuple[ast.arg, frozenset[int]] | None = None) -> None:
        self._facts = facts
        self._given = given
        #: What was found; what asks for itself can have any.
        self._seen: dict[ast.expr, frozenset[int]] = {}

    def shown(self, node: ast.expr, depth: int) -> frozenset[int]:
        """What :func:`shown_dimensions` says, after ``depth`` steps."""
        if node not in self._seen:
            self._seen[node] = ANY
            if depth <= _MAX_DEPTH:
                self._seen[node] = self._find(node, depth + 1)
        return self._seen[node]

    def _find(self, node: ast.expr, depth: int) -> frozenset[int]:
        value = self._facts.value(node)
        if isinstance(value, Tensor) and value.ndim is not None:
            return frozenset({min(value.ndim, MANY)})
        if isinstance(value, Number):
            return frozenset({0})
        if isinstance(node, ast.Name):
            return self._of_name(node, depth)
        if isinstance(node, ast.Attribute):
            return self.shown(node.value, depth) if node.attr == "data" else ANY
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            left, right = (self.shown(n, depth) for n in (node.left, node.right))
            return frozenset(max(pair) for pair in itertools.product(left, right))
        if isinstance(node, ast.UnaryOp):
            return self.shown(node.operand, depth)
        if isinstance(node, ast.Subscript):
            # A slice keeps its dimension.
            return at_least(sum(isinstance(part, ast.Slice) for part in indices(node.slice)))
        return self._of_call(node, depth) if isinstance(node, ast.Call) else ANY

    def _of_name(self, name: ast.Name, depth: int) -> frozenset[int]:
        facts = self._facts
        if may_be_reshaped(facts.inference, name):
            return ANY
        made = facts.assigned(name)
        found = ANY
        if made is not None:
            found = frozenset().union(*(self.shown(one, depth) for one in made))
        else:
            found = self._of_parameter(name)
        for test, came_out in tests_passed(facts.names, name):
            found &= _by_test(facts, name, test, came_out)
        for use in facts.names.scope_of(name).uses.get(name.id, ()):
            if _is_same(facts, use, name) and _runs_before(facts, use, name):
                found &= by_use(facts, use)
        # Code that can never run shows nothing.
        return found or ANY

    def _of_parameter(self, name: ast.Name) -> frozenset[int]:
        bindings = self._facts.flow.reaching(name)
        is_given = self._given is not None and [b.node for b in bindings] == [self._given[0]]
        return self._given[1] if is_given and self._given is not None else ANY

    def _of_call(self, call: ast.Call, depth: int) -> frozenset[int]:
        facts = self._facts
        name = facts.name(call.func)
        if is_opaque(call):
            return ANY
        module = facts.value(call.func)
        if isinstance(module, Module):
            is_plain = len(call.args) == 1 and not call.keywords
            before = self.shown(call.args[0], depth) if is_plain else ANY
            return after_layer(facts, module, before, depth)
        if name is not None and name.startswith("torch.") and call.args:
            function, tensor, given = name.rpartition(".")[2], call.args[0], call.args[1:]
        elif name is None and isinstance(call.func, ast.Attribute):
            function, tensor, given = call.func.attr, call.func.value, call.args
        else:
            return ANY
        before = self.shown(tensor, depth)
        if function == "permute":
            listed = given[0] if len(given) == 1 else None
            named = listed.elts if isinstance(listed, (ast.Tuple, ast.List)) else given
            is_starred = any(isinstance(one, ast.Starred) for one in named)
            return before if len(named) < 2 or is_starred else frozenset({min(len(named), MANY)})
        if function in SWAPS:
            return before & at_least(max(map(needed, given), default=0)) or ANY
        if function == "unsqueeze":
            return frozenset(min(ndim + 1, MANY) for ndim in before)
        name = torch_effects.of_any(function)
        if torch_effects.is_elementwise(name) or torch_effects.does(name, "moves"):
            # With what has more dimensions, the result has as many.
            is_alone = all(isinstance(facts.value(one), Number) for one in given)
            return before if is_alone and not call.keywords else at_least(min(before))
        return ANY


def _by_test(facts: Facts, tensor: ast.Name, test: ast.expr, came_out: bool) -> frozenset[int]:
    """What ``assert x.dim() == 3`` above, or ``if x.dim() > 2:`` around, says of a tensor."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is came_out:
        parts = (_by_test(facts, tensor, part, came_out) for part in test.values)
        return functools.reduce(operator.and_, parts)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return ANY
    counted, number = _counted(facts, test.left), whole_number(test.comparators[0])
    compares = _COMPARES.get(type(test.ops[0]))
    if compares is None or counted is None or number is None:
        return ANY
    if not _is_same(facts, counted, tensor):
        return ANY
    fits = (n for n in range(max(number, MANY) + 2) if compares(n, number) is came_out)
    return frozenset(min(ndim, MANY) for ndim in fits)


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


def _runs_before(facts: Facts, use: ast.expr, name: ast.expr) -> bool:
    return use.lineno < name.lineno and facts.inference.branches.runs_with(use, name)
