"""What is picked from what a network gives, beside the best of that: of one dimension less."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.language.flow import ELEMENTWISE
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.reductions import dim_of, is_extreme_along, source_of
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import ndim_of

#: Through so many names and operations a value is followed.
_MAX_DEPTH = 6


def is_picked_beside_best(facts: Facts, picked: ast.expr, best: ast.expr) -> bool:
    """Whether two tensors are ``net(x).gather(1, i)`` and ``r + net(y).max(1)[0]``, or a vector.

    ``gather`` keeps the dimension that ``max`` takes away, however many the network gives; of one
    dimension there is nothing to pick along the second.

    Args:
        facts: the facts of the module.
        picked: what may be picked.
        best: what may be a vector, or calculated with the best of the same network.
    """
    node = _made(facts, picked)
    if not isinstance(node, ast.Call) or is_opaque(node) or facts.name(node.func) is not None:
        return False
    dim = argument(node, 0, "dim") if last_name(node.func) == "gather" else None
    if dim is None or whole_number(dim) != 1:
        return False
    assert isinstance(node.func, ast.Attribute)
    known = ndim_of(facts.value(best))
    if known is not None:
        return known == 1
    network = _network_of(facts, node.func.value)
    return network is not None and _is_best_of(facts, best, network, 0)


def _is_best_of(facts: Facts, node: ast.expr, network: str, depth: int) -> bool:
    """Whether a value is calculated with the best of a network, element by element."""
    node = _made(facts, node)
    if depth > _MAX_DEPTH:
        return False
    if isinstance(node, ast.BinOp) and isinstance(node.op, ELEMENTWISE):
        return any(_is_best_of(facts, n, network, depth + 1) for n in (node.left, node.right))
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Call):
        return False
    call = node.value
    if not is_extreme_along(facts, node) or dim_of(facts, call) not in (1, -1):
        return False
    assert isinstance(call.func, ast.Attribute)
    of = call.func.value if facts.name(call.func) is None else call.args[0]
    return _network_of(facts, of) == network


def _network_of(facts: Facts, node: ast.expr) -> str | None:
    """``self.net`` of ``q``, where that is ``self.net(x)``."""
    call = _made(facts, node)
    is_run = isinstance(call, ast.Call) and facts.name(call.func) is None
    return ast.unparse(call.func) if isinstance(call, ast.Call) and is_run else None


def _made(facts: Facts, node: ast.expr) -> ast.expr:
    """What a value is made by, below names, moves and ``.detach()``."""
    for _ in range(_MAX_DEPTH):
        core = source_of(facts, unwrapped(node)[0])
        if core is node:
            break
        node = core
    return node
