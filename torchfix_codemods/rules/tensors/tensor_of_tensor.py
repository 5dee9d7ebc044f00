"""`torch.tensor(t)` of a tensor warns: the copy it makes is `t.detach().clone()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import (
    keyword_argument,
    with_argument_added,
    with_arguments,
)
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import is_fresh
from torchfix_codemods.facts.paths.made import is_made_here
from torchfix_codemods.facts.tensors.defaults import may_change_default_device
from torchfix_codemods.facts.values import dtypes
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.graphless.made_of import is_without_graph


class TensorOfTensor(Rule):
    """
    ## What it does
    Replaces `torch.tensor(t)`, where t is a tensor already, by `t.detach().clone()`; with `dtype=`
    or `device=` by `t.detach().to(…, copy=True)`, unless t certainly is of that dtype; without
    `detach()` where t has no graph, and without `clone()` where t is calculated right there.
    `requires_grad=True` becomes a call of `requires_grad_()`.

    ## Why
    `torch.tensor` is for data that is no tensor yet. Given one, it copies and cuts the graph, which
    nobody reads out of the line; torch warns at each call for that reason.

    ## Example
    ```python
    target = torch.tensor(out)
    labels = torch.tensor(labels, dtype=torch.long)
    ```
    becomes
    ```python
    target = out.detach().clone()
    labels = labels.detach().to(dtype=torch.long, copy=True)
    ```

    ## Numbers
    Identical: it is what torch does.

    ## When it stays its hand
    Where the argument is not a tensor that torch made in the same file: a parameter that is
    declared a tensor is mostly given here because it may be a list; where it is a single number
    that may as well be one of Python's; where `requires_grad` is a variable, `*args` or `**kwargs`
    are passed; where the project sets a default device, to which only `torch.tensor` moves its
    data.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.tensor.html
    """

    code = "TP409"
    name = "tensor-of-tensor"
    since = "1.0"
    numerics = Numerics.IDENTICAL
    warns = True
    words = frozenset({"tensor"})
    message = "torch.tensor of a tensor warns; the copy that it makes is t.detach().clone()"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != "torch.tensor" or len(call.args) != 1:
            return
        value = facts.value(call.args[0])
        if not isinstance(value, Tensor) or value.single or value.ndim == 0:
            return
        if {k.arg for k in call.keywords} - {"dtype", "device", "requires_grad"}:
            return
        needs_grad = constant(argument(call, None, "requires_grad") or ast.Constant(False))
        if not isinstance(needs_grad, bool) or may_change_default_device(facts):
            return
        if is_made_here(facts, call.args[0]):
            yield self.found(
                call,
                needs_grad=needs_grad,
                has_graph=not is_without_graph(call.args[0], facts),
                keeps_dtype=_asks_for_own_dtype(call, value, facts),
                is_fresh=is_fresh(call.args[0], facts),
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        source, *options = updated.args
        dropped = {"requires_grad"} | ({"dtype"} if self.data["keeps_dtype"] else set())
        kept = [o for o in options if o.keyword and o.keyword.value not in dropped]
        copy = _called(source.value, "detach") if self.data["has_graph"] else source.value
        if kept:
            converted = with_arguments(updated, kept).with_changes(func=_method(copy, "to"))
            copy = with_argument_added(converted, keyword_argument("copy", cst.Name("True")))
            copy = copy.with_changes(lpar=[], rpar=[])
        elif not self.data["is_fresh"]:
            copy = _called(copy, "clone")
        copy = _called(copy, "requires_grad_") if self.data["needs_grad"] else copy
        if copy is source.value:
            return copy
        return copy.with_changes(lpar=updated.lpar, rpar=updated.rpar)


def _asks_for_own_dtype(call: ast.Call, value: Tensor, facts: Facts) -> bool:
    """Whether ``dtype=`` alone is given, and is the one that the tensor certainly has."""
    asked = argument(call, None, "dtype")
    if asked is None or value.dtype is None or argument(call, None, "device") is not None:
        return False
    return dtypes.named(facts.name(asked)) == value.dtype


def _called(receiver: cst.BaseExpression, method: str) -> cst.Call:
    return cst.Call(_method(receiver, method))


def _method(receiver: cst.BaseExpression, method: str) -> cst.Attribute:
    return cst.Attribute(as_operand(receiver), cst.Name(method))
