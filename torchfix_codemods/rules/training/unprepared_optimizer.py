"""Optimizers that never call `Optimizer.__init__`: `zero_grad()` and `state_dict()` fail today."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_BASES = frozenset({"torch.optim.Optimizer", "torch.optim.optimizer.Optimizer"})
#: What of the base class reads what its constructor sets, besides ``defaults``.
_METHODS = ("state_dict", "load_state_dict")

#: Methods by which an optimizer asks the one that it wraps.
_HANDS_ON = frozenset({"__getattr__", "__getattribute__"})

#: What a constructor takes all of another optimizer by, or has the base set what it lacks.
_WHOLE = ("__dict__", "__setstate__")


class UnpreparedOptimizer(Rule):
    """
    ## What it does
    Finds optimizers around other ones, such as Lookahead and SWA, whose `__init__` does not call
    that of `torch.optim.Optimizer`.

    ## Why
    Up to torch 1.10 the methods of `Optimizer` needed no more than `param_groups` and `state`.
    Today they read what its constructor sets: `zero_grad()` needs `defaults`, `state_dict()` and
    `load_state_dict()` need the hooks, and raise `AttributeError`.

    ## Example
    ```python
    class Lookahead(Optimizer):
        def __init__(self, base, alpha=0.5, k=6):
            self.base = base
            self.param_groups = base.param_groups
            self.state = defaultdict(dict)
    ```
    is reported: write
    ```python
    class Lookahead(Optimizer):
        def __init__(self, base, alpha=0.5, k=6):
            super().__init__(base.param_groups, base.defaults)
            self.base = base
            self.param_groups = base.param_groups
            self.state = defaultdict(dict)
    ```

    ## Numbers
    Nothing is rewritten: which parameters and defaults the constructor is to get, the code does
    not say.

    ## When it stays its hand
    Where the constructor of any base is called, also by another method, where the class has no
    `__init__`, or a base beside `Optimizer`, where it hands on by `__getattr__` or
    `__getattribute__` what it lacks, where the constructor takes the `__dict__` of another
    optimizer or calls `__setstate__`, and where it has its own `state_dict` and `load_state_dict`,
    also by assignment, which do not call those of the base, and sets `defaults` or has its own
    `zero_grad`.

    ## References
    - https://pytorch.org/docs/stable/optim.html#base-class
    - https://github.com/pytorch/pytorch/blob/main/torch/optim/optimizer.py
    """

    code = "TP609"
    name = "unprepared-optimizer"
    since = "0.1"
    numerics = Numerics.ADVICE
    words = frozenset({"Optimizer"})
    message = (
        "{0} of an optimizer that never calls super().__init__(params, defaults) {1}"
        " AttributeError today: call it before anything else is set"
    )

    def find_ClassDef(self, node: ast.ClassDef, facts: Facts) -> Iterator[Found]:
        if not any(facts.name(base) in _BASES for base in node.bases):
            return
        methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
        constructor = methods.get("__init__")
        if constructor is None or _HANDS_ON & methods.keys() or _may_inherit(node, facts):
            return
        # A method of its own may call what the constructor calls it for.
        if any(_calls(method, "__init__") for method in methods.values()):
            return
        if any(_names(constructor, name) for name in _WHOLE):
            return
        given = {*facts.classes.attribute_names(node)}
        own = methods.keys() | given
        failing = [
            name
            for name in _METHODS
            if name not in own or (name in methods and _calls(methods[name], name))
        ]
        if "zero_grad" not in own and not _sets(constructor, "defaults"):
            failing.insert(0, "zero_grad")
        if failing:
            names = " and ".join(f"{name}()" for name in failing[:2])
            fails = any(_is_called(name, node, facts) for name in failing)
            does = "raise" if len(failing) > 1 else "raises"
            yield self.advice(constructor, self.message.format(names, does), fails=fails)


def _may_inherit(node: ast.ClassDef, facts: Facts) -> bool:
    """Whether another base may bring what the class lacks."""
    return any(
        facts.name(base) not in _BASES and facts.names.builtin(base) != "object"
        for base in node.bases
    )


def _is_called(method: str, cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether a file calls a method of what a class of it makes."""
    for call in facts.names.method_calls(method):
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        made = facts.assigned(receiver) if isinstance(receiver, ast.Name) else None
        if made and all(isinstance(value, ast.Call) for value in made):
            if all(_names_class(value, cls, facts) for value in made):
                return True
    return False


def _names_class(made: ast.expr, cls: ast.ClassDef, facts: Facts) -> bool:
    name = made.func if isinstance(made, ast.Call) else None
    found = facts.names.scope_of(name).lookup(name.id) if isinstance(name, ast.Name) else None
    return found is not None and [binding.node for binding in found[1]] == [cls]


def _calls(method: ast.FunctionDef, name: str) -> bool:
    """Whether a method calls one of that name of something else than ``self.base``."""
    return any(
        isinstance(part, ast.Attribute)
        and part.attr == name
        and (name == "__init__" or isinstance(part.value, ast.Call) or _is_class(part.value))
        for part in own_nodes(method)
    )


def _is_class(node: ast.expr) -> bool:
    """Whether this is ``Optimizer`` of ``Optimizer.state_dict(self)``."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name == "Optimizer"


def _names(method: ast.FunctionDef, name: str) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr == name for part in own_nodes(method))


def _sets(method: ast.FunctionDef, name: str) -> bool:
    return any(
        isinstance(part, ast.Attribute) and part.attr == name and isinstance(part.ctx, ast.Store)
        for part in own_nodes(method)
    )
