"""`torch.log(F.softmax(x))` is `F.log_softmax(x)`, which is exact and never `-inf`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell_beside
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule
from torchfix_codemods.rules.losses.questions.last_activations import activation_of

_NEW = {
    "torch.softmax": "torch.log_softmax",
    "torch.nn.functional.softmax": "torch.nn.functional.log_softmax",
    "torch.nn.Softmax": "torch.nn.LogSoftmax",
}


class LogOfSoftmax(Rule):
    """
    ## What it does
    Writes `F.log_softmax(x, d)` for `torch.log(F.softmax(x, d))`, and so on for the method and the
    layer, with `torch.log(…)` and with `….log()`. The arguments of the softmax stay as they are.

    ## Why
    Where a probability is too small for a float it is 0, and its logarithm `-inf`: the loss is
    then infinite and its gradient NaN. `log_softmax` never takes the logarithm of a 0.

    ## Example
    ```python
    log_probs = torch.log(F.softmax(logits, dim=1))
    ```
    becomes
    ```python
    log_probs = F.log_softmax(logits, dim=1)
    ```

    ## Numbers
    Changed, to the exact ones: equal but for rounding where all probabilities are of some size,
    finite where they were `-inf`.

    ## When it stays its hand
    Where something is added to the probabilities first, where `out=` is given, on other logarithms
    and on what is not certainly a tensor. Where the probabilities have a name of their own, a
    finding says what to write: they may be needed as well.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html
    """

    code = "TP303"
    name = "log-of-softmax"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset({"log"})
    message = "the logarithm of a softmax is log_softmax, which is exact and never -inf"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        operand = _operand(call, facts)
        if isinstance(operand, ast.Call):
            function = _softmax_of(operand, facts)
            new = None if function is None else _NEW.get(facts.name(function) or "")
            if function is not None and new is None:
                yield self.found(call, path=None)
            elif function is not None and new is not None:
                path = spell_beside(facts, new, function)
                if path is not None:
                    yield self.found(call, needs=path.needs, path=path.text)
        elif isinstance(operand, ast.Name):
            yield from self._advised(call, operand, facts)

    def _advised(self, call: ast.Call, operand: ast.Name, facts: Facts) -> Iterator[Found]:
        activation = activation_of(facts, operand)
        if activation is None or facts.assigned(operand) != [activation.call]:
            return
        if _softmax_of(activation.call, facts) is not None:
            new = ast.unparse(_with_dim(activation.call, facts))
            new = new.replace("softmax", "log_softmax", 1).replace("Softmax", "LogSoftmax", 1)
            yield self.advice(
                call, f"-inf where {operand.id} is 0, and less exact than log_softmax: write {new}"
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        function = updated.func
        inner = updated.args[0].value if updated.args else None
        if inner is None and isinstance(function, cst.Attribute):
            inner = function.value
        if not isinstance(inner, cst.Call):
            return updated
        softmax = _with_log(inner, self.data["path"])
        return softmax.with_changes(lpar=updated.lpar, rpar=updated.rpar)


def _with_dim(softmax: ast.Call, facts: Facts) -> ast.Call:
    """A softmax with ``dim=...`` where it has none, of which torch would warn here as well."""
    if isinstance(softmax.func, ast.Call):
        return ast.Call(_with_dim(softmax.func, facts), softmax.args, softmax.keywords)
    before = {"torch.nn.Softmax": 0, "torch.nn.functional.softmax": 1}.get(
        facts.name(softmax.func) or ""
    )
    if len(softmax.args) != before or softmax.keywords:
        return softmax
    return ast.Call(softmax.func, softmax.args, [ast.keyword("dim", ast.Constant(...))])


def _operand(call: ast.Call, facts: Facts) -> ast.expr | None:
    """What the logarithm is taken of, if the call takes one of a tensor."""
    if call.keywords:
        return None
    if facts.name(call.func) == "torch.log":
        return call.args[0] if len(call.args) == 1 else None
    method = call.func
    if isinstance(method, ast.Attribute) and method.attr == "log" and not call.args:
        return method.value
    return None


def _softmax_of(call: ast.Call, facts: Facts) -> ast.expr | None:
    """The name of the softmax that a call applies: a function, a method or a layer built here."""
    if facts.name(call.func) in _NEW:
        return call.func
    if isinstance(call.func, ast.Call):
        return call.func.func if facts.name(call.func.func) == "torch.nn.Softmax" else None
    method = call.func
    if isinstance(method, ast.Attribute) and method.attr == "softmax":
        return method if facts.is_tensor(method.value) else None
    return None


def _with_log(softmax: cst.Call, path: str | None) -> cst.Call:
    """``softmax`` as its own logarithm."""
    function = softmax.func
    if isinstance(function, cst.Call):
        return softmax.with_changes(func=_with_log(function, path))
    if path is not None:
        return softmax.with_changes(func=cst.parse_expression(path))
    assert isinstance(function, cst.Attribute)
    return softmax.with_changes(func=function.with_changes(attr=cst.Name("log_softmax")))
