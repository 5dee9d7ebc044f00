"""`torch.log(1 + x)` and `torch.exp(x) - 1` lose the digits of small x: `log1p`, `expm1`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import is_one
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule


class Log1p(Rule):
    """
    ## What it does
    Says where `torch.log1p(x)` and `torch.expm1(x)` are exact and what is written is not. It is
    off unless it is selected: for numbers around 1 there is no difference.

    ## Why
    A float has seven digits. Of `1 + 1e-8` nothing of the second number is left, so its logarithm
    is 0; `exp(1e-8) - 1` is 0 as well. Both are 1e-8.

    ## Example
    ```python
    rate = torch.log(1 + counts)
    ```
    should be
    ```python
    rate = torch.log1p(counts)
    ```

    ## Numbers
    Nothing is rewritten: the numbers would change, in the last digits for most.

    ## When it stays its hand
    Where the 1 is not written down as one of the two numbers, where `out=` is given, and on other
    logarithms and functions than torch's.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.log1p.html
    - https://pytorch.org/docs/stable/generated/torch.expm1.html
    """

    code = "TP417"
    name = "log1p"
    tor = ("TOR106", "TOR107")
    since = "1.0"
    numerics = Numerics.ADVICE
    is_optional = True
    words = frozenset({"log", "exp"})
    message = "the digits of small numbers are lost"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != "torch.log" or len(call.args) != 1 or call.keywords:
            return
        total = call.args[0]
        if not isinstance(total, ast.BinOp) or not isinstance(total.op, ast.Add):
            return
        for one, other in ((total.left, total.right), (total.right, total.left)):
            if is_one(one):
                text = facts.segment(other)
                yield self.advice(call, f"exact for small numbers, too: torch.log1p({text})")
                return

    def find_BinOp(self, node: ast.BinOp, facts: Facts) -> Iterator[Found]:
        call = node.left
        if not isinstance(node.op, ast.Sub) or not is_one(node.right):
            return
        if isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords:
            if facts.name(call.func) == "torch.exp":
                text = facts.segment(call.args[0])
                yield self.advice(node, f"exact for small numbers, too: torch.expm1({text})")
