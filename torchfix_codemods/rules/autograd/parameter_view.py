"""`b = conv.bias.view(3, -1)` and `b[:, 4] += 1`: torch 1.8 refuses to change the parameter so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.gradients import is_under_no_grad
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.names import Binding
from torchfix_codemods.facts.uses import uses_of
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_PARAMETER = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
_VIEWS = frozenset({"view", "view_as", "reshape"})


class ParameterView(Rule):
    """
    ## What it does
    Detaches the view of a parameter that is changed in place and made a parameter again.

    ## Why
    A part of a parameter was changed in place without an error up to torch 1.7, which only made
    the parameter useless in a graph; the code that did it put a new parameter in its place. Since
    1.8 it raises: "a view of a leaf Variable that requires grad is being used in an in-place
    operation". All that YOLOv3 and YOLOv5 gave their forks starts the biases so, and where that
    stands under `try` with a handler for anything they are not set any more.

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

    ## Numbers
    Restored: the new parameter has the same numbers, in the same memory.

    ## When it stays its hand
    Under `no_grad`, where the view is read by anything else than its own changes and the new
    parameter, and where no new parameter takes the place of the old one.

    ## References
    - https://pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd
    """

    code = "TP121"
    name = "parameter-view"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = frozenset({"Parameter"})
    message = "a view of a parameter is not changed in place since torch 1.8: detach it"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
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


def _writes_part(statement: ast.Assign | ast.AugAssign, name: str) -> bool:
    """Whether an assignment is to ``name[...]`` and to nothing else."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return all(
        isinstance(target, ast.Subscript)
        and isinstance(target.value, ast.Name)
        and target.value.id == name
        for target in targets
    )
