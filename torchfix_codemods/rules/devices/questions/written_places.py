"""Tensors that a file puts on a GPU by its name: what is used with them has to be there as well."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, call_taking
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.devices.questions.gpu.gpu_only import is_meant_for_gpu


def needs_gpu_anyway(call: ast.Call, facts: Facts) -> bool:
    """Whether the function of a move, or the module level, fails without a GPU all the same.

    ``torch.ones(3, device="cuda:0")`` and ``net.to("cuda")`` do, under no test for CUDA.
    """
    functions = facts.remembered(needs_gpu_anyway, lambda: _functions_that_need_it(facts))
    return None in functions or facts.names.enclosing_function(call) in functions


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
    return frozenset(
        facts.names.enclosing_function(node)
        for node in facts.names.nodes.get(ast.Constant, ())
        if isinstance(node, ast.Constant) and str(node.value).partition(":")[0] == "cuda"
        if _is_place(node, facts) and not is_meant_for_gpu(node, facts)
    )


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
