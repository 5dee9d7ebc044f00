"""How else an attribute could get a graph than its class shows, or a method be another one."""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterable

from torchfix_codemods.facts.evidence.changes import (
    changes_in_place,
    given_in_place,
    may_have_history,
)
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.in_turn import has_below, is_of_others
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Sequence


def may_be_given_more(use: ast.Attribute, stored: list[Binding], facts: Facts) -> bool:
    """Whether a use of an attribute may give it a graph in another way than its class does."""
    around = facts.parent(use)
    if not isinstance(use.ctx, ast.Load):
        return not any(source.node is facts.statement(use) for source in stored)
    if isinstance(around, ast.Subscript) and around.value is use:
        if isinstance(around.ctx, ast.Load):
            return False
        is_item = any(isinstance(facts.value(s.value or use), Sequence) for s in stored)
        return not is_item and not is_put_into(use, facts)
    if isinstance(around, ast.Attribute):
        is_asking = around.attr == "requires_grad" and isinstance(around.ctx, ast.Store)
        return is_asking or changes_in_place(facts.inference, around)
    return False


def is_put_into(use: ast.expr, facts: Facts) -> bool:
    """Whether a use gives a part of a tensor another value: ``x[0] = y``."""
    around = facts.parent(use)
    is_part = isinstance(around, ast.Subscript) and around.value is use
    return is_part and isinstance(getattr(around, "ctx", None), ast.Store)


def is_of_other_object(use: ast.Attribute, owner: ast.ClassDef, facts: Facts) -> bool:
    """Whether ``self.x`` stands in a class whose objects are none of ``owner``.

    They are none where owner is only below classes of libraries, and nothing is below owner.
    """
    around = facts.parent(facts.names.enclosing_function(use) or use)
    if not isinstance(around, ast.ClassDef) or around is owner or not is_self(facts, use.value):
        return False
    if not all(is_of_others(base, facts) for base in owner.bases):
        return False
    return not any(has_below(owner, there) for there in (facts, *others_with(owner.name, facts)))


def written_inside(uses: Collection[ast.expr], is_list: bool, facts: Facts) -> list[Place] | None:
    """What parts of what a name holds are given, and may have a graph: ``y = x[0]; y[1] = net(z)``.

    Args:
        uses: all that reads the name, or the attribute.
        is_list: whether it holds a list, and what lies in it is asked for.
        facts: the facts of their file.

    Returns:
        the values that are written; None where a graph may be written that is out of sight.
    """
    written: list[Place] = []
    starts = [Place(facts, use, ("*",) if is_list else ()) for use in uses]
    trail = follow(starts, functools.partial(_gives_graph, written))
    return written if trail is None else None


def may_be_written_inside(uses: Collection[ast.expr], is_list: bool, facts: Facts) -> bool:
    """Whether a part of what a name holds may get a graph; see :func:`written_inside`."""
    return written_inside(uses, is_list, facts) != []


def _gives_graph(written: list[Place], use: Use) -> Iterable[Place] | None:
    """None for what may write something with a graph into a value, or shows that it has one.

    Else what has the value next.

    What is seen to be written is added to ``written``.
    """
    facts, by, is_inside = use.facts, use.by, bool(use.place.content)
    if use.kind in ("put into", "augmented"):
        if not is_inside and _puts_graph(use):
            if (value := _value_put(use)) is None:
                return None
            written.append(Place(facts, value))
        return use.held() if use.kind == "augmented" else ()
    if use.kind == "attribute":
        return use.result() if isinstance(by, ast.Attribute) and by.attr == "T" else ()
    if use.kind == "method" and isinstance(by, ast.Call) and isinstance(by.func, ast.Attribute):
        if not is_inside and changes_in_place(facts.inference, by.func):
            if (given := given_in_place(facts.inference, by.func)) is None:
                return None
            written += (Place(facts, each) for each in given)
        if not is_inside and by.func.attr == "backward":
            # What is differentiated has a graph, wherever that came from.
            return None
        if not is_inside and container_methods.keeps(by.func.attr):
            return None
        return use.result() if torch_effects.gives_alias(by.func.attr) else ()
    if use.kind == "argument" and isinstance(by, ast.Call):
        is_out = any(k.arg == "out" and k.value is use.node for k in by.keywords)
        return None if is_out else [*use.result(), *use.taken()] if is_inside else use.taken()
    if use.kind == "returned":
        return use.returned()
    if use.kind in ("bound", "iterated", "unpacked"):
        return use.named()
    return use.result() if use.kind in ("chosen", "element", "item") else ()


def _puts_graph(use: Use) -> bool:
    """``x[0] = net(y)``, ``x.requires_grad = True``."""
    if isinstance(use.by, ast.Attribute):
        return use.by.attr == "requires_grad"
    value = _value_put(use)
    return value is None or may_have_history(use.facts.inference, value)


def _value_put(use: Use) -> ast.expr | None:
    """``v`` of ``x[0] = v`` and ``x += v``; None of what asks for gradients, or is not seen."""
    value = getattr(use.facts.statement(use.node), "value", None)
    return value if isinstance(value, ast.expr) and not isinstance(use.by, ast.Attribute) else None
