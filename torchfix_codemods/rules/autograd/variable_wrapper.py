"""`Variable` and tensors were merged in 0.4: the wrapper is not needed any more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from torchfix_codemods.edit.arguments import argument, constant, is_opaque, keyword_argument
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts import torch_api
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import Array, Batch, Number, Sequence, Tensor, Text
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_VARIABLE = "torch.autograd.Variable"

#: Factories that take ``requires_grad=`` and make floating-point tensors.
_TAKES_REQUIRES_GRAD = frozenset(
    f"torch.{name}"
    for name in (*torch_api.FACTORIES, *torch_api.LIKE, "eye", "linspace", "logspace", "tensor")
)

_EQUAL = (ast.Eq, ast.Is)
_UNEQUAL = (ast.NotEq, ast.IsNot)


class VariableWrapper(Rule):
    """
    ## What it does
    Takes away `Variable(...)`: `Variable(x)` becomes `x` where `x` certainly has no autograd
    history, else `x.detach()`, which is what the wrapper does today. `requires_grad=` moves into
    the factory that makes the tensor, or to `.requires_grad_()`. `isinstance(h, Variable)`,
    `type(h) == Variable` and annotations name `torch.Tensor`. Assignments that only wrapped, and
    the import, go.

    ## Why
    Since 0.4 every tensor can require grad; `Variable(x)` returns a tensor. `type(h) == Variable`
    is never true any more, so the well-known `repackage_hidden` recurses until it crashes.

    ## Example
    ```python
    data, target = Variable(data), Variable(target)
    x = Variable(torch.ones(2, 2), requires_grad=True)
    ```
    becomes
    ```python
    x = torch.ones(2, 2, requires_grad=True)
    ```

    ## Numbers
    Identical. `Variable(y)` of a tensor that is part of a graph detaches it, so `y.detach()` is
    written unless `y` cannot have a history: data from a loader, from a factory or numpy,
    `.data`, or any argument in a file for torch 0.3 or older, where `Variable` took plain tensors
    only. `type(h) == Variable` is restored to what it meant.

    ## When it stays its hand
    Where `volatile=` is given (TP102 rewrites that first), where `*args` could hold an argument,
    where the argument is no tensor, and where `Variable` is used in other ways than those above.

    ## References
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/ ("Merging Tensor and Variable")
    - https://github.com/pytorch/pytorch/releases/tag/v0.4.0
    """

    code = "TP101"
    name = "variable-wrapper"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"Variable"})
    message = "Variable and Tensor are one since 0.4"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != _VARIABLE or is_opaque(call):
            return
        data = argument(call, 0, "data")
        if data is None or argument(call, 2, "volatile") is not None:
            return
        value = facts.value(data)
        if isinstance(value, (Array, Number, Text, Sequence)):
            yield self.advice(call, "Variable() of something that is no tensor fails")
            return
        requires_grad = argument(call, 1, "requires_grad")
        plain = isinstance(value, Batch) or (isinstance(value, Tensor) and value.grad is False)
        if requires_grad is None or constant(requires_grad) is False:
            how = "bare" if plain or facts.era.before((0, 4)) else "detached"
        elif _is_factory(data, facts):
            how = "factory"
        else:
            how = "fresh" if plain and _is_fresh(data, facts) else "leaf"
        yield self.found(call, how=how)

    def find_Name(self, node: ast.Name | ast.Attribute, facts: Facts) -> Iterator[Found]:
        if facts.name(node) != _VARIABLE or not isinstance(node.ctx, ast.Load):
            return
        parent = facts.parent(node)
        if _is_type_argument(node, facts) or _is_annotation(node, parent):
            yield from self._as_tensor(node, facts)

    find_Attribute = find_Name

    def find_Compare(self, node: ast.Compare, facts: Facts) -> Iterator[Found]:
        if len(node.ops) != 1 or not isinstance(node.ops[0], (*_EQUAL, *_UNEQUAL)):
            return
        subject = node.left
        if not (
            isinstance(subject, ast.Call)
            and isinstance(subject.func, ast.Name)
            and subject.func.id == "type"
            and len(subject.args) == 1
            and facts.name(node.comparators[0]) == _VARIABLE
        ):
            return
        spelling = spell(facts, "torch.Tensor", node)
        if spelling is not None:
            yield self.found(
                node,
                "type(x) is never Variable on today's torch",
                numerics=Numerics.RESTORED,
                needs=spelling.needs,
                tensor=spelling.text,
                negated=isinstance(node.ops[0], _UNEQUAL),
            )

    def _as_tensor(self, node: ast.expr, facts: Facts) -> Iterator[Found]:
        spelling = spell(facts, "torch.Tensor", node)
        if spelling is not None:
            yield self.found(
                node,
                needs=spelling.needs,
                tensor=spelling.text,
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        data = updated.args[0]
        given = {arg.keyword.value: arg for arg in updated.args if arg.keyword is not None}
        data = given.get("data", data)
        how = self.data["how"]
        if how == "bare":
            return data.value
        if how == "detached":
            return _method(data.value, "detach", [])
        flag = given.get("requires_grad") or updated.args[1]
        if how == "factory" and isinstance(data.value, cst.Call):
            return _with_requires_grad(data.value, flag.value)
        base = data.value if how == "fresh" else _method(data.value, "detach", [])
        is_true = isinstance(flag.value, cst.Name) and flag.value.value == "True"
        return _method(base, "requires_grad_", [] if is_true else [cst.Arg(flag.value)])

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        return cst.parse_expression(self.data["tensor"])

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        return cst.parse_expression(self.data["tensor"])

    def leave_Comparison(
        self, original: cst.Comparison, updated: cst.Comparison
    ) -> cst.BaseExpression:
        if not isinstance(updated.left, cst.Call):
            return updated
        tensor = cst.parse_expression(self.data["tensor"])
        subject = updated.left.args[0].with_changes(
            comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        )
        check = cst.Call(cst.Name("isinstance"), [subject, cst.Arg(tensor)])
        if self.data["negated"]:
            return cst.UnaryOperation(cst.Not(), check)
        return check


def _is_factory(node: ast.expr, facts: Facts) -> bool:
    return (
        isinstance(node, ast.Call)
        and facts.name(node.func) in _TAKES_REQUIRES_GRAD
        and not is_opaque(node)
        and not any(k.arg in ("requires_grad", "out") for k in node.keywords)
    )


def _is_fresh(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression makes a tensor object that nobody else holds."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = facts.name(node.func)
        if name is not None:
            return name.startswith("torch.")
        if not facts.is_tensor(node.func.value):
            return False
        node = node.func.value
    return isinstance(node, ast.Call) and (facts.name(node.func) or "").startswith("torch.")


def _is_type_argument(node: ast.expr, facts: Facts) -> bool:
    """The second argument of ``isinstance``, alone or in a tuple."""
    holder: ast.AST = node
    parent = facts.parent(node)
    if isinstance(parent, ast.Tuple):
        holder, parent = parent, facts.parent(parent)
    return (
        isinstance(parent, ast.Call)
        and isinstance(parent.func, ast.Name)
        and parent.func.id == "isinstance"
        and len(parent.args) == 2
        and parent.args[1] is holder
    )


def _is_annotation(node: ast.expr, parent: ast.AST | None) -> bool:
    if isinstance(parent, (ast.arg, ast.AnnAssign)):
        return parent.annotation is node
    return isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and parent.returns is node


def _method(receiver: cst.BaseExpression, name: str, arguments: list[cst.Arg]) -> cst.Call:
    return cst.Call(cst.Attribute(as_operand(receiver), cst.Name(name)), arguments)


def _with_requires_grad(factory: cst.Call, flag: cst.BaseExpression) -> cst.Call:
    args = list(factory.args)
    if args:
        comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        args[-1] = args[-1].with_changes(comma=comma)
    return factory.with_changes(args=[*args, keyword_argument("requires_grad", flag)])
