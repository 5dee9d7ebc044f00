"""A module is called, not its `forward`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.evaluation.classes_elsewhere import has_known_bases_only, method_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rule import TRAINING, Found, Rule

#: What puts hooks on modules. The norms of ``torch.nn.utils`` and pruning are hooks, too.
_HOOKS = lazy_pattern(r"\bregister_\w*hook\b|\b(?:weight|spectral)_norm\b|\bprune\b")


class ForwardCall(Rule):
    """
    ## What it does
    Calls the module instead of its method `forward`.

    ## Why
    `model(x)` runs the module's hooks around `forward`; `model.forward(x)` silently skips them.
    Weight norm, spectral norm and pruning work by such hooks, as do most profilers and feature
    extractors.

    ## Example
    ```python
    output = model.forward(images)
    ```
    becomes
    ```python
    output = model(images)
    ```

    ## Numbers
    Identical where the module has no hooks. In a file that registers hooks or uses `weight_norm`,
    `spectral_norm` or `prune`, the rewrite is marked as one that changes numbers: the hooks run
    now.

    ## When it stays its hand
    On `super().forward(x)` and `Base.forward(self, x)`, on a module's own `forward` calling itself,
    on classes that define `__call__` or inherit from classes of other files besides `nn.Module`,
    on `Function.forward`, and on everything that is not certainly an `nn.Module`; without hooks in
    the file, also in a function that calls `forward` of such a thing beside.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.forward
    """

    code = "TP604"
    name = "forward-call"
    since = "0.1"
    numerics = Numerics.IDENTICAL
    moves = TRAINING
    words = frozenset({"forward"})
    message = "call the module, not its forward: hooks run only then"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr != "forward":
            return
        module = facts.value(function.value)
        if not isinstance(module, Module) or _may_define_call(facts, module):
            return
        if _is_self_in_forward(facts, function.value) or _is_scripted(facts, call):
            return
        if facts.remembered("hooks", lambda: _HOOKS.search(facts.text) is not None):
            message = "calls the module, so that its hooks run, too"
            yield self.found(call, message, numerics=Numerics.CHANGED)
        elif not _stands_beside_unknown(facts, call):
            yield self.found(call)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        if not isinstance(updated.func, cst.Attribute):
            return updated
        return updated.with_changes(func=updated.func.value)


def _may_define_call(facts: Facts, module: Module) -> bool:
    """Whether calling the module may be something else than ``nn.Module.__call__``."""
    definition = module.definition
    if module.origin is not None:
        own = method_of(facts.inference, module, "__call__")
        return own is not None or not has_known_bases_only(facts.inference, module)
    if module.cls is None and any(
        definition is None or definition in facts.classes.bases(cls)
        for cls in _classes_with_call(facts)
    ):
        return True
    return definition is not None and not all(
        _is_known_base(facts, base) for cls in facts.classes.bases(definition) for base in cls.bases
    )


def _classes_with_call(facts: Facts) -> Iterator[ast.ClassDef]:
    """The classes of the file that define or inherit ``__call__`` and may be modules."""
    for cls in facts.names.nodes.get(ast.ClassDef, ()):
        assert isinstance(cls, ast.ClassDef)
        if facts.classes.kind(cls) != "plain" and facts.classes.method(cls, "__call__"):
            yield cls


def _is_known_base(facts: Facts, base: ast.expr) -> bool:
    if facts.classes.definition_of(base) is not None:
        return True
    name = facts.name(base) or ""
    return name.startswith("torch.nn.") or (isinstance(base, ast.Name) and base.id == "object")


def _is_self_in_forward(facts: Facts, receiver: ast.expr) -> bool:
    """``self.forward(…)`` inside the method ``forward`` itself, at any depth."""
    if not isinstance(receiver, ast.Name):
        return False
    return any(
        isinstance(parent, ast.FunctionDef)
        and parent.name == "forward"
        and facts.classes.self_name(parent) == receiver.id
        for parent in facts.names.ancestors(receiver)
    )


def _stands_beside_unknown(facts: Facts, call: ast.Call) -> bool:
    """Whether a function calls ``forward`` of what may be a module as well, which has to stay.

    The function around the call, or another one of the class that calls it of the same thing.
    """
    names = facts.names
    receivers = {
        each: each.func.value
        for each in names.method_calls("forward")
        if isinstance(each.func, ast.Attribute)
    }
    owner, own = names.enclosing_class(call), ast.dump(receivers[call])
    around = {names.enclosing_function(call)} | {
        names.enclosing_function(other)
        for other, receiver in receivers.items()
        if owner is not None and owner is names.enclosing_class(other) and ast.dump(receiver) == own
    }
    return any(
        _may_be_module(facts, receiver)
        for other, receiver in receivers.items()
        if names.enclosing_function(other) in around
    )


def _may_be_module(facts: Facts, receiver: ast.expr) -> bool:
    if isinstance(receiver, ast.Call) and facts.names.builtin(receiver.func) == "super":
        return False
    is_class = facts.name(receiver) is not None or facts.classes.definition_of(receiver) is not None
    return not is_class and type(facts.value(receiver)) is Unknown


def _is_scripted(facts: Facts, call: ast.Call) -> bool:
    """Whether TorchScript compiles the function, which knows other rules for ``self(…)``."""
    function = facts.names.enclosing_function(call)
    return function is not None and any(
        (facts.name(decorator) or "").startswith("torch.jit.")
        for decorator in function.decorator_list
    )
