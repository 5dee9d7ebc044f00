"""Functions of autograd with static methods, written from those with methods of objects."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.below import changed_below
from torchfix_codemods.edit.kept_attributes import with_restored, with_saved, without_stores
from torchfix_codemods.edit.statements import split_closing
from torchfix_codemods.edit.tidying.stale_comments import closes_block, takes_out_static
from torchfix_codemods.record import record


@record
class Kept:
    """What becomes of the attributes in which ``forward`` keeps what it returns."""

    dropped: frozenset[str] = frozenset()
    """Those that nothing reads: they are not set any more."""
    saved: str | None = None
    """The one that ``backward`` reads: it is saved for it."""
    left: str | None = None
    """One for which neither is certain."""


@record
class Plan:
    """How a class is rewritten."""

    selves: dict[str, str]
    """The first parameter of each method."""
    parameters: tuple[ast.arg, ...]
    """Those of the constructor."""
    defaults: tuple[ast.expr, ...]
    inputs: int | None
    """How many arguments ``forward`` takes; None: any number."""
    input_defaults: tuple[ast.expr, ...]
    superseded: frozenset[str]
    """What the constructor sets to a constant that ``forward`` sets anew."""
    named_gradients: dict[str, int]
    """How many gradients each name holds that ``backward`` returns: ``grads = (dx, dy)``."""
    kept: Kept
    """What becomes of what ``forward`` keeps of its results."""
    keeps_state: bool
    """Whether a call sees what an earlier one of the same object left: ``self.steps += 1``."""

    @property
    def keeps_defaults(self) -> bool:
        """Whether those of ``forward`` can stay in front of what the constructor takes."""
        return len(self.defaults) == len(self.parameters)


def with_static_methods(node: cst.ClassDef, plan: Plan) -> cst.ClassDef:
    """A class whose methods get ``ctx``, and whose constructor went into ``forward``."""
    methods = {m.name.value: m for m in node.body.body if isinstance(m, cst.FunctionDef)}
    constructor = methods.get("__init__")
    body: list[cst.BaseStatement | cst.BaseSmallStatement] = []
    freed: Sequence[cst.EmptyLine] | None = None
    for statement in node.body.body:
        if statement is constructor:
            freed = constructor.leading_lines
            continue
        if isinstance(statement, cst.FunctionDef):
            statement = _static(statement, plan, constructor)
            if freed is not None:
                statement = _in_place_of(freed, statement)
            freed = None
        body.append(statement)
    block = node.body.with_changes(body=body)
    if freed is not None and isinstance(block, cst.IndentedBlock):
        footer = [*split_closing(freed)[0], *split_closing(block.footer)[1]]
        block = block.with_changes(footer=footer)
    return node.with_changes(body=block)


def _in_place_of(freed: Sequence[cst.EmptyLine], method: cst.FunctionDef) -> cst.FunctionDef:
    """A method that follows a constructor that is taken out, as far below what is above that."""
    closing, own = split_closing(freed)[0], split_closing(method.leading_lines)[1]
    has_comment = any(line.comment for line in own)
    return method.with_changes(leading_lines=[*closing, *own] if has_comment else freed)


def as_any_class(node: cst.ClassDef, context: str) -> cst.ClassDef:
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
    leading_lines = [*method.leading_lines]
    comment = leading_lines[-1].comment if leading_lines else None
    if comment is not None and takes_out_static(comment.value):
        leading_lines.pop()
    decorators = [cst.Decorator(cst.Name("staticmethod"))]
    return method.with_changes(decorators=decorators, leading_lines=leading_lines)


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
