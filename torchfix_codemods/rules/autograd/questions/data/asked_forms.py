"""What is asked of a ``.data``, by which two of them are of the same sort."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.autograd.questions.data.data_ways import way_of_read
from torchfix_codemods.rules.autograd.questions.named_data import is_wrapped
from torchfix_codemods.rules.questions.like_calls import nameless, without_numbers


def form_of(node: ast.Attribute, facts: Facts) -> str:
    """``.cpu().numpy()`` of ``x.data.cpu().numpy()``: what is asked of it; empty where nothing.

    Numbers in it are of no matter, nor is which part is taken: ``[…].cpu()`` of ``x.data[0].cpu()``
    and ``y.data[i].cpu()``. Also what takes it: ``.eq→0`` of ``a.eq(x.data)``, ``[torch.cat→0`` of
    ``torch.cat([x.data])``, and ``=`` of ``y = x.data`` that is detached, as ``+=`` of ``total +=
    x.data * n``.
    """
    return _asked_of(node, facts) or _taken_by(node, facts)


def makes_leaf(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor is what a Variable is made of that is to get gradients of its own."""
    call = facts.parent(node)
    if not isinstance(call, ast.Call) or not is_wrapped(node, facts):
        return False
    requires_grad = argument(call, 1, "requires_grad")
    return requires_grad is not None and constant(requires_grad) is not False


def without_wrapper(node: ast.expr, facts: Facts) -> ast.expr:
    """``Variable(x.data)`` around ``x.data``, whose place it takes where the wrapper goes."""
    call = facts.parent(node)
    return call if isinstance(call, ast.Call) and is_wrapped(node, facts) else node


def are_alike(own: str, forms: Collection[str]) -> bool:
    """Whether a form, or the first part of it, is one of others."""
    return bool(own) and any(own.startswith(form) or form.startswith(own) for form in forms)


def asked_beside(
    staying: Collection[ast.Attribute], facts: Facts
) -> frozenset[tuple[ast.stmt, tuple[str, ...]]]:
    """What is asked of some ``.data``, with each statement that stands in the line above or below.

    ``a.data.repeat(n, 1)`` there, beside ``b.data.repeat(1, n, 1)``, whatever is given.
    """
    found = set[tuple[ast.stmt, tuple[str, ...]]]()
    for each in staying:
        statement, asked = facts.statement(each), methods_of(each, facts)
        block = facts.block(statement) if asked else []
        at = block.index(statement) if asked else 0
        found.update((beside, asked) for beside in block[max(at - 1, 0) : at + 2])
    return frozenset(found)


def methods_of(node: ast.Attribute, facts: Facts) -> tuple[str, ...]:
    """``("cpu", "numpy")`` of ``x.data.cpu().numpy()``."""
    return tuple(
        each.func.attr
        for each in _chain(node, facts)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute)
    )


def _chain(node: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    """``x.data.cpu``, ``x.data.cpu()``, ``x.data.cpu()[0]`` around ``x.data``, from the inside."""
    around = facts.parent(node)
    while (isinstance(around, (ast.Attribute, ast.Subscript)) and around.value is node) or (
        isinstance(around, ast.Call) and around.func is node
    ):
        yield around
        node, around = around, facts.parent(around)


def _asked_of(node: ast.Attribute, facts: Facts) -> str:
    form, ended = "", ""
    for each in _chain(node, facts):
        if isinstance(each, ast.Subscript):
            form += "[…]"
        elif isinstance(each, ast.Attribute):
            form += f".{each.attr}"
            ended = ended or (f"{form}→" if form[0] == "." else "")
        elif isinstance(each, ast.Call):
            form += nameless(each, node).removeprefix(nameless(each.func, node))
            ended = form
    return without_numbers(ended)


def _taken_by(node: ast.Attribute, facts: Facts) -> str:
    taken = without_wrapper(node, facts)
    around = facts.parent(taken)
    is_listed = isinstance(around, (ast.List, ast.Tuple))
    given, call = (around, facts.parent(around)) if is_listed and around else (taken, around)
    if isinstance(call, ast.Call) and given in call.args:
        taking = ast.unparse(call.func)
        if (facts.name(call.func) or "").startswith("torch.nn.init."):
            # Whichever numbers are drawn, it is one sort of line.
            taking = "torch.nn.init"
        if isinstance(call.func, ast.Attribute) and facts.name(call.func) is None:
            taking = f".{call.func.attr}"
        return f"{'[' if is_listed else ''}{taking}→{call.args.index(given)}"
    while isinstance(around, ast.BinOp):
        around = facts.parent(around)
    is_summed = isinstance(around, ast.AugAssign)
    is_kept = is_summed or (isinstance(around, ast.Assign) and around.value is taken)
    if not is_kept or way_of_read(node, facts) not in ("detached", "kept"):
        return ""
    return "+=" if is_summed else "="
