"""Functions that hand all their keywords to ``Variable``: ``lambda x, **k: Variable(x, **k)``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.torch_names import VARIABLE


def volatile_passed_on(call: ast.Call, names: Names) -> ast.expr | None:
    """``flag`` of ``Variable(x, volatile=flag)``, where the file's own function passes it on."""
    for keyword in call.keywords:
        if keyword.arg == "volatile" and _passes_keywords_on(call.func, names):
            return keyword.value
    return None


def _passes_keywords_on(called: ast.expr, names: Names) -> bool:
    """Whether a function only makes and converts a Variable, with all keywords it does not name."""
    function = _defined(called, names)
    if function is None or function.args.kwarg is None:
        return False
    if any(parameter.arg == "volatile" for parameter in (*function.args.args, *_only(function))):
        return False
    uses = list(names.uses_of(names.scopes[function], function.args.kwarg.arg))
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    return (
        bool(uses)
        and all(_is_given_to_variable(use, names) for use in uses)
        and all(_makes_variable(call, names) or _converts(call, names) for call in calls)
    )


def _defined(called: ast.expr, names: Names) -> ast.FunctionDef | ast.Lambda | None:
    """The function or the lambda that a name certainly is."""
    found = names.scope_of(called).lookup(called.id) if isinstance(called, ast.Name) else None
    if found is None or len(found[1]) != 1:
        return None
    (binding,) = found[1]
    if isinstance(binding.value, ast.Lambda):
        return None if binding.path else binding.value
    function = binding.node
    is_plain = isinstance(function, ast.FunctionDef) and not function.decorator_list
    return function if isinstance(function, ast.FunctionDef) and is_plain else None


def _only(function: ast.FunctionDef | ast.Lambda) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.kwonlyargs]


def _is_given_to_variable(use: ast.Name, names: Names) -> bool:
    keywords = names.parents.get(use)
    if not isinstance(keywords, ast.keyword) or keywords.arg is not None:
        return False
    call = names.parents.get(keywords)
    return isinstance(call, ast.Call) and _makes_variable(call, names)


def _makes_variable(call: ast.Call, names: Names) -> bool:
    return names.name(call.func) == VARIABLE


def _converts(call: ast.Call, names: Names) -> bool:
    """``x.cuda()``, or what chooses it: ``torch.cuda.is_available()``."""
    if names.name(call.func) == "torch.cuda.is_available":
        return True
    return isinstance(call.func, ast.Attribute) and torch_effects.moves_or_casts(call.func.attr)
