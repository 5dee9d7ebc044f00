"""Which calls of ``torch.load`` a test means that says how a mock of it has been called."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.saved_paths import file_name, loaded_path
from torchfix_codemods.facts.programs.stand_ins import Use, calls_replaced, is_rewritten
from torchfix_codemods.rules.checkpoints.questions.read_whole import reads_whole
from torchfix_codemods.rules.checkpoints.questions.whole_models import (
    plan_of_file,
    plan_of_project,
)

#: The rule that makes state dicts of whole models, of which the files need no more.
_OF_STATES = "TP501"
_ADDED = "weights_only"


def loads_asserted(facts: Facts, call: ast.Call) -> list[Use]:
    """The calls that ``mock_torch.load.assert_any_call(path)`` may mean; none if one is hidden."""
    mock = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    return [use for use in calls_replaced(facts, mock) or () if _may_be_of(facts, call, use)]


def _may_be_of(facts: Facts, call: ast.Call, use: Use) -> bool:
    load = use.node
    if not isinstance(load, ast.Call) or is_opaque(load):
        return True
    if len(load.args) != len(call.args) or _keywords(load) != _keywords(call):
        return False
    if not call.args:
        return True
    names = file_name(facts, call.args[0]), file_name(use.facts, load.args[0])
    return None in names or names[0] == names[1]


def _keywords(call: ast.Call) -> set[str | None]:
    return {keyword.arg for keyword in call.keywords} - {_ADDED}


def is_read_whole(facts: Facts, use: Use, code: str) -> bool:
    """Whether a call has ``weights_only=False`` once this run is over."""
    load = use.node
    if not isinstance(load, ast.Call) or not reads_whole(use.facts, load, code):
        return False
    if argument(load, None, _ADDED) is not None:
        return True
    path = loaded_path(load)
    becomes_state = plan_of_file(use.facts, path) or plan_of_project(use.facts, path, _OF_STATES)
    return becomes_state is None and is_rewritten(facts, use, code)
