"""What is told of a default on the GPU: what takes its place, and where no default there can be."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import class_named, line_named
from torchfix_codemods.facts.paths.project_imports import importers, with_imported
from torchfix_codemods.facts.programs.unreached import is_unreached
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.facts.values.options import by_default
from torchfix_codemods.rules.questions.named_lines import numbered

SET_TYPE = "torch.set_default_tensor_type"

_LOADER = "torch.utils.data.DataLoader"
_DEPRECATED = "set_default_tensor_type is deprecated: "


def about_default(facts: Facts, dtype: str | None) -> str:
    """What to write for a default type of the GPU.

    Args:
        facts: the file.
        dtype: the dtype of that type.
    """
    others = ("set_default_dtype", "DoubleTensor", "HalfTensor", "BFloat16Tensor")
    is_default = dtype == "torch.float" and not any(map(facts.is_mentioned, others))
    floats = "" if is_default else f"; set_default_dtype({dtype}) makes {{}} floats"
    stopped = _stopped(facts)
    if stopped:
        return (
            f"with new tensors on the GPU by default {stopped}: drop this, and move the model and "
            f"what is made for it with .to(device){floats.format('new tensors')}"
        )
    is_made_by_type = any(map(facts.is_mentioned, ("torch.Tensor(", "import Tensor")))
    left = ", but leaves what torch.Tensor(...) makes on the CPU" if is_made_by_type else ""
    device = f"set_default_device('cuda') puts new tensors on the GPU{left}"
    return f"{_DEPRECATED}{device}{floats.format('them')}{_back_on_cpu(facts, is_default)}"


def _back_on_cpu(facts: Facts, is_default: bool) -> str:
    """What becomes of lines that set a type of the CPU: that leaves the default device alone.

    Args:
        facts: the file.
        is_default: whether float is the only default in the file.
    """
    calls = [
        call
        for call in facts.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call) and facts.name(call.func) == SET_TYPE
        if not is_unreached(call, facts)
        if call.args and _named_type(call.args[0], facts) in DTYPES
    ]
    others = [call for call in calls if _is_other_branch(call, facts)]
    back = sorted({facts.origin(call.lineno) for call in calls if call not in others})
    needs = "needs" if len(back) == 1 else "need"
    said = f"; {numbered(back)} then {needs} set_default_device('cpu')" if back else ""
    idle = sorted({facts.origin(c.lineno) for c in others if _sets_float(c, facts)})
    if not is_default or not idle:
        return said
    return f"{said}; {numbered(idle)}, where nothing was set to the GPU, can go"


def _sets_float(call: ast.Call, facts: Facts) -> bool:
    return DTYPES.get(_named_type(call.args[0], facts) or "") == "torch.float"


def _is_other_branch(call: ast.Call, facts: Facts) -> bool:
    """Whether a program says in the ``else`` of the one choice that it has what holds anyway."""
    choice = facts.parent(facts.statement(call))
    if not isinstance(choice, ast.If) or not _is_for_good(choice, facts):
        return False
    return any(
        isinstance(node, ast.Call) and facts.name(node.func) == SET_TYPE
        for other in (choice.body if facts.statement(call) in choice.orelse else choice.orelse)
        for node in walk(other)
    )


def _is_for_good(choice: ast.If, facts: Facts) -> bool:
    """Whether a choice comes out alike each time: it reads what the module binds, once each."""
    for name in walk(choice.test):
        if isinstance(name, ast.Name):
            found = facts.names.scope_of(name).lookup(name.id)
            if found and (found[0] is not facts.names.module or len(found[1]) != 1):
                return facts.parent(choice) is facts.tree
    return True


def puts_default_on_gpu(call: ast.Call, facts: Facts) -> bool:
    """``torch.set_default_tensor_type("torch.cuda.FloatTensor")``, which fails without a GPU."""
    if facts.name(call.func) != SET_TYPE or not call.args:
        return False
    return (_named_type(call.args[0], facts) or "").startswith("torch.cuda.")


def _named_type(given: ast.expr, facts: Facts) -> str | None:
    name = constant(given)
    return name if isinstance(name, str) else facts.name(given)


def _stopped(facts: Facts) -> str:
    """What a loader cannot do beside a default on the GPU.

    One of the file or of what that imports, else one of a file that imports it, by itself or by way
    of others: the default holds there as well.
    """
    return _stopped_in(with_imported(facts), facts) or _stopped_in(
        importers(facts, "DataLoader"), facts
    )


def _stopped_in(files: Iterable[Facts], facts: Facts) -> str:
    workers = ""
    for there in files:
        for call in there.names.nodes.get(ast.Call, ()) if there.speaks_of("DataLoader") else ():
            assert isinstance(call, ast.Call)
            if is_opaque(call) or not _is_loader(there, call):
                continue
            line = line_named(call, there, facts)
            # A class of the project takes others by position.
            is_torchs = there.name(call.func) == _LOADER
            shuffles = constant(argument(call, 2 if is_torchs else None, "shuffle")) is True
            if shuffles and argument(call, None, "generator") is None:
                return f"the DataLoader in {line} raises, as it shuffles by a generator of the CPU"
            count = argument(call, 5 if is_torchs else None, "num_workers")
            is_started = count is not None and constant(by_default(count, there.names)) != 0
            if is_started and not workers:
                workers = f"the workers of the DataLoader in {line} can make no tensors"
    return workers


def _is_loader(facts: Facts, call: ast.Call) -> bool:
    """Whether a call makes a loader of torch's, or of a class of the project below it."""
    if facts.name(call.func) == _LOADER:
        return True
    found = class_named(call.func, facts)
    if found is None or _LOADER not in map(found[0].name, found[1].bases):
        return False
    return not any(_loads_its_own_way(method) for method in found[1].body)


def _loads_its_own_way(method: ast.stmt) -> bool:
    """Whether a method shuffles, or goes through the data, instead of torch's."""
    if not isinstance(method, ast.FunctionDef):
        return False
    named = {argument.arg for argument in (*method.args.args, *method.args.kwonlyargs)}
    return method.name == "__iter__" or (method.name == "__init__" and "shuffle" in named)
