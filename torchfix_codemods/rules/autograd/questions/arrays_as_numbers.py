"""Arrays of tensors where one number is wanted: ``"%f" % loss.data.numpy()``."""

from __future__ import annotations

import ast
from typing import Literal

from torchfix_codemods.facts.evidence.refining import is_of_one_element
from torchfix_codemods.facts.guards import handlers_around
from torchfix_codemods.facts.language.arguments import values_given, whole_number
from torchfix_codemods.facts.libraries.torch_effects import is_cast
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import has_to_be_number
from torchfix_codemods.facts.tensors.calculated import terms_of
from torchfix_codemods.facts.tensors.dimensional import has_dimensions
from torchfix_codemods.facts.tensors.trained import is_differentiated, is_made_as_trained
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.dtypes import is_floating, named
from torchfix_codemods.facts.values.lattice import Number, Tensor, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.text.wording import worded, worded_operand

_NO_NUMBER = "NumPy takes no array that has a dimension for a number since 2.4: use .item()"
_LONG_WAY = "a tensor that holds one number gives it by .item()"

_SAID = {
    "fails": (_NO_NUMBER, Numerics.RESTORED),
    "may fail": (_NO_NUMBER, Numerics.IDENTICAL),
    "needless": (_LONG_WAY, Numerics.IDENTICAL),
}

#: What the array of several numbers, or ``.item()`` of them, raises, and what catches that.
_ERRORS = frozenset("TypeError ValueError RuntimeError Exception BaseException".split())


def number_of_array(facts: Facts, call: ast.Call) -> tuple[str, Numerics, ast.Call] | None:
    """What is said of a tensor, or of its array, where one number is wanted.

    Args:
        facts: the facts of the module.
        call: ``x.data.cpu().numpy()``, or ``float(x.data)``.

    Returns:
        the message, the claim, and the call that becomes ``item()``: this one, or ``float(…)``
        around it where ``item()`` gives just that. None where it stays.
    """
    if _is_number_cast(call, facts):
        return _LONG_WAY, Numerics.IDENTICAL, call
    verdict = _array_as_number(facts, call)
    if verdict is None or (verdict == "needless" and _stays_beside(call, facts)):
        return None
    message, claim = _SAID[verdict]
    cast = _cast_around(call, facts)
    return message, claim, call if cast is None or _is_cast_beside(call, facts) else cast


def cast_of(element: ast.Subscript, facts: Facts) -> ast.Call | None:
    """``float(x.data[0])``, where ``x.item()`` gives just that, in all of the function.

    Args:
        element: ``x.data[0]``, which is the number of a tensor.
        facts: the facts of the module.
    """
    cast = _cast_around(element, facts)
    if cast is None:
        return None
    function = facts.names.enclosing_function(element)
    alike = (
        one
        for one in facts.names.nodes.get(ast.Subscript, ())
        if isinstance(one, ast.Subscript)
        and facts.names.enclosing_function(one) is function
        and ast.dump(one.slice) == ast.dump(element.slice)
        and "data" in unwrapped(one.value)[1]
        and _casts(facts.parent(one), facts)
    )
    return cast if all(_cast_around(one, facts) is not None for one in alike) else None


def _is_number_cast(cast: ast.Call, facts: Facts) -> bool:
    """Whether ``float(x.data)`` is ``x.item()``, and so is all that is like it in its function."""
    if not _casts_data(cast, facts) or not _gives_same(cast, cast.args[0], facts):
        return False
    function = facts.names.enclosing_function(cast)
    casts = (facts.parent(read) for read in facts.names.attributes("data"))
    return all(
        _gives_same(one, one.args[0], facts)
        for one in casts
        if isinstance(one, ast.Call) and facts.names.enclosing_function(one) is function
        if _casts_data(one, facts)
    )


def _casts_data(cast: ast.Call, facts: Facts) -> bool:
    given = cast.args[0] if len(cast.args) == 1 and not cast.keywords else None
    is_data = isinstance(given, ast.Attribute) and given.attr == "data"
    return is_data and facts.names.builtin(cast.func) == "float"


def said_of_calculated_array(facts: Facts, index: ast.Subscript) -> str | None:
    """What is told of ``(loss.data.numpy() / n)[0]``, whose array has no dimension today.

    Args:
        facts: the facts of the module.
        index: an index into what is calculated.

    Returns:
        what to write for the number; None where the array may have more of them.
    """
    if not isinstance(index.value, ast.BinOp) or whole_number(index.slice) != 0:
        return None
    terms = [*terms_of(index.value)]
    arrays = [term for term in terms if "numpy" in unwrapped(term)[1]]
    others = [term for term in terms if term not in arrays]
    if len(arrays) != 1 or not isinstance(index.ctx, ast.Load):
        return None
    core, value = unwrapped(arrays[0])[0], facts.value(unwrapped(arrays[0])[0])
    if not isinstance(value, Tensor) or not value.single or value.ndim:
        return None
    if value.ndim is None and not facts.era_of(index).before((0, 4)):
        return None
    if not all(isinstance(facts.value(other), (Number, Unknown)) for other in others):
        return None
    tensor = worded(core, "the tensor")
    has_none = f"{tensor} has no dimensions"
    where = f", as {has_none}" if value.ndim == 0 else f" where {has_none}, as single numbers"
    unknown = [worded(o, "the rest") for o in others if not isinstance(facts.value(o), Number)]
    unless = f", unless {' or '.join(unknown)} has some" if unknown else ""
    number = f"{worded_operand(core, '...')}.item()"
    written = ast.unparse(index.value).replace(ast.unparse(arrays[0]), number)
    return f"[0] raises{where} since torch 0.4{unless}: write {written}"


def _casts(call: ast.AST | None, facts: Facts) -> bool:
    return isinstance(call, ast.Call) and facts.names.builtin(call.func) in ("float", "int")


def _cast_around(number: ast.expr, facts: Facts) -> ast.Call | None:
    """``float(x)`` or ``int(x)`` where that does nothing to the number of a tensor."""
    cast = facts.parent(number)
    if isinstance(cast, ast.Call) and cast.args == [number] and not cast.keywords:
        return cast if _gives_same(cast, number, facts) else None
    return None


def _stays_beside(call: ast.Call, facts: Facts) -> bool:
    """Whether another array stands for a number in the same statement, and stays."""
    statement = facts.statement(call)
    return any(
        facts.statement(other) is statement
        and has_to_be_number(facts, other)
        and _array_as_number(facts, other) is None
        for other in facts.names.method_calls("numpy")
    )


def _is_cast_beside(call: ast.Call, facts: Facts) -> bool:
    """Whether another array of the same statement keeps its cast: ``int(i.item()), float(x)``."""
    statement = facts.statement(call)
    return any(
        _casts(facts.parent(other), facts)
        and facts.statement(other) is statement
        and has_to_be_number(facts, other)
        and _cast_around(other, facts) is None
        for other in facts.names.method_calls("numpy")
    )


def _gives_same(cast: ast.Call, number: ast.expr, facts: Facts) -> bool:
    """Whether ``float(x)`` or ``int(x)`` does nothing to the number of a tensor."""
    name, core = facts.names.builtin(cast.func), _tensor_of(number)
    value = facts.value(core)
    dtype = value.dtype if isinstance(value, Tensor) else None
    cast_to = core.func if isinstance(core, ast.Call) and not values_given(core) else None
    if dtype is None and isinstance(cast_to, ast.Attribute):
        dtype = named(f"torch.{cast_to.attr}")
    if name == "float" and dtype is None:
        # Only what is floating has a gradient.
        is_root = isinstance(core, ast.Name) and is_of_one_element(facts.inference, core)
        return is_root or is_made_as_trained(facts, core, is_old=True)
    return (name == "float" and is_floating(dtype or "")) or (name == "int" and dtype == "int64")


def _tensor_of(number: ast.expr) -> ast.expr:
    return unwrapped(number.value if isinstance(number, ast.Subscript) else number)[0]


def _array_as_number(
    facts: Facts, call: ast.Call
) -> Literal["fails", "may fail", "needless"] | None:
    """What becomes of the array of a tensor of one element that has to be a number.

    NumPy has refused to take an array for a number since 2.4 if it has dimensions.

    Args:
        facts: the facts of the module.
        call: ``x.data.cpu().numpy()``.

    Returns:
        "fails" where the tensor certainly has dimensions, "may fail" where that is not known of a
        loss or of ``x.data``, which people wrote when all had some, and "needless" of ``x.data``
        where it has none; None where several numbers are waited for, and for everything else.
    """
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "numpy":
        return None
    core, wrappers = unwrapped(call)
    if "numpy" not in wrappers or not has_to_be_number(facts, call):
        return None
    value = facts.value(core)
    is_of_data = "data" in wrappers or _is_part_of_data(core)
    if isinstance(value, Tensor) and value.single and value.ndim is not None:
        # Who wrote ``x.detach().numpy()`` did so on today's torch, where all is as it was.
        return "fails" if value.ndim else "needless" if "data" in wrappers else None
    is_known = isinstance(value, Tensor)
    is_shown = is_of_data or "detach" in wrappers
    if not is_known and not (isinstance(value, Unknown) and is_shown):
        return None
    # Several numbers were never taken for one: that it is asked for says that there is one, unless
    # the code waits for the error.
    is_awaited = any(caught & _ERRORS for caught, _ in handlers_around(facts, call))
    if has_dimensions(facts, core) and not is_awaited:
        return "fails"
    if isinstance(value, Tensor) and value.ndim is not None:
        return None
    if is_of_data and not is_awaited:
        return "may fail"
    return "may fail" if is_differentiated(facts, core) else None


def _is_part_of_data(core: ast.expr) -> bool:
    """``x.data[0]``, ``x.data.cpu().float()``: what is made of the data of a tensor."""
    below = core.value if isinstance(core, ast.Subscript) else None
    if isinstance(core, ast.Call) and isinstance(core.func, ast.Attribute):
        below = core.func.value if is_cast(core.func.attr) and not values_given(core) else None
    if below is None:
        return False
    inner, wrappers = unwrapped(below)
    return "data" in wrappers or _is_part_of_data(inner)
