"""The arguments `retain_variables=` and `grad_variables=` of `backward` got new names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import renamed_keyword
from torchfix_codemods.facts.evaluation.classes_elsewhere import method_of
from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

# Keywords of torch.autograd.backward: the new spelling and its place among the parameters.
_OF_FUNCTION = {
    "retain_variables": ("retain_graph", 2),
    "grad_variables": ("grad_tensors", 1),
    "variables": ("tensors", 0),
}
_OF_METHOD = {"retain_variables": ("retain_graph", 1)}


class RetainVariables(Rule):
    """
    ## What it does
    Writes `retain_graph=` for `retain_variables=` in `loss.backward(…)` and in
    `torch.autograd.backward(…)`, and in the latter `grad_tensors=` for `grad_variables=` and
    `tensors=` for `variables=`.

    ## Why
    `retain_variables` was renamed in 0.2 and removed in 0.4; `variables` went in 0.4, and
    `grad_variables` warns since then.

    ## Example
    ```python
    errD_real.backward(retain_variables=True)
    ```
    becomes
    ```python
    errD_real.backward(retain_graph=True)
    ```

    ## Numbers
    Restored: the call fails on today's torch. `grad_variables=` alone still works, there the
    numbers are identical.

    ## When it stays its hand
    Where the file has a method `backward` with such a parameter of its own and the receiver is not
    certainly a tensor, and where the new argument is given as well or may hide in `**kwargs`: a
    finding says so.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.autograd.backward.html
    - https://github.com/pytorch/pytorch/releases/tag/v0.2.0
    """

    code = "TP106"
    name = "retain-variables"
    since = "0.2"
    numerics = Numerics.RESTORED
    warns = True
    words = frozenset({"retain_variables", "grad_variables", "variables"})
    message = "retain_variables= is now retain_graph="

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        spellings = _spellings(call, facts)
        old = [k.arg for k in call.keywords if k.arg in spellings]
        if not old:
            return
        renames = {name: spellings[name][0] for name in old if name is not None}
        message = ", ".join(f"{name}= is now {new}=" for name, new in renames.items())
        if is_opaque(call) or any(
            argument(call, spellings[name][1], spellings[name][0]) is not None for name in renames
        ):
            yield self.advice(call, f"{message}, and both may be given here: keep the new one")
        elif not _is_torch(call, facts):
            yield self.advice(call, f"{message} in backward() of tensors")
        else:
            runs_today = list(renames) == ["grad_variables"]
            claim = Numerics.IDENTICAL if runs_today else Numerics.RESTORED
            yield self.found(call, message, numerics=claim, renames=renames)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        for old, new in self.data["renames"].items():
            updated = renamed_keyword(updated, old, new)
        return updated


def _spellings(call: ast.Call, facts: Facts) -> dict[str, tuple[str, int]]:
    """The renamed keywords that a call could have, if it is one of torch's ``backward``."""
    name = facts.name(call.func)
    if name == "torch.autograd.backward":
        return _OF_FUNCTION
    function = call.func
    if name is not None or not isinstance(function, ast.Attribute) or function.attr != "backward":
        return {}
    receiver = facts.value(function.value)
    found = method_of(facts.inference, receiver, "backward")
    return {} if found is not None and _takes_flag(found[1]) else _OF_METHOD


def _is_torch(call: ast.Call, facts: Facts) -> bool:
    """Whether the call is certainly torch's: nobody else has a ``retain_variables``."""
    function = call.func
    if facts.name(function) == "torch.autograd.backward":
        return True
    assert isinstance(function, ast.Attribute)
    if isinstance(facts.value(function.value), Tensor):
        return True
    return not any(
        isinstance(node, ast.FunctionDef) and node.name == "backward" and _takes_flag(node)
        for node in facts.names.nodes.get(ast.FunctionDef, ())
    )


def _takes_flag(method: ast.FunctionDef) -> bool:
    parameters = [*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs]
    return method.args.kwarg is not None or any(p.arg == "retain_variables" for p in parameters)
