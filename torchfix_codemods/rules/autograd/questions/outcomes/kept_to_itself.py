"""Whether models and functions just compute: they take no gradients and keep nothing."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.classes_elsewhere import is_of_one_file
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import container_methods, python_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import called_function, trains
from torchfix_codemods.facts.values.lattice import Module, Text, Value

#: What turns gradients on, as methods and functions.
_GRADIENT_SWITCHES = frozenset({"requires_grad_", "enable_grad", "set_grad_enabled"})
#: So deep models are looked for in what other models were given.
_MAX_DEPTH = 8
#: Methods of tensors that keep what they are given, or do so as methods of queues.
_KEEPING = frozenset({"put", "put_", "set_"})
_PASSING_MODULES = (
    "torch.cuda.",
    "torch.fft.",
    "torch.linalg.",
    "torch.nn.functional.",
    "torch.nn.utils.rnn.",
)
#: Modules of torch that run the modules they are given.
_RUN_OTHERS = frozenset(
    "DataParallel DistributedDataParallel Module ModuleDict ModuleList Sequential".split()
)
OUT_OF_SIGHT = (ast.Await, ast.Lambda, ast.NamedExpr, ast.Yield, ast.YieldFrom)


def is_passing(name: str) -> bool:
    """Whether a function of a library computes something, and keeps nothing of what it gets."""
    if name == "torch.autograd.Variable":
        return True
    if name.startswith("torch."):
        is_plain = name.count(".") == 1 and name != "torch.save"
        return is_plain or name.startswith(_PASSING_MODULES)
    return name.startswith(("numpy.", "torchvision.")) or is_foreign(name)


def keeps_to_itself(model: Value, facts: Facts, depth: int = 0) -> bool | None:
    """Whether the ``forward`` of a model takes no gradients and keeps nothing; None: not known."""
    if not isinstance(model, Module) or depth > _MAX_DEPTH:
        return None
    if model.cls is not None:
        return _keep_to_themselves(model, facts, depth)
    if model.definition is None or not is_of_one_file(facts.inference, model):
        return None
    return facts.remembered("forward keeps to itself", lambda: _forwards_keep_to_themselves(facts))


def _forwards_keep_to_themselves(facts: Facts) -> bool:
    """The same of all models of the file: they may hold each other."""
    forwards = [
        statement
        for definition in facts.names.nodes.get(ast.ClassDef, ())
        if isinstance(definition, ast.ClassDef) and facts.classes.kind(definition) != "plain"
        for statement in definition.body
        if isinstance(statement, ast.FunctionDef) and statement.name == "forward"
    ]
    return not any(
        trains(f.body, facts) or _stores(f, facts) or _wants_gradients(f) for f in forwards
    )


def _wants_gradients(function: ast.FunctionDef) -> bool:
    """Whether a function makes something to take gradients by, with whatever takes them.

    ``y = torch.zeros(n, requires_grad=True)`` goes to ``optimizer.step(energy(y), params=[y])`` of
    a library as well as to ``torch.autograd.grad``.
    """
    return any(
        (isinstance(node, ast.keyword) and node.arg == "requires_grad" and not _is_false(node))
        or (isinstance(node, ast.Attribute) and node.attr in _GRADIENT_SWITCHES)
        for node in ast.walk(function)
    )


def _is_false(option: ast.keyword) -> bool:
    return isinstance(option.value, ast.Constant) and option.value.value is False


def _keep_to_themselves(model: Module, facts: Facts, depth: int) -> bool | None:
    """A layer of torch; with the models that it was given, where it is one that runs others."""
    assert model.cls is not None
    if not model.cls.startswith(("torch.nn.", "torchvision.models.")):
        return None
    if model.cls.rpartition(".")[2] not in _RUN_OTHERS:
        return True
    given = [] if model.call is None else model.call.args
    answers = [keeps_to_itself(facts.value(argument), facts, depth + 1) for argument in given]
    return False if False in answers else True if answers and all(answers) else None


def _stores(function: ast.FunctionDef, facts: Facts) -> bool:
    attributes = facts.names.inside(function, ast.Attribute)
    return any(isinstance(node.ctx, ast.Store) for node in attributes)


def just_returns(
    function: ast.FunctionDef, facts: Facts, seen: frozenset[ast.AST] = frozenset()
) -> bool:
    """Whether a function of this file computes something, and neither trains nor keeps anything."""
    if trains(function.body, facts) or _stores(function, facts):
        return False
    seen = seen | {function}
    for node in walk(function):
        if isinstance(node, (ast.Global, ast.Nonlocal, *OUT_OF_SIGHT)):
            return False
        if isinstance(node, ast.Call) and not _is_seen_inside(node, function, facts, seen):
            return False
    return True


def _is_seen_inside(
    call: ast.Call, function: ast.FunctionDef, facts: Facts, seen: frozenset[ast.AST]
) -> bool:
    """Whether a call in a function is known to compute and no more."""
    callee = call.func
    name = facts.name(callee)
    called = called_function(call, facts)
    if name is not None:
        return is_passing(name)
    if called is not None:
        return called in seen or just_returns(called, facts, seen)
    if isinstance(callee, ast.Name):
        builtin = facts.names.builtin(callee)
        if builtin is not None:
            return python_functions.keeps_nothing(builtin)
    elif isinstance(callee, ast.Attribute):
        if container_methods.keeps(callee.attr) and isinstance(facts.parent(call), ast.Expr):
            return _is_local(callee.value, function, facts)
        if gives_new(callee.attr) or isinstance(facts.value(callee.value), Text):
            return True
    return keeps_to_itself(facts.value(callee), facts) is True


def _is_local(node: ast.expr, function: ast.FunctionDef, facts: Facts) -> bool:
    if not isinstance(node, ast.Name):
        return False
    found = facts.names.scope_of(node).lookup(node.id)
    return (
        found is not None
        and found[0].node is function
        and all(binding.kind != "parameter" for binding in found[1])
    )


def gives_new(method: str | None) -> bool:
    """Whether a method gives something new, for tensors and for lists and dicts of them."""
    if method is None or method in _KEEPING:
        return False
    is_of_tensors = torch_effects.is_known(f"torch.Tensor.{method}")
    return container_methods.only_reads(method) or (
        is_of_tensors and not torch_effects.may_do(method, "autograd")
    )
