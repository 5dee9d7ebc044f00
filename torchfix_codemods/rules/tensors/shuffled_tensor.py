"""`random.shuffle(tensor)` loses rows and doubles others: `t[torch.randperm(len(t))]` shuffles."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_SHUFFLES = frozenset({"random.shuffle", "numpy.random.shuffle"})


class ShuffledTensor(Rule):
    """
    ## What it does
    Finds `random.shuffle` and `np.random.shuffle` of a tensor.

    ## Why
    They swap by `x[i], x[j] = x[j], x[i]`. What an index gives of a tensor is a view: the first
    assignment overwrites what the second one reads. Of two rows one is lost, and the other is
    there twice.

    ## Example
    ```python
    random.shuffle(data)
    ```
    is reported where `data` is a tensor: write
    ```python
    data = data[torch.randperm(len(data))]
    ```

    ## Numbers
    Nothing is rewritten: another generator gives another order, and other names of the tensor would
    keep the old one.

    ## When it stays its hand
    Where the argument is not certainly a tensor: lists and arrays are shuffled well.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.randperm.html
    - https://docs.python.org/3/library/random.html#random.shuffle
    """

    code = "TP413"
    name = "shuffled-tensor"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = frozenset({"shuffle"})
    message = "shuffling a tensor in place loses rows and doubles others"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) not in _SHUFFLES or len(call.args) != 1:
            return
        if isinstance(facts.value(call.args[0]), Tensor):
            given = facts.segment(call.args[0])
            instead = f"{given} = {given}[torch.randperm(len({given}))]"
            yield self.advice(call, f"{self.message}: write {instead}")
