"""`round(x.mean(), 3)`: Python rounds numbers only, which `.sum()` and `.mean()` gave until 0.3."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.test_cases import method_of_test_case
from torchfix_codemods.facts.libraries import assertions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Array, Number, Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.text.wording import worded, worded_operand

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)


_NO_ARRAYS = "Python rounds no arrays, also of one number"
_ASSERTED = "{} rounds the difference of what is not equal, and Python rounds no tensors"


class RoundedTensor(Rule):
    """
    ## What it does
    Gives Python's `round`, and `math.trunc`, the number that a tensor holds: `.item()`. So it does
    for an array that a tensor without dimensions became: `round(loss.data.numpy(), 2)`.

    ## Why
    Until 0.3 a reduction of what was no Variable gave a number of Python, and Python 2 rounded
    whatever could be made a `float`. Today both raise `TypeError: type Tensor doesn't define
    __round__ method`.

    ## Example
    ```python
    print(round(100.0 * (predicted == labels).sum() / 128, 2))
    ```
    becomes
    ```python
    print(round(100.0 * (predicted == labels).sum().item() / 128, 2))
    ```

    ## Numbers
    Restored: the call fails on today's torch and gives the rounded number afterwards.

    ## When it stays its hand
    Where what is rounded is not certainly a tensor without dimensions, nor made one number by
    `int(round(x))`. Of one that may have dimensions, a finding says what to write. So it is of what
    `assertAlmostEqual` of a test compares: that rounds the difference of what is not equal at once,
    unless it is given a `delta`.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.Tensor.item.html
    - https://pytorch.org/docs/stable/generated/torch.round.html
    """

    code = "TP420"
    name = "rounded-tensor"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = frozenset({"round", "trunc"}) | assertions.rounding()
    message = "Python rounds no tensors: .item() gives the number"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        asserted = method_of_test_case(call, facts.names, facts.classes)
        if asserted is not None and assertions.rounds(asserted):
            yield from self._find_asserted(call, asserted, facts)
            return
        is_round = facts.names.builtin(call.func) == "round"
        if not call.args or not (is_round or facts.name(call.func) == "math.trunc"):
            return
        value = facts.value(call.args[0])
        if isinstance(value, Array):
            yield from self._find_array(call, facts)
        if not isinstance(value, Tensor):
            return
        if value.ndim == 0 or _is_one_number(call, facts):
            yield self.found(call, path=_path_to_tensor(call.args[0], facts))
        else:
            tensor = worded(call.args[0], "x")
            whole = f"torch.{'round' if is_round else 'trunc'}({tensor}{_digits(call)})"
            if isinstance(call.args[0], (ast.BinOp, ast.UnaryOp)) and tensor != "x":
                tensor = f"({tensor})"
            others = [ast.unparse(each) for each in (*call.args[1:], *call.keywords)]
            number = f"{ast.unparse(call.func)}({', '.join([f'{tensor}.item()', *others])})"
            yield self.advice(
                call,
                f"Python rounds no tensors: write {number} for one number, {whole} for each of "
                "several",
            )

    def _find_array(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``round(a, 2)`` of ``a = loss.numpy()``; what is calculated with it is a number again."""
        start = Place(facts, call.args[0])
        if come_from([start], lambda place: [] if _is_one_array(place) else sources(place)):
            yield self.found(call, f"{_NO_ARRAYS}: .item() gives the number", path=())
        elif found_behind([start], lambda place: None if _is_one_array(place) else behind(place)):
            others = [ast.unparse(each) for each in (*call.args[1:], *call.keywords)]
            item = f"{worded_operand(call.args[0], 'x')}.item()"
            number = f"{ast.unparse(call.func)}({', '.join([item, *others])})"
            yield self.advice(call, f"{_NO_ARRAYS}: write {number}")

    def _find_asserted(self, call: ast.Call, method: str, facts: Facts) -> Iterator[Found]:
        """``self.assertAlmostEqual(x.mean(), 0.5)``."""
        if is_opaque(call) or argument(call, 4, "delta") is not None:
            return
        for compared in call.args[:2]:
            value = facts.value(compared)
            if isinstance(value, Tensor) and value.ndim == 0:
                written = f"{worded_operand(compared, '')}.item()" if worded(compared, "") else ""
                told = f"write {written}" if written else "give it .item()"
                yield self.advice(compared, f"{_ASSERTED.format(method)}: {told}")

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        first, *others = updated.args
        number = _with_item(first.value, self.data["path"])
        return updated.with_changes(args=[first.with_changes(value=number), *others])


def _is_one_array(place: Place) -> bool:
    """``loss.data.cpu().numpy()``, which has no dimension."""
    core, wrappers = unwrapped(place.node)
    if place.content or "numpy" not in wrappers or "tolist" in wrappers:
        return False
    value = place.facts.value(core)
    return isinstance(value, Tensor) and value.ndim == 0


def _is_one_number(call: ast.Call, facts: Facts) -> bool:
    """``int(round(x))``, which takes what has one element alone, whatever its dimensions are."""
    around = facts.parent(call)
    if not isinstance(around, ast.Call) or around.args != [call] or around.keywords:
        return False
    return facts.names.builtin(around.func) in ("int", "float")


def _digits(call: ast.Call) -> str:
    """``, decimals=2`` of ``round(x, 2)``, as torch calls it."""
    given = argument(call, 1, "ndigits")
    return "" if given is None or constant(given) is None else f", decimals={ast.unparse(given)}"


def _path_to_tensor(node: ast.expr, facts: Facts) -> tuple[str, ...]:
    """The sides to take to the tensor that a number is calculated of: ``100 * x / 3``."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, _ARITHMETIC):
        return ()
    for side, tensor, number in (
        ("left", node.left, node.right),
        ("right", node.right, node.left),
    ):
        if isinstance(facts.value(number), Number) and isinstance(facts.value(tensor), Tensor):
            return (side, *_path_to_tensor(tensor, facts))
    return ()


def _with_item(node: cst.BaseExpression, path: tuple[str, ...]) -> cst.BaseExpression:
    if path and isinstance(node, cst.BinaryOperation):
        side, *further = path
        inner = _with_item(getattr(node, side), tuple(further))
        return node.with_changes(**{side: inner})
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        if node.func.attr.value == "item":
            # As another rule has written it.
            return node
    if isinstance(node, cst.Attribute) and node.attr.value == "data":
        node = node.value
    return cst.Call(cst.Attribute(as_operand(node), cst.Name("item")))
