"""Which calls set the mode of a model: ``train()`` and ``eval()``."""

from __future__ import annotations

import ast
from typing import Literal

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Array, Foreign, Instance, Number, Text

#: Methods of every module that leave its mode alone.
MODULE_METHODS = frozenset(
    """add_module apply buffers children cpu cuda double eval extra_repr float forward get_parameter
    half load_state_dict modules named_buffers named_children named_modules named_parameters
    parameters register_backward_hook register_buffer register_forward_hook
    register_forward_pre_hook register_parameter requires_grad_ share_memory state_dict to train
    type zero_grad""".split()
)


def mode_of(call: ast.Call, facts: Facts) -> Literal["train", "eval"] | None:
    """What ``x.train()``, ``x.train(False)`` and ``x.eval()`` set, if x may be a module."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in ("train", "eval"):
        return None
    if len(values_given(call)) > (1 if function.attr == "train" else 0):
        return None
    if facts.name(function) is not None:
        return None
    receiver = facts.value(function.value)
    if isinstance(receiver, Imported):
        receiver = receiver.value
    if isinstance(receiver, (Instance, Foreign, Text, Array, Number)):
        return None
    if function.attr == "eval":
        return "eval"
    arguments = values_given(call)
    is_off = arguments and isinstance(arguments[0], ast.Constant) and not arguments[0].value
    return "eval" if is_off else "train"


def mode_calls(facts: Facts) -> list[tuple[ast.Call, Literal["train", "eval"]]]:
    """All calls that set a mode, of whatever model."""
    return facts.remembered("mode calls", lambda: _mode_calls(facts))


def _mode_calls(facts: Facts) -> list[tuple[ast.Call, Literal["train", "eval"]]]:
    return [
        (node, mode)
        for node in facts.names.nodes.get(ast.Call, ())
        if isinstance(node, ast.Call) and (mode := mode_of(node, facts)) is not None
    ]
