"""Under which names ``x.data`` goes on, and whether it matters that it is another object than x."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import is_fresh
from torchfix_codemods.facts.paths.writes import may_change
from torchfix_codemods.rules.autograd.questions.new_tensors import is_copied_into_part

#: What uses a value at once.
PASSING = (ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call)


def has_no_name_of_its_own(node: ast.Attribute, facts: Facts) -> bool:
    """Whether ``x.data`` is used at once, or kept as x itself: ``x = x.data``.

    Under another name it would follow where x is asked to require gradients, or is written to:
    ``y = x.data`` is for it where neither happens.
    """
    around = facts.parent(node)
    if isinstance(around, ast.Assign):
        if is_copied_into_part(around, facts):
            return True
        if len(facts.block(around)) == 1 and not isinstance(node.value, ast.Call):
            # A branch may be for this alone.
            return False
        if [ast.unparse(target) for target in around.targets] == [ast.unparse(node.value)]:
            return True
        return _are_alike(around, node.value, facts)
    if isinstance(around, (ast.List, ast.Tuple)):
        # Of ``torch.cat([x.data, y])``, which makes another tensor.
        call = facts.parent(around)
        return isinstance(call, ast.Call) and facts.name(call.func) in ("torch.cat", "torch.stack")
    if is_wrapped(node, facts):
        return _is_read_at_once(around, facts)
    return isinstance(around, (*PASSING, ast.Subscript))


def _is_read_at_once(call: ast.AST | None, facts: Facts) -> bool:
    """``Variable(x.data).view(3)``, where nothing is asked of the object itself."""
    method = facts.parent(call) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or len(call.args) > 1 or call.keywords:
        return False
    return isinstance(method, ast.Attribute) and torch_effects.reads_only(method.attr)


def is_wrapped(node: ast.expr, facts: Facts) -> bool:
    """Whether ``x.data`` is what a ``Variable(…)`` is made of."""
    call = facts.parent(node)
    return isinstance(call, ast.Call) and facts.name(call.func) == VARIABLE


def _are_alike(assignment: ast.Assign, tensor: ast.expr, facts: Facts) -> bool:
    """Whether nobody could tell a name for a tensor from one for its data.

    That is where nothing but the name holds the tensor, or where the project asks no tensor for
    gradients, and nothing is written to x.
    """
    if is_fresh(tensor, facts):
        return True
    names = [*assignment.targets, *([tensor] if isinstance(tensor, ast.Name) else [])]
    if not all(isinstance(name, ast.Name) for name in names) or len(assignment.targets) != 1:
        return False
    if not isinstance(tensor, (ast.Name, ast.Call)) or may_change(tensor, facts):
        return False
    if any(map(facts.is_mentioned, ("requires_grad", "retain_grad"))):
        return False
    return not may_change(assignment.targets[0], facts)
