"""Would a wrong number have shown? The values of changed statements are moved a little to see.

The run ends at the first event that is not what it was: then it would have.
"""

from __future__ import annotations

import ast
import builtins
import os
from typing import Any, Callable, Sequence

import torch

from ..coverage import Ranges, own_lines
from ..formats import REST_IS_OPEN, crc_of_event
from ..places import fill_places
from ..trace import Trace
from .moves import Mover

#: What is put around a value, the receiver of a method, what a loop goes through, and parameters
#: whose gradients are read.
VALUE, IN_PLACE, METHOD, ITEMS, GRADIENTS = (
    f"__torchfix_nudged_{name}__" for name in ("value", "in_place", "method", "items", "gradients")
)

#: Ends a run in which something was seen.
SEEN_STATUS = 77

#: What ends in an underscore and writes no numbers.
_WRITE_NOTHING = frozenset({"requires_grad_", "detach_", "share_memory_"})

_CLIPS = frozenset({"clip_grad_norm", "clip_grad_norm_", "clip_grad_value_"})


def install(
    trace: Trace,
    changed: dict[str, Ranges],
    expected: dict[str, list[int | None]],
    gently: bool = False,
) -> Callable[[ast.Module, str], None]:
    """Be ready for the values.

    Args:
        trace: the record.
        changed: the lines whose values are to move, by path and key.
        expected: the CRC of each event of the run without, by process; None for one that is not
            the same each time.
        gently: whether they move by little, because the program failed when they moved by more.

    Returns:
        what marks them in a module, given the module and its path within the tree.
    """
    told: list[bool] = []
    failed: list[bool] = []

    def tell() -> None:
        if not told:
            told.append(True)
            trace.note({"nudged": True})

    mover = Mover(tell, gently)

    def quietly(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def call(value: Any) -> Any:
            with trace.quiet():
                return function(value)

        return call

    def method(owner: Any, name: str, is_moved: bool) -> Any:
        if is_moved and isinstance(owner, torch.Tensor):
            return getattr(quietly(mover.moved)(owner), name)
        function, after = getattr(owner, name), mover.after(owner, name)
        if after is None:
            return function

        def call(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            with trace.quiet():
                after()
            return result

        return call

    def look(event: dict[str, Any]) -> None:
        known = expected.get(trace.name, [])
        number = trace.count - 1
        if event["kind"] == "error" or event.get("value") in ("failed", "error"):
            # That it fails, and what comes of that, is judged when it is over.
            failed.append(True)
        if failed:
            return
        if "thread" not in event and event["kind"] != "final":
            if known[-1:] == [REST_IS_OPEN] and number >= len(known) - 1:
                return
            wanted = known[number] if number < len(known) else 0
            if wanted is not None and crc_of_event(event) != wanted:
                trace.note({"seen": number})
                os._exit(SEEN_STATUS)

    for mark, function in (
        (VALUE, quietly(mover.moved)),
        (IN_PLACE, quietly(mover.in_place)),
        (GRADIENTS, quietly(mover.gradients)),
        (ITEMS, mover.items),
        (METHOD, method),
    ):
        setattr(builtins, mark, function)
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

    def visit(self, node: ast.AST) -> Any:
        """Change a statement that has changed lines of its own, and go on to those within."""
        is_changed = isinstance(node, ast.stmt) and any(
            start <= last and first <= end
            for first, last in own_lines(node)
            for start, end in self.ranges
        )
        if not isinstance(node, ast.expr):
            self.generic_visit(node)
        if is_changed:
            for kinds, change in _CHANGES:
                if isinstance(node, kinds):
                    return change(node)
        return node


def _of_value(node: Any) -> ast.AST:
    _Clips().visit(node)
    if node.value is not None:
        node.value = _nudge(node.value)
    return node  # type: ignore[no-any-return]


def _of_test(node: Any) -> ast.AST:
    node.test = _nudge_test(node.test, not isinstance(node, ast.While))
    return node  # type: ignore[no-any-return]


def _of_loop(node: Any) -> ast.AST:
    node.iter = _call(ITEMS, node.iter)
    return node  # type: ignore[no-any-return]


def _of_defaults(node: Any) -> ast.AST:
    arguments = node.args
    arguments.defaults = [_nudge(value) for value in arguments.defaults]
    arguments.kw_defaults = [value and _nudge(value) for value in arguments.kw_defaults]
    return node  # type: ignore[no-any-return]


def _of_import(node: Any) -> Any:
    if getattr(node, "module", None) == "__future__":
        return node
    names = [each.asname or each.name.partition(".")[0] for each in node.names if each.name != "*"]
    off = [
        ast.Assign([ast.Name(name, ast.Store())], _nudge(ast.Name(name, ast.Load())))
        for name in names
    ]
    return [node, *(ast.copy_location(statement, node) for statement in off)]


def _of_expression(node: Any) -> ast.AST:
    value = node.value
    if isinstance(value, ast.Yield) and value.value is not None:
        value.value = _nudge(value.value)
    elif isinstance(value, ast.YieldFrom):
        value.value = _call(ITEMS, value.value)
    elif isinstance(value, ast.Call):
        node.value = _called(value)
    return node  # type: ignore[no-any-return]


#: What becomes of a statement, by its kind.
_CHANGES: Sequence[tuple[tuple[type[ast.AST], ...], Callable[[Any], Any]]] = (
    ((ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return), _of_value),
    ((ast.If, ast.While, ast.Assert), _of_test),
    ((ast.For,), _of_loop),
    ((ast.FunctionDef, ast.AsyncFunctionDef), _of_defaults),
    ((ast.Import, ast.ImportFrom), _of_import),
    ((ast.Expr,), _of_expression),
)


def _called(call: ast.Call) -> ast.Call:
    """A call whose result goes nowhere, which has to be seen by what it is given, or does."""
    function = call.func
    if _name(function) in _CLIPS:
        return _Clips().visit(call)  # type: ignore[no-any-return]
    if _writes_in_place(function):
        # What it is given may be what it overwrites.
        return _call(IN_PLACE, call)
    is_bare = not call.args and all(isinstance(k.value, ast.Constant) for k in call.keywords)
    if _name(function) != "train":
        # Of that, the mode is changed afterwards.
        call.args = [
            argument if isinstance(argument, ast.Starred) else _nudge(argument)
            for argument in call.args
        ]
    for keyword in call.keywords:
        keyword.value = _nudge(keyword.value)
    if isinstance(function, ast.Attribute) and not function.attr.startswith("__"):
        given: list[ast.expr] = [ast.Constant(function.attr), ast.Constant(is_bare)]
        call.func = _call(METHOD, function.value, *given)
    return call


class _Clips(ast.NodeTransformer):
    """Moves the gradients that are clipped: what clipping gives mostly goes nowhere."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if _name(node.func) in _CLIPS and node.args:
            node.args[0] = _call(GRADIENTS, node.args[0])
        return node


def _name(function: ast.expr) -> str:
    return str(getattr(function, "attr", getattr(function, "id", "")))


def _writes_in_place(function: ast.expr) -> bool:
    """Whether ``init.xavier_normal_`` or ``x.add_`` is called, which give what they wrote into."""
    name = _name(function)
    return name.endswith("_") and not name.endswith("__") and name not in _WRITE_NOTHING


def _nudge_test(test: ast.expr, may_turn: bool) -> ast.expr:
    """A condition whose numbers are a little off; one without any is turned round."""
    if isinstance(test, ast.Compare):
        test.left = _nudge(test.left)
    elif isinstance(test, ast.BoolOp):
        test.values = [_nudge_test(value, may_turn) for value in test.values]
    elif isinstance(test, ast.UnaryOp):
        test.operand = _nudge_test(test.operand, may_turn)
    elif may_turn:
        return _nudge(test)
    return test


def _nudge(value: ast.expr) -> ast.expr:
    if isinstance(value, ast.Constant) and not isinstance(value.value, (int, float)):
        return value
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mod) and _is_text(value.left):
        # What goes into a text is moved, as few of its digits may come out.
        value.right = _nudge(value.right)
        return value
    if isinstance(value, ast.JoinedStr):
        for part in value.values:
            if isinstance(part, ast.FormattedValue):
                part.value = _nudge(part.value)
        return value
    if isinstance(value, ast.Call) and _name(value.func) == "format":
        if _is_text(getattr(value.func, "value", None)):
            value.args = [
                each if isinstance(each, ast.Starred) else _nudge(each) for each in value.args
            ]
            for keyword in value.keywords:
                keyword.value = _nudge(keyword.value)
            return value
    return _call(VALUE, value)


def _is_text(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _call(name: str, value: ast.expr, *more: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [value, *more], []), value)
