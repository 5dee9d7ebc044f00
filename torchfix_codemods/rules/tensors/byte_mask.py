"""Masks are bool since torch 1.2: `.byte()` becomes `.bool()`, and `1 - mask` becomes `~mask`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.edit.sums import with_operator
from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.tensors.attention import MASK_NAMES, attention_masks
from torchfix_codemods.facts.tensors.masks import (
    MASKED,
    Place,
    core_of,
    holds_zeros_and_ones,
    inverted,
    is_array_of_mask,
    is_bool,
    is_byte,
    is_comparison,
    is_uint8,
    operand_of,
    place_of,
    tells_truth,
    whole_of,
)
from torchfix_codemods.facts.values.array_dtypes import dtype_of_array
from torchfix_codemods.facts.values.lattice import NoneValue, Tensor, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.tensors.questions.mask_places import (
    places_of_binding,
    places_of_mask,
)
from torchfix_codemods.rules.tensors.questions.mask_sums import (
    METHODS,
    asked_sum,
    first_of,
    is_asked,
    only_selects,
)
from torchfix_codemods.text.wording import LONGEST, worded

_MAKERS = ("byte", "ByteTensor", "uint8", "^")

_NOT_SUBTRACTED = (
    "1 - mask fails on a mask of bool: write ~mask, or 1 - mask.byte() to calculate with it"
)
_LESS_ANOTHER = (
    "masks are bool since torch 1.2, which are not subtracted: write {0} & ~{1} for what only the "
    "first has"
)
_LESS_NUMBER = (
    "a mask is bool since torch 1.2, which is not subtracted from: write ~{0} for all that it has "
    "not, {0}.int() to calculate with it"
)
_NEGATIVE = (
    "a mask is bool since torch 1.2, which has no negative, and that of bytes selected the same: "
    "write {0} for it, ~{0} for all that it has not, {0}.int() to calculate with it"
)
_COUNTED = (
    "masks are bool since torch 1.2, and their sum is no count but a mask, too: write {0}.int() + "
    "… to count, {0} | … for either"
)
_NO_NUMBER = (
    "masks are bool since torch 1.2, and so is their sum, which this number does not tell about: "
    "write {0}"
)
_TAKES_NO_NUMBER = (
    "masks are bool since torch 1.2, which take in no number: make the mask with .byte() to "
    "calculate with it"
)
_NOT_OF_BOOL = "{0} takes no masks of bool, which all masks are since torch 1.2: write {1}.int()"
_ARRAYS_LESS = (
    "a mask is an array of bool since torch 1.2, which numpy does not subtract: write "
    "{}.astype(int) - …"
)
_ARRAYS_COUNTED = (
    "masks are arrays of bool since torch 1.2, and their sum is no count but a mask, too: write "
    "{}.astype(int) + … to count"
)
_WAS_INDICES = (
    "an array of uint8 is a mask for torch since 1.1, which took its numbers for indices before: "
    "write {0}.astype(int) for these, {0}.astype(bool) for a mask"
)
_SELECT_MORE = ", or write {0} = True to select more"
_MAY_BE_BYTES = "only masks of bool are taken since torch 2.1: {0}.bool() where {0} may be of uint8"
_BITS = (
    "~ inverts the bits of a uint8 mask since torch 1.2, which leaves every element true: write "
    "~mask.bool()"
)
_WAS_LESS = "~ inverts the bits of uint8 since torch 1.2; of a mask it was 1 - mask"
_INDEX = "mask ^ 1 is int64 since torch 1.2, an index and no mask: write ~mask"
_OF_INTEGERS = "only masks of bool are taken since torch 2.1"
_INTEGERS = frozenset({"int64", "int32", "int16", "int8"})
#: What is not defined for bool, and was for bytes.
_NUMBERS_ONLY = frozenset("argmax argmin bincount kthvalue median topk trace".split())
_SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
#: What binds more tightly than ``&``.
_BINDING = (ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Await)
#: What begins a mask that is filled element by element.
_FILLED = frozenset("zeros ones zeros_like ones_like new_zeros new_ones zero_ fill_".split())
#: How many names a mask is followed through.
_LONGEST_CHAIN = 4


class ByteMask(Rule):
    """
    ## What it does
    Makes masks of `uint8` masks of `bool`: `.byte()` becomes `.bool()` where the result is only
    used as a mask, `.bool()` is appended where a `uint8` tensor is given to `masked_fill`,
    `masked_select`, `masked_scatter`, `torch.where`, to torch's layers of attention or used as an
    index, and the inversions `1 - mask`, `mask ^ 1` and `~mask.byte()` become `~mask`. Where a
    `uint8` mask is inverted for something else, `~mask` becomes `1 - mask` in files for torch
    before 1.2. A sum of masks that is compared with their number, `(x > a) + (x < b) == 2`, becomes
    `(x > a) & (x < b)`.

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
    pad = (tokens == 0).bool()
    scores.masked_fill_(pad.unsqueeze(1), -1e9)
    loss = losses.masked_select(~mask.bool()).mean()
    ```

    ## Numbers
    Restored where the code fails today (`1 - mask` of a comparison, `masked_fill`,
    `masked_select`, `masked_scatter`, `x[mask] = 0`), identical where it only warns. Pinned for
    `x[~mask.byte()]`, `x[mask ^ 1]`, `1 - mask` for `~mask`, and sums in files for torch before
    1.2. `.byte()` cuts fractions, so where its source may hold other values than 0 and 1 it stays,
    followed by `.bool()`.

    ## When it stays its hand
    Where the tensor is not certainly a mask, or the result is calculated with, printed, returned
    or passed on: images and random states are bytes as well. Where `1 - mask` certainly fails but
    its result is used in such a way, where a mask is negated or subtracted from, where it is given
    to `argmax` and other functions that bool has not, where `~` inverts bits in a file of unknown
    age, where masks are added up in an old one, and where an array of `uint8` is an index in one
    for torch 1.0, a finding says what to write; as where a parameter, or a part of one, is the mask
    of `masked_fill` and the like in a project that makes masks of `uint8`, unless all calls of the
    function show what they pass.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.2.0
    - https://pytorch.org/docs/stable/generated/torch.Tensor.masked_fill_.html
    """

    code = "TP405"
    name = "byte-mask"
    since = "1.2"
    numerics = Numerics.RESTORED
    words = MASKED | METHODS | MASK_NAMES | _NUMBERS_ONLY | {"where", "byte", "torch"}
    message = "masks are bool, not uint8: .bool() for .byte(), ~mask for 1 - mask"

    def find_BinOp(self, node: ast.BinOp, facts: Facts) -> Iterator[Found]:
        is_sum = isinstance(node.op, ast.Add) and _counts_masks(node, facts)
        if is_sum and not is_asked(facts, node) and not only_selects(facts, node):
            yield self.advice(node, _COUNTED.format(_as_operand(first_of(node), "a")))
        if isinstance(node.op, ast.Sub) and _subtracts_masks(node, facts):
            masks = _as_operand(node.left, "a"), _as_operand(node.right, "b")
            yield self.advice(node, _LESS_ANOTHER.format(*masks))
            return
        if isinstance(node.op, ast.Sub) and isinstance(node.right, ast.Constant):
            yield from self._find_negative(node, node.left, facts)
        if isinstance(node.op, (ast.Add, ast.Sub)) and facts.remembered(
            "numpy()", _has_arrays(facts)
        ):
            yield from self._find_arrays(node, facts)
        if inverted(node) != "1 - x" or not is_bool(facts, node.right):
            return
        if places_of_mask(facts, node) is None and not _is_stored_in_tensor(facts, node):
            yield self.advice(node, _NOT_SUBTRACTED)
        else:
            yield self.found(node, change="invert", operand="as is")

    def _find_arrays(self, node: ast.BinOp, facts: Facts) -> Iterator[Found]:
        """``a.numpy() - b.numpy()`` of masks, which were arrays of bytes."""
        if not all(is_array_of_mask(facts, side) for side in (node.left, node.right)):
            return
        first = _as_operand(node.left, "a")
        if isinstance(node.op, ast.Sub):
            yield self.advice(node, _ARRAYS_LESS.format(first))
        elif facts.era_of(node).before((1, 2)):
            yield self.advice(node, _ARRAYS_COUNTED.format(first))

    def find_UnaryOp(self, node: ast.UnaryOp, facts: Facts) -> Iterator[Found]:
        if isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
            yield from self._find_negative(node, node.operand, facts)
        if isinstance(node.op, ast.Invert) and _place_above(facts, node) is None:
            operand = node.operand
            if is_uint8(facts, operand) and not _is_renamed_before(facts, core_of(operand)):
                yield from self._find_bits(node, facts)

    def _find_bits(self, node: ast.expr, facts: Facts) -> Iterator[Found]:
        """``~mask`` of uint8, which was ``1 - mask`` until torch 1.2."""
        if facts.era_of(node).before((1, 2)):
            yield self.found(node, _WAS_LESS, numerics=Numerics.PINNED, change="subtract")
        elif _place_above(facts, node) is not None or _is_made_as_mask(operand_of(node), facts):
            yield self.advice(node, _BITS)

    def _find_negative(self, node: ast.expr, mask: ast.expr, facts: Facts) -> Iterator[Found]:
        """``-mask`` and ``mask - 1``, which gave bytes."""
        if _is_like_mask(mask, facts) and is_bool(facts, mask):
            told = _NEGATIVE if isinstance(node, ast.UnaryOp) else _LESS_NUMBER
            yield self.advice(node, told.format(_as_operand(mask, "mask")))

    def find_AugAssign(self, node: ast.AugAssign, facts: Facts) -> Iterator[Found]:
        """``mask[:, 0] += 1``, which no tensor of bool can hold, and ``mask += mask``."""
        if _adds_mask_in_place(node, facts):
            yield self.advice(node, _COUNTED.format(facts.segment(node.target)))
            return
        number = node.value.value if isinstance(node.value, ast.Constant) else None
        if type(number) not in (int, float):
            return
        part = node.target
        mask = part.value if isinstance(part, ast.Subscript) else part
        if isinstance(mask, ast.Name) and is_comparison(facts, mask) and facts.is_tensor(mask):
            more = _SELECT_MORE.format(worded(part, "mask[…]")) if part is not mask else ""
            yield self.advice(node, _TAKES_NO_NUMBER + more)

    def find_Compare(self, node: ast.Compare, facts: Facts) -> Iterator[Found]:
        if isinstance(node.left, (ast.Name, ast.BinOp)):
            yield from self._find_sum(node, facts)

    def _find_sum(self, node: ast.Compare | ast.Call, facts: Facts) -> Iterator[Found]:
        """``(x > a) + (x < b) == 2``, which no element of bool is."""
        found = asked_sum(facts, node)
        if found is None:
            return
        code = facts.segment(node)
        sign = {"all": "&", "one": "^", "count": "+"}[found.asked]
        if found.asked == "count" or not facts.era_of(node).before((1, 2)) or "#" in code:
            instead = _joined(found.masks, sign)
            yield self.advice(node, _NO_NUMBER.format(instead))
        else:
            binds = isinstance(facts.parent(node), _BINDING) and isinstance(node, ast.Call)
            keeps = binds or "\n" in code
            claim = Numerics.PINNED
            yield self.found(node, numerics=claim, change="sum", sign=sign, keeps=keeps)

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if isinstance(call.func, ast.Attribute) and call.func.attr in METHODS:
            yield from self._find_sum(call, facts)
        if _is_renamed(facts, call):
            places = places_of_mask(facts, call) or []
            yield self.found(call, numerics=_claim(*places), change="rename")
            return
        method = call.func.attr if isinstance(call.func, ast.Attribute) else None
        if method in MASKED or method == "where":
            masks = [*call.args[:2], argument(call, None, "mask")]
            for mask in masks:
                if mask is not None:
                    yield from self._find_mask(mask, facts)
        if method in _NUMBERS_ONLY:
            yield from self._find_not_of_bool(call, method, facts)
        for mask in attention_masks(facts, call):
            yield from self._find_uint8(mask, core_of(mask), "masked", facts)

    def _find_not_of_bool(self, call: ast.Call, method: str, facts: Facts) -> Iterator[Found]:
        """``(x > 0).argmax(1)``, which is not defined."""
        assert isinstance(call.func, ast.Attribute)
        mask = call.func.value
        if facts.name(call.func) == f"torch.{method}":
            mask = argument(call, 0, "input") or mask
        if is_bool(facts, mask):
            yield self.advice(call, _NOT_OF_BOOL.format(method, _as_operand(mask, "mask")))

    def find_Subscript(self, node: ast.Subscript, facts: Facts) -> Iterator[Found]:
        if facts.era_of(node).before((1, 1)):
            yield from self._find_indices(node, facts)
        makes_bytes = facts.remembered("uint8", lambda: any(w in facts.text for w in _MAKERS))
        if not makes_bytes and not isinstance(node.ctx, ast.Store):
            return
        for index in _indices(node):
            if not (isinstance(index, (ast.Constant, ast.Slice)) or _is_negative(index)):
                yield from self._find_mask(index, facts)

    def _find_indices(self, node: ast.Subscript, facts: Facts) -> Iterator[Found]:
        """``x[np.array([1, 0, 1], dtype=np.uint8)]``, and ``x[(y > 0).numpy()]``."""
        for index in _indices(node):
            if _was_array_of_bytes(index, facts) and facts.is_tensor(node.value):
                yield self.advice(index, _WAS_INDICES.format(_as_operand(index, "index")))

    def _find_mask(self, mask: ast.expr, facts: Facts) -> Iterator[Found]:
        place = place_of(facts, mask)
        if place is None:
            return
        core = core_of(mask)
        if inverted(core) is not None:
            yield from self._find_inverted(mask, core, place, facts)
        else:
            yield from self._find_uint8(mask, core, place, facts)

    def _find_uint8(
        self, mask: ast.expr, core: ast.expr, place: Place, facts: Facts
    ) -> Iterator[Found]:
        is_settled = _is_renamed_before(facts, core)
        bits = None if is_settled or is_bool(facts, mask) else _inverted_bits(facts, core)
        if bits is not None:
            # Where it is rewritten itself, what comes of it is seen afterwards.
            if not facts.era_of(bits).before((1, 2)) and _may_be_uint8(facts, mask):
                yield self.advice(bits, _BITS)
        elif place == "masked" and _holds_integers(facts, mask):
            yield self.found(mask, _OF_INTEGERS, change="append")
        elif is_uint8(facts, mask) and not is_settled:
            if place != "read" or not _indexes_something_else(facts, core):
                yield self.found(mask, numerics=_claim(place), change="append")
        elif place == "masked" and _is_uint8_on_a_way(facts, core):
            yield self.found(mask, numerics=_claim(place), change="append")
        elif place != "read" and (given := _given_by_all_calls(facts, mask)) in ("bool", "uint8"):
            if given == "uint8":
                yield self.found(mask, numerics=_claim(place), change="append")
        elif (place == "masked" and _may_come_as_uint8(facts, mask)) or (
            # On another way it may hold indices.
            place == "stored" and _is_uint8_on_a_way(facts, core)
        ):
            yield self.advice(mask, _MAY_BE_BYTES.format(worded(mask, "mask")))

    def _find_inverted(
        self, mask: ast.expr, core: ast.expr, place: Place, facts: Facts
    ) -> Iterator[Found]:
        how, operand = inverted(core), operand_of(core)
        if is_bool(facts, operand) or (place == "masked" and is_comparison(facts, operand)):
            if how == "x ^ 1" and place != "masked":
                yield self._pinned(core, "as is", _INDEX, facts)
            elif how == "x ^ 1" or (how == "1 - x" and not is_bool(facts, operand)):
                yield self.found(core, change="invert", operand="as is")
        elif is_byte(facts, operand) and holds_zeros_and_ones(facts, operand):
            taken = _without_byte(facts, operand)
            if how == "~x" and place == "read":
                yield self._pinned(core, taken, _BITS, facts)
            else:
                yield self.found(core, numerics=_claim(place), change="invert", operand=taken)
        elif place == "masked" and how != "~x" and _may_be_uint8(facts, operand):
            yield self.found(core, change="invert", operand="cast")
        elif is_uint8(facts, operand):
            if how == "~x" and place == "masked":
                yield self.found(core, change="invert", operand="cast")
            elif how == "~x":
                yield from self._find_bits(core, facts)
            else:
                yield self.found(mask, numerics=_claim(place), change="append")

    def _pinned(self, node: ast.expr, operand: str, advice: str, facts: Facts) -> Found:
        """What runs today with other numbers, and so is rewritten in old files only."""
        if not facts.era_of(node).before((1, 2)):
            return self.advice(node, advice)
        return self.found(node, numerics=Numerics.PINNED, change="invert", operand=operand)

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        return _changed(updated, self.data)

    def leave_BinaryOperation(
        self, original: cst.BinaryOperation, updated: cst.BinaryOperation
    ) -> cst.BaseExpression:
        return _changed(updated, self.data)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        return _changed(updated, self.data)

    def leave_Comparison(
        self, original: cst.Comparison, updated: cst.Comparison
    ) -> cst.BaseExpression:
        return _changed(updated, self.data)

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        return _changed(updated, self.data)

    def leave_Subscript(
        self, original: cst.Subscript, updated: cst.Subscript
    ) -> cst.BaseExpression:
        return _changed(updated, self.data)

    def leave_UnaryOperation(
        self, original: cst.UnaryOperation, updated: cst.UnaryOperation
    ) -> cst.BaseExpression:
        return _changed(updated, self.data)


def _joined(masks: Sequence[ast.expr], sign: str) -> str:
    """What to write for a sum of masks, in a message."""
    if sign == "+":
        first = worded(masks[0], "a")
        is_simple = isinstance(masks[0], _SIMPLE)
        return f"{first if is_simple else f'({first})'}.int() + … to count"
    texts = [ast.unparse(mask) for mask in masks]
    text = f" {sign} ".join(
        f"({text})" if isinstance(mask, (ast.Compare, ast.BinOp)) else text
        for mask, text in zip(masks, texts, strict=True)
    )
    return text if len(text) <= LONGEST else f"a {sign} b"


def _counts_masks(node: ast.BinOp, facts: Facts) -> bool:
    """``mask + mask`` that may be used as a count, in a file that may be older than 1.2."""
    if facts.era_of(node).needs((1, 2)) or not _adds_masks(node, facts):
        return False
    asked = facts.parent(node)
    if isinstance(asked, ast.BinOp) and isinstance(asked.op, ast.Add) and _adds_masks(asked, facts):
        # What is asked of the sum of them all.
        return False
    return places_of_mask(facts, node, tells_truth) is None


def _adds_masks(node: ast.BinOp, facts: Facts) -> bool:
    # Sums are everywhere: what they are is asked only of what is written like a mask.
    return (
        _is_like_mask(node.right, facts)
        and is_bool(facts, node.right)
        and (is_bool(facts, node.left) or _is_sum_of_masks(node, facts))
    )


def _adds_mask_in_place(node: ast.AugAssign, facts: Facts) -> bool:
    """``mask += x > 1``, which counted in an old file."""
    if not isinstance(node.op, ast.Add) or not isinstance(node.target, ast.Name):
        return False
    if not facts.era_of(node).before((1, 2)) or not _is_like_mask(node.value, facts):
        return False
    before = facts.flow.reaching_before(node, node.target.id)
    return (
        bool(before)
        and is_bool(facts, node.value)
        and all(
            isinstance(value := facts.inference.bound(binding), Tensor) and value.dtype == "bool"
            for binding in before
        )
        and places_of_binding(facts, node.target, tells_truth) is None
    )


def _has_arrays(facts: Facts) -> Callable[[], bool]:
    return lambda: ".numpy()" in facts.text


def _holds_integers(facts: Facts, mask: ast.expr) -> bool:
    """Whether a mask is certainly of whole numbers other than bytes."""
    value = facts.value(mask)
    return isinstance(value, Tensor) and value.dtype in _INTEGERS


def _is_stored_in_tensor(facts: Facts, node: ast.expr) -> bool:
    """``x[i] = node`` of tensors, which have one dtype whatever is stored."""
    statement = facts.parent(node)
    return (
        isinstance(statement, ast.Assign)
        and statement.value is node
        and all(
            isinstance(target, ast.Subscript) and facts.is_shown_tensor(target.value)
            for target in statement.targets
        )
    )


def _subtracts_masks(node: ast.BinOp, facts: Facts) -> bool:
    """``(x == y) - eye.byte()``, where one side is of bool today, and the other is a mask, too."""
    sides = (node.left, node.right)
    # Differences are everywhere as well.
    if not any(_is_like_mask(side, facts) for side in sides):
        return False
    masks = [is_bool(facts, side) for side in sides]
    return any(masks) and all(
        mask or is_uint8(facts, side) for mask, side in zip(masks, sides, strict=True)
    )


def _as_operand(mask: ast.expr, short: str) -> str:
    """A mask as it can be written before or behind an operator; ``short`` where it is long."""
    text = worded(mask, short)
    return text if isinstance(mask, _SIMPLE) or text == short else f"({text})"


def _is_like_mask(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression, or what a name is assigned, compares or combines masks."""
    if isinstance(node, ast.Name):
        values = [binding.value for binding in facts.flow.reaching(node)]
        return any(_is_like_mask(v, facts) for v in values if v and not isinstance(v, ast.Name))
    if isinstance(node, ast.Call):
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        # torch.tensor([True, False]) was of bytes, too.
        return (
            method == "tensor"
            or torch_effects.compares(method)
            or method.startswith(("logical_", "bool", "is", "all", "any"))
        )
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor))
    return isinstance(node, (ast.Compare, ast.UnaryOp))


def _is_made_as_mask(node: ast.expr, facts: Facts) -> bool:
    """Whether uint8 holds a mask: a comparison, or zeros to fill; images are bytes as well."""
    if facts.era_of(node).needs((1, 2)):
        return False
    core = core_of(node)
    made = (facts.assigned(core) or []) if isinstance(core, ast.Name) else [core]
    return bool(made) and all(
        holds_zeros_and_ones(facts, value)
        or any(isinstance(part, ast.Attribute) and part.attr in _FILLED for part in ast.walk(value))
        for value in made
    )


def _is_sum_of_masks(node: ast.BinOp, facts: Facts) -> bool:
    """``total`` of ``total = total + mask``, which began as a mask."""
    if not isinstance(node.left, ast.Name):
        return False
    values = [binding.value for binding in facts.flow.reaching(node.left)]
    first = [v for v in values if v is not None and node not in ast.walk(v)]
    masks = [v for v in first if not isinstance(facts.value(v), NoneValue)]
    return (
        None not in values
        and bool(masks or len(first) < len(values))
        and all(is_bool(facts, v) for v in masks)
    )


def _may_come_as_uint8(facts: Facts, mask: ast.expr) -> bool:
    """Whether a mask comes from elsewhere, in a project that makes masks of uint8."""
    if facts.era_of(mask).needs((1, 2)) or not _may_be_uint8(facts, mask):
        return False
    given = _given_behind(facts, whole_of(mask))
    return any(map(facts.is_mentioned, ("ByteTensor", "uint8", "byte"))) and (
        bool(given) and not any(_is_asked_for_bool(facts, given_as) for given_as in given)
    )


def _is_asked_for_bool(facts: Facts, name: ast.expr) -> bool:
    """Whether the code knows masks of both kinds: ``if mask.dtype == torch.bool``."""
    if not isinstance(name, ast.Name):
        return False
    for use in facts.names.scope_of(name).uses.get(name.id, ()):
        asked = facts.parent(use)
        compared = facts.parent(asked) if isinstance(asked, ast.Attribute) else None
        if isinstance(asked, ast.Attribute) and asked.attr == "dtype":
            if isinstance(compared, ast.Compare) and any(
                getattr(part, "attr", "") == "bool" for part in compared.comparators
            ):
                return True
    return False


def _is_uint8_on_a_way(facts: Facts, core: ast.expr, depth: int = 0) -> bool:
    """Whether one of the values that a name may hold is a mask of uint8, as old masks all were."""
    if not isinstance(core, ast.Name) or _is_renamed_before(facts, core):
        return False
    values = [
        binding.value
        for binding in facts.flow.reaching(core)
        if binding.kind == "assign" and not binding.path and binding.value is not None
    ]
    return any(is_uint8(facts, value) for value in values) or (
        depth < _LONGEST_CHAIN
        and any(_is_uint8_on_a_way(facts, core_of(value), depth + 1) for value in values)
    )


def _given_by_all_calls(facts: Facts, mask: ast.expr) -> str | None:
    """The dtype of a mask that is a parameter, by all calls of its function in the project."""
    if not _may_be_uint8(facts, mask) or not any(map(facts.is_mentioned, _MAKERS)):
        return None
    dtypes = {
        value.dtype if isinstance(value, Tensor) else None
        for given in _given_behind(facts, whole_of(mask))
        for value in [value_by_all_calls(given, facts)]
    }
    return dtypes.pop() if len(dtypes) == 1 else None


def _given_behind(facts: Facts, core: ast.expr, depth: int = 0) -> list[ast.expr]:
    """The parameters that a mask is made of, or what keeps them; none where any is none of these.

    ``mask`` of ``part = mask[i].view(-1, 1)`` for ``part``, of ``1 - mask``, and ``self.mask`` that
    a method was given.
    """
    if inverted(core) == "1 - x":
        return _given_behind(facts, whole_of(operand_of(core)), depth)
    if depth > _LONGEST_CHAIN:
        return []
    if isinstance(core, ast.Attribute):
        return [core] if _keeps_what_is_given(facts, core, depth + 1) else []
    if not isinstance(core, ast.Name):
        return []
    found: list[ast.expr] = []
    for binding in facts.flow.reaching(core):
        if binding.kind == "parameter":
            found.append(core)
            continue
        is_assigned = binding.kind == "assign" and not binding.path and binding.value is not None
        value = whole_of(binding.value) if is_assigned and binding.value is not None else None
        behind = [] if value is None else _given_behind(facts, value, depth + 1)
        if not behind:
            return []
        found += behind
    return found


def _keeps_what_is_given(facts: Facts, kept: ast.Attribute, depth: int) -> bool:
    """Whether ``self.mask`` is what a method was given, a part or layout of it.

    ``self.mask = mask``, and ``self.mask = self.mask.t()`` of what it was given before.
    """
    method = facts.names.enclosing_function(kept)
    owner = facts.parent(method) if isinstance(method, ast.FunctionDef) else None
    if not isinstance(owner, ast.ClassDef) or not isinstance(method, ast.FunctionDef):
        return False
    if not isinstance(kept.value, ast.Name) or kept.value.id != facts.classes.self_name(method):
        return False
    values = [b.value for b in facts.classes.attribute_sources(owner, kept.attr) if not b.path]
    given = [v for v in values if v is not None and not isinstance(facts.value(v), NoneValue)]
    others = [core for core in map(whole_of, given) if ast.dump(core) != ast.dump(kept)]
    return bool(others) and all(_given_behind(facts, core, depth) for core in others)


def _indices(node: ast.Subscript) -> Sequence[ast.expr]:
    """The index of each dimension."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _was_array_of_bytes(index: ast.expr, facts: Facts) -> bool:
    """Whether an index was certainly an array of uint8 in torch 1.0, whose masks were of that."""
    is_of_bytes = dtype_of_array(facts.inference, index) == "uint8"
    return is_of_bytes or is_array_of_mask(facts, index)


def _is_negative(index: ast.expr) -> bool:
    return isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub)


def _changed(node: cst.BaseExpression, data: Mapping[str, Any]) -> cst.BaseExpression:
    if data["change"] == "append":
        return _cast(node)
    if data["change"] == "sum":
        return _combined(node, data["sign"], data["keeps"])
    if data["change"] == "rename":
        return _with_method(node, "bool")
    operand = _operand(node)
    if operand is None:
        return node
    if data["change"] == "subtract":
        return _less(operand)
    if data["operand"] == "without byte":
        operand = _receiver(operand)
    elif data["operand"] == "byte as bool":
        operand = _with_method(operand, "bool")
    elif data["operand"] == "cast":
        operand = _cast(operand)
    return cst.UnaryOperation(cst.BitInvert(), as_operand(operand))


def _less(operand: cst.BaseExpression) -> cst.BinaryOperation:
    """``1 - mask`` for ``~mask``."""
    return cst.BinaryOperation(cst.Integer("1"), cst.Subtract(), operand)


def _combined(node: cst.BaseExpression, sign: str, keeps: bool) -> cst.BaseExpression:
    """``a & b`` for ``(a + b) == 2`` or ``(a + b).eq(2)``."""
    total = node.left if isinstance(node, cst.Comparison) else _receiver(node)
    if not isinstance(total, cst.BinaryOperation):
        return node
    new = with_operator(total, cst.BitAnd if sign == "&" else cst.BitXor)
    if keeps and not node.lpar:
        return new
    return new.with_changes(lpar=node.lpar, rpar=node.rpar)


def _claim(*places: Place) -> Numerics:
    """An index and ``torch.where`` still take uint8; all else fails today."""
    return Numerics.IDENTICAL if set(places) == {"read"} else Numerics.RESTORED


def _is_renamed(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is a ``.byte()`` that becomes ``.bool()``: only masks come of it."""
    if not (isinstance(node, ast.Call) and is_byte(facts, node)):
        return False
    return holds_zeros_and_ones(facts, node) and bool(places_of_mask(facts, node))


def _is_renamed_before(facts: Facts, node: ast.expr) -> bool:
    """Whether the ``.byte()`` that makes a mask becomes ``.bool()`` where it stands."""
    if isinstance(node, ast.Name):
        values = [binding.value for binding in facts.flow.reaching(node)]
        return any(v is not None and _is_renamed(facts, core_of(v)) for v in values)
    return _is_renamed(facts, node)


def _indexes_something_else(facts: Facts, mask: ast.expr) -> bool:
    """Whether a mask that still works is an index of what may be no tensor, too: all or none."""
    if not isinstance(mask, ast.Name):
        return False
    return any(
        isinstance(parent := facts.parent(use), ast.Subscript)
        and parent.slice is use
        and place_of(facts, use) is None
        for use in facts.names.uses_of(facts.names.scope_of(mask), mask.id)
    )


def _inverted_bits(facts: Facts, node: ast.expr, depth: int = 0) -> ast.expr | None:
    """The ``~`` of uint8 that a mask comes of, through names: it leaves every element true."""
    for part in ast.walk(node):
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Invert):
            if is_uint8(facts, part.operand):
                return part
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and depth < _LONGEST_CHAIN:
            for binding in facts.flow.reaching(part):
                value = binding.value
                bits = None if value is None else _inverted_bits(facts, value, depth + 1)
                if bits is not None:
                    return bits
    return None


def _place_above(facts: Facts, node: ast.expr) -> Place | None:
    """The place for a mask that a value stands at, also in another layout: ``(~m).view(-1)``."""
    top = node
    above = facts.parent(top)
    while isinstance(above, (ast.Attribute, ast.Call, ast.Subscript)) and core_of(above) is node:
        top, above = above, facts.parent(above)
    return place_of(facts, top)


def _may_be_uint8(facts: Facts, node: ast.expr) -> bool:
    """Whether a tensor can be the uint8 that ``masked_fill`` and the like once asked for."""
    value = facts.value(node)
    if isinstance(value, Tensor) and value.dtype is not None:
        return value.dtype == "uint8"
    return isinstance(value, (Tensor, Unknown))


def _without_byte(facts: Facts, byte: ast.expr) -> str:
    """What to take of ``x.byte()`` for ``~``: x where that is of bool, else ``x.bool()``."""
    assert isinstance(byte, ast.Call) and isinstance(byte.func, ast.Attribute)
    source = byte.func.value
    return (
        "without byte" if is_bool(facts, source) or is_comparison(facts, source) else "byte as bool"
    )


def _operand(node: cst.BaseExpression) -> cst.BaseExpression | None:
    if isinstance(node, cst.UnaryOperation):
        return node.expression
    if isinstance(node, cst.BinaryOperation):
        return node.right if isinstance(node.operator, cst.Subtract) else node.left
    return None


def _receiver(node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return node.func.value
    return node


def _with_method(node: cst.BaseExpression, method: str) -> cst.BaseExpression:
    if not (isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)):
        return node
    return node.with_changes(func=node.func.with_changes(attr=cst.Name(method)))


def _cast(node: cst.BaseExpression) -> cst.BaseExpression:
    return cst.Call(cst.Attribute(value=as_operand(node), attr=cst.Name("bool")))
