"""Which functions of torch take a tensor as their first argument, and nothing else."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.libraries.torch_table import forms_of, forms_of_old

#: Functions of ``torch`` that take a list of tensors as well, or a number, as torch's stubs do not
#: tell.
_OF_OTHERS = frozenset("atleast_1d atleast_2d atleast_3d divide multiply subtract rsub".split())
_OF_FUNCTIONAL = frozenset(
    """embedding_bag handle_torch_function has_torch_function has_torch_function_unary
    has_torch_function_variadic""".split()
)


def takes_tensor_first(name: str, call: ast.Call) -> bool:
    """Whether only a tensor can be the first argument of a call of torch.

    Args:
        name: the qualified name of what is called.
        call: the call of it.
    """
    module, _, function = name.rpartition(".")
    if module == "torch.nn.functional":
        return function not in _OF_FUNCTIONAL
    if module == "torch.nn.init":
        return function != "calculate_gain"
    if module != "torch" or function in _OF_OTHERS:
        return False
    forms = forms_of(name) or forms_of_old(name)
    kinds = {form.parameters[0].kind if form.parameters else "" for form in forms}
    # Of a number and a tensor, one is a tensor, or it would raise: ``torch.mul(2.0, x)``.
    return kinds == {"T"} or (kinds == {"T", "n"} and _is_number(call.args[1:2]))


def _is_number(given: list[ast.expr]) -> bool:
    """Whether an argument is a number that is written down."""
    value = given[0] if given else None
    if isinstance(value, ast.UnaryOp):
        value = value.operand
    return isinstance(value, ast.Constant) and isinstance(value.value, (int, float))
