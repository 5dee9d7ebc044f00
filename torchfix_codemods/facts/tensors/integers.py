"""Tensors of whole numbers: which expressions are one, and where they are indices."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import calls_of
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.in_turn import may_be_replaced
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import (
    Array,
    Device,
    Module,
    Number,
    Sequence,
    Tensor,
    Text,
    Unknown,
    Value,
)

_DTYPES = frozenset({"int64", "int32", "int16", "int8", "uint8"})
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Mod, ast.FloorDiv)

_GIVING_ON = frozenset({"abs", "max", "min"})
#: What gives the numbers of a tensor as they are to numpy and Python.
_LEAVING = frozenset({"item", "numpy", "tolist"})

_MAX_DEPTH = 8

#: What functions of torch.nn take for places in a table, and for how long sequences are.
_TAKING = {
    "torch.nn.functional.embedding": (0, "input"),
    "torch.nn.utils.rnn.pack_padded_sequence": (1, "lengths"),
}

#: What operations call the places of numbers, and how many of them to find: ``topk(k=n)``.
_WHOLE = ("index", "k")


def holds_integers(value: Value) -> bool:
    """Whether a value is certainly a tensor of whole numbers."""
    return isinstance(value, Tensor) and value.dtype in _DTYPES


def is_int(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is certainly a whole number of Python, and no tensor."""
    return facts.value(node) == Number("int")


def is_float(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is certainly a float, or a tensor of floats."""
    value = facts.value(node)
    if isinstance(value, Tensor):
        return value.dtype is not None and value.dtype.startswith("float")
    return value == Number("float")


def is_no_int(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression certainly gives no whole number of Python: a quotient, ``x + 0.1``."""
    if depth > _MAX_DEPTH:
        return False
    if is_float(facts, node):
        return True
    if isinstance(node, ast.BinOp):
        parts = (node.left, node.right)
        is_mixed = isinstance(node.op, (*ARITHMETIC, ast.Pow))
        return isinstance(node.op, ast.Div) or (
            is_mixed and any(is_no_int(facts, part, depth + 1) for part in parts)
        )
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and is_no_int(facts, node.operand, depth + 1)
    assigned = facts.assigned(node) if isinstance(node, ast.Name) else None
    return bool(assigned) and all(is_no_int(facts, value, depth + 1) for value in assigned or ())


def gives_on(facts: Facts, by: ast.AST | None, number: ast.expr) -> bool:
    """Whether a number may come out as it went in: ``min(number, 5)``, ``number if … else 2``.

    Args:
        facts: the facts of the module.
        by: what takes the number.
        number: the number, an operand or an argument of it.
    """
    if isinstance(by, ast.IfExp):
        return by.test is not number
    if not isinstance(by, ast.Call) or number not in by.args:
        return False
    return facts.names.builtin(by.func) in _GIVING_ON


def is_used_as_index(facts: Facts, node: ast.expr) -> bool:
    """Whether the value of ``node`` certainly comes to a place where floats are no index."""
    way = follow([Place(facts, node)], _takes_as_index)
    return way is not None and not way.is_cut


def is_held_for_index(name: ast.Name, facts: Facts) -> bool:
    """Whether a function that reads a name certainly takes what it holds for an index as well.

    ``self.embed(words)`` in a line that runs whenever the other one does.

    Args:
        name: the name where it is read.
        facts: the facts of the module.
    """
    held, scope = facts.flow.reaching(name), facts.names.scope_of(name)
    function = facts.names.enclosing_function(name)
    uses = facts.flow.uses_reached_by(held, scope, name.id)
    ways = (follow([Place(facts, use)], _takes_as_index) for use in uses)
    return any(
        way is not None and not way.is_cut and _is_passed_with(name, function, way.uses, held)
        for way in ways
    )


def _is_passed_with(
    node: ast.expr, function: ast.AST | None, uses: tuple[Use, ...], held: Collection[Binding]
) -> bool:
    """Whether each run that comes to a node goes all of a way, on into functions called there.

    Args:
        node: the node.
        function: the function that it stands in.
        uses: the way.
        held: what the name at the start of the way is bound to.
    """
    start: ast.AST = node
    before: Use | None = None
    for use in uses:
        inside = use.facts.names.enclosing_function(use.node)
        if inside is not function:
            if before is None or before.kind != "argument" or not _runs_whole(inside, use.facts):
                return False
            assert isinstance(inside, ast.FunctionDef)
            function, start = inside, inside.body[0]
        exits = () if function is None else use.facts.inference.exits.get(function, ())
        if not use.facts.inference.branches.runs_with(use.node, start):
            return False
        if any(each.lineno < use.node.lineno for each in exits):
            return False
        if not _holds_only(use, held):
            return False
        before = use
    return True


def _runs_whole(function: ast.AST | None, facts: Facts) -> bool:
    """Whether a call certainly runs what stands in a function: no class below has another one."""
    if not isinstance(function, ast.FunctionDef) or facts.classes.is_wrapped(function):
        return False
    if isinstance(facts.parent(function), ast.ClassDef) and may_be_replaced(facts, function):
        return False
    return not any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in own_nodes(function))


def _holds_only(use: Use, held: Collection[Binding]) -> bool:
    """Whether a name on the way holds the value, and on no other way something else."""
    if not isinstance(use.node, ast.Name):
        return True
    bindings = use.facts.flow.reaching(use.node)
    return len(bindings) == 1 or all(each in held for each in bindings)


def bounds_slice(facts: Facts, node: ast.expr) -> bool:
    """Whether the value of ``node`` certainly comes to bound a slice: ``buffer[start:]``.

    Tensors of floats do not, nor those that require gradients.
    """
    way = follow([Place(facts, node)], _bounds_slice)
    return way is not None and not way.is_cut


def _bounds_slice(use: Use) -> Iterable[Place] | None:
    """None for the bound of a slice; else what holds a value next, or is calculated of it."""
    if use.kind == "index":
        return None if isinstance(use.facts.parent(use.node), ast.Slice) else ()
    return use.named() if use.kind == "bound" else use.result() if use.kind == "operand" else ()


def _takes_as_index(use: Use) -> Iterable[Place] | None:
    """None for what takes a value for an index; else what holds it next, or is calculated of it."""
    by = use.by
    if use.kind == "index" and not use.place.content:
        is_index = isinstance(by, ast.Subscript) and _is_indexed(use.facts, by, use.node)
        return None if is_index else ()
    if use.kind == "argument" and isinstance(by, ast.Call):
        is_index = not use.place.content and _takes_index(use.facts, by, use.node)
        return None if is_index else _kept(use)
    if use.kind == "attribute":
        return use.result() if isinstance(by, ast.Attribute) and by.attr == "data" else ()
    if use.kind == "method" and isinstance(by, ast.Call) and isinstance(by.func, ast.Attribute):
        moves = by.func.attr == "to" and all(
            isinstance(use.facts.value(given), Device) for given in by.args
        )
        return use.result() if moves or _hands_on(by) else ()
    if use.kind in ("item", "iterated") and not use.place.content:
        # One of a list may be another list, which a tensor takes with floats in it.
        if isinstance(use.facts.value(use.node), Sequence):
            return ()
    if use.kind in ("bound", "unpacked", "iterated"):
        return use.named()
    if use.kind == "returned":
        return _to_only_call(use)
    return use.result() if use.kind in ("chosen", "element", "item", "operand") else ()


def _to_only_call(use: Use) -> list[Place]:
    """The call that a value is returned to, where there is no other one: each is given its own.

    ``move(x)`` of scores tells nothing of ``x[move(i)]``, nor does that of the scores.
    """
    calls, facts = [*use.returned()], use.facts
    function = facts.names.enclosing_function(use.node)
    if len(calls) != 1 or not isinstance(function, ast.FunctionDef):
        return []
    if facts.files is None or facts.names.enclosing_function(function) is not None:
        return calls
    return calls if len(calls_of(facts, facts.files, function)) == 1 else []


def _hands_on(call: ast.Call) -> bool:
    """Whether a method gives an index on, with its values or with what is calculated of them.

    ``x.max()`` gives one of them, where ``x.max(1)`` gives their places as well.
    """
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    is_bare = not call.args and not call.keywords
    if is_bare and (method in _GIVING_ON or method in _LEAVING):
        return True
    return torch_effects.rearranges(method) or method in ("add", "sub", "mul")


def _kept(use: Use) -> Iterator[Place]:
    """``self.origins`` of ``self.origins.append(index)``, and what reads the parameter given."""
    yield from use.taken()
    append = use.by.func if isinstance(use.by, ast.Call) else None
    if isinstance(append, ast.Attribute):
        owner = use.facts.names.enclosing_class(use.by)
        is_list = isinstance(use.facts.value(append.value), Sequence)
        for place in use.held() if is_list else ():
            if use.facts.names.enclosing_class(place.node) is owner:
                yield place


def _is_indexed(facts: Facts, part: ast.Subscript, index: ast.expr) -> bool:
    """A dict takes any key, so what is indexed has to be known.

    Tensors take arrays and lists of floats as well, and cut them off: only beside the places of the
    rows, ``x[np.arange(n), y]``, are they the places of one number of each.
    """
    whole = facts.value(part.value)
    if isinstance(whole, Tensor) and isinstance(facts.value(index), (Array, Sequence)):
        places = part.slice.elts if isinstance(part.slice, ast.Tuple) else []
        return any(isinstance(facts.value(each), Array) for each in places if each is not index)
    return isinstance(whole, (Tensor, Array, Sequence, Text))


def _takes_index(facts: Facts, call: ast.AST | None, node: ast.expr) -> bool:
    if not isinstance(call, ast.Call) or any(isinstance(a, ast.Starred) for a in call.args):
        return False
    name = facts.name(call.func)
    if name is not None:
        module = name.rpartition(".")[0]
        if name in _TAKING:
            return argument(call, *_TAKING[name]) is node
        places = _WHOLE if module == "torch" else ()
        is_index = any(_is_given(call, name, one, 0, node) for one in places)
        return is_index or _is_count(call, name, 0, node)
    if isinstance(call.func, ast.Name) and call.func.id == "range":
        return node in call.args and facts.names.builtin(call.func) is not None
    callee = facts.value(call.func)
    if isinstance(callee, Module):
        return callee.cls == "torch.nn.Embedding" and call.args[:1] == [node]
    if not isinstance(call.func, ast.Attribute):
        return False
    name, receiver = f"torch.Tensor.{call.func.attr}", facts.value(call.func.value)
    if isinstance(receiver, Tensor) and _is_count(call, name, 1, node):
        return True
    if not any(_is_given(call, name, one, 1, node) for one in _WHOLE):
        return False
    return isinstance(receiver, Tensor) or (
        isinstance(receiver, Unknown) and call.func.attr not in method_names(facts.names)
    )


def _is_count(call: ast.Call, name: str, above: int, node: ast.expr) -> bool:
    """``torch.zeros(n)``, ``x.expand(b, n)``: whether a size, or a dimension, is asked for."""
    place = call.args.index(node) if node in call.args else None
    return place is not None and torch_table.takes_whole_numbers(name, place + above)


def _is_given(call: ast.Call, name: str, argued: str, above: int, node: ast.expr) -> bool:
    """Whether a call of an operation gives it ``node`` for an argument, behind the tensor."""
    place = torch_table.place_of(name, argued)
    return place is not None and argument(call, place - above, argued) is node
