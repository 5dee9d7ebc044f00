"""Branches that wrapped what was no Variable, and moved or converted it as well."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.asked_class import asked_for_class
from torchfix_codemods.facts.libraries.torch_effects import moves_or_casts
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.autograd.questions.wrapped.tensor_branches import checked_subject

_NEVER_RUNS = (
    "no tensor takes this branch today, and until 0.3 each that was no Variable did: write {} "
    "without the test where that is right for what was a Variable, too"
)
_NEVER_RECORDED = (
    "no tensor takes this branch today, and until 0.3 each that was no Variable did, and got a "
    "gradient: write `{}` for the test"
)
_NONE_PASSES = (
    "no tensor passes this test today, and until 0.3 each that was no Variable did: write `{}` "
    "without it where that is right for what was a Variable, too"
)
_ALWAYS_RUNS = (
    "type(x) is never Variable today, so every tensor takes this branch: write {} without the test"
)
_ALWAYS_RECORDED = (
    "type(x) is never Variable today, so every tensor takes this branch, and leaves its graph: "
    "write `{}` for the test"
)
_RECORDS = ".requires_grad_()"


def why_left_out(question: ast.Call, facts: Facts) -> str | None:
    """What to say of ``if not isinstance(x, Variable): x = Variable(x).cuda()``, if it is that.

    Args:
        question: the ``isinstance``; it may stand in a comprehension, or choose one of two values.
        facts: the facts of its module.
    """
    test = facts.parent(question)
    is_denied = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    around = facts.parent(test) if is_denied and test is not None else test
    name = ast.unparse(question.args[0])
    if isinstance(around, ast.comprehension):
        is_told = is_denied and _wraps_what_passes(around, name, facts)
        return _NONE_PASSES.format(_without(around, test)) if is_told else None
    if isinstance(around, ast.IfExp) and around.test in (test, question):
        plain, kept = around.body, around.orelse
        if not is_denied:
            plain, kept = kept, plain
        made = _without_wrapper(plain, name, facts)
        done = None if made == name or ast.unparse(kept) != name else made
    elif isinstance(around, ast.If) and is_denied:
        done = _done_to_plain(around, name, facts)
    else:
        return None
    if done is None:
        return None
    if _RECORDS in done:
        asked = f"{name}.requires_grad"
        return _NEVER_RECORDED.format(f"not {asked}" if is_denied else asked)
    written = f"`{name} = {done}`" if isinstance(around, ast.If) else f"`{done}`"
    return _NEVER_RUNS.format(written)


def why_taken(compared: ast.Compare, facts: Facts) -> str | None:
    """What to say of ``if type(x) != Variable: x = Variable(x).cuda()``, if it is that."""
    branch = facts.parent(compared)
    if not isinstance(branch, ast.If) or branch.test is not compared:
        return None
    if not isinstance(compared.ops[0], (ast.NotEq, ast.IsNot)):
        return None
    subject = asked_for_class(facts.names, compared.left)
    name = "" if subject is None else ast.unparse(subject)
    done = _done_to_plain(branch, name, facts)
    if done is not None and _RECORDS in done:
        return _ALWAYS_RECORDED.format(f"not {name}.requires_grad")
    return None if done is None else _ALWAYS_RUNS.format(f"`{name} = {done}`")


def is_of_what_passes(call: ast.Call, facts: Facts) -> bool:
    """Whether a wrapper is of what passes a test that no tensor passes today."""
    return any(
        isinstance(test, ast.UnaryOp)
        and isinstance(test.op, ast.Not)
        and (checked := checked_subject(test.operand, facts)) is not None
        and checked[1] == VARIABLE
        and _wraps_what_passes(each, checked[0], facts)
        for around in facts.names.ancestors(call)
        if isinstance(around, (ast.ListComp, ast.SetComp, ast.GeneratorExp))
        for each in around.generators
        for test in each.ifs
    )


def _wraps_what_passes(passing: ast.comprehension, name: str, facts: Facts) -> bool:
    """Whether ``[Variable(x).cuda() for x in xs if …]`` is made of what passes."""
    around = facts.parent(passing)
    if not isinstance(around, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
        return False
    is_wrapped = any(
        isinstance(node, ast.Call) and facts.name(node.func) == VARIABLE
        for node in ast.walk(around.elt)
    )
    return is_wrapped and _without_wrapper(around.elt, name, facts) is not None


def _without(passing: ast.comprehension, test: ast.AST | None) -> str:
    """``for x in xs``, with what else is asked there."""
    asked = "".join(f" if {ast.unparse(other)}" for other in passing.ifs if other is not test)
    return f"for {ast.unparse(passing.target)} in {ast.unparse(passing.iter)}{asked}"


def _done_to_plain(branch: ast.If, name: str, facts: Facts) -> str | None:
    """``x.cuda()`` of a branch that does ``x = x.cuda()``, wraps, and does nothing else."""
    done = name
    for statement in branch.body:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return None
        made = _without_wrapper(statement.value, name, facts)
        if made is None or ast.unparse(statement.targets[0]) != name:
            return None
        done += made.removeprefix(name)
    return None if done == name or branch.orelse else done


def _without_wrapper(value: ast.expr, name: str, facts: Facts) -> str | None:
    """``x.cuda()`` of ``Variable(x).cuda()`` and of ``Variable(x.cuda())``."""
    if ast.unparse(value) == name:
        return name
    if not isinstance(value, ast.Call):
        return None
    if facts.name(value.func) == VARIABLE:
        return _of_wrapper(value, name, facts)
    if not isinstance(value.func, ast.Attribute):
        return None
    done = _without_wrapper(value.func.value, name, facts)
    if value.func.attr == "detach":
        # The wrapper, as it is written today.
        return done
    given = [*map(ast.unparse, value.args), *map(ast.unparse, value.keywords)]
    made = f".{value.func.attr}({', '.join(given)})"
    if made != _RECORDS and not moves_or_casts(value.func.attr):
        # Arrays and lists may have the method as well.
        return None
    return None if done is None else f"{done}{made}"


def _of_wrapper(call: ast.Call, name: str, facts: Facts) -> str | None:
    """The same of the wrapper itself, which may ask for a gradient."""
    flag = argument(call, 1, "requires_grad")
    if is_opaque(call) or len(call.args) + len(call.keywords) != 1 + (flag is not None):
        return None
    is_recorded = flag is not None and constant(flag) is True
    if flag is not None and not is_recorded and constant(flag) is not False:
        return None
    done = _without_wrapper(call.args[0], name, facts) if call.args else None
    return f"{done}{_RECORDS}" if done is not None and is_recorded else done
