"""Tensors that a file puts on a GPU by its name: what is used with them has to be there as well."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, call_taking
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.devices.questions.gpu.gpu_only import is_meant_for_gpu
from torchfix_codemods.rules.devices.questions.gpu_types import CPU_TYPE_OF, is_type_call


def needs_gpu_anyway(call: ast.Call, facts: Facts) -> bool:
    """Whether the function of a move, or the module level, fails without a GPU all the same.

    ``torch.ones(3, device="cuda:0")`` and ``net.to("cuda")`` do, under no test for CUDA. So does
    ``cast(self.filters, torch.cuda.FloatTensor)``, and all methods where ``__init__`` does it.
    """
    functions = facts.remembered(needs_gpu_anyway, lambda: _functions_that_need_it(facts))
    if None in functions or facts.names.enclosing_function(call) in functions:
        return True
    owner = facts.names.enclosing_class(call)
    return owner is not None and facts.classes.method(owner, "__init__") in functions


def is_on_chosen_gpu(call: ast.Call, facts: Facts) -> bool:
    """Whether a move stands under ``with torch.cuda.device(1):``, which fails without a GPU."""
    return any(
        isinstance(item.context_expr, ast.Call)
        and facts.name(item.context_expr.func) == "torch.cuda.device"
        for parent in facts.names.ancestors(call)
        if isinstance(parent, (ast.With, ast.AsyncWith))
        for item in parent.items
    )


def _functions_that_need_it(facts: Facts) -> frozenset[ast.AST | None]:
    texts = (
        node
        for node in facts.names.nodes.get(ast.Constant, ())
        if isinstance(node, ast.Constant) and str(node.value).partition(":")[0] == "cuda"
        if _is_place(node, facts)
    )
    types = (node for node in facts.names.nodes.get(ast.Attribute, ()) if _is_given(node, facts))
    needing = (node for node in (*texts, *types) if not is_meant_for_gpu(node, facts))
    return frozenset(map(facts.names.enclosing_function, needing))


def _is_given(node: ast.AST, facts: Facts) -> bool:
    """Whether a type of the GPU is handed to a function, and to none that tells or casts by it."""
    if not isinstance(node, ast.Attribute) or facts.name(node) not in CPU_TYPE_OF:
        return False
    call = facts.parent(node)
    if not isinstance(call, ast.Call) or node not in call.args or is_type_call(call):
        return False
    return facts.name(call.func) is None and facts.names.builtin(call.func) is None


def _is_place(text: ast.Constant, facts: Facts) -> bool:
    """Whether a text says where a tensor is made or moved to."""
    parent = facts.parent(text)
    call = call_taking(facts.names, text)
    if call is None:
        return False
    if isinstance(call.func, ast.Attribute) and call.func.attr == "to":
        return argument(call, 0, "device") is text
    name = facts.name(call.func) or ""
    is_device = isinstance(parent, ast.keyword) and parent.arg == "device"
    return is_device and name.startswith("torch.")
