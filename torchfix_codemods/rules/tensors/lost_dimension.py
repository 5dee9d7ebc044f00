"""`x.sum(1).expand_as(x)`, `x.max(2)[0].max(3)[0]`: reductions kept their dimension once."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.language.arguments import constant, is_opaque, values_given
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries.kept_dimensions import PLACE_OF_DIM, PLACES
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.reductions import dim_of, function_of
from torchfix_codemods.facts.values.lattice import Sequence, Tensor, item_at
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.tensors.questions.indexed_reductions import asked_for_more, indexed
from torchfix_codemods.rules.tensors.questions.lost_dimensions import (
    expanded,
    lost_before_squeeze,
    lost_in_chain,
)
from torchfix_codemods.text.wording import LONGEST, worded

#: What swaps dimensions, or takes so many of them.
_TAKING = frozenset({"bmm", "transpose"})
_DROPS = "drops the dimension that it reduces since torch 0.2"
_MEDIAN = (
    "{0} is one number since torch 0.2, and has no {1}: write {2}{1} for the medians along the "
    "last dimension, which torch 0.1 gave"
)


class LostDimension(Rule):
    """
    ## What it does
    Adds `keepdim=True` to a chain of `sum`, `mean`, `norm`, `max` and their kin of which the last
    has no such dimension any more: `x.sum(2).sum(3)` of a tensor of four dimensions. Of
    `x.max(2)[0].squeeze(2)` of three dimensions `x.max(2)[0]` is left. Finds
    `x.sum(1).expand_as(x)`, where the dimension is needed, and `best[0, 0]` of what may be
    `x.max(1)[1]`, which has one, as does `x.sum(1)` of a matrix in `total.transpose(0, 1)`, and
    `torch.median(x)[0][0]`, which is one number.

    ## Why
    Until torch 0.1.12 that dimension stayed, with one element. Since then such code raises, or
    takes the wrong dimension of a tensor that has as many rows as columns.

    ## Example
    ```python
    peaks = torch.randn(2, 3, 4, 4).max(2)[0].max(3)[0]
    ```
    becomes
    ```python
    peaks = torch.randn(2, 3, 4, 4).max(2, keepdim=True)[0].max(3, keepdim=True)[0]
    ```

    ## Numbers
    Restored: the chain raises.

    ## When it stays its hand
    On chains of reductions of a tensor of which the number of dimensions is not certain. What
    `x.sum(1).expand_as(x)` gives of a square `x` may be meant as it is today, so a finding says
    what to write; in files that are certainly for torch 0.1, TP906 writes it. There is none for the
    first dimension, which fits without (`x.mean(0).expand_as(x)`), for dimensions that count from
    the end, but for the last one alone, where `keepdim` is given, and where what is expanded is not
    made of the tensor whose shape it gets.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v0.2.0 ("Important Breakages and Workarounds")
    - https://pytorch.org/docs/stable/generated/torch.sum.html
    """

    code = "TP419"
    name = "lost-dimension"
    since = "0.2"
    numerics = Numerics.RESTORED
    words = frozenset({"expand", "expand_as", "squeeze", *_TAKING, *PLACE_OF_DIM, *PLACES})
    message = "{0}() keeps the dimension that it reduces only with keepdim=True since torch 0.2"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if last_name(call.func) in _TAKING:
            yield from self._find_short(call, asked_for_more(facts, call), facts)
            return
        squeezed = lost_before_squeeze(facts, call)
        chain = lost_in_chain(facts, call) or (squeezed.calls if squeezed else ())
        wanted = expanded(facts, call)
        if (
            not (chain or wanted)
            or facts.era_of(call).before((0, 2))
            or is_version_checked(facts, call)
        ):
            return
        if squeezed is not None and len(chain) == 1:
            # What a reduction keeps, this takes away, and nothing else.
            yield self.found(call, f"{function_of(chain[0])}() {_DROPS}", is_squeezed=True)
            return
        group = f"reductions in line {call.lineno}, column {call.col_offset}"
        for reduction in chain:
            yield self.found(reduction, self.message.format(function_of(reduction)), group=group)
        if wanted:
            # One row fits without: its lost dimension is the one that is put in front.
            is_of_rows = all(dim_of(facts, reduction) in (1, -1) for reduction in wanted)
            unless = ", unless there is one row" if is_of_rows else ""
            yield self.advice(
                call,
                f"{function_of(wanted[0])}() {_DROPS}, and {last_name(call.func)}() needs it"
                f"{unless}: "
                f"write {_kept_here(facts, call, wanted) or _kept(facts, wanted)}",
            )

    def find_Subscript(self, node: ast.Subscript, facts: Facts) -> Iterator[Found]:
        median = _median_of_all(facts, node)
        if median is not None and not is_version_checked(facts, node):
            part = ast.unparse(node).removeprefix(ast.unparse(median))
            along = worded(_along_last(median), "median(…, -1, keepdim=True)")
            yield self.advice(node, _MEDIAN.format(worded(median, "median()"), part, along))
        yield from self._find_short(node, indexed(facts, node), facts)

    def _find_short(self, node: ast.expr, short: ast.expr | None, facts: Facts) -> Iterator[Found]:
        """What has one dimension less than a place takes."""
        call = short.value if isinstance(short, ast.Subscript) else short
        if (
            not isinstance(call, ast.Call)
            or facts.era_of(node).before((0, 2))
            or is_version_checked(facts, node)
        ):
            return
        part = f"[{ast.unparse(short.slice)}]" if isinstance(short, ast.Subscript) else ""
        yield self.advice(
            node,
            f"{function_of(call)}() in line {call.lineno} {_DROPS}, and {facts.segment(node)} "
            f"needs it{_if_of_rows(facts, short)}: write {_kept(facts, (call,))}{part}",
        )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if "is_squeezed" in self.data:
            method, args = updated.func, updated.args
            assert isinstance(method, cst.Attribute)
            new = method.value if len(args) == 1 else args[0].value
            return new if new.lpar else new.with_changes(lpar=updated.lpar, rpar=updated.rpar)
        return with_argument_added(updated, keyword_argument("keepdim", cst.Name("True")))


def _if_of_rows(facts: Facts, short: ast.expr | None) -> str:
    """The condition under which a reduction lacks a dimension for two indices."""
    value = None if short is None else facts.value(short)
    value = item_at(value, 0) if isinstance(value, Sequence) else value
    is_known = isinstance(value, Tensor) and value.ndim is not None
    return "" if is_known else " if what is reduced has two dimensions"


def _median_of_all(facts: Facts, node: ast.Subscript) -> ast.Call | None:
    """``torch.median(x)`` of ``torch.median(x)[0][0]``: one number, of which this takes a part.

    ``[0]`` alone took the one number out of a Variable in torch 0.2 and 0.3.
    """
    above = facts.parent(node)
    inner = node.value if isinstance(node.value, ast.Subscript) else node
    call, part = inner.value, constant(inner.slice)
    is_whole = not (isinstance(above, ast.Subscript) and above.value is node)
    is_part = is_whole and part in ((0, 1) if inner is not node else (1,))
    if not is_part or not isinstance(call, ast.Call) or function_of(call) != "median":
        return None
    name = facts.name(call.func)
    if name is None and isinstance(call.func, ast.Attribute):
        is_alone = not values_given(call) and facts.is_tensor(call.func.value)
    else:
        is_alone = name == "torch.median" and len(call.args) == 1 and not call.keywords
    return call if is_alone and not is_opaque(call) else None


def _along_last(median: ast.Call) -> ast.Call:
    """``torch.median(x, -1, keepdim=True)``, which is what torch 0.1 gave for less."""
    written = copy.deepcopy(median)
    written.args.append(ast.Constant(-1))
    written.keywords.append(ast.keyword("keepdim", ast.Constant(True)))
    return written


def _kept_here(facts: Facts, call: ast.Call, reductions: tuple[ast.Call, ...]) -> str | None:
    """``norms.unsqueeze(1)`` of what has a name, by which more may be calculated.

    Not of ``x.mean(1).mean(2)``, of which the last one reduces another dimension today.
    """
    if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
        return None
    reduced = [dim or 0 for dim in (dim_of(facts, reduction) for reduction in reductions)]
    dims = sorted(reduced)
    if reduced != dims:
        return None
    return call.func.value.id + "".join(f".unsqueeze({dim})" for dim in dims)


def _kept(facts: Facts, reductions: tuple[ast.Call, ...]) -> str:
    """``x.max(2, keepdim=True)[0].max(3, keepdim=True)`` for the reductions of a chain.

    Where that is too long, what is reduced is left out.
    """
    copies: dict[int, ast.AST] = {}
    written = copy.deepcopy(reductions[0], copies)
    for reduction in reductions:
        copied = copies[id(reduction)]
        assert isinstance(copied, ast.Call)
        copied.keywords.append(ast.keyword("keepdim", ast.Constant(True)))
        innermost = copied
    if len(ast.unparse(written)) > LONGEST:
        if facts.name(reductions[-1].func) is not None:
            innermost.args[0] = ast.Name("…")
        elif isinstance(innermost.func, ast.Attribute):
            innermost.func.value = ast.Name("…")
    return ast.unparse(written)
