"""Expressions that only compute: evaluated earlier, later or not at all, nothing else changes."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import python_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.patterns import lazy_pattern

#: Draws of the random generator, and functions of torch that do more than compute a tensor.
_DOES_MORE = lazy_pattern(
    r"rand|normal|bernoulli|multinomial|poisson|dropout|seed|save|load|set_|backward|grad|hook"
)


def only_computes(facts: Facts, node: ast.AST) -> bool:
    """Whether an expression reads values and computes with them, and does nothing else."""
    return all(_is_quiet(facts, inner) for inner in walk(node))


def _is_quiet(facts: Facts, node: ast.AST) -> bool:
    if isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)):
        return False
    return not isinstance(node, ast.Call) or _is_quiet_call(facts, node)


def _is_quiet_call(facts: Facts, call: ast.Call) -> bool:
    function = call.func
    name = facts.name(function)
    if name is None and isinstance(function, ast.Name):
        is_own = facts.names.scope_of(function).lookup(function.id) is not None
        return python_functions.only_computes(function.id) and not is_own
    last = name.rpartition(".")[2] if name is not None else getattr(function, "attr", "_")
    if last.endswith("_") or _DOES_MORE.search(last):
        return False
    if any(keyword.arg == "out" for keyword in call.keywords):
        return False
    if name is not None:
        return name.startswith(("torch.", "math.", "numpy.")) and facts.is_tensor(call)
    return isinstance(function, ast.Attribute) and isinstance(facts.value(function.value), Tensor)
