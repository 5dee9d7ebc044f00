"""What is calculated where gradients are off, and is part of no graph therefore."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.applications import as_applied
from torchfix_codemods.facts.evaluation.stores import appended_by
from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.language.scopes import Binding, Path, element_for
from torchfix_codemods.facts.libraries import torch_effects, torch_layers
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import gives_out, has_out, is_in_place
from torchfix_codemods.facts.paths.named import class_named, function_named, run_by_value
from torchfix_codemods.facts.paths.writes import modified
from torchfix_codemods.facts.recording.no_grad import is_in_backward, is_under_no_grad
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.facts.values.torch_api import FUNCTION_BASES
from torchfix_codemods.rules.autograd.questions.graphless import unknown_modules as unknown
from torchfix_codemods.rules.autograd.questions.graphless.other_ways import may_be_written_inside
from torchfix_codemods.rules.autograd.questions.graphless.wrapped_modules import (
    always_calculates,
    forwards_of_project,
    gives_one,
    layers_inside,
    module_run,
    modules_inside,
)
from torchfix_codemods.rules.autograd.questions.new_tensors import gives_fresh_tensor

_SEQUENTIAL = "torch.nn.Sequential"
#: Through so many modules, functions and names a result is followed.
_MOST_FOLLOWED = 8


def is_without_grad(node: ast.AST, facts: Facts) -> bool:
    """Whether gradients are certainly off; ``set_grad_enabled(flag)`` may switch them on."""
    is_off = is_under_no_grad(node, facts) or is_in_backward(node, facts)
    return is_off and not facts.speaks_of("set_grad_enabled")


def was_made_without_grad(node: ast.expr, facts: Facts) -> bool:
    """Whether a name, or ``x[0]``, certainly holds what was calculated where gradients were off.

    Nor does it get a graph later: nothing is written into it where gradients are on, and nobody
    asks for its own.
    """
    held, asked = node, list[int]()
    while isinstance(held, ast.Subscript):
        index = whole_number(held.slice)
        held, asked = held.value, [] if index is None else [index, *asked]
    if not isinstance(held, ast.Name):
        return False
    if any(not is_without_grad(written, facts) for written in modified(facts, held)):
        return False
    bindings, uses = facts.flow.reaching(held), _uses_of(held, facts)
    if not bindings or not all(_makes_new(binding, facts, (*asked,)) for binding in bindings):
        return False
    if held is not node and _may_be_other_part(uses, facts):
        return False
    return not any(_asks_for_grad(use, facts) for use in uses)


def _may_be_other_part(uses: list[ast.Name], facts: Facts) -> bool:
    """Whether a part of what a name holds may be another one later, or get a graph."""
    asked = facts.names.attributes("requires_grad")
    if any(isinstance(attribute.ctx, ast.Store) for attribute in asked):
        return True
    is_taken = all(
        isinstance(use.ctx, ast.Store) or isinstance(facts.parent(use), ast.Subscript)
        for use in uses
    )
    return not is_taken or may_be_written_inside(uses, is_list=True, facts=facts)


def _makes_new(binding: Binding, facts: Facts, asked: Path) -> bool:
    """Whether a statement under ``no_grad`` gives a name what is calculated in it."""
    if binding.kind != "assign" or binding.value is None or binding.is_shared:
        return False
    if not is_without_grad(binding.node, facts):
        return False
    return gives_new(binding.value, facts, (*binding.path, *asked))


def _uses_of(name: ast.Name, facts: Facts) -> list[ast.Name]:
    found = facts.names.scope_of(name).lookup(name.id)
    return [] if found is None else list(facts.names.uses_of(found[0], name.id))


def _asks_for_grad(use: ast.Name, facts: Facts) -> bool:
    """``x.requires_grad = True``, ``x.requires_grad_()``."""
    parent = facts.parent(use)
    return isinstance(parent, ast.Attribute) and parent.attr.startswith("requires_grad")


def gives_new(
    node: ast.expr,
    facts: Facts,
    path: Path = (),
    within: ast.AST | None = None,
    depth: int = 0,
) -> bool:
    """Whether an expression certainly calculates a tensor, or several, in memory of their own.

    Where gradients are off, that is part of no graph. What is just handed on, as ``nn.Identity``
    does, and a view of what requires gradients, may be part of one all the same.

    Args:
        node: the expression.
        facts: the facts of its file.
        path: which part of it is asked for, as unpacking says; all of them without one.
        within: the function whose result it is, where that is run without gradients.
        depth: how far it was followed already.
    """
    if depth > _MOST_FOLLOWED:
        return False
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node)
        return bool(bindings) and all(
            binding.kind == "assign"
            and binding.value is not None
            and _runs_without_grad(binding.node, within, facts)
            and gives_new(binding.value, facts, (*binding.path, *path), within, depth + 1)
            and _is_filled_with_new(node, binding.value, facts, within, depth)
            for binding in bindings
        )
    if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)):
        return facts.is_tensor(node)
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, (ast.Tuple, ast.List)):
        part = element_for(node, path[0]) if path else None
        parts = node.elts if part is None else [part]
        return all(gives_new(one, facts, path[1:], within, depth) for one in parts)
    if isinstance(node, ast.Subscript):
        index = whole_number(node.slice)
        asked = () if index is None else (index, *path)
        return gives_new(node.value, facts, asked, within, depth)
    return isinstance(node, ast.Call) and _call_gives_new(node, facts, path, within, depth)


def _is_filled_with_new(
    name: ast.Name, value: ast.expr, facts: Facts, within: ast.AST | None, depth: int
) -> bool:
    """Whether what is put into the list of a name is calculated, too: ``parts.append(w * x)``."""
    if not isinstance(value, (ast.List, ast.ListComp)):
        return True
    put = [
        appended_by(facts.names, use)
        for use in _uses_of(name, facts)
        if use.ctx.__class__ is ast.Load
    ]
    return None not in put and all(
        gives_new(each, facts, (), within, depth + 1) for one in put for each in one or ()
    )


def _runs_without_grad(node: ast.AST, within: ast.AST | None, facts: Facts) -> bool:
    is_own = within is not None and facts.names.enclosing_function(node) is within
    return is_own or is_without_grad(node, facts)


def _call_gives_new(
    call: ast.Call, facts: Facts, path: Path, within: ast.AST | None, depth: int
) -> bool:
    applied = as_applied(facts.names, call)
    function = applied.func
    name = facts.name(function)
    if name is not None:
        is_torchs = name.startswith("torch.") and gives_fresh_tensor(name) and not gives_out(call)
        may_hand_on = is_torchs and (has_out(call) or is_in_place(name, call))
        return is_torchs and (not may_hand_on or _is_given_new(applied, facts, within, depth))
    module = module_run(function, facts)
    is_unknown = unknown.is_of_unknown_class(module, call, facts)
    if (is_unknown or isinstance(module, Module)) and unknown.may_be_hooked(call, facts):
        return False
    if is_unknown:
        is_one = not path and unknown.gives_new(call, facts)
        return is_one or _gives_new_of_any(facts, path, depth)
    if isinstance(module, Module):
        may_hand_on = torch_layers.may_work_in_place((module.cls or "").rpartition(".")[2])
        is_handed_on = may_hand_on and _is_given_new(applied, facts, within, depth)
        return is_handed_on or _module_gives_new(module, facts, path, depth)
    method = call.func
    if isinstance(method, ast.Attribute) and facts.is_tensor(method.value):
        if torch_effects.gives_alias(method.attr) or torch_effects.may_be_itself(method.attr):
            return gives_new(method.value, facts, (), within, depth)
        return gives_fresh_tensor(method.attr) and not has_out(call)
    if isinstance(method, ast.Attribute) and method.attr == "apply":
        return _is_own_function(method.value, facts)
    found = function_named(call.func, facts)
    return found is not None and _returns_new(found[1], found[0], path, depth)


def _is_given_new(call: ast.Call, facts: Facts, within: ast.AST | None, depth: int) -> bool:
    """``relu(conv(x))``: what changes the tensor that it is given, or gives that itself."""
    return bool(call.args) and gives_new(call.args[0], facts, (), within, depth + 1)


def _is_own_function(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is a function of autograd that changes nothing it is given.

    What its ``apply`` gives is another tensor then, even where ``forward`` hands on its input.
    """
    found = class_named(node, facts)
    if found is None or "mark_dirty" in found[0].text:
        return False
    return any(found[0].name(base) in FUNCTION_BASES for base in found[1].bases)


def _module_gives_new(module: Module, facts: Facts, path: Path, depth: int) -> bool:
    """Whether a module gives what a layer, or its ``forward``, calculates."""
    if depth > _MOST_FOLLOWED:
        return False
    inside = modules_inside(module, facts)
    if inside != [module]:
        return bool(inside) and all(
            _module_gives_new(each, facts, path, depth + 1) for each in inside or ()
        )
    if always_calculates(module):
        return True
    if module.cls == _SEQUENTIAL:
        return any(always_calculates(facts.value(layer)) for layer in layers_inside(module, facts))
    found = run_by_value(module, facts)
    return found is not None and _returns_new(found[1], found[0], path, depth)


def _gives_new_of_any(facts: Facts, path: Path, depth: int) -> bool:
    """Whether each class of the project gives what it calculates: the module is of one of them."""
    found = forwards_of_project(facts)
    several = [each for each in found if not (path and gives_one(*each))]
    return bool(several) and all(
        _returns_new(function, home, path, depth) for home, function in several
    )


def _returns_new(function: ast.AST, home: Facts, path: Path, depth: int) -> bool:
    """Whether all that a function returns is calculated in it; ``enable_grad`` may be anywhere."""
    if home.speaks_of("enable_grad") or home.speaks_of("set_grad_enabled"):
        return False
    if not isinstance(function, ast.FunctionDef) or home.classes.is_wrapped(function):
        return False
    exits = home.inference.exits.get(function, ())
    return bool(exits) and all(
        isinstance(node, ast.Return)
        and node.value is not None
        and gives_new(node.value, home, path, function, depth + 1)
        for node in exits
    )
