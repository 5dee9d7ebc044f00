"""Where .data is written to: another size, a part of it, a gradient."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import without_items
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import is_fresh
from torchfix_codemods.facts.paths.uses import augmented, uses_of
from torchfix_codemods.facts.values.lattice import Number, Tensor, Unknown
from torchfix_codemods.rules.autograd.questions.updates import updated_tensor
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
    read = ast.unparse(node)
    return any(ast.unparse(without_items(target)) == read for target in targets)


def is_stored_plainly(node: ast.Attribute, statement: ast.stmt, facts: Facts) -> bool:
    """Whether ``x.data[i] = 0`` stores what has no graph into a part of what has none either.

    So it is asked of tensors whose ``.data`` goes in another line of the function anyway, and of
    new ones.
    """
    return _stores_plainly(statement, facts) and (
        is_reshaped_plainly(node.value, facts) or is_written_when_made(node.value, facts)
    )


def _stores_plainly(statement: ast.stmt, facts: Facts) -> bool:
    """Whether only parts of something get a value, which brings no graph with it."""
    if not isinstance(statement, (ast.Assign, ast.AugAssign)):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    is_of_parts = all(isinstance(target, ast.Subscript) for target in targets)
    return is_of_parts and _is_plain(statement.value, facts)


def is_written_when_made(tensor: ast.expr, facts: Facts) -> bool:
    """Whether all that is written through ``.data`` of a new tensor is there before it is read.

    ``mask = torch.zeros(n)`` and ``mask.data[i] = 1`` in the lines below: no graph can need the
    numbers from before.
    """
    bindings = [*facts.flow.reaching(tensor)] if isinstance(tensor, ast.Name) else []
    if len(bindings) != 1:
        return False
    value = facts.value(tensor)
    if not isinstance(value, Tensor) or value.grad is not False:
        return False
    (made,) = bindings
    key = "written when made", made
    return facts.remembered(key, lambda: _is_written_before_read(made, facts))


def _is_written_before_read(made: Binding, facts: Facts) -> bool:
    line = made.node
    if not isinstance(line, ast.Assign) or len(line.targets) > 1 or made.path or made.is_shared:
        return False
    if not _makes_new(line.value, facts) or augmented(facts, made):
        return False
    block, scope = facts.block(line), facts.names.scope_of(line)
    below = block[block.index(line) + 1 :]
    written, read = 0, len(below)
    for use in uses_of(facts, made):
        if facts.names.scope_of(use) is not scope:
            return False
        around = (facts.statement(use), *facts.names.ancestors(facts.statement(use)))
        # What stands elsewhere runs later: above it, in the next turn of a loop.
        at = next((below.index(each) for each in around if each in below), len(below))
        if _is_plain_write(use, facts):
            written = max(written, at)
        elif getattr(facts.parent(use), "attr", "") == "data":
            # Half of the lines would say it, half would not.
            return False
        elif not _only_asks(use, facts):
            read = min(read, at)
    return written < read


def _makes_new(node: ast.expr, facts: Facts) -> bool:
    """``torch.zeros(2)``, also where it is moved or seen in another shape at once."""
    while not is_fresh(node, facts):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        node = node.func.value
    return True


def _is_plain_write(use: ast.Name, facts: Facts) -> bool:
    """``x.data[i] = 0``, ``x.data.fill_(0)``."""
    data, statement = facts.parent(use), facts.statement(use)
    if not isinstance(data, ast.Attribute) or data.attr != "data":
        return False
    if isinstance(statement, ast.Expr):
        return updated_tensor(statement, facts) is use and cannot_get_history(statement, facts)
    part = facts.parent(data)
    if not isinstance(part, ast.Subscript) or part.value is not data:
        return False
    return isinstance(part.ctx, ast.Store) and _stores_plainly(statement, facts)


def _only_asks(use: ast.Name, facts: Facts) -> bool:
    """``x.size(0)``."""
    asked = facts.parent(use)
    return isinstance(asked, ast.Attribute) and torch_effects.tells(asked.attr)


def is_reshaped_plainly(tensor: ast.expr, facts: Facts) -> bool:
    """Whether a tensor without a graph is given another size in a function, without ``.data`` then.

    What else is written into it there is written without it as well.
    """

    def find() -> set[tuple[ast.AST | None, str]]:
        return {
            (facts.names.enclosing_function(each), ast.unparse(each.value))
            for each in facts.names.attributes("data")
            if reshaping(each, facts) is not None and is_plain_before(each, facts)
        }

    reshaped = facts.remembered("data reshaped plainly", find)
    key = facts.names.enclosing_function(tensor), ast.unparse(tensor)
    value = facts.value(tensor) if key in reshaped else None
    return isinstance(value, Tensor) and value.grad is False


def _is_plain(node: ast.expr, facts: Facts) -> bool:
    """Whether a value brings no graph with it."""
    value = facts.value(node)
    return isinstance(value, Number) or (isinstance(value, Tensor) and value.grad is False)


def cannot_get_history(statement: ast.Expr, facts: Facts) -> bool:
    """``p.grad.data.zero_()``, ``p.grad.data.clamp_(-1, 1)``: numbers bring no graph with them."""
    call = statement.value
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    if not isinstance(call.func.value, ast.Attribute):
        return False
    if call.func.attr in ("zero_", "clamp_", "clamp_min_", "clamp_max_", "fill_"):
        return True
    return all(_is_plain(value, facts) for value in values_given(call))
