"""`zero_grad()` of gradients that two models share: since torch 2.0 it ends the sharing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.recording.gradient_reads import (
    GRADIENTS,
    fails_without,
    is_gradient,
    read_next,
)
from torchfix_codemods.facts.values.lattice import Module, Optimizer, Unknown, without_none
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule
from torchfix_codemods.rules.questions.uncalled import is_uncalled


class SharedGradients(Rule):
    """
    ## What it does
    Writes `zero_grad(set_to_none=False)` where the file lets two parameters share one gradient, as
    asynchronous training does, where it reads a gradient between `zero_grad()` and the next
    `backward()`, and where a name that holds a gradient is read on the other side of it.

    ## Why
    Until torch 1.13 `zero_grad()` filled gradients with zeros, which both parameters saw. Since 2.0
    it takes the gradient away from one of them and leaves it to the other, where it is never
    cleared again: the model trains on, along the sum of all gradients so far. Where a gradient was
    zeros, there is none now (`'NoneType' object has no attribute 'data'`), and a name that saw the
    gradient of the next `backward()` goes on to hold the last one.

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
    Pinned: those of the torch that the file was written for. Restored where what reads a gradient
    that is not there fails today.

    ## When it stays its hand
    In files that need torch 2.0, where `zero_grad` gets an argument or is one of the project's own,
    where the gradients that are stored are copies, and where no line calls the function that stores
    them. Where nothing shows how old the file is, a finding says what to write.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v2.0.0 ("zero_grad() now sets the gradients to
      None")
    - https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
    """

    code = "TP118"
    name = "shared-gradients"
    since = "1.7"
    numerics = Numerics.PINNED
    changed_in = "2.0"
    moves = TRAINING
    words = frozenset({"zero_grad"})
    message = "zero_grad() takes shared gradients from one of two models since torch 2.0"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        function = call.func
        if not isinstance(function, ast.Attribute) or call.args or call.keywords:
            return
        is_shared, read = _shares_gradients(facts), read_next(call, facts)
        is_read = read is not None or _is_kept_beyond(call, facts)
        # How old the file is takes longer to find out than what becomes of the gradients.
        if not (is_shared or is_read) or not _is_of_torch(function, facts):
            return
        if facts.has_moved_on((2, 0)):
            return
        is_old = facts.era_of(call).before((2, 0))
        if is_old and is_read:
            fails = read is not None and fails_without(read, facts)
            yield self.found(call, _READ, numerics=Numerics.RESTORED if fails else None)
        elif is_old:
            yield self.found(call)
        elif is_shared:
            yield self.advice(
                call, f"{self.message}: zero_grad(set_to_none=False), if this is older"
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        return with_argument_added(updated, keyword_argument("set_to_none", cst.Name("False")))


def _is_kept_beyond(call: ast.Call, facts: Facts) -> bool:
    """Whether a name holds a gradient that ``zero_grad()`` fills with zeros, and is read below."""
    return any(_is_kept(assign, call, facts) for assign in facts.names.nodes.get(ast.Assign, ()))


def _is_kept(assign: ast.AST, call: ast.Call, facts: Facts) -> bool:
    """Whether a name holds a gradient across ``call``, which fills it with zeros."""
    assert isinstance(assign, ast.Assign)
    names = [target for target in assign.targets if isinstance(target, ast.Name)]
    if len(names) != len(assign.targets) or not is_gradient(_in_memory(assign.value), facts):
        return False
    function = facts.names.enclosing_function
    if function(assign) is not function(call) or not start_of(assign) < start_of(call):
        return False
    return any(
        start_of(call) < start_of(use)
        for name in names
        for use in uses_given_by(facts, assign, name.id)
    )


def _shares_gradients(facts: Facts) -> bool:
    """Whether the file stores the gradient of one parameter as that of another one.

    A function for that which only a comment calls does not.
    """
    return facts.remembered(
        "shared gradients",
        lambda: any(
            isinstance(node, ast.Assign) and _is_shared(node) and not is_uncalled(node, facts)
            for node in facts.names.nodes.get(ast.Assign, ())
        ),
    )


def _is_shared(node: ast.Assign) -> bool:
    stored = _in_memory(node.value)
    if not isinstance(stored, ast.Attribute) or stored.attr not in GRADIENTS:
        return False
    owner = ast.unparse(stored.value)
    return any(
        isinstance(target, ast.Attribute)
        and target.attr in GRADIENTS
        and ast.unparse(target.value) != owner
        for target in node.targets
    )


_READ = "since torch 2.0 zero_grad() takes away gradients that are read below; it made them zeros"


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
