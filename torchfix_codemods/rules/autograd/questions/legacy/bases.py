"""Legacy functions that others derive from."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.classes_below import classes_below
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.rules.autograd.questions.legacy.attributes import OF_CONTEXT
from torchfix_codemods.rules.autograd.questions.legacy.functions import methods_of
from torchfix_codemods.text.wording import listed

_MOST_NAMED = 3


def told_of_base(facts: Facts, node: ast.ClassDef) -> str | None:
    """What there is to say of a legacy function that others complete.

    Nobody can call one by itself that leaves methods to them, and what they have of their own goes
    by ``self`` and ``super()``, which static methods have not: how to write them is a matter of
    all of them.

    Args:
        facts: the facts of the module.
        node: a legacy function.

    Returns:
        the sentence; None where nothing is left to others, as far as can be seen.
    """
    elsewhere, deriving = _deriving(facts, node)
    below = [cls for there, cls in deriving if not _has_static_forward(there, cls)]
    is_whole = not any(_left_to_others(facts, node))
    if not any(map(methods_of, below)) and is_whole:
        return None
    names = sorted({cls.name for cls in below})
    others = f" ({_named(names)})" if names and elsewhere is not None else ""
    raising = f"what derives from {node.name}{others} raises where it is called"
    if is_whole:
        raising = f"{node.name} and what derives from it{others} raise where they are called"
    return f"torch 1.5 took away functions without static methods: {raising}"


def leaves_gradient(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether what derives from a function without a backward brings one: ``class Base(Function)``.

    Without its base, nothing would run that.
    """
    return any("backward" in methods_of(cls) for _, cls in _deriving(facts, node)[1])


_Classes = list[tuple[Facts, ast.ClassDef]]


def _deriving(facts: Facts, node: ast.ClassDef) -> tuple[_Classes | None, _Classes]:
    """What derives from a class in other files, as far as that is known, and in all of them."""
    found = classes_below(facts, node)
    elsewhere = None if found is None else [*found]
    here = [(facts, cls) for cls in _deriving_here(facts, node)]
    return elsewhere, [*here, *(elsewhere or ())]


def _named(names: list[str]) -> str:
    shown = names[:_MOST_NAMED]
    return listed(shown) if shown == names else f"{', '.join(shown)}, ..."


def _deriving_here(facts: Facts, node: ast.ClassDef) -> Iterator[ast.ClassDef]:
    for cls in facts.names.nodes.get(ast.ClassDef, ()):
        if isinstance(cls, ast.ClassDef) and cls is not node and node in facts.classes.bases(cls):
            yield cls


def _has_static_forward(facts: Facts, node: ast.ClassDef) -> bool:
    forward = methods_of(node).get("forward")
    return forward is not None and facts.classes.is_static(forward)


def _left_to_others(facts: Facts, node: ast.ClassDef) -> Iterator[str]:
    """The methods that a function calls on ``self``, and neither it nor torch has."""
    own = {*methods_of(node), *facts.classes.attribute_names(node), *OF_CONTEXT}
    for method in methods_of(node).values():
        for call in ast.walk(method):
            function = call.func if isinstance(call, ast.Call) else None
            if isinstance(function, ast.Attribute) and is_self(facts, function.value):
                if function.attr not in own:
                    yield function.attr
