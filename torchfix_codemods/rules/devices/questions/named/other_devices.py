"""Whether a file speaks of other devices than the one that its switch chooses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import (
    is_named_for_device,
    without_not,
)
from torchfix_codemods.rules.devices.questions.gpu_moves import moves_to_default_gpu

#: What of torch names a device; all else of ``torch.cuda`` asks or counts.
_OF_TORCH = frozenset({"torch.device", "torch.cuda.device", "torch.cuda.set_device"})
_CALLED = frozenset({"cuda", "cpu"})
_VISIBLE = "CUDA_VISIBLE_DEVICES"


def names_another_device(test: ast.expr, asked: str, facts: Facts) -> bool:
    """Whether a file speaks of a device by other names than its switch.

    ``opt.gpu_id``, ``x.device``, ``torch.cuda.set_device(1)``, ``"cuda:1"``: what moves may have to
    go there.

    Args:
        test: the switch, as a test of the file asks for it.
        asked: what asks for it where something moves.
        facts: the facts of the module.
    """
    own = {_without_root(ast.unparse(without_not(test))), _without_root(asked)}
    return any(not _is_of_switch(node, own, facts) for node in _spoken_of(facts))


def _without_root(flag: str) -> str:
    """``cuda`` of ``args.cuda`` and of ``self.cuda``, which is given to it."""
    return flag.removeprefix("not ").partition(".")[2] or flag.removeprefix("not ")


def _spoken_of(facts: Facts) -> Iterator[ast.expr]:
    for kind in (ast.Name, ast.Attribute, ast.Constant):
        for node in facts.names.nodes.get(kind, ()):
            if isinstance(node, ast.Constant):
                text = node.value if isinstance(node.value, str) else ""
                if text == _VISIBLE or text.partition(":")[0] == "cuda":
                    yield node
            elif isinstance(node, (ast.Name, ast.Attribute)):
                name = node.attr if isinstance(node, ast.Attribute) else node.id
                if is_named_for_device(node) or "device" in name.lower():
                    yield node


def _is_of_switch(node: ast.expr, own: set[str], facts: Facts) -> bool:
    """Whether a name is the switch, part of what sets it, or torch's own word for moving."""
    parent = facts.parent(node)
    if isinstance(node, ast.Attribute) and isinstance(parent, ast.Call) and parent.func is node:
        if node.attr in _CALLED:
            return node.attr == "cpu" or moves_to_default_gpu(parent)
    name = facts.name(node) or ""
    if name.startswith("torch."):
        return name not in _OF_TORCH
    statement = facts.statement(node)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(_without_root(ast.unparse(each)) in own for each in (node, *targets))
