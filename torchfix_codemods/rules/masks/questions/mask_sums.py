"""Sums of masks, which counted until torch 1.2, and are masks themselves since."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.comparisons import COMPARES
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.layouts import core_of
from torchfix_codemods.record import record
from torchfix_codemods.rules.masks.questions.mask_wants import place_of
from torchfix_codemods.rules.masks.questions.masks import is_bool, is_comparison
from torchfix_codemods.text.wording import LONGEST, SIMPLE, worded

Asked = Literal["all", "one", "count"]
"""What is asked of a sum of masks: whether all hold, one of two does, or how many do."""

_METHODS: dict[str, type[ast.cmpop]] = {
    "eq": ast.Eq,
    "ne": ast.NotEq,
    "gt": ast.Gt,
    "ge": ast.GtE,
    "lt": ast.Lt,
    "le": ast.LtE,
}

METHODS = frozenset(_METHODS)


@record
class AskedSum:
    """A sum of masks that is compared with a number, where bool gives another answer."""

    asked: Asked
    masks: tuple[ast.expr, ...]
    total: ast.expr
    """What is compared: the sum, or a name for it."""
    is_passed: bool = False
    """Whether something hands the sum on before it is compared: ``(a + b).detach() > 1``."""


def asked_sum(facts: Facts, node: ast.Compare | ast.Call) -> AskedSum | None:
    """The sum of ``(a > 0) + (b > 0) == 2`` or ``(a + b).eq(2)``; None where bool does as well."""
    compared = _compared(node)
    if compared is None:
        return None
    given, asks, number = compared
    total = core_of(given)
    masks = summed(facts, total)
    if masks is None or not _are_masks(facts, node, masks):
        return None
    answers = [asks(count, number) for count in range(len(masks) + 1)]
    if _are_those_of_bool(answers):
        return None
    is_sum = isinstance(total, ast.BinOp) and all(_is_truth(facts, mask) for mask in masks)
    return AskedSum(_meaning(answers) if is_sum else "count", masks, total, total is not given)


def _are_those_of_bool(answers: list[bool]) -> bool:
    """Whether the answers for 0, 1, 2, … masks that hold do not tell one from more of them."""
    return len(set(answers[1:])) == 1


def _are_masks(facts: Facts, node: ast.expr, masks: tuple[ast.expr, ...]) -> bool:
    """Whether what is summed is of bool: certainly, or as comparisons of what shows as a tensor."""
    if all(is_bool(facts, mask) for mask in masks):
        return True
    return _shows_tensor(facts, node) and all(
        isinstance(mask, ast.Compare) and _is_truth(facts, mask) for mask in masks
    )


def _shows_tensor(facts: Facts, node: ast.expr) -> bool:
    """``(…).nonzero().view(-1)``: an array's ``nonzero()`` is a tuple, which has no such thing."""
    method = facts.parent(node)
    if not (isinstance(method, ast.Attribute) and method.attr == "nonzero"):
        return False
    call = facts.parent(method)
    asked = facts.parent(call) if isinstance(call, ast.Call) and not call.args else None
    return isinstance(asked, ast.Attribute) and asked.attr not in dir(tuple)


def _meaning(answers: list[bool]) -> Asked:
    """What the answers for 0, 1, 2, … masks that hold say together."""
    if answers[-1] and not any(answers[:-1]):
        return "all"
    return "one" if answers == [False, True, False] else "count"


def _compared(
    node: ast.Compare | ast.Call,
) -> tuple[ast.expr, Callable[[int, float], bool], float] | None:
    if isinstance(node, ast.Compare):
        asked, left, right = type(node.ops[0]), node.left, node.comparators
    elif isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS and not node.keywords:
        asked, left, right = _METHODS[node.func.attr], node.func.value, node.args
    else:
        return None
    number = constant(right[0]) if len(right) == 1 else None
    if not isinstance(number, (int, float)) or isinstance(number, bool):
        return None
    if asked not in COMPARES:
        return None
    return left, COMPARES[asked], number


def summed(facts: Facts, total: ast.expr) -> tuple[ast.expr, ...] | None:
    """The masks of ``a + b + c``, or of a name for that."""
    if isinstance(total, ast.Name):
        values = facts.assigned(total) or []
        if len(values) != 1 or not isinstance(values[0], ast.BinOp):
            return None
        total = values[0]
    masks: list[ast.expr] = []
    while isinstance(total, ast.BinOp) and isinstance(total.op, ast.Add):
        masks.insert(0, total.right)
        total = total.left
    return (total, *masks) if masks else None


def _is_truth(facts: Facts, node: ast.expr) -> bool:
    """Whether a mask held nothing but 0 and 1 in old torch, too: no sum, and no ``~`` of bits."""
    return come_from([Place(facts, node)], _before_truth)


def _before_truth(place: Place) -> Iterable[Place] | None:
    core = core_of(place.node)
    if is_comparison(place.facts, core):
        return () if not place.content else None
    if isinstance(core, ast.BinOp):
        is_joined = isinstance(core.op, (ast.BitAnd, ast.BitOr, ast.BitXor))
        return [Place(place.facts, side) for side in (core.left, core.right)] if is_joined else None
    return sources(Place(place.facts, core, place.content))


def first_of(total: ast.BinOp) -> ast.expr:
    """``a`` of ``a + b + c``."""
    first = total.left
    while isinstance(first, ast.BinOp) and isinstance(first.op, ast.Add):
        first = first.left
    return first


def is_asked(facts: Facts, total: ast.BinOp) -> bool:
    """Whether a sum stands, alone or with more masks, where :func:`asked_sum` finds it."""
    node = facts.parent(total)
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        node = facts.parent(node)
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        if isinstance(node, ast.Call) and asked_sum(facts, node) is not None:
            return True
        node = facts.parent(node)
    return isinstance(node, ast.Compare) and asked_sum(facts, node) is not None


def only_selects(facts: Facts, total: ast.BinOp) -> bool:
    """Whether a sum is a mask wherever it is used: ``x[(a > 1) + (a < 0)] = 0``.

    There, and where the sum is compared with 0, it does not matter how many of its masks hold.
    """
    count = len(summed(facts, total) or ())
    return follow([Place(facts, total)], functools.partial(_may_count, count)) is None


def _may_count(count: int, use: Use) -> Iterable[Place] | None:
    """None for what may tell how many of ``count`` masks hold; else what holds their sum next."""
    facts, by = use.facts, use.by
    if _takes_bool_as_well(facts, use.node, count):
        return ()
    if isinstance(by, ast.Attribute) and use.kind == "attribute":
        return use.result() if by.attr == "data" else None
    if use.kind == "method" and isinstance(by, ast.Call) and isinstance(by.func, ast.Attribute):
        return use.result() if torch_effects.does(by.func.attr, "keeps") else None
    if use.kind != "bound" or not isinstance(by, ast.Assign):
        return None
    is_named = all(isinstance(target, ast.Name) for target in by.targets)
    reads = [*use.named()] if is_named else []
    is_alone = all(
        isinstance(place.node, ast.Name) and facts.assigned(place.node) == [by.value]
        for place in reads
    )
    return reads if reads and is_alone else None


def _takes_bool_as_well(facts: Facts, total: ast.expr, count: int) -> bool:
    """Whether the place of a sum of ``count`` masks does the same with a mask of bool."""
    if place_of(facts, total) is not None:
        return True
    node = facts.parent(total)
    node = facts.parent(node) if isinstance(node, ast.Attribute) else node
    compared = _compared(node) if isinstance(node, (ast.Compare, ast.Call)) else None
    if compared is None or compared[0] is not total:
        return False
    _, asks, number = compared
    return _are_those_of_bool([asks(held, number) for held in range(count + 1)])


def joined(masks: Sequence[ast.expr], sign: str) -> str:
    """What to write for a sum of masks and what it is compared with, in a message."""
    if sign == "+":
        first = worded(masks[0], "a")
        is_simple = isinstance(masks[0], SIMPLE)
        return f"{first if is_simple else f'({first})'}.int() + … to count"
    texts = [ast.unparse(mask) for mask in masks]
    text = f" {sign} ".join(
        f"({text})" if isinstance(mask, (ast.Compare, ast.BinOp)) else text
        for mask, text in zip(masks, texts, strict=True)
    )
    if len(text) > LONGEST:
        return f"{sign} for + and leave out the comparison"
    return f"{text} for the comparison"
