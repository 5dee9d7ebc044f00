"""How many gradients ``backward`` of a function of autograd returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation import operations
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor


def counts_gradients(backward: ast.FunctionDef, inputs: int | None, facts: Facts) -> bool:
    """Whether each ``return`` of ``backward`` certainly gives one gradient for each input.

    Args:
        backward: the method.
        inputs: how many arguments ``forward`` takes; None: any number.
        facts: what is known of the file.
    """
    for node in own_nodes(backward):
        if not isinstance(node, ast.Return):
            continue
        if isinstance(node.value, ast.Tuple):
            if any(isinstance(item, ast.Starred) for item in node.value.elts):
                return False
        elif isinstance(node.value, ast.Name) and _tuple_named(node.value, facts) is not None:
            continue
        elif inputs != 1 or node.value is None or not _is_gradient(node.value, backward, facts):
            return False
    return True


def named_gradients(backward: ast.FunctionDef, facts: Facts) -> Iterator[tuple[str, int]]:
    """The names that ``backward`` returns, and how many gradients each holds."""
    for node in own_nodes(backward):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Name):
            gradients = _tuple_named(node.value, facts)
            if gradients is not None:
                yield node.value.id, len(gradients.elts)


def _tuple_named(name: ast.Name, facts: Facts) -> ast.Tuple | None:
    """``(dx, dy)`` where ``grads = (dx, dy)`` is all that is ever assigned to a name."""
    bindings = facts.names.scope_of(name).bindings.get(name.id, ())
    values = facts.assigned(name) if len(bindings) == 1 else None
    (value,) = values if values else (None,)
    if not isinstance(value, ast.Tuple):
        return None
    return None if any(isinstance(item, ast.Starred) for item in value.elts) else value


def _is_gradient(node: ast.expr, backward: ast.FunctionDef, facts: Facts, depth: int = 0) -> bool:
    """Whether an expression of ``backward`` is certainly one tensor, or None."""
    if depth > 8:
        return False
    if facts.is_tensor(node) or constant(node) is None:
        return True
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        return any(_is_gradient(side, backward, facts, depth + 1) for side in sides)
    if isinstance(node, ast.UnaryOp):
        return _is_gradient(node.operand, backward, facts, depth + 1)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        result = operations.operation_on(
            facts.inference, f"torch.Tensor.{node.func.attr}", node, Tensor()
        )
        receiver = node.func.value
        return isinstance(result, Tensor) and _is_gradient(receiver, backward, facts, depth + 1)
    if not isinstance(node, ast.Name):
        return False
    if all(binding.kind == "parameter" for binding in facts.flow.reaching(node)):
        return any(a.arg == node.id for a in backward.args.args[1:])
    values = facts.assigned(node)
    return values is not None and all(
        _is_gradient(value, backward, facts, depth + 1) for value in values
    )
