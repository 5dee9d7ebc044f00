"""What is done with a result along its last dimension: it is summed, drawn from, or multiplied."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use, use_of
from torchfix_codemods.facts.tensors.least_dimensions import operated
from torchfix_codemods.facts.tensors.reductions import dim_of, function_of
from torchfix_codemods.facts.values.lattice import Number
from torchfix_codemods.rules.losses.questions.dimensions.alike import out_of_list, shaped_alike
from torchfix_codemods.rules.losses.questions.dimensions.along import axis_of, counts_last
from torchfix_codemods.rules.losses.questions.dimensions.operands import made_by

#: What sums along the last dimension of its first operand.
_PRODUCTS = frozenset({"bmm", "matmul", "mm", "mv"})
#: What draws one of those in the last dimension.
_DRAWN = frozenset(
    f"torch.distributions.{name}"
    for name in (
        "Categorical",
        "OneHotCategorical",
        "categorical.Categorical",
        "one_hot_categorical.OneHotCategorical",
    )
)


def before_last(use: Use) -> Iterable[Place] | None:
    """None of what is done along the last dimension; else what has the same one."""
    facts, by = use.facts, use.by
    if use.place.content:
        return out_of_list(use)
    if row_chosen_from(use) is not None:
        return None
    if product_summed(use) is not None:
        return None
    if use.kind in ("argument", "method") and isinstance(by, ast.Call):
        if facts.name(by.func) in _DRAWN and use.kind == "argument":
            return None
        if -1 in (dim_of(facts, by, may_keep=True), axis_of(facts, by, use)) or counts_last(
            facts, by, use.node
        ):
            return None
    return shaped_alike(use, _keeps_last)


def row_chosen_from(use: Use) -> ast.Call | None:
    """``p[i].argmax()``: the call that chooses from all that a row holds."""
    facts, by = use.facts, use.by
    if use.kind != "item" or not isinstance(by, ast.Subscript):
        return None
    if not isinstance(facts.value(by.slice), Number):
        return None
    chosen = use_of(Place(facts, by))
    call = chosen.by
    if chosen.kind not in ("argument", "method") or not isinstance(call, ast.Call):
        return None
    is_alone = len(call.args) == (chosen.kind == "argument") and not call.keywords
    return call if is_alone and function_of(call) in ("argmax", "argmin") else None


def product_summed(use: Use) -> ast.expr | None:
    """``torch.bmm(p, x)``, ``p @ x``, and ``x.bmm(p.unsqueeze(2))``: what sums along the last."""
    call = use.by
    if is_factor(use, 0) and isinstance(call, ast.expr):
        return call
    found = operated(use.facts, call) if isinstance(call, ast.Call) else None
    if found is None or found[1] is not use.node or not isinstance(call, ast.Call):
        return None
    place = argument(found[2], 0, "dim")
    is_column = place is not None and whole_number(place) in (2, -1)
    if function_of(call) != "unsqueeze" or is_opaque(call) or not is_column:
        return None
    column = use_of(Place(use.facts, call))
    columns = map(use_of, column.held()) if column.kind == "bound" else [column]
    products = (each.by for each in columns if is_factor(each, 1))
    return next((by for by in products if isinstance(by, ast.expr)), None)


def is_factor(use: Use, place: int) -> bool:
    """Whether a use takes a value as the first factor of a product of matrices, or as the second.

    Args:
        use: what takes the value.
        place: 0 or 1.
    """
    by = use.by
    if isinstance(by, ast.BinOp):
        return isinstance(by.op, ast.MatMult) and (by.left, by.right)[place] is use.node
    found = operated(use.facts, by) if isinstance(by, ast.Call) and not is_opaque(by) else None
    if found is None or found[2].keywords or not found[0].startswith("torch."):
        return False
    is_product = found[0].rpartition(".")[2] in _PRODUCTS and len(found[2].args) == 1
    return is_product and [found[1], *found[2].args][place] is use.node


def _keeps_last(facts: Facts, node: ast.expr) -> bool:
    """``p.unsqueeze(1)``, and ``p.view(p.size(0), 1, p.size(1))``, of rows."""
    found = made_by(facts, node)
    if found is None:
        return False
    function, tensor, rest = found
    if function in ("view", "reshape"):
        of = ast.unparse(tensor)
        return [ast.unparse(size) for size in rest.args] == [f"{of}.size(0)", "1", f"{of}.size(1)"]
    place = argument(rest, 0, "dim")
    return function == "unsqueeze" and place is not None and whole_number(place) in (0, 1)
