"""What an ``except`` binds that nothing can raise to: ``try: x = x + y.mean()``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.values.inference import Inference
from torchfix_codemods.facts.values.lattice import NOTHING, Tensor


def is_idle(inference: Inference, binding: Binding) -> bool:
    """Whether a binding stands in the handler of a sum of tensors of one element, which is one.

    ``try: x = x + y.mean()`` ``except: x = y.mean()``: x is there, on the device that it is put on,
    and a tensor of no dimension can be added to it.

    Args:
        inference: the values of the file.
        binding: what gives a value to a name.
    """
    tried = _tried(inference, binding)
    if tried is None:
        return False
    added, total, term = tried
    if not _has_no_dimension(inference, term):
        return False
    own = (added, binding.node)
    starts = [start for start in inference.flow.reaching(total) if start.node not in own]
    return bool(starts) and all(_is_moved_number(inference, start) for start in starts)


def _tried(inference: Inference, binding: Binding) -> tuple[ast.Assign, ast.Name, ast.expr] | None:
    """The sum that is tried, its total and its term, if the handler takes the term alone."""
    parents = inference.names.parents
    handler = parents.get(binding.node)
    tried = parents.get(handler) if isinstance(handler, ast.ExceptHandler) else None
    if binding.kind != "assign" or not isinstance(tried, ast.Try) or len(tried.body) != 1:
        return None
    added = tried.body[0]
    if not isinstance(added, ast.Assign) or not isinstance(added.value, ast.BinOp):
        return None
    sum_, taken = added.value, binding.value
    if not isinstance(sum_.op, ast.Add) or not isinstance(sum_.left, ast.Name) or taken is None:
        return None
    is_same = len(added.targets) == 1 and ast.dump(sum_.right) == ast.dump(taken)
    is_named = isinstance(added.targets[0], ast.Name) and (
        added.targets[0].id == sum_.left.id == binding.name
    )
    return (added, sum_.left, sum_.right) if is_same and is_named else None


def _has_no_dimension(inference: Inference, node: ast.expr) -> bool:
    value = inference.value(node)
    # What is not found out yet may turn out to be one, which takes nothing back.
    return value == NOTHING or (isinstance(value, Tensor) and value.ndim == 0)


def _is_moved_number(inference: Inference, start: Binding) -> bool:
    """``x = torch.zeros(1).cuda()``, or with ``device=``: it lies where it is asked for."""
    made = start.value if start.kind == "assign" and not start.path else None
    if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Attribute):
        return False
    value = inference.bound(start)
    is_number = value == NOTHING or (isinstance(value, Tensor) and value.single)
    is_placed = any(keyword.arg == "device" for keyword in made.keywords)
    return is_number and (is_placed or torch_effects.does(made.func.attr, "moves"))
