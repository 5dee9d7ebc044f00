"""Whether a device that has a name is the one that ``.cuda()`` moves to."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.elsewhere import module_of
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources

#: What ``.cuda()`` means where no other GPU was chosen.
_GPU = frozenset({"cuda", "cuda:0"})


def names_another(binding: Binding, facts: Facts) -> bool:
    """Whether the name of a device certainly is one of another: ``cpu = torch.device("cpu")``."""
    there, value = _value_of(binding, facts)
    written = None if value is None else _written_for(value, there)
    return written is not None and not _is_gpu_or_cpu(written)


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
    if isinstance(node, ast.Call) and facts.name(node.func) == "torch.device":
        is_plain = len(node.args) == 1 and not node.keywords
        return [Place(facts, node.args[0])] if is_plain else None
    return sources(place)
