"""`for i in pred.data` gave numbers of Python until torch 0.3: `pred.tolist()` does."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tensors.numbers import as_numbers
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.class_targets import holds_classes
from torchfix_codemods.facts.recording.plain_tensors import was_plain
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.legacy.asked_elements import asked_elements
from torchfix_codemods.rules.autograd.questions.legacy.positions import are_only_positions
from torchfix_codemods.rules.autograd.questions.legacy.wanted_numbers import (
    are_kept_in_lists,
    are_wanted_as_numbers,
    is_used_as_tensor,
)
from torchfix_codemods.rules.questions.keys import collected

#: What can be written before ``.tolist()``.
_READ = (ast.Attribute, ast.BinOp, ast.Call, ast.Compare, ast.Name, ast.Subscript)


class IteratedElements(Rule):
    """
    ## What it does
    In files for torch 0.3 and 0.2, adds `.tolist()` to a tensor of one dimension that was no
    Variable, where a loop or a comprehension goes through it and wants numbers: as keys, in what is
    printed, in a list that grows by whole numbers, in a call of what is not torch's. `zip` and
    `enumerate` may stand around it; what `zip` gives beside such numbers goes into a list as a
    number, too. So does `set(x)`, which takes equal numbers for one, and `Counter(x)`, and
    Python's own `sum(pred == y)`, which added numbers up.

    ## Why
    Until 0.3 an element of what was no Variable was a number of Python. Since 0.4 it is a tensor,
    which a dict that is kept by numbers does not find, and which prints as `tensor(3)`.

    ## Example
    ```python
    _, top = output.data.topk(1)
    words = [index2word[i] for i in top.view(-1)]
    ```
    becomes
    ```python
    _, top = output.data.topk(1)
    words = [index2word[i] for i in top.view(-1).tolist()]
    ```

    ## Numbers
    Pinned: the old loop gives tensors where it gave numbers. Identical where they only say at which
    place of a list something lies (`[xs[i] for i in torch.randperm(len(xs))[:n]]`).

    ## When it stays its hand
    Where the dimensions of the tensor are not known, or are several (what a loop gives is a tensor
    then, as it was), where it may have been a Variable, where nothing shows that a number is
    wanted, and where the element is asked for what only a tensor has. Where an element is asked
    whether it is a tensor, `if not torch.is_tensor(x):`, and something in sight makes what is gone
    through a vector, a finding says what to ask as well: the branch was for its numbers.

    ## References
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/
    - https://pytorch.org/docs/stable/generated/torch.Tensor.tolist.html
    """

    code = "TP124"
    name = "iterated-elements"
    since = "0.4"
    numerics = Numerics.PINNED
    words = frozenset({"for", "set", "frozenset", "sum", "Counter"})
    message = (
        "the elements of a tensor (not a Variable) were numbers until torch 0.3, and are tensors "
        "today: tolist() gives numbers"
    )

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        tensor = collected(facts, call)
        if tensor is not None and _were_numbers(tensor, facts):
            yield self.found(tensor, gives_number=True)
        summed = _summed(call, facts)
        if summed is not None and _were_numbers(summed, facts):
            yield self.found(summed, gives_number=True)

    def find_For(self, node: ast.For, facts: Facts) -> Iterator[Found]:
        yield from self._find(node, facts)
        for iterated, target in _gone_through(node.iter, node.target, facts):
            if isinstance(target, ast.Name):
                for test, told in asked_elements(node, iterated, target, facts):
                    yield self.advice(test, told)

    def find_comprehension(self, node: ast.comprehension, facts: Facts) -> Iterator[Found]:
        yield from self._find(node, facts)

    def _find(self, loop: ast.For | ast.comprehension, facts: Facts) -> Iterator[Found]:
        named = [
            (iterated, target.id)
            for iterated, target in _gone_through(loop.iter, loop.target, facts)
            if isinstance(iterated, (ast.Attribute, ast.Call, ast.Name, ast.Subscript))
            and isinstance(target, ast.Name)
            and _were_numbers(iterated, facts)
        ]
        wanted = [name for _, name in named if are_wanted_as_numbers(facts, loop, name)]
        for iterated, name in named:
            # Two lists that one loop fills hold the same kind of things.
            if name in wanted or (wanted and are_kept_in_lists(facts, loop, name)):
                is_same = are_only_positions(facts, loop, name)
                label = Numerics.IDENTICAL if is_same else Numerics.PINNED
                yield self.found(iterated, numerics=label, gives_number=True)

    def leave_Attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.Call:
        return as_numbers(updated)

    def leave_BinaryOperation(
        self, original: cst.BinaryOperation, updated: cst.BinaryOperation
    ) -> cst.Call:
        return as_numbers(updated)

    def leave_Comparison(self, original: cst.Comparison, updated: cst.Comparison) -> cst.Call:
        return as_numbers(updated)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        return as_numbers(updated)

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.Call:
        return as_numbers(updated)

    def leave_Subscript(self, original: cst.Subscript, updated: cst.Subscript) -> cst.Call:
        return as_numbers(updated)


def _summed(call: ast.Call, facts: Facts) -> ast.expr | None:
    """What Python adds up: ``x`` of ``sum(x)``, whose sum nothing asks for what a tensor has."""
    if facts.names.builtin(call.func) != "sum" or len(call.args) != 1 or call.keywords:
        return None
    given = call.args[0]
    return given if isinstance(given, _READ) and not is_used_as_tensor(facts, call) else None


def _gone_through(
    iterated: ast.expr, target: ast.expr, facts: Facts
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a loop goes through, with what its elements are given to: also by way of ``zip``."""
    walker = facts.names.builtin(iterated.func) if isinstance(iterated, ast.Call) else None
    if not isinstance(iterated, ast.Call) or walker not in ("enumerate", "zip"):
        yield iterated, target
        return
    given, parts = iterated.args, target.elts if isinstance(target, ast.Tuple) else []
    if any(isinstance(each, ast.Starred) for each in (*given, *parts)):
        return
    if walker == "enumerate" and given and len(parts) == 2:
        yield from _gone_through(given[0], parts[1], facts)
    elif walker == "zip" and len(given) == len(parts):
        for each, part in zip(given, parts, strict=True):
            yield from _gone_through(each, part, facts)


def _were_numbers(iterated: ast.expr, facts: Facts) -> bool:
    """Whether a tensor has one dimension, and gave numbers in a file whose torch did so.

    Until 0.1 a maximum kept the dimension that it was taken along.
    """
    era = facts.era_of(iterated)
    is_old = era.before((0, 4)) and not era.before((0, 2))
    return is_old and _is_vector(iterated, facts) and was_plain(facts, iterated)


def _is_vector(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor has one dimension: also ``pred == y`` of one such, and of classes.

    What a loss takes for the classes of rows is compared with one guess for each row.
    """
    value = facts.value(node)
    if not isinstance(value, Tensor) or value.ndim is not None:
        return isinstance(value, Tensor) and value.ndim == 1
    if not isinstance(node, ast.Compare) or len(node.comparators) != 1:
        return False
    sides = (node.left, node.comparators[0])
    return any(
        _is_vector(one, facts) and holds_classes(unwrapped(other)[0], facts)
        for one, other in (sides, sides[::-1])
    )
