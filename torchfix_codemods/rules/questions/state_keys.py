"""Projects that read the names of parameters in a ``state_dict()``, or pickle whole models."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.libraries.torch_names import last_part
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Module

#: What takes a ``state_dict()`` whole, whatever its keys are.
_TAKES_WHOLE = frozenset({"deepcopy", "copy", "load_state_dict", "save"})


def reads_state_keys(facts: Facts) -> bool:
    """Whether the project picks entries of a ``state_dict()`` by name, or saves a model itself.

    With other names in it such code leaves weights out, or fails.
    """
    return facts.remembered("reads_state_keys", lambda: _in_project(facts))


def _in_project(facts: Facts) -> bool:
    is_picked = any(
        follow([Place(there, call)], _stays_whole) is not None
        for there in (facts, *others_with("state_dict", facts))
        for call in there.names.method_calls("state_dict")
    )
    return is_picked or any(
        bool(call.args) and isinstance(there.value(call.args[0]), Module)
        for there in (facts, *others_with("save", facts))
        for call in there.names.method_calls("save")
        if there.name(call.func) == "torch.save"
    )


def _stays_whole(use: Use) -> Iterable[Place] | None:
    """None for what looks into a ``state_dict()``; else where it goes on to."""
    if use.place.content and use.kind in ("argument", "element", "bound", "put into"):
        return ()
    if use.kind in ("element", "chosen"):
        return use.result()
    if use.kind == "bound":
        return use.named()
    if use.kind == "returned":
        return use.returned()
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        return () if last_part(ast.unparse(use.by.func)) in _TAKES_WHOLE else None
    if use.kind == "asked":
        return () if use.is_for_identity else None
    return () if use.kind in ("statement", "tested") else None
