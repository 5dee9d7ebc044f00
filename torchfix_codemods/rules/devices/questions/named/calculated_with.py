"""Whether a parameter lies where the weights of its module do, or is read as numbers of Python."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import python_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use, reads
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.programs.placement import is_made_on_cpu
from torchfix_codemods.facts.values.lattice import Module, Tensor


def is_calculated_with(facts: Facts, parameter: Binding) -> bool:
    """Whether a tensor goes to a layer, or is combined with another tensor that may be on a GPU.

    What it is combined with there has to lie on the same device.
    """
    return follow(reads(facts, parameter), _is_combined) is not None


def is_read_as_numbers(facts: Facts, parameter: Binding) -> bool:
    """Whether Python takes numbers from a tensor: ``int(lengths[i])``, ``x[:lengths[i]]``.

    Lengths of sequences are, and most programs keep those on the CPU.
    """
    return follow(reads(facts, parameter), _is_read) is not None


def _is_combined(use: Use) -> Iterable[Place] | None:
    facts = use.facts
    if use.kind in ("operand", "compared") and isinstance(use.by, ast.expr):
        others = [part for part in ast.iter_child_nodes(use.by) if part is not use.node]
        return None if _has_partner(others, facts) else use.result()
    if use.kind == "method" and isinstance(use.by, ast.Call):
        assert isinstance(use.by.func, ast.Attribute)
        return None if _has_partner(use.by.args, facts) else _hands_on(use, use.by.func.attr)
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        if isinstance(facts.value(use.by.func), Module):
            return None
        name, others = facts.name(use.by.func) or "", [a for a in use.by.args if a is not use.node]
        if not name.startswith("torch."):
            return use.taken()
        is_one = bool(use.place.content) or _has_partner(others, facts)
        return None if is_one else _hands_on(use, name)
    return _goes_on(use)


def _is_read(use: Use) -> Iterable[Place] | None:
    facts = use.facts
    if use.kind == "method" and isinstance(use.by, ast.Call):
        assert isinstance(use.by.func, ast.Attribute)
        method = use.by.func.attr
        return None if torch_effects.leaves_torch(method) else _hands_on(use, method)
    if use.kind == "index":
        return None if isinstance(facts.parent(use.node), ast.Slice) else ()
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        if _takes_numbers(facts.names.builtin(use.by.func)):
            return None
        name = facts.name(use.by.func) or ""
        return _hands_on(use, name) if name.startswith("torch.") else use.taken()
    return use.result() if use.kind in ("operand", "compared") else _goes_on(use)


def _takes_numbers(name: str | None) -> bool:
    """``int(n)``, ``range(n)``, ``max(lengths)``; the length of a tensor is none of its numbers."""
    is_of_all = python_functions.walks(name) and python_functions.is_arithmetic(name)
    return is_of_all or python_functions.makes_number(name) or name == "range"


def _goes_on(use: Use) -> Iterable[Place]:
    """Where what is no calculation hands a tensor, its elements or a view of it."""
    if use.kind == "attribute" and isinstance(use.by, ast.Attribute):
        return _hands_on(use, use.by.attr)
    if use.kind in ("added", "augmented", "bound", "iterated", "unpacked"):
        return use.named()
    if use.kind == "returned":
        return use.returned()
    return use.result() if use.kind in ("chosen", "element", "item") else ()


def _hands_on(use: Use, name: str) -> Iterable[Place]:
    """The result of an operation, where that is a tensor on the device of what it is given."""
    is_told = torch_effects.tells(name) or torch_effects.leaves_torch(name)
    return () if is_told or torch_effects.may_do(name, "moves") else use.result()


def _has_partner(nodes: Iterable[ast.AST], facts: Facts) -> bool:
    return any(
        isinstance(node, ast.expr)
        and isinstance(facts.value(node), Tensor)
        and not is_made_on_cpu(facts, node)
        for node in nodes
    )
