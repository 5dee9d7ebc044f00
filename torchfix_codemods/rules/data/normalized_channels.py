"""`Normalize` with three means over images of one channel, as those of `MNIST`, raises today."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tidying.joined_lines import ROOM_ON_A_LINE
from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Sequence
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.data.questions.channels import (
    GREY,
    DataSets,
    data_sets_of,
    made_grey_by,
)

_MADE_GREY = "images have one channel after {0}, and Normalize wants as many means today"


class NormalizedChannels(Rule):
    """
    ## What it does
    Leaves `transforms.Normalize` the first mean and the first deviation where all that it
    normalises are images of `MNIST`, `FashionMNIST` and their kin, which have one channel, or
    what `Grayscale()` made grey before it in the same list.

    ## Why
    Until torchvision 0.2 `Normalize` went through channels and means side by side, and stopped with
    the shorter: one channel took the first of three means. Since 0.3 it raises "output with shape
    [1, 28, 28] doesn't match the broadcast shape [3, 28, 28]".

    ## Example
    ```python
    transform = transforms.Compose([
        transforms.ToTensor(),
        transforms.Normalize(mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5)),
    ])
    mnist = datasets.MNIST(root="data", transform=transform)
    ```
    becomes
    ```python
    transform = transforms.Compose([
        transforms.ToTensor(),
        transforms.Normalize(mean=(0.5,), std=(0.5,)),
    ])
    mnist = datasets.MNIST(root="data", transform=transform)
    ```

    ## Numbers
    Restored: the old call fails; the new one gives what torchvision 0.2 gave.

    ## When it stays its hand
    Where the images may have got other channels before (`Grayscale(3)`, `Lambda`), or a file out of
    sight may use the transformation. A finding says so where another data set takes it as well, and
    where the means are not written down where they are given, but under a name.

    ## References
    - https://github.com/pytorch/vision/releases/tag/v0.3.0
    - https://pytorch.org/vision/stable/generated/torchvision.transforms.Normalize.html
    """

    code = "TP808"
    name = "normalized-channels"
    since = "1.1"
    numerics = Numerics.RESTORED
    words = frozenset({"Normalize"})
    beside = GREY | {"Grayscale", "grayscale"}
    message = "images of {0} have one channel, and Normalize wants as many means as channels today"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != "torchvision.transforms.Normalize" or is_opaque(call):
            return
        given = [argument(call, 0, "mean"), argument(call, 1, "std")]
        written = [each for each in given if isinstance(each, (ast.Tuple, ast.List))]
        if max(_known_length(each, facts) for each in given) < 2:
            return
        step = made_grey_by(facts, call)
        sets = DataSets(step, True) if step is not None else data_sets_of(facts, call)
        if sets.grey is None or is_version_checked(facts, call):
            return
        message = (_MADE_GREY if step else self.message).format(sets.grey)
        if sets.is_all and len(written) == 2 and all(map(_length, written)):
            yield self.found(call, message, is_joined=_fits_on_a_line_now(call, written, facts))
        else:
            which = "" if step else f" for {sets.grey}"
            yield self.advice(call, f"{message}: give it one mean and one std{which}")

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        args = [
            arg.with_changes(value=_first(arg.value))
            if isinstance(arg.value, (cst.Tuple, cst.List))
            else arg
            for arg in updated.args
        ]
        if self.data["is_joined"] and isinstance(args[0].comma, cst.Comma):
            space = cst.SimpleWhitespace(" ")
            args[0] = args[0].with_changes(comma=args[0].comma.with_changes(whitespace_after=space))
        return updated.with_changes(args=args)


def _fits_on_a_line_now(call: ast.Call, written: list[ast.Tuple | ast.List], facts: Facts) -> bool:
    """Whether two lines, of which each has a display, had no room on one, and have it then."""
    (first, last), end = written, call.end_lineno or 0
    lines = facts.lines[call.lineno - 1 : end]
    is_broken = (first.end_lineno, last.lineno) == (call.lineno, call.lineno + 1)
    if not is_broken or end != last.lineno or "#" in lines[0]:
        return False
    length = len(lines[0]) + 1 + len(lines[1].lstrip())
    shorter = sum(len(ast.unparse(one)) - len(ast.unparse(_first_of(one))) for one in written)
    return length - shorter <= max(ROOM_ON_A_LINE, *map(len, lines)) < length


def _first_of(display: ast.Tuple | ast.List) -> ast.Tuple | ast.List:
    return type(display)(display.elts[:1], display.ctx)


def _length(display: ast.Tuple | ast.List) -> int:
    """How many elements are written down; 0 where that is not certain."""
    is_open = any(isinstance(element, ast.Starred) for element in display.elts)
    return 0 if is_open else len(display.elts)


def _known_length(means: ast.expr | None, facts: Facts) -> int:
    """How many there are, here or under a name; 0 where that is not certain."""
    if isinstance(means, (ast.Tuple, ast.List)):
        return _length(means)
    value = None if means is None else facts.value(means)
    return len(value.items) if isinstance(value, Sequence) and value.items is not None else 0


def _first(display: cst.Tuple | cst.List) -> cst.Tuple | cst.List:
    """``(0.5,)`` of ``(0.5, 0.4, 0.3)``, ``[0.5]`` of a list."""
    is_tuple = isinstance(display, cst.Tuple)
    comma = cst.Comma() if is_tuple else cst.MaybeSentinel.DEFAULT
    return display.with_changes(elements=[display.elements[0].with_changes(comma=comma)])
