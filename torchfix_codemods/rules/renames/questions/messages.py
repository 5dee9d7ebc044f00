"""What is said of calls that a row of the catalogue is about."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from torchfix_codemods.catalogue.rows import Above, Call, Form, Given, Named, Row
from torchfix_codemods.edit.decided import decided, is_ellipsis
from torchfix_codemods.edit.templates import written
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries.signatures import Bound, Signature, bind, parse_signature
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.questions.fitting import expression_of, fits
from torchfix_codemods.rules.questions.quoted import Quoted, as_imported
from torchfix_codemods.text.wording import worded


def about_gone(row: Row, node: ast.AST, facts: Facts) -> str:
    """What is said of a function that is gone where nothing can be written."""
    assert isinstance(row, Call)
    if row.gone is None:
        return as_imported(row.advice, node, facts)
    calls = facts.names.nodes.get(ast.Call, ()) if row.by_call else ()
    functions = [call.func for call in calls if isinstance(call, ast.Call)]
    called = {name for f in functions for name in (facts.name(f), last_name(f))}
    near = [said for name, said in row.by_call.items() if name in called]
    advice = near[0] if len(near) == 1 else row.advice
    advice = (_is_given_zero(node) and row.of_zero) or advice
    said = as_imported(advice or _all_forms(row), node, facts)
    return f"{row.name} {row.state}: {said}"


def _is_given_zero(call: ast.AST) -> bool:
    """``action.reinforce(0.)``"""
    given = call.args if isinstance(call, ast.Call) and not call.keywords else []
    value = constant(given[0]) if len(given) == 1 else None
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == 0


def about_unwritten(row: Call, call: ast.Call, receiver: ast.expr | None, facts: Facts) -> str:
    """What to write for a call of what is gone, where its arguments have to be named before.

    They would be evaluated twice, or in another order, where the new call has them.
    """
    signature = parse_signature(row.old)
    bound = bind(signature, call, receiver)
    fitting = (f for f in row.forms if bound and fits(f, signature, bound, facts))
    form = next(fitting, None)
    if bound is None or form is None or form.part is not None or not form.new:
        return about_gone(row, call, facts)
    tree = decided(form.new, signature, bound, facts)
    if any(is_ellipsis(node) for node in ast.walk(tree)):
        return about_gone(row, call, facts)
    used = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in bound.given]
    scope = facts.names.scope_of(call)
    named = {
        name: given
        for name, given in bound.given.items()
        if name in used and not isinstance(given, (ast.Name, ast.Constant))
    }
    if not named or any(scope.lookup(name) is not None for name in named):
        return about_gone(row, call, facts)
    rest = {name: given for name, given in bound.given.items() if name not in named}
    new = as_imported(ast.unparse(_Given(rest).visit(tree)), call, facts)
    given = ", ".join(f"{name} = {worded(value, '...')}" for name, value in named.items())
    return f"{row.name} {row.state}: write {new}, with {given}"


def about_method(row: Call, call: ast.Call, receiver: ast.expr, facts: Facts) -> str:
    """What to write for a call of a method that is gone, of what may have another of that name."""
    signature = parse_signature(row.old)
    bound = bind(signature, call, receiver)
    if bound is None:
        return about_gone(row, call, facts)
    plans = (
        written(form.new, signature, call, bound, facts)
        for form in row.forms
        if form.part is None and form.new and fits(form, signature, bound, facts)
    )
    plan = next(filter(None, plans), None)
    if plan is not None:
        new = ast.unparse(_Given(bound.given).visit(ast.parse(plan.text, mode="eval")))
        kind = row.name.rpartition(".")[0].lower() if row.is_method else "tensor"
        return f"{row.name} {row.state}: write {new} if {ast.unparse(receiver)} is a {kind}"
    return about_gone(row, call, facts)


def _all_forms(row: Call) -> str:
    """All that a call of a function may be today, with what each form is for."""
    signature = parse_signature(row.old)
    whole = [form for form in row.forms if form.part is None and form.new] or [*row.forms]
    # Of forms for literal arguments, the one without them says the same for all.
    general = [f for f in whole if all(isinstance(value, Given) for value in f.when.values())]
    forms = general or whole
    return " or ".join(_with_conditions(form, signature) for form in forms)


def _with_conditions(form: Form, signature: Signature) -> str:
    """A form, for which arguments it is, and what those are that are not given."""
    text = form.new.replace(", out=out", "")
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    parts = [
        f"{name} is {wanted.value}"
        if isinstance(wanted, (Above, Given, Named))
        else f"{name}={wanted}"
        for name, wanted in form.when.items()
    ]
    for parameter in signature.parameters:
        if parameter.name in used and parameter.default is not None:
            parts.append(
                f"{parameter.name} only where given"
                if parameter.default == "..."
                else f"{parameter.name}={parameter.default} unless given"
            )
    return f"{text} ({', '.join(parts)})" if parts else text


class _Given(ast.NodeTransformer):
    """Puts arguments in the place of the names that stand for them."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)


def _short(text: str, row: Call) -> str:
    """A form without the arguments that are only handed on where they are given."""
    for parameter in parse_signature(row.old).parameters:
        if parameter.default == "...":
            text = text.replace(f", {parameter.name}={parameter.name}", "")
    return text


def about_form(
    row: Call, form: Form, signature: Signature, bound: Bound, call: ast.Call, facts: Facts
) -> str:
    """What is said of a call in a form that nothing can be written for."""
    quoted = {
        p.name: Quoted(node, p.name)
        for p in signature.parameters
        if (node := bound.given.get(p.name) or expression_of(p.default)) is not None
    }
    return about_call(row, as_imported(form.advice.format_map(quoted), call, facts))


def about_call(row: Call, text: str) -> str:
    """What is said of a call that is written as ``text`` today."""
    text = _short(text, row)
    if row.before is not None and row.claim is not None:
        return f"{row.name} changed in torch {row.before}: {text}"
    if row.was_number:
        return (
            f"{row.name} gave a number of Python before torch {row.before} and gives a tensor"
            f" today: {text} is a number again, of the tensor's precision"
        )
    if row.before is not None:
        of_type = "numbers of another type" if row.dtype_only else "other numbers"
        what = "something else" if row.used else of_type
        return f"{row.name} gives {what} since torch {row.before}: {text}"
    if row.gone is not None:
        what = row.name if row.is_name_gone else f"this form of {row.name}"
        return f"{what} {row.state}: {text}"
    return f"{row.name} is {text} today"
