"""Branches for Variables that are no branches for tensors yet, and what to do about them."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.asked_class import asked_for_class
from torchfix_codemods.facts.language.nodes import is_docstring
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.facts.values.lattice import Array, Number, Sequence, Text
from torchfix_codemods.rules.autograd.questions.wrapped.converting_branches import why_left_out
from torchfix_codemods.rules.autograd.questions.wrapped.endless_branches import without_recursion
from torchfix_codemods.rules.autograd.questions.wrapped.raising_branches import why_went_on
from torchfix_codemods.rules.autograd.questions.wrapped.tensor_branches import (
    checked_subject,
    left_above,
    next_for_tensors,
    passed_above,
    repeats_for_tensors,
    start_of_chain,
    takes_every_tensor,
    takes_floats,
    takes_typed_tensors,
)
from torchfix_codemods.rules.questions.as_of_tensor import as_of_tensor

_NEVER_RUNS = "every tensor takes the branch above today: this one never runs, drop it"
_NUMPY_ABOVE = (
    "every tensor takes the branch above today, where numpy() fails for what requires grad: "
    "write .detach() there, and drop this one"
)
_EITHER_ABOVE = (
    "every tensor takes the branch above today, and none this one: see which of the two is right, "
    "and drop the other"
)
_FOR_EVER = "every tensor that comes here takes this branch today, and calls the function for ever"
_TAKES_ALL = (
    "every tensor takes this branch today, and none the one in line {}: see which of the two is "
    "right, and drop the other"
)
_PASSED_BY = (
    "{} the branch of line {} today, also what was a Variable and passed it by before 0.4: see "
    "whether that branch is right for it"
)


def why_not_tensor(node: ast.expr, facts: Facts) -> str | None:
    """Why ``isinstance(x, Variable)`` cannot just become ``isinstance(x, torch.Tensor)``."""
    question: ast.AST | None = node
    while not isinstance(question, ast.Call):
        question = None if question is None else facts.parent(question)
    if (left_out := why_left_out(question, facts)) is not None:
        return left_out
    test: ast.AST = question
    while not isinstance(test, ast.stmt) and not isinstance(facts.parent(test), ast.stmt):
        parent = facts.parent(test)
        assert parent is not None
        test = parent
    branch = facts.parent(test)
    if not isinstance(branch, ast.If) or test is not branch.test:
        return None
    checked = checked_subject(branch.test, facts)
    if checked is None:
        reason = why_went_on(branch, question, facts)
    else:
        reason = _why_not_alone(branch, checked, facts)
    return reason or _passed_by(branch, ast.unparse(question.args[0]), facts)


def _why_not_alone(branch: ast.If, checked: tuple[str, str], facts: Facts) -> str | None:
    """Why not, where nothing else is asked there."""
    function = facts.names.enclosing_function(branch)
    calls = [n for s in branch.body for n in ast.walk(s) if isinstance(n, ast.Call)]
    if any(function_named(call.func, facts) == (facts, function) for call in calls):
        unwraps = any(_is_given_data(call, facts) for call in calls)
        above = left_above(start_of_chain(branch, facts)[0], checked[0], facts)
        if unwraps and above is not None:
            return _never_runs(above, None, checked[0], facts)
        if unwraps:
            return f"{_FOR_EVER}: {without_recursion(branch, checked[0], facts)}"
    if checked[1] != VARIABLE:
        return None
    around: ast.AST | None = branch
    while isinstance(around, ast.If):
        below, around = around, facts.parent(around)
        if not isinstance(around, ast.If) or around.orelse != [below]:
            break
        if takes_every_tensor(around, checked[0], facts):
            return _never_runs(around, branch, checked[0], facts)
    return _why_not_above(branch, checked, facts)


def _passed_by(branch: ast.If, subject: str, facts: Facts) -> str | None:
    """What to say of a branch above that takes Variables today, and took plain tensors only."""
    for above in passed_above(branch, subject, facts):
        if _only_wraps(above, subject, facts):
            continue
        whom = (
            "every tensor takes"
            if takes_every_tensor(above, subject, facts)
            else "every tensor of that type takes"
            if takes_typed_tensors(above, subject, facts)
            else None
        )
        if whom is not None:
            return _PASSED_BY.format(whom, facts.origin(above.lineno))
    return None


def _only_wraps(branch: ast.If, subject: str, facts: Facts) -> bool:
    """Whether a branch does nothing but ``x = Variable(x)``."""
    statement = branch.body[0]
    return (
        len(branch.body) == 1
        and isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and facts.name(statement.value.func) == VARIABLE
        and [ast.unparse(given) for given in statement.value.args] == [subject]
        and ast.unparse(statement.targets[0]) == subject
    )


def wraps_what_was_plain(call: ast.Call, facts: Facts) -> str | None:
    """What ``if torch.is_tensor(x): x = Variable(x)`` does, and what to drop: on 0.3 a Variable was
    no tensor."""
    statement = facts.parent(call)
    branch = None if statement is None else facts.parent(statement)
    if not (isinstance(statement, ast.Assign) and isinstance(branch, ast.If)) or not call.args:
        return None
    subject = ast.unparse(call.args[0])
    if statement not in branch.body or ast.unparse(statement.targets[0]) != subject:
        return None
    left = "call" if branch.orelse or len(branch.body) > 1 else "branch"
    if checked_subject(branch.test, facts) == (subject, "torch.Tensor"):
        return f"detaches every tensor: drop the {left}"
    if takes_floats(branch, subject, facts):
        return f"detaches these tensors: drop the {left}"
    is_typed = takes_typed_tensors(branch, subject, facts)
    return f"does nothing to these whole numbers: drop the {left}" if is_typed else None


def _is_given_data(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is given the data of a tensor, and not what numpy or Python make of it."""
    return any(
        isinstance(part, ast.Attribute) and part.attr == "data"
        for given in call.args
        if not isinstance(facts.value(given), (Array, Number, Text, Sequence))
        for part in ast.walk(given)
    )


def _why_not_above(branch: ast.If, checked: tuple[str, str], facts: Facts) -> str | None:
    """Why a branch for Variables cannot become one for tensors where one of those follows."""
    if checked[1] != VARIABLE or repeats_for_tensors(branch, facts):
        return None
    below = next_for_tensors(branch, checked[0], facts)
    return None if below is None else _TAKES_ALL.format(facts.origin(below.lineno))


def _never_runs(above: ast.If, branch: ast.If | None, subject: str, facts: Facts) -> str:
    """What to do about a branch for Variables below one for tensors.

    Args:
        above: that one.
        branch: the branch, unless it only calls its function again.
        subject: the name of what is asked about.
        facts: the facts of the module.
    """
    names = {n.attr for s in above.body for n in ast.walk(s) if isinstance(n, ast.Attribute)}
    if "numpy" in names and not names & {"data", "detach"}:
        return _NUMPY_ABOVE
    if branch is None or _does(branch, subject, facts) == _does(above, subject, facts):
        return _NEVER_RUNS
    return _EITHER_ABOVE


def _does(branch: ast.If, subject: str, facts: Facts) -> list[object]:
    """What a branch does, whether it was written for tensors or for Variables."""
    return [as_of_tensor(statement, subject, facts) for statement in branch.body]


def is_type_argument(node: ast.expr, facts: Facts) -> bool:
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


def is_annotation(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is an annotation, or a part of one: ``Optional[Variable]``."""
    parent = facts.parent(node)
    while isinstance(parent, (ast.Tuple, ast.List, ast.BinOp)) or (
        isinstance(parent, ast.Subscript) and parent.slice is node
    ):
        node, parent = parent, facts.parent(parent)
    if isinstance(parent, (ast.arg, ast.AnnAssign)):
        return parent.annotation is node
    return isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and parent.returns is node


def compares_type(node: ast.Compare, facts: Facts) -> bool:
    """``type(x) == Variable``, ``x.__class__ is not Variable``."""
    return (
        len(node.ops) == 1
        and isinstance(node.ops[0], (ast.Eq, ast.Is, ast.NotEq, ast.IsNot))
        and asked_for_class(facts.names, node.left) is not None
        and facts.name(node.comparators[0]) == VARIABLE
    )


def says_something(node: ast.ClassDef) -> bool:
    """Whether a class has more than a docstring, ``pass`` or ``...``."""
    return any(
        not isinstance(statement, ast.Pass) and not is_docstring(statement)
        for statement in node.body
    )
