"""What is said of volatile flags that no block can take the place of."""

from __future__ import annotations

import ast
import re

from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.autograd.questions.volatile.marks import decides, never_was_variable

#: Where nothing that it marks records a graph, or what does so trains.
COVERED = "volatile= has no effect since 0.4: drop it{beside}"

#: What takes its place, wherever the code is that calculates with it, and whether or not it does.
OUT_OF_SIGHT = (
    "volatile= has no effect since 0.4: drop it{beside}; {block} around {what} does what it did"
)

#: The same of what requires gradients where it is not volatile, and so is no part of a graph else.
REQUIRED_OTHERWISE = (
    COVERED + ", as {requires} does the same where nothing else needs gradients; else {block} "
    "around {what} does what it did"
)

#: What is around where no name stands for what calls make.
THESE = "what calculates with these Variables"

#: Where a helper makes it whose callers, if it has any, are others.
UNCALLED = (
    COVERED + "; no call of {name} is in sight: one that sets {flag} goes under {block}{uses}"
)

#: The same of a parameter that calls have to give, or that calls of a module give.
BY_PARAMETER = (
    "volatile= in {lines} has no effect since 0.4: drop it and the parameter {flag}, which nothing "
    "else reads; a call of {name} that sets {flag} goes under `with torch.no_grad():`{uses}"
)

#: What is calculated from what such a call gives back goes there with it.
WITH_USES = ", with what is calculated from what it returns"

#: Where the calls of a helper have what takes its place.
COVERED_BY_CALLS = COVERED + ", and then {flag}; {block} around the {calls} does what it did"

#: Where others calculate with it, which this place does not show.
LEAVES = COVERED + "; {evaluates} goes under `with torch.no_grad():`"

#: Where it makes gradients for autograd's own engine, which took from it whether to make a graph.
FOR_ENGINE = COVERED + "; create_graph={graph} in line {line} tells the engine today what it did"

#: What goes there, where no call is known that sets the flag.
EVALUATES = "what only evaluates"

#: Where the code that does is in sight.
TAKEN = COVERED + "; {takers} under `with torch.no_grad():`"

#: Where the flag is passed on to what makes it.
PASSED_AND_LEAVES = (
    "the volatile flag that this call passes on{beside} has no effect since 0.4: {evaluates} "
    "goes under `with torch.no_grad():`"
)

_DOES_NOTHING = (
    "{0}.volatile = True does nothing since 0.4: leave it out; `with torch.no_grad():` around what "
    "calculates with {1} below does what it did"
)

#: Where that hangs on a test or a flag: what trains by the other has its graph.
_BY_FLAG = (
    "{0} does nothing since 0.4: leave it out; what only evaluates goes under `with "
    "torch.no_grad():`"
)

#: Where it goes without anything in its place.
SET_FOR_NOTHING = "an attribute volatile of a tensor does nothing since 0.4"

_NEVER_DID = "{0}.volatile = True does nothing, nor did it, as {0} is no Variable: leave it out"

#: Where a helper gives back what it makes, its calls alone record nothing anyway.
AND_USES = ", and what is calculated from what they return,"

LETS_THROUGH = (
    "{0}.volatile = False does nothing since 0.4: leave it out, and calculate {0} under `with "
    "torch.no_grad():`"
)

_OFF = (
    "{0} is False of all tensors since 0.4: write torch.is_grad_enabled() for not {0}, as it tells "
    "whether a graph is recorded"
)

_ON = (
    "{0} is False of all tensors since 0.4: write not torch.is_grad_enabled() for it, as that is "
    "True where no graph is recorded"
)

_COMPARED = (
    "{0} is False of all tensors since 0.4: write (not torch.is_grad_enabled()) for it, as that is "
    "True where no graph is recorded"
)

_SHOWN = (
    "{0} is False of all tensors since 0.4: of what is calculated under `with torch.no_grad():`, "
    "{1}.requires_grad is False"
)

DIFFERENTIATED = (
    "volatile= has no effect since 0.4: drop it{beside}, and keep its uses out of torch.no_grad(), "
    "as they go into {loss}.backward()"
)

PASSED_OUT_OF_SIGHT = (
    "the volatile flag that this call passes on{beside} has no effect since 0.4: {block} around "
    "{what} does what it did"
)


def does_nothing(marked: ast.expr, node: ast.Assign, facts: Facts) -> str:
    """What is said of ``x.volatile = True``, or by a flag."""
    if never_was_variable(marked, facts):
        return _NEVER_DID.format(ast.unparse(marked))
    if constant(node.value) not in (True, 1) or _hangs_on_test(node, marked, facts):
        return _BY_FLAG.format(ast.unparse(node))
    named = marked
    for above in facts.names.ancestors(node):
        if isinstance(above, ast.For) and ast.unparse(above.target) == ast.unparse(marked):
            named = above.iter if isinstance(above.iter, (ast.Name, ast.Attribute)) else named
    return _DOES_NOTHING.format(ast.unparse(marked), ast.unparse(named))


def _hangs_on_test(node: ast.Assign, marked: ast.expr, facts: Facts) -> bool:
    """Whether something else than what is marked decides; ``if x is not None:`` is about that."""
    function, name = facts.names.enclosing_function(node), ast.unparse(marked)
    return any(
        isinstance(above, ast.If)
        and facts.names.enclosing_function(above) is function
        and any(isinstance(n, ast.Name) and n.id != name for n in ast.walk(above.test))
        for above in facts.names.ancestors(node)
    )


def for_engine(switch: ast.expr | None, beside: str, facts: Facts) -> str | None:
    """What is said of ``volatile=not create_graph`` of gradients, of which a call of the engine
    that has that name as well makes a graph or none; None for all others.
    """
    is_off = isinstance(switch, ast.UnaryOp) and isinstance(switch.op, ast.Not)
    graph = switch.operand if is_off and isinstance(switch, ast.UnaryOp) else None
    runs = facts.names.method_calls("run_backward")
    if not isinstance(graph, ast.Name) or len(runs) != 1:
        return None
    known = facts.names.scope_of(runs[0]).lookup(graph.id)
    if known is None or isinstance(known[0].node, ast.Module):
        return None
    line = facts.origin(runs[0].lineno)
    return FOR_ENGINE.format(beside=beside, graph=graph.id, line=line)


def always_false(flag: ast.Attribute, facts: Facts) -> str:
    """What is said of ``x.volatile`` in a test, and what asks the same today.

    What is asserted or returned is asked of x alone, wherever that is done.
    """
    if not decides(flag, facts):
        return _SHOWN.format(ast.unparse(flag), ast.unparse(flag.value))
    above = facts.parent(flag)
    is_off = isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not)
    compared = _COMPARED if isinstance(above, ast.Compare) else _ON
    return (_OFF if is_off else compared).format(ast.unparse(flag))


def spelled(message: str, node: ast.AST, facts: Facts) -> str:
    """A message with the names of torch as the file writes them at ``node``: ``th.no_grad()``."""

    def written(match: re.Match[str]) -> str:
        found = spell(facts, match[0], node)
        return match[0] if found is None else found.text

    return re.sub(r"torch\.\w+", written, message)
