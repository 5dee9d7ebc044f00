"""Whether a device that has a name is the one that ``.cuda()`` moves to."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation.elsewhere import module_of
from torchfix_codemods.facts.language.arguments import (
    argument,
    begin_of_text,
    constant,
    is_opaque,
    whole_number,
)
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.values.lattice import Module, Number

#: What ``.cuda()`` means where no other GPU was chosen.
_GPU = frozenset({"cuda", "cuda:0"})
#: A GPU whose number is only known when the program runs.
_ANY_GPU = "cuda:?"


def names_another(binding: Binding, facts: Facts) -> bool:
    """Whether the name of a device certainly is one of another: ``cpu = torch.device("cpu")``."""
    written = _written_at(binding, facts)
    return written is not None and _ANY_GPU not in written and _is_another(written, binding, facts)


def may_name_another(binding: Binding, facts: Facts) -> bool:
    """The same, also by a number that the program is told: ``torch.device("cuda", args.gpu)``."""
    written = _written_at(binding, facts)
    return written is not None and _is_another(written, binding, facts)


def _written_at(binding: Binding, facts: Facts) -> set[str] | None:
    there, value = _value_of(binding, facts)
    return None if value is None else _written_for(value, there)


def _is_another(written: set[str], binding: Binding, facts: Facts) -> bool:
    if _is_gpu_or_cpu(written):
        return False
    is_numbered = any(each.startswith("cuda:") for each in written)
    return not (is_numbered and _is_used_for_all(binding, facts))


def _is_used_for_all(binding: Binding, facts: Facts) -> bool:
    """Whether a GPU by its number is the current one, or the one where all modules of a file are.

    ``torch.cuda.set_device(args.gpu)`` chooses it for ``.cuda()`` as well.
    """
    there, value = _value_of(binding, facts)
    chosen = [call.args[0] for call in facts.names.method_calls("set_device") if call.args]
    parts = [] if value is None else [ast.Name(binding.name, ast.Load()), *ast.walk(value)]
    if any(_is_one_of(each, parts, there) for each in chosen):
        return True
    goals = [goal for way in ("cuda", "to") for goal in _where_modules_go(way, facts)]
    return bool(goals) and all(
        isinstance(goal, ast.Name) and goal.id == binding.name for goal in goals
    )


def _is_one_of(chosen: ast.expr, parts: list[ast.AST], facts: Facts) -> bool:
    """Whether a number or a name is part of what a device is made of: 1 of ``"cuda:1"``."""
    number = constant(chosen)
    written = {number, f"cuda:{number}"}
    if number is not ...:
        return any(constant(each) in written for each in parts)
    return any(same_expression(chosen, each) for each in parts)


def _where_modules_go(way: str, facts: Facts) -> Iterator[ast.expr | None]:
    for call in facts.names.method_calls(way):
        if isinstance(call.func, ast.Attribute):
            if isinstance(facts.value(call.func.value), Module):
                yield call.args[0] if call.args else None


def _value_of(binding: Binding, facts: Facts) -> tuple[Facts, ast.expr | None]:
    """What is written for a name, also in the file that it is taken from."""
    node = binding.node
    if not isinstance(node, ast.ImportFrom) or facts.files is None:
        return facts, binding.written()
    there = facts_of(facts.files.module(module_of(node)))
    name = (binding.qualified or "").rpartition(".")[2]
    kept = [] if there is None else there.names.module.bindings.get(name, [])
    if there is None or len(kept) != 1 or isinstance(kept[0].node, ast.ImportFrom):
        return facts, None
    return there, kept[0].written()


def is_gpu_or_cpu(device: ast.expr, facts: Facts) -> bool:
    """Whether a device certainly is the GPU, or the CPU instead of it."""
    written = _written_for(device, facts)
    return written is not None and _is_gpu_or_cpu(written)


def _is_gpu_or_cpu(written: set[str]) -> bool:
    return bool(written & _GPU) and written <= _GPU | {"cpu"}


def _written_for(device: ast.expr, facts: Facts) -> set[str] | None:
    """All that a device may be called; None where it is not written down."""
    found: set[str] = set()
    is_known = come_from([Place(facts, device)], functools.partial(_before_written, found))
    return found if is_known else None


def _before_written(found: set[str], place: Place) -> Iterable[Place] | None:
    node, facts = place.node, place.facts
    text = constant(node)
    if isinstance(text, str):
        found.add(text)
        return ()
    if begin_of_text(node).startswith("cuda"):
        found.add(_ANY_GPU)
        return ()
    if isinstance(node, ast.Call) and facts.name(node.func) == "torch.device":
        return _before_device(found, node, place)
    return sources(place)


def _before_device(found: set[str], call: ast.Call, place: Place) -> Iterable[Place] | None:
    """What ``torch.device("cuda", 1)``, ``torch.device(1)`` or ``torch.device("cuda")`` names."""
    if is_opaque(call):
        return None
    kind, index = argument(call, 0, "type"), argument(call, 1, "index")
    if index is None:
        is_number = kind is not None and isinstance(place.facts.value(kind), Number)
        index = kind if is_number else None
    if index is not None and constant(index) is not None:
        number = whole_number(index)
        text = "cpu" if constant(kind) == "cpu" else "cuda"
        found.add(f"{text}:{'?' if number is None else number}")
        return ()
    return None if kind is None else [Place(place.facts, kind)]
