"""`correct += (pred == y).sum()` counts in a tensor: `.item()` makes it a number again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.libraries.kept_dimensions import PLACE_OF_DIM
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.numbers import name_is_used_as_number
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.training.questions.counts import (
    adds,
    adds_whole_number,
    counts,
    was_number,
)
from torchfix_codemods.rules.training.questions.kept_numbers import is_noticed_as_tensor
from torchfix_codemods.rules.training.questions.totals import (
    divides_in_place,
    is_aliased_in_loop,
    is_asked_as_tensor,
    is_named_for_total,
    is_number_or_count,
    was_cut,
)

_SHARE = "a share of matches was a number until 0.3, and is a tensor today: add .item()"

_KEPT = (
    "a reduction of a tensor (not a Variable) was a number until torch 0.3, and is a tensor today: "
    "add .item()"
)

_CUT = (
    "a count added up in a tensor: add .item(); its quotients, which torch 0.4 to 1.4 cut to whole "
    "numbers, stay the fractions that they are today"
)


class TensorMetric(Rule):
    """
    ## What it does
    Appends `.item()` to a count of matches that is added to a Python number:
    `correct += (predicted == labels).sum()`. In a file for torch 0.3 also to a count of what was no
    Variable that gets a name first: `n = predicted.eq(labels.data).sum()` above `correct += n`.
    There also to the share of matches of what was no Variable:
    `accuracy += (predicted == labels.data).float().mean()`, and to what
    reduces such to one number where it is printed or given to numpy, also in a list
    (`means.append(output.data.mean())`) or kept by an object, or where a method of the project adds
    it to a total: `meter.update(torch.sum(predicted != labels.data), n)`, or where a function
    returns it among numbers, also in a list: `return [loss] + [hits, len(y)]`.

    ## Why
    Until 0.3 `.sum()` of a tensor was a Python number, and so was the total. Now the total is a
    tensor: on the GPU if the data is, printed as `tensor(97)`, rounded to float32 when divided,
    and cut to an integer by the division of torch 0.4 to 1.4.

    ## Example
    ```python
    correct = 0
    for images, labels in loader:
        predicted = model(images).max(1)[1]
        correct += (predicted == labels).sum()
    print(100. * correct / total)
    ```
    becomes
    ```python
    correct = 0
    for images, labels in loader:
        predicted = model(images).max(1)[1]
        correct += (predicted == labels).sum().item()
    print(100. * correct / total)
    ```

    ## Numbers
    Identical: the count is the same whole number, now of type `int` (`float` after `.float()`).
    What is computed from it is computed in double precision instead of float32, so a percentage
    that is no exact float32 can differ from the eighth digit on, as it did in 0.3. Restored where
    the total is divided in place (`correct /= total`), which a tensor of whole numbers refuses. In
    a file for torch 0.4 to 1.4 the finding says where a quotient of the total was cut. Pinned for
    shares, as today's total of tensors is added up in float32, and for what is kept in lists:
    numpy refuses tensors that lie on a GPU.

    ## When it stays its hand
    Where the total does not start as a number or gets anything else, where a method of a tensor is
    called on it or on what is computed from it (`correct.item()`, `correct.double()`), where it
    is handed to code that is not known or kept under another name inside the loop, and where what
    is added is not certainly a count. In a file for torch 0.3 none of that matters for a count of
    what was no Variable (`predicted.eq(y.data).sum()`, `(predicted == y).data.sum()`): it was a
    number. Shares are left alone in files for newer torch, and so is what is kept in a list; there
    and in files for 0.3 where a read of the list may want tensors, or is out of sight.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.Tensor.item.html
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/
    """

    code = "TP606"
    name = "tensor-metric"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset(PLACE_OF_DIM)
    message = "a count added up in a tensor: add .item()"

    def find_AugAssign(self, node: ast.AugAssign, facts: Facts) -> Iterator[Found]:
        reduction = next((name for name in ("sum", "mean") if adds(node, name, facts)), None)
        if not isinstance(node.target, (ast.Name, ast.Attribute)) or reduction is None:
            return
        is_share = reduction == "mean"
        if was_number(node, reduction, facts):
            # Whoever asks it for an item() knew better.
            if not is_asked_as_tensor(node.target, facts):
                message, numerics = (_SHARE, Numerics.PINNED) if is_share else (None, self.numerics)
                yield self.found(
                    node, message, region=node.value, numerics=numerics, gives_number=True
                )
            return
        if not isinstance(node.target, ast.Name):
            return
        found = facts.names.scope_of(node).lookup(node.target.id)
        if is_share or found is None or found[0].kind not in ("function", "module"):
            return
        if not all(is_number_or_count(binding, facts) for binding in found[1]):
            return
        if not any(binding.kind == "assign" for binding in found[1]):
            return
        if is_aliased_in_loop(node, found[0], facts):
            return
        if all(name_is_used_as_number(facts, binding) for binding in found[1]):
            # Whole numbers take no fraction in place: torch refuses that since 1.5.
            is_refused = adds_whole_number(node, facts) and any(
                divides_in_place(binding.node) for binding in found[1]
            )
            numerics = Numerics.RESTORED if is_refused else Numerics.IDENTICAL
            message = _CUT if was_cut(node, found[0], facts) else None
            yield self.found(node, message, region=node.value, numerics=numerics, gives_number=True)

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        # What was a number before it was added to one: ``n = pred.eq(y).sum()``, ``total += n``.
        is_count = counts(node.value, "sum", facts) and was_number(node, "sum", facts)
        if is_count and is_named_for_total(node, facts):
            yield self.found(node, region=node.value, gives_number=True)

    def find_Call(self, node: ast.Call, facts: Facts) -> Iterator[Found]:
        if is_noticed_as_tensor(node, facts):
            yield self.found(node, _KEPT, numerics=Numerics.PINNED, gives_number=True)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        return cst.Call(cst.Attribute(value=as_operand(updated), attr=cst.Name("item")))
