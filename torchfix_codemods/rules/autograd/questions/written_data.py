"""Where .data is written to: another size, a part of it, a gradient."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import same_target, without_items
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number, Tensor, Unknown
from torchfix_codemods.rules.questions.named_lines import also_in
from torchfix_codemods.text.wording import LONGEST


def reshaping(node: ast.Attribute, facts: Facts) -> str | None:
    """``resize_`` of the statement ``x.data.resize_(n).copy_(y)``."""
    method, call = facts.parent(node), facts.parent(facts.parent(node) or node)
    if not (isinstance(method, ast.Attribute) and isinstance(call, ast.Call)):
        return None
    # Another size, or another order of dimensions.
    reshapes = torch_effects.reshapes_in_place(method.attr) and method.attr != "set_"
    if call.func is not method or not reshapes:
        return None
    whole = _chain(call, facts)
    holder = facts.parent(whole)
    holder = facts.parent(holder) if isinstance(holder, ast.Tuple) else holder
    return method.attr if isinstance(holder, ast.Expr) else None


def is_plain_before(node: ast.Attribute, facts: Facts) -> bool:
    """Whether a ``.data`` that gets another shape is of a tensor without a graph, whose own shape
    that was for torch 1.0."""
    value = facts.value(node.value)
    is_plain = isinstance(value, Tensor) and value.grad is False
    return is_plain and facts.numbers_before(node, (1, 1))


def said_of_reshaped(node: ast.Attribute, method: str, facts: Facts) -> str | None:
    """What is said of a ``.data`` that is given another shape, and of the same elsewhere in a file.

    Args:
        node: the attribute.
        method: what is called on it.
        facts: the module.

    Returns:
        the message; None where it stands at another one that is written alike.
    """
    alike = _reshaped_alike(node, facts)
    if alike[0] is not node:
        return None
    here = facts.origin(node.lineno)
    lines = sorted({facts.origin(other.lineno) for other in alike} - {here})
    # Other things keep a tensor that is called data: for them the same line does no harm.
    what = ast.unparse(node.value) if isinstance(facts.value(node.value), Tensor) else "a tensor"
    whole = f"{ast.unparse(node)} = {_reshaped_whole(node, facts)}"
    is_part = isinstance(facts.parent(_chain(node, facts)), ast.Tuple)
    written = f"split the line into {whole} and the rest" if is_part else f"write {whole}"
    return (
        f"since torch 1.1 {what} keeps its shape when {method}() is called on its .data"
        f"{also_in(lines, facts)}: {written}"
    )


def _reshaped_alike(node: ast.Attribute, facts: Facts) -> list[ast.Attribute]:
    """The places of a file that are written as one where a shape is changed, in their order."""

    def key(each: ast.Attribute) -> tuple[object, ...]:
        chain = _chain(each, facts)
        is_part = isinstance(facts.parent(chain), ast.Tuple)
        return ast.unparse(chain), is_part, isinstance(facts.value(each.value), Tensor)

    def find() -> dict[tuple[object, ...], list[ast.Attribute]]:
        found: dict[tuple[object, ...], list[ast.Attribute]] = {}
        for each in facts.names.attributes("data"):
            is_any = isinstance(facts.value(each.value), (Tensor, Unknown))
            if is_any and reshaping(each, facts) is not None and not is_plain_before(each, facts):
                found.setdefault(key(each), []).append(each)
        return found

    return facts.remembered("reshaped data", find)[key(node)]


def _reshaped_whole(node: ast.Attribute, facts: Facts) -> str:
    """``x.data.resize_(n).copy_(y)`` of its ``x.data``, without arguments where that is long."""
    whole = _chain(node, facts)
    text = ast.unparse(whole)
    if len(text) <= LONGEST:
        return text
    methods: list[str] = []
    while whole is not node:
        if isinstance(whole, ast.Call):
            whole = whole.func
        elif isinstance(whole, ast.Attribute):
            methods.insert(0, f".{whole.attr}(…)")
            whole = whole.value
    return ast.unparse(node) + "".join(methods)


def _chain(node: ast.expr, facts: Facts) -> ast.expr:
    """All that is called on what an expression gives: ``x.t_().mul_(2)`` of ``x.t_()``."""
    while True:
        above = facts.parent(node)
        if isinstance(above, ast.Attribute) or (isinstance(above, ast.Call) and above.func is node):
            node = above
        else:
            return node


def is_stored_to(node: ast.Attribute, statement: ast.stmt) -> bool:
    """``x.data = x.data * p``, ``x.data[i] = x.data[j]``, where ``.data`` stays to the left.

    Without it to the right the line would be half of one kind, half of the other.
    """
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    cores = map(without_items, targets)
    return any(
        isinstance(core, ast.Attribute) and core.attr == node.attr and same_target(core, node)
        for core in cores
    )


def cannot_get_history(statement: ast.Expr, facts: Facts) -> bool:
    """``p.grad.data.zero_()``, ``p.grad.data.clamp_(-1, 1)``: numbers bring no graph with them."""
    call = statement.value
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    if not isinstance(call.func.value, ast.Attribute):
        return False
    if call.func.attr in ("zero_", "clamp_", "clamp_min_", "clamp_max_", "fill_"):
        return True
    return all(is_plain(value, facts) for value in values_given(call))


def is_plain(node: ast.expr, facts: Facts) -> bool:
    """Whether a value certainly brings no graph with it."""
    value = facts.value(node)
    return isinstance(value, Number) or (isinstance(value, Tensor) and value.grad is False)
