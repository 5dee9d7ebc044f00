"""`get_lr()` of a scheduler inside of another one's: today it is already one step further."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_BASES = frozenset(
    {"torch.optim.lr_scheduler.LRScheduler", "torch.optim.lr_scheduler._LRScheduler"}
)


class NestedSchedule(Rule):
    """
    ## What it does
    Finds schedulers whose `get_lr` returns what `get_lr()` of another scheduler gives, as that for
    a gradual warm-up does.

    ## Why
    A scheduler that had not stepped yet gave its first rates; today only its own constructor and
    `step()` may ask it, and everybody else gets the rates of one step more. With
    `CosineAnnealingLR` the whole schedule behind the warm-up is too high, with `ExponentialLR`
    too low.

    ## Example
    ```python
    class Warmup(LRScheduler):
        def get_lr(self):
            if self.last_epoch > self.total_epoch:
                return self.after_scheduler.get_lr()
            return [lr * self.last_epoch / self.total_epoch for lr in self.base_lrs]
    ```
    is reported: write
    ```python
    class Warmup(LRScheduler):
        def get_lr(self):
            if self.last_epoch > self.total_epoch:
                return self.after_scheduler.base_lrs
            return [lr * self.last_epoch / self.total_epoch for lr in self.base_lrs]
    ```
    or use `torch.optim.lr_scheduler.SequentialLR`.

    ## Numbers
    Nothing is rewritten: whether the other scheduler has stepped before, the code need not say.

    ## When it stays its hand
    Outside of `get_lr` of a class that is derived from torch's, and on `super().get_lr()` and
    `self.get_lr()`.

    ## References
    - https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
    - https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.SequentialLR.html
    """

    code = "TP610"
    name = "nested-schedule"
    since = "1.4"
    numerics = Numerics.ADVICE
    words = frozenset({"get_lr"})
    message = (
        "get_lr() of a scheduler that has not stepped gives the rates of its next step today: its"
        " first ones are base_lrs"
    )

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr != "get_lr" or call.args:
            return
        method = facts.names.enclosing_function(call)
        if not isinstance(method, ast.FunctionDef) or method.name != "get_lr":
            return
        owner = facts.parent(method)
        if not isinstance(owner, ast.ClassDef) or isinstance(function.value, (ast.Name, ast.Call)):
            return
        if any(facts.name(base) in _BASES for base in owner.bases):
            yield self.advice(call, self.message)
