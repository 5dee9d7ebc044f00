"""A model that is pickled whole loads only where its class has the module and the name it had."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword, without_argument
from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.saved_paths import (
    calls_of,
    loaded_path,
    saved_object,
    saved_path,
)
from torchfix_codemods.facts.programs.unreached import reached
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.checkpoints.questions.pickled_objects import saves_module
from torchfix_codemods.rules.checkpoints.questions.unloaded import (
    can_hold_state_dict,
    is_left_to_load,
    is_said_by_state_dict,
    may_be_loaded_whole,
)
from torchfix_codemods.rules.checkpoints.questions.whole_models import (
    is_saved_both_ways,
    plan_of_file,
    plan_of_project,
)
from torchfix_codemods.rules.questions.named_lines import also_in
from torchfix_codemods.text.wording import worded

_LOADED = (
    "torch.load needs weights_only=False for the pickled model since torch 2.6, and, as before, "
    "its class by the same module and name"
)
_UNREAD = (
    "nothing in the project loads the pickled model: what does needs weights_only=False since "
    "torch 2.6, and, as before, its class by the same module and name"
)


class WholeModelSave(Rule):
    """
    ## What it does
    Saves `model.state_dict()` in place of the whole model, and loads it into a newly built model,
    both in one step, in all files of the project that do: `model = torch.load(path)` becomes the
    constructor call that made the saved model, and `model.load_state_dict(torch.load(path))`.
    Where nothing in the project loads the file, only the place that saves it changes, and the
    finding says how to load it.

    ## Why
    A whole model is pickled with the import path of its class, not with its code: the file cannot
    be read once the class was moved or renamed, and `torch.load` refuses it since 2.6, unless it is
    given `weights_only=False`.

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
    Where the classes keep state that a state dict does not hold (a list that `forward` appends
    to), and where a place of the project that loads what is saved, or may do so, cannot follow:
    its file is not part of the run, the path is not the same literal, another model could be
    meant, the class is not imported there, the arguments of the constructor could have changed or
    are no literals in another file, layers were replaced, the mode (`eval()`) is not set after
    loading, the file sets `requires_grad` of something. Then nothing is rewritten, and the
    finding says what such a file needs; that a file of the state dict does without is said where
    the classes are known to keep nothing besides. It is said once for a file, and not where there
    is nothing to do: where what loads such models has `weights_only=False`, or gets it, and where
    nothing loads them and the state dict is saved as well.

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
        if name == "torch.save" and _is_pickled(facts, call):
            if _can_be_state(facts, call, self.code):
                yield self.found(call)
            elif _is_state_enough(facts, call):
                yield self.found(call, _told(facts, call))
            else:
                told = facts.remembered("pickled models", lambda: _advice(facts, self.code))
                if call in told:
                    yield self.advice(call, told[call])
        elif name == "torch.load":
            path = loaded_path(call)
            plan = plan_of_file(facts, path)
            if plan is None or call not in plan.loads:
                plan = plan_of_project(facts, path, self.code)
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


def _told(facts: Facts, save: ast.Call) -> str:
    """What is said of a file that nothing in the project loads."""
    saved, path = saved_object(save), saved_path(save)
    assert saved is not None
    read = "..." if path is None else facts.segment(path)
    return (
        "the file now holds the state dict, and nothing in the project loads it: build the model"
        f" the same way, and {facts.segment(saved)}.load_state_dict(torch.load({read}))"
    )


def _advice(facts: Facts, code: str) -> dict[ast.Call, str]:
    """What is said of models that stay pickled, by the first place of those it is said of."""
    places: dict[tuple[str, bool], list[ast.Call]] = {}
    for save in sorted(reached(calls_of(facts, "torch.save"), facts), key=start_of):
        if not _is_pickled(facts, save) or _is_state_enough(facts, save):
            continue
        is_both = is_saved_both_ways(facts, save)
        if is_left_to_load(facts, save, is_both) and not _can_be_state(facts, save, code):
            more = "" if is_both else _proposed(facts, save)
            is_read = may_be_loaded_whole(facts, save)
            places.setdefault((more, is_read), []).append(save)
    return {
        saves[0]: f"{_LOADED if is_read else _UNREAD}{_others(saves, facts)}{more}"
        for (more, is_read), saves in places.items()
    }


def _others(saves: list[ast.Call], facts: Facts) -> str:
    lines = dict.fromkeys(facts.origin(save.lineno) for save in saves)
    return also_in([*lines][1:], facts)


def _proposed(facts: Facts, save: ast.Call) -> str:
    saved = saved_object(save)
    if saved is None or not is_said_by_state_dict(facts, saved):
        return ""
    model = worded(saved, "")
    state = f"{model}.state_dict()" if model else "its state_dict()"
    return f"; a file of {state} loads without either"


def _is_pickled(facts: Facts, save: ast.Call) -> bool:
    """Whether a whole model is saved in a file."""
    return saves_module(facts, save) and not _is_in_memory(facts, saved_path(save))


def _can_be_state(facts: Facts, save: ast.Call, code: str) -> bool:
    """Whether all that load the file can follow when it holds the state dict."""
    path = saved_path(save)
    return bool(plan_of_file(facts, path) or plan_of_project(facts, path, code))


def _is_state_enough(facts: Facts, save: ast.Call) -> bool:
    """Whether the state dict will do, as nothing loads the file."""
    return can_hold_state_dict(facts, save) and not is_saved_both_ways(facts, save)


def _is_in_memory(facts: Facts, file: ast.expr | None) -> bool:
    """Whether what is saved goes into ``io.BytesIO()``: no file outlives the source."""
    made = facts.assigned(file) if isinstance(file, ast.Name) else [file]
    return bool(made) and all(
        isinstance(m, ast.Call) and facts.name(m.func) == "io.BytesIO" for m in made or ()
    )
