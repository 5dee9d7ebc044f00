"""What code trains, or might: what must never run under ``no_grad``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator

from torchfix_codemods.facts.evaluation import classes_elsewhere
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.foreign import TRANSPARENT, is_foreign
from torchfix_codemods.facts.language.nodes import children, walk
from torchfix_codemods.facts.libraries import container_methods, torch_effects, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.called import calls_reached, functions_run
from torchfix_codemods.facts.paths.named import function_named, function_run
from torchfix_codemods.facts.paths.wrapping import (
    comes_with_variables,
    computes_nothing,
    is_made_for_variable,
    is_moved_for_variable,
)
from torchfix_codemods.facts.programs.cut_off import cuts, reads_detached
from torchfix_codemods.facts.programs.torchless import (
    calculates_nothing,
    is_for_torchless,
    knows_no_torch,
)
from torchfix_codemods.facts.programs.training_calls import is_training_call
from torchfix_codemods.facts.tensors.integers import is_used_as_index
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import (
    Array,
    Batch,
    Device,
    Foreign,
    Instance,
    Loader,
    LoaderIterator,
    Mapping,
    Module,
    NoneValue,
    Number,
    Optimizer,
    Scheduler,
    Sequence,
    Size,
    StateDict,
    Tensor,
    Text,
    Unknown,
    Value,
)

#: Methods that of unknown objects are taken to be containers', texts', files' and loggers'.
_PLAIN_METHODS = frozenset(
    """append extend insert pop items keys values join split strip replace startswith endswith
    lower upper format write flush close read readline size numpy item tolist dim numel eval get
    __getitem__ __len__
    info debug warning add_scalar set_description set_postfix isoformat total_seconds step reset
    render""".split()
)

_PLAIN_VALUES = (
    Array,
    Batch,
    Device,
    Foreign,
    Loader,
    LoaderIterator,
    Module,
    NoneValue,
    Number,
    Optimizer,
    Scheduler,
    Size,
    StateDict,
    Text,
)


def trains(
    nodes: Iterable[ast.AST],
    facts: Facts,
    but: Collection[ast.Call] = (),
    by: Callable[[ast.Call, Facts], bool] = is_training_call,
) -> bool:
    """Whether code back-propagates or steps an optimizer, itself or by one of the project.

    Args:
        nodes: the code.
        facts: the facts of the module.
        but: calls in it that do not count.
        by: which calls count.
    """
    seen = set[tuple[ast.Call, ...]]()
    pending: list[tuple[Facts, Iterable[ast.Call]]] = [(facts, _calls(nodes))]
    while pending:
        there, calls = pending.pop()
        for call in calls:
            if call in but:
                continue
            if by(call, there):
                return True
            for called in functions_run(call, there):
                reached = calls_reached(called, call, there)
                if reached not in seen:
                    seen.add(reached)
                    pending.append((called[0], reached))
    return False


def is_harmless(
    roots: Iterable[ast.AST],
    needs_no_graph: Collection[ast.expr],
    facts: Facts,
    off: Collection[ast.Call] = (),
) -> bool:
    """Whether code can run under ``no_grad``: it neither trains nor computes what needs a graph.

    Args:
        roots: statements.
        needs_no_graph: expressions in them whose results need none; only what is known to train
            counts there.
        facts: the facts of the module.
        off: calls in them that do not run while no graph is recorded.
    """
    roots = list(roots)
    if trains(roots, facts, off):
        return False
    left_out = {*needs_no_graph, *off}
    for root in roots:
        for node in _outside(root, left_out):
            if isinstance(node, ast.Call) and not _is_plain_call(node, facts):
                return False
            if isinstance(node, (ast.BinOp, ast.UnaryOp)) and not _is_plain_operation(node, facts):
                return False
            if _keeps_part_of_parameter(node, facts):
                return False
    return True


def _keeps_part_of_parameter(node: ast.AST, facts: Facts) -> bool:
    """``row = layer.weight[0]``, ``y += layer.weight``: of what requires gradients, it does so."""
    if isinstance(node, ast.AugAssign):
        part: ast.expr = node.value
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        part = node.value
    elif isinstance(node, ast.Attribute) and torch_effects.gives_alias(node.attr):
        part = node.value
    else:
        return False
    is_kept = isinstance(node, ast.AugAssign) or isinstance(facts.parent(node), _KEEPING)
    value = facts.value(part) if is_kept else None
    return isinstance(value, Tensor) and value.leaf_module is not None and value.grad is not False


#: What an expression stands in that something else may have afterwards.
_KEEPING = (ast.Assign, ast.AnnAssign, ast.Dict, ast.List, ast.Return, ast.Tuple)


def _outside(root: ast.AST, left_out: Collection[ast.expr]) -> Iterator[ast.AST]:
    """The nodes below ``root``, without those of the expressions in ``left_out``.

    Nor the operations whose graph ``….data`` cuts off: ``x.squeeze().data`` keeps nothing of it.
    """
    pending = [(root, False)]
    while pending:
        node, is_cut = pending.pop()
        if node in left_out:
            continue
        if not is_cut or not _is_operation(node):
            yield node
        is_cut = (is_cut and _is_operation(node)) or cuts(node)
        pending.extend((child, is_cut) for child in children(node))


def _is_operation(node: ast.AST) -> bool:
    """Whether a node computes a tensor of others, and calls nothing but a method of theirs."""
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.expr)
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    return torch_table.is_method(method) or computes_nothing(method)


def _calls(nodes: Iterable[ast.AST]) -> Iterable[ast.Call]:
    return (n for root in nodes for n in walk(root) if isinstance(n, ast.Call))


def called_function(call: ast.Call, facts: Facts) -> ast.FunctionDef | None:
    """The function or method of this file that a call runs."""
    return classes_elsewhere.function_here(facts.inference, call.func)


def _is_plain_call(call: ast.Call, facts: Facts) -> bool:
    """Whether a call certainly does no training, and gives nothing with a history."""
    if _is_builtin(call.func, facts):
        # Its arguments are looked at on their own, unless it calls one of them.
        return facts.names.builtin(call.func) != "map" or not _maps_module(call, facts)
    value = facts.value(call)
    if is_moved_for_variable(call, facts) or is_made_for_variable(call, facts):
        return True
    if _is_of_batch(call, facts) or calculates_nothing(call, facts):
        return True
    if knows_no_torch(call, facts) or facts.name(call.func) in TRANSPARENT:
        # Of what is handed on, too, the arguments are looked at on their own.
        return True
    if isinstance(call.func, ast.Attribute) and container_methods.only_reads(call.func.attr):
        if isinstance(facts.value(call.func.value), (Mapping, Sequence)):
            return True
    if _is_plain(value) or reads_detached(call) or _gets_plain_arguments(call, facts):
        return _is_seen(call, facts) or _is_plain_method_elsewhere(call, facts)
    if not isinstance(value, Unknown):
        return False
    name = facts.name(call.func)
    if name is not None:
        return is_foreign(name) or name.startswith(_PLAIN_NAMES)
    return isinstance(call.func, ast.Attribute) and call.func.attr in _PLAIN_METHODS


def _is_builtin(function: ast.expr, facts: Facts) -> bool:
    """A function of Python's, also by a name for it: ``xrange = range``."""
    if facts.names.builtin(function) is not None:
        return True
    assigned = facts.assigned(function) if isinstance(function, ast.Name) else None
    return bool(assigned) and all(facts.names.builtin(one) is not None for one in assigned or ())


def _maps_module(call: ast.Call, facts: Facts) -> bool:
    """``map(net, inputs)``, which calls the module."""
    return bool(call.args) and isinstance(facts.value(call.args[0]), Module)


def _is_of_batch(call: ast.Call, facts: Facts) -> bool:
    """``label.max(1)`` of ``for data, label in loader:``, where ``data`` becomes a Variable.

    A loader gives what has no graph: nothing else could become a Variable.
    """
    node: ast.AST = call
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        if isinstance(node, ast.Call):
            if not all(isinstance(given, ast.Constant) for given in values_given(node)):
                return False
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and comes_with_variables(node, facts)


def _is_plain_method_elsewhere(call: ast.Call, facts: Facts) -> bool:
    """``storage.insert(x)`` of another file, where not all it calls can be seen, but no training.

    As of a storage that nobody knows, its name says that it is none of a module's.
    """
    found = function_named(call.func, facts)
    is_here = found is None or found[0] is facts
    return not is_here and isinstance(call.func, ast.Attribute) and call.func.attr in _PLAIN_METHODS


#: Functions of torch that compute nothing; the dot at the end stands for all of a module.
_PLAIN_NAMES = (
    "numpy.",
    "torch.cuda.",
    "torch.load",
    "torch.manual_seed",
    "torch.save",
    "torch.set_",
    "torchvision.",
)


def _gets_plain_arguments(call: ast.Call, facts: Facts) -> bool:
    """``torch.max(output.data, 1)``, and ``accuracy(output.data, target)`` of the project where no
    module is called in it either."""
    given = values_given(call)
    if not all(_is_plain(facts.value(a)) or reads_detached(a) for a in given):
        return False
    if _makes_object(call, facts) and function_run(call.func, facts) is None:
        # ``AverageMeter()`` of a class without a constructor.
        return True
    found = _function_inside(call, facts)
    if found is None or isinstance(facts.value(call.func), Module):
        name = facts.name(call.func) or ""
        is_function = name.startswith("torch.") and name.count(".") == 1
        return bool(given) and (is_function or name.startswith("torch.nn.functional."))
    there, called = found
    return not any(isinstance(there.value(c.func), Module) for c in _calls(called.body))


def _function_inside(call: ast.Call, facts: Facts) -> tuple[Facts, ast.FunctionDef] | None:
    """The function of the project that a call runs; of a plain class its constructor."""
    find = function_run if _makes_object(call, facts) else function_named
    return find(call.func, facts)


def _makes_object(call: ast.Call, facts: Facts) -> bool:
    """Whether a call makes an object of a class of the project that is no module."""
    value = facts.value(call)
    return isinstance(value.value if isinstance(value, Imported) else value, Instance)


def _is_plain(value: Value) -> bool:
    if isinstance(value, Tensor):
        return value.grad is False
    if isinstance(value, (Sequence, Mapping)):
        parts = value.items if isinstance(value, Sequence) and value.items else (value.element,)
        return all(_is_plain(part) for part in parts)
    return isinstance(value, _PLAIN_VALUES)


def _is_seen(call: ast.Call, facts: Facts, seen: frozenset[ast.AST] = frozenset()) -> bool:
    """Whether all that a function of the project calls can be seen not to train."""
    found = _function_inside(call, facts)
    if found is None or found[1] in seen:
        return True
    facts, called = found
    for inner in _calls(called.body):
        name = facts.name(inner.func)
        if function_named(inner.func, facts) is None and name is None:
            callee = facts.value(inner.func)
            is_builtin = facts.names.builtin(inner.func) is not None
            is_method = isinstance(inner.func, ast.Attribute) and (
                not isinstance(facts.value(inner.func.value), Unknown)
                or inner.func.attr in _PLAIN_METHODS
            )
            if isinstance(callee, Unknown) and not (is_builtin or is_method):
                return False
        if not _is_seen(inner, facts, seen | {called}):
            return False
    return True


def _is_plain_operation(node: ast.BinOp | ast.UnaryOp, facts: Facts) -> bool:
    if _is_of_text(node, facts):
        return True
    value = facts.value(node)
    if not isinstance(value, Unknown):
        return _is_plain(value)
    if _is_bound_of_part(node, facts) or _is_of_detached(node, facts):
        return True
    # Arithmetic on what nobody knows matters only where its result is kept.
    statement = facts.statement(node)
    is_kept = isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return))
    return not is_kept or is_for_torchless(statement, facts) or is_used_as_index(facts, node)


def _is_bound_of_part(node: ast.expr, facts: Facts) -> bool:
    """Whether it goes into ``(n - i - 1) * w`` of ``x[(n - i - 1) * w:]``: those are numbers."""
    around = facts.parent(node)
    while isinstance(around, (ast.BinOp, ast.UnaryOp)):
        around = facts.parent(around)
    return isinstance(around, ast.Slice)


def _is_of_text(node: ast.expr, facts: Facts) -> bool:
    """``folder + "/" + name`` and ``words + [word]``, which no tensor takes part in."""
    if isinstance(node, ast.BinOp):
        return _is_of_text(node.left, facts) or _is_of_text(node.right, facts)
    return isinstance(node, (ast.List, ast.ListComp)) or isinstance(facts.value(node), Text)


def _is_of_detached(node: ast.expr, facts: Facts) -> bool:
    """``len(x) * criterion(out, y).data``: arithmetic with what is cut from its graph.

    Also by the names that hold such a thing.
    """
    if isinstance(node, ast.BinOp):
        return _is_of_detached(node.left, facts) and _is_of_detached(node.right, facts)
    if isinstance(node, ast.UnaryOp):
        return _is_of_detached(node.operand, facts)
    held = facts.assigned(node) if isinstance(node, ast.Name) else None
    if held and all(map(reads_detached, held)):
        return True
    return reads_detached(node) or _is_plain(facts.value(node))


def loop_around(call: ast.Call, facts: Facts) -> ast.For | ast.AsyncFor | ast.While | None:
    """The innermost loop, where a call is made in each of its rounds."""
    child: ast.AST = call
    for parent in facts.names.ancestors(call):
        if isinstance(parent, (ast.For, ast.AsyncFor, ast.While)):
            return parent if child in parent.body else None
        if not isinstance(parent, (ast.Expr, ast.With)):
            return None
        child = parent
    return None


def is_shown_to_evaluate(facts: Facts) -> bool:
    """Whether a program speaks of evaluation, and nothing that it calls trains."""
    return facts.speaks_of("eval") and not trains([facts.tree], facts)
