"""`pack_padded_sequence(x, lengths)`: lengths in a tensor have to be on the CPU since torch 1.7."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.arguments import argument, is_opaque
from torchfix_codemods.facts.made import is_made_here
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.placement import is_made_on_cpu
from torchfix_codemods.facts.values import UNKNOWN, Tensor, Unknown
from torchfix_codemods.facts.wording import worded
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_PACK = "torch.nn.utils.rnn.pack_padded_sequence"


class PackedLengths(Rule):
    """
    ## What it does
    Moves the lengths that `pack_padded_sequence` gets to the CPU, where they are a tensor that may
    be on a GPU.

    ## Why
    Up to torch 1.6 they could be on a GPU. Since 1.7 that raises: "'lengths' argument should be a
    1D CPU int64 tensor".

    ## Example
    ```python
    lengths, order = torch.sort(lengths, descending=True)
    packed = pack_padded_sequence(x[order], lengths)
    ```
    becomes
    ```python
    lengths, order = torch.sort(lengths, descending=True)
    packed = pack_padded_sequence(x[order], lengths.cpu())
    ```

    ## Numbers
    Identical: on the CPU `lengths.cpu()` is the same tensor. On a GPU the call fails without it.

    ## When it stays its hand
    Where they are a list or an array, and where they are a tensor that is made on the CPU. Of
    lengths that may be either, as those that a function is given, a finding says what to write, in
    files that are certainly older than torch 1.7.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html
    - https://github.com/pytorch/pytorch/issues/43227
    """

    code = "TP709"
    name = "packed-lengths"
    since = "0.1"
    numerics = Numerics.IDENTICAL
    words = frozenset({"pack_padded_sequence"})
    message = "lengths have to be on the CPU since torch 1.7"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != _PACK or is_opaque(call):
            return
        lengths = argument(call, 1, "lengths")
        value = UNKNOWN if lengths is None else facts.value(lengths)
        if lengths is None or not isinstance(value, (Tensor, Unknown)):
            return
        if isinstance(value, Tensor) and is_made_here(facts, lengths):
            if not is_made_on_cpu(facts, lengths):
                yield self.found(call)
        elif facts.era.before((1, 7)) and isinstance(lengths, (ast.Name, ast.Attribute)):
            written = worded(lengths, "lengths")
            yield self.advice(
                call, f"{self.message}: write {written}.cpu() if {written} may be on a GPU"
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        args = list(updated.args)
        named = index_of_keyword(updated, "lengths")
        index = 1 if named is None else named
        on_cpu = cst.Call(cst.Attribute(as_operand(args[index].value), cst.Name("cpu")))
        args[index] = args[index].with_changes(value=on_cpu)
        return updated.with_changes(args=args)
