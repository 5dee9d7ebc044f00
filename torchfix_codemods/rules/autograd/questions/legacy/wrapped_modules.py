"""Functions that did nothing but to run a module of Lua Torch."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import values_returned
from torchfix_codemods.facts.libraries.lua_modules import MADE_ALIKE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.autograd.questions.legacy.functions import methods_of


def module_in_place_of(facts: Facts, node: ast.ClassDef) -> tuple[str, str] | None:
    """The module that a legacy function runs, and the one of torch.nn that does it today.

    That is where forward and backward give back what those of a single ``self.lrn =
    SpatialCrossMapLRN(...)`` give.

    Args:
        facts: what is known of the file.
        node: a legacy function.
    """
    made = [
        call
        for call in facts.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call) and facts.name(call.func) in MADE_ALIKE
        if node in facts.names.ancestors(call)
    ]
    kept = facts.parent(made[0]) if len(made) == 1 else None
    if not isinstance(kept, ast.Assign) or len(kept.targets) != 1:
        return None
    for name, method in methods_of(node).items():
        values = values_returned(method) if name in ("forward", "backward") else None
        if values is not None and not all(_is_from(kept.targets[0], name, v) for v in values):
            return None
    module = facts.name(made[0].func) or ""
    return module, MADE_ALIKE[module]


def _is_from(module: ast.expr, name: str, value: ast.expr | None) -> bool:
    """Whether a value is what ``self.lrn.forward(input)`` gives."""
    method = value.func if isinstance(value, ast.Call) else None
    if not isinstance(method, ast.Attribute) or method.attr != name:
        return False
    return ast.unparse(method.value) == ast.unparse(module)
