"""`x.squeeze()` drops the batch, too, where it holds one sample: name the dimension."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evidence.proofs import defines_method
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, whole_number
from torchfix_codemods.facts.language.nodes import last_name, own_nodes, walk
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.tensors.questions.row_indices import (
    is_read_by_number,
    only_chooses_rows,
)
from torchfix_codemods.rules.tensors.questions.squeezed import (
    is_asked_for_dimensions,
    is_only_reduced,
    is_single_number,
)
from torchfix_codemods.text.wording import worded_operand

_MAX_DEPTH = 8


class SqueezeAll(Rule):
    """
    ## What it does
    Finds `squeeze()` without a dimension where the code shows which dimension is meant: after a
    linear layer with one output, a pooling to one, `nonzero()`, a product with `x.unsqueeze(2)`, a
    `gather` of one number of each row.

    ## Why
    `squeeze()` drops every dimension of size 1. The last batch of an epoch, or a request for one
    sample, loses its batch dimension as well: a loss broadcasts, an index loops over a number, and
    all is well again with the next batch.

    ## Example
    ```python
    scores = self.fc(hidden).squeeze()
    hits = (iou > 0.5).nonzero().squeeze()
    ```
    is reported: write
    ```python
    scores = self.fc(hidden).squeeze(-1)
    hits = (iou > 0.5).nonzero().squeeze(1)
    ```

    ## Numbers
    Nothing is rewritten: code that follows may rely on what happens to a batch of one.

    ## When it stays its hand
    Where the dimension is not certain, where a single number is asked for anyway (`.item()`), where
    the code asks how many dimensions are left (`x.dim()`), where only a mean or a sum of all
    numbers is made of the result, or of the rows that such an index chooses, and where the result
    is only an index of `index_select`, `index_copy_` and their kin, or of what is stored
    (`x[i] = v`), to which one index is like a list of one.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.squeeze.html
    """

    code = "TP404"
    name = "squeeze-all"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = frozenset({"squeeze"})
    message = "squeeze() drops every dimension of 1, also that of a single sample"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        source = _squeezed(call, facts)
        if source is None or call.keywords or is_single_number(call, facts):
            return
        if (instead := _instead(source, facts)) is None or is_asked_for_dimensions(call, facts):
            return
        finds = _finds_indices(source, facts)
        if only_chooses_rows(call, facts) or is_only_reduced(call, facts, finds):
            return
        if finds and is_read_by_number(call, facts):
            return
        receiver = worded_operand(source, "")
        written = f"{receiver}.{instead}" if receiver else instead
        if not receiver and source in call.args and instead.count("(") == 1:
            written = f"{ast.unparse(call.func)}(..., {instead.partition('(')[2]}"
        of = "index" if finds else "sample"
        yield self.advice(call, f"{self.message.replace('sample', of)}: write {written}")


def _squeezed(call: ast.Call, facts: Facts) -> ast.expr | None:
    if facts.name(call.func) == "torch.squeeze":
        return call.args[0] if len(call.args) == 1 else None
    method = call.func
    return method.value if isinstance(method, ast.Attribute) and not call.args else None


def _finds_indices(source: ast.expr, facts: Facts) -> bool:
    """Whether ``nonzero`` gave what is squeezed."""
    made = facts.assigned(source) if isinstance(source, ast.Name) else [source]
    return any(
        isinstance(node, ast.Call) and last_name(node.func) == "nonzero"
        for each in made or ()
        for node in walk(each)
    )


def _instead(node: ast.expr, facts: Facts, depth: int = 0) -> str | None:
    """What to write where the one dimension that is meant is certain."""
    if depth > _MAX_DEPTH:
        return None
    if isinstance(node, ast.Name):
        values = facts.assigned(node) or []
        found = {_instead(value, facts, depth + 1) for value in values}
        return found.pop() if len(found) == 1 else None
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return _instead(node.value, facts, depth + 1)
    if not isinstance(node, ast.Call) or is_opaque(node):
        return None
    name = facts.name(node.func)
    if name is not None:
        return _of_function(name, node, facts, depth)
    module = facts.value(node.func)
    if isinstance(module, Module):
        return _of_module(module, facts, depth)
    if not isinstance(node.func, ast.Attribute) or defines_method(facts.names, node.func.attr):
        return None
    # Of an array, nonzero gives a tuple, which has no squeeze.
    if node.func.attr == "nonzero" or facts.is_shown_tensor(node.func.value):
        return _of_method(node.func, node, facts, depth)
    return None


def _of_function(name: str, call: ast.Call, facts: Facts, depth: int) -> str | None:
    function = name.rpartition(".")[2]
    if not name.startswith("torch.") or not call.args:
        return None
    if torch_effects.is_elementwise(name):
        return _instead(call.args[0], facts, depth + 1)
    if function == "nonzero":
        return "squeeze(1)"
    if function in ("adaptive_avg_pool2d", "adaptive_max_pool2d") and len(call.args) == 2:
        return _pooled(call.args[1])
    if function in ("bmm", "matmul") and len(call.args) == 2:
        return _product(function, call.args[0], call.args[1], facts)
    if function == "gather" and len(call.args) == 3:
        return _gathered(*call.args[1:])
    return None


def _of_method(method: ast.Attribute, call: ast.Call, facts: Facts, depth: int) -> str | None:
    if method.attr == "nonzero" and not call.args:
        return "squeeze(1)"
    if method.attr in ("bmm", "matmul") and len(call.args) == 1:
        return _product(method.attr, method.value, call.args[0], facts)
    if method.attr == "gather" and len(call.args) == 2:
        return _gathered(*call.args)
    if torch_effects.is_elementwise(method.attr) or method.attr == "to":
        return _instead(method.value, facts, depth + 1)
    return None


def _of_module(module: Module, facts: Facts, depth: int) -> str | None:
    if module.definition is not None:
        forward = facts.classes.method(module.definition, "forward")
        if forward is None or facts.classes.is_wrapped(forward):
            return None
        returned = [n.value for n in own_nodes(forward) if isinstance(n, ast.Return)]
        result = returned[0] if len(returned) == 1 else None
        return None if result is None else _instead(result, facts, depth + 1)
    built = module.call
    if built is None or is_opaque(built):
        return None
    if module.cls == "torch.nn.Linear":
        is_one = constant(argument(built, 1, "out_features")) == 1
        return "squeeze(-1)" if is_one else None
    if module.cls in ("torch.nn.AdaptiveAvgPool2d", "torch.nn.AdaptiveMaxPool2d"):
        return _pooled(built.args[0]) if built.args else None
    if module.cls == "torch.nn.Sequential":
        return _of_layers([facts.value(layer) for layer in built.args], facts, depth)
    return None


def _of_layers(layers: list[object], facts: Facts, depth: int) -> str | None:
    """What the last layer shows that is no function of single elements."""
    for layer in reversed(layers):
        if not isinstance(layer, Module):
            return None
        if not torch_effects.is_elementwise(layer.cls or ""):
            return _of_module(layer, facts, depth + 1)
    return None


def _pooled(size: ast.expr) -> str | None:
    sizes = size.elts if isinstance(size, (ast.Tuple, ast.List)) else [size]
    return "flatten(1)" if all(constant(s) == 1 for s in sizes) else None


def _product(function: str, left: ast.expr, right: ast.expr, facts: Facts) -> str | None:
    """``torch.bmm(h, q.unsqueeze(2))``: the last dimension is that of the one column."""
    is_row = _is_single(left, 0, (1, -2), facts)
    if is_row and function != "bmm":
        # Of two or of four dimensions, that one is another.
        return None
    if _is_single(right, 1, (2, -1), facts):
        return "squeeze(2).squeeze(1)" if is_row else "squeeze(-1)"
    return "squeeze(1)" if is_row else None


def _is_single(
    node: ast.expr, side: int, dims: tuple[int, int], facts: Facts, depth: int = 0
) -> bool:
    """Whether a factor is one row, or one column: also ``q.unsqueeze(1).bmm(m)``.

    Args:
        node: the factor.
        side: which factor of a product has the rows of it, or its columns.
        dims: the dimension that is one, from the start and from the end.
        facts: the file.
        depth: through how much it was followed.
    """
    if depth > _MAX_DEPTH:
        return False
    if isinstance(node, ast.Name):
        made = facts.assigned(node) or []
        return bool(made) and all(_is_single(m, side, dims, facts, depth + 1) for m in made)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr != "bmm":
        return _unsqueezed(node) in dims
    is_function = facts.name(node.func) is not None
    factors = node.args if is_function else [node.func.value, *node.args]
    is_pair = len(factors) == 2 and not is_opaque(node)
    return is_pair and _is_single(factors[side], side, dims, facts, depth + 1)


def _gathered(dim: ast.expr, index: ast.expr) -> str | None:
    """``scores.gather(1, labels.unsqueeze(1))``: one number of each row."""
    chosen = whole_number(dim)
    is_one = chosen is not None and _unsqueezed(index) == chosen
    return f"squeeze({chosen})" if is_one else None


def _unsqueezed(node: ast.expr) -> int | None:
    """The dimension that ``x.unsqueeze(1)`` adds."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
        return whole_number(node.args[0]) if node.func.attr == "unsqueeze" else None
    return None
