"""`x[[a, b]]` indexes one dimension after the other by a list: a tuple says so, `x[a, b]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Array
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

#: Longer lists were never taken apart.
_MOST = 31

_OF_ARRAY = "numpy takes no list of slices as an index since 1.23: a tuple"


class SequenceIndex(Rule):
    """
    ## What it does
    Takes the brackets off a list that indexes a tensor in several dimensions: `x[[rows, columns]]`
    is `x[rows, columns]`, and `x[index]` of a list of slices is `x[tuple(index)]`, of an array of
    numpy, too.

    ## Why
    torch took a list that holds slices, tensors or lists for the tuple that was meant, as numpy
    once did. It warns of that since 2.8, and is to take the list for one index instead: then other
    elements are chosen, and nothing says so.

    ## Example
    ```python
    index = [slice(None)] * x.dim()
    index[dim] = torch.arange(x.size(dim) - 1, -1, -1)
    return x[index]
    ```
    becomes
    ```python
    index = [slice(None)] * x.dim()
    index[dim] = torch.arange(x.size(dim) - 1, -1, -1)
    return x[tuple(index)]
    ```

    ## Numbers
    Identical; restored for arrays.

    ## When it stays its hand
    On what is not certainly a tensor or an array, on lists that hold nothing but numbers, which are
    one index, and on lists that come from elsewhere or may lose their slices.

    ## References
    - https://pytorch.org/docs/stable/tensors.html
    - https://github.com/pytorch/pytorch/releases/tag/v2.8.0
    """

    code = "TP416"
    name = "sequence-index"
    since = "1.0"
    numerics = Numerics.IDENTICAL
    warns = True
    words = frozenset({"torch"})
    message = "a list as an index of several dimensions is deprecated: a tuple"

    def find_Subscript(self, node: ast.Subscript, facts: Facts) -> Iterator[Found]:
        index = node.slice
        are_slices = _is_list_of_slices(index, facts)
        is_taken_apart = isinstance(index, ast.List) and _is_taken_apart(index.elts, facts)
        if not (is_taken_apart or are_slices):
            return
        if facts.is_tensor(node.value):
            yield self.found(node)
        elif are_slices and isinstance(facts.value(node.value), Array):
            yield self.found(node, _OF_ARRAY, numerics=Numerics.RESTORED)

    def leave_Subscript(self, original: cst.Subscript, updated: cst.Subscript) -> cst.Subscript:
        index = updated.slice[0].slice
        if not isinstance(index, cst.Index):
            return updated
        if not isinstance(index.value, cst.List):
            call = cst.Call(cst.Name("tuple"), [cst.Arg(index.value)])
            return updated.with_changes(slice=[cst.SubscriptElement(cst.Index(call))])
        elements = [
            cst.SubscriptElement(cst.Index(element.value), element.comma)
            for element in index.value.elements
        ]
        brackets = {"lbracket": index.value.lbracket, "rbracket": index.value.rbracket}
        return updated.with_changes(slice=elements, **brackets)


def _is_taken_apart(elements: Sequence[ast.expr], facts: Facts) -> bool:
    """Whether torch takes a list with these elements for one index of each dimension."""
    if len(elements) > _MOST or any(isinstance(e, ast.Starred) for e in elements):
        return False
    return any(_is_index_of_its_own(element, facts) for element in elements)


def _is_index_of_its_own(node: ast.expr, facts: Facts) -> bool:
    """Whether an element of a list can be no number: a slice, ``None``, a list or a tensor."""
    if isinstance(node, ast.Constant):
        return node.value is None or node.value is ...
    return _is_slice(node) or isinstance(node, (ast.List, ast.Tuple)) or facts.is_tensor(node)


def _is_slice(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "slice"


def _is_list_of_slices(index: ast.expr, facts: Facts) -> bool:
    """Whether an index is a list of slices, written there or for a name that keeps one of them."""
    scope = facts.names.scope_of(index)
    if scope.lookup("tuple") is not None:
        return False
    if not isinstance(index, ast.Name):
        return _is_written_of_slices(index)
    bindings = scope.bindings.get(index.id, ())
    if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].path:
        return False
    if not _is_written_of_slices(bindings[0].value):
        return False
    return all(_keeps_slices(use, index, facts) for use in facts.names.uses_of(scope, index.id))


def _is_written_of_slices(value: ast.expr | None) -> bool:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        value = value.left if isinstance(value.left, ast.List) else value.right
    return (
        isinstance(value, ast.List)
        and 0 < len(value.elts) <= _MOST
        and all(map(_is_slice, value.elts))
    )


def _keeps_slices(use: ast.Name, index: ast.Name, facts: Facts) -> bool:
    """Whether a use of the list reads it as an index, or puts no number in it."""
    parent = facts.parent(use)
    if use is index or not isinstance(parent, ast.Subscript):
        return use is index
    if parent.slice is use:
        return True
    statement = facts.parent(parent)
    return (
        isinstance(statement, ast.Assign)
        and statement.targets == [parent]
        and _is_index_of_its_own(statement.value, facts)
    )
