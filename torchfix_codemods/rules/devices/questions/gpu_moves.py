"""What ``.cuda()`` moves, and what asks whether something was moved: ``x.is_cuda``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence.proofs import may_be_of_project
from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import (
    Batch,
    Method,
    Module,
    Packed,
    Tensor,
    Unknown,
    Value,
)

#: What ``.cuda()`` moves to a device, and ``.to(device)`` as well.
MOVABLE = (Tensor, Module, Batch, Packed)


def tensor_on_gpu(test: ast.expr, facts: Facts) -> ast.expr | None:
    """``x`` of ``x.is_cuda``, where that is certainly a tensor, or of a flag that is set to it.

    What is not known is one if the same function asks for its size, too, or does with it what only
    a tensor takes, be it in one branch alone.
    """
    test = _asked_before(test, facts) if isinstance(test, ast.Name) else test
    if not (isinstance(test, ast.Attribute) and test.attr == "is_cuda"):
        return None
    if facts.is_tensor(test.value):
        return test.value
    function, name = facts.names.enclosing_function(test), test.value
    if function is None or not isinstance(name, ast.Name):
        return None
    if not isinstance(facts.value(name), Unknown):
        return None
    reaching = set(facts.flow.reaching(name))
    is_shown = any(
        facts.names.enclosing_function(use) is function
        and (_is_sized(use, facts) or facts.is_shown_tensor(use))
        and set(facts.flow.reaching(use)) == reaching
        for use in facts.names.uses_of(facts.names.scope_of(name), name.id)
    )
    return name if is_shown and reaching else None


def _is_sized(name: ast.Name, facts: Facts) -> bool:
    """``x.size(…)``, where no class of the file has a method of that name."""
    method = facts.parent(name)
    call = facts.parent(method) if isinstance(method, ast.Attribute) else None
    is_size = isinstance(method, ast.Attribute) and method.attr == "size"
    is_called = isinstance(call, ast.Call) and call.func is method
    return is_size and is_called and "size" not in method_names(facts.names)


def _asked_before(flag: ast.Name, facts: Facts) -> ast.expr:
    """``x.is_cuda`` of ``use_cuda = x.is_cuda`` above, where nothing else is x in a function."""
    bindings = facts.flow.reaching(flag)
    is_one = len(bindings) == 1 and bindings[0].kind == "assign"
    written = bindings[0].written() if is_one else None
    if not (isinstance(written, ast.Attribute) and isinstance(written.value, ast.Name)):
        return flag
    function, scope = facts.names.enclosing_function(flag), facts.names.scope_of(flag)
    asked = scope.bindings.get(written.value.id, ())
    is_here = function is not None and facts.names.enclosing_function(written) is function
    return written if is_here and len(asked) == 1 else flag


def asks_for_place(test: ast.expr, facts: Facts) -> bool:
    """Whether a test is ``x.is_cuda`` of whatever lies on a GPU, and no flag of that name."""
    is_asked = isinstance(test, ast.Attribute) and test.attr == "is_cuda"
    return is_asked and "is_cuda" not in method_names(facts.names)


def asks_by_moving(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is the test of ``if self.cuda():``: it moves a module, and is always true."""
    parent = facts.parent(call)
    if not isinstance(parent, (ast.If, ast.IfExp)) or parent.test is not call:
        return False
    if not moves_to_default_gpu(call) or may_be_of_project(facts.names, "cuda"):
        return False
    assert isinstance(call.func, ast.Attribute)
    return isinstance(facts.value(call.func.value), Module)


def moves_to_default_gpu(call: ast.Call) -> bool:
    """``x.cuda()``, ``x.cuda(None)`` and ``x.cuda(non_blocking=…)``."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"):
        return False
    if is_opaque(call) or any(k.arg != "non_blocking" for k in call.keywords):
        return False
    return all(constant(a) is None for a in call.args)


def is_of_a_module(call: ast.Call, facts: Facts) -> bool:
    """Whether ``cuda()`` is called on a module of Python: on nothing that one of them defines."""
    assert isinstance(call.func, ast.Attribute)
    is_named = facts.name(call.func) is not None
    return is_named and not isinstance(facts.value(call.func.value), MOVABLE)


def moved_value(call: ast.Call, facts: Facts) -> Value:
    """What is moved, also where only the use of the result shows it: ``net = make().cuda()``."""
    assert isinstance(call.func, ast.Attribute)
    value = facts.value(call.func.value)
    # No method has a ``cuda``: it is an attribute of which nothing is known.
    value = facts.value_by_use(call) if isinstance(value, (Unknown, Method)) else value
    if not isinstance(value, Unknown) or isinstance(facts.parent(call), ast.Expr):
        return value
    return Tensor() if _is_part_of_batch(call.func.value, facts) else value


def _is_part_of_batch(node: ast.expr, facts: Facts) -> bool:
    """``mask`` of ``for image, mask in loader``, where the image is a tensor.

    What else has ``cuda()`` in a batch would be of a class of the project that defines it.
    """
    names = facts.names
    if may_be_of_project(names, "cuda"):
        return False
    if not isinstance(node, ast.Name):
        return False
    bindings = facts.flow.reaching(node)
    loop = bindings[0].node if len(bindings) == 1 and bindings[0].kind == "for" else None
    if not isinstance(loop, (ast.For, ast.AsyncFor)) or not bindings[0].path:
        return False
    scope = names.scope_of(loop)
    beside = {
        b
        for bound in scope.bindings.values()
        for b in bound
        if b.node is loop and b.path[:-1] == bindings[0].path[:-1]
    }
    return any(
        isinstance(facts.value(use), Tensor) or isinstance(_moved_there(use, facts), Tensor)
        for b in beside - {bindings[0]}
        for use in scope.uses.get(b.name, ())
        if facts.flow.reaching(use) == (b,)
    )


def _moved_there(use: ast.Name, facts: Facts) -> Value:
    """What the uses of ``x.cuda()`` show ``x`` to be."""
    method = facts.parent(use)
    call = facts.parent(method) if isinstance(method, ast.Attribute) else None
    is_moved = isinstance(call, ast.Call) and moves_to_default_gpu(call)
    return facts.value_by_use(call) if is_moved and isinstance(call, ast.Call) else Unknown()
