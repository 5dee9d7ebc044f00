"""Where losses are called: as functions, and as the objects that a file builds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.activations import may_be_replaced
from torchfix_codemods.facts.losses import FUNCTION_OF
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import Module


def losses_called(facts: Facts, call: ast.Call) -> Iterator[tuple[ast.Call, str]]:
    """The calls of losses that ``call`` is, or that are of the loss object it builds.

    Each with the name of the function that computes it: ``"nll_loss"``.
    """
    name = facts.name(call.func) or ""
    module, _, bare = name.rpartition(".")
    if module == "torch.nn.functional" and bare in FUNCTION_OF.values():
        yield call, bare
    elif name in FUNCTION_OF:
        found = facts.remembered("calls of losses", lambda: _calls_of_losses(facts))
        for use in found.get(call, ()):
            yield use, FUNCTION_OF[name]


def _calls_of_losses(facts: Facts) -> dict[ast.Call, list[ast.Call]]:
    """The calls of loss objects, by the call that builds the object."""
    found: dict[ast.Call, list[ast.Call]] = {}
    for call in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(call, ast.Call)
        if len(call.args) + len(call.keywords) < 2 or facts.name(call.func) is not None:
            continue
        if not facts.names.may_be_built_here(call.func):
            continue
        loss = facts.value(call.func)
        if not isinstance(loss, Module) or loss.cls not in FUNCTION_OF or loss.call is None:
            continue
        if not isinstance(call.func, ast.Attribute) or not may_be_replaced(facts, call.func):
            found.setdefault(loss.call, []).append(call)
    return found
