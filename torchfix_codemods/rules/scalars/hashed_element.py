"""`set(x)`, `x[i] in seen`, `d.get(x[i])`: elements of tensors are hashed as objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import line_named
from torchfix_codemods.facts.values.lattice import NoneValue, Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.questions.keys import collected
from torchfix_codemods.rules.scalars.questions.element_names import (
    KeptName,
    filled_by,
    kept_by_name,
)
from torchfix_codemods.rules.scalars.questions.elements import (
    asked_by_hash,
    is_element,
    is_kept_element,
    is_new_element,
    listed_elements,
    listing_elements,
    looked_up_by,
    named_elements,
)
from torchfix_codemods.text.wording import listed, other_lines, worded, worded_operand

_LOST = "{} is a tensor, hashed by identity, which no dict or set finds"
_GIVEN = "{} is a tensor, hashed by identity, which {} does not find"
_LOST_ALIKE = "{} is a tensor, hashed by identity: equal ones stay apart in a set"
_APART = "elements of {} are tensors, hashed by identity: equal ones stay apart"
_LOST_ALL = "elements of {} are tensors, hashed by identity, which no dict or set finds"
_NOT_SAME = "an element of a tensor is a new tensor each time it is taken, and is no other object"


class HashedElement(Rule):
    """
    ## What it does
    Finds elements of tensors by which a dict or a set is asked, of which a set is made, or that
    `Counter` counts, and those that are compared by `is`. A list or a dict may have kept them for
    the set.

    ## Why
    An element of a tensor is a tensor, made anew each time, and tensors are hashed by their
    identity. So `x[i] in seen` is false whatever `seen` holds, `d.get(x[i])` gives the default,
    `d[x[i]]` raises `KeyError`, and `set(x)` has as many elements as x. Until torch 0.3 what was no
    Variable gave numbers.

    ## Example
    ```python
    classes = set(labels)
    if labels[0] in names:
        print(names[labels[0]])
    ```
    is reported where `labels` is a tensor: write
    ```python
    classes = set(labels.tolist())
    if labels[0].item() in names:
        print(names[labels[0].item()])
    ```
    Where a name is asked by and then put in, as by `if i in seen: … else: seen.add(i)`, that is
    told once, where the name gets its value. Where the dict or set is filled by other elements
    of tensors, these are told beside it: numbers alone would not find them.

    ## Numbers
    Nothing is rewritten. Where a dict or a set holds nothing but numbers, TP103 writes `.item()`,
    and where the elements were numbers until torch 0.3, TP103 and TP124 do.

    ## When it stays its hand
    Where it is not certain that what is asked by is an element of a tensor, and that a dict or a
    set is asked. Of a name by which something is stored, or that is put into a list, the very
    object may be found again. Of an element that a function is given it is certain which function
    that is, and that it asks a dict by it. A list compares by `==`: `x[i] in [1, 2]` is right.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.Tensor.item.html
    - https://github.com/pytorch/pytorch/blob/v2.0.0/torch/_tensor.py (`Tensor.__hash__`)
    """

    code = "TP431"
    name = "hashed-element"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = frozenset({"Counter", "frozenset", "set", "torch"}) | container_methods.asking()
    message = "elements of tensors are hashed by identity, so that no dict or set finds them"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        yield from self._find_key(call, facts)
        for element in listed_elements(facts, call):
            yield self.advice(element, _told(_LOST_ALIKE, element, facts))
        listing = listing_elements(facts, call)
        if listing is not None:
            yield self.advice(call, _APART.format(worded(listing, "this list")))
        tensor = collected(facts, call)
        if tensor is not None:
            named, value = worded(tensor, ""), facts.value(tensor)
            may_be_vector = isinstance(value, Tensor) and value.ndim in (None, 1)
            numbers = f"{worded_operand(tensor, '')}.tolist()"
            instead = f": write {facts.segment(call.func)}({numbers})"
            told = _APART.format(named or "this tensor")
            yield self.advice(call, told + instead if named and may_be_vector else told)

    def find_SetComp(self, node: ast.SetComp, facts: Facts) -> Iterator[Found]:
        if is_kept_element(facts, node.elt):
            yield self.advice(node.elt, _told(_LOST_ALIKE, node.elt, facts))

    def find_Subscript(self, node: ast.Subscript, facts: Facts) -> Iterator[Found]:
        yield from self._find_key(node, facts)
        if isinstance(facts.parent(node), (ast.Call, ast.keyword)):
            yield from self._find_given(node, facts)

    def find_For(self, node: ast.For, facts: Facts) -> Iterator[Found]:
        for element in named_elements(facts, node):
            yield from self._find_given(element, facts)

    def find_comprehension(self, node: ast.comprehension, facts: Facts) -> Iterator[Found]:
        for element in named_elements(facts, node):
            yield from self._find_given(element, facts)

    def find_Compare(self, node: ast.Compare, facts: Facts) -> Iterator[Found]:
        yield from self._find_key(node, facts)
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return
        sides = [node.left, node.comparators[0]]
        elements = [s for s in sides if isinstance(s, ast.Subscript) and is_element(facts, s)]
        if elements and not any(isinstance(facts.value(side), NoneValue) for side in sides):
            sign = "==" if isinstance(node.ops[0], ast.Is) else "!="
            texts = [worded(side, "") for side in sides]
            is_named = all(texts) and all(_may_be_number(facts, each) for each in elements)
            told = f": write {texts[0]} {sign} {texts[1]}" if is_named else ""
            yield self.advice(node, _NOT_SAME + told)

    def _find_key(self, asking: ast.expr, facts: Facts) -> Iterator[Found]:
        key = asked_by_hash(facts, asking)
        if key is None:
            return
        if not is_new_element(facts, key):
            return
        named = kept_by_name(facts, key)
        if named is None:
            filled = filled_by(facts, asking)
            yield self.advice(key, _told(_LOST, key, facts) + _filled(filled, key, facts))
        elif named.asked[0] is key:
            yield self.advice(named.source, _told_of_name(named, key, facts))

    def _find_given(self, element: ast.expr, facts: Facts) -> Iterator[Found]:
        asked = looked_up_by(facts, element)
        if asked is not None:
            line = line_named(asked.node, asked.facts, facts)
            told = _GIVEN.format(worded(element, "this element"), line)
            yield self.advice(element, told + _instead(element, facts))


def _told(message: str, element: ast.expr, facts: Facts) -> str:
    return message.format(worded(element, "this element")) + _instead(element, facts)


def _told_of_name(named: KeptName, key: ast.expr, facts: Facts) -> str:
    """What is said of a name by which a dict is asked and filled: of the value that it gets."""
    if not named.is_loop:
        return _told(_LOST, named.source, facts)
    told = _LOST_ALL.format(worded(named.source, "this tensor"))
    numbers = f"{worded_operand(named.source, '')}.tolist()"
    if not _may_be_number(facts, key):
        return told
    if named.may_be_numbers and worded(named.source, ""):
        return f"{told}: write {numbers}"
    lines = sorted({facts.origin(use.lineno) for use in (*named.asked, *named.stored)})
    return f"{told}: in {other_lines(lines)} write {worded(key, '')}.item()"


def _filled(filled: list[ast.expr], key: ast.expr, facts: Facts) -> str:
    """What is said of the tensors by which a dict is filled, beside the one it is asked by."""
    if not filled:
        return ""
    if not _instead(key, facts) or not all(_instead(each, facts) for each in filled):
        lines = sorted({facts.origin(each.lineno) for each in filled})
        return f"; it is filled by tensors as well, in {other_lines(lines)}"
    parts = dict.fromkeys(
        f"{worded(each, '')}.item() in line {facts.origin(each.lineno)}" for each in filled
    )
    return f", and {listed(parts)}, where it is filled"


def _instead(element: ast.expr, facts: Facts) -> str:
    """What gives the number; nothing of a row, which none stands for."""
    named = worded_operand(element, "")
    return f": write {named}.item()" if named and _may_be_number(facts, element) else ""


def _may_be_number(facts: Facts, element: ast.expr) -> bool:
    value = facts.value(element)
    return not isinstance(value, Tensor) or value.ndim in (None, 0)
