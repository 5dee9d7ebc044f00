"""`self.w = nn.Parameter(x).cuda()` is a tensor and no parameter: `nn.Parameter(x.cuda())`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import with_arguments
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.language.classes import is_initialized_above
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule

_MOVES = frozenset({"cuda", "to", "double", "half"})


class MovedParameter(Rule):
    """
    ## What it does
    Moves what an `nn.Parameter` is made of instead of the parameter, where the result is assigned
    to an attribute of a module.

    ## Why
    What `.cuda()` or `.double()` gives is a new tensor that was computed from the parameter. The
    module does not register it: no optimizer trains it, and no checkpoint holds it.

    ## Example
    ```python
    self.centers = nn.Parameter(torch.randn(classes, features)).cuda()
    ```
    becomes
    ```python
    self.centers = nn.Parameter(torch.randn(classes, features).cuda())
    ```

    ## Numbers
    Changed, as meant: the parameter is trained and saved with the module. Files that were saved
    before do not hold it. `.to(device)` of the device where it is already changed nothing before.

    ## When it stays its hand
    Outside of a module's `__init__`; where the parameter is not to be trained
    (`requires_grad=False`); on parameters of other classes; with `*args` or `**kwargs`.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
    """

    code = "TP211"
    name = "moved-parameter"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset({"Parameter"})
    message = "what a parameter is moved to is no parameter of the module: move the tensor in it"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        parameter = _moved(node.value)
        if parameter is None or facts.name(parameter.func) != "torch.nn.Parameter":
            return
        if is_opaque(parameter) or not parameter.args or len(node.targets) != 1:
            return
        flags = [*parameter.args[1:], *(keyword.value for keyword in parameter.keywords)]
        if all(constant(flag) is True for flag in flags) and _is_of_module(facts, node):
            yield self.found(node, region=node.value)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        parameter, moved = _taken_apart(updated)
        if not parameter.args or parameter is updated:
            return updated
        arguments = [parameter.args[0].with_changes(value=moved), *parameter.args[1:]]
        new = with_arguments(parameter, arguments)
        return new.with_changes(lpar=updated.lpar, rpar=updated.rpar)


def _moved(value: ast.expr) -> ast.Call | None:
    """``nn.Parameter(x)`` of ``nn.Parameter(x).cuda()``."""
    node = value
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in _MOVES:
            break
        node = node.func.value
    return node if isinstance(node, ast.Call) and node is not value else None


def _is_of_module(facts: Facts, node: ast.Assign) -> bool:
    """Whether an attribute of a module is assigned where the module is built."""
    target = node.targets[0]
    constructor = facts.names.enclosing_function(node)
    owner = None if constructor is None else facts.parent(constructor)
    if not isinstance(constructor, ast.FunctionDef) or not isinstance(owner, ast.ClassDef):
        return False
    return (
        constructor.name == "__init__"
        and facts.classes.kind(owner) == "module"
        and isinstance(target, ast.Attribute)
        and isinstance(target.value, ast.Name)
        and facts.classes.self_name(constructor) == target.value.id
        and is_initialized_above(node, constructor)
    )


def _taken_apart(call: cst.Call) -> tuple[cst.Call, cst.BaseExpression]:
    """The parameter in a chain of moves, and that chain with what the parameter is made of."""
    method = call.func
    if isinstance(method, cst.Attribute) and method.attr.value in _MOVES:
        if isinstance(method.value, cst.Call):
            parameter, inner = _taken_apart(method.value)
            function = method.with_changes(value=as_operand(inner))
            return parameter, call.with_changes(func=function, lpar=[], rpar=[])
    return call, call.args[0].value if call.args else call
