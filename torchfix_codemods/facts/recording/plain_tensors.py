"""What was no Variable in torch 0.3: ``.data``, and what torch made of numbers."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import last_name, values_returned
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.programs.training import called_function
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Foreign, Module, Number, TensorType, Unknown

#: What makes tensors of numbers; ``normal`` takes Variables as well.
_MAKES_PLAIN = frozenset(DTYPES) | {
    f"torch.{name}" for name in (torch_api.FACTORIES | torch_api.MAKERS) - {"normal", "one_hot"}
}

_MAX_DEPTH = 5


def was_plain(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression was no Variable in torch 0.3.

    That is the ``.data`` of a tensor, what torch makes of numbers or a data set keeps, and what
    comes of those: plain tensors and Variables did not go together, so that one side of a
    comparison tells of the other.
    """
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        if isinstance(node, ast.Call) and (compared := _other_side(node)) is not None:
            if depth <= _MAX_DEPTH and was_plain(facts, compared, depth + 1):
                return True
        if isinstance(node, ast.Attribute) and node.attr == "data":
            return facts.is_tensor(node.value) or _is_given_with_data(facts, node.value)
        if not isinstance(node, ast.Call):
            if isinstance(node, ast.Attribute) and _is_of_dataset(facts, node):
                return not _was_unwrapped(facts, node)
            node = node.value
            continue
        name = facts.name(node.func)
        if name in _MAKES_PLAIN or isinstance(facts.value(node.func), TensorType):
            # What asks for gradients is of a newer torch, and may have a graph.
            asks = any(keyword.arg == "requires_grad" for keyword in node.keywords)
            return not asks and not _was_unwrapped(facts, node)
        if name is not None:
            is_of_tensor = name.startswith("torch.") and name.count(".") == 1 and bool(node.args)
            if not is_of_tensor:
                return False
            node = node.args[0]
            if isinstance(node, (ast.List, ast.Tuple)):
                # What is joined was of one kind: ``torch.cat((found, out.data))``.
                parts = node.elts if depth <= _MAX_DEPTH else []
                return any(was_plain(facts, part, depth + 1) for part in parts)
        elif isinstance(node.func, ast.Name):
            return depth <= _MAX_DEPTH and _gives_plain(facts, node, depth)
        else:
            node = node.func
    if isinstance(node, ast.Compare) and all(map(_is_elementwise, node.ops)):
        sides = (node.left, *node.comparators)
        return depth <= _MAX_DEPTH and any(was_plain(facts, side, depth + 1) for side in sides)
    if isinstance(node, ast.BinOp):
        return depth <= _MAX_DEPTH and _is_calculated(facts, node, depth)
    if not isinstance(node, ast.Name) or depth > _MAX_DEPTH:
        return False
    made = facts.assigned(node) or _taken_apart(facts, node)
    if not made:
        return _is_given_plain(facts, node, depth)
    return all(was_plain(facts, value, depth + 1) for value in made)


def _is_of_dataset(facts: Facts, node: ast.Attribute) -> bool:
    """``mnist.train_labels``: what such a data set keeps is no Variable."""
    if node.attr not in torch_api.TENSOR_DATASET_ATTRIBUTES:
        return False
    holder = facts.value(node.value)
    return isinstance(holder, Foreign) and holder.name in torch_api.TENSOR_DATASETS


def _is_calculated(facts: Facts, node: ast.BinOp, depth: int) -> bool:
    """Whether ``x.data / y.data`` is calculated of plain tensors, and of numbers besides.

    Beside ``x.data.mean()``, a number of its time, another side may be a Variable.
    """
    sides = [s for s in (node.left, node.right) if not isinstance(facts.value(s), Number)]
    return bool(sides) and all(was_plain(facts, side, depth) for side in sides)


def _is_elementwise(operator: ast.cmpop) -> bool:
    """Whether a comparison is one of elements; ``in`` and ``is`` give a truth of Python."""
    return not isinstance(operator, (ast.In, ast.NotIn, ast.Is, ast.IsNot))


def _other_side(call: ast.Call) -> ast.expr | None:
    """``y`` of ``x.eq(y)``."""
    method = call.func
    is_comparison = isinstance(method, ast.Attribute) and torch_effects.compares(method.attr)
    return call.args[0] if is_comparison and len(call.args) == 1 else None


def _is_given_plain(facts: Facts, name: ast.Name, depth: int) -> bool:
    """Whether a name holds a parameter that all calls in the project give what was no Variable.

    A line that was rewritten may have had one.
    """
    function, parameter = parameter_held(name, facts)
    if function is None or parameter is None:
        return False
    given = arguments_of_all_calls(function, parameter, facts)
    return given is not None and all(
        was_plain(there, value, depth + 1) and not _is_rewritten(there, value)
        for there, value in given
    )


def _was_unwrapped(facts: Facts, node: ast.expr) -> bool:
    """Whether what is made stood in a Variable, as the file was read."""
    return _is_rewritten(facts, node) and facts.had_variable(node.lineno)


def _is_rewritten(facts: Facts, node: ast.expr) -> bool:
    return any(map(facts.is_rewritten, range(node.lineno, (node.end_lineno or node.lineno) + 1)))


def _is_given_with_data(facts: Facts, node: ast.expr) -> bool:
    """``net(x)`` and ``net.encode(x)`` of a net that may give several: what has ``.data`` is none
    of them but a tensor. So it is of ``f(x).cpu()``, which is a module otherwise."""
    if not isinstance(facts.value(node), Unknown):
        return False
    given = [node] if isinstance(node, ast.Call) else []
    if isinstance(node, ast.Name):
        given = [call for call in _taken_apart(facts, node) if isinstance(call, ast.Call)]
    return bool(given) and all(
        _is_of_module(facts, call.func) or last_name(call.func) == "cpu" for call in given
    )


def _is_of_module(facts: Facts, called: ast.expr) -> bool:
    if isinstance(facts.value(called), Module):
        return True
    return isinstance(called, ast.Attribute) and isinstance(facts.value(called.value), Module)


def _taken_apart(facts: Facts, name: ast.Name) -> list[ast.expr]:
    """The calls whose results a name is a part of: ``_, p = out.data.max(1)``."""
    bindings = facts.flow.reaching(name)
    calls: list[ast.expr] = [
        b.value for b in bindings if b.kind == "assign" and isinstance(b.value, ast.Call)
    ]
    return calls if len(calls) == len(bindings) else []


def _gives_plain(facts: Facts, call: ast.Call, depth: int) -> bool:
    """Whether all that a function of the file returns was no Variable."""
    function = called_function(call, facts)
    if function is None or facts.classes.is_wrapped(function):
        return False
    given = values_returned(function) or [None]
    return all(value is not None and was_plain(facts, value, depth + 1) for value in given)
