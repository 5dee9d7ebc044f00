"""Functions of autograd have static methods and are called by `apply`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import is_on_one_line, with_argument_added, with_arguments
from torchfix_codemods.edit.below import changed_below
from torchfix_codemods.edit.kept_attributes import with_restored, with_saved, without_stores
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.stale_comments import closes_block
from torchfix_codemods.edit.statements import split_closing
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.function_advice import further_advice
from torchfix_codemods.rules.autograd.questions.legacy_calls import (
    WORDS,
    LegacyCall,
    group_of,
    imported_calls,
    is_applied,
    is_only_made,
    own_calls,
)
from torchfix_codemods.rules.autograd.questions.legacy_functions import (
    Plan,
    context_name,
    is_legacy,
    is_object,
    is_of_context,
    plan_of,
)

_MODULE_OF_TORCH = "torch.nn.parallel._functions"
#: Functions of torch that projects made and called.
_OF_TORCH = ("Broadcast", "Gather", "ReduceAddCoalesced", "Scatter")


class LegacyFunction(Rule):
    """
    ## What it does
    Makes `forward` and `backward` of a `torch.autograd.Function` static methods that get a `ctx`
    in the place of `self`, and calls the function by `apply`. What the constructor was given
    becomes further arguments of `forward`; `backward` returns None for each of them. What `forward`
    returns is no longer kept as an attribute, as `ctx` is part of its graph then and none of them
    would be freed: `backward` reads it from `ctx.saved_tensors`, or nothing does. A function
    without `backward`, whose objects are kept with what their constructor was given, becomes a
    class like any other: `forward` is `__call__`, under `torch.no_grad()`. The
    `ctx.saved_variables` of static methods become `ctx.saved_tensors`.

    ## Why
    Functions with instance methods fail since torch 1.5: "Legacy autograd function with non-static
    forward method is deprecated".

    ## Example
    ```python
    class Scale(Function):
        def __init__(self, factor):
            super(Scale, self).__init__()
            self.factor = factor

        def forward(self, x):
            return x * self.factor

        def backward(self, grad):
            return grad * self.factor

    y = Scale(3)(x)
    ```
    becomes
    ```python
    class Scale(Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * ctx.factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

    y = Scale.apply(x, 3)
    ```

    ## Numbers
    Restored: the code fails today; afterwards values and gradients are those of the old torch. A
    second derivative, which the old torch refused, is now taken through `backward`; where there is
    none, what is calculated has no gradient, as before, but asking for one says so elsewhere.
    Where `backward` reads what was returned, and somebody wrote into it since, torch says so now.
    Identical for `ctx.saved_variables`, which is another name for the same and warns.

    ## When it stays its hand
    The class and all of its calls, in all files of the project, change together, or nothing does. A
    finding says what to write where another file does more with the class than to call it or is not
    part of the run, where an object of it is kept together with arguments of its constructor, or
    with what it sets anew in each call (`self.steps += 1`), where the constructor does more than to
    store what it was given, where methods read what is not set in them, where it is not certain how
    many gradients `backward` returns, and where `forward` keeps what it returns in a list, as a
    view or otherwise than `ctx.save_for_backward` certainly does. A class that is called by `apply`
    already is not touched. Of functions of torch itself that are made and called, such as
    `Broadcast(ids)(x)`, there is a finding.

    ## References
    - https://pytorch.org/docs/stable/notes/extending.html#extending-torch-autograd
    - https://github.com/pytorch/pytorch/pull/22983
    """

    code = "TP107"
    name = "legacy-function"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = WORDS | {*_OF_TORCH, "saved_variables"}
    message = "forward and backward of a function are static methods with ctx, called by apply"

    def find_ClassDef(self, node: ast.ClassDef, facts: Facts) -> Iterator[Found]:
        if not is_legacy(facts, node) or is_applied(facts, node):
            return
        plan = plan_of(facts, node)
        calls = None if plan is None else own_calls(facts, node, plan, self.code)
        if calls is None:
            yield self._found_object(node, facts) or self._said(node, facts)
            return
        group = group_of(facts, node)
        yield self.found(node, group=group, plan=plan)
        for call in calls:
            yield self.found(call.node, group=group, call=call)

    def _found_object(self, node: ast.ClassDef, facts: Facts) -> Found | None:
        """A function without a gradient, whose objects can be objects of a class of its own."""
        if not is_object(facts, node) or not is_only_made(facts, node):
            return None
        spelled = spell(facts, "torch.no_grad", node)
        if spelled is None:
            return None
        return self.found(
            node,
            "torch 1.5 took away objects of functions: without a backward, this is any other class",
            needs=spelled.needs,
            context=spelled.text,
        )

    def _said(self, node: ast.ClassDef, facts: Facts) -> Found:
        own = context_name(node)
        context = "" if own == "ctx" else f", with ctx for {own}"
        further = "".join(f"; {said}" for said in further_advice(facts, node))
        return self.advice(
            node,
            "torch 1.5 took away functions whose forward is no static method: write "
            f"{node.name}.apply(...) for {node.name}(...)(...), and @staticmethod above forward "
            f"and backward{context}{further}",
        )

    def find_Module(self, tree: ast.Module, facts: Facts) -> Iterator[Found]:
        for group, call in imported_calls(facts, self.code):
            yield self.found(call.node, group=group, call=call)

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        if node.attr == "saved_variables" and is_of_context(facts, node.value):
            yield self.found(
                node,
                "what is saved are tensors: saved_variables is deprecated",
                numerics=Numerics.IDENTICAL,
            )

    def find_Call(self, made: ast.Call, facts: Facts) -> Iterator[Found]:
        call = facts.parent(made)
        if not isinstance(call, ast.Call) or call.func is not made:
            return
        module, _, function = (facts.name(made.func) or "").rpartition(".")
        if module == _MODULE_OF_TORCH and function in _OF_TORCH:
            yield self.advice(
                call,
                f"torch 1.5 took away functions that are made first: write {function}.apply(...) "
                f"for {function}(...)(...), with what its forward takes",
            )

    def leave_Attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.Attribute:
        return updated.with_changes(attr=cst.Name("saved_tensors"))

    def leave_ClassDef(self, original: cst.ClassDef, updated: cst.ClassDef) -> cst.ClassDef:
        if "context" in self.data:
            return _object(updated, self.data["context"])
        plan: Plan = self.data["plan"]
        methods = {m.name.value: m for m in updated.body.body if isinstance(m, cst.FunctionDef)}
        constructor = methods.get("__init__")
        body: list[cst.BaseStatement | cst.BaseSmallStatement] = []
        freed: Sequence[cst.EmptyLine] | None = None
        for statement in updated.body.body:
            if statement is constructor:
                freed = constructor.leading_lines
                continue
            if isinstance(statement, cst.FunctionDef):
                statement = _static(statement, plan, constructor)
                if freed is not None:
                    statement = _in_place_of(freed, statement)
                freed = None
            body.append(statement)
        block = updated.body.with_changes(body=body)
        if freed is not None and isinstance(block, cst.IndentedBlock):
            footer = [*split_closing(freed)[0], *split_closing(block.footer)[1]]
            block = block.with_changes(footer=footer)
        return updated.with_changes(body=block)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        call: LegacyCall = self.data["call"]
        if call.given is None:
            return cst.Attribute(
                updated.func, cst.Name("apply"), lpar=updated.lpar, rpar=updated.rpar
            )
        if not isinstance(updated.func, cst.Call):
            return updated
        built = updated.func
        given = [
            cst.Arg(built.args[part].value, comma=built.args[part].comma)
            if isinstance(part, int)
            else cst.Arg(cst.parse_expression(part))
            for part in call.given
        ]
        if is_on_one_line(updated):
            updated = with_arguments(updated, [*updated.args, *given])
        else:
            for argument in given:
                updated = with_argument_added(updated, cst.Arg(argument.value))
        return updated.with_changes(func=cst.Attribute(built.func, cst.Name("apply")))


def _in_place_of(freed: Sequence[cst.EmptyLine], method: cst.FunctionDef) -> cst.FunctionDef:
    """A method that follows a constructor that is taken out, as far below what is above that."""
    closing, own = split_closing(freed)[0], split_closing(method.leading_lines)[1]
    has_comment = any(line.comment for line in own)
    return method.with_changes(leading_lines=[*closing, *own] if has_comment else freed)


def _static(
    method: cst.FunctionDef, plan: Plan, constructor: cst.FunctionDef | None
) -> cst.FunctionDef:
    """A method with ``ctx``, and with what the constructor took and did in ``forward``."""
    name = method.name.value
    method = _with_context(_saving(method, plan), plan.selves[name])
    if name == "forward" and constructor is not None:
        method = _with_parameters(method, plan, constructor)
        stores = _with_context(constructor, plan.selves["__init__"]).body
        assert isinstance(stores, cst.IndentedBlock)
        method = _with_statements(method, stores, plan)
    elif name == "backward" and plan.parameters:
        method = method.with_changes(body=_with_gradients(method.body, plan))
    return method.with_changes(decorators=[cst.Decorator(cst.Name("staticmethod"))])


def _saving(method: cst.FunctionDef, plan: Plan) -> cst.FunctionDef:
    """A method that keeps what ``forward`` returns as ``ctx`` can keep it, or not at all."""
    name = method.name.value
    own, saved = plan.selves[name], plan.kept.saved
    method = method.with_changes(body=without_stores(method.body, own, plan.kept.dropped))
    if saved is None:
        return method
    if name == "backward":
        return with_restored(method, own, saved)
    return method.with_changes(body=with_saved(method.body, own, saved))


def _object(node: cst.ClassDef, context: str) -> cst.ClassDef:
    """A class without bases, the objects of which are called."""
    call = cst.Decorator(cst.Call(cst.parse_expression(context)))
    body = [
        s.with_changes(name=cst.Name("__call__"), decorators=[call])
        if isinstance(s, cst.FunctionDef) and s.name.value == "forward"
        else s
        for s in node.body.body
    ]
    return node.with_changes(
        bases=[],
        lpar=cst.MaybeSentinel.DEFAULT,
        rpar=cst.MaybeSentinel.DEFAULT,
        whitespace_after_name=cst.SimpleWhitespace(""),
        body=node.body.with_changes(body=body),
    )


def _with_context(method: cst.FunctionDef, own: str) -> cst.FunctionDef:
    first, *others = method.params.params
    body = _through_context(method.body, own)
    params = method.params.with_changes(params=[first.with_changes(name=cst.Name("ctx")), *others])
    return method.with_changes(params=params, body=body)


def _through_context(body: cst.BaseSuite, own: str) -> cst.BaseSuite:
    """Read and store through ``ctx`` what was read and stored through ``self``."""

    def through(original: cst.Attribute, updated: cst.Attribute) -> cst.Attribute:
        if not isinstance(updated.value, cst.Name) or updated.value.value != own:
            return updated
        attr = updated.attr
        if attr.value == "saved_variables":
            attr = attr.with_changes(value="saved_tensors")
        return updated.with_changes(value=updated.value.with_changes(value="ctx"), attr=attr)

    return changed_below(body, cst.Attribute, through)


def _with_parameters(
    method: cst.FunctionDef, plan: Plan, constructor: cst.FunctionDef
) -> cst.FunctionDef:
    own = list(method.params.params)
    if not plan.keeps_defaults:
        own = [p.with_changes(default=None, equal=cst.MaybeSentinel.DEFAULT) for p in own]
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    taken = [
        p.with_changes(comma=comma, whitespace_after_param=cst.SimpleWhitespace(""))
        for p in constructor.params.params[1:]
    ]
    if not taken:
        return method
    taken[-1] = taken[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    if not isinstance(own[-1].comma, cst.Comma):
        own[-1] = own[-1].with_changes(comma=comma)
    return method.with_changes(params=method.params.with_changes(params=[*own, *taken]))


def _is_assignment(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[0], cst.Assign
    )


def _is_in_vain(statement: cst.BaseStatement | cst.BaseSmallStatement, plan: Plan) -> bool:
    """Whether an assignment of a constructor, without a comment, means nothing in ``forward``."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return False
    comments = [
        statement.trailing_whitespace.comment,
        *(li.comment for li in statement.leading_lines),
    ]
    assignment = statement.body[0]
    if any(comments) or not isinstance(assignment, cst.Assign) or len(assignment.targets) != 1:
        return False
    target = assignment.targets[0].target
    in_vain = plan.superseded | plan.kept.dropped | {plan.kept.saved}
    return isinstance(target, cst.Attribute) and target.attr.value in in_vain


def _with_statements(
    method: cst.FunctionDef, stores: cst.IndentedBlock, plan: Plan
) -> cst.FunctionDef:
    """``method`` with the assignments of a constructor at its start, below the docstring."""
    body = list(method.body.body)
    at = 1 if method.get_docstring() is not None else 0
    left = [line for line in stores.footer if line.comment and not closes_block(line.comment.value)]
    if left:
        first = body[at]
        assert isinstance(first, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        body[at] = first.with_changes(leading_lines=[*left, *first.leading_lines])
    new = [s for s in stores.body if _is_assignment(s) and not _is_in_vain(s, plan)]
    return method.with_changes(body=method.body.with_changes(body=[*body[:at], *new, *body[at:]]))


def _with_gradients(body: cst.BaseSuite, plan: Plan) -> cst.BaseSuite:
    """Return None for each argument that came from the constructor."""

    def with_nones(original: cst.Return, updated: cst.Return) -> cst.Return:
        value = updated.value
        assert value is not None
        missing = len(plan.parameters)
        if isinstance(value, cst.Name) and value.value in plan.named_gradients:
            missing += max(0, (plan.inputs or 0) - plan.named_gradients[value.value])
            return updated.with_changes(
                value=cst.Tuple([cst.StarredElement(value), *_nones(missing)])
            )
        if not isinstance(value, cst.Tuple):
            return updated.with_changes(
                value=cst.Tuple([cst.Element(value), *_nones(missing)], lpar=[], rpar=[])
            )
        missing += max(0, (plan.inputs or 0) - len(value.elements))
        last = value.elements[-1]
        elements = [*value.elements[:-1], last.with_changes(comma=cst.MaybeSentinel.DEFAULT)]
        return updated.with_changes(
            value=value.with_changes(elements=[*elements, *_nones(missing)])
        )

    return changed_below(body, cst.Return, with_nones, without=(cst.FunctionDef, cst.Lambda))


def _nones(number: int) -> list[cst.Element]:
    return [cst.Element(cst.Name("None")) for _ in range(number)]
