"""`get_lr()` of a scheduler inside of another one's: today it is already one step further."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import line_named
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_BASES = frozenset(
    {"torch.optim.lr_scheduler.LRScheduler", "torch.optim.lr_scheduler._LRScheduler"}
)

#: Those of old torch that give another rate than the first before they step.
_CHAINED = frozenset(
    {"torch.optim.lr_scheduler.ExponentialLR", "torch.optim.lr_scheduler.CosineAnnealingLR"}
)


class NestedSchedule(Rule):
    """
    ## What it does
    Finds schedulers whose `get_lr` returns what `get_lr()` of an `ExponentialLR` or a
    `CosineAnnealingLR` gives, as that for a gradual warm-up does.

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
    `self.get_lr()`. Where no such scheduler is in sight: `StepLR`, `MultiStepLR` and `LambdaLR`
    give their first rates until they step, and one of the project's own gives what it says.

    ## References
    - https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
    - https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.SequentialLR.html
    """

    code = "TP610"
    name = "nested-schedule"
    since = "1.4"
    numerics = Numerics.ADVICE
    words = frozenset({"get_lr"})
    message = "get_lr() of another scheduler gives the rates of its next step today"

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
            asked = found_behind([Place(facts, function.value)], _before_chained)
            if asked is not None:
                yield self.advice(call, _advice(function.value, asked, facts))


def _advice(scheduler: ast.expr, asked: Place, facts: Facts) -> str:
    built = asked.node.func if isinstance(asked.node, ast.Call) else asked.node
    return (
        f"get_lr() of {last_name(built)} ({line_named(asked.node, asked.facts, facts)}) gives the"
        f" rates of its next step today: as long as it has not stepped, write"
        f" {ast.unparse(scheduler)}.base_lrs"
    )


def _before_chained(place: Place) -> Iterable[Place] | None:
    """None for a scheduler that makes each rate of the one before; else where it comes from."""
    node = place.node
    if isinstance(node, ast.Call) and place.facts.name(node.func) in _CHAINED:
        return None
    return behind(place)
