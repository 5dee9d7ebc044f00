"""`register_backward_hook` does not see the gradients of the module's inputs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.guards import is_guarded
from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Number, Unknown, Value
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.modules.questions.hooks import (
    ignores_inputs,
    none_lines,
    problem_of_hook,
    told_lines,
)

_NEW = "register_full_backward_hook"
#: In alexnet, vgg, resnet, densenet and squeezenet such comes behind each convolution.
_GIVES = "gives that of its inputs, where nothing changes its input or its output in place"
_OF_OTHERS = f", which is all of a convolution or an activation; of others {_NEW} {_GIVES}"

_OF_ONE_OPERATION = frozenset(
    "ReLU ReLU6 LeakyReLU ELU SELU Sigmoid Tanh Conv1d Conv2d Conv3d BatchNorm2d".split()
)


class BackwardHook(Rule):
    """
    ## What it does
    Writes `register_full_backward_hook` for `register_backward_hook`, where the hook only looks
    at the gradients.

    ## Why
    The old method puts the hook on the last operation of the module: its `grad_input` are the
    gradients of that operation's inputs (bias, input and weight of a `Linear`), not of the
    module's. It is deprecated since torch 1.8.

    ## Example
    ```python
    def keep(module, grad_input, grad_output):
        seen.append(grad_output[0])

    net.fc.register_backward_hook(keep)
    ```
    becomes
    ```python
    net.fc.register_full_backward_hook(keep)
    ```

    ## Numbers
    Changed in the hook only: `grad_input` holds the gradients of the module's inputs, one for
    each of them, `None` where they need none. Outputs, losses and gradients of parameters stay.

    ## When it stays its hand
    Where the hook returns something (it then changes the gradients), or picks a gradient of its
    `grad_input` by another index than 0: what stands there has changed. Where it calculates with
    the first and does not ask for None, which that is for a module that is fed data; the finding
    names the line. Where the module, or what is done with its output, may not be all of this file's
    own and free of in-place operations: the new hook makes torch refuse these. The finding then
    says what both hooks give. Nothing is said of a hook that certainly does nothing with
    `grad_input`, nor on an activation, a convolution or a `BatchNorm2d`: those are one operation.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook
    - https://github.com/pytorch/pytorch/releases/tag/v1.8.0
    """

    code = "TP702"
    name = "backward-hook"
    since = "1.8"
    numerics = Numerics.CHANGED
    words = frozenset({"register_backward_hook"})
    message = "grad_input of this hook is that of the module's last operation"
    moves = frozenset({"print", "save", "test", "final"})

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr not in self.words:
            return
        receiver = facts.value(function.value)
        if not isinstance(receiver, (Module, Unknown)) or is_guarded(facts, call, _NEW):
            return
        if function.attr in method_names(facts.names) or is_opaque(call) or len(call.args) != 1:
            return
        hook = call.args[0]
        problem = problem_of_hook(facts, hook)
        is_own = isinstance(receiver, Module) and _is_own(facts, function)
        if problem is None and is_own:
            yield self.found(function)
        elif not _is_one_operation(receiver) and not ignores_inputs(facts, hook):
            if is_own:
                written = f"{facts.segment(function.value)}.{_NEW}({facts.segment(hook)})"
                yield self.advice(call, f"{self.message}; write {written}: {problem}")
            else:
                told = told_lines(facts, hook, function.value)
                differs = f"; {_NEW} {_GIVES}, one for each of them{told}"
                others = _OF_OTHERS + none_lines(facts, hook)
                yield self.advice(call, self.message + (differs if told else others))

    def leave_Attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.Attribute:
        return updated.with_changes(attr=cst.Name(_NEW))


def _is_one_operation(receiver: Value) -> bool:
    """Whether a module is one operation, the last of which is the first, too."""
    return str(getattr(receiver, "cls", "")).removeprefix("torch.nn.") in _OF_ONE_OPERATION


def _is_own(facts: Facts, function: ast.Attribute) -> bool:
    """Whether all that touches the output of a module is in this file, and not in place."""
    owner = facts.names.enclosing_class(function)
    if owner is not None and facts.is_used_elsewhere(owner.name):
        return False
    for node in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(node, ast.Call)
        value = facts.value(node)
        if isinstance(value, Module) and (value.origin is not None or _is_in_place(node)):
            return False
        name = facts.name(node.func) or ""
        is_functional = name.startswith("torch.nn.functional.")
        if (is_functional and _is_in_place(node)) or not _is_of_known_origin(name):
            return False
    return not _changes_in_place(facts)


def _is_of_known_origin(name: str) -> bool:
    """Whether a function is no maker of models from another library."""
    return not name.startswith(("torchvision.models", "torch.hub", "timm", "transformers"))


def _is_in_place(call: ast.Call) -> bool:
    """Whether something is told to work in place: ``inplace=True``, ``ReLU(True)``."""
    if any(constant(argument) is True for argument in call.args):
        return True
    return any(k.arg == "inplace" and constant(k.value) is not False for k in call.keywords)


def _changes_in_place(facts: Facts) -> bool:
    """Whether something that may be the output of a module is changed in place."""
    for statement in facts.names.nodes.get(ast.AugAssign, ()):
        assert isinstance(statement, ast.AugAssign)
        if not _adds_to_number(facts, statement):
            return True
    return any(_is_change(node) for method in _methods(facts) for node in own_nodes(method))


def _adds_to_number(facts: Facts, statement: ast.AugAssign) -> bool:
    """``correct += 1``, ``self.steps += 1``, ``total += loss.item()``."""
    target = statement.target
    if not isinstance(facts.value(statement.value), Number):
        return False
    if not isinstance(target, ast.Name):
        return isinstance(target, ast.Attribute)
    before = facts.flow.reaching_before(statement, target.id)
    values = [binding.value for binding in before if binding.kind != "augassign"]
    return bool(values) and all(isinstance(facts.value(v), Number) for v in values if v)


def _methods(facts: Facts) -> Iterator[ast.FunctionDef]:
    for node in facts.names.nodes.get(ast.ClassDef, ()):
        assert isinstance(node, ast.ClassDef)
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef) and statement.name != "__init__":
                yield statement


def _is_change(node: ast.AST) -> bool:
    """``x[i] = 0``, ``x.mul_(2)``."""
    if isinstance(node, ast.Subscript):
        return not isinstance(node.ctx, ast.Load)
    name = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else ""
    return name.endswith("_") and not name.endswith("__")
