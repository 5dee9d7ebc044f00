"""Whether new tensors have another type or device than torch gives them by itself."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.language.arguments import argument, values_given
from torchfix_codemods.facts.language.nodes import indices
from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Number

#: Methods that convert to whole numbers: what was cut off by them does not matter.
WHOLE = frozenset({"long", "int"})

#: Methods that give the same of whole numbers as of floats that are whole.
EXACT = WHOLE | {"float"}


def may_change_default_type(facts: Facts) -> bool:
    """Whether the project says that new tensors are of another type than ``float32``."""
    return any(
        facts.is_mentioned(word) for word in ("set_default_tensor_type", "set_default_dtype")
    )


def may_change_default_device(facts: Facts) -> bool:
    """Whether the project says that ``torch.empty(2)`` is not to be on the CPU."""
    return facts.is_mentioned("set_default_device") or any(
        facts.name(getattr(item.context_expr, "func", item.context_expr)) == "torch.device"
        for statement in facts.names.nodes.get(ast.With, ())
        if isinstance(statement, ast.With)
        for item in statement.items
    )


def is_converted(
    call: ast.expr, facts: Facts, methods: frozenset[str] | None = None, is_whole: bool = False
) -> bool:
    """``torch.range(0, 3).view(1, 3).long()``: the dtype of the range itself does not matter.

    Args:
        call: what makes the tensor.
        facts: the facts of the module.
        methods: the methods that may convert it; any, and ``copy_`` and assignments into tensors,
            where None.
        is_whole: whether the numbers are whole ones, whatever their type, of a torch that
            calculates with tensors of two types: a multiple of them, a sum with a whole number, a
            remainder and a comparison are the same in each.
    """
    asks = functools.partial(_shows_dtype, methods, is_whole)
    return follow([Place(facts, call)], asks) is None


def _shows_dtype(
    methods: frozenset[str] | None, is_whole: bool, use: Use
) -> Iterable[Place] | None:
    """None for what may show the dtype of a tensor; else what is of the same dtype next."""
    facts, by = use.facts, use.by
    if use.kind == "item":
        return use.result()
    if use.kind == "attribute" and isinstance(by, ast.Attribute):
        return () if torch_effects.gives_no_memory(by.attr) and by.attr != "dtype" else None
    if use.kind == "compared" and is_whole:
        return ()
    if use.kind == "operand" and isinstance(by, ast.BinOp) and is_whole:
        if _becomes_float(use, by):
            return ()
        return use.result() if _stays_whole(use, by) else None
    if use.kind == "bound" and isinstance(by, ast.Assign):
        is_stored = methods is None and _is_stored_in_tensor(by, facts)
        # What nobody reads is not converted.
        return () if is_stored else [*_reads_in_function(use)] or None
    if use.kind == "iterated":
        return [*_reads_in_function(use)] or None
    if use.kind == "element":
        return use.result() if _are_alike(by, facts) else None
    if use.kind == "argument" and isinstance(by, ast.Call):
        if _makes_number(by, facts, methods):
            return ()
        if facts.name(by.func) == VARIABLE and use.node in by.args[:1]:
            return use.result()
        if use.place.content and _joins(by, use.node, facts):
            return [Place(facts, by)]
        result = _result_of_named_method(by, use.node, facts)
        if result is not None:
            return [Place(facts, result)]
        return () if methods is None and _copies(by, use.node) else [*use.taken()] or None
    if use.kind != "method" or not isinstance(by, ast.Call):
        return None
    assert isinstance(by.func, ast.Attribute)
    method = by.func.attr
    if is_whole and _tells_alike(use, by, method):
        return ()
    if torch_effects.hands_on(method) or (method == "to" and not _gives_dtype(by, facts)):
        return use.result()
    # ``x.type()`` names the type.
    is_given = method in ("type", "type_as", "to") and bool(values_given(by))
    converts = torch_effects.does(method, "casts") or method == "to"
    is_meant = converts if methods is None else method in methods
    return () if is_meant and (is_given or not (by.args or method == "type")) else None


def _are_alike(listed: ast.AST, facts: Facts) -> bool:
    """``[torch.arange(3), torch.arange(n)]``, which get the same dtype, whichever that is."""
    if not isinstance(listed, (ast.List, ast.Tuple)):
        return False
    calls = [each for each in listed.elts if isinstance(each, ast.Call)]
    made = {facts.name(call.func) for call in calls}
    is_one = len(calls) == len(listed.elts) and len(made) == 1 and None not in made
    return is_one and all(argument(call, None, "dtype") is None for call in calls)


def _joins(call: ast.Call, tensors: ast.expr, facts: Facts) -> bool:
    """Whether a call makes one tensor of several, as ``torch.cat`` does."""
    is_first = tensors in call.args[:1] and argument(call, None, "out") is None
    return is_first and torch_effects.does(facts.name(call.func) or "", "reshapes")


def _makes_number(call: ast.Call, facts: Facts, methods: frozenset[str] | None) -> bool:
    """``int(k)``: it gives the same number of Python, whatever the type of the tensor was."""
    name = facts.names.builtin(call.func)
    return name in ("int", "float") and (methods is None or name in methods)


def _reads_in_function(use: Use) -> Iterator[Place]:
    """Where a function reads the names that get a value, which nobody else does."""
    if all(_is_of_function(target, use.facts) for target, _ in use.targets()):
        yield from use.named()


def _is_of_function(target: ast.expr, facts: Facts) -> bool:
    """Whether only a function, or a comprehension, knows what it gives a value."""
    scope = facts.names.scope_of(target)
    is_inside = scope.kind in ("function", "comprehension")
    return is_inside and isinstance(target, ast.Name) and target.id in scope.bindings


def _stays_whole(use: Use, operation: ast.BinOp) -> bool:
    """``offsets * 4``: of whole numbers it gives the same whole numbers, as floats or not."""
    if isinstance(operation.op, (ast.Mod, ast.FloorDiv)):
        # As floats, what is divided by 0 is no error.
        divisor = operation.right
        return (
            isinstance(divisor, ast.Constant) and type(divisor.value) is int and divisor.value > 0
        )
    is_plain = isinstance(operation.op, (ast.Add, ast.Sub, ast.Mult))
    return is_plain and use.facts.value(_other(use, operation)) == Number("int")


def _becomes_float(use: Use, operation: ast.BinOp) -> bool:
    """``steps / n``, ``steps * 0.5``: that is of floats, of whichever type the numbers are."""
    value = use.facts.value(_other(use, operation))
    if isinstance(operation.op, ast.Div):
        return isinstance(value, Number)
    return isinstance(operation.op, (ast.Add, ast.Sub, ast.Mult)) and value == Number("float")


def _tells_alike(use: Use, call: ast.Call, method: str) -> bool:
    """``x.eq(2)``, ``x.nonzero()``; not ``x.isclose(y)``, which asks for one dtype, nor draws."""
    is_own = torch_table.gives_own_dtype(method) and not torch_effects.may_do(method, "samples")
    return is_own and all(isinstance(use.facts.value(g), Number) for g in values_given(call))


def _other(use: Use, operation: ast.BinOp) -> ast.expr:
    return operation.right if operation.left is use.node else operation.left


def _result_of_named_method(got: ast.Call, source: ast.expr, facts: Facts) -> ast.Call | None:
    """``getattr(x, ("cpu", "cuda")[y.is_cuda])()``, whichever of the methods lays x out anew."""
    result = facts.parent(got)
    if not (isinstance(result, ast.Call) and result.func is got) or values_given(result):
        return None
    if (
        facts.names.builtin(got.func) != "getattr"
        or len(got.args) != 2
        or got.args[0] is not source
    ):
        return None
    names = _texts_of(got.args[1])
    return result if names and all(map(torch_effects.rearranges, names)) else None


def _texts_of(node: ast.expr) -> set[str]:
    """The texts that an expression chooses from; none where it may be another one."""
    if isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, ast.Subscript) and isinstance(node.value, (ast.Tuple, ast.List)):
        parts = node.value.elts
    else:
        parts = [node]
    texts = {p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)}
    return texts if len(texts) == len({ast.dump(part) for part in parts}) else set()


def _gives_dtype(call: ast.Call, facts: Facts) -> bool:
    """``x.to(torch.float)``, ``x.to(y)``; not ``x.to(device)``."""
    given = call.args[:1]
    if len(call.args) > 1 or any(keyword.arg in ("dtype", "other") for keyword in call.keywords):
        return True
    return any(facts.is_tensor(one) or facts.name(one) is not None for one in given)


def _is_stored_in_tensor(statement: ast.Assign, facts: Facts) -> bool:
    """``x[0] = …``, which converts to what ``x`` is of; a list keeps what it gets.

    So does no mask and no tensor of indices: these want the dtype of ``x``.
    """
    return all(
        isinstance(target, ast.Subscript)
        and facts.is_tensor(target.value)
        and all(is_plain_index(index, facts) for index in indices(target.slice))
        for target in statement.targets
    )


def is_plain_index(index: ast.expr, facts: Facts) -> bool:
    """Whether it stands for one dimension: a number or a slice."""
    return isinstance(index, ast.Slice) or isinstance(facts.value(index), Number)


def _copies(call: ast.Call, source: ast.expr) -> bool:
    """``x.copy_(source)``, which converts to what ``x`` is of."""
    function = call.func
    is_copy = isinstance(function, ast.Attribute) and function.attr == "copy_"
    return is_copy and source in call.args[:1]
