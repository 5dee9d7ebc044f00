"""`setattr(module, name, F.dropout(w, training=…))`: in evaluation a Parameter is registered."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_PLACE_OF_VALUE = 2


class RegisteredDropout(Rule):
    """
    ## What it does
    Clones what `F.dropout` makes of a parameter that a module gets under a name, in classes that
    register such parameters themselves.

    ## Why
    Until 0.3 `F.dropout` gave a new Variable in evaluation, too. Since 0.4 it gives the very
    Parameter that it was given; `setattr` registers that one, and the next tensor of that name, in
    training, raises "cannot assign 'torch.FloatTensor' as parameter 'weight_hh_l0'".

    ## Example
    ```python
    raw_w = getattr(self.module, name_w + "_raw")
    w = F.dropout(raw_w, p=self.dropout, training=self.training)
    setattr(self.module, name_w, w)
    ```
    becomes
    ```python
    raw_w = getattr(self.module, name_w + "_raw")
    w = F.dropout(raw_w, p=self.dropout, training=self.training).clone()
    setattr(self.module, name_w, w)
    ```

    ## Numbers
    Restored: the old line fails in training that follows an evaluation; the numbers are the same.

    ## When it stays its hand
    Where `training=True` is given, or nothing, where the name is not given by `setattr` in the
    same function, and in classes that call no `register_parameter`.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html
    - https://github.com/salesforce/awd-lstm-lm/blob/master/weight_drop.py
    """

    code = "TP713"
    name = "registered-dropout"
    since = "0.1"
    numerics = Numerics.RESTORED
    words = frozenset({"dropout"})
    beside = frozenset({"setattr", "register_parameter"})
    message = (
        "in evaluation this is the Parameter itself, which setattr registers; the next tensor of "
        "that name raises: a clone is none"
    )

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != "torch.nn.functional.dropout" or is_opaque(call):
            return
        training = argument(call, 2, "training")
        if training is None or constant(training) is True or not _registers(call, facts):
            return
        if any(_is_set(use, facts) for use in _uses(call, facts)):
            yield self.found(call)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        return cst.Call(cst.Attribute(updated, cst.Name("clone")))


def _registers(call: ast.Call, facts: Facts) -> bool:
    """Whether the class around a call registers parameters by names of its own."""
    owner = facts.names.enclosing_class(call)
    return owner is not None and any(
        facts.names.enclosing_class(other) is owner
        for other in facts.names.method_calls("register_parameter")
    )


def _uses(call: ast.Call, facts: Facts) -> Iterator[ast.expr]:
    """Where the value of a call is used: itself, and the name that it is assigned to."""
    yield call
    statement = facts.parent(call)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        name = statement.targets[0].id
        for use in facts.names.uses_of(facts.names.scope_of(call), name):
            if any(binding.node is statement for binding in facts.flow.reaching(use)):
                yield use


def _is_set(value: ast.expr, facts: Facts) -> bool:
    """``setattr(module, name, value)``."""
    call = facts.parent(value)
    return (
        isinstance(call, ast.Call)
        and facts.names.builtin(call.func) == "setattr"
        and len(call.args) > _PLACE_OF_VALUE
        and call.args[_PLACE_OF_VALUE] is value
    )
