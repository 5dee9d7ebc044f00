"""``Variable(x.data, requires_grad=True)``: leaves that are made in the memory of other tensors."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import is_fresh
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.rules.autograd.questions.named_data import is_wrapped
from torchfix_codemods.rules.autograd.questions.reads import may_write
from torchfix_codemods.rules.autograd.questions.wrapped.just_made import loops_around, other_reads

#: What a leaf is asked for that is no memory of it.
_OF_LEAVES = frozenset({"grad", "requires_grad", "is_leaf"})


def leaf_made_of(node: ast.Attribute, facts: Facts) -> ast.Call | None:
    """The call that makes a leaf of ``x.data``: the wrapper, or ``x.data.requires_grad_()``."""
    call = facts.parent(node)
    if isinstance(call, ast.Call) and is_wrapped(node, facts):
        requires_grad = argument(call, 1, "requires_grad")
        is_leaf = requires_grad is not None and constant(requires_grad) is not False
        return call if is_leaf else None
    made = facts.parent(call) if isinstance(call, ast.Attribute) else None
    if not isinstance(made, ast.Call) or getattr(call, "attr", "") != "requires_grad_":
        return None
    return None if made.args or made.keywords or made.func is not call else made


def is_leaf_only_read(leaf: ast.expr, facts: Facts) -> bool:
    """Whether nothing writes into the memory of a leaf: no optimizer, and nothing by its ``.data``.

    Networks that are not known do not: torch refuses to write into a leaf that requires gradients.

    Args:
        leaf: the expression that makes it.
        facts: the facts of the module.
    """
    return follow([Place(facts, leaf)], _may_write_leaf) is None


def is_missed_by_none(leaf: ast.expr, data: ast.expr, facts: Facts) -> bool:
    """Whether no graph misses what may be written into the memory of a leaf.

    None does where nothing is, nor where it is returned, made of what was calculated just before
    and no other line reads, whose graph ends there: ``loss = torch.mean(x)`` above ``return
    Variable(loss.data, requires_grad=True)``.

    Args:
        leaf: the expression that makes it.
        data: what it is made of: ``x.data``.
        facts: the facts of the module.
    """
    tensor = data.value if isinstance(data, ast.Attribute) else data
    if isinstance(facts.statement(leaf), ast.Return) and _is_only_there(tensor, facts):
        return True
    return is_leaf_only_read(leaf, facts)


def _is_only_there(tensor: ast.expr, facts: Facts) -> bool:
    """Whether a name of a function is read once, of what has memory of its own."""
    if not isinstance(tensor, ast.Name) or other_reads(tensor, facts):
        return False
    holder, loops = facts.names.scope_of(tensor).lookup(tensor.id), loops_around(tensor, facts)
    bindings = facts.flow.reaching(tensor)
    is_own = holder is not None and holder[0].kind == "function" and bool(bindings)
    return is_own and all(
        binding.kind == "assign"
        and not (binding.is_shared or binding.path)
        and binding.value is not None
        and _has_own_memory(binding.value, facts)
        and loops <= loops_around(binding.node, facts)
        for binding in bindings
    )


def _has_own_memory(node: ast.expr, facts: Facts) -> bool:
    is_negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    return is_fresh(node, facts) or (is_negative and facts.is_tensor(node))


_may_write = functools.partial(may_write, False)


def _may_write_leaf(use: Use) -> Iterable[Place] | None:
    if use.kind == "attribute":
        attribute = use.by.attr if isinstance(use.by, ast.Attribute) else ""
        return () if attribute in _OF_LEAVES else _without_guard(use, attribute)
    if use.kind == "method" and isinstance(use.by, ast.Call):
        method = getattr(use.by.func, "attr", "")
        return use.result() if method == "requires_grad_" else _without_guard(use, method)
    if use.kind == "argument" and isinstance(use.by, ast.Call) and not use.parameters():
        if not use.place.content and _is_network(use.by.func, use.facts):
            return ()
    return _may_write(use)


def _without_guard(use: Use, asked: str) -> Iterable[Place] | None:
    """What is asked of a leaf: nothing guards what has its memory and requires no gradients."""
    if asked not in ("data", "detach"):
        return _may_write(use)
    return () if follow(use.result(), _may_write) is None else None


def _is_network(called: ast.expr, facts: Facts) -> bool:
    """Whether what is called is a network, or an object that a name or an attribute was given."""
    if isinstance(facts.value(called), Module):
        return True
    if facts.name(called) is not None:
        return False
    if isinstance(called, ast.Attribute):
        held = facts.names.attributes(called.attr)
        return any(isinstance(each.ctx, ast.Store) for each in held)
    found = None
    if isinstance(called, ast.Name):
        found = facts.names.scope_of(called).lookup(called.id)
    return found is not None and all(b.kind in ("assign", "parameter") for b in found[1])
