"""`Variable` and tensors were merged in 0.4: the wrapper is not needed any more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.updates import may_change
from torchfix_codemods.facts.paths.wrapping import had_no_graph, maps_wrapper
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import (
    Array,
    Batch,
    Collated,
    Number,
    Sequence,
    Tensor,
    Text,
    Value,
)
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.reads import is_only_read
from torchfix_codemods.rules.autograd.questions.tensor_branches import (
    checked_subject,
    names_tensor,
    repeats_for_tensors,
    start_of_chain,
)
from torchfix_codemods.rules.autograd.questions.variable_branches import (
    why_not_tensor,
    wraps_what_was_plain,
)

_VARIABLE = "torch.autograd.Variable"
_NEVER_MADE = (
    "{}(...) gives a plain tensor since 0.4, and nothing that this class says of it ever runs: "
    "write `def {}(...):` that returns the tensor"
)
_SAME_BELOW = "the branch below is for tensors, too, and does the same: it never runs"

#: Factories that take ``requires_grad=`` and make floating-point tensors.
_TAKES_REQUIRES_GRAD = frozenset(
    f"torch.{name}"
    for name in (*torch_api.FACTORIES, *torch_api.LIKE, "eye", "linspace", "logspace", "tensor")
)

#: What ``Variable`` takes, in old and in today's torch.
_TAKES = ("data", "requires_grad", "volatile", "_grad_fn", "name")

_EQUAL = (ast.Eq, ast.Is)
_UNEQUAL = (ast.NotEq, ast.IsNot)


class VariableWrapper(Rule):
    """
    ## What it does
    Takes away `Variable(...)`: `Variable(x)` becomes `x` where `x` certainly has no autograd
    history, else `x.detach()`, which is what the wrapper does today. `requires_grad=` moves into
    the factory that makes the tensor, or to `.requires_grad_()`. `isinstance(h, Variable)`,
    `type(h) == Variable` and annotations name `torch.Tensor`. `map(Variable, xs)` that is unpacked,
    made a list of or gone through is `xs`. Assignments that only wrapped, and the import, go.

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
    `.data`, the target of `cross_entropy` or `nll_loss` in code for a torch before 1.10, or any
    argument in a file for torch 0.3 or older, where `Variable` took plain tensors only.
    `type(h) == Variable` is restored to what it meant.

    ## When it stays its hand
    Where `volatile=` is given (TP102 rewrites that first), where `*args` could hold an argument,
    where the argument is no tensor, where a keyword is misspelt (`require_grad=` raises in every
    torch), where a branch for tensors that were no Variables follows and does something else, and
    where `Variable` is used in other ways than those above. A class of the file's own below
    `Variable` is reported: its `__init__` does not run since 0.4.

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
        if data is None:
            return
        refused = [keyword for keyword in call.keywords if keyword.arg not in _TAKES]
        if refused:
            yield self.advice(call, _refused(refused[0], facts))
            return
        if argument(call, 2, "volatile") is not None:
            return
        value = facts.value(data)
        if isinstance(value, (Array, Number, Text, Sequence)):
            yield self.advice(call, "Variable() of something that is no tensor fails")
            return
        requires_grad = argument(call, 1, "requires_grad")
        plain = _is_plain(value)
        whom = wraps_what_was_plain(call, facts)
        if whom is not None:
            yield self.advice(
                call, f"this wrapped what was no Variable yet; today it detaches {whom}: drop it"
            )
        elif requires_grad is None or constant(requires_grad) is False:
            bare = (plain or had_no_graph(data, facts)) and not _is_changed_as_object(
                call, data, facts
            )
            holds = _is_data_of_tensor(data, facts)
            yield self.found(call, how="bare" if bare else "detached", holds=holds)
        elif _is_factory(data, facts):
            yield self.found(call, how="factory")
        else:
            legacy = plain and isinstance(data, ast.Call) and _is_legacy(data, facts)
            fresh = (plain or had_no_graph(data, facts)) and _is_fresh(data, facts)
            is_data = _is_data_of_tensor(data, facts)
            # An optimizer may write into a leaf: of x.detach() that would be a change of x, too.
            keeps = is_data and not is_only_read(facts, call, strict=False)
            how = "legacy" if legacy else "fresh" if fresh else "kept" if keeps else "leaf"
            yield self.found(call, how=how, holds=is_data and not keeps)

    def _find_mapped(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``x, y = map(Variable, (x, y))``, where nothing would be detached."""
        mapped, around = call.args[1], facts.parent(call)
        wrapped = mapped.elts if isinstance(mapped, (ast.Tuple, ast.List)) else [mapped]
        values = [facts.value(data) for data in wrapped]
        if any(isinstance(value, (Array, Number, Text)) for value in values):
            return
        if all(
            _is_plain(value) or had_no_graph(data, facts)
            for data, value in zip(wrapped, values, strict=True)
        ):
            is_kind = isinstance(around, ast.Call)
            region = around if isinstance(around, ast.Call) else call
            yield self.found(call, how="mapped", region=region, is_kind=is_kind)

    def find_ClassDef(self, node: ast.ClassDef, facts: Facts) -> Iterator[Found]:
        """``class Variable(autograd.Variable)``, which moves to the GPU what it is made of."""
        if any(facts.name(base) == _VARIABLE for base in node.bases) and _says_something(node):
            yield self.advice(node, _NEVER_MADE.format(node.name, node.name))

    def find_Name(self, node: ast.Name | ast.Attribute, facts: Facts) -> Iterator[Found]:
        if facts.name(node) != _VARIABLE or not isinstance(node.ctx, ast.Load):
            return
        parent = facts.parent(node)
        if isinstance(parent, ast.Call) and maps_wrapper(parent, facts):
            yield from self._find_mapped(parent, facts)
        elif _is_annotation(node, facts):
            yield from self._as_tensor(node, facts)
        elif _is_type_argument(node, facts):
            reason = why_not_tensor(node, facts)
            if reason is not None:
                yield self.advice(node, reason)
            else:
                yield from self._as_tensor(node, facts)

    find_Attribute = find_Name

    def find_If(self, node: ast.If, facts: Facts) -> Iterator[Found]:
        """``if not isinstance(x, Variable): x = Variable(x)`` has nothing left to do."""
        if _wraps_if_it_is_none(node, facts):
            yield self.found(
                node, "every tensor is what Variable was: nothing is left to wrap", depth=None
            )
        elif repeats_for_tensors(node, facts):
            first, depth = start_of_chain(node, facts)
            yield self.found(node, _SAME_BELOW, region=first, depth=depth)

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
        if spelling is None:
            return
        holder = facts.parent(node)
        if isinstance(holder, ast.Tuple) and names_tensor(holder, facts):
            index = holder.elts.index(node)
            yield self.found(node, region=holder, without=index)
        else:
            yield self.found(node, needs=spelling.needs, tensor=spelling.text)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if self.data["how"] == "mapped":
            return _mapped(updated, self.data["is_kind"])
        data = updated.args[0]
        given = {arg.keyword.value: arg for arg in updated.args if arg.keyword is not None}
        data = given.get("data", data)
        how = self.data["how"]
        if how == "bare":
            return data.value
        if how == "detached":
            return _detached(data.value, self.data["holds"])
        flag = given.get("requires_grad") or updated.args[1]
        if isinstance(data.value, cst.Call) and (
            how == "factory" or (how == "legacy" and _calls_factory(data.value))
        ):
            return with_argument_added(data.value, keyword_argument("requires_grad", flag.value))
        holds = self.data["holds"]
        base = _detached(data.value, holds) if how == "leaf" or holds else data.value
        is_true = isinstance(flag.value, cst.Name) and flag.value.value == "True"
        return _method(base, "requires_grad_", [] if is_true else [cst.Arg(flag.value)])

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        return cst.parse_expression(self.data["tensor"])

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        return cst.parse_expression(self.data["tensor"])

    def leave_Tuple(self, original: cst.Tuple, updated: cst.Tuple) -> cst.BaseExpression:
        index = self.data["without"]
        kept = [*updated.elements[:index], *updated.elements[index + 1 :]]
        if len(kept) == 1:
            return kept[0].value
        kept[-1] = kept[-1].with_changes(comma=updated.elements[-1].comma)
        return updated.with_changes(elements=kept)

    def leave_If(self, original: cst.If, updated: cst.If) -> cst.If | cst.RemovalSentinel:
        depth = self.data["depth"]
        return cst.RemoveFromParent() if depth is None else _without_next(updated, depth)

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


def _refused(keyword: ast.keyword, facts: Facts) -> str:
    """What to write for ``Variable(x, require_grad=True)``, which no torch takes."""
    told = f"Variable() takes no {keyword.arg}= and raises"
    if "grad" in (keyword.arg or ""):
        return f"{told}: write requires_grad={facts.segment(keyword.value)}"
    return told


def _says_something(node: ast.ClassDef) -> bool:
    """Whether a class has more than a docstring, ``pass`` or ``...``."""
    return any(
        not isinstance(statement, ast.Pass)
        and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in node.body
    )


#: What changes a tensor as an object, so that another name for it would change as well.
_OBJECT_CHANGES = frozenset(
    """requires_grad requires_grad_ retain_grad register_hook grad data unsqueeze_ squeeze_ t_
    transpose_ resize_ resize_as_ set_""".split()
)


def _is_changed_as_object(call: ast.Call, data: ast.expr, facts: Facts) -> bool:
    """Whether the wrapper's own identity matters: ``v = Variable(x); v.requires_grad = True``."""
    statement = facts.parent(call)
    if not isinstance(data, (ast.Name, ast.Attribute, ast.Subscript)):
        return False
    if isinstance(data, ast.Attribute) and data.attr == "data":
        # Each time it is asked for, another object.
        return False
    if not (isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)):
        return False
    name = statement.targets[0]
    found = facts.names.scope_of(name).lookup(name.id)
    for use in facts.names.uses_of(found[0], name.id) if found is not None else ():
        parent = facts.parent(use)
        if not any(binding.node is statement for binding in facts.flow.reaching(use)):
            continue
        if isinstance(parent, ast.Attribute) and parent.attr in _OBJECT_CHANGES:
            is_method = parent.attr.endswith("_") or parent.attr in ("retain_grad", "register_hook")
            if is_method or isinstance(parent.ctx, ast.Store):
                return True
    return False


def _wraps_if_it_is_none(node: ast.If, facts: Facts) -> bool:
    if not (isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)):
        return False
    checked = checked_subject(node.test.operand, facts)
    if checked is None or checked[1] != _VARIABLE or node.orelse or len(node.body) != 1:
        return False
    statement = node.body[0]
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.value, ast.Call)
        and facts.name(statement.value.func) == _VARIABLE
        and len(statement.value.args) == 1
        and all(
            k.arg == "requires_grad" and constant(k.value) is False
            for k in statement.value.keywords
        )
        and ast.unparse(statement.targets[0]) == checked[0]
        and ast.unparse(statement.value.args[0]) == checked[0]
    )


def _without_next(chain: cst.If, depth: int) -> cst.If:
    """A chain of branches without the one below the branch that has ``depth`` others above."""
    below = chain.orelse
    if not isinstance(below, cst.If):
        return chain
    kept = below.orelse if depth == 0 else _without_next(below, depth - 1)
    return chain.with_changes(orelse=kept)


def _is_factory(node: ast.expr, facts: Facts) -> bool:
    return (
        isinstance(node, ast.Call)
        and facts.name(node.func) in _TAKES_REQUIRES_GRAD
        and not is_opaque(node)
        and not any(k.arg in ("requires_grad", "out") for k in node.keywords)
    )


def _is_legacy(node: ast.Call, facts: Facts) -> bool:
    """``torch.Tensor(…)`` or ``x.new(…)``, alone or filled: a factory is written there (TP403)."""
    while isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
        node = node.func.value
    is_new = isinstance(node.func, ast.Attribute) and node.func.attr == "new"
    return is_new or facts.name(node.func) in DTYPES


def _calls_factory(call: cst.Call) -> bool:
    """Whether a factory stands where a legacy constructor was found."""
    function = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    name = function.value if isinstance(function, cst.Name) else ""
    return f"torch.{name}" in _TAKES_REQUIRES_GRAD or name in torch_api.NEW_METHODS


def _is_fresh(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression makes a tensor object that nobody else holds."""
    if isinstance(node, (ast.BinOp, ast.UnaryOp)):
        return True
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = facts.name(node.func)
        if name is not None:
            return name.startswith("torch.")
        if not facts.is_tensor(node.func.value):
            return False
        node = node.func.value
    if isinstance(node, ast.Attribute) and node.attr == "data":
        # Of what is no tensor it may be one that somebody holds.
        return facts.is_shown_tensor(node.value)
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


def _is_annotation(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is an annotation, or a part of one: ``Optional[Variable]``."""
    parent = facts.parent(node)
    while isinstance(parent, (ast.Tuple, ast.List, ast.BinOp)) or (
        isinstance(parent, ast.Subscript) and parent.slice is node
    ):
        node, parent = parent, facts.parent(parent)
    if isinstance(parent, (ast.arg, ast.AnnAssign)):
        return parent.annotation is node
    return isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and parent.returns is node


def _is_data_of_tensor(node: ast.expr, facts: Facts) -> bool:
    """``x.data`` of a tensor that nobody changes: what is detached there is x."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "data"
        and facts.is_tensor(node.value)
        and not may_change(node.value, facts)
    )


def _is_plain(value: Value) -> bool:
    if isinstance(value, (Batch, Collated)):
        return True
    return isinstance(value, Tensor) and value.grad is False


def _mapped(call: cst.Call, is_kind: bool) -> cst.BaseExpression:
    """What ``map(Variable, xs)`` goes through, or ``list(map(Variable, xs))`` makes a list of."""
    if not is_kind:
        xs = call.args[1].value
        # Those of a tuple on one line are only needed in a call.
        is_short = isinstance(xs, cst.Tuple) and "\n" not in cst.Module([]).code_for_node(xs)
        return xs.with_changes(lpar=[], rpar=[]) if is_short else xs
    mapping = call.args[0].value
    if not isinstance(mapping, cst.Call):
        return call
    xs = mapping.args[1].value
    kind = call.func.value if isinstance(call.func, cst.Name) else ""
    if isinstance(xs, cst.List if kind == "list" else cst.Tuple):
        return xs
    return call.with_changes(args=[cst.Arg(xs)])


def _detached(node: cst.BaseExpression, holds: bool) -> cst.BaseExpression:
    """``x.detach()``, also for what is that already, and for ``x.data`` where ``holds`` says so."""
    if _is_detached(node):
        return node
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
