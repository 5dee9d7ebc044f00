"""`x.squeeze()` drops the batch, too, where it holds one sample: name the dimension."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import last_name, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Use
from torchfix_codemods.facts.paths.named import line_named
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.tensors.questions.meant_dimension import form_meant
from torchfix_codemods.rules.tensors.questions.minded_dimensions import minding
from torchfix_codemods.rules.tensors.questions.row_indices import is_read_by_number
from torchfix_codemods.rules.tensors.questions.squeezed import (
    is_asked_for_dimensions,
    is_shut_out,
)
from torchfix_codemods.text.wording import worded, worded_operand


class SqueezeAll(Rule):
    """
    ## What it does
    Finds `squeeze()` without a dimension where the code shows which dimension is meant: after a
    linear layer with one output, a pooling to one, `nonzero()`, a product with `x.unsqueeze(2)`, a
    `gather` of one number of each row.

    ## Why
    `squeeze()` drops every dimension of size 1. The last batch of an epoch, or a request for one
    sample, loses its batch dimension as well: a loss raises, an index takes a class for a sample,
    and all is well again with the next batch.

    ## Example
    ```python
    scores = self.fc(hidden).squeeze()
    hits = (iou > 0.5).nonzero().squeeze()
    print(scores[0], len(hits))
    ```
    is reported: write
    ```python
    scores = self.fc(hidden).squeeze(-1)
    hits = (iou > 0.5).nonzero().squeeze(1)
    print(scores[0], len(hits))
    ```

    ## Numbers
    Nothing is rewritten: code that follows may rely on what happens to a batch of one.

    ## When it stays its hand
    Where the dimension is not certain, and where nothing in sight needs the one that is lost: an
    index or a slice of the result, a loop over it, its length or sizes, `cat`, another dimension
    that is named (`x.max(1)`), or a loss of binary classes whose other side keeps it. In a sum
    with what keeps the dimension broadcasting brings it back, and a mean of all numbers counts
    none. Nor is it told where a single number is asked for (`.item()`), or where the code asks how
    many dimensions are left (`x.dim()`).

    ## References
    - https://pytorch.org/docs/stable/generated/torch.squeeze.html
    """

    code = "TP404"
    name = "squeeze-all"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = frozenset({"squeeze"})
    message = "squeeze() also drops the dimension of a single {0}"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        source = _squeezed(call, facts)
        if source is None or call.keywords:
            return
        if (instead := form_meant(source, facts)) is None or is_asked_for_dimensions(call, facts):
            return
        finds = _finds_indices(source, facts)
        if finds and is_read_by_number(call, facts):
            return
        if (use := minding(call, facts, finds)) is None:
            return
        if finds and is_shut_out(call, use, facts):
            return
        receiver = worded_operand(source, "")
        written = f"{receiver}.{instead}" if receiver else instead
        if not receiver and source in call.args and instead.count("(") == 1:
            written = f"{ast.unparse(call.func)}(..., {instead.partition('(')[2]}"
        said = f"{self.message.format('index' if finds else 'sample')}{_consequence(use, facts)}"
        if not (finds and (_may_be_matrix(source, facts) or _is_of_squeezed(source, facts))):
            said += f": write {written}{_beside(call, use)}"
        yield self.advice(call, said)


def _beside(call: ast.Call, use: Use) -> str:
    """``; state.squeeze() drops it too``: what is joined with ``call``, which alone mends nothing.

    Not of what is told of by itself.
    """
    others = [
        worded(node, "")
        for node in walk(use.by)
        if isinstance(use.by, ast.Call) and isinstance(node, ast.Call) and node is not call
        if isinstance(node.func, ast.Attribute) and node.func.attr == "squeeze"
        if (source := _squeezed(node, use.facts)) is not None
        and form_meant(source, use.facts) is None
    ]
    told = [text for text in dict.fromkeys(others) if text]
    return f"; {' and '.join(told)} {'drops' if len(told) == 1 else 'drop'} it too" if told else ""


def _may_be_matrix(source: ast.expr, facts: Facts) -> bool:
    """Whether indices are found in a parameter, which may have more dimensions than one."""
    found_in = _found_in(source, facts)
    value = facts.value(found_in)
    return not (isinstance(value, Tensor) and value.ndim == 1) and any(
        binding.kind == "parameter"
        for name in walk(found_in)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)
        for binding in facts.flow.reaching(name)
    )


def _is_of_squeezed(source: ast.expr, facts: Facts) -> bool:
    """Whether indices are found in what has lost its dimensions of one as well: of a single number
    they are no column."""
    found_in = _found_in(source, facts)
    return isinstance(found_in, ast.Call) and _squeezed(found_in, facts) is not None


def _found_in(source: ast.expr, facts: Facts) -> ast.expr:
    """What the indices of ``source`` were found in, by ``x.nonzero()`` or ``torch.nonzero(x)``."""
    made = facts.assigned(source) if isinstance(source, ast.Name) else [source]
    for node in (part for each in made or () for part in walk(each)):
        if isinstance(node, ast.Call) and last_name(node.func) == "nonzero":
            given = node.args[0] if node.args else getattr(node.func, "value", source)
            return given if isinstance(given, ast.expr) else source
    return source


def _consequence(use: Use, facts: Facts) -> str:
    """``, which ids.size(0) in line 7 needs``, ``, which the loop in line 7 needs``."""
    by = use.by
    around = use.facts.parent(by)
    if use.kind in ("method", "attribute") and isinstance(around, ast.Subscript):
        by = around
    text, line = worded(by, ""), line_named(use.node, use.facts, facts)
    if use.kind == "iterated":
        text = "the loop"
    elif isinstance(by, ast.stmt):
        text = ""
    place = f"{text} in {line}" if text else line
    is_listed = isinstance(by, ast.Call) and last_name(by.func) == "tolist"
    return f", of which {place} makes a number" if is_listed else f", which {place} needs"


def _squeezed(call: ast.Call, facts: Facts) -> ast.expr | None:
    if facts.name(call.func) == "torch.squeeze":
        return call.args[0] if len(call.args) == 1 else None
    method = call.func
    return method.value if isinstance(method, ast.Attribute) and not call.args else None


def _finds_indices(source: ast.expr, facts: Facts) -> bool:
    """Whether ``nonzero`` gave what is squeezed."""
    made = facts.assigned(source) if isinstance(source, ast.Name) else [source]
    return any(
        isinstance(node, ast.Call) and last_name(node.func) == "nonzero"
        for each in made or ()
        for node in walk(each)
    )
