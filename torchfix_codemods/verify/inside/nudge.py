"""Would a wrong number have shown? The values of changed statements are moved a little to see.

The run ends at the first event that is not what it was: then it would have.
"""

from __future__ import annotations

import ast
import builtins
import os
from typing import Any, Callable, Sequence

import torch

from .coverage import Ranges, own_lines
from .formats import crc_of_event
from .places import fill_places
from .trace import Trace

MARK = "__torchfix_nudged__"

#: Ends a run in which something was seen.
SEEN_STATUS = 77

_RELATIVE, _ABSOLUTE = 0.5, 0.25

#: What ends in an underscore and writes no numbers.
_WRITE_NOTHING = frozenset({"requires_grad_", "detach_", "share_memory_"})


def install(
    trace: Trace, changed: dict[str, Ranges], expected: dict[str, list[int]]
) -> Callable[[ast.Module, str], None]:
    """Be ready for the values.

    Args:
        trace: the record.
        changed: the lines whose values are to move, by path and key.
        expected: the CRC of each event of the run without, by process.

    Returns:
        what marks them in a module, given the module and its path within the tree.
    """
    counts = {"moved": 0}

    def nudged(value: Any, only_tensors: bool = False, in_place: bool = False) -> Any:
        if only_tensors and not isinstance(value, torch.Tensor):
            return value
        is_first = not counts["moved"]
        with trace.quiet():
            moved = _moved_in_place(value, counts) if in_place else _moved(value, counts)
        if is_first and counts["moved"]:
            trace.note({"nudged": True})
        return moved

    def look(event: dict[str, Any]) -> None:
        known = expected.get(trace.name, [])
        number = trace.count - 1
        if "thread" not in event and event["kind"] != "final":
            if number >= len(known) or crc_of_event(event) != known[number]:
                trace.note({"seen": number})
                os._exit(SEEN_STATUS)

    setattr(builtins, MARK, nudged)
    if changed:
        trace.after_event.append(look)
    return lambda tree, path: _mark(tree, changed.get(path, {}))


def _mark(tree: ast.Module, ranges: Ranges) -> None:
    if ranges:
        every = [pair for pairs in ranges.values() for pair in pairs]
        _Nudger(every).visit(tree)
        fill_places(tree)


class _Nudger(ast.NodeTransformer):
    def __init__(self, ranges: Sequence[Sequence[int]]) -> None:
        self.ranges = ranges

    def _is_changed(self, node: ast.stmt) -> bool:
        return any(
            start <= last and first <= end
            for first, last in own_lines(node)
            for start, end in self.ranges
        )

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if self._is_changed(node):
            node.value = _nudge(node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if self._is_changed(node):
            node.value = _nudge(node.value)
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is not None and self._is_changed(node):
            node.value = _nudge(node.value)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if not isinstance(node.value, ast.Call) or not self._is_changed(node):
            return node
        if _writes_in_place(node.value.func):
            # What it is given may be what it overwrites.
            node.value = _nudge(node.value, ast.Constant(True), ast.Constant(True))
        else:
            # What such a call gives goes nowhere; what it is given does not.
            node.value.args = [
                argument if isinstance(argument, ast.Starred) else _nudge(argument)
                for argument in node.value.args
            ]
            function = node.value.func
            if isinstance(function, ast.Attribute) and not node.value.args:
                function.value = _nudge(function.value, ast.Constant(True))
        return node


def _writes_in_place(function: ast.expr) -> bool:
    """Whether ``init.xavier_normal_`` or ``x.add_`` is called, which give what they wrote into."""
    name = getattr(function, "attr", getattr(function, "id", ""))
    return name.endswith("_") and not name.endswith("__") and name not in _WRITE_NOTHING


def _nudge(value: ast.expr, *more: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Call(ast.Name(MARK, ast.Load()), [value, *more], []), value)


def _moved(value: Any, counts: dict[str, int]) -> Any:
    """A value that is a little off; itself where it holds no numbers."""
    if isinstance(value, torch.Tensor):
        counts["moved"] += value.numel() > 0
        return _moved_tensor(value)
    if isinstance(value, bool):
        counts["moved"] += 1
        return not value
    if isinstance(value, int):
        counts["moved"] += 1
        return value + 1
    if isinstance(value, float):
        counts["moved"] += 1
        return value * (1 + _RELATIVE) + _ABSOLUTE
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_moved(item, counts) for item in value)
    if type(value) is dict:
        return {key: _moved(item, counts) for key, item in value.items()}
    if isinstance(value, torch.nn.Module):
        for parameter in value.parameters():
            _moved(parameter, counts)
            break
    return value


def _moved_in_place(value: torch.Tensor, counts: dict[str, int]) -> torch.Tensor:
    """The same tensor with numbers that are a little off."""
    counts["moved"] += value.numel() > 0
    with torch.no_grad():
        value.copy_(_moved_tensor(value.detach().clone()))
    return value


def _moved_tensor(value: torch.Tensor) -> torch.Tensor:
    if not value.numel():
        return value
    if value.is_floating_point() or value.is_complex():
        with torch.no_grad():
            offset = _signs(value) * (value.abs() * _RELATIVE + _ABSOLUTE).to(value.dtype)
            if value.is_leaf and value.requires_grad:
                # Whoever collects its gradients has to find the same tensor.
                value += offset
                return value
        return value + offset
    return ~value if str(value.dtype) == "torch.bool" else value + 1


def _signs(value: torch.Tensor) -> torch.Tensor:
    """+1 and -1 in turn, but irregularly: what is moved the same way keeps its order."""
    index = torch.arange(1, value.numel() + 1, device=value.device)
    signs = 1 - 2 * ((index * 40503 // 65536 + index) % 2)
    return signs.reshape(value.shape).to(value.dtype)
