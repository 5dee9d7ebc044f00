"""`x[order[::-1]]`: torch makes no tensor of an array with a negative step, and takes a copy."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.facts.tensors.reversed_arrays import reversals
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rewritten, Rule

_MAKERS = frozenset({"torch.from_numpy", "torch.tensor", "torch.as_tensor", *DTYPES})


class ReversedArray(Rule):
    """
    ## What it does
    Copies an array that numpy reversed (`a[::-1]`, `a[:, ::-1]`, `np.flip(a, 0)`) where a tensor is
    made of it or a tensor is indexed by it.

    ## Why
    A reversed array is a view that goes through the memory of another one from its end. Until 0.3
    torch took an array as an index as it takes a list. Since 0.4 it makes a tensor of it, which
    fails: "tensors with negative strides are not currently supported".

    ## Example
    ```python
    order = np.argsort(lengths)[::-1]
    x = x[order]
    ```
    becomes
    ```python
    order = np.argsort(lengths)[::-1]
    x = x[order.copy()]
    ```

    ## Numbers
    Restored: the old line fails; the new one takes the same elements in the same order.

    ## When it stays its hand
    On what is not certainly an array of numpy, or may come from elsewhere, and on lists, which have
    no step. Lengths that `pack_padded_sequence` is given are told of by TP709.

    ## References
    - https://github.com/pytorch/pytorch/issues/59786
    - https://numpy.org/doc/stable/reference/generated/numpy.flip.html
    """

    code = "TP428"
    name = "reversed-array"
    since = "0.1"
    numerics = Numerics.RESTORED
    words = frozenset({"numpy", *(name.rpartition(".")[2] for name in _MAKERS)})
    beside = frozenset({"numpy"})
    message = "torch makes no tensor of an array with a negative step: a copy has none"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if len(call.args) != 1 or is_opaque(call) or facts.name(call.func) not in _MAKERS:
            return
        if reversals(facts, call.args[0]):
            yield self.found(call.args[0])

    def find_Subscript(self, node: ast.Subscript, facts: Facts) -> Iterator[Found]:
        for index in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            if isinstance(index, (ast.Name, ast.Subscript, ast.Call)) and reversals(facts, index):
                if facts.is_tensor(node.value):
                    yield self.found(index)

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Rewritten:
        assert isinstance(updated, cst.BaseExpression)
        return cst.Call(cst.Attribute(as_operand(updated), cst.Name("copy")))
