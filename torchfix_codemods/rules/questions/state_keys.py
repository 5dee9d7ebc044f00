"""Projects that read the names of parameters in a ``state_dict()``, or pickle whole models."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.libraries.torch_names import last_part
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with, value_by_all_calls
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Module, Unknown

#: What takes a ``state_dict()`` whole, whatever its keys are.
_TAKES_WHOLE = frozenset({"deepcopy", "copy", "load_state_dict", "save"})

#: What pickles what it is given first; a parametrized module cannot be pickled.
_PICKLING = frozenset(
    """torch.save pickle.dump pickle.dumps cPickle.dump cPickle.dumps dill.dump dill.dumps
    cloudpickle.dump cloudpickle.dumps joblib.dump""".split()
)


def reads_state_keys(facts: Facts) -> bool:
    """Whether the project picks entries of a ``state_dict()`` by name, or may save a model itself.

    With other names in it such code leaves weights out, or fails; what pickles a parametrized
    module whole fails.
    """
    return facts.remembered("reads_state_keys", lambda: _in_project(facts))


def _in_project(facts: Facts) -> bool:
    is_picked = any(
        follow([Place(there, call)], _stays_whole) is not None
        for there in (facts, *others_with("state_dict", facts))
        for call in there.names.method_calls("state_dict")
    )
    return is_picked or any(
        bool(call.args) and _may_hold_module(call.args[0], there, name == "torch.save")
        for word in ("save", "dump", "dumps")
        for there in (facts, *others_with(word, facts))
        for call in there.names.method_calls(word)
        if (name := there.name(call.func)) in _PICKLING
    )


def _may_hold_module(saved: ast.expr, facts: Facts, is_of_torch: bool) -> bool:
    """Whether a model may be pickled whole, alone or in a dict that is written down.

    ``torch.save`` of what is out of sight may be that of a model; other functions pickle anything.
    """
    if isinstance(saved, (ast.Dict, ast.List, ast.Tuple)):
        held = saved.values if isinstance(saved, ast.Dict) else saved.elts
        return any(_may_hold_module(value, facts, False) for value in held)
    value = facts.value(saved)
    if isinstance(value, Unknown):
        value = value_by_all_calls(saved, facts)
    return isinstance(value, Module) or (is_of_torch and isinstance(value, Unknown))


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
