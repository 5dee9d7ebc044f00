"""Uses that show a value to be an object, and neither a tensor nor a container of tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation import parameters
from torchfix_codemods.facts.evidence.kind_checks import is_kind_checked
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths import callers
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import ClassObject, Function, Module, Text
from torchfix_codemods.rules.checkpoints.questions.kept_objects import CHOICES, uses_of_kept
from torchfix_codemods.rules.checkpoints.questions.object_methods import (
    MODULE_METHODS,
    only_objects_have,
)
from torchfix_codemods.rules.checkpoints.questions.same_value import is_loaded_from_one_file

#: Through so many names and calls a value is followed.
_MAX_DEPTH = 6
#: What a dict, a list or a tensor has as well: reading one of these proves nothing.
_PLAIN_ATTRIBUTES = frozenset(
    """data shape dtype device grad grad_fn T H mT is_cuda is_cpu is_sparse is_quantized
    requires_grad is_leaf ndim layout real imag names nbytes itemsize volatile _metadata""".split()
)


def is_read_as_object(facts: Facts, use: ast.expr) -> bool:
    """``config.save_dir``, which is read and not called."""
    read = facts.parent(use)
    if not isinstance(read, ast.Attribute) or not isinstance(read.ctx, ast.Load):
        return False
    call = facts.parent(read)
    is_called = isinstance(call, ast.Call) and call.func is read
    return not is_called and read.attr not in _PLAIN_ATTRIBUTES


def is_called_as_module(facts: Facts, name: ast.Name) -> bool:
    """Whether what a name holds has methods called that a module has: ``model.state_dict()``."""
    bindings = facts.flow.reaching(name)
    methods = (facts.parent(use) for b in bindings for use in uses_of(facts, b))
    return len(bindings) == 1 and any(
        isinstance(method, ast.Attribute)
        and method.attr in MODULE_METHODS
        and isinstance(call := facts.parent(method), ast.Call)
        and call.func is method
        for method in methods
    )


def is_used_as_object(facts: Facts, node: ast.expr, depth: int) -> bool:
    """Whether a use of a value shows that it is neither a tensor nor a container."""
    if depth > _MAX_DEPTH:
        return False
    parent = facts.parent(node)
    if isinstance(parent, ast.keyword):
        parent = facts.parent(parent)
    if isinstance(parent, (ast.Return, ast.Yield)):
        function = facts.names.enclosing_function(parent)
        return isinstance(function, ast.FunctionDef) and any(
            is_used_as_object(there, given, depth + 1)
            for call, there in callers.known_calls(function, facts)
            for given in ([call] if isinstance(parent, ast.Return) else _in_turn(there, call))
        )
    if isinstance(parent, ast.Attribute) and parent.value is node:
        call = facts.parent(parent)
        if not (isinstance(call, ast.Call) and call.func is parent):
            return isinstance(parent.ctx, ast.Load) and parent.attr not in _PLAIN_ATTRIBUTES
        if parent.attr in ("items", "values"):
            return any(is_used_as_object(facts, use, depth + 1) for use in _in_turn(facts, call))
        if parent.attr in ("get", "pop") or torch_effects.moves_or_casts(parent.attr):
            return is_used_as_object(facts, call, depth + 1)
        return only_objects_have(facts, parent.attr)
    if isinstance(parent, ast.Call):
        builtin = facts.names.builtin(parent.func)
        return (
            parent.func is node
            or builtin == "vars"
            or (builtin in ("dict", "list") and is_used_as_object(facts, parent, depth + 1))
            # A numpy array is no tensor, and only modules have replicas.
            or facts.name(parent.func) in ("torch.from_numpy", "torch.nn.DataParallel")
            or any(
                is_used_as_object(home, use, depth + 1)
                for home, use in _uses_as_parameter(facts, parent, node)
            )
        )
    if isinstance(parent, ast.Subscript) and parent.value is node:
        is_item = isinstance(parent.ctx, ast.Load) and isinstance(facts.value(parent.slice), Text)
        return is_item and is_used_as_object(facts, parent, depth + 1)
    return any(
        is_used_as_object(facts, use, depth + 1)
        for target, statement in assigned_to(facts, node)
        for use in uses_of_assigned(facts, target, statement)
    )


def _in_turn(facts: Facts, generator: ast.Call) -> Iterator[ast.expr]:
    """Where what is yielded, or lies in a dict, is read: ``for data in load(): data.kind``."""
    parent = facts.parent(generator)
    if isinstance(parent, ast.Call) and facts.names.builtin(parent.func) == "next":
        yield parent
    elif isinstance(parent, ast.For) and parent.iter is generator:
        uses = uses_of_assigned(facts, parent.target, parent)
        names = (use for use in uses if isinstance(use, ast.Name))
        yield from (use for use in names if not is_kind_checked(facts.names, use))


def assigned_to(facts: Facts, node: ast.expr) -> Iterator[tuple[ast.expr, ast.Assign]]:
    """``a`` of ``a = node`` and of ``a, b = node, other``."""
    parent = facts.parent(node)
    if isinstance(parent, ast.Assign) and parent.value is node:
        yield from ((target, parent) for target in parent.targets)
    statement = facts.parent(parent) if isinstance(parent, (ast.Tuple, ast.List)) else None
    if not isinstance(statement, ast.Assign) or statement.value is not parent:
        return
    assert isinstance(parent, (ast.Tuple, ast.List))
    for target in statement.targets:
        if isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == len(parent.elts):
            if not any(isinstance(e, ast.Starred) for e in (*target.elts, *parent.elts)):
                yield target.elts[parent.elts.index(node)], statement


def uses_of_assigned(
    facts: Facts, target: ast.expr, statement: ast.Assign | ast.For
) -> Iterator[ast.expr]:
    """The places that read what ``statement`` assigns to ``target``, or a part of it."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            if not isinstance(element, ast.Starred):
                yield from uses_of_assigned(facts, element, statement)
    elif isinstance(target, ast.Name):
        for scope in facts.names.scopes.values():
            for use in scope.uses.get(target.id, ()):
                nodes = [binding.node for binding in facts.flow.reaching(use)]
                if nodes == [statement] or (
                    statement in nodes
                    and not is_kind_checked(facts.inference.names, use)
                    and (
                        _always_follows(facts, use, statement)
                        or isinstance(facts.value_before(statement, use.id), Module)
                        or _stands_for_module(facts, use, statement)
                        or is_loaded_from_one_file(facts, use)
                    )
                ):
                    yield use
    elif isinstance(target, ast.Attribute):
        yield from uses_of_kept(facts, target)


def _always_follows(facts: Facts, use: ast.Name, statement: ast.stmt) -> bool:
    """Whether nothing between an assignment and a use may ask whether it was this one that ran."""
    around = {statement, *facts.names.ancestors(statement)}
    if not any(isinstance(parent, CHOICES) for parent in around):
        return True
    return all(
        parent in around
        for parent in facts.names.ancestors(use)
        if isinstance(parent, (*CHOICES, ast.FunctionDef, ast.Lambda))
    )


def _stands_for_module(facts: Facts, use: ast.Name, statement: ast.stmt) -> bool:
    """Whether all else that a name may hold at a use is a module, and no test that decides what it
    holds is asked around the use again.

    ``if resume: net = torch.load(path) else: net = Net()``, and ``nn.DataParallel(net)`` below.
    """
    others = [b for b in facts.flow.reaching(use) if b.node is not statement]
    made = (facts.inference.bound(binding) for binding in others)
    values = [value.value if isinstance(value, Imported) else value for value in made]
    if not others or not all(isinstance(value, Module) for value in values):
        return False
    of_use, of_statement = ([*facts.names.ancestors(node)] for node in (use, statement))
    tried = [a for a in of_statement if isinstance(a, ast.Try) and a not in of_use]
    decides = _asked(a for a in of_statement if a not in (*of_use, *tried))
    if decides is not None:
        # Whether it failed nothing tells but what is set there.
        decides |= {n.id for a in tried for n in facts.names.inside(a, ast.Name) if _is_stored(n)}
        decides -= {use.id}
    asked = _asked(around for around in of_use if around not in of_statement)
    return decides is not None and asked is not None and decides.isdisjoint(asked)


def _is_stored(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)


def _asked(around: Iterable[ast.AST]) -> set[str] | None:
    """The names and attributes that tests ask; None where another choice, or a call, decides."""
    asked = set()
    for choice in around:
        if isinstance(choice, (ast.If, ast.IfExp)):
            parts = {n for n in ast.walk(choice.test) if isinstance(n, (ast.Name, ast.Attribute))}
            inner = {n.value for n in parts if isinstance(n, ast.Attribute)}
            asked |= {ast.unparse(part) for part in parts - inner}
        elif isinstance(choice, (*CHOICES, ast.FunctionDef, ast.Lambda)):
            return None
    return asked


def _uses_as_parameter(
    facts: Facts, call: ast.Call, argument: ast.expr
) -> Iterator[tuple[Facts, ast.expr]]:
    """The places that read an argument inside the function that gets it, with its file's facts."""
    callee = facts.value(call.func)
    home = facts_of(callee.owner) if isinstance(callee, Imported) else facts
    callee = callee.value if isinstance(callee, Imported) else callee
    function: ast.AST | None = None
    if isinstance(callee, Function):
        function = callee.definition
    elif isinstance(callee, ClassObject) and home is not None:
        function = home.classes.method(callee.definition, "__init__")
    if home is None or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return
    scope = home.names.scopes[function]
    is_bound = isinstance(callee, ClassObject)
    for node in (*function.args.args, *function.args.kwonlyargs):
        if parameters.argument_for(function, node, call, bound=is_bound) is argument:
            for use in scope.uses.get(node.arg, ()):
                if [b.node for b in home.flow.reaching(use)] == [node]:
                    yield home, use
