"""Programs that run on a GPU alone, of which a bare fact tells nothing that could be followed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.language.nodes import start_of, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_same_at, is_self, line_named
from torchfix_codemods.facts.paths.project_imports import importers, may_run_for
from torchfix_codemods.facts.programs.unreached import is_unreached
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import (
    guards_of,
    speaks_of_device,
    without_not,
)
from torchfix_codemods.rules.devices.questions.flags.seen_flags import is_left_on
from torchfix_codemods.rules.devices.questions.gpu.gpu_calls import needs_gpu_for_more
from torchfix_codemods.rules.devices.questions.gpu.gpu_only import is_meant_for_gpu, is_refused_else
from torchfix_codemods.rules.devices.questions.plan.destinations import moves_of
from torchfix_codemods.rules.devices.questions.plan.switches import asks_for_gpu


def asked_for(moves: Sequence[ast.Call], facts: Facts) -> tuple[list[ast.Call], str]:
    """The moves that do not ask whether to use a GPU, though a line of their program does.

    A line of the file whose flag they can read as well: of the same function, of the same object,
    or of the module level. Or one of a file that imports it, uses what moves, and moves nothing
    without asking: what it imports may be asked by others. A flag that is left on asks nothing.

    Args:
        moves: the moves of the file that would be told of.
        facts: the facts of the module.

    Returns:
        the moves, and how a message names the line. No moves where the program needs a GPU all the
        same, were these written otherwise: where no line asks, or where another function of the
        file moves beside what only a GPU has (``torch.cuda.synchronize()``), of which nothing is
        told. No line where that is not known, as there is no project to ask.
    """
    others = [call for call in moves_of(facts) if call not in moves]
    if any(needs_gpu_for_more(c, facts) and not is_meant_for_gpu(c, facts) for c in others):
        return [], ""
    here = list(_asking(facts))
    for test in here:
        able = [move for move in moves if _can_read(move, test, facts)]
        if able:
            return able, line_named(_chosen_by(test, facts), facts, facts)
    for there in importers(facts, "cuda"):
        asking = next((each for each in _asking(there) if not _asks_object(each, there)), None)
        if asking is not None and not _moves_unasked(there):
            able = [move for move in moves if may_run_for(there, move, facts)]
            if able:
                return able, line_named(_chosen_by(asking, there), there, facts)
    is_known = bool(here) or facts.files is not None or _is_on_for_good(facts)
    return ([], "") if is_known else ([*moves], "")


def _chosen_by(test: ast.expr, facts: Facts) -> ast.AST:
    """The choice that sets ``device``, where only ``device.type`` is asked for; else the test."""
    for read in walk(test):
        name = read.value if isinstance(read, ast.Attribute) and read.attr == "type" else None
        found = facts.names.scope_of(name).lookup(name.id) if isinstance(name, ast.Name) else None
        if found is None:
            continue
        first, *others = ([*facts.names.ancestors(binding.node)] for binding in found[1])
        choice = next((up for up in first if all(up in each for each in others)), None)
        if others and isinstance(choice, ast.If) and speaks_of_device(choice.test):
            return choice
    return test


def _can_read(move: ast.Call, test: ast.expr, facts: Facts) -> bool:
    """Whether what a test asks can be read, or kept, where something moves."""
    owner = facts.names.enclosing_class(test)
    if owner is not None and facts.names.enclosing_class(move) is owner:
        return True
    names = (node for node in ast.walk(test) if isinstance(node, ast.Name))
    return all(_is_seen(move, name, facts) for name in names)


def _is_seen(move: ast.Call, name: ast.Name, facts: Facts) -> bool:
    asked = facts.names.scope_of(name).lookup(name.id)
    is_of_all = asked is None or asked[0] is facts.names.scope_of(facts.tree)
    return is_of_all or is_same_at(move, name, facts)


def _asks_object(test: ast.expr, facts: Facts) -> bool:
    """``self.use_gpu``, which belongs to one object of another file."""
    return any(is_self(facts, node) for node in ast.walk(test) if isinstance(node, ast.Name))


def _asking(facts: Facts) -> Iterator[ast.expr]:
    """The tests by which moves of a file go to the GPU, or stay: ``if args.cuda: net.cuda()``."""
    for call in sorted(facts.names.method_calls("cuda"), key=start_of):
        for test in guards_of(call, facts):
            if _asks_how(test, facts) or is_unreached(call, facts):
                continue
            if is_left_on(test, facts) or is_refused_else(test, facts):
                continue
            if asks_for_gpu(test, facts):
                yield test
    yield from _asking_as_rewritten(facts)


def _is_on_for_good(facts: Facts) -> bool:
    """``use_cuda = True``, by which something moves: a program that has a GPU."""
    return any(
        is_left_on(test, facts)
        for call in facts.names.method_calls("cuda")
        for test in guards_of(call, facts)
    )


def _moves_unasked(facts: Facts) -> bool:
    """Whether something of a file goes to the GPU whatever its flags are: it needs one as well."""
    return any(
        not any(asks_for_gpu(test, facts) for test in guards_of(call, facts))
        and not is_unreached(call, facts)
        for call in facts.names.method_calls("cuda")
    )


def _asking_as_rewritten(facts: Facts) -> Iterator[ast.expr]:
    """The tests of ``device = torch.device("cuda" if args.cuda else "cpu")`` where a run wrote it
    for such guards."""
    for call in facts.names.method_calls("device"):
        kind = call.args[0] if call.args else None
        if isinstance(kind, ast.IfExp) and facts.is_rewritten(call.lineno):
            if facts.name(call.func) == "torch.device":
                yield kind.test


def _asks_how(test: ast.expr, facts: Facts) -> bool:
    """Whether a test asks for what decides when something moves, not whether it does.

    ``if not lazy: data = data.cuda()``, and ``if lazy: batch = batch.cuda()`` elsewhere.
    """
    ways = facts.remembered(_ways_of_moves, lambda: _ways_of_moves(facts))
    parts = (part for part in walk(test) if isinstance(part, (ast.Name, ast.Attribute)))
    return any(len(ways.get(ast.unparse(part), ())) == 2 for part in parts)


def _ways_of_moves(facts: Facts) -> dict[str, set[bool]]:
    """What each name around the moves of a file has to be for one of them to run."""
    ways: dict[str, set[bool]] = {}
    for call in facts.names.method_calls("cuda"):
        for test, way in tests_around(facts.names, call):
            asked = without_not(test)
            ways.setdefault(ast.unparse(asked), set()).add(way is (asked is test))
    return ways
