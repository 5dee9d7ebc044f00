"""What fails without a GPU besides moves, so that nothing is won where those go elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.nodes import last_name, own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.rules.devices.questions.default_on_gpu import puts_default_on_gpu
from torchfix_codemods.rules.devices.questions.gpu.gpu_only import is_meant_for_gpu
from torchfix_codemods.rules.devices.questions.gpu.kernels import has_kernels, runs_kernels

#: What of ``torch.cuda`` raises without a GPU; seeds and counts do not.
_OF_TORCH = frozenset(
    f"torch.cuda.{name}"
    for name in """synchronize set_device current_device current_stream default_stream
    get_device_name get_device_properties get_device_capability Event Stream""".split()
)
_LIBRARIES = ("cupy.", "pycuda.", "numba.cuda.")
_COUNT = "torch.cuda.device_count"
#: Of nothing by the number of GPUs comes nothing, and nothing is divided by it.
_ASKED = (ast.FunctionDef, ast.BinOp, ast.Attribute, ast.Call)
_OF_FACTORS = (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)

_MOST_FOLLOWED = 3


def needs_gpu_for_more(call: ast.Call, facts: Facts) -> bool:
    """Whether what runs with a move fails without a GPU all the same, under no test for it.

    The function around it with what that calls, the module level, or a kernel that is imported.
    """
    function = facts.names.enclosing_function(call)
    return (
        facts.remembered("GPU at the module level", lambda: _needs(facts.tree, facts, 0))
        or (function is not None and _needs(function, facts, 0))
        or has_kernels(facts)
    )


def is_lost_without_gpu(facts: Facts) -> bool:
    """Whether the module level itself fails without a GPU, as ``torch.cuda.set_device(0)`` does.

    What the functions do that it calls is not asked. So is a file lost that is there to run
    kernels that only a GPU has.

    Args:
        facts: the facts of the module.
    """
    return _needs(facts.tree, facts, _MOST_FOLLOWED) or runs_kernels(facts)


def _needs(root: ast.AST, facts: Facts, depth: int) -> bool:
    # Asked from several depths: only these kinds of nodes are of any matter to it.
    nodes = facts.remembered(
        ("may need a GPU", root), lambda: [n for n in own_nodes(root) if isinstance(n, _ASKED)]
    )
    return facts.remembered(("needs a GPU", root, depth), lambda: _fails(nodes, facts, depth))


def _fails(nodes: Iterable[ast.AST], facts: Facts, depth: int) -> bool:
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and any(
            _is_of_kernels(decorator, facts) for decorator in node.decorator_list
        ):
            return True
        if isinstance(node, ast.BinOp) and isinstance(node.op, _OF_FACTORS):
            if any(_counts(side, facts) for side in (node.left, node.right)):
                if not is_meant_for_gpu(node, facts):
                    return True
        if isinstance(node, ast.Attribute) and depth == 0 and _makes_on_gpu(node, facts):
            return True
        if isinstance(node, ast.Call):
            name = facts.name(node.func) or ""
            is_of_gpu = name in _OF_TORCH or name.startswith(_LIBRARIES)
            if is_of_gpu or puts_default_on_gpu(node, facts):
                if not is_meant_for_gpu(node, facts):
                    return True
            found = function_named(node.func, facts) if depth < _MOST_FOLLOWED else None
            if found is not None and not is_meant_for_gpu(node, facts):
                if _needs(found[1], found[0], depth + 1):
                    return True
    return False


def _makes_on_gpu(node: ast.Attribute, facts: Facts) -> bool:
    """Whether a tensor is made on the GPU by its type: ``x.type(torch.cuda.ByteTensor)``."""
    if not (node.attr.endswith("Tensor") and (facts.name(node) or "").startswith("torch.cuda.")):
        return False
    call = facts.parent(node)
    is_made = isinstance(call, ast.Call) and (call.func is node or last_name(call.func) == "type")
    return is_made and not is_meant_for_gpu(node, facts)


def _is_of_kernels(decorator: ast.expr, facts: Facts) -> bool:
    """Whether a function is compiled for a GPU: ``@cuda.jit("float32[:]")`` of numba."""
    made = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (facts.name(made) or "").startswith(_LIBRARIES)


def _counts(node: ast.expr, facts: Facts) -> bool:
    """Whether an operand is the number of GPUs: ``n_device = torch.cuda.device_count()``."""
    made = facts.assigned(node) if isinstance(node, ast.Name) else [node]
    return bool(made) and all(
        isinstance(each, ast.Call) and facts.name(each.func) == _COUNT for each in made or ()
    )
