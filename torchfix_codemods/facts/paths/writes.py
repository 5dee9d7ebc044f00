"""What code in sight writes into: the memory of a tensor, by its name or by a view of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Module, Tensor


def is_written_into(facts: Facts, node: ast.expr) -> bool:
    """Whether code in sight writes into the memory of ``node``, also by a name or a view of it."""
    return follow([Place(facts, node)], written_next) is not None


def first_write(facts: Facts, node: ast.expr) -> Use | None:
    """What writes into the memory of ``node``, also by a name or a view of it."""
    trail = follow([Place(facts, node)], written_next)
    return None if trail is None or trail.is_cut else trail.end


def written_next(use: Use) -> Iterable[Place] | None:
    """None for what writes into the memory of a value; else what has the same memory next."""
    by = use.by
    if use.kind == "augmented":
        return None
    if use.kind == "put into":
        is_stored = isinstance(by, ast.Subscript) and isinstance(by.ctx, ast.Store)
        is_sum = isinstance(use.facts.parent(by), ast.AugAssign)
        return None if is_stored or (is_sum and _is_same_memory(by)) else ()
    if use.kind == "attribute":
        return use.result() if _is_same_memory(by) else ()
    if use.kind == "method" and isinstance(by, ast.Call) and isinstance(by.func, ast.Attribute):
        method = by.func.attr
        if torch_effects.gives_alias(method) or torch_effects.changes_object(method):
            return use.result()
        return None if method.endswith("_") and not method.endswith("__") else ()
    if use.kind == "argument" and isinstance(by, ast.Call):
        return None if _is_written_by(use, by) else use.taken()
    if use.kind == "returned":
        return use.returned()
    if use.kind in ("bound", "iterated", "unpacked"):
        return use.named()
    return use.result() if use.kind in ("chosen", "element", "item") else ()


def _is_same_memory(attribute: ast.AST) -> bool:
    return isinstance(attribute, ast.Attribute) and attribute.attr in ("data", "T")


def _is_written_by(use: Use, call: ast.Call) -> bool:
    """Whether what is called writes into an argument, or is of a kind that mostly does: a kernel.

    Kernels have no results: they write into what they are given.
    """
    if _is_launch(use.facts, call) or (use.facts.name(call.func) or "").startswith("torch.ops."):
        return True
    return use.node in _written_by(use.facts, call)


def _is_launch(facts: Facts, call: ast.Call) -> bool:
    """``kernel[grid](x)`` of Triton and Numba, where the kernel is a function, not a list."""
    launched = call.func.value if isinstance(call.func, ast.Subscript) else None
    if not isinstance(launched, ast.Name):
        return False
    found = facts.names.scope_of(launched).lookup(launched.id)
    return found is not None and any(b.kind in ("function", "import") for b in found[1])


def _written_by(facts: Facts, call: ast.Call) -> Iterator[ast.expr]:
    """What a call writes into: ``out=x``, ``F.relu(x, inplace=True)``, ``nn.ReLU(True)(x)``."""
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if "out" in keywords:
        yield keywords["out"]
    if not call.args:
        return
    name = facts.name(call.func) or ""
    layer = None if name or not _has_layers_in_place(facts) else facts.value(call.func)
    made = layer.call if isinstance(layer, Module) and layer.definition is None else None
    asked = call if name.startswith("torch.nn.functional.") else made
    if (name.startswith("torch.") and name.endswith("_")) or (asked and _works_in_place(asked)):
        yield call.args[0]


def _has_layers_in_place(facts: Facts) -> bool:
    """Whether the file makes a layer that may write into what it is given."""
    return facts.remembered(
        "layers in place",
        lambda: any(
            isinstance(call, ast.Call)
            and _works_in_place(call)
            and (facts.name(call.func) or "").startswith("torch.nn.")
            for call in facts.names.nodes.get(ast.Call, ())
        ),
    )


def _works_in_place(call: ast.Call) -> bool:
    """``inplace=True``, or a flag by position that may be it."""
    flags = [k.value for k in call.keywords if k.arg == "inplace"]
    return any(
        not isinstance(flag, ast.Constant) or flag.value is True
        for flag in (*flags, *(a for a in call.args if isinstance(a, ast.Constant)))
    )


def is_modified(facts: Facts, node: ast.expr) -> bool:
    """Whether the file writes into the tensor that a name or attribute holds: ``x.mul_(2)``."""
    return any(True for _ in modified(facts, node))


def modified(facts: Facts, node: ast.expr) -> Iterator[ast.expr]:
    """Where the file writes into the tensor that a name or attribute holds: its uses there."""
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return
    writers = facts.remembered("modified", lambda: _writers(facts))
    text = ast.unparse(node)
    for writer in writers.get(last_name(node), ()):
        for target in _written_by(facts, writer) if isinstance(writer, ast.Call) else (writer,):
            if isinstance(target, (ast.Name, ast.Attribute)) and ast.unparse(target) == text:
                yield target


def may_change(tensor: ast.expr, facts: Facts) -> bool:
    """Whether a tensor may be written to while a graph still needs what was read of it."""
    return is_parameter(tensor, facts) or is_modified(facts, tensor)


def is_parameter(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is certainly a parameter of a module."""
    value = facts.value(node)
    return isinstance(value, Tensor) and value.leaf_module is not None


def _writers(facts: Facts) -> Mapping[str | None, Sequence[ast.expr]]:
    """What the file writes into, and the calls that may write, by the last name of what it is."""
    nodes = facts.names.nodes
    found: dict[str | None, list[ast.expr]] = {}
    for attribute in nodes.get(ast.Attribute, ()):
        assert isinstance(attribute, ast.Attribute)
        if attribute.attr.endswith("_") and not attribute.attr.endswith("__"):
            found.setdefault(last_name(attribute.value), []).append(attribute.value)
    for statement in nodes.get(ast.AugAssign, ()):
        assert isinstance(statement, ast.AugAssign)
        found.setdefault(last_name(statement.target), []).append(statement.target)
    for item in nodes.get(ast.Subscript, ()):
        assert isinstance(item, ast.Subscript)
        if isinstance(item.ctx, ast.Store):
            found.setdefault(last_name(item.value), []).append(item.value)
    for call in nodes.get(ast.Call, ()):
        assert isinstance(call, ast.Call)
        outs = (keyword.value for keyword in call.keywords if keyword.arg == "out")
        for place in (*call.args[:1], *outs):
            found.setdefault(last_name(place), []).append(call)
    return found
