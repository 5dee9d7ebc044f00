"""A model that is pickled whole loads only with the very source it was saved with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword, without_argument
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.programs.checkpoints import (
    Place,
    calls_of,
    literal_path,
    loaded_path,
    loads_object,
    other_path,
    same_path,
    saved_object,
    saved_path,
    saves_module,
    whole_elsewhere,
)
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.finding import Numerics
from torchfix_codemods.record import record
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.checkpoints.questions.construction import (
    construction_of,
    gives_the_same,
    gives_the_same_in,
)


class WholeModelSave(Rule):
    """
    ## What it does
    Saves `model.state_dict()` in place of the whole model, and loads it into a newly built model,
    both in one step, in all files of the project that do: `model = torch.load(path)` becomes the
    constructor call that made the saved model, and `model.load_state_dict(torch.load(path))`.

    ## Why
    A whole model is pickled with the import path of its class, not with its code: the file cannot
    be read once the class was moved, renamed or changed, and `torch.load` refuses it since 2.6.

    ## Example
    ```python
    net = Net(hidden=20)
    torch.save(net, "net.pt")
    restored = torch.load("net.pt")
    ```
    becomes
    ```python
    net = Net(hidden=20)
    torch.save(net.state_dict(), "net.pt")
    restored = Net(hidden=20)
    restored.load_state_dict(torch.load("net.pt"))
    ```

    ## Numbers
    Changed: the file holds tensors only, and files saved earlier have to be saved anew. The model
    itself computes the same.

    ## When it stays its hand
    Nothing is said of models that are saved into memory (`io.BytesIO()`).
    Where the file saves the state dict of the model as well: the pickle is there on purpose.
    Where no place of the project loads what is saved (another program may), or one that does, or
    may do so, cannot follow: its file is not part of the run, the path is not the same literal,
    another model could be meant, the class is not imported there, the arguments of the constructor
    could have changed or are no literals in another file, layers were replaced, the mode
    (`eval()`) is not set after loading, the file sets `requires_grad` of something, the classes
    keep state that a state dict does not hold (a list that `forward` appends to). Then nothing is
    rewritten, and the finding names both ends.

    ## References
    - https://pytorch.org/tutorials/beginner/saving_loading_models.html
    """

    code = "TP501"
    name = "whole-model-save"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = frozenset({"container"})
    words = frozenset({"save", "load"})
    message = "the file now holds the state dict, not the pickled model: save old files anew"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        name = facts.name(call.func)
        if name == "torch.save" and saves_module(facts, call):
            if _is_in_memory(facts, saved_path(call)):
                return
            if _plan(facts, saved_path(call)) or _plan_of_project(facts, saved_path(call)):
                yield self.found(call)
            else:
                yield self.advice(call, _advice(facts, call))
        elif name == "torch.load":
            path = loaded_path(call)
            plan = _plan(facts, path)
            if plan is None or call not in plan.loads:
                plan = _plan_of_project(facts, path)
            if plan is not None and isinstance(facts.parent(call), ast.Assign):
                yield self.found(call, region=facts.statement(call), construction=plan.construction)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        index = index_of_keyword(updated, "obj") or 0
        saved = updated.args[index]
        state = cst.Call(cst.Attribute(saved.value, cst.Name("state_dict")))
        args = [*updated.args]
        args[index] = saved.with_changes(value=state)
        return updated.with_changes(args=args)

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.SimpleStatementLine]:
        assignment = updated.body[0]
        if not isinstance(assignment, cst.Assign) or not isinstance(assignment.value, cst.Call):
            return updated
        target = assignment.targets[0].target
        load = assignment.value
        index = index_of_keyword(load, "weights_only")
        if index is not None:
            load = without_argument(load, index)
        build = assignment.with_changes(value=cst.parse_expression(self.data["construction"]))
        fill = cst.Call(cst.Attribute(target, cst.Name("load_state_dict")), [cst.Arg(load)])
        return cst.FlattenSentinel(
            [
                cst.SimpleStatementLine([build], leading_lines=updated.leading_lines),
                updated.with_changes(body=[cst.Expr(fill)], leading_lines=[]),
            ]
        )


@record
class _Plan:
    """All places that save and load one file, and what builds the model that it holds."""

    loads: tuple[ast.Call, ...]
    construction: str


def _plan(facts: Facts, path: ast.expr | None, across: bool = False) -> _Plan | None:
    """How the file at ``path`` can hold a state dict; None where a place of it cannot follow.

    ``across``: other files of the project may load it, too, if they can follow.
    """
    saves = [s for s in calls_of(facts, "torch.save") if same_path(facts, saved_path(s), path)]
    loads = [c for c in calls_of(facts, "torch.load") if same_path(facts, loaded_path(c), path)]
    elsewhere = _whole_elsewhere(facts, path) if saves and across else []
    if not saves or elsewhere is None or not (loads or elsewhere):
        return None
    if any(_is_saved_both_ways(facts, save) for save in saves):
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
    if not across:
        return _Plan(tuple(loads), text) if _whole_elsewhere(facts, path) == [] else None
    written = literal_path(facts, path)
    if not all(_can_follow_elsewhere(facts, p, construction, written) for p in elsewhere):
        return None
    return _Plan(tuple(loads), text)


def _is_saved_both_ways(facts: Facts, save: ast.Call) -> bool:
    """Whether the state dict of the model is saved as well: then the pickle is there on purpose."""
    saved, scope = saved_object(save), facts.names.scope_of(save)
    return saved is not None and any(
        ast.unparse(other) == f"{ast.unparse(saved)}.state_dict()"
        and facts.names.scope_of(other) is scope
        and not facts.touched(other)
        for other in map(saved_object, calls_of(facts, "torch.save"))
        if other is not None
    )


def _plan_of_project(facts: Facts, path: ast.expr | None) -> _Plan | None:
    """The plan for a file that one file of the project saves and others load.

    Each of them comes to the same one, because it is made of what they were when the run began.
    """
    written = literal_path(facts, path)
    if written is None or facts.files is None:
        return None
    return facts.remembered(
        ("plan of project", written), lambda: _make_plan_of_project(facts, path, written)
    )


def _make_plan_of_project(facts: Facts, path: ast.expr | None, written: str) -> _Plan | None:
    places = _whole_elsewhere(facts, path)
    if not places or facts.files is None:
        return None
    saving = [place for place in places if not place.is_load]
    if saving and not facts.files.applies(saving[0].path, WholeModelSave.code):
        return None
    home = saving[0].facts if saving else facts_of(facts.files.as_begun())
    if home is None or "torchfix:" in home.text:
        return None
    for save in calls_of(home, "torch.save"):
        if literal_path(home, saved_path(save)) == written:
            return _plan(home, saved_path(save), across=True)
    return None


def _can_follow_elsewhere(
    facts: Facts, place: Place, construction: ast.expr, written: str | None
) -> bool:
    """Whether a place of another file certainly loads the same file, and is rewritten as well."""
    there = place.facts
    return (
        place.is_load
        and written is not None
        and literal_path(there, loaded_path(place.call)) == written
        and facts.files is not None
        and facts.files.applies(place.path, WholeModelSave.code)
        and "torchfix:" not in there.text
        and _can_follow(there, place.call, facts, construction)
        and _stands_alone(there, place.call)
    )


def _whole_elsewhere(facts: Facts, path: ast.expr | None) -> list[Place] | None:
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


def _advice(facts: Facts, save: ast.Call) -> str:
    saved = saved_object(save)
    assert saved is not None
    model = facts.segment(saved)
    return (
        f"the pickled model loads only with this very source: save {model}.state_dict(), and where"
        f" it is loaded{_other_end(facts, saved_path(save))} build the model and call"
        " load_state_dict(torch.load(...))"
    )


def _is_in_memory(facts: Facts, file: ast.expr | None) -> bool:
    """Whether what is saved goes into ``io.BytesIO()``: no file outlives the source."""
    made = facts.assigned(file) if isinstance(file, ast.Name) else [file]
    return bool(made) and all(
        isinstance(m, ast.Call) and facts.name(m.func) == "io.BytesIO" for m in made or ()
    )


def _other_end(facts: Facts, path: ast.expr | None) -> str:
    """Where the file at ``path`` is loaded, for people: `` (line 2; predict.py, line 8)``."""
    loads = [c for c in calls_of(facts, "torch.load") if same_path(facts, loaded_path(c), path)]
    lines = sorted({facts.origin(load.lineno) for load in loads})
    ends = [f"line {line}" for line in lines] + [
        f"{place.path.name}, line {place.call.lineno}"
        for place in _whole_elsewhere(facts, path) or ()
        if place.is_same and place.is_load
    ]
    return f" ({'; '.join(ends)})" if ends else ""
