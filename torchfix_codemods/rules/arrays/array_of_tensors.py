"""`np.array([t, u])` of tensors holds all their numbers since numpy 1.25, and did not before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.recording.history import certainly_requires_grad
from torchfix_codemods.facts.values.lattice import Sequence, Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.text.wording import worded

_NUMBERS = (
    "since numpy 1.25 this array holds all numbers of these tensors, in all their dimensions; 1.19 "
    "and older took a tensor with one element for one number, and 1.20 to 1.23 gave the tensors "
    "themselves: write torch.stack({0}).numpy() for all numbers, {1}.reshape(-1) for one each"
)
_ONE_EACH = (
    "until numpy 1.23 tensors with one element were one number each here, and since 1.25 they keep "
    "their dimensions: write {1}.reshape(-1) for one number each"
)
_OBJECTS = (
    "since numpy 1.25 this array holds the numbers of these tensors, and until 1.24 it held the "
    "tensors: write objects = {2}.empty(len({0}), dtype=object), and objects[:] = {0}, for these"
)

_MAKERS = frozenset({"array", "asarray", "asanyarray"})

_FLATTENING = frozenset({"flatten", "ravel", "item"})


class ArrayOfTensors(Rule):
    """
    ## What it does
    Finds arrays that numpy makes of a list of tensors with dimensions, in files that were written
    for a torch before 2.0.

    ## Why
    Until numpy 1.19 a tensor with one element counted as one number, so that `n` of them gave an
    array of shape `(n,)`, and larger tensors raised an error. Numpy 1.20 to 1.23 gave an array of
    objects, which were the tensors, as all did up to 1.24 with `dtype=object`. Since 1.25 the array
    holds the numbers in all dimensions: its shape is `(n, 1)`, and its elements are no tensors.

    ## Example
    ```python
    scores = [net(x).view(1) for x in samples]
    order = np.argsort(np.array(scores))
    ```
    is reported: write
    ```python
    scores = [net(x).view(1) for x in samples]
    order = np.argsort(np.array(scores).reshape(-1))
    ```

    ## Numbers
    Nothing is rewritten: which numpy a program ran with is seldom written down.

    ## When it stays its hand
    On tensors that have no dimensions, which all numpys take alike, or may have none; on what is
    not certainly a list of nothing but tensors; on those that certainly require gradients, which
    raise; and where the array is flattened, or made one number, at once.

    ## References
    - https://numpy.org/doc/stable/release/1.20.0-notes.html
    - https://numpy.org/doc/stable/release/1.25.0-notes.html
    """

    code = "TP426"
    name = "array-of-tensors"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = _MAKERS
    beside = frozenset({"numpy"})
    message = "an array of tensors holds all their numbers since numpy 1.25"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        module, _, function = (facts.name(call.func) or "").rpartition(".")
        if module != "numpy" or function not in _MAKERS or not facts.numbers_before(call, (2, 0)):
            return
        given = call.args[0] if call.args else None
        if given is None or not _are_tensors(given, facts) or _is_flattened(call, facts):
            return
        numpy = ast.unparse(call.func).rpartition(".")[0] or "numpy"
        texts = worded(given, "tensors"), worded(call, f"{ast.unparse(call.func)}(...)"), numpy
        dtype = argument(call, 1, "dtype")
        if dtype is None or constant(dtype) is None:
            yield self.advice(call, _NUMBERS.format(*texts))
        elif _is_object(dtype, facts):
            yield self.advice(call, _OBJECTS.format(*texts))
        else:
            yield self.advice(call, _ONE_EACH.format(*texts))


def _are_tensors(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is certainly a list of tensors with dimensions, and without a graph."""
    value = facts.value(node)
    if not isinstance(value, Sequence):
        return False
    items = [value.element] if value.items is None else value.items
    if not items or not all(isinstance(item, Tensor) and item.ndim for item in items):
        return False
    written = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
    return not any(certainly_requires_grad(facts, element) for element in written)


def _is_object(dtype: ast.expr, facts: Facts) -> bool:
    """``object``, ``np.object`` and ``"O"``."""
    name = facts.names.builtin(dtype) or facts.name(dtype) or constant(dtype)
    return name in ("object", "O", "numpy.object", "numpy.object_")


def _is_flattened(call: ast.Call, facts: Facts) -> bool:
    """``np.array(x).reshape(-1)``, ``np.array(x).mean()``."""
    method = facts.parent(call)
    use = facts.parent(method) if isinstance(method, ast.Attribute) else None
    if not isinstance(method, ast.Attribute) or not isinstance(use, ast.Call) or use.keywords:
        return False
    if method.attr == "reshape":
        return [ast.unparse(size) for size in use.args] == ["-1"]
    # Arrays have these of the methods of tensors.
    is_flat = method.attr in _FLATTENING or torch_table.gives_one_number(method.attr)
    return is_flat and not use.args
