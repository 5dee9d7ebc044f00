"""Which calls of ``torch.load`` read whole objects, by an argument that they have or get."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.saved_paths import calls_of
from torchfix_codemods.rules.checkpoints.questions.given_objects import (
    is_given_object,
    saved_parameter,
)
from torchfix_codemods.rules.checkpoints.questions.pickled_objects import (
    is_saved_elsewhere,
    loads_object,
)
from torchfix_codemods.rules.checkpoints.questions.read_keys import reads_back_object


def can_get_argument(facts: Facts, load: ast.Call) -> bool:
    """Whether ``weights_only=False`` may be added to a call, which was not written with it."""
    if len(load.args) > 2 or any(k.arg == "pickle_module" for k in load.keywords):
        return False
    return not facts.era_of(load).needs((2, 6)) and not any(
        keyword.arg == "weights_only"
        for other in calls_of(facts, "torch.load")
        for keyword in other.keywords
    )


def needs_argument(facts: Facts, load: ast.Call) -> bool:
    """Whether a call certainly reads more than tensors."""
    saved = saved_parameter(facts, load)
    is_given = saved is not None and is_given_object(facts, saved)
    is_own = is_given or loads_object(facts, load) or reads_back_object(facts, load)
    return is_own or is_saved_elsewhere(facts, load)


def reads_whole(facts: Facts, load: ast.Call, code: str) -> bool:
    """Whether a call reads whole objects, or will when the rule of that code has rewritten it."""
    if is_opaque(load):
        return False
    if any(k.arg == "weights_only" and constant(k.value) is False for k in load.keywords):
        return True
    files = facts.files
    is_applied = files is None or files.applies(files.path, code)
    return is_applied and can_get_argument(facts, load) and needs_argument(facts, load)
