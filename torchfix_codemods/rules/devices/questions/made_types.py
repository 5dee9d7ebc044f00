"""What the type of a tensor makes: ``type(x)(3)`` makes floats on the CPU since 0.4."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.asked_class import asked_for_class, is_given_size_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.constructors import given_to
from torchfix_codemods.text.wording import LONGEST


def made_by_type(call: ast.Call, facts: Facts) -> tuple[ast.expr, ast.Call] | None:
    """``x`` and the call of ``type(x)(3)``, or of ``T = type(x)`` and ``T(x.size())``.

    What is not known to be a tensor is one if its data has a size that the call is given.
    """
    tensor = asked_for_class(facts.names, call)
    made = None if tensor is None else _called(call, facts)
    if tensor is None or made is None:
        return None
    if isinstance(tensor, ast.Attribute) and tensor.attr == "data":
        if not facts.is_tensor(tensor.value) and not is_given_size_of(made, tensor):
            return None
        return tensor.value, made
    return (tensor, made) if facts.is_tensor(tensor) else None


def made_anew(tensor: ast.expr, made: ast.Call, facts: Facts) -> str:
    """What is said of a call of the type of a tensor.

    Args:
        tensor: the tensor.
        made: the call.
        facts: the facts of its file.
    """
    given = given_to(made, facts)
    method = "new_empty" if given in ("sizes", "shape") else "new_tensor"
    data = ast.Attribute(tensor, "data", ast.Load())
    if any(is_given_size_of(made, part) for part in (tensor, data)):
        given, method = "shape", "new_empty"
    text = "the type of a tensor is torch.Tensor since 0.4, which makes floats on the CPU"
    if given in (None, "nothing"):
        return text
    arguments = ", ".join(map(ast.unparse, made.args))
    new = f"{ast.unparse(tensor)}.{method}"
    return f"{text}: write {new}({arguments if len(arguments) <= LONGEST else '...'})"


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
