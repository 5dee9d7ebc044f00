"""What is written for `Variable(...)`: the tensor in it, detached or as a leaf."""

from __future__ import annotations

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.edit.below import code_of
from torchfix_codemods.edit.parentheses import as_operand, without_parentheses
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.values import torch_api


def without_wrapper(call: cst.Call, how: str, holds: bool) -> cst.BaseExpression:
    """The tensor of ``Variable(x, requires_grad=True)`` as it is written today.

    Args:
        call: the call of ``Variable``.
        how: "bare" for x itself, "detached" for ``x.detach()``; else a leaf that requires grad as
            the call says: "factory" where x is made by a call that takes ``requires_grad=``,
            "legacy" where it may be one by now, "leaf" where x is detached first; other words for
            x itself.
        holds: whether x is the ``.data`` of a tensor, or ``y.data.cuda()``, which is detached in
            its place.
    """
    given = {arg.keyword.value: arg for arg in call.args if arg.keyword is not None}
    tensor = given.get("data", call.args[0]).value
    if "\n" not in code_of(tensor):
        # What wrapped it had brackets of its own, and the place of that asks for what it needs.
        tensor = without_parentheses(tensor)
    if how == "bare":
        return tensor
    if how == "detached":
        return _detached(tensor, holds)
    flag = given.get("requires_grad") or call.args[1]
    if isinstance(tensor, cst.Call) and (
        how == "factory" or (how == "legacy" and _calls_factory(tensor))
    ):
        return with_argument_added(tensor, keyword_argument("requires_grad", flag.value))
    base = _detached(tensor, holds) if how == "leaf" or holds else tensor
    is_true = isinstance(flag.value, cst.Name) and flag.value.value == "True"
    return _method(base, "requires_grad_", [] if is_true else [cst.Arg(flag.value)])


def without_mapping(call: cst.Call, is_kind: bool) -> cst.BaseExpression:
    """What ``map(Variable, xs)`` goes through, or ``list(map(Variable, xs))`` makes a list of.

    Args:
        call: the call of ``map``, or the one around it.
        is_kind: whether it is the one around: of ``list``, ``tuple`` and the like.
    """
    if not is_kind:
        xs = call.args[1].value
        # Those of a tuple on one line are only needed in a call.
        is_short = isinstance(xs, cst.Tuple) and "\n" not in code_of(xs)
        return xs.with_changes(lpar=[], rpar=[]) if is_short else xs
    mapping = call.args[0].value
    if not isinstance(mapping, cst.Call):
        return call
    xs = mapping.args[1].value
    kind = call.func.value if isinstance(call.func, cst.Name) else ""
    if isinstance(xs, cst.List if kind == "list" else cst.Tuple):
        return xs
    return call.with_changes(args=[cst.Arg(xs)])


def as_isinstance(
    comparison: cst.Comparison, class_name: str, is_negated: bool
) -> cst.BaseExpression:
    """``isinstance(x, torch.Tensor)`` for ``type(x) == Variable`` or ``x.__class__ is Variable``.

    Args:
        comparison: the comparison.
        class_name: how the file spells the class that is asked for.
        is_negated: whether it asks for all others.
    """
    left = comparison.left
    if not isinstance(left, (cst.Call, cst.Attribute)):
        return comparison
    asked = cst.Arg(left.value) if isinstance(left, cst.Attribute) else left.args[0]
    subject = asked.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
    if isinstance(subject.whitespace_after_arg, cst.SimpleWhitespace):
        # What stood before the bracket would stand behind the comma.
        subject = subject.with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))
    given = [subject, cst.Arg(cst.parse_expression(class_name))]
    check = cst.Call(cst.Name("isinstance"), given)
    return cst.UnaryOperation(cst.Not(), check) if is_negated else check


def _calls_factory(call: cst.Call) -> bool:
    """Whether a factory stands where a legacy constructor was found."""
    function = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    name = function.value if isinstance(function, cst.Name) else ""
    is_new = name != "new" and torch_effects.makes_alike(name)
    return f"torch.{name}" in torch_api.TAKES_REQUIRES_GRAD or is_new


def _detached(node: cst.BaseExpression, holds: bool) -> cst.BaseExpression:
    """``x.detach()``, also for what is that already, and for ``x.data`` where ``holds`` says so."""
    if _is_detached(node):
        return node
    if holds and isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        inner = _detached(node.func.value, holds)
        return node.with_changes(func=node.func.with_changes(value=inner))
    if holds and isinstance(node, cst.Attribute) and node.attr.value == "data":
        node = node.value
    return _method(node, "detach", [])


def _is_detached(node: cst.BaseExpression) -> bool:
    """``x.detach()`` and ``x.detach().clone()``."""
    if not (isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)) or node.args:
        return False
    method, receiver = node.func.attr.value, node.func.value
    return method == "detach" or (method == "clone" and _is_detached(receiver))


def _method(receiver: cst.BaseExpression, name: str, arguments: list[cst.Arg]) -> cst.Call:
    return cst.Call(cst.Attribute(as_operand(receiver), cst.Name(name)), arguments)
