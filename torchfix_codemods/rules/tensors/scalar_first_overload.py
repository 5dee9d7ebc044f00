"""`p.add_(-lr, grad)` and its kind: the number is now `alpha=`, `beta=` or `value=`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument
from torchfix_codemods.facts.guards import is_signature_tried
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.libraries.scalars_first import OPERATIONS, numbers_first
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.tensors.calculated import is_of_numbers
from torchfix_codemods.facts.values.lattice import Number
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.tensors.questions.order import may_change_places


class ScalarFirstOverload(Rule):
    """
    ## What it does
    Writes the numbers of `add`, `sub`, `addcmul`, `addcdiv`, `addmm`, `addmv`, `addr`, `addbmm`
    and `baddbmm` behind the tensors, as `alpha=`, `beta=` and `value=`: of the methods, in place
    or not, and of the functions of `torch`. Where all of them are 1, as they are by default, they
    go.

    ## Why
    The overloads that take the number first are deprecated since torch 1.5, and warn. A reader
    takes `p.add_(-lr, grad)` for an addition of two things to `p`.

    ## Example
    ```python
    p.data.add_(-lr, grad)
    exp_avg_sq.mul_(beta2).addcmul_(1 - beta2, grad, grad)
    dist.addmm_(1, -2, x, y.t())
    ```
    becomes
    ```python
    p.data.add_(grad, alpha=-lr)
    exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    dist.addmm_(x, y.t(), beta=1, alpha=-2)
    ```

    ## Numbers
    Identical: torch translates the old overloads in just this way.

    ## When it stays its hand
    Where the receiver is not certainly a tensor, where `*args` or keywords other than `out=` are
    passed, where the code chooses between old and new torch itself, where a comment stands
    between the arguments, and where the arguments call something that another order could change:
    Python evaluates them from left to right.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.add.html
    - https://github.com/pytorch/pytorch/releases/tag/v1.5.0
    """

    code = "TP407"
    name = "scalar-first-overload"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    warns = True
    words = frozenset(name + end for name in OPERATIONS for end in ("", "_"))
    message = "the number in front of the tensors is deprecated: it is alpha=, beta= or value="

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        order = _order(call, facts)
        if order is None or is_opaque(call) or _has_comment(call, facts):
            return
        names = order[1]
        numbers = [call.args[index] for index in names]
        tensors = [call.args[index] for index in order[0]]
        # What is a tensor of one dimension or more fails here, before and after.
        if not all(_may_be_number(facts, number) for number in numbers):
            return
        if any(isinstance(facts.value(t), Number) for t in tensors):
            return
        if is_signature_tried(facts, call):
            return
        if may_change_places(facts, numbers, tensors):
            keywords = " and ".join(f"{name}=" for name in names.values())
            message = f"the number in front of the tensors is deprecated: it is {keywords}"
            if all(ast.unparse(number) in ("1", "1.0") for number in numbers):
                names, message = {}, f"{message}, 1 by default"
            yield self.found(call, message, tensors=order[0], names=names)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        tensors: list[int] = self.data["tensors"]
        names: dict[int, str] = self.data["names"]
        given = updated.args
        args = [given[index] for index in tensors]
        args += [keyword_argument(name, given[index].value) for index, name in names.items()]
        args += [arg for arg in given if arg.keyword is not None]
        return updated.with_changes(args=_laid_out(args, given))


def _order(call: ast.Call, facts: Facts) -> tuple[list[int], dict[int, str]] | None:
    """Where the tensors stand among the arguments, and what the numbers between them are called."""
    function = call.func
    name = facts.name(function) or ""
    if name.startswith("torch.") and name.count(".") == 1:
        is_method, operation = False, name.removeprefix("torch.")
    elif isinstance(function, ast.Attribute) and not name:
        is_method, operation = True, function.attr
    else:
        return None
    names = numbers_first(operation, len(call.args), is_method=is_method)
    if not names or any(k.arg != "out" for k in call.keywords):
        return None
    if isinstance(function, ast.Attribute) and is_method and not _is_tensor(function.value, facts):
        return None
    return [index for index in range(len(call.args)) if index not in names], names


def _may_be_number(facts: Facts, node: ast.expr) -> bool:
    """Whether an argument is no tensor of several numbers: one of none counts as its number."""
    return not facts.is_tensor(node) or is_of_numbers(facts, node, by_default=True)


def _is_tensor(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is a tensor: in a class of optimizers, also a gradient."""
    if facts.is_shown_tensor(node):
        return True
    if not isinstance(node, ast.Name):
        return _is_gradient(node, facts)
    if _holds_gradient(node, facts):
        return True
    # ``self.update(p, p.grad)``, and all else that calls the method.
    function, parameter = parameter_held(node, facts)
    if function is None or parameter is None:
        return False
    given = arguments_of_all_calls(function, parameter, facts) or []
    return bool(given) and all(
        _is_gradient(each, there)
        or there.is_shown_tensor(each)
        or (isinstance(each, ast.Name) and _holds_gradient(each, there))
        for there, each in given
    )


def _holds_gradient(name: ast.Name, facts: Facts) -> bool:
    values = facts.assigned(name) or []
    return bool(values) and all(_is_gradient(value, facts) for value in values)


def _is_gradient(node: ast.expr, facts: Facts) -> bool:
    if isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.value
    owner = facts.names.enclosing_class(node)
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "grad"
        and owner is not None
        and any((facts.name(base) or "").startswith("torch.optim.") for base in owner.bases)
    )


def _has_comment(call: ast.Call, facts: Facts) -> bool:
    """Whether a comment belongs to one of the arguments; their places change, and its does not."""
    lines = facts.segment(call).splitlines()
    return len(lines) > 1 and any("#" in line for line in lines)


def _laid_out(args: Sequence[cst.Arg], places: Sequence[cst.Arg]) -> list[cst.Arg]:
    """``args`` with the commas and line breaks of those that stood in their places.

    Where there are fewer than there were, the last one ends as the last one did.
    """
    places = [*places[: len(args) - 1], places[-1]]
    return [
        arg.with_changes(comma=place.comma, whitespace_after_arg=place.whitespace_after_arg)
        for arg, place in zip(args, places, strict=True)
    ]
