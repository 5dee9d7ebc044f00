"""What takes the place of a volatile flag: ``no_grad()``, or ``set_grad_enabled()`` of a flag."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import TypeGuard

from torchfix_codemods.edit.spelling import Spelling, spell
from torchfix_codemods.edit.tidying.quotes import in_double_quotes
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.autograd.questions.volatile.recorded import is_run_recording

_NO_GRAD = "torch.no_grad()"
_IS_ON = "torch.is_grad_enabled()"
_OURS = re.compile(r"\btorch\.(?:no_grad|set_grad_enabled|is_grad_enabled)\b")


def switch_of(flag: ast.expr | None) -> ast.expr | None:
    """A flag that is calculated; None for what is always volatile."""
    return None if flag is None or isinstance(flag, ast.Constant) else flag


def context_for(flag: ast.expr | None, place: ast.AST, facts: Facts) -> str:
    """``torch.no_grad()``, or ``torch.set_grad_enabled(…)`` of a flag that is calculated.

    Args:
        flag: what a call is given for ``volatile=``; None where that is always true.
        place: the call.
        facts: the facts of its file.
    """
    switch = switch_of(flag)
    return _NO_GRAD if switch is None else context_by(negated(switch), place, facts)


def context_by(test: str, place: ast.AST, facts: Facts) -> str:
    """``torch.set_grad_enabled(…)``, by which gradients are recorded where a test holds.

    It switches them off alone: what a caller has under ``no_grad`` stays so, as what was
    calculated with a volatile value was volatile. Where none has, the test is enough, and so is
    the mode that a module is in.
    """
    asked = ast.parse(test, mode="eval").body
    if not (_is_of_mode(asked) or is_run_recording(place, facts)):
        test = f"{_IS_ON} and {f'({test})' if _binds_less(asked) else test}"
    return f"torch.set_grad_enabled({test})"


def spelled_context(flag: ast.expr | None, call: ast.Call, facts: Facts) -> Spelling | None:
    """The same as the file writes it around the statement of a call, with the imports it needs.

    None where a name of torch cannot be written there.
    """
    # Around the statement, which may see other names than a comprehension in it.
    place, text = facts.statement(call), in_double_quotes(context_for(flag, call, facts))
    found = {name: spell(facts, name, place) for name in _OURS.findall(text)}
    known = {name: spelling for name, spelling in found.items() if spelling is not None}
    if len(known) < len(found):
        return None
    needs = tuple(dict.fromkeys(need for spelling in known.values() for need in spelling.needs))
    return Spelling(_OURS.sub(lambda name: known[name[0]].text, text), needs)


def is_context_for(context: ast.expr, flag: ast.expr, facts: Facts) -> bool:
    """Whether a context is what takes the place of a flag."""
    if not isinstance(context, ast.Call) or len(context.args) != 1:
        return False
    test = context.args[0]
    if isinstance(test, ast.BoolOp) and _is_and(test) and ast.unparse(test.values[0]) == _IS_ON:
        others = test.values[1:]
        test = others[0] if len(others) == 1 else ast.BoolOp(ast.And(), others)
    is_switch = facts.name(context.func) == "torch.set_grad_enabled"
    return is_switch and ast.unparse(test) == negated(flag)


def _is_and(test: ast.expr) -> TypeGuard[ast.BoolOp]:
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)


def _binds_less(test: ast.expr) -> bool:
    """Whether a condition has to stand in parentheses behind ``and``."""
    return isinstance(test, (ast.IfExp, ast.Lambda)) or (
        isinstance(test, ast.BoolOp) and not _is_and(test)
    )


def _is_of_mode(test: ast.expr) -> bool:
    """``self.training``, or ``not model.training``."""
    test = test.operand if isinstance(test, ast.UnaryOp) else test
    return isinstance(test, ast.Attribute) and test.attr == "training"


def negated(flag: ast.expr) -> str:
    """The text of a condition that is turned around: ``self.training`` of ``not self.training``,
    ``a and b`` of ``not a or not b``, and ``phase == "train"`` of ``phase != "train"``."""
    if isinstance(flag, ast.UnaryOp) and isinstance(flag.op, ast.Not):
        return ast.unparse(flag.operand)
    if isinstance(flag, ast.BoolOp) and all(
        isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.Not) for each in flag.values
    ):
        both = ast.And() if isinstance(flag.op, ast.Or) else ast.Or()
        parts = [each.operand for each in flag.values if isinstance(each, ast.UnaryOp)]
        return ast.unparse(ast.BoolOp(both, parts))
    if isinstance(flag, ast.Compare) and isinstance(flag.ops[0], (ast.Is, ast.IsNot)):
        if len(flag.ops) == 1:
            operator = ast.IsNot() if isinstance(flag.ops[0], ast.Is) else ast.Is()
            return ast.unparse(ast.Compare(flag.left, [operator], flag.comparators))
    if isinstance(flag, ast.Compare) and len(flag.ops) == 1 and _is_equality(flag):
        equal = ast.NotEq() if isinstance(flag.ops[0], ast.Eq) else ast.Eq()
        return ast.unparse(ast.Compare(flag.left, [equal], flag.comparators))
    text = ast.unparse(flag)
    is_short = isinstance(flag, (ast.Name, ast.Attribute, ast.Call))
    return f"not {text}" if is_short else f"not ({text})"


def _is_equality(flag: ast.Compare) -> bool:
    """``phase != "train"``: of a text, one is the other turned around."""
    texts = [part for part in (flag.left, *flag.comparators) if isinstance(constant(part), str)]
    return isinstance(flag.ops[0], (ast.Eq, ast.NotEq)) and bool(texts)


def test_apart(calls: Sequence[ast.Call], backward: ast.expr, facts: Facts) -> str | None:
    """The test for ``loss.backward()``, where a value is volatile in a branch without it.

    A test that has such a value in both of its branches tells nothing.
    """
    child: ast.AST = calls[0]
    for above in facts.names.ancestors(calls[0]):
        if isinstance(above, ast.FunctionDef) or backward in walk(above):
            return None
        if isinstance(above, ast.If):
            others = above.orelse if child in above.body else above.body
            inside = {node for statement in others for node in walk(statement)}
            if not inside.isdisjoint(calls):
                child = above
                continue
            return negated(above.test) if child in above.body else ast.unparse(above.test)
        child = above
    return None


def joined_by_test(
    calls: Sequence[ast.Call], volatile: Sequence[ast.Call], facts: Facts
) -> tuple[str, str] | None:
    """The name that holds something volatile or something else, and what to calculate it under.

    ``x`` of ``x = y`` where ``y is not None`` and, else, ``x = Variable(z, volatile=True)``.

    Args:
        calls: what makes something volatile in one branch.
        volatile: all that may make it in the file.
        facts: the facts of the module.

    Returns:
        the name, and ``torch.set_grad_enabled(y is not None)``; None where there is no such
        test, or where it may come out otherwise below.
    """
    made = [facts.statement(call) for call in calls]
    choice = facts.parent(made[0])
    if not isinstance(choice, ast.If) or not _stays(choice, facts):
        return None
    block, other = choice.body, choice.orelse
    is_above = made[0] in block
    block, other = (block, other) if is_above else (other, block)
    if not {*made} <= {*block} or any(c in walk(s) for c in volatile for s in other):
        return None
    reading, given = _names_bound(block), _names_bound(other)
    names = {name for statement in made for name in reading.get(statement, ())}
    for statement in block:
        used = names & {n.id for n in walk(statement) if isinstance(n, ast.Name)}
        # What a model makes of it is calculated in the branch, above all that has the new name.
        if used and not _is_given_to(statement, names):
            names |= reading.get(statement, set())
    joined = [
        use
        for name in sorted(names.intersection(*[set().union(*given.values())]))
        for use in facts.names.uses_of(facts.names.scope_of(choice), name)
        if (bound := {binding.node for binding in facts.flow.reaching(use)})
        and bound <= {*block, *other}
        and not bound.isdisjoint(block)
        and not bound.isdisjoint(other)
    ]
    if not joined:
        return None
    test = negated(choice.test) if is_above else ast.unparse(choice.test)
    return joined[0].id, context_by(test, calls[0], facts)


def _is_given_to(statement: ast.stmt, names: set[str]) -> bool:
    """``samples = model.sample(noise)``, and not ``noise = self.moved(noise)``."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return False
    given = (argument for argument in statement.value.args if isinstance(argument, ast.Name))
    is_anew = any(isinstance(t, ast.Name) and t.id not in names for t in statement.targets)
    return is_anew and any(argument.id in names for argument in given)


def _names_bound(block: Sequence[ast.stmt]) -> dict[ast.AST, set[str]]:
    """The names that the assignments of a block give a value."""
    return {
        statement: {target.id for target in statement.targets if isinstance(target, ast.Name)}
        for statement in block
        if isinstance(statement, ast.Assign)
    }


def _stays(choice: ast.If, facts: Facts) -> bool:
    """Whether a test asks for names alone that no line below it binds, and is no ``elif``."""
    above = facts.parent(choice)
    if isinstance(above, ast.If) and above.orelse == [choice]:
        return False
    asked = [node for node in walk(choice.test) if isinstance(node, ast.Name)]
    if any(isinstance(node, ast.Call) for node in walk(choice.test)) or not asked:
        return False
    scope = facts.names.scope_of(choice)
    return all(
        getattr(binding.node, "lineno", 0) < choice.lineno
        for name in asked
        for binding in scope.bindings.get(name.id, ())
    )


def required_otherwise(call: ast.Call, switch: ast.expr | None) -> str | None:
    """``requires_grad=not flag`` beside ``volatile=flag``."""
    for keyword in call.keywords:
        if keyword.arg == "requires_grad" and switch is not None:
            written = ast.unparse(keyword.value)
            return f"requires_grad={written}" if written == negated(switch) else None
    return None
