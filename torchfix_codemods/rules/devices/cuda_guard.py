"""An `if cuda:` around moves to the device is not needed once they are `.to(device)`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.placement import definition_of
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.devices.questions.cuda_flags import (
    flag_of_device,
    is_cuda_available,
)
from torchfix_codemods.rules.devices.questions.flag_settings import setting_of
from torchfix_codemods.rules.devices.questions.gpu_moves import tensor_on_gpu


class CudaGuard(Rule):
    """
    ## What it does
    Removes the guard of `if use_cuda: x = x.to(device)` where `device` is defined from the same
    flag, so that the move does nothing when the flag is not set. Also where the `else` branch is
    the same code without the move, and in the form `x.to(device) if use_cuda else x`.

    ## Why
    The guards are what `.to(device)` makes superfluous; each is a line that can be forgotten.

    ## Example
    ```python
    device = torch.device("cuda" if use_cuda else "cpu")
    if use_cuda:
        data, target = data.to(device), target.to(device)
    ```
    becomes
    ```python
    device = torch.device("cuda" if use_cuda else "cpu")
    data, target = data.to(device), target.to(device)
    ```

    ## Numbers
    Identical: what is on the CPU already is returned as it is by `.to("cpu")`.

    ## When it stays its hand
    Where the body does anything but move, where the flag is another one than the device's or can
    have changed since, and where a comment stands on the line of the `if`.

    ## References
    - https://pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
    - https://pytorch.org/docs/stable/generated/torch.Tensor.to.html
    """

    code = "TP202"
    name = "cuda-guard"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"cuda", "to"})
    message = "the guard is not needed: .to(device) does nothing where there is no GPU"

    def find_If(self, node: ast.If, facts: Facts) -> Iterator[Found]:
        if len(node.orelse) not in (0, len(node.body)):
            return
        if not node.orelse and not isinstance(node.body[0], (ast.Assign, ast.Expr)):
            return
        if not _moves_something(node, facts):
            return
        if node.orelse:
            devices = {_device_of_call(n) for s in node.body for n in ast.walk(s)} - {None}
        else:
            devices = {_device_of_move(statement, facts) for statement in node.body}
        device = devices.pop() if len(devices) == 1 else None
        if device is None or not _same_flag(device, node.test, node, facts):
            return
        if not node.orelse or _same_without_moves(node.body, node.orelse, device):
            yield self.found(node)

    def find_IfExp(self, node: ast.IfExp, facts: Facts) -> Iterator[Found]:
        device = _device_of_call(node.body)
        if device is None or not _same_flag(device, node.test, node, facts):
            return
        assert isinstance(node.body, ast.Call) and isinstance(node.body.func, ast.Attribute)
        if same_expression(node.body.func.value, node.orelse):
            yield self.found(node)

    def leave_If(
        self, original: cst.If, updated: cst.If
    ) -> cst.If | cst.FlattenSentinel[cst.BaseStatement]:
        if isinstance(updated.body, cst.SimpleStatementSuite):
            line = cst.SimpleStatementLine(
                updated.body.body, updated.leading_lines, updated.body.trailing_whitespace
            )
            return cst.FlattenSentinel([line])
        if not isinstance(updated.body, cst.IndentedBlock):
            return updated
        first, *others = updated.body.body
        if isinstance(first, (cst.SimpleStatementLine, cst.If, cst.For)):
            first = first.with_changes(leading_lines=[*updated.leading_lines, *first.leading_lines])
        return cst.FlattenSentinel([first, *others])

    def leave_IfExp(self, original: cst.IfExp, updated: cst.IfExp) -> cst.BaseExpression:
        return updated.body


def _moves_something(node: ast.If, facts: Facts) -> bool:
    """Whether there is a ``.to(…)`` in the lines of a branch."""
    first, last = node.body[0].lineno, node.body[-1].end_lineno or 0
    return any(first <= (call.end_lineno or 0) <= last for call in facts.names.method_calls("to"))


def _device_of_move(statement: ast.stmt, facts: Facts) -> str | None:
    """The device of ``x = x.to(device)``, of several at once, or of ``model.to(device)``."""
    if isinstance(statement, ast.Expr):
        is_module = isinstance(statement.value, ast.Call) and _is_module_move(
            statement.value, facts
        )
        return _device_of_call(statement.value) if is_module else None
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
        return None
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=False))
        if len(target.elts) != len(value.elts):
            return None
    else:
        pairs = [(target, value)]
    devices = {_device_of_call(value) for _, value in pairs}
    unmoved = [pair for pair in pairs if not _moves_itself(*pair)]
    if unmoved or len(devices) != 1:
        return None
    return devices.pop()


def _is_module_move(call: ast.Call, facts: Facts) -> bool:
    return isinstance(call.func, ast.Attribute) and facts.is_module(call.func.value)


def _moves_itself(target: ast.expr, value: ast.expr) -> bool:
    """``x = x.to(device)``, where the target is what is moved."""
    return (
        _device_of_call(value) is not None
        and isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and ast.unparse(value.func.value) == ast.unparse(target)
    )


def _device_of_call(node: ast.AST) -> str | None:
    """The text of ``device`` in ``x.to(device)``, with or without ``non_blocking=``."""
    if not (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "to"
        and len(node.args) == 1
        and _is_device(node.args[0])
        and all(keyword.arg == "non_blocking" for keyword in node.keywords)
    ):
        return None
    return ast.unparse(node.args[0])


def _is_device(node: ast.expr) -> bool:
    """``device`` or ``x.device``."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and node.attr == "device")


def _same_flag(device: str, test: ast.expr, node: ast.AST, facts: Facts) -> bool:
    """Whether ``device`` is the GPU just where ``test`` holds."""
    tensor = tensor_on_gpu(test, facts)
    if tensor is not None:
        return device == f"{ast.unparse(tensor)}.device"
    flag = flag_of_device(definition_of(device, node, facts), facts)
    if flag is None:
        return False
    if is_cuda_available(flag, facts):
        return is_cuda_available(test, facts) or _is_set_once_from(test, flag, facts)
    if _is_set_once_from(flag, test, facts):
        return True
    return same_expression(flag, test) and setting_of(test, facts) is not None


def _is_set_once_from(name: ast.expr, source: ast.expr, facts: Facts) -> bool:
    """Whether ``name`` is bound once, to ``torch.cuda.is_available()``, as ``source`` is."""
    if not isinstance(name, ast.Name) or not is_cuda_available(source, facts):
        return False
    found = facts.names.scope_of(name).lookup(name.id)
    if found is None or len(found[1]) != 1 or found[1][0].path:
        return False
    value = found[1][0].value
    return value is not None and is_cuda_available(value, facts)


def _same_without_moves(body: list[ast.stmt], orelse: list[ast.stmt], device: str) -> bool:
    plain = [_WithoutMoves(device).visit(copy.deepcopy(statement)) for statement in body]
    return [ast.dump(s) for s in plain] == [ast.dump(s) for s in orelse]


class _WithoutMoves(ast.NodeTransformer):
    def __init__(self, device: str) -> None:
        self._device = device

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if _device_of_call(node) == self._device and isinstance(node.func, ast.Attribute):
            return node.func.value
        return node
