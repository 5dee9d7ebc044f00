"""`correct += (pred == y).sum()` counts in a tensor: `.item()` makes it a number again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.language.scopes import Binding, Scope
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.numbers import name_is_used_as_number
from torchfix_codemods.facts.recording.elements import was_plain
from torchfix_codemods.facts.values.lattice import Number, Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)


_SHARE = "a share of matches was a number until 0.3, and is a tensor today: add .item()"

_CUT = (
    "a count added up in a tensor: add .item(); its quotients, which torch 0.4 to 1.4 cut to whole "
    "numbers, stay the fractions that they are today"
)


class TensorMetric(Rule):
    """
    ## What it does
    Appends `.item()` to a count of matches that is added to a Python number:
    `correct += (predicted == labels).sum()`. In a file for torch 0.3 also to the share of matches
    of what was no Variable: `accuracy += (predicted == labels.data).float().mean()`.

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
    shares: today's total of tensors is added up in float32.

    ## When it stays its hand
    Where the total does not start as a number or gets anything else, where a method of a tensor is
    called on it or on what is computed from it (`correct.item()`, `correct.double()`), where it
    is handed to code that is not known or kept under another name inside the loop, and where what
    is added is not certainly a count. In a file for torch 0.3 none of that matters for a count of
    what was no Variable (`predicted.eq(y.data).sum()`, `(predicted == y).data.sum()`): it was a
    number. Shares are left alone in files for newer torch.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.Tensor.item.html
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/
    """

    code = "TP606"
    name = "tensor-metric"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"sum", "mean"})
    message = "a count added up in a tensor: add .item()"

    def find_AugAssign(self, node: ast.AugAssign, facts: Facts) -> Iterator[Found]:
        reduction = next((name for name in ("sum", "mean") if _adds(node, name, facts)), None)
        if not isinstance(node.target, ast.Name) or reduction is None:
            return
        is_share = reduction == "mean"
        found = facts.names.scope_of(node).lookup(node.target.id)
        if _was_number(node, reduction, facts):
            # Whoever asks it for an item() knew better.
            if found is None or not _is_asked_as_tensor(found[0], node.target.id, facts):
                message, numerics = (_SHARE, Numerics.PINNED) if is_share else (None, self.numerics)
                yield self.found(
                    node, message, region=node.value, numerics=numerics, gives_number=True
                )
            return
        if is_share or found is None or found[0].kind not in ("function", "module"):
            return
        if not all(_is_number_or_count(binding, facts) for binding in found[1]):
            return
        if not any(binding.kind == "assign" for binding in found[1]):
            return
        if _is_aliased_in_loop(node, found[0], facts):
            return
        if all(name_is_used_as_number(facts, binding) for binding in found[1]):
            # Whole numbers take no fraction in place: torch refuses that since 1.5.
            is_refused = _adds_whole_number(node, facts) and any(
                _divides_in_place(binding.node) for binding in found[1]
            )
            numerics = Numerics.RESTORED if is_refused else Numerics.IDENTICAL
            message = _CUT if _was_cut(node, found[0], facts) else None
            yield self.found(node, message, region=node.value, numerics=numerics, gives_number=True)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        return cst.Call(cst.Attribute(value=as_operand(updated), attr=cst.Name("item")))


def _is_asked_as_tensor(scope: Scope, name: str, facts: Facts) -> bool:
    """Whether a total is asked for what no number has: ``correct.item()``, ``correct.data[0]``."""
    parents = ((use, facts.parent(use)) for use in facts.names.uses_of(scope, name))
    return any(
        isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is use
        for use, parent in parents
    )


def _was_number(node: ast.AugAssign, reduction: str, facts: Facts) -> bool:
    """Whether what is added was a number of Python, wherever the total goes: until torch 0.3.

    Both sides of the comparison were plain tensors where one of them was, or what it gave is.
    """
    if not facts.era_of(node).before((0, 4)):
        return False
    call = _below_passed_through(node.value)
    counted = _reduced(call, reduction, facts) if isinstance(call, ast.Call) else None
    parts = [] if counted is None else [counted, *_sides(counted)]
    return any(was_plain(facts, part) for part in parts)


def _sides(node: ast.expr | None) -> list[ast.expr]:
    """``pred`` and ``y`` of ``pred == y`` and of ``pred.eq(y).cpu()``."""
    node = node if node is None else _below_passed_through(node)
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [node.func.value, *node.args[:1]]
    return []


def _was_cut(node: ast.AugAssign, scope: Scope, facts: Facts) -> bool:
    """Whether the torch of the file cut a quotient of the total to a whole number."""
    assert isinstance(node.target, ast.Name)
    era = facts.era_of(node)
    if not era.before((1, 5)) or era.before((0, 4)) or not _adds_whole_number(node, facts):
        return False
    return any(_is_divided(use, facts) for use in facts.names.uses_of(scope, node.target.id))


def _is_divided(use: ast.expr, facts: Facts) -> bool:
    """Whether a total stands above the line: ``100. * correct / n``."""
    part: ast.AST = use
    while isinstance(outer := facts.parent(part), ast.BinOp):
        if isinstance(outer.op, ast.Div) and outer.left is part:
            return True
        part = outer
    return False


def _is_aliased_in_loop(node: ast.AugAssign, scope: Scope, facts: Facts) -> bool:
    """``last = correct`` in the same loop: adding to a tensor in place changes ``last`` as well."""
    assert isinstance(node.target, ast.Name)
    loops = {a for a in facts.names.ancestors(node) if isinstance(a, (ast.For, ast.While))}
    return any(
        isinstance(facts.parent(use), (ast.Assign, ast.Dict))
        and not loops.isdisjoint(facts.names.ancestors(use))
        for use in scope.uses.get(node.target.id, ())
    )


def _is_number_or_count(binding: Binding, facts: Facts) -> bool:
    """Whether a binding of the total is a number, adds a count to it, or calculates with it."""
    node = binding.node
    if isinstance(node, ast.AugAssign):
        return _adds(node, "sum", facts) or (
            isinstance(node.op, _ARITHMETIC) and isinstance(facts.value(node.value), Number)
        )
    if binding.kind != "assign" or binding.value is None:
        return False
    return isinstance(facts.inference.bound(binding), Number) or (
        not binding.path and _is_calculated(binding.value, binding.name, facts)
    )


def _is_calculated(node: ast.expr, total: str, facts: Facts) -> bool:
    """Whether an expression calculates with the total and numbers: ``100. * total / n``."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, _ARITHMETIC) and all(
            _is_calculated(side, total, facts) or isinstance(facts.value(side), Number)
            for side in (node.left, node.right)
        )
    return isinstance(node, ast.Name) and node.id == total


def _adds_whole_number(node: ast.AugAssign, facts: Facts) -> bool:
    value = facts.value(node.value)
    return isinstance(value, Tensor) and value.dtype == "int64"


def _divides_in_place(node: ast.AST) -> bool:
    return isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div)


def _adds(node: ast.AugAssign, reduction: str, facts: Facts) -> bool:
    """Whether the number or the share of elements is added for which a comparison holds."""
    if not isinstance(node.op, ast.Add) or not isinstance(node.value, ast.Call):
        return False
    value, call = facts.value(node.value), _below_passed_through(node.value)
    if not (isinstance(value, Tensor) and value.ndim == 0 and isinstance(call, ast.Call)):
        return False
    reduced = _reduced(call, reduction, facts)
    return reduced is not None and _is_comparison(reduced, facts)


def _reduced(call: ast.Call, reduction: str, facts: Facts) -> ast.expr | None:
    """``pred == y`` of ``(pred == y).sum()`` and of ``torch.sum(pred == y)``."""
    if call.keywords:
        return None
    if facts.name(call.func) == f"torch.{reduction}":
        return call.args[0] if len(call.args) == 1 else None
    if call.args or not isinstance(call.func, ast.Attribute) or call.func.attr != reduction:
        return None
    return call.func.value


def _is_comparison(node: ast.expr, facts: Facts) -> bool:
    node = _below_passed_through(node)
    value = facts.value(node)
    if not (isinstance(value, Tensor) and value.dtype == "bool"):
        return False
    if isinstance(node, ast.Compare):
        return True
    method = node.func if isinstance(node, ast.Call) else None
    return isinstance(node, ast.Name) or (
        isinstance(method, ast.Attribute) and torch_effects.compares(method.attr)
    )


def _below_passed_through(node: ast.expr) -> ast.expr:
    while True:
        inner = node.func if isinstance(node, ast.Call) and not node.args else node
        if not isinstance(inner, ast.Attribute) or not _keeps_count(inner.attr):
            return node
        node = inner.value


def _keeps_count(name: str) -> bool:
    """Whether a count stays what it is: a mask too, which ``.long()`` makes a number."""
    return torch_effects.does(name, "keeps") or name in ("float", "double", "long", "int")
