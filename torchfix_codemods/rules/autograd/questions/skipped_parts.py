"""What one optimizer holds and the loss of a round does not reach: `step()` skips it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from torchfix_codemods.facts.language.branches import tests_passed
from torchfix_codemods.facts.language.nodes import LOOPS, start_of, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import called_function
from torchfix_codemods.facts.recording.gradient_reads import first_failing, is_gradient
from torchfix_codemods.facts.values.lattice import Module, Optimizer
from torchfix_codemods.record import record
from torchfix_codemods.rules.autograd.questions.held_parameters import (
    built_as,
    held_by,
    rests_without_gradient,
)
from torchfix_codemods.rules.autograd.questions.loss_sources import sources_of

_METHODS = frozenset({"backward", "step", "zero_grad"})


@dataclass(eq=False)
class _Round:
    """What happens from one ``zero_grad()`` of an optimizer to the next."""

    cleared: ast.Call | None = None
    losses: list[ast.Call] = field(default_factory=list)
    steps: list[ast.Call] = field(default_factory=list)
    reads: list[ast.expr] = field(default_factory=list)
    reached: frozenset[str] | None = None
    """What of the optimizer's parameters the losses reach; None where that is not certain."""


@record
class Skipped:
    """What `step()` skips after a `zero_grad()`, because the loss in between does not reach it."""

    parts: str
    read: ast.expr | None
    """What reads a gradient there, and fails."""


def skipped_in(function: ast.AST, facts: Facts) -> Mapping[ast.Call, Skipped]:
    """What is skipped, by the first ``zero_grad()`` of each optimizer after which something is."""
    nodes = [node for node in facts.names.own_nodes(function) if isinstance(node, ast.expr)]
    events = [n for n in nodes if method_called(n) in _METHODS or is_gradient(n, facts)]
    events.sort(key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
    if sum(method_called(event) == "backward" for event in events) < 2:
        return {}
    if any(_propagates_unseen(node, facts) for node in nodes):
        return {}
    optimizers = {
        ast.unparse(event.func.value): event.func.value
        for event in events
        if isinstance(event, ast.Call)
        and isinstance(event.func, ast.Attribute)
        and isinstance(facts.value(event.func.value), Optimizer)
    }
    found: dict[ast.Call, Skipped] = {}
    for optimizer in optimizers.values():
        skipped = _first_skipped(optimizer, events, facts)
        if skipped is not None:
            found.setdefault(*skipped)
    return found


def _propagates_unseen(node: ast.expr, facts: Facts) -> bool:
    """Whether a call back-propagates more than the losses that are seen."""
    if not isinstance(node, ast.Call):
        return False
    called = called_function(node, facts)
    return facts.name(node.func) == "torch.autograd.backward" or (
        called is not None and any(method_called(inner) == "backward" for inner in walk(called))
    )


def method_called(node: ast.AST) -> str | None:
    """The name of the method that a call calls; None for all else."""
    function = node.func if isinstance(node, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else None


def _first_skipped(
    optimizer: ast.expr, events: Sequence[ast.expr], facts: Facts
) -> tuple[ast.Call, Skipped] | None:
    built = built_as(optimizer, facts)
    held = frozenset[str]().union(*(held_by(call, facts) for call in built))
    if not held:
        return None
    rounds = _rounds(optimizer, held, events, facts)
    for each in rounds:
        each.reached = _reached(each, held, facts)
    rests = all(rests_without_gradient(call, facts) for call in built)
    for later in rounds:
        if later.cleared is None or later.cleared.keywords or later.reached is None:
            continue
        read = first_failing(later.reads, facts)
        if read is None and (rests or not later.steps):
            continue
        skipped = {
            part
            for earlier in rounds
            if earlier is not later and (earlier.steps or read is not None)
            for part in _missing(earlier.reached or frozenset(), later.reached)
            if _comes_before(earlier, later, optimizer, facts)
        }
        if skipped:
            return later.cleared, Skipped(", ".join(sorted(skipped)), read)
    return None


def _rounds(
    optimizer: ast.expr, held: frozenset[str], events: Sequence[ast.expr], facts: Facts
) -> list[_Round]:
    text = ast.unparse(optimizer)
    rounds = [_Round()]
    for event in events:
        if not isinstance(event, ast.Call) or not isinstance(event.func, ast.Attribute):
            rounds[-1].reads.append(event)
            continue
        method, receiver = event.func.attr, event.func.value
        is_own = ast.unparse(receiver) == text
        if method == "backward":
            rounds[-1].losses.append(event)
        elif method == "zero_grad" and (is_own or _holds_all(receiver, held, facts)):
            rounds.append(_Round(event))
        elif method == "step" and is_own:
            rounds[-1].steps.append(event)
    return rounds


def _holds_all(module: ast.expr, held: frozenset[str], facts: Facts) -> bool:
    """Whether `zero_grad()` of a module clears all that an optimizer holds."""
    text = ast.unparse(module)
    is_module = isinstance(facts.value(module), Module)
    return is_module and all(part == text or part.startswith(f"{text}.") for part in held)


def _reached(each: _Round, held: frozenset[str], facts: Facts) -> frozenset[str] | None:
    """What of an optimizer's parameters the losses of a round reach; None where not certain.

    What comes after its last step is cleared before another one.
    """
    found: set[str] = set()
    for loss in each.losses:
        if each.steps and start_of(loss) > start_of(each.steps[-1]):
            continue
        assert isinstance(loss.func, ast.Attribute)
        sources = sources_of(loss.func.value, facts)
        if sources is None or any(_is_within(source, held) for source in sources.unclear):
            return None
        if any(_is_around(source, held) for source in sources.found | sources.unclear):
            return None
        found |= {source for source in sources.found if _is_within(source, held)}
    return frozenset(found) or None


def _is_within(source: str, held: frozenset[str]) -> bool:
    return any(source == part or source.startswith((f"{part}.", f"{part}[")) for part in held)


def _is_around(source: str, held: frozenset[str]) -> bool:
    """Whether a module is called of which the optimizer holds a part."""
    return source not in held and any(part.startswith(f"{source}.") for part in held)


def _missing(theirs: frozenset[str], mine: frozenset[str]) -> set[str]:
    """What of the other loss this one certainly does not reach."""
    return {
        part
        for part in theirs - mine
        if not any(_may_hold(part, other) or _may_hold(other, part) for other in mine)
    }


def _may_hold(result: str, other: str) -> bool:
    """Whether ``net[0]`` may be calculated with the same as ``net`` or ``net.head``."""
    module, bracket, _ = result.partition("[")
    is_whole = other == module.removesuffix(".forward")
    return bool(bracket) and (is_whole or other.startswith(f"{module}."))


def _comes_before(earlier: _Round, later: _Round, optimizer: ast.expr, facts: Facts) -> bool:
    """Whether one round runs before another one, in the same run of the code."""
    first, second = earlier.losses[-1], later.losses[0]
    passed = dict(tests_passed(facts.names, first))
    others = tests_passed(facts.names, second)
    if any(passed.get(test, outcome) != outcome for test, outcome in others):
        return False
    if start_of(first) < start_of(second):
        return True
    function = facts.names.enclosing_function(first)
    around = [node for node in facts.names.ancestors(second) if isinstance(node, LOOPS)]
    if any(node in around for node in facts.names.ancestors(first)):
        return True
    outlives = isinstance(optimizer, ast.Attribute) or all(
        facts.names.enclosing_function(binding.node) is not function
        for binding in (facts.flow.reaching(optimizer) if isinstance(optimizer, ast.Name) else ())
    )
    return function is not None and outlives
