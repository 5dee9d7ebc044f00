"""Training that goes on from a checkpoint: what is loaded of it, and what begins anew."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.imported import imported_as
from torchfix_codemods.facts.values.lattice import Module, Scheduler
from torchfix_codemods.facts.values.torch_api import MODULE_WRAPPERS

#: A schedule that follows a metric instead of counting.
_FOLLOWS_METRIC = "ReduceLROnPlateau"
#: Schedules that take the epoch where they are behind three other arguments; others do earlier.
_OF_THREE = ("StepLR", "MultiStepLR", "CosineAnnealingLR")
#: Methods by which a module gives and takes what it learnt.
_OF_STATES = ("load_state_dict", "state_dict", "_load_from_state_dict")


def may_be_left_out(facts: Facts, resumed: ast.Assign, later: ast.Assign) -> bool:
    """Whether a line may run without the one that loads: that stands in an ``if`` of its own."""
    around = {*facts.names.ancestors(later)}
    outside = (outer for outer in facts.names.ancestors(resumed) if outer not in around)
    return any(isinstance(outer, ast.If) for outer in outside)


def made_later(facts: Facts, made: list[ast.Assign], resumed: ast.Assign) -> ast.Assign | None:
    """The last line that makes the optimizer, where all do so below the one that loads."""
    function = facts.names.enclosing_function(resumed)
    is_later = all(
        each.lineno > resumed.lineno
        and facts.names.enclosing_function(each) is function
        and not any(
            isinstance(outer, (ast.For, ast.While)) for outer in facts.names.ancestors(each)
        )
        for each in made
    )
    return max(made, key=lambda each: each.lineno) if is_later else None


def is_loaded_in_part(facts: Facts, resumed: ast.Assign) -> bool:
    """Whether only a part of a checkpoint goes into the model where the epoch is read.

    ``{k: v for k, v in saved.items() if k in own}``, or ``load_state_dict(saved, strict=False)``.
    """
    return any(
        _takes_part(node) for statement in facts.block(resumed) for node in ast.walk(statement)
    )


def _takes_part(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        strict = argument(node, 1, "strict")
        return node.func.attr == "load_state_dict" and constant(strict) is False
    return isinstance(node, ast.DictComp) and any(
        made.ifs
        and isinstance(made.iter, ast.Call)
        and isinstance(made.iter.func, ast.Attribute)
        and made.iter.func.attr == "items"
        for made in node.generators
    )


def fails_to_load(facts: Facts, saved: ast.Dict, resumed: ast.Assign) -> bool:
    """Whether what is saved has other keys than the model has that it is loaded into.

    Those of ``nn.DataParallel(model)`` begin with "module.", and the model above that has none.
    Methods of the project's own may load such keys, too.
    """
    defined = facts.names.nodes.get(ast.FunctionDef, ())
    if any(isinstance(each, ast.FunctionDef) and each.name in _OF_STATES for each in defined):
        return False
    if facts.files is not None and any(map(facts.files.is_defined, _OF_STATES)):
        return False
    saves = {
        constant(key): _is_wrapped(owner, facts)
        for key, value in zip(saved.keys, saved.values, strict=True)
        if (owner := _owner(value, "state_dict")) is not None
    }
    for statement in facts.block(resumed):
        for node in walk(statement):
            owner = _owner(node, "load_state_dict")
            given = argument(node, 0, "state_dict") if isinstance(node, ast.Call) else None
            if owner is None or not isinstance(given, ast.Subscript):
                continue
            if not _is_of_same(given, resumed):
                continue
            was, now = saves.get(constant(given.slice)), _is_wrapped(owner, facts)
            if was is not None and now is not None and was is not now:
                return True
    return False


def _owner(node: ast.AST | None, method: str) -> ast.expr | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    return node.func.value if node.func.attr == method else None


def _is_wrapped(model: ast.expr, facts: Facts) -> bool | None:
    """Whether a model is a ``DataParallel``; None where that is not certain."""
    if isinstance(model, ast.Attribute) and model.attr == "module":
        return False if _is_wrapped(model.value, facts) else None
    value = facts.value(model)
    if isinstance(value, Module) and (origin := imported_as(value)) is not None:
        value = origin.value
    if not isinstance(value, Module) or (value.cls is None and value.definition is None):
        return None
    return value.cls in MODULE_WRAPPERS


def _is_of_same(given: ast.Subscript, resumed: ast.Assign) -> bool:
    """Whether two lines read the same checkpoint, ``saved["epoch"]`` and ``saved["model"]``."""
    value = resumed.value.left if isinstance(resumed.value, ast.BinOp) else resumed.value
    return isinstance(value, ast.Subscript) and ast.dump(value.value) == ast.dump(given.value)


def steps_replayed(facts: Facts, resumed: ast.Assign) -> list[ast.For]:
    """The loops that only step the scheduler up to the epoch that was loaded.

    ``for _ in range(start_epoch): scheduler.step()`` changes rates that were loaded before it.
    """
    targets = {ast.unparse(target) for target in resumed.targets}
    return [
        loop
        for loop in facts.names.nodes.get(ast.For, ())
        if isinstance(loop, ast.For)
        and isinstance(loop.iter, ast.Call)
        and facts.names.builtin(loop.iter.func) == "range"
        and loop.iter.args
        and ast.unparse(loop.iter.args[-1]) in targets
        and all(_only_steps(statement, facts) for statement in loop.body)
    ]


def _only_steps(statement: ast.stmt, facts: Facts) -> bool:
    scheduler = _owner(statement.value, "step") if isinstance(statement, ast.Expr) else None
    return scheduler is not None and isinstance(facts.value(scheduler), Scheduler)


def said_of_scheduler(facts: Facts, made: list[ast.Assign]) -> str:
    """What is to be done for the scheduler of an optimizer as well, if anything."""
    schedule = _scheduler_from_start(facts, made)
    if schedule is None:
        return ""
    name, line = ast.unparse(schedule.targets[0]), facts.origin(schedule.lineno)
    return f"; the same for {name} (line {line}), which counts from 0 again"


def _scheduler_from_start(facts: Facts, made: list[ast.Assign]) -> ast.Assign | None:
    """What makes the scheduler of an optimizer, where that certainly counts from 0 again.

    Not one that is told where it is, by ``last_epoch`` or by ``step(epoch)``.
    """
    function = facts.names.enclosing_function(made[0])
    optimizer = ast.unparse(made[0].targets[0])
    found = [
        statement
        for statement in facts.names.nodes.get(ast.Assign, ())
        if isinstance(statement, ast.Assign)
        and facts.names.enclosing_function(statement) is function
        and _counts_from_start(facts, statement.value, optimizer)
    ]
    return found[0] if len(found) == 1 and not _is_told_epoch(facts, found[0]) else None


def _counts_from_start(facts: Facts, made: ast.expr, optimizer: str) -> bool:
    """Whether an expression makes a scheduler of an optimizer that begins to count."""
    value = facts.value(made) if isinstance(made, ast.Call) else None
    if not isinstance(value, Scheduler) or not isinstance(made, ast.Call) or value.name is None:
        return False
    given = argument(made, 0, "optimizer")
    most = 3 if value.name.endswith(_OF_THREE) else 2
    is_plain = not is_opaque(made) and argument(made, most, "last_epoch") is None
    is_counting = not value.name.endswith(_FOLLOWS_METRIC)
    return is_counting and is_plain and given is not None and ast.unparse(given) == optimizer


def _is_told_epoch(facts: Facts, made: ast.Assign) -> bool:
    """Whether ``scheduler.step(epoch)`` says where it is, or ``scheduler.last_epoch = epoch``."""
    name = ast.unparse(made.targets[0])
    steps = [
        call
        for call in facts.names.method_calls("step")
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == name
    ]
    is_set = any(isinstance(a.ctx, ast.Store) for a in facts.names.attributes("last_epoch"))
    return is_set or not steps or any(call.args or call.keywords for call in steps)
