"""Which name stands for a device where code runs, and which one is free for a new device."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.first_run import first_line
from torchfix_codemods.facts.values.lattice import Device
from torchfix_codemods.rules.devices.questions.named.same_device import (
    is_gpu_or_cpu,
    may_name_another,
    names_another,
)


def device_at(node: ast.AST, facts: Facts) -> str | None:
    """The name of a device that is certainly bound where ``node`` runs, also by its text.

    One that certainly is no place of ``.cuda()`` is none: ``torch.device("cpu")``. One that is a
    GPU by its number is none either, unless that one is chosen for ``.cuda()``, too.
    """
    scope = facts.names.scope_of(node)
    for name in _device_names(facts):
        found = scope.lookup(name)
        if found is None or len(found[1]) != 1:
            continue
        binding = found[1][0]
        statement = binding.node
        if not isinstance(facts.inference.bound(binding), Device) and not _is_text(binding, facts):
            continue
        if not isinstance(statement, ast.stmt) or may_name_another(binding, facts):
            continue
        if found[0] is facts.names.module and facts.parent(statement) is facts.tree:
            if runs_after(node, statement, facts):
                return name
        elif found[0] is scope and precedes(statement, node, facts):
            return name
    return None


def runs_after(node: ast.AST, statement: ast.stmt, facts: Facts) -> bool:
    """Whether ``node`` can only run once a statement of the module level has run.

    Nothing has to that follows a statement inside of a function. Code of the module level has to
    stand below; functions and methods that stand above must not be called, and classes not be used,
    by what the module level runs above.
    """
    if facts.parent(statement) is not facts.tree:
        return False
    return first_line(node, facts) > (statement.end_lineno or statement.lineno)


def precedes(statement: ast.stmt, node: ast.AST, facts: Facts) -> bool:
    """Whether a statement stands in its block before the one that holds ``node``."""
    block = facts.block(statement)
    holders = [node, *facts.names.ancestors(node)]
    return any(s in holders and s.lineno > statement.lineno for s in block)


def _device_names(facts: Facts) -> list[str]:
    return facts.remembered("names of devices", lambda: _find_device_names(facts))


def _find_device_names(facts: Facts) -> list[str]:
    names = {
        name
        for scope in facts.names.scopes.values()
        for name, bindings in scope.bindings.items()
        if any(_may_be_device(binding, facts) for binding in bindings)
    }
    return sorted(names, key=lambda name: (name != facts.device_name, name))


def _may_be_device(binding: Binding, facts: Facts) -> bool:
    if binding.kind == "import":
        # Other files are not read for names that say something else.
        return isinstance(binding.node, ast.ImportFrom) and "device" in binding.name.lower()
    value = binding.value
    if isinstance(value, ast.Call):
        return facts.name(value.func) == "torch.device"
    return _is_text(binding, facts)


def _is_text(binding: Binding, facts: Facts) -> bool:
    """``device = "cuda" if use_cuda else "cpu"``: a text says the same as a ``torch.device``."""
    return isinstance(binding.written(), ast.IfExp) and _names_gpu(binding, facts)


def _names_gpu(binding: Binding, facts: Facts) -> bool:
    """Whether an assignment gives a name the text of the GPU, maybe in one of its branches."""
    value = binding.written() if isinstance(binding.node, ast.Assign) else None
    return isinstance(value, (ast.Constant, ast.IfExp)) and is_gpu_or_cpu(value, facts)


def free_name(facts: Facts) -> str | None:
    """A name for a new device that no scope of the module uses.

    None beside a device of the module's own, which another one would say a second time.
    """
    return facts.remembered("free name", lambda: _find_free_name(facts))


def _find_free_name(facts: Facts) -> str | None:
    own = facts.names.module.bindings.get(facts.device_name, ())
    if any(_chooses_device(binding, facts) or _names_gpu(binding, facts) for binding in own):
        return None
    taken = {name for scope in facts.names.scopes.values() for name in scope.bindings}
    taken |= {name for scope in facts.names.scopes.values() for name in scope.uses}
    for name in (facts.device_name, f"torch_{facts.device_name}", f"default_{facts.device_name}"):
        if name not in taken:
            return name
    return None


def _chooses_device(binding: Binding, facts: Facts) -> bool:
    """Whether a name of the module is what it chose itself: ``current_device() if cuda else …``."""
    written = binding.written()
    if written is None or names_another(binding, facts):
        return False
    names = {
        facts.name(part) or "" for part in ast.walk(written) if isinstance(part, ast.Attribute)
    }
    return "torch.device" in names or any(name.startswith("torch.cuda.") for name in names)
