"""`Adam(…, betas=(0, 0.9))`: today's torch takes floats alone, `betas=(0.0, 0.9)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.options import by_default
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rewritten, Rule

_OPTIMIZERS = frozenset({"torch.optim.Adam", "torch.optim.AdamW"})


class WholeBetas(Rule):
    """
    ## What it does
    Makes a float of a whole number in the `betas` of `Adam` and `AdamW`.

    ## Why
    Both take tensors for betas as well by now, and check that both are floats or both are
    tensors: `(0, 0.9)`, as many GANs have it, raises "betas must be either both floats or both
    Tensors".

    ## Example
    ```python
    beta1 = 0
    generating = optim.Adam(G.parameters(), lr=2e-4, betas=(0, 0.9))
    judging = optim.Adam(D.parameters(), lr=2e-4, betas=(beta1, 0.9))
    ```
    becomes
    ```python
    beta1 = 0
    generating = optim.Adam(G.parameters(), lr=2e-4, betas=(0.0, 0.9))
    judging = optim.Adam(D.parameters(), lr=2e-4, betas=(float(beta1), 0.9))
    ```

    ## Numbers
    Restored: the old call fails; 0 and 0.0 are the same beta.

    ## When it stays its hand
    Where it is not certain that a beta is a whole number, and on other optimizers, which take any
    number.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.optim.Adam.html
    """

    code = "TP613"
    name = "whole-betas"
    since = "0.1"
    numerics = Numerics.RESTORED
    words = frozenset(name.rpartition(".")[2] for name in _OPTIMIZERS)
    message = "both betas have to be floats, and a whole number raises"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) not in _OPTIMIZERS or is_opaque(call):
            return
        betas = argument(call, 2, "betas")
        for beta in betas.elts if isinstance(betas, (ast.Tuple, ast.List)) else ():
            if _is_whole(beta, facts):
                yield self.found(beta)

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Rewritten:
        if isinstance(updated, cst.Integer):
            return cst.Float(f"{int(updated.value)}.0")
        assert isinstance(updated, cst.BaseExpression)
        return cst.Call(cst.Name("float"), [cst.Arg(updated)])


def _is_whole(beta: ast.expr, facts: Facts) -> bool:
    """``0``, a name that is given nothing else, and an option that is it by default."""
    if isinstance(beta, ast.Constant):
        return type(beta.value) is int
    if facts.names.scope_of(beta).lookup("float") is not None:
        return False
    given = (facts.assigned(beta) or []) if isinstance(beta, ast.Name) else []
    if isinstance(beta, ast.Attribute):
        given = [by_default(beta, facts.names)]
    return bool(given) and all(type(constant(value)) is int for value in given)
