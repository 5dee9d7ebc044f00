"""What the parameters of this file's functions hold."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation import fixtures
from torchfix_codemods.facts.evaluation.applications import applications_of_class
from torchfix_codemods.facts.evaluation.classes_elsewhere import bases_elsewhere
from torchfix_codemods.facts.evidence import kind_checks
from torchfix_codemods.facts.evidence.kind_checks import is_kind_checked
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    UNKNOWN,
    Instance,
    Maybe,
    Module,
    NoneValue,
    Nothing,
    Number,
    Sequence,
    Tensor,
    Value,
    element_of,
    join,
    maybe,
    of_any_caller,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names
    from torchfix_codemods.facts.values.inference import Inference

#: Through so many files it is followed from which classes one derives.
_MOST_CLASSES = 4


def parameter(inference: Inference, node: ast.arg) -> Value:
    """What a parameter holds: its annotation, ``self``, or what the calls in this file pass."""
    names = inference.names
    annotated = names.name(node.annotation) if node.annotation is not None else None
    if annotated == "torch.nn.Module":
        return Module()
    passed = _passed(inference, node)
    if annotated in ("torch.Tensor", "torch.autograd.Variable"):
        # What it says holds, whatever is passed; calls show more of a tensor.
        return passed if isinstance(passed, Tensor) else Tensor()
    return passed


def _passed(inference: Inference, node: ast.arg) -> Value:
    """``self``, or what the calls in this file pass."""
    names = inference.names
    function = names.parents[names.parents[node]]
    if isinstance(function, ast.Lambda):
        return _mapped(inference, function, node)
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return UNKNOWN
    owner = names.parents.get(function)
    if isinstance(owner, ast.ClassDef):
        if inference.classes.self_name(function) == node.arg:
            if inference.classes.kind(owner) == "module":
                return Module(definition=owner)
            return Instance(owner)
    is_reachable = isinstance(owner, (ast.Module, ast.ClassDef))
    if inference.is_asked_by_others and is_reachable:
        return UNKNOWN
    if _is_applied_to_modules(inference, function):
        return Module()
    sites = call_sites(inference, function)
    requested = fixtures.requested(inference, function, node)
    if not sites and not isinstance(requested, Nothing):
        return requested
    result = join(default_value(inference, node), requested)
    is_bound = inference.classes.gets_object(function)
    for site in sites:
        argument = argument_for(function, node, site, is_bound)
        if argument is not None:
            result = join(result, inference.possible(argument))
        elif (spread := _spread(inference, site)) is not None:
            result = join(result, _among(spread, function, node, is_bound))
    if not _are_all_calls(inference, function, sites) or _has_other_callers(inference, function):
        result = _of_unseen_caller(result)
        if not isinstance(result, Nothing) and _is_kind_checked(inference, function, node):
            return UNKNOWN
    if function.name == "forward" and isinstance(owner, ast.ClassDef):
        result = _as_applied(inference, owner, function, node, result)
    return UNKNOWN if isinstance(result, (NoneValue, Nothing)) else result


def _mapped(inference: Inference, function: ast.Lambda, node: ast.arg) -> Value:
    """What ``map(lambda x: …, xs)`` gives the lambda."""
    call = inference.names.parents.get(function)
    if not isinstance(call, ast.Call) or inference.names.builtin(call.func) != "map":
        return UNKNOWN
    if call.args[0] is not function or is_opaque(call) or node not in function.args.args:
        return UNKNOWN
    mapped = call.args[1:][function.args.args.index(node) :]
    return element_of(inference.value(mapped[0])) if mapped else UNKNOWN


def _spread(inference: Inference, site: ast.Call) -> tuple[Value, ...] | None:
    """The arguments of ``train(*pair())``, where it is known what ``pair()`` gives."""
    if len(site.args) != 1 or site.keywords or not isinstance(site.args[0], ast.Starred):
        return None
    given = inference.value(site.args[0].value)
    return given.items if isinstance(given, Sequence) else None


def _among(
    given: tuple[Value, ...],
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    node: ast.arg,
    is_bound: bool,
) -> Value:
    """What a parameter gets of arguments by position; Nothing where it gets none of them."""
    positional = [*function.args.posonlyargs, *function.args.args][is_bound:]
    return dict(zip(positional, given, strict=False)).get(node, NOTHING)


def _is_kind_checked(
    inference: Inference, function: ast.FunctionDef | ast.AsyncFunctionDef, node: ast.arg
) -> bool:
    """Whether a function asks what it got: it expects more than the calls in sight pass."""
    uses = inference.names.scopes[function].uses.get(node.arg, ())
    # Mostly kept under its own name.
    kept = inference.names.attributes(node.arg)
    return any(is_kind_checked(inference.names, use) for use in uses) or any(
        kind_checks.is_kind_check(inference.names, use) for use in kept
    )


def _of_unseen_caller(value: Value) -> Value:
    """What calls out of sight certainly pass as well: tensors and modules stand for their like."""
    if isinstance(value, Maybe):
        return maybe(_of_unseen_caller(value.value))
    if isinstance(value, Tensor):
        return of_any_caller(value)
    if isinstance(value, NoneValue):
        return maybe(UNKNOWN)
    return value if isinstance(value, (Module, Nothing)) else UNKNOWN


def _as_applied(
    inference: Inference,
    owner: ast.ClassDef,
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    node: ast.arg,
    known: Value,
) -> Value:
    """Add to a parameter of ``forward`` what all calls of the module agree on."""
    if inference.classes.kind(owner) != "module":
        return known
    calls = applications_of_class(inference, owner)
    if not calls or any(map(is_opaque, calls)):
        return known
    result = default_value(inference, node)
    for call in calls:
        argument = argument_for(function, node, call, True)
        if argument is not None:
            result = join(result, inference.value(argument))
    if not isinstance(result, Tensor):
        return result if isinstance(result, Number) and known == UNKNOWN else known
    base = known if isinstance(known, Tensor) else Tensor()
    is_contiguous = base.contiguous or result.contiguous
    strided = not is_contiguous and (base.strided or result.strided)
    moved = not is_contiguous and (base.moved or result.moved)
    return replace(base, ndim=result.ndim, contiguous=is_contiguous, strided=strided, moved=moved)


def _has_other_callers(
    inference: Inference, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> bool:
    """Whether other files of the project may call a function of this one."""
    owner = inference.names.parents.get(function)
    if isinstance(owner, ast.Module):
        return inference.is_used_elsewhere(function.name)
    return isinstance(owner, ast.ClassDef) and (
        inference.is_used_elsewhere(owner.name) or _is_asked_above(inference, owner, function.name)
    )


def _is_asked_above(inference: Inference, owner: ast.ClassDef, name: str, depth: int = 0) -> bool:
    """Whether a class above one, in another file, may call its method: ``self.step(x)``."""
    return any(
        depth > _MOST_CLASSES
        or any(there.names.attributes(name))
        or _is_asked_above(there, base, name, depth + 1)
        for there, base in bases_elsewhere(inference, owner)
    )


#: Methods that are called by other names.
CALLED_BY_OTHER_NAMES = frozenset({"forward", "__call__", "__init__"})


def _are_all_calls(
    inference: Inference,
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    sites: list[ast.Call],
) -> bool:
    """Whether the calls in sight are all calls in this file, with arguments one by one."""
    if not sites or inference.classes.is_wrapped(function):
        return False
    if any(is_opaque(site) and _spread(inference, site) is None for site in sites):
        return False
    if not isinstance(inference.names.parents.get(function), ast.ClassDef):
        return True
    if function.name in CALLED_BY_OTHER_NAMES:
        return False
    called = {id(site.func) for site in sites}
    return all(id(use) in called for use in inference.names.attributes(function.name))


def _is_applied_to_modules(
    inference: Inference, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> bool:
    """``model.apply(weights_init)``: the function is called with layers, and with nothing else."""
    names = inference.names
    uses = [
        use
        for scope in names.scopes_using(function.name)
        for use in scope.uses[function.name]
        if _is_only_binding(names, use, function)
    ]
    return bool(uses) and all(_is_applied(inference, use) for use in uses)


def _is_only_binding(names: Names, use: ast.Name, function: ast.AST) -> bool:
    found = names.scope_of(use).lookup(use.id)
    return found is not None and [binding.node for binding in found[1]] == [function]


def _is_applied(inference: Inference, use: ast.Name) -> bool:
    call = inference.names.parents.get(use)
    return (
        isinstance(call, ast.Call)
        and call.args == [use]
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "apply"
        and isinstance(inference.value(call.func.value), Module)
    )


def default_of(inference: Inference, node: ast.arg) -> ast.expr | None:
    """The default of a parameter; None where it has none."""
    arguments = inference.names.parents[node]
    assert isinstance(arguments, ast.arguments)
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    for keyword, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if value is not None:
            defaults[keyword] = value
    return defaults.get(node)


def default_value(inference: Inference, node: ast.arg) -> Value:
    """The value of a parameter's default; Nothing where it has none."""
    default = default_of(inference, node)
    return NOTHING if default is None else inference.possible(default)


def call_sites(
    inference: Inference, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> list[ast.Call]:
    """The calls of a function in this file; none when it is also passed around as a value."""
    names = inference.names
    owner = names.parents.get(function)
    sites = []
    if isinstance(owner, ast.ClassDef):
        for call in names.method_calls(function.name):
            assert isinstance(call.func, ast.Attribute)
            receiver = inference.value(call.func.value)
            if isinstance(receiver, (Module, Instance)) and receiver.definition is owner:
                sites.append(call)
        return sites + (constructions(inference, owner) if function.name == "__init__" else [])
    for scope in names.scopes_using(function.name):
        found = scope.lookup(function.name)
        if found is None or len(found[1]) != 1 or found[1][0].node is not function:
            continue
        for use in scope.uses[function.name]:
            parent = names.parents.get(use)
            if not (isinstance(parent, ast.Call) and parent.func is use):
                return []
            sites.append(parent)
    return list(dict.fromkeys(sites))


def calls_of_lambda(inference: Inference, function: ast.Lambda) -> list[ast.Call]:
    """The calls of the name that a lambda gets; none where it has no name, or is passed around."""
    names, statement = inference.names, inference.names.parents.get(function)
    if not isinstance(statement, ast.Assign) or statement.value is not function:
        return []
    target = statement.targets[0]
    found = names.scope_of(statement).lookup(getattr(target, "id", ""))
    if len(statement.targets) > 1 or not isinstance(target, ast.Name) or found is None:
        return []
    if found[0].parent is None and inference.is_used_elsewhere(target.id):
        return []
    calls = []
    for use in names.uses_of(found[0], target.id):
        reaching = inference.flow.reaching(use)
        if reaching and not any(binding.node is statement for binding in reaching):
            continue
        call = names.parents.get(use)
        if not isinstance(call, ast.Call) or call.func is not use:
            return []
        calls.append(call)
    return calls


def constructions(inference: Inference, owner: ast.ClassDef) -> list[ast.Call]:
    """The calls in this file that run ``__init__`` of a class: its own, and of classes below it."""
    names = inference.names
    sites = []
    for scope in names.scopes_using(owner.name):
        for use in scope.uses[owner.name]:
            call = names.parents.get(use)
            if isinstance(call, ast.Call) and call.func is use:
                if inference.classes.definition_of(use) is owner:
                    sites.append(call)
    for call in names.method_calls("__init__"):
        assert isinstance(call.func, ast.Attribute)
        receiver = call.func.value
        below = names.enclosing_class(call)
        if isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Name):
            if receiver.func.id == "super" and below is not None and below.bases:
                if inference.classes.definition_of(below.bases[0]) is owner:
                    sites.append(call)
    return sites


def arguments_given(inference: Inference, node: ast.AST) -> list[ast.expr | None]:
    """What each call in this file passes for a parameter; None where that cannot be told."""
    function = inference.names.parents[inference.names.parents[node]]
    if not isinstance(node, ast.arg) or not isinstance(
        function, (ast.FunctionDef, ast.AsyncFunctionDef)
    ):
        return []
    bound = inference.classes.gets_object(function)
    return [argument_for(function, node, s, bound) for s in call_sites(inference, function)]


def parameters_given(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    argument: ast.AST,
    site: ast.Call,
    bound: bool,
) -> tuple[ast.arg, ...]:
    """The parameters for which a call passes an argument: one, where it passes it at all."""
    arguments = function.args
    return tuple(
        parameter
        for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        if argument_for(function, parameter, site, bound) is argument
    )


def argument_for(
    function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
    node: ast.arg,
    site: ast.Call,
    bound: bool,
) -> ast.expr | None:
    """The expression that a call passes for a parameter."""
    for keyword in site.keywords:
        if keyword.arg == node.arg:
            return keyword.value
    positional = [*function.args.posonlyargs, *function.args.args]
    if node not in positional:
        return None
    index = positional.index(node) - (1 if bound else 0)
    if index < 0 or index >= len(site.args):
        return None
    if any(isinstance(argument, ast.Starred) for argument in site.args[: index + 1]):
        return None
    return site.args[index]


def may_take(function: ast.FunctionDef, call: ast.Call, is_bound: bool) -> bool:
    """Whether a function can be called so, as far as its parameters tell."""
    if is_opaque(call):
        return True
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args][is_bound:]
    if len(call.args) > len(positional) and arguments.vararg is None:
        return False
    given = {keyword.arg for keyword in call.keywords}
    given |= {parameter.arg for parameter in positional[: len(call.args)]}
    named = {parameter.arg for parameter in (*positional, *arguments.kwonlyargs)}
    if arguments.kwarg is None and not given <= named:
        return False
    required = positional[: len(positional) - len(arguments.defaults)]
    return {parameter.arg for parameter in required} <= given
