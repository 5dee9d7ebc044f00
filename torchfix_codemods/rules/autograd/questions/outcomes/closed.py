"""Functions that calculate with their arguments alone."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import container_methods, torch_effects
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.in_turn import may_be_stored_otherwise
from torchfix_codemods.facts.paths.named import class_named, function_named
from torchfix_codemods.facts.values.lattice import Device, Module, Number
from torchfix_codemods.facts.values.torch_api import TYPED_CLASSES
from torchfix_codemods.rules.autograd.questions.graphless.unknown_modules import may_be_hooked
from torchfix_codemods.rules.questions.stateless import is_stateless


def is_closed(
    function: ast.FunctionDef, facts: Facts, seen: frozenset[ast.AST] = frozenset()
) -> bool:
    """Whether a function calculates with its arguments alone, so that no weights are in reach.

    ``Batch.of(examples)`` is closed where it calls torch, methods of tensors and lists, functions
    that are closed as well, layers without weights, and the constructor of its class, which just
    keeps what it gets.

    Args:
        function: a function, or a method of a class that is no module.
        facts: the facts of its file.
        seen: the functions that call it.
    """
    owner = facts.parent(function)
    if isinstance(owner, ast.ClassDef) and facts.classes.kind(owner) != "plain":
        return False
    return _is_closed_inside(function, facts, seen)


def runs_no_weights(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is one of a layer of torch without parameters: ``self.pool(x)``.

    Args:
        call: the call.
        facts: the facts of its file.
    """
    layer, called = facts.value(call.func), call.func
    if not isinstance(layer, Module) or layer.cls is None or not is_stateless(facts, called):
        return False
    return _is_built_in_sight(called, facts) and not may_be_hooked(call, facts)


def _is_built_in_sight(layer: ast.expr, facts: Facts) -> bool:
    """Whether a layer is none that is handed in, which may be another one."""
    if isinstance(layer, ast.Attribute):
        owner = facts.names.enclosing_class(layer)
        if owner is None or may_be_stored_otherwise(layer, facts):
            return False
        made = [source.value for source in facts.classes.attribute_sources(owner, layer.attr)]
    else:
        made = [*(facts.assigned(layer) or ())] if isinstance(layer, ast.Name) else [layer]
    return bool(made) and all(isinstance(each, ast.Call) for each in made)


def held_in(value: ast.expr, facts: Facts) -> list[ast.expr]:
    """What lies in a tuple, a list or a record that is written out; else the value itself."""
    if isinstance(value, ast.Call) and only_holds(value.func, facts):
        return [part for given in values_given(value) for part in held_in(given, facts)]
    if isinstance(value, (ast.Tuple, ast.List)):
        return [part for given in value.elts for part in held_in(given, facts)]
    return [value]


def only_holds(called: ast.expr, facts: Facts) -> bool:
    """Whether a call makes a record: a named tuple, which calculates nothing with what it is given.

    So does a class of the project that is based on one, where what makes its objects is closed, and
    one whose ``__init__`` just keeps what it is given.
    """
    if isinstance(called, ast.Name) and (assigned := facts.assigned(called)) is not None:
        return all(_makes_named_tuples(each, facts) for each in assigned)
    if (found := class_named(called, facts)) is None:
        return False
    home, cls = found
    if cls.keywords or cls.decorator_list:
        return False
    made = [home.classes.method(cls, name) for name in ("__new__", "__init__")]
    if all(home.names.builtin(base) == "object" for base in cls.bases):
        return made[0] is None and made[1] is not None and all(map(_only_keeps, made[1].body))
    return all(_makes_named_tuples(base, home) for base in cls.bases) and all(
        method is None or _is_closed_inside(method, home, frozenset()) for method in made
    )


def _only_keeps(statement: ast.stmt) -> bool:
    """``self.x = x``, or a text."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return (
        isinstance(statement, ast.Assign)
        and all(isinstance(target, ast.Attribute) for target in statement.targets)
        and isinstance(statement.value, (ast.Name, ast.Constant))
    )


def _makes_named_tuples(node: ast.expr, facts: Facts) -> bool:
    """``namedtuple("Point", "x y")``, or ``NamedTuple``."""
    if isinstance(node, ast.Call):
        return facts.name(node.func) == "collections.namedtuple"
    return facts.name(node) == "typing.NamedTuple"


def _is_closed_inside(function: ast.FunctionDef, facts: Facts, seen: frozenset[ast.AST]) -> bool:
    inside = [node for statement in function.body for node in walk(statement)]
    names = (node for node in inside if isinstance(node, ast.Name))
    calls = (node for node in inside if isinstance(node, ast.Call))
    return all(_is_in_sight(name, function, facts) for name in names) and all(
        _is_known(call, function, facts, seen | {function}) for call in calls
    )


def _is_in_sight(name: ast.Name, function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a name is one of the function, of Python or of torch, or keeps no tensor."""
    above = facts.parent(name)
    called = above.func if isinstance(above, ast.Call) else name
    if facts.names.builtin(called) in ("isinstance", "super"):
        return True
    if isinstance(called, ast.Attribute) and _makes_object(called, facts):
        return True
    if facts.classes.self_name(function) == name.id and facts.classes.gets_object(function):
        if not isinstance(above, ast.Attribute):
            return False
        run = facts.parent(above)
        is_layer = isinstance(run, ast.Call) and run.func is above and runs_no_weights(run, facts)
        return is_layer or isinstance(above.ctx, ast.Store)
    if facts.names.builtin(name) is not None:
        return True
    if (facts.name(name) or "").partition(".")[0] in ("torch", "numpy"):
        return True
    if isinstance(facts.value(name), (Device, Number)):
        return True
    found = facts.names.scope_of(name).lookup(name.id)
    is_own = found is not None and found[0].kind not in ("module", "class")
    # A function that is called is asked for itself.
    is_called = isinstance(above, ast.Call) and above.func is name
    return is_own or (is_called and function_named(name, facts) is not None)


def _makes_object(called: ast.Attribute, facts: Facts) -> bool:
    """``super(Point, cls).__new__``."""
    above = called.value.func if isinstance(called.value, ast.Call) else called
    return called.attr == "__new__" and facts.names.builtin(above) == "super"


def _is_known(
    call: ast.Call, function: ast.FunctionDef, facts: Facts, seen: frozenset[ast.AST]
) -> bool:
    called = call.func
    if any(k.arg == "requires_grad" and constant(k.value) is not False for k in call.keywords):
        return False
    if (name := facts.name(called)) is not None:
        if name == VARIABLE:
            return len(call.args) == 1
        is_asking = name == "torch.cuda.is_available"
        is_made = is_asking or name in TYPED_CLASSES or name.startswith("numpy.")
        return is_made or (name.startswith("torch.") and torch_effects.is_known(name))
    if facts.names.builtin(called) is not None:
        return True
    if isinstance(called, ast.Attribute):
        if _makes_object(called, facts) or runs_no_weights(call, facts):
            return True
        is_of_tensor = torch_effects.is_known(f"torch.Tensor.{called.attr}")
        is_asking = called.attr in ("requires_grad_", "backward")
        is_of_list = container_methods.keeps_nothing(called.attr) or called.attr == "format"
        return (is_of_tensor and not is_asking) or is_of_list or container_methods.adds(called.attr)
    made = _constructor(called, function, facts)
    found = function_named(called, facts) if made is None else (facts, made)
    return found is not None and (found[1] in seen or is_closed(found[1], found[0], seen))


def _constructor(
    called: ast.expr, function: ast.FunctionDef, facts: Facts
) -> ast.FunctionDef | None:
    """``__init__`` of ``cls(...)`` in a class method."""
    owner, first = facts.parent(function), (*function.args.args, None)[0]
    is_class = facts.classes.gets_object(function) and facts.classes.self_name(function) is None
    if not isinstance(owner, ast.ClassDef) or not is_class or first is None:
        return None
    is_called = isinstance(called, ast.Name) and called.id == first.arg
    return facts.classes.method(owner, "__init__") if is_called else None
