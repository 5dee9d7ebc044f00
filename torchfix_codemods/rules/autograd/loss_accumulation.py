"""`total += loss` keeps the graph of every step alive: `.detach()` lets it go."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.language.nodes import same_target
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.backward import (
    is_used_up,
    may_be_back_propagated,
    may_be_used_up,
)
from torchfix_codemods.facts.paths.writes import is_modified
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.values.lattice import Mapping, Number, Sequence, Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.loss_holders import (
    is_carried_over,
    is_read_as_numbers,
    is_sum,
)

_ADDING = (ast.Add, ast.Sub)


class LossAccumulation(Rule):
    """
    ## What it does
    Appends `.detach()` to a loss that is added up or collected over the steps of a loop after
    `backward()` was called on it: `total += loss`, `total = total + loss`, `losses.append(loss)`,
    `history[step] = loss`. In a list that only numpy and matplotlib read, it is `.item()`.

    ## Why
    The sum is a tensor with a graph, and that graph holds those of all steps: memory grows until
    the run ends. Where numpy or matplotlib get such a loss, they raise `Can't call numpy() on
    Tensor that requires grad`.

    ## Example
    ```python
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        total += loss
        losses.append(loss)
    print(total / len(loader))
    plt.plot(losses)
    ```
    becomes
    ```python
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        total += loss.detach()
        losses.append(loss.item())
    print(total / len(loader))
    plt.plot(losses)
    ```

    ## Numbers
    Identical with `.detach()`: the sum is computed in float32 on the same device as before. With
    `.item()` it would be computed in double precision, and its last digits would change; nor does
    `.detach()` wait for the GPU. `.item()` is restored: numpy refuses the list of today.

    ## When it stays its hand
    Only a loss whose graph `backward()` has used up is detached: no one can back-propagate through
    it again. So `backward()` has to be called beside the sum, without `retain_graph`, on the loss
    or on what arithmetic makes of it. Sums that are back-propagated themselves (of several losses,
    over the steps in time, for gradient accumulation), or that get to `backward()` by any way in
    sight, stay. So does everything under `no_grad`, a loss that is `.item()` or `.data` already,
    what is not certainly a tensor, a sum or list that is not certainly one, a user's own meters,
    and what the next step replaces (`logs["loss"] = loss`).

    ## References
    - https://pytorch.org/docs/stable/notes/faq.html
    - https://pytorch.org/docs/stable/generated/torch.Tensor.detach.html
    """

    code = "TP105"
    name = "loss-accumulation"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"backward", "append"})
    message = "the graphs of all steps are kept with the losses: add .detach()"

    def find_AugAssign(self, node: ast.AugAssign, facts: Facts) -> Iterator[Found]:
        if isinstance(node.op, _ADDING) and _may_hold_losses(node.value, facts):
            if is_carried_over(node.target, node, facts) and is_sum(node.target, node, facts):
                yield from self._find_kept(node.value, node.target, facts)

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        target, value = node.targets[0], node.value
        if not isinstance(target, ast.Subscript) and not isinstance(value, ast.BinOp):
            return
        if len(node.targets) != 1 or not _may_hold_losses(value, facts):
            return
        if isinstance(target, ast.Subscript) and isinstance(
            facts.value(target.value), (Mapping, Sequence)
        ):
            # Under the same key, the next step takes the place of this one.
            if isinstance(target.slice, ast.Constant) or not is_carried_over(target, node, facts):
                return
        elif not (isinstance(value, ast.BinOp) and _adds_to(target, value)):
            return
        elif not (is_carried_over(target, node, facts) and is_sum(target, node, facts)):
            return
        yield from self._find_kept(value, target, facts)

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        method = call.func
        if not isinstance(method, ast.Attribute) or method.attr != "append":
            return
        if len(call.args) != 1 or call.keywords or not _may_hold_losses(call.args[0], facts):
            return
        if not is_carried_over(method.value, call, facts):
            return
        if not isinstance(facts.value(method.value), Sequence):
            return
        value = call.args[0]
        is_number = _is_single(value, facts) and is_read_as_numbers(method.value, facts)
        for found in self._find_kept(value, method.value, facts):
            if not is_number:
                yield found
            else:
                yield self.found(
                    value,
                    "numpy and matplotlib need numbers: add .item()",
                    numerics=Numerics.RESTORED,
                    method="item",
                )

    def _find_kept(self, value: ast.expr, holder: ast.expr, facts: Facts) -> Iterator[Found]:
        if is_under_no_grad(value, facts):
            return
        terms = [term for term in _terms(value) if not same_target(term, holder)]
        losses = [term for term in terms if _may_have_graph(term, facts)]
        if not losses or may_be_back_propagated(facts, holder):
            return
        if not all(isinstance(loss, ast.Name) and is_used_up(facts, loss) for loss in losses):
            return
        for loss in losses:
            yield self.found(loss, cuts_graph=True, method="detach")

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.Call:
        tensor = updated.with_changes(lpar=[], rpar=[])
        method = cst.Attribute(value=tensor, attr=cst.Name(self.data["method"]))
        return cst.Call(func=method, lpar=updated.lpar, rpar=updated.rpar)


def _may_hold_losses(value: ast.expr, facts: Facts) -> bool:
    """Whether there is a name among the terms where something is back-propagated."""
    return any(isinstance(term, ast.Name) and may_be_used_up(facts, term) for term in _terms(value))


def _terms(node: ast.expr) -> Iterator[ast.expr]:
    """What a sum, a multiple or a tuple is made of."""
    if isinstance(node, ast.BinOp):
        yield from _terms(node.left)
        yield from _terms(node.right)
    elif isinstance(node, ast.UnaryOp):
        yield from _terms(node.operand)
    elif isinstance(node, (ast.Tuple, ast.List)):
        for element in node.elts:
            yield from _terms(element)
    elif isinstance(node, ast.Dict):
        for element in node.values:
            yield from _terms(element)
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and torch_effects.hands_on_graph(node.func.attr)
    ):
        yield from _terms(node.func.value)
    else:
        yield node


def _adds_to(target: ast.expr, value: ast.expr) -> bool:
    """``total + loss``, ``(n * mean + loss) / (n + 1)``."""
    adds = (isinstance(n, ast.BinOp) and isinstance(n.op, _ADDING) for n in ast.walk(value))
    return any(adds) and any(same_target(term, target) for term in _terms(value))


def _may_have_graph(node: ast.expr, facts: Facts) -> bool:
    """Whether a term could bring a graph with it: a tensor, or the result of an unknown call."""
    value = facts.value(node)
    if isinstance(value, Tensor):
        return value.grad is not False
    return isinstance(node, ast.Call) and not isinstance(value, Number)


def _is_single(loss: ast.expr, facts: Facts) -> bool:
    """Whether a name stands for one number in a tensor, which nothing changes in place later."""
    if not isinstance(loss, ast.Name) or is_modified(facts, loss):
        return False
    value = facts.value(loss)
    return isinstance(value, Tensor) and value.single
