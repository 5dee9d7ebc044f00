"""Lines that hand no more than numbers to an object that notes them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import first_name, walk, without_items
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.facts.programs.cut_off import reads_detached
from torchfix_codemods.facts.programs.training import is_harmless, trains
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Foreign, Instance, Number, Text, Unknown


def notes_numbers(node: ast.stmt, facts: Facts) -> bool:
    """Whether a line does the same under ``no_grad``: ``losses.update(loss.item(), n)``.

    Of a class out of sight that is so where ``losses = AverageMeter()`` was given nothing that it
    could train.
    """
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    given = values_given(call)
    if not given or not all(_is_number(one, facts) for one in given):
        return False
    if trains([node], facts) or not is_harmless(given, (), facts):
        return False
    if function_named(call.func, facts) is not None:
        return is_harmless([node], (), facts)
    return _is_made_of_nothing(call.func.value, facts)


def _is_number(node: ast.expr, facts: Facts) -> bool:
    return isinstance(facts.value(node), (Number, Text)) or reads_detached(node)


def _is_made_of_nothing(receiver: ast.expr, facts: Facts) -> bool:
    """Whether an object comes from constructions alone that get no model, nor any part of one."""
    name = first_name(without_items(receiver))
    if name is None or not isinstance(facts.value(receiver), (Unknown, Foreign)):
        return False
    if any(isinstance(call.func, ast.Name) for call in facts.names.calls(name.id)):
        # What is called may be a model itself.
        return False
    made: list[ast.Call] = []

    def before_made(place: Place) -> Iterable[Place] | None:
        if not isinstance(place.node, ast.Call):
            return behind(place, by_name=False) or None
        made.append(place.node)
        is_own = place.node is made[0]
        return _given(place.node, place.facts) if _may_note(place, is_own) else None

    return found_behind([Place(facts, name)], before_made) is None and bool(made)


def _may_note(made: Place, is_own: bool) -> bool:
    """Whether what a call makes is of a class that is out of sight, and of no module of torch's.

    What such an object is given may be of the project, but no module.
    """
    assert isinstance(made.node, ast.Call)
    value = made.facts.value(made.node)
    seen = value.value if isinstance(value, Imported) else value
    name = made.facts.name(made.node.func) or ""
    kinds = (Unknown, Foreign) if is_own else (Unknown, Foreign, Instance)
    return isinstance(seen, kinds) and not name.startswith("torch.")


def _given(call: ast.Call, facts: Facts) -> list[Place]:
    """What ``Meters({"loss": Meter(), "size": Meter(3), "part": others.all})`` is given."""
    arguments = values_given(call)
    parts = [part for argument in arguments for part in walk(argument)]
    calls = [part for part in parts if isinstance(part, ast.Call)]
    called = {part for one in calls for part in walk(one.func)}
    names = [part for part in parts if isinstance(part, ast.Name) and part not in called]
    return [Place(facts, part) for part in (*calls, *names)]
