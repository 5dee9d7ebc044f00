"""One optimizer for losses of different parameters: `step()` skips those of the other loss."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.skipped_parts import (
    Skipped,
    method_called,
    skipped_in,
)

_SKIPPED = (
    "since torch 2.0 zero_grad() leaves no gradient to what the next loss does not reach ({parts}),"
    " and step() skips it, where momentum and weight decay moved it on: write {text}"
)
_FAILS = (
    "since torch 2.0 zero_grad() leaves no gradient to what the next loss does not reach ({parts}),"
    " and {read} fails below: write {text}"
)


class SkippedParameters(Rule):
    """
    ## What it does
    Says where one optimizer serves losses that reach different parameters, in turn: `zero_grad()`
    in front of the second one takes away the gradients of what only the first one reaches.

    ## Why
    Until torch 1.13 `zero_grad()` filled gradients with zeros. `step()` went on to move all
    parameters by momentum and weight decay, Adam by what it remembers of earlier gradients. Since
    2.0 there is no gradient, and `step()` passes over the parameter. Code that clamps or logs
    gradients fails there (`'NoneType' object has no attribute 'data'`).

    ## Example
    ```python
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        criterion(net.head(x), y).backward()
        optimizer.step()
        optimizer.zero_grad()
        net.reconstruction(x).backward()
        optimizer.step()
    ```
    is reported in code for torch 1.13 or older: write
    `optimizer.zero_grad(set_to_none=False)` for the numbers of that torch.

    ## Numbers
    Nothing is rewritten: to skip what a loss does not reach may be what was meant.

    ## When it stays its hand
    In files that may be for torch 2.0, where the two losses are calculated with the same modules or
    something is called that cannot be seen, where the optimizer holds none of what only one of them
    reaches, and for SGD without momentum and weight decay, which zeros do not move. Losses of which
    either one or the other is calculated are not looked at, nor several `backward()` of one step.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v2.0.0 ("zero_grad() now sets the gradients to
      None")
    - https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
    """

    code = "TP123"
    name = "skipped-parameters"
    since = "1.7"
    numerics = Numerics.ADVICE
    words = frozenset({"zero_grad"})
    beside = frozenset({"backward"})
    message = "step() skips what the last loss did not reach since torch 2.0"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if method_called(call) != "zero_grad" or call.args or call.keywords:
            return
        if not facts.numbers_before(call, (2, 0)):
            return
        function = facts.names.enclosing_function(call)
        around = facts.tree if function is None else function
        found = facts.remembered(("skipped", around), lambda: skipped_in(around, facts))
        if call in found:
            yield self.advice(call, _text_of(call, found[call], facts))


def _text_of(cleared: ast.Call, skipped: Skipped, facts: Facts) -> str:
    text = f"{ast.unparse(cleared.func)}(set_to_none=False)"
    if skipped.read is None:
        return _SKIPPED.format(parts=skipped.parts, text=text)
    user = facts.parent(skipped.read)
    read = ast.unparse(user if isinstance(user, ast.Attribute) else skipped.read)
    return _FAILS.format(parts=skipped.parts, read=read, text=text)
