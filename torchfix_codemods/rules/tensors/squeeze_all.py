"""`x.squeeze()` drops the batch, too, where it holds one sample: name the dimension."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import last_name, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Use
from torchfix_codemods.facts.paths.named import line_named
from torchfix_codemods.facts.programs.unreached import reached
from torchfix_codemods.facts.recording.fences import PREFIX
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.record import record
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.questions.named_lines import also_in, numbered
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
    `gather` of one number of each row, `x.view(n, 1)`.

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
        told = _told(call, facts)
        if told is None:
            return
        use, finds, written = told
        said = self.message.format("index" if finds else "sample")
        if not written and (lines := _lines_beside(call, facts)) is not None:
            # Of what no run comes to, nothing is said.
            if lines.calls[0] == facts.origin(call.lineno):
                yield self.advice(call, f"{said}{lines.said(facts)}")
            return
        yield self.advice(call, f"{said}{_consequence(use, facts)}{written}")


@record
class _Lines:
    """Lines of a function in which single indices lose their dimension, and those that need it."""

    calls: list[int]
    uses: list[int]

    def said(self, facts: Facts) -> str:
        """``, here and in line 5, which lines 7 and 9 need``."""
        needing = numbered(self.uses)
        if facts.speaks_of(PREFIX):
            # Each of these is named by its cell in the end.
            needing = " and ".join(f"line {line}" for line in self.uses)
        needs = "need" if len(self.uses) > 1 else "needs"
        return f"{also_in(self.calls[1:], facts)}, which {needing} {needs}"


def _lines_beside(call: ast.Call, facts: Facts) -> _Lines | None:
    """The lines of all that is told of in the function of a call without what to write; None where
    there is no other, or where other files need it."""
    function = facts.names.enclosing_function(call)
    return facts.remembered(("TP404", function), lambda: _lines_of(function, facts))


def _lines_of(function: ast.AST | None, facts: Facts) -> _Lines | None:
    calls, uses = list[ast.Call](), set[int]()
    for call in facts.names.nodes.get(ast.Call, ()):
        if not isinstance(call, ast.Call) or not _is_squeeze(call, facts):
            continue
        if facts.names.enclosing_function(call) is not function:
            continue
        if (told := _told(call, facts)) is None or told[2]:
            continue
        if told[0].facts is not facts or _makes_number(told[0]):
            return None
        calls.append(call)
        uses.add(facts.origin(told[0].node.lineno))
    lines = sorted({facts.origin(call.lineno) for call in reached(calls, facts)})
    return _Lines(lines, sorted(uses)) if len(lines) > 1 else None


def _is_squeeze(call: ast.Call, facts: Facts) -> bool:
    return last_name(call.func) == "squeeze" or facts.name(call.func) == "torch.squeeze"


def _told(call: ast.Call, facts: Facts) -> tuple[Use, bool, str] | None:
    """What needs the dimension that a call drops, whether it is one of indices, and what to write.

    None where nothing is told of the call; nothing to write where that is not certain.
    """
    source = _squeezed(call, facts)
    if source is None or call.keywords:
        return None
    if (instead := form_meant(source, facts)) is None or is_asked_for_dimensions(call, facts):
        return None
    finds = _finds_indices(source, facts)
    if finds and is_read_by_number(call, facts):
        return None
    if (use := minding(call, facts, finds)) is None:
        return None
    if finds and is_shut_out(call, use, facts):
        return None
    if finds and _may_be_matrix(source, facts):
        return use, finds, ""
    if finds and _is_of_squeezed(source, facts):
        mask = worded(_found_in(source, facts), "")
        # Of a mask without dimensions nonzero() gives no column.
        return use, finds, f": write squeeze(1), and {mask}.view(-1) in nonzero()" if mask else ""
    receiver = worded_operand(source, "")
    written = f"{receiver}.{instead}" if receiver else instead
    if not receiver and source in call.args and instead.count("(") == 1:
        written = f"{ast.unparse(call.func)}(..., {instead.partition('(')[2]}"
    return use, finds, f": write {written}{_beside(call, use)}"


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
    if _makes_number(use):
        return f", of which {place} makes a number"
    is_length = isinstance(by, ast.Call) and use.facts.names.builtin(by.func) == "len"
    return f", for which {place} raises TypeError" if is_length else f", which {place} needs"


def _makes_number(use: Use) -> bool:
    """``ids.tolist()``, which is a number of a single one."""
    return isinstance(use.by, ast.Call) and last_name(use.by.func) == "tolist"


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
