"""`with torch.no_grad:` fails: the context manager is what `torch.no_grad()` returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_CONTEXTS = frozenset(
    {
        "torch.no_grad",
        "torch.enable_grad",
        "torch.inference_mode",
        "torch.autograd.no_grad",
        "torch.autograd.enable_grad",
        "torch.autograd.detect_anomaly",
        "torch.cuda.amp.autocast",
    }
)


class UncalledNoGrad(Rule):
    """
    ## What it does
    Calls `torch.no_grad`, `torch.enable_grad`, `torch.inference_mode` and the like where a `with`
    statement names the class itself.

    ## Why
    A class is no context manager: the statement fails when it is reached, which for an evaluation
    is at the end of the first epoch.

    ## Example
    ```python
    with torch.no_grad:
        output = model(data)
    ```
    becomes
    ```python
    with torch.no_grad():
        output = model(data)
    ```

    ## Numbers
    Restored: the statement fails on every torch, and then does what it says.

    ## When it stays its hand
    On decorators, which take the class itself since torch 2.1, on names that are not torch's, and
    on what has to be given an argument, such as `torch.set_grad_enabled`.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.no_grad.html
    """

    code = "TP113"
    name = "uncalled-no-grad"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = frozenset(name.rpartition(".")[2] for name in _CONTEXTS)
    message = "torch.no_grad is no context manager: call it"

    def find_With(self, node: ast.With, facts: Facts) -> Iterator[Found]:
        for item in node.items:
            context = item.context_expr
            if isinstance(context, (ast.Attribute, ast.Name)) and facts.name(context) in _CONTEXTS:
                name = facts.segment(context)
                yield self.found(context, f"{name} is no context manager: call it")

    def leave_Attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.Call:
        return _called(updated)

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.Call:
        return _called(updated)


def _called(context: cst.Attribute | cst.Name) -> cst.Call:
    bare = context.with_changes(lpar=[], rpar=[])
    return cst.Call(bare, lpar=context.lpar, rpar=context.rpar)
