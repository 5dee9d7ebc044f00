"""`torch.cat(losses).sum()` of what may be numbers: it raises on tensors without dimensions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation.operations import index_tensor
from torchfix_codemods.facts.language.arguments import values_given, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import line_named
from torchfix_codemods.facts.values.lattice import Number, Sequence, Tensor, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.questions.totalled import (
    is_laid_in_a_row,
    is_totalled,
    may_be_of_variables,
)
from torchfix_codemods.text.wording import worded

_PICKED = (
    "torch.cat takes no tensors without dimensions, as {0} is since torch 0.4 where {1} is one "
    "number: write torch.stack there"
)


class ScalarCat(Rule):
    """
    ## What it does
    Finds `torch.cat(losses).sum()`, `.mean()`, `torch.mean(torch.cat(losses))` and
    `torch.cat(scores).view(1, -1)` of a list that the code fills one by one, in files that have
    Variables and nothing of torch 0.4, and `torch.cat([x[i][y[i]] for i in range(n)])` of a
    matrix `x`.

    ## Why
    Until torch 0.3 a number out of a tensor (a loss, `m.log_prob(action)`, `probs[action]`) was a
    tensor of one element. Since 0.4 it has no dimension, and "zero-dimensional tensor (at position
    0) cannot be concatenated". Policy gradients are often summed up so.

    ## Example
    ```python
    losses = []
    for log_prob, reward in zip(log_probs, rewards):
        losses.append(-log_prob * reward)
    loss = torch.cat(losses).sum()
    ```
    is reported where the project shows one that has no dimensions. Write
    ```python
    losses = []
    for log_prob, reward in zip(log_probs, rewards):
        losses.append(-log_prob * reward)
    loss = torch.stack(losses).sum()
    ```

    ## Numbers
    Nothing is rewritten: `torch.stack` wants tensors of one shape, `torch.cat` only of one number
    of dimensions. Where all have certainly none, or `backward()` shows each to hold one element,
    TP903 rewrites it.

    ## When it stays its hand
    Where the number of dimensions is known, where nothing in the project shows a number among them,
    and where the result of a list that was filled is neither summed up nor laid in a row: its
    shape then counts.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v0.4.0
    - https://pytorch.org/docs/stable/generated/torch.cat.html
    """

    code = "TP423"
    name = "scalar-cat"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = frozenset({"cat"})
    message = (
        "torch.cat takes no tensors without dimensions, as single numbers like that of {1} are "
        "since torch 0.4: write {0}"
    )

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if (picked := _picked(call, facts)) is not None:
            element, index = ast.unparse(picked), ast.unparse(picked.slice)
            yield self.advice(call, _PICKED.format(element, index))
        is_row = is_laid_in_a_row(call, facts)
        if not (is_row or is_totalled(call, facts)) or not may_be_of_variables(call, facts):
            return
        if facts.name(call.func) == "torch.cat" and _is_along_first(call):
            tensors = call.args[0]
            if isinstance(tensors, ast.Name) and _may_hold_numbers(tensors, facts):
                number = found_behind([Place(facts, tensors, ("*",))], _before_number)
                if number is not None:
                    line = line_named(number.node, number.facts, facts)
                    named = worded(tensors, "tensors")
                    # Beside numbers there may be others, which torch.stack does not take.
                    row = f"torch.cat([each.reshape(-1) for each in {named}])"
                    written = row if is_row else f"torch.stack({named})"
                    yield self.advice(call, self.message.format(written, line))


def _picked(call: ast.Call, facts: Facts) -> ast.Subscript | None:
    """``x[i][y[i]]`` of ``torch.cat([x[i][y[i]] for i in range(n)])``, where x is a matrix.

    That is one number where ``y[i]`` is one, which had a dimension until torch 0.3.
    """
    listed = call.args[0] if call.args else None
    element = listed.elt if isinstance(listed, (ast.ListComp, ast.GeneratorExp)) else None
    if not isinstance(element, ast.Subscript) or not isinstance(element.slice, ast.Subscript):
        return None
    if facts.name(call.func) != "torch.cat" or not _is_along_first(call):
        return None
    row, index, number = map(facts.value, (element.value, element.slice, element.slice.slice))
    is_number = isinstance(number, Number) and isinstance(index, Tensor) and index.ndim is None
    is_of_row = isinstance(row, Tensor) and row.ndim == 1
    return element if is_of_row and is_number and may_be_of_variables(call, facts) else None


def _is_along_first(call: ast.Call) -> bool:
    dims = [*call.args[1:], *(k.value for k in call.keywords if k.arg == "dim")]
    given = len(values_given(call))
    return bool(call.args) and given == 1 + len(dims) and all(whole_number(d) == 0 for d in dims)


def _may_hold_numbers(tensors: ast.Name, facts: Facts) -> bool:
    """Whether a list begins empty and gets tensors of which nobody knows the dimensions."""
    begins = facts.assigned(tensors) or []
    if not begins or not all(isinstance(value, ast.List) and not value.elts for value in begins):
        return False
    held = facts.value(tensors)
    if not isinstance(held, Sequence) or held.items:
        return False
    element = held.element
    return isinstance(element, Unknown) or (isinstance(element, Tensor) and element.ndim is None)


def _before_number(place: Place) -> Iterable[Place] | None:
    """None for a tensor that certainly has no dimension; else what has all of its dimensions."""
    facts, node = place.facts, place.node
    if place.content:
        return behind(place)
    value = facts.value(node)
    if isinstance(value, Tensor) and value.ndim is not None:
        return None if value.ndim == 0 else ()
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        others = [side for side in sides if not _has_no_dimension(side, facts)]
        return [Place(facts, other) for other in others] if len(others) < 2 else ()
    if isinstance(node, ast.UnaryOp):
        return [Place(facts, node.operand)]
    if isinstance(node, ast.Subscript):
        given = value_by_all_calls(node.value, facts)
        if isinstance(given, Tensor):
            return None if index_tensor(facts.inference, given, node.slice).ndim == 0 else ()
    if isinstance(node, ast.Call) and facts.name(node.func) == "torch.autograd.Variable":
        return [Place(facts, given) for given in node.args[:1]]
    return behind(place)


def _has_no_dimension(node: ast.expr, facts: Facts) -> bool:
    value = facts.value(node)
    return isinstance(value, Number) or (isinstance(value, Tensor) and value.ndim == 0)
