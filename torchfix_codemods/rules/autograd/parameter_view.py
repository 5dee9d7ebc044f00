"""`b = conv.bias.view(3, -1)` and `b[:, 4] += 1`: torch 1.8 refuses to change the parameter so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.values.lattice import Array, Number, Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_PARAMETER = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
_VIEWS = frozenset({"view", "view_as", "reshape"})


class ParameterView(Rule):
    """
    ## What it does
    Detaches a parameter before parts of it are changed in place, where the code makes a new
    parameter of its view afterwards, or detaches it then.

    ## Why
    A part of a parameter was changed in place without an error up to torch 1.7, which only made
    the parameter useless in a graph; the code that did it put a new parameter in its place. Since
    1.8 it raises: "a view of a leaf Variable that requires grad is being used in an in-place
    operation". All that YOLOv3 and YOLOv5 gave their forks starts the biases so, and where that
    stands under `try` with a handler for anything they are not set any more; XLM and DistilBERT
    fill their embeddings of positions so.

    ## Example
    ```python
    b = conv.bias.view(3, -1)
    b[:, 4] += math.log(8)
    conv.bias = torch.nn.Parameter(b.view(-1), requires_grad=True)
    ```
    becomes
    ```python
    b = conv.bias.detach().view(3, -1)
    b[:, 4] += math.log(8)
    conv.bias = torch.nn.Parameter(b.view(-1), requires_grad=True)
    ```
    and `table[:, 0::2] = torch.sin(angles)` with `table.detach_()` below it change places.

    ## Numbers
    Restored: the parameter has the same numbers, in the same memory.

    ## When it stays its hand
    Under `no_grad`, where the view is read by anything else than its own changes and the new
    parameter, where no new parameter takes the place of the old one, and where what is put into a
    parameter that is detached below may have a graph.

    ## References
    - https://pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd
    """

    code = "TP121"
    name = "parameter-view"
    since = "0.4"
    numerics = Numerics.RESTORED
    changed_in = "1.8"
    words = frozenset({"Parameter", "detach_"})
    message = "a view of a parameter is not changed in place since torch 1.8: detach it"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "detach_":
            yield from self._find_detached_below(call, call.func.value, facts)
            return
        if facts.name(call.func) not in _PARAMETER or not call.args:
            return
        place = facts.parent(call)
        if not isinstance(place, ast.Assign) or not isinstance(place.targets[0], ast.Attribute):
            return
        again = _viewed(call.args[0]) or call.args[0]
        if not isinstance(again, ast.Name):
            return
        bindings = facts.flow.reaching(again)
        view = bindings[0].value if len(bindings) == 1 and not bindings[0].path else None
        owner = _viewed(view)
        if owner is None or ast.unparse(owner) != ast.unparse(place.targets[0]):
            return
        if isinstance(view, ast.Call) and _is_only_changed(bindings[0], again, facts):
            yield self.found(view)

    def _find_detached_below(
        self, call: ast.Call, parameter: ast.expr, facts: Facts
    ) -> Iterator[Found]:
        """``out[:, 0::2] = sines`` and the like, with ``out.detach_()`` right below."""
        statement = facts.parent(call)
        value = facts.value(parameter)
        if not isinstance(statement, ast.Expr) or not isinstance(parameter, ast.Name):
            return
        if not isinstance(value, Tensor) or value.leaf_module is None or call.args:
            return
        block = facts.block(statement)
        at = first = block.index(statement)
        while first > 0 and _puts_numbers_in(block[first - 1], parameter.id, facts):
            first -= 1
        if first == at or is_under_no_grad(statement, facts):
            return
        if not _is_detached_above(block[first], parameter, facts):
            # With the statement above, so that a comment stays above what it is about.
            start = max(first - 1, 0)
            yield self.found(call, region=block[start : at + 1], above=first - start)

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        *others, detaching = updated.body
        above = self.data["above"]
        return updated.with_changes(body=[*others[:above], detaching, *others[above:]])

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        function = updated.func
        if not isinstance(function, cst.Attribute):
            return updated
        detached = cst.Call(cst.Attribute(function.value, cst.Name("detach")))
        return updated.with_changes(func=function.with_changes(value=detached))


def _viewed(node: ast.expr | None) -> ast.expr | None:
    """``x`` of ``x.view(3, -1)``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    return node.func.value if node.func.attr in _VIEWS else None


def _is_only_changed(binding: Binding, again: ast.Name, facts: Facts) -> bool:
    """Whether parts of a view are written, and it is read by that and by ``again`` alone."""
    changes = 0
    for use in uses_of(facts, binding):
        if use is again:
            continue
        statement = facts.names.statement(use)
        if not isinstance(statement, (ast.Assign, ast.AugAssign)):
            return False
        if not _writes_part(statement, use.id) or is_under_no_grad(statement, facts):
            return False
        changes += 1
    return changes > 0


def _is_detached_above(statement: ast.stmt, parameter: ast.Name, facts: Facts) -> bool:
    """``out.requires_grad = False`` or the like, before parts of it are written."""
    uses = facts.names.uses_of(facts.names.scope_of(parameter), parameter.id)
    above = (facts.parent(use) for use in uses if use.lineno < statement.lineno)
    return any(isinstance(node, ast.Attribute) and node.attr in _DETACHING for node in above)


_DETACHING = frozenset("requires_grad requires_grad_ detach_".split())


def _puts_numbers_in(statement: ast.stmt, name: str, facts: Facts) -> bool:
    """``name[...] = numbers``, where the numbers have no graph and are none of its own."""
    if not isinstance(statement, ast.Assign) or not _writes_part(statement, name):
        return False
    value = facts.value(statement.value)
    is_without_graph = isinstance(value, (Array, Number)) or (
        isinstance(value, Tensor) and value.grad is False
    )
    names = (n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name))
    return is_without_graph and name not in names


def _writes_part(statement: ast.Assign | ast.AugAssign, name: str) -> bool:
    """Whether an assignment is to ``name[...]`` and to nothing else."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return all(
        isinstance(target, ast.Subscript)
        and isinstance(target.value, ast.Name)
        and target.value.id == name
        for target in targets
    )
