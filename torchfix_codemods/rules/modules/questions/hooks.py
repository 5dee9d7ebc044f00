"""What a backward hook does with the gradients of inputs that it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation import classes_elsewhere
from torchfix_codemods.facts.language.arguments import constant, whole_number
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.questions.named_lines import numbered


def problem_of_hook(facts: Facts, hook: ast.expr) -> str | None:
    """What has to be looked at in a hook before it may get other gradients of inputs."""
    definition = _definition(facts, hook)
    if definition is None or facts.classes.is_wrapped(definition):
        return "look whether the hook relies on what grad_input holds"
    none = none_lines(facts, hook)
    if _returns(definition):
        return "the hook returns a gradient, which is that of the module's input then" + none
    inputs = _name_of_inputs(definition)
    if inputs is None:
        return "look whether the hook relies on what grad_input holds"
    uses = facts.names.scopes[definition].uses.get(inputs, ())
    if not all(_is_kept_whole(facts, use) for use in uses):
        told = told_lines(facts, hook)
        return f"{inputs} has one gradient for each input of the module then{told}"
    return f"{inputs}[0] is that of the module's input then{none}" if none else None


def none_lines(facts: Facts, hook: ast.expr) -> str:
    """The lines of a hook that raise for an input of the module that needs no gradient.

    A batch of data needs none, and the first layer of a model has no other input.
    """
    definition = _definition(facts, hook)
    inputs = None if definition is None else _name_of_inputs(definition)
    if definition is None or inputs is None:
        return ""
    uses = facts.names.scopes[definition].uses.get(inputs, ())
    told = [use for use in uses if _needs_tensor(facts, use)]
    if not told or not all(_is_first(facts, use) for use in uses) or _is_asked(facts, uses):
        return ""
    lines = sorted({facts.origin(use.lineno) for use in told})
    raises = "raises" if len(lines) == 1 else "raise"
    return (
        f"; for an input that needs none, such as data, it is None, and {numbered(lines)} {raises}"
    )


def _is_first(facts: Facts, use: ast.expr) -> bool:
    parent = facts.parent(use)
    return isinstance(parent, ast.Subscript) and parent.value is use and constant(parent.slice) == 0


def _needs_tensor(facts: Facts, use: ast.expr) -> bool:
    """``grad_input[0].norm()``, ``grad_input[0] * 2``."""
    first = facts.parent(use) if _is_first(facts, use) else None
    around = None if first is None else facts.parent(first)
    return isinstance(around, (ast.Attribute, ast.BinOp, ast.Subscript, ast.UnaryOp))


def _is_asked(facts: Facts, uses: Iterable[ast.expr]) -> bool:
    """Whether a hook asks somewhere whether it has a gradient, or catches what is raised."""
    for use in uses:
        below: ast.AST = use
        for above in facts.names.ancestors(use):
            if isinstance(above, (ast.Compare, ast.BoolOp, ast.Try)):
                return True
            if isinstance(above, (ast.If, ast.IfExp, ast.While)) and above.test is below:
                return True
            below = above
    return False


def told_lines(facts: Facts, hook: ast.expr, module: ast.expr | None = None) -> str:
    """The lines of a hook that go by the number of its ``grad_input``, which changes.

    Args:
        facts: the facts of the module.
        hook: the hook that is registered.
        module: what it is registered on; without it, what its ``forward`` takes is not asked.
    """
    definition = _definition(facts, hook)
    inputs = None if definition is None else _name_of_inputs(definition)
    if definition is None or inputs is None:
        return ""
    number = None if module is None else _number_of_inputs(facts, module)
    uses = facts.names.scopes[definition].uses.get(inputs, ())
    told = [use for use in uses if _goes_by_number(facts, use, number)]
    if not told:
        return ""
    lines = numbered(sorted({facts.origin(use.lineno) for use in told}))
    return f", {inputs}[0] alone: look at {lines}" if number == 1 else f": look at {lines}"


def _number_of_inputs(facts: Facts, module: ast.expr) -> int | None:
    """How many inputs the ``forward`` of a module of the project takes."""
    found = classes_elsewhere.method_of(facts.inference, facts.value(module), "forward")
    arguments = None if found is None else found[1].args
    if arguments is None or arguments.vararg is not None or arguments.kwonlyargs:
        return None
    if arguments.kwarg is not None or arguments.defaults:
        return None
    return len(arguments.posonlyargs) + len(arguments.args) - 1


def _goes_by_number(facts: Facts, use: ast.expr, number: int | None) -> bool:
    """``grad_input[1]``, ``bias, x, weight = grad_input``, ``len(grad_input)``.

    What fits the number of inputs, where it is known, does not.
    """
    parent = facts.parent(use)
    if isinstance(parent, ast.Subscript):
        index = whole_number(parent.slice)
        if number is not None and index is not None and -number <= index < number:
            # Of one input the last is the first; of several the old hook had others, too.
            return number > 1 and index < 0
        return parent.value is use and index != 0
    if isinstance(parent, ast.Assign):
        targets = [t for t in parent.targets if isinstance(t, (ast.Tuple, ast.List))]
        return any(len(target.elts) != number for target in targets)
    return isinstance(parent, ast.Call) and facts.names.builtin(parent.func) == "len"


def ignores_inputs(facts: Facts, hook: ast.expr) -> bool:
    """Whether a hook certainly does nothing with its ``grad_input``, nor returns another one."""
    definition = _definition(facts, hook)
    if definition is None or facts.classes.is_wrapped(definition) or _returns(definition):
        return False
    vararg = definition.args.vararg
    # self and the module: gradients are among the rest.
    is_among = vararg is not None and len(definition.args.args) <= 2
    inputs = vararg.arg if is_among and vararg is not None else _name_of_inputs(definition)
    return inputs is not None and not facts.names.scopes[definition].uses.get(inputs)


def _definition(facts: Facts, hook: ast.expr) -> ast.FunctionDef | ast.Lambda | None:
    if isinstance(hook, ast.Lambda):
        return hook
    return classes_elsewhere.function_here(facts.inference, hook)


def _returns(hook: ast.FunctionDef | ast.Lambda) -> bool:
    if isinstance(hook, ast.Lambda):
        return not _is_without_result(hook.body)
    return any(
        isinstance(node, ast.Return) and not _is_none(node.value) for node in own_nodes(hook)
    )


def _name_of_inputs(hook: ast.FunctionDef | ast.Lambda) -> str | None:
    """What a hook calls its ``grad_input``."""
    parameters = [a.arg for a in (*hook.args.posonlyargs, *hook.args.args)]
    return None if len(parameters) < 3 or hook.args.vararg is not None else parameters[-2]


def _is_none(node: ast.expr | None) -> bool:
    return node is None or constant(node) is None


def _is_without_result(body: ast.expr) -> bool:
    """Whether a lambda certainly gives None: it appends, or prints."""
    function = body.func if isinstance(body, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr in container_methods.keeping("list")
    return isinstance(function, ast.Name) and function.id == "print"


def _is_kept_whole(facts: Facts, use: ast.expr) -> bool:
    """Whether a use of ``grad_input`` takes all of it, or the first."""
    parent = facts.parent(use)
    if isinstance(parent, ast.Subscript):
        return _is_first(facts, use)
    return isinstance(parent, ast.Call) and use in parent.args and _hands_over(parent)


def _hands_over(call: ast.Call) -> bool:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("append", "print")
