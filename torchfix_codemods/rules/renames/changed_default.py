"""Defaults of torch that are others today: the file's own numbers are written down."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.kept_dimension import expanded_reduction
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found
from torchfix_codemods.rules.rewritten import Rewritten

_NOT_KEPT = "{} takes the dimension away since torch 0.2, which expand_as() wants: keepdim=True"


class ChangedDefault(Rewritten):
    """
    ## What it does
    Writes down the default that torch had when the file was written, where it has another one
    today: all rows of the [catalogue](../catalogue.md) about such defaults.

    ## Why
    Nothing warns of a default that changed: the program runs and gives other numbers.

    ## Example
    ```python
    mask = torch.full((n, n), 1)
    ```
    in code for torch 1.4 or older becomes
    ```python
    mask = torch.full((n, n), 1.0)
    ```

    ## Numbers
    Pinned: what the torch gave that the file was written for. Only files that are certainly for an
    older torch are touched, by what they use, what the project requires, or `--from`. In others
    `x.sum(1).expand_as(x)`, which was written for torch 0.1, is reported.

    ## When it stays its hand
    Where the file can be for a torch with today's default, where the argument is given, beside
    `*args` and `**kwargs`, and where the file chooses by torch's version itself.

    ## References
    - https://github.com/pytorch/pytorch/releases
    - https://pytorch.org/docs/stable/index.html
    """

    code = "TP906"
    name = "changed-default"
    since = "1.0"
    numerics = Numerics.PINNED
    message = "this default was another one in the torch of this file"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        yield from super().find_Call(call, facts)
        reduction = expanded_reduction(facts, call)
        if reduction is not None and not facts.era.before((0, 2)):
            yield self.advice(reduction, _NOT_KEPT.format(ast.unparse(reduction.func)))


# The rows give the other words.
ChangedDefault.words |= {"expand_as"}
