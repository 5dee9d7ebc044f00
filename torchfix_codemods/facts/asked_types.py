"""What code asks of ``type(x)``: the class of a tensor tells neither dtype nor device any more."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.arguments import constant
from torchfix_codemods.facts.constructors import DTYPES
from torchfix_codemods.facts.module import Facts

# ``torch.Tensor`` is the class of all tensors, and ``type(x)`` still gives it.
_OF_CPU = frozenset(DTYPES) - {"torch.Tensor"}
_OF_GPU = frozenset(name.replace("torch.", "torch.cuda.", 1) for name in _OF_CPU)
LEGACY = _OF_CPU | _OF_GPU

_EQUALITIES = (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)
_MEMBERSHIPS = (ast.In, ast.NotIn)
#: Both are part of ``<class 'torch.cuda.FloatTensor'>`` and of no class of the CPU.
_ON_GPU = ("cuda", "torch.cuda")


def asked_for_gpu(node: ast.Compare, facts: Facts) -> ast.expr | None:
    """``x`` of ``"cuda" in str(type(x))``, also of ``not in``."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], _MEMBERSHIPS):
        return None
    text = node.comparators[0]
    if constant(node.left) not in _ON_GPU:
        return None
    if isinstance(text, ast.Call) and isinstance(text.func, ast.Name) and len(text.args) == 1:
        is_text = facts.names.builtin(text.func) in ("str", "repr")
        return _typed(text.args[0], facts) if is_text and not text.keywords else None
    if isinstance(text, ast.Attribute) and text.attr == "__module__":
        return _typed(text.value, facts)
    return None


def asked_for_types(node: ast.Compare, facts: Facts) -> tuple[ast.expr, ast.expr] | None:
    """``x`` and the classes of ``type(x) == torch.LongTensor``, where it cannot be true any more.

    Also of ``is``, ``!=`` and ``in (torch.LongTensor, torch.IntTensor)``.
    """
    if len(node.ops) != 1 or not isinstance(node.ops[0], (*_EQUALITIES, *_MEMBERSHIPS)):
        return None
    tensor, classes = _typed(node.left, facts), node.comparators[0]
    named = [classes]
    if isinstance(node.ops[0], _MEMBERSHIPS):
        named = list(classes.elts) if isinstance(classes, (ast.Tuple, ast.List)) else []
    if tensor is None or not named or not all(facts.name(name) in LEGACY for name in named):
        return None
    return tensor, classes


def made_by_type(call: ast.Call, facts: Facts) -> tuple[ast.expr, ast.Call] | None:
    """``x`` and the call of ``type(x)(3)``, or of ``T = type(x)`` and ``T(x.size())``.

    What is not known to be a tensor is one if its data has a size that the call is given.
    """
    tensor = _typed(call, facts)
    made = None if tensor is None else _called(call, facts)
    if tensor is None or made is None:
        return None
    if isinstance(tensor, ast.Attribute) and tensor.attr == "data":
        if not facts.is_tensor(tensor.value) and not _is_given_size_of(made, tensor):
            return None
        return tensor.value, made
    return (tensor, made) if facts.is_tensor(tensor) else None


def _called(made: ast.Call, facts: Facts) -> ast.Call | None:
    """The call of what a call gives, or of the first use of a name that is certainly that."""
    above = facts.parent(made)
    if isinstance(above, ast.Call) and above.func is made:
        return above
    target = above.targets[0] if isinstance(above, ast.Assign) and above.value is made else None
    if not isinstance(target, ast.Name):
        return None
    uses = facts.names.uses_of(facts.names.scope_of(target), target.id)
    return next(
        (
            user
            for use in uses
            if isinstance(user := facts.parent(use), ast.Call)
            and user.func is use
            and facts.assigned(use) == [made]
        ),
        None,
    )


def _is_given_size_of(made: ast.Call, tensor: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "size"
        and ast.dump(node.func.value) == ast.dump(tensor)
        for argument in made.args
        for node in ast.walk(argument)
    )


def tensor_of_gpu_type(test: ast.expr, facts: Facts) -> ast.expr | None:
    """``x`` of ``isinstance(x.data, torch.cuda.FloatTensor)``, where that is certainly a tensor."""
    if not isinstance(test, ast.Call) or facts.names.builtin(test.func) != "isinstance":
        return None
    if len(test.args) != 2:
        return None
    tensor, classes = test.args
    named = classes.elts if isinstance(classes, ast.Tuple) else [classes]
    if not all((facts.name(name) or "") in _OF_GPU for name in named):
        return None
    if isinstance(tensor, ast.Attribute) and tensor.attr == "data":
        tensor = tensor.value
    return tensor if facts.is_tensor(tensor) else None


def _typed(node: ast.expr, facts: Facts) -> ast.expr | None:
    """``x`` of ``type(x)`` or ``x.__class__``."""
    if isinstance(node, ast.Attribute):
        return node.value if node.attr == "__class__" else None
    if not isinstance(node, ast.Call) or facts.names.builtin(node.func) != "type":
        return None
    return node.args[0] if len(node.args) == 1 and not node.keywords else None
