"""Functions, classes and constants of torch that have another name today."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.guards import is_guarded
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found
from torchfix_codemods.rules.renamed import Renamed


class RenamedName(Renamed):
    """
    ## What it does
    Writes functions, classes and constants of torch by their names of today: `torch.outer` for
    `torch.ger`, `torch.hub.load_state_dict_from_url` for `torch.utils.model_zoo.load_url`, and so
    on for all rows of the [catalogue](../catalogue.md) that only rename; methods of tensors, too.

    ## Why
    Old names warn, some at each call, and most are taken away in the end. Some come from private
    modules, which change without notice.

    ## Example
    ```python
    outer = torch.ger(u, v)
    ```
    becomes
    ```python
    outer = torch.outer(u, v)
    ```

    ## Numbers
    Identical where the old name is still there; restored where it is gone.

    ## When it stays its hand
    Where the file chooses between both names itself (by `try`, by `hasattr` or by a test of the
    version) or replaces the function, where the new name is something else in the file, where
    another file may import the old name from this one, and on methods of what is not certainly a
    tensor.

    ## References
    - https://github.com/pytorch/pytorch/releases
    - https://pytorch.org/docs/stable/torch.html
    """

    code = "TP901"
    name = "renamed-name"
    tor = (
        "TOR001",
        "TOR004",
        "TOR101",
        "TOR103",
        "TOR104",
        "TOR105",
    )
    since = "1.0"
    numerics = Numerics.IDENTICAL
    message = "this has another name in today's torch"

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        new = self.methods.get(node.attr)
        if new is None or facts.name(node) is not None:
            yield from super().find_Attribute(node, facts)
        elif facts.is_tensor(node.value) and not is_guarded(facts, node, new):
            claim = self.claims.get(f"torch.Tensor.{node.attr}")
            message = f"{node.attr} of a tensor is now {new}"
            yield self.found(node, message, numerics=claim, attr=new, path=None)
