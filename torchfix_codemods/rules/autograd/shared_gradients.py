"""`zero_grad()` of gradients that two models share: since torch 2.0 it ends the sharing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import Module, Optimizer, Unknown, without_none
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule


class SharedGradients(Rule):
    """
    ## What it does
    Writes `zero_grad(set_to_none=False)` where the file lets two parameters share one gradient, as
    asynchronous training does.

    ## Why
    Until torch 1.13 `zero_grad()` filled gradients with zeros, which both parameters saw. Since 2.0
    it takes the gradient away from one of them and leaves it to the other, where it is never
    cleared again: the model trains on, along the sum of all gradients so far.

    ## Example
    ```python
    for param, shared_param in zip(model.parameters(), shared_model.parameters()):
        shared_param._grad = param.grad
    optimizer.zero_grad()
    ```
    in code for torch 1.13 or older becomes
    ```python
    for param, shared_param in zip(model.parameters(), shared_model.parameters()):
        shared_param._grad = param.grad
    optimizer.zero_grad(set_to_none=False)
    ```

    ## Numbers
    Pinned: those of the torch that the file was written for.

    ## When it stays its hand
    In files that need torch 2.0, where `zero_grad` gets an argument or is one of the project's own,
    and where the gradients that are stored are copies. Where nothing shows how old the file is, a
    finding says what to write.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v2.0.0 ("zero_grad() now sets the gradients to
      None")
    - https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
    """

    code = "TP118"
    name = "shared-gradients"
    since = "1.7"
    numerics = Numerics.PINNED
    moves = TRAINING
    words = frozenset({"zero_grad"})
    message = "zero_grad() takes shared gradients from one of two models since torch 2.0"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        function = call.func
        if not isinstance(function, ast.Attribute) or call.args or call.keywords:
            return
        if facts.era_of(call).needs((2, 0)) or not _shares_gradients(facts):
            return
        if not _is_of_torch(function, facts):
            return
        if facts.era_of(call).before((2, 0)):
            yield self.found(call)
        else:
            yield self.advice(
                call, f"{self.message}: zero_grad(set_to_none=False), if this is older"
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        return with_argument_added(updated, keyword_argument("set_to_none", cst.Name("False")))


def _shares_gradients(facts: Facts) -> bool:
    """Whether the file stores the gradient of one parameter as that of another one."""
    return facts.remembered(
        "shared gradients",
        lambda: any(
            isinstance(node, ast.Assign) and _is_shared(node)
            for node in facts.names.nodes.get(ast.Assign, ())
        ),
    )


def _is_shared(node: ast.Assign) -> bool:
    stored = _in_memory(node.value)
    if not isinstance(stored, ast.Attribute) or stored.attr not in _GRADIENTS:
        return False
    owner = ast.unparse(stored.value)
    return any(
        isinstance(target, ast.Attribute)
        and target.attr in _GRADIENTS
        and ast.unparse(target.value) != owner
        for target in node.targets
    )


_GRADIENTS = ("grad", "_grad")


def _in_memory(node: ast.expr) -> ast.expr:
    """What ``x.data``, ``x.detach()``, and on the CPU ``x.cpu()``, share their memory with."""
    while True:
        if isinstance(node, ast.Attribute) and node.attr == "data":
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in ("detach", "cpu"):
                return node
            node = node.func.value
        else:
            return node


def _is_of_torch(function: ast.Attribute, facts: Facts) -> bool:
    """Whether ``x.zero_grad`` is that of an optimizer or of a module."""
    value = without_none(facts.value(function.value))
    if isinstance(value, Optimizer):
        return True
    if "zero_grad" in facts.names.defined:
        return False
    if facts.files is None:
        return isinstance(value, Module)
    return isinstance(value, (Module, Unknown)) and not facts.files.is_defined("zero_grad")
