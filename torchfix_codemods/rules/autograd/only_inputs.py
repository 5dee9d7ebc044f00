"""`only_inputs=True` of `torch.autograd.grad` says the default: it goes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword, without_argument
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule


class OnlyInputs(Rule):
    """
    ## What it does
    Leaves out `only_inputs=True` in calls of `torch.autograd.grad`.

    ## Why
    The argument is deprecated and ignored, and `True` is its default.

    ## Example
    ```python
    grads = autograd.grad(out, x, grad_outputs=ones, create_graph=True, only_inputs=True)
    ```
    becomes
    ```python
    grads = autograd.grad(out, x, grad_outputs=ones, create_graph=True)
    ```

    ## Numbers
    Identical: torch does not read the argument except to warn about other values.

    ## When it stays its hand
    Where the argument is given by position, where it is not the literal `True`, where `*args` or
    `**kwargs` are passed, and on functions that are not torch's.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.autograd.grad.html
    """

    code = "TP110"
    name = "only-inputs"
    since = "0.2"
    numerics = Numerics.IDENTICAL
    words = frozenset({"only_inputs"})
    message = "only_inputs=True is the default and deprecated: leave it out"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != "torch.autograd.grad" or is_opaque(call):
            return
        if constant(argument(call, None, "only_inputs")) is True:
            yield self.found(call)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        index = index_of_keyword(updated, "only_inputs")
        return updated if index is None else without_argument(updated, index)
