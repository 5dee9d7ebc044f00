"""`data, batch_sizes = packed`: a `PackedSequence` has four parts since torch 1.1."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.modules.questions.packed import (
    PACKED_SEQUENCE,
    is_batch_sizes,
    is_packed,
)
from torchfix_codemods.text.wording import worded

_PAD = "torch.nn.utils.rnn.pad_packed_sequence"
_LISTED = "pad_packed_sequence takes a PackedSequence, not its parts by themselves"


class UnpackedSequence(Rule):
    """
    ## What it does
    Takes the first two parts, `packed[:2]`, where a `PackedSequence` is unpacked into two names.
    Says where a file for torch 1.0 or older counts the parts, `len(packed)`. Makes a
    `PackedSequence` of two parts that `pad_packed_sequence` gets in a list.

    ## Why
    Since torch 1.1 it also holds the order in which its sequences were sorted, so that two names
    are too few: `ValueError: too many values to unpack`. `pad_packed_sequence` unpacked what it got
    as well, so that a list did; today it asks for `.batch_sizes`, which a list does not have.

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
    anything else. A list for `pad_packed_sequence` is only told of where the batch sizes in it are
    not certainly those of a `PackedSequence`: torch takes none that are a list or on a GPU.

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
    words = beside | {"len", "pad_packed_sequence"}
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
        if facts.name(call.func) == _PAD and not is_opaque(call):
            yield from self._find_list(call, facts)

    def _find_list(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``pad_packed_sequence([data, batch_sizes])``."""
        given = argument(call, 0, "sequence")
        if not isinstance(given, (ast.List, ast.Tuple)) or not _is_pair(given):
            return
        written = spell(facts, PACKED_SEQUENCE, given)
        if _is_tried(call, facts):
            return
        if written is not None and is_batch_sizes(given.elts[1], facts):
            yield self.found(given, _LISTED, needs=written.needs, text=written.text)
        else:
            name = PACKED_SEQUENCE if written is None else written.text
            made = ast.Call(ast.Name(name), given.elts, [])
            yield self.advice(given, f"{_LISTED}: write {worded(made, f'{name}(...)')}")

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        return _first_two(updated)

    def leave_List(self, original: cst.List, updated: cst.List) -> cst.BaseExpression:
        return _packed(updated, self.data["text"])

    def leave_Tuple(self, original: cst.Tuple, updated: cst.Tuple) -> cst.BaseExpression:
        return _packed(updated, self.data["text"])

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        return _first_two(updated)


def _is_pair(target: ast.expr) -> bool:
    if not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != 2:
        return False
    return not any(isinstance(element, ast.Starred) for element in target.elts)


def _packed(pair: cst.List | cst.Tuple, name: str) -> cst.BaseExpression:
    data, sizes = (element.value for element in pair.elements)
    return cst.Call(cst.parse_expression(name), [cst.Arg(data), cst.Arg(sizes)])


def _is_tried(node: ast.AST, facts: Facts) -> bool:
    """Whether code around may expect the error."""
    return any(isinstance(around, ast.Try) for around in facts.names.ancestors(node))


def _first_two(packed: cst.BaseExpression) -> cst.BaseExpression:
    part = cst.SubscriptElement(cst.Slice(lower=None, upper=cst.Integer("2")))
    return cst.Subscript(packed, [part])
