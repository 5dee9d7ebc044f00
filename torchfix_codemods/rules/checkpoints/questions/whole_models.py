"""Whether a file that holds a whole model can hold its state dict: all places follow, or none."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.programs.saved_paths import (
    calls_of,
    literal_path,
    loaded_path,
    other_path,
    same_path,
    saved_object,
    saved_path,
)
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.record import record
from torchfix_codemods.rules.checkpoints.questions.construction import construction_of
from torchfix_codemods.rules.checkpoints.questions.pickled_objects import (
    Place,
    loads_object,
    whole_elsewhere,
)
from torchfix_codemods.rules.checkpoints.questions.same_value import (
    gives_the_same,
    gives_the_same_in,
)


@record
class Plan:
    """All places that save and load one file, and what builds the model that it holds."""

    loads: tuple[ast.Call, ...]
    construction: str


def plan_of_file(facts: Facts, path: ast.expr | None, across: str | None = None) -> Plan | None:
    """How the file at ``path`` can hold a state dict; None where a place of it cannot follow.

    ``across`` is the code of the rule that rewrites, where other files of the project may load it,
    too, if they can follow.
    """
    saves = [s for s in calls_of(facts, "torch.save") if same_path(facts, saved_path(s), path)]
    loads = [c for c in calls_of(facts, "torch.load") if same_path(facts, loaded_path(c), path)]
    elsewhere = places_elsewhere(facts, path) if saves and across is not None else []
    if not saves or elsewhere is None or not (loads or elsewhere):
        return None
    if any(is_saved_both_ways(facts, save) for save in saves):
        return None
    constructions = {
        construction_of(facts, saved) if saved is not None else None
        for saved in map(saved_object, saves)
    }
    construction = constructions.pop()
    if constructions or construction is None:
        return None
    text = _without_indentation(facts, construction)
    if text is None:
        return None
    others = [c for c in calls_of(facts, "torch.load") if c not in loads]
    if any(loads_object(facts, c) and not other_path(facts, loaded_path(c), path) for c in others):
        # Another spelling of the same path, for all that can be seen.
        return None
    if not all(_can_follow(facts, load, facts, construction) for load in loads):
        return None
    if not all(_stands_alone(facts, place) for place in (*saves, *loads)):
        return None
    if across is None:
        return Plan(tuple(loads), text) if places_elsewhere(facts, path) == [] else None
    written = literal_path(facts, path)
    if not all(_can_follow_elsewhere(facts, p, construction, written, across) for p in elsewhere):
        return None
    return Plan(tuple(loads), text)


def is_saved_both_ways(facts: Facts, save: ast.Call) -> bool:
    """Whether the state dict of the model is saved as well: then the pickle is there on purpose."""
    saved, scope = saved_object(save), facts.names.scope_of(save)
    return saved is not None and any(
        _is_state_of(saved, other, facts)
        and facts.names.scope_of(other) is scope
        and not facts.touched(other)
        for other in map(saved_object, calls_of(facts, "torch.save"))
        if other is not None
    )


def _is_state_of(model: ast.expr, saved: ast.expr, facts: Facts) -> bool:
    """Whether something is the state dict of a model, or what the model has loaded as such."""
    own = f"{ast.unparse(model)}.state_dict()"
    if not isinstance(saved, ast.Name):
        return ast.unparse(saved) == own
    made = facts.assigned(saved)
    return (made is not None and [ast.unparse(each) for each in made] == [own]) or any(
        isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func.value) == ast.unparse(model)
        and len(call.args) == 1
        and isinstance(call.args[0], ast.Name)
        and call.args[0].id == saved.id
        and facts.flow.reaching(call.args[0]) == facts.flow.reaching(saved)
        for call in facts.names.method_calls("load_state_dict")
    )


def plan_of_project(facts: Facts, path: ast.expr | None, code: str) -> Plan | None:
    """The plan for a file that one file of the project saves and others load.

    Each of them comes to the same one, because it is made of what they were when the run began.
    """
    written = literal_path(facts, path)
    if written is None or facts.files is None:
        return None
    return facts.remembered(
        ("plan of project", written), lambda: _make_plan_of_project(facts, path, written, code)
    )


def _make_plan_of_project(
    facts: Facts, path: ast.expr | None, written: str, code: str
) -> Plan | None:
    places = places_elsewhere(facts, path)
    if not places or facts.files is None:
        return None
    saving = [place for place in places if not place.is_load]
    if saving and not facts.files.applies(saving[0].path, code):
        return None
    home = saving[0].facts if saving else facts_of(facts.files.as_begun())
    if home is None or home.speaks_of("torchfix:"):
        return None
    for save in calls_of(home, "torch.save"):
        if literal_path(home, saved_path(save)) == written:
            return plan_of_file(home, saved_path(save), across=code)
    return None


def _can_follow_elsewhere(
    facts: Facts, place: Place, construction: ast.expr, written: str | None, code: str
) -> bool:
    """Whether a place of another file certainly loads the same file, and is rewritten as well."""
    there = place.facts
    return (
        place.is_load
        and written is not None
        and literal_path(there, loaded_path(place.call)) == written
        and facts.files is not None
        and facts.files.applies(place.path, code)
        and not there.speaks_of("torchfix:")
        and _can_follow(there, place.call, facts, construction)
        and _stands_alone(there, place.call)
    )


def places_elsewhere(facts: Facts, path: ast.expr | None) -> list[Place] | None:
    """Where other files save or load a whole object at a path; None where that is not known."""
    return facts.remembered(("whole elsewhere", path), lambda: whole_elsewhere(facts, path))


def _can_follow(facts: Facts, load: ast.Call, home: Facts, construction: ast.expr) -> bool:
    """Whether ``load`` can build what ``construction``, a part of ``home``, builds."""
    statement = facts.parent(load)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    is_same = (home is facts and gives_the_same(facts, construction, statement)) or (
        gives_the_same_in(home, construction, facts, statement)
    )
    return (
        is_same
        and isinstance(statement.targets[0], (ast.Name, ast.Attribute))
        and _argument_of(load, "weights_only") in (..., False)
        and _argument_of(load, "pickle_module") is ...
        and (not _sets_mode(home, construction) or _mode_is_set_after(facts, statement))
    )


def _argument_of(call: ast.Call, name: str) -> object:
    """The literal given for a keyword; ``...`` where it is not given, None for anything else."""
    for keyword in call.keywords:
        if keyword.arg == name:
            value = constant(keyword.value)
            return None if value is ... else value
    return ...


def _without_indentation(facts: Facts, construction: ast.expr) -> str | None:
    """The text of the construction, its further lines as if it stood at the left margin."""
    indentation = facts.statement(construction).col_offset
    first, *further = facts.segment(construction).split("\n")
    if any(line[:indentation].strip() for line in further):
        return None
    return "\n".join([first, *(line[indentation:] for line in further)])


def _sets_mode(facts: Facts, construction: ast.expr) -> bool:
    """Whether the model may have been pickled in evaluation mode."""
    for node in facts.names.nodes.get(ast.Attribute, ()):
        assert isinstance(node, ast.Attribute)
        if node.attr in ("eval", "train", "training"):
            model = facts.value(node.value)
            call = model.call if isinstance(model, Module) else None
            if call is None or call in ast.walk(construction):
                return True
    return False


def _mode_is_set_after(facts: Facts, statement: ast.Assign) -> bool:
    """Whether ``model.eval()`` or ``model.train()`` follows at once."""
    block = facts.block(statement)
    target = ast.unparse(statement.targets[0])
    following = block[block.index(statement) + 1 :][:1]
    return any(
        ast.unparse(s).startswith((f"{target}.eval(", f"{target}.train(")) for s in following
    )


def _stands_alone(facts: Facts, place: ast.Call) -> bool:
    """Whether the engine can rewrite the place: one statement a line, nothing suppressed."""
    statement = facts.statement(place)
    last = statement.end_lineno or statement.lineno
    lines = facts.lines[statement.lineno - 1 : last]
    code = "\n".join(lines)
    shares = any(
        other is not statement and other.lineno == last for other in facts.block(statement)
    )
    return not shares and not any(word in code for word in ("noqa", "torchfix:", ";"))
