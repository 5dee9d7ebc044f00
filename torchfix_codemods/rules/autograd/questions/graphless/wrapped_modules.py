"""Which modules run where one is called that may be several, or that wraps others."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import values_returned
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with, value_by_all_calls
from torchfix_codemods.facts.paths.fresh import is_fresh_of_layer
from torchfix_codemods.facts.paths.named import class_of_object
from torchfix_codemods.facts.values.lattice import Module, Unknown, Value, without_none
from torchfix_codemods.facts.values.sequential import layers_in_order
from torchfix_codemods.facts.values.torch_api import LAYERS_WITH_WEIGHTS, MODULE_WRAPPERS

#: What is run where a module is called.
_CALLED = ("forward", "__call__")
#: Through so many wrappers and choices a module is followed.
_MOST_WRAPPED = 4


def module_run(function: ast.expr, facts: Facts) -> Value:
    """What ``net(x)`` runs, or ``net.forward(x)``; None cannot be called.

    Of a parameter all calls of its function tell, in whichever file they are.
    """
    if isinstance(function, ast.Attribute) and function.attr == "forward":
        module = without_none(facts.inference.possible(function.value))
        if isinstance(module, Module):
            return module
    called = without_none(facts.inference.possible(function))
    if not isinstance(called, Unknown) or not isinstance(function, ast.Name):
        return called
    given = value_by_all_calls(function, facts)
    return given if isinstance(given, Module) else called


def modules_inside(module: Module, facts: Facts, depth: int = 0) -> list[Module] | None:
    """What ``nn.DataParallel(net)`` runs, and each of the modules that a value may be.

    Args:
        module: what is called.
        facts: the facts of the file that calls it.
        depth: through how many others it was followed already.

    Returns:
        modules that are no wrappers; None where one of them is out of sight.
    """
    if depth > _MOST_WRAPPED:
        return None
    inner: list[Module] = [*module.either]
    if not inner and _is_wrapper(module, facts):
        given = module.call.args[:1] if module.call is not None and module.origin is None else []
        wrapped = without_none(facts.inference.possible(given[0])) if given else None
        if not isinstance(wrapped, Module):
            return None
        inner = [wrapped]
    if not inner:
        return [module]
    found = [modules_inside(each, facts, depth + 1) for each in inner]
    return None if None in found else [each for modules in found for each in modules or ()]


def _is_wrapper(module: Module, facts: Facts) -> bool:
    """``nn.DataParallel(net)``, or an object of a class right below that, with its ``forward``."""
    if module.definition is None and module.origin is None:
        return module.cls in MODULE_WRAPPERS
    found = class_of_object(module, facts)
    if found is None:
        return module.cls in MODULE_WRAPPERS
    home, cls = found
    is_below = any(home.name(base) in MODULE_WRAPPERS for base in cls.bases)
    return is_below and not any(home.classes.has_own(cls, name) for name in _CALLED)


def always_calculates(value: Value) -> bool:
    """Whether a value is a layer of torch that never just hands on what it is given."""
    if not isinstance(value, Module) or value.definition is not None or value.either:
        return False
    return value.cls in LAYERS_WITH_WEIGHTS or is_fresh_of_layer(value)


def forwards_of_project(facts: Facts) -> list[tuple[Facts, ast.FunctionDef]]:
    """The ``forward`` of each class of the project that may be a module, and its file."""

    def find() -> list[tuple[Facts, ast.FunctionDef]]:
        return [
            (there, method)
            for there in (facts, *others_with("forward", facts))
            for cls in there.names.nodes.get(ast.ClassDef, ())
            if isinstance(cls, ast.ClassDef) and there.classes.kind(cls) in ("module", "unknown")
            for method in cls.body
            if isinstance(method, ast.FunctionDef) and method.name == "forward"
        ]

    return facts.names.remembered(forwards_of_project, find)


def gives_one(facts: Facts, forward: ast.FunctionDef) -> bool:
    """Whether a ``forward`` certainly gives one tensor."""
    returned = values_returned(forward) or []
    return bool(returned) and all(each is not None and facts.is_tensor(each) for each in returned)


def layers_inside(sequential: Module, facts: Facts) -> list[ast.expr]:
    """The layers that an ``nn.Sequential`` certainly has, of those that are written out.

    They are the arguments that build it, and what ``add_module`` adds in lines of the same block
    below.

    Args:
        sequential: what is called.
        facts: the facts of the file that builds it.
    """
    built = sequential.call
    if built is None or sequential.origin is not None:
        return []
    return [*layers_in_order(facts.names, built), *_added_below(built, facts)]


def _added_below(built: ast.Call, facts: Facts) -> list[ast.expr]:
    statement = facts.statement(built)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if len(targets) != 1 or not isinstance(statement, ast.Assign) or statement.value is not built:
        return []
    block, held = facts.block(statement), ast.unparse(targets[0])
    below = block[block.index(statement) + 1 :]
    return [
        added.args[1]
        for added in facts.names.method_calls("add_module")
        if facts.statement(added) in below and len(added.args) == 2
        if isinstance(added.func, ast.Attribute) and ast.unparse(added.func.value) == held
    ]
