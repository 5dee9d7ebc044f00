"""Masks are bool since torch 1.2: `.byte()` becomes `.bool()`, and `1 - mask` becomes `~mask`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tensors.masks import as_bool
from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.layouts import core_of
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rewritten, Rule
from torchfix_codemods.rules.masks.questions.calculated_masks import (
    NUMBERS_ONLY,
    about_addition_in_place,
    about_function,
    about_operation,
    about_sign,
)
from torchfix_codemods.rules.masks.questions.cast_once import cast_once
from torchfix_codemods.rules.masks.questions.given_masks import about_bytes, cast_wanted
from torchfix_codemods.rules.masks.questions.inverted_masks import (
    Inversion,
    about_bits,
    comes_of_bits,
    inversion_at,
    inversion_by_name,
    inversion_by_sign,
    stays_mask,
)
from torchfix_codemods.rules.masks.questions.made_masks import (
    claim_at,
    inverted_bits,
    is_alone,
    is_byte_of_new_bool,
    is_renamed,
    is_renamed_before,
)
from torchfix_codemods.rules.masks.questions.mask_indices import indices_of, were_indices
from torchfix_codemods.rules.masks.questions.mask_parameters import MAKERS
from torchfix_codemods.rules.masks.questions.mask_places import places_of_mask
from torchfix_codemods.rules.masks.questions.mask_sums import METHODS, asked_sum, joined
from torchfix_codemods.rules.masks.questions.mask_wants import MASKED, Want, place_of
from torchfix_codemods.rules.masks.questions.masks import inverted, is_bool, operand_of
from torchfix_codemods.rules.masks.questions.masks_from_start import bool_from_start
from torchfix_codemods.rules.masks.questions.stored_masks import stored_mask
from torchfix_codemods.rules.masks.questions.subtracted_masks import about_subtraction
from torchfix_codemods.rules.questions.named_lines import told_of_alike
from torchfix_codemods.rules.tensors.questions.attention import MASK_NAMES, attention_masks

_NO_NUMBER = (
    "masks are bool since torch 1.2, and so is their sum, which no longer counts them: write {0}"
)
_STORED = "comparisons are bool since torch 1.2, and a mask stores none of another dtype by a mask"
_OF_INTEGERS = "only masks of bool are taken since torch 2.1"
#: What binds more tightly than ``&``.
_BINDING = (ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Await)


class ByteMask(Rule):
    """
    ## What it does
    Makes masks of `uint8` masks of `bool`: `.byte()` becomes `.bool()` where the result is only
    used as a mask, and goes where a comparison gives one anyway; `.bool()` is appended where a
    `uint8` tensor is given to `masked_fill`, `masked_select`, `masked_scatter`, `torch.where`, to
    torch's layers of attention or used as an index; and the inversions `1 - mask`, `mask ^ 1` and
    `~mask.byte()` become `~mask`. Where a `uint8` mask is inverted for something else, `~mask`
    becomes `1 - mask` in files for torch before 1.2. A sum of masks that is compared with their
    number, `(x > a) + (x < b) == 2`, becomes `(x > a) & (x < b)`. What is stored in a mask by
    another one, `done[kept] = ended[kept]`, gets its dtype. A mask that is used in a loop or twice
    is cast where it gets its name; `dtype=torch.uint8` becomes `dtype=torch.bool` there.

    ## Why
    Comparisons give `bool` since torch 1.2, and `1 - mask` fails on that. `masked_fill` and the
    like take no other masks since 2.1; an index of `uint8` warns. `~` of `uint8` inverts the bits:
    of 0 and 1 it makes 255 and 254, which both select.

    ## Example
    ```python
    pad = (tokens == 0).byte()
    scores.masked_fill_(pad.unsqueeze(1), -1e9)
    loss = losses.masked_select(1 - mask).mean()
    ```
    becomes
    ```python
    pad = tokens == 0
    scores.masked_fill_(pad.unsqueeze(1), -1e9)
    loss = losses.masked_select(~mask.bool()).mean()
    ```

    ## Numbers
    Restored where the code fails today (`1 - mask` of a comparison, `masked_fill`,
    `masked_select`, `masked_scatter`, `x[mask] = 0`), identical where it only warns. Pinned for
    `x[~mask.byte()]`, `x[mask ^ 1]`, `1 - mask` for `~mask`, and sums in files for torch before
    1.2. `.byte()` cuts fractions, so where its source may hold other values than 0 and 1 it stays,
    followed by `.bool()`; of whole numbers only a multiple of 256 would be true that was not.

    ## When it stays its hand
    Where the tensor is not certainly a mask, or the result is calculated with, printed, returned
    or passed on: images and random states are bytes as well. Where `1 - mask` certainly fails but
    its result is used in such a way, where a mask is negated or subtracted from, where it is given
    to `argmax` and other functions that bool has not, where `~` inverts bits in a file of unknown
    age, where masks are added up in an old one, and where an array of `uint8` is an index in one
    for torch 1.0, a finding says what to write; as where the mask of `masked_fill` and the like
    comes in more than one way, and the project makes it of `uint8` on one: a call, an attribute, a
    key, or a data set. Where nothing in the project does, nothing is said.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.2.0
    - https://pytorch.org/docs/stable/generated/torch.Tensor.masked_fill_.html
    """

    code = "TP405"
    name = "byte-mask"
    since = "1.2"
    numerics = Numerics.RESTORED
    warns = True
    words = MASKED | METHODS | MASK_NAMES | NUMBERS_ONLY | {"where", "byte", "torch", "dtype"}
    message = "masks are bool, not uint8: .bool() for .byte(), ~mask for 1 - mask"

    def find_BinOp(self, node: ast.BinOp, facts: Facts) -> Iterator[Found]:
        for told in about_operation(node, facts):
            yield self.advice(node, told)
        if inverted(node) != "1 - x":
            return
        if not is_bool(facts, node.right):
            yield from self._inverted(inversion_by_name(facts, node))
        elif stays_mask(facts, node):
            yield self.found(node, change="invert", operand="as is")
        else:
            yield self.advice(node, about_subtraction(node, facts))

    def find_UnaryOp(self, node: ast.UnaryOp, facts: Facts) -> Iterator[Found]:
        for told in about_sign(node, facts):
            yield self.advice(node, told)
        if isinstance(node.op, ast.Invert) and not is_bool(facts, node.operand):
            yield from self._inverted(inversion_by_sign(facts, node))

    def find_AugAssign(self, node: ast.AugAssign, facts: Facts) -> Iterator[Found]:
        if (told := about_addition_in_place(node, facts)) is not None:
            yield self.advice(node, told)

    def find_Compare(self, node: ast.Compare, facts: Facts) -> Iterator[Found]:
        yield from self._find_sum(node, facts)

    def _find_sum(self, node: ast.Compare | ast.Call, facts: Facts) -> Iterator[Found]:
        """``(x > a) + (x < b) == 2``, which no element of bool is."""
        found = asked_sum(facts, node)
        if found is None:
            return
        code = facts.segment(node)
        sign = {"all": "&", "one": "^", "count": "+"}[found.asked]
        is_old = facts.numbers_before(node, (1, 2))
        if found.asked == "count" or found.is_passed or not is_old or "#" in code:
            yield self.advice(node, _NO_NUMBER.format(joined(found.masks, sign)))
        else:
            binds = isinstance(facts.parent(node), _BINDING) and isinstance(node, ast.Call)
            keeps = binds or "\n" in code
            claim = Numerics.PINNED
            yield self.found(node, numerics=claim, change="sum", sign=sign, keeps=keeps)

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        for part, change in bool_from_start(facts, call).items():
            group, same = f"mask of line {call.lineno}", Numerics.IDENTICAL
            yield self.found(part, numerics=same, group=group, change=change, keeps=True)
        if isinstance(call.func, ast.Attribute) and call.func.attr in METHODS:
            yield from self._find_sum(call, facts)
        if is_renamed(facts, call):
            places = places_of_mask(facts, call) or []
            change = "leave out" if is_byte_of_new_bool(facts, call) else "rename"
            keeps = not is_alone(call, facts)
            yield self.found(call, numerics=claim_at(*places), change=change, keeps=keeps)
            return
        method = call.func.attr if isinstance(call.func, ast.Attribute) else None
        if method in MASKED or method == "where":
            masks = [*call.args[:2], argument(call, None, "mask")]
            for mask in masks:
                if mask is not None:
                    yield from self._find_mask(mask, facts)
        if (told := about_function(call, method, facts)) is not None:
            yield self.advice(call, told)
        for mask in attention_masks(facts, call):
            yield from self._find_uint8(mask, core_of(mask), "masked", facts)

    def find_Subscript(self, node: ast.Subscript, facts: Facts) -> Iterator[Found]:
        if facts.era_of(node).before((1, 1)):
            for index, told in were_indices(facts, node):
                yield self.advice(index, told)
        stored = stored_mask(facts, node) if isinstance(node.ctx, ast.Store) else None
        if stored is not None:
            yield self.found(stored[0], _STORED, change=stored[1])
        makes_bytes = facts.remembered("uint8", lambda: any(map(facts.speaks_of, MAKERS)))
        if not makes_bytes and not isinstance(node.ctx, ast.Store):
            return
        for index in indices_of(node):
            yield from self._find_mask(index, facts)

    def _find_mask(self, mask: ast.expr, facts: Facts) -> Iterator[Found]:
        place = place_of(facts, mask)
        if place is None:
            return
        core = core_of(mask)
        if inverted(core) is not None:
            yield from self._inverted(inversion_at(facts, mask, core, place))
        else:
            yield from self._find_uint8(mask, core, place, facts)

    def _find_uint8(
        self, mask: ast.expr, core: ast.expr, place: Want, facts: Facts
    ) -> Iterator[Found]:
        is_settled = is_renamed_before(facts, core)
        bits = None if is_settled or is_bool(facts, mask) else inverted_bits(facts, core)
        if bits is not None:
            # Where it is rewritten itself, what comes of it is seen afterwards.
            if comes_of_bits(facts, mask, bits):
                yield self.advice(bits, about_bits(operand_of(bits)))
            return
        cast = cast_wanted(facts, mask, core, place)
        if isinstance(cast, str):
            once = cast_once(facts, mask, place)
            if once is not None and cast == "of integers":
                yield self.found(once.value, _OF_INTEGERS, change="append")
            elif once is not None:
                yield self.found(once.value, numerics=claim_at(*once.places), change="append")
        elif cast is not None and (said := told_of_alike(mask, facts, about_bytes)) is not None:
            yield self.advice(mask, said)

    def _inverted(self, inversion: Inversion | None) -> Iterator[Found]:
        if inversion is not None and inversion.change is None:
            yield self.advice(inversion.node, inversion.message or self.message)
        elif inversion is not None:
            yield self.found(
                inversion.node,
                inversion.message,
                numerics=inversion.numerics,
                change=inversion.change,
                operand=inversion.operand,
            )

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Rewritten:
        kinds = (
            *(cst.Attribute, cst.Call, cst.Name, cst.Subscript),
            *(cst.BinaryOperation, cst.Comparison, cst.UnaryOperation),
        )
        return as_bool(updated, self.data) if isinstance(updated, kinds) else updated
