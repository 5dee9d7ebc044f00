"""`data, batch_sizes = packed`: a `PackedSequence` has four parts since torch 1.1."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.modules.questions.packed import is_packed


class UnpackedSequence(Rule):
    """
    ## What it does
    Takes the first two parts, `packed[:2]`, where a `PackedSequence` is unpacked into two names.
    Says where a file for torch 1.0 or older counts the parts, `len(packed)`.

    ## Why
    Since torch 1.1 it also holds the order in which its sequences were sorted, so that two names
    are too few: `ValueError: too many values to unpack`.

    ## Example
    ```python
    packed = pack_padded_sequence(x, lengths)
    data, batch_sizes = packed
    ```
    becomes
    ```python
    packed = pack_padded_sequence(x, lengths)
    data, batch_sizes = packed[:2]
    ```

    ## Numbers
    Restored: the first two parts are what they were.

    ## When it stays its hand
    Where what is unpacked is not certainly a `PackedSequence`: one that torch packs, what a
    recurrent layer gives for one, or what was asked for by `isinstance`. A parameter may be
    anything else.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.1.0
    - https://pytorch.org/docs/stable/generated/torch.nn.utils.rnn.PackedSequence.html
    """

    code = "TP708"
    name = "unpacked-sequence"
    since = "0.1"
    numerics = Numerics.RESTORED
    changed_in = "1.1"
    beside = frozenset({"PackedSequence", "pack_padded_sequence", "pack_sequence"})
    words = beside | {"len"}
    message = "a PackedSequence has four parts since torch 1.1"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        if not all(_is_pair(target) for target in node.targets) or _is_tried(node, facts):
            return
        if is_packed(node.value, facts):
            yield self.found(node.value)

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.names.builtin(call.func) == "len" and len(call.args) == 1:
            if is_packed(call.args[0], facts) and facts.numbers_before(call, (1, 1)):
                yield self.advice(call, f"{self.message}: this was 2 and is 4")

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        return _first_two(updated)

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        return _first_two(updated)


def _is_pair(target: ast.expr) -> bool:
    if not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != 2:
        return False
    return not any(isinstance(element, ast.Starred) for element in target.elts)


def _is_tried(node: ast.stmt, facts: Facts) -> bool:
    """Whether code around may expect the error."""
    return any(isinstance(around, ast.Try) for around in facts.names.ancestors(node))


def _first_two(packed: cst.BaseExpression) -> cst.BaseExpression:
    part = cst.SubscriptElement(cst.Slice(lower=None, upper=cst.Integer("2")))
    return cst.Subscript(packed, [part])
