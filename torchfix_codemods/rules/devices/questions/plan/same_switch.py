"""Whether a device is the GPU just where a test holds."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.facts.programs.placement import definition_of
from torchfix_codemods.rules.devices.questions.asked_types import tensor_of_gpu_type
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import (
    flag_of_device,
    is_cuda_available,
    module_flag,
)
from torchfix_codemods.rules.devices.questions.flags.flag_settings import setting_of
from torchfix_codemods.rules.devices.questions.flags.late_settings import late_setter
from torchfix_codemods.rules.devices.questions.gpu.gpu_choice import choices_of_gpu
from torchfix_codemods.rules.devices.questions.gpu_moves import tensor_on_gpu
from torchfix_codemods.rules.devices.questions.named.device_names import runs_after
from torchfix_codemods.rules.devices.questions.plan.local_flags import local_flag
from torchfix_codemods.rules.devices.questions.plan.object_flags import (
    DEVICE,
    as_given,
    makes_device,
    object_flag,
)


def chooses_device(test: ast.expr, device: str, node: ast.AST, facts: Facts) -> bool:
    """Whether ``device`` is the GPU just where ``test`` holds.

    Args:
        test: what a guard asks.
        device: the code of a device: a name, or ``x.device``.
        node: where it is used.
        facts: the facts of the module.
    """
    tensor = tensor_on_gpu(test, facts) or tensor_of_gpu_type(test, facts)
    if tensor is not None:
        return device == f"{ast.unparse(tensor)}.device"
    owner = facts.names.enclosing_class(node) if device == DEVICE else None
    made = definition_of(device, node, facts) if owner is None else makes_device(owner, facts)
    flag = flag_of_device(made, facts)
    if flag is None:
        return False
    if is_cuda_available(flag, facts):
        return is_cuda_available(test, facts) or is_set_once_from(test, flag, facts)
    if is_set_once_from(flag, test, facts):
        return True
    if _is_kept_by_object(flag, test, facts):
        return True
    if same_expression(flag, test) and (
        setting_of(test, facts) is not None or _is_of_function(flag, test, facts)
    ):
        return True
    given = module_flag(test, facts)
    return given is not None and given.text == facts.segment(flag)


def _is_of_function(flag: ast.expr, test: ast.expr, facts: Facts) -> bool:
    """Whether a function or an object makes a device by a flag of its own, and asks it again."""
    own = local_flag(test, facts) or object_flag(test, facts)
    return own is not None and own.function is facts.names.enclosing_function(flag)


def _is_kept_by_object(flag: ast.expr, test: ast.expr, facts: Facts) -> bool:
    """Whether a constructor makes a device by ``args.cuda`` that it keeps as ``self.args.cuda``."""
    own = object_flag(test, facts)
    if own is None or own.function is not facts.names.enclosing_function(flag):
        return False
    return as_given(own, facts).text == facts.segment(flag)


def is_set_once_from(name: ast.expr, source: ast.expr, facts: Facts) -> bool:
    """Whether ``name`` is bound once, to ``torch.cuda.is_available()``, as ``source`` is."""
    return is_cuda_available(source, facts) and is_set_to_available(name, facts)


def is_set_to_available(name: ast.expr, facts: Facts) -> bool:
    """Whether a name is bound once, to ``torch.cuda.is_available()``."""
    if not isinstance(name, ast.Name) or late_setter(name, facts) is not None:
        return False
    found = facts.names.scope_of(name).lookup(name.id)
    if found is None or len(found[1]) != 1 or found[1][0].path:
        return False
    value = found[1][0].value
    return value is not None and is_cuda_available(value, facts)


def name_of_answer(calls: Iterable[ast.AST], facts: Facts) -> Flag | None:
    """The name that the module level gives the answer whether there is CUDA, above ``calls``.

    A device is made by it, beside it, rather than by asking a second time. None where it has none,
    or several.
    """
    found = facts.remembered(name_of_answer, lambda: list(_names_of_answer(facts)))
    if len(found) != 1 or choices_of_gpu(facts):
        return None
    (flag,) = found
    is_above = all(flag.after is None or runs_after(call, flag.after, facts) for call in calls)
    return flag if is_above else None


def _names_of_answer(facts: Facts) -> Iterator[Flag]:
    for statement in facts.tree.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(target, ast.Name) and is_set_to_available(target, facts):
            yield Flag(target.id, statement)
