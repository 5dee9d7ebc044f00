"""`.contiguous().view(shape)` is `.reshape(shape)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.shapes import asks_for_shape
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.tensors.questions.shared_memory import may_share_unnoticed
from torchfix_codemods.rules.tensors.questions.strided import (
    copied_by,
    is_spelled_anew,
    viewed_by,
)


class ContiguousView(Rule):
    """
    ## What it does
    Replaces `x.contiguous().view(shape)` by `x.reshape(shape)` where x may come from something that
    lays it out so that `view` fails, and beside such a place in the same function.

    ## Why
    `reshape` says what is meant, and copies only where it has to: `contiguous()` also copies
    where the new shape is a plain view of the old layout.

    ## Example
    ```python
    loss = criterion(output.contiguous().view(-1, classes), target)
    ```
    becomes
    ```python
    loss = criterion(output.reshape(-1, classes), target)
    ```

    ## Numbers
    Identical: the same elements in the same order. Where they now lie in memory in another order, a
    sum of floats taken of them later may round differently in its last bits.

    ## When it stays its hand
    Where nothing in sight makes the copy necessary, as of a parameter that nobody is seen to give.
    Where the copy could matter, because the result of `reshape` may be a view of x and then not
    contiguous: either is written in place afterwards (`y += 1`, `y[0] = 0`, `y.zero_()`, `out=y`,
    a layer with `inplace=True`), the result is given to another `view`, kept, returned, or passed
    to something unknown. Where the result gets a name and x is not certainly new memory that this
    code alone refers to: a parameter, an attribute, a view of something else could be written to
    under its other name. On a single argument that could be a dtype. Where another
    `contiguous().view()` of the same function stays for one of these reasons.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.reshape.html
    """

    code = "TP402"
    name = "contiguous-view"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    is_spelling = True
    words = frozenset({"view"})
    message = "contiguous().view() is reshape(), which copies only where it must"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if _is_said_by_reshape(call, facts) and _are_all_said_by_reshape(call, facts):
            yield self.found(call)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        view = updated.func
        if not (
            isinstance(view, cst.Attribute)
            and isinstance(view.value, cst.Call)
            and isinstance(view.value.func, cst.Attribute)
            and view.value.func.attr.value == "contiguous"
        ):
            return updated
        copy = view.value.func
        # Of two lines that end in a backslash, one stays.
        starts_line = "\n" in getattr(copy.dot.whitespace_before, "value", "")
        dot = copy.dot if starts_line else view.dot
        reshape = view.with_changes(value=copy.value, dot=dot, attr=cst.Name("reshape"))
        return updated.with_changes(func=reshape)


def _copied_for(view: ast.Call) -> ast.expr | None:
    """``x`` of ``x.contiguous().view(…)``."""
    method = view.func
    is_view = isinstance(method, ast.Attribute) and method.attr == "view"
    return copied_by(method.value) if is_view and isinstance(method, ast.Attribute) else None


def _are_all_said_by_reshape(call: ast.Call, facts: Facts) -> bool:
    """Whether ``reshape`` says the same everywhere in a function, of which its reader finds all
    such views spelled one way."""
    function = facts.names.enclosing_function(call)
    if function is None:
        return True
    return facts.remembered(
        ("copies for views", function),
        lambda: all(
            _is_said_by_reshape(other, facts)
            for other in facts.names.inside(function, ast.Call)
            if _views_copy(other, facts)
        ),
    )


def _views_copy(call: ast.Call, facts: Facts) -> bool:
    return _copied_for(call) is not None and asks_for_shape(call, facts)


def _is_said_by_reshape(call: ast.Call, facts: Facts) -> bool:
    """Whether ``reshape`` says the same as a view of a copy that may be necessary."""
    source = _copied_for(call)
    if source is None or viewed_by(call, facts) is None or not facts.is_shown_tensor(source):
        return False
    return is_spelled_anew(call, source, facts) and not may_share_unnoticed(call, source, facts)
