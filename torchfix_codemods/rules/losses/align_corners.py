"""Sampling aligned the corners before torch 0.4, of grids before 1.4: `align_corners=True`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.facts.guards import is_signature_tried
from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.unreached import reached
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.losses.questions.sampled_grids import measured_from_corners
from torchfix_codemods.rules.losses.questions.sampling import (
    Unsaid,
    may_be_as_old,
    unsaid_alignment,
)
from torchfix_codemods.rules.questions.named_lines import also_in
from torchfix_codemods.text.wording import worded

_MOVED_ON = (
    "corners were aligned{1}{2} until torch {0}, and are not since: weights trained with aligned"
    " corners need align_corners=True"
)
_COUNTED_ON = (
    "corners were aligned{1} until torch {0}, and are not since, but the grid is for aligned ones,"
    " divided by {2}: write align_corners=True"
)


class AlignCorners(Rule):
    """
    ## What it does
    Adds `align_corners=True` in files for a torch in which it was what torch did: to `F.upsample`
    and `nn.Upsample` with a linear mode in files for torch 0.3 and older, to `F.grid_sample` and
    `F.affine_grid` in files for 1.3 and older.

    ## Why
    The default became False, without an error: feature maps, flows and warped images are shifted
    by up to half a pixel, and a trained model gives worse results for no visible reason.

    ## Example
    ```python
    grid = F.affine_grid(theta, x.size())
    x = F.grid_sample(x, grid)
    ```
    becomes
    ```python
    grid = F.affine_grid(theta, x.size(), align_corners=True)
    x = F.grid_sample(x, grid, align_corners=True)
    ```

    ## Numbers
    Pinned: those of the torch that the file was written for.

    ## When it stays its hand
    Where the file is not certainly for such a torch (by what it is written with, by the project's
    requirements, or by `--from`), where `align_corners` is given, on the modes `nearest` and
    `area`, with `*args` and `**kwargs`, and where the code handles several versions itself. Where
    the mode is a variable that may be another one, a finding says what to write: `align_corners` is
    an error with `nearest`. In a file for such a torch whose program needs a later one, by its
    names or by its requirements, what changed is said once, as weights may come from before. So it
    is where what dates a file that calls `F.upsample` leaves open whether it is older, or, in a
    program that nothing shows to be newer, one that nothing dates and that samples a grid without
    the argument (torch warns there, too), or that still has `Variable` beside its layers. Lines
    that git dates to the months of the change are such, too. Of a grid that is divided by `w - 1`,
    and so is made for aligned corners, that is said.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html
    - https://pytorch.org/docs/stable/generated/torch.nn.Upsample.html
    - https://github.com/pytorch/pytorch/releases/tag/v0.4.0
    - https://github.com/pytorch/pytorch/releases/tag/v1.4.0
    """

    code = "TP307"
    name = "align-corners"
    since = "1.3"
    numerics = Numerics.PINNED
    changed_in = "1.3"
    words = frozenset({"upsample", "interpolate", "Upsample", "grid_sample", "affine_grid"})
    message = "corners were aligned before torch {0}: align_corners=True"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        unsaid = unsaid_alignment(facts, call)
        if unsaid is None or is_signature_tried(facts, call):
            return
        message = self.message.format("0.4" if unsaid.changed_in == (0, 4) else "1.4")
        if _may_have_moved_on(call, unsaid, facts):
            yield from self._tell_once(call, unsaid, facts)
        elif not facts.numbers_before(call, unsaid.changed_in):
            return
        elif unsaid.is_certain:
            yield self.found(call, message)
        else:
            yield self.advice(call, f"{message} where the mode is linear")

    def _tell_once(self, call: ast.Call, unsaid: Unsaid, facts: Facts) -> Iterator[Found]:
        """What became of all calls that ran without aligned corners since, at the first of them."""
        calls = (n for n in facts.names.nodes.get(ast.Call, ()) if isinstance(n, ast.Call))
        alike = reached((c for c in calls if _is_alike(c, unsaid, facts)), facts)
        measure = _measure(call, facts)
        alike = [other for other in alike if _measure(other, facts) == measure]
        if call is min(alike, key=start_of, default=None):
            lines = dict.fromkeys(facts.origin(c.lineno) for c in sorted(alike, key=start_of))
            below = [line for line in lines if line != facts.origin(call.lineno)]
            places = also_in(below, facts).removeprefix(",") or " here"
            last = "0.3" if unsaid.changed_in == (0, 4) else "1.3"
            if measure is not None:
                yield self.advice(call, _COUNTED_ON.format(last, places, measure))
                return
            where = "" if unsaid.is_certain else " where the mode is linear"
            yield self.advice(call, _MOVED_ON.format(last, places, where))

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        return with_argument_added(updated, keyword_argument("align_corners", cst.Name("True")))


def _measure(call: ast.Call, facts: Facts) -> str | None:
    """What a grid is divided by that has the last pixel at 1: ``w - 1`` of ``x / (w - 1)``."""
    quotient = measured_from_corners(facts, call)
    if quotient is None:
        return None
    line = facts.origin(quotient.lineno)
    return f"{worded(quotient.right, 'a size less one')} in line {line}"


def _may_have_moved_on(call: ast.Call, unsaid: Unsaid, facts: Facts) -> bool:
    """Whether a call may be older than the change in a program that has run on a later torch."""
    if may_be_as_old(facts, call, unsaid):
        return True
    is_pinned = facts.numbers_before(call, unsaid.changed_in)
    return not is_pinned and _was_left_then(call, unsaid, facts)


def _was_left_then(call: ast.Call, unsaid: Unsaid, facts: Facts) -> bool:
    """Whether a line is older than the change, and the file written on with no later torch."""
    newest = facts.era.newest
    is_left = newest is not None and newest[:2] <= unsaid.changed_in
    return is_left and facts.era_of(call).before(unsaid.changed_in)


def _is_alike(call: ast.Call, unsaid: Unsaid, facts: Facts) -> bool:
    """Whether the same is to be said of another call."""
    other = unsaid_alignment(facts, call)
    return (
        other is not None
        and other == unsaid
        and not is_signature_tried(facts, call)
        and _may_have_moved_on(call, other, facts)
    )
