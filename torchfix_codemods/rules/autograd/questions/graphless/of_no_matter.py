"""Where a graph is of no matter: what is made of a tensor is a mask, an index or a number."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument, constant, values_given
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.libraries import python_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import has_out, is_fresh, is_in_place
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Array, Module, Sequence, Tensor
from torchfix_codemods.rules.autograd.questions.graphless.switched_off import (
    gives_new,
    is_without_grad,
)
from torchfix_codemods.rules.autograd.questions.graphless.unknown_modules import is_of_unknown_class
from torchfix_codemods.rules.autograd.questions.graphless.wrapped_modules import module_run
from torchfix_codemods.rules.autograd.questions.new_tensors import (
    asks_for_numbers,
    gives_fresh_tensor,
    is_query,
    is_used_for_new,
)
from torchfix_codemods.rules.autograd.questions.whole_numbers import takes_index

_PICTURES = ("torchvision.utils.make_grid", "torchvision.utils.save_image")
_SUSPENDING = (ast.Yield, ast.YieldFrom, ast.Await)


def is_graph_of_no_matter(node: ast.expr, facts: Facts) -> bool:
    """Whether nobody could tell if a tensor came with the graph that it may be part of.

    That is where all that is made of it has none: masks, indices, numbers. Under ``no_grad``
    nothing that is calculated has one, also in the functions that are given the tensor.

    Args:
        node: an expression whose value is a tensor that nothing is written into.
        facts: the facts of the module.
    """
    return follow([Place(facts, node)], functools.partial(_may_tell, node, facts)) is None


def is_given_for_new(node: ast.expr, facts: Facts) -> bool:
    """``net(Variable(x))`` under ``no_grad``, where net certainly calculates what it gives.

    Also ``net((Variable(x), h))``, and what an operation makes another tensor of.

    Args:
        node: the expression whose graph may be left on.
        facts: the facts of the module.
    """
    if not is_without_grad(node, facts):
        return False
    given = node
    while isinstance(around := facts.parent(given), (ast.Tuple, ast.List)):
        given = around
    is_argument = isinstance(around, ast.Call) and given in values_given(around)
    if isinstance(around, ast.Call) and is_argument and _is_module(around, facts):
        return gives_new(around, facts)
    return is_used_for_new(facts, node)


def _is_module(call: ast.Call, facts: Facts) -> bool:
    module = module_run(call.func, facts)
    return isinstance(module, Module) or is_of_unknown_class(module, call, facts)


def _may_tell(start: ast.expr, home: Facts, use: Use) -> Iterable[Place] | None:
    """None for what keeps or shows a graph; else what has the tensor, or its graph, next."""
    facts, by = use.facts, use.by
    is_off = _runs_without_grad(start, home, use)
    if use.kind in ("bound", "unpacked", "iterated"):
        return _of_named(start, use, is_off)
    if use.kind == "element":
        return use.result() if is_off else None
    if use.kind == "argument" and isinstance(by, ast.Call):
        return _of_argument(use, by, is_off)
    if use.kind == "item":
        return use.result()
    if use.place.content:
        return None
    if use.kind == "compared":
        return () if asks_for_numbers(by, facts) else None
    if use.kind == "index":
        # The key of a dict is looked up as the object that it is.
        is_part = isinstance(by, ast.Subscript) and _has_parts(facts, by.value)
        return () if is_part or isinstance(facts.parent(use.node), ast.Slice) else None
    if use.kind == "tested":
        return () if isinstance(by, (ast.If, ast.While, ast.Assert, ast.UnaryOp)) else None
    if use.kind == "operand":
        return () if is_off else use.result()
    if use.kind == "added":
        return () if is_off else None
    if use.kind == "attribute" and isinstance(by, ast.Attribute):
        # That x.data has none is no reason: it may go for the sake of this.
        return () if is_query(by.attr) else use.result() if by.attr == "data" else None
    if use.kind == "method" and isinstance(by, ast.Call) and isinstance(by.func, ast.Attribute):
        return _of_operation(use, by, by.func.attr, is_off)
    return None


def _runs_without_grad(start: ast.expr, home: Facts, use: Use) -> bool:
    """Whether nothing is recorded where a value is used: under the ``no_grad`` that it comes from,
    or in a function that is called there."""
    if not is_without_grad(start, home):
        return False
    facts, function = use.facts, use.facts.names.enclosing_function(use.node)
    if facts is home and function is home.names.enclosing_function(start):
        return is_without_grad(use.node, facts)
    if function is None or facts.speaks_of("enable_grad") or facts.speaks_of("set_grad_enabled"):
        return False
    return not any(isinstance(node, _SUSPENDING) for node in own_nodes(function))


def _has_parts(facts: Facts, node: ast.expr) -> bool:
    return isinstance(facts.value(node), (Tensor, Array))


def _of_named(start: ast.expr, use: Use, is_off: bool) -> Iterable[Place] | None:
    """A name may hold what has no graph; of values and indices also the values, if unread.

    So may one of a function that held the tensor itself before: no other name is left for it.
    """
    names = [target for target, _ in use.targets() if isinstance(target, ast.Name)]
    if not names or len(names) != len(list(use.targets())):
        return None
    read = list(use.named())
    is_unread = bool(use.place.content) and not any(_is_seen(n, use.facts) for n in names)
    is_renewed = all(_is_renewed(name, start, use.facts) for name in names)
    return read if is_off or is_renewed or (is_unread and not read) else None


def _is_renewed(name: ast.Name, start: ast.expr, facts: Facts) -> bool:
    """``labels = Variable(labels)``, of a function."""
    inside = values_given(start)[:1] if isinstance(start, ast.Call) else []
    statement = facts.statement(name)
    is_whole = isinstance(statement, ast.Assign) and statement.value is start
    found = facts.names.scope_of(name).lookup(name.id)
    is_own = found is not None and found[0].kind == "function"
    return is_whole and is_own and any(isinstance(x, ast.Name) and x.id == name.id for x in inside)


def _is_seen(name: ast.Name, facts: Facts) -> bool:
    """Whether another file may read a name: no name of a function."""
    found = facts.names.scope_of(name).lookup(name.id)
    is_own = found is not None and found[0].kind == "function"
    return not is_own and facts.is_used_elsewhere(name.id)


def _of_argument(use: Use, call: ast.Call, is_off: bool) -> Iterable[Place] | None:
    facts, method = use.facts, call.func
    if not use.place.content and takes_index(call, use.node, facts):
        return ()
    name = facts.name(method)
    if name is not None and not use.parameters():
        if name in _PICTURES:
            return _of_pictures(use, call, name) if is_off else None
        return _of_operation(use, call, name, is_off) if name.startswith("torch.") else None
    builtin = facts.names.builtin(method)
    if builtin is not None:
        # float(x) of what requires gradients warns of it.
        is_number = is_off and python_functions.makes_number(builtin)
        is_read = is_number or builtin in ("len", "isinstance")
        return () if is_read and not use.place.content else None
    if is_off and is_fresh(call, facts):
        return ()
    if isinstance(method, ast.Attribute) and facts.is_tensor(method.value):
        if torch_effects.only_reads_arguments(method.attr):
            return ()
        return _of_operation(use, call, method.attr, is_off)
    return use.taken() if use.parameters() else None


def _of_pictures(use: Use, call: ast.Call, name: str) -> Iterable[Place]:
    """Pictures go into a file, or are copied into a grid, but for one that is a grid by itself."""
    is_normalized = constant(argument(call, 3, "normalize")) is True
    is_copied = is_normalized or bool(use.place.content)
    return () if is_copied or name == "torchvision.utils.save_image" else use.result()


def _of_operation(use: Use, call: ast.Call, name: str, is_off: bool) -> Iterable[Place] | None:
    """What an operation of torch makes of a tensor: nothing with a graph, another tensor, or it."""
    if has_out(call) or is_in_place(name, call) or torch_effects.writes(name):
        return None
    if torch_effects.leaves_torch(name):
        # Arrays, which share its memory, refuse a tensor that requires gradients.
        return None if torch_effects.may_share(name) else ()
    if torch_effects.has_no_graph(name) and not torch_effects.may_do(name, "autograd"):
        return ()
    if gives_fresh_tensor(name):
        return () if is_off else _recorded(use, call, name)
    return use.result() if torch_effects.gives_alias(name) else None


def _recorded(use: Use, call: ast.Call, name: str) -> Iterable[Place]:
    """What has a graph of what a call gives: of values and their indices only the values."""
    is_pair = torch_effects.gives_indices(name) and isinstance(use.facts.value(call), Sequence)
    return [Place(use.facts, call, (0,))] if is_pair else use.result()
