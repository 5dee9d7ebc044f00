"""Reductions of what was no Variable: numbers of Python until 0.3, kept in lists or printed."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.libraries import container_methods, python_functions, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.attribute_reads import reads_of_kept
from torchfix_codemods.facts.paths.called import returned_anywhere
from torchfix_codemods.facts.paths.graph import Content, Place, Use, kept_in, use_of
from torchfix_codemods.facts.paths.uses import writes_text_of
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.recording.plain_tensors import was_plain
from torchfix_codemods.facts.tensors.scalars import indexed_scalar
from torchfix_codemods.facts.values.lattice import Number, Sequence, Text
from torchfix_codemods.rules.training.questions.totals import is_asked_as_tensor

#: What makes an array, a line or a text of numbers, and refuses a tensor on a GPU or shows it so.
_NOTICING = ("numpy.", "matplotlib.", "json.")

#: How it is kept or shown with nothing done to it; asked first, as that takes no value.
_AS_IT_IS = ("argument", "bound", "element", "formatted")


def is_noticed_as_tensor(call: ast.Call, facts: Facts) -> bool:
    """Whether a reduction gave a number, is one wherever it goes, and is missed as one.

    That is what numpy, matplotlib and JSON take, and what ``print`` writes; of a tensor these
    write another text, or raise where it lies on a GPU. It is also what a function of the project
    adds to a total, which becomes a tensor by one.

    Args:
        call: ``x.data.mean()``, ``torch.sum(x.data)``.
        facts: the facts of the module.
    """
    kind = use_of(Place(facts, call)).kind
    if kind not in _AS_IT_IS or not facts.era_of(call).before((0, 4)):
        return False
    if not _was_number(facts, call):
        return False
    start, notices = [Place(facts, call)], _is_missed_by_caller if kind == "bound" else _notices
    return follow(start, _may_want_tensor) is None and follow(start, notices) is not None


def _reduced(call: ast.Call, facts: Facts) -> ast.expr | None:
    """``x`` of ``x.mean()`` and of ``torch.mean(x)``: what all is reduced of."""
    method = call.func
    if call.keywords or not isinstance(method, ast.Attribute):
        return None
    if not torch_table.gives_one_number(method.attr):
        return None
    if facts.name(method) == f"torch.{method.attr}":
        return call.args[0] if len(call.args) == 1 else None
    return None if call.args or facts.name(method) is not None else method.value


def _may_want_tensor(use: Use) -> Iterable[Place] | None:
    """None for what may want a tensor, or is out of sight; else where the number is then."""
    if use.kind in ("formatted", "statement", "compared", "tested"):
        return ()
    if use.kind == "asked":
        return None if use.is_for_identity and not use.place.content else ()
    if use.kind == "element":
        return use.result()
    if use.kind == "operand":
        if use.place.content:
            # Lists that are added up: which item of the whole it is then, nobody knows.
            return () if _is_returned_beside_number(use) else None
        return use.result() if _is_beside_number(use) else None
    if use.kind == "added":
        # Two numbers make one, and whoever asks the total for item() knew better.
        target = use.by.target if isinstance(use.by, ast.AugAssign) else None
        if use.place.content or not isinstance(target, (ast.Name, ast.Attribute)):
            return None
        return None if is_asked_as_tensor(target, use.facts) else ()
    if use.kind in ("bound", "iterated"):
        return _given_to(use)
    if use.kind == "item":
        return use.result() if use.place.content else None
    if use.kind == "put into":
        return () if use.place.content else None
    if use.kind == "method" and isinstance(use.by, ast.Call) and use.place.content:
        return () if _keeps_places(use.by) else None
    if use.kind == "returned":
        if _is_returned_beside_number(use):
            results = returned_anywhere(use)
            return () if follow(results, _reads_part) is None else None
        return returned_anywhere(use) or None
    return _of_argument(use, use.by) if isinstance(use.by, ast.Call) else None


def _is_returned_beside_number(use: Use) -> bool:
    """``return mean, loss.item()``, ``return [loss] + [hits, len(x)]``: it is among numbers."""
    given = use.node
    if len(use.place.content) != 1 or not isinstance(given, (ast.Tuple, ast.List)):
        return False
    if not _is_returned(use.facts, given):
        return False
    others = [each for at, each in enumerate(given.elts) if at != use.place.content[0]]
    is_beside = any(_is_number(use.facts, each) for each in others)
    return is_beside and all(_is_number_or_was(use.facts, each) for each in others)


def _is_returned(facts: Facts, given: ast.expr) -> bool:
    """Whether a tuple or a list is returned, alone or added to others."""
    around = facts.parent(given)
    if isinstance(around, ast.BinOp) and isinstance(around.op, ast.Add):
        return _is_returned(facts, around)
    return isinstance(around, ast.Return)


def _is_number_or_was(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is a number, or a name of numbers and of what was one until 0.3."""
    if _is_number(facts, node):
        return True
    given = facts.assigned(node) if isinstance(node, ast.Name) else None
    values = given or ()
    return bool(values) and all(_is_number(facts, v) or _was_number(facts, v) for v in values)


def _was_number(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression reduces what was no Variable to one number."""
    reduced = _reduced(node, facts) if isinstance(node, ast.Call) else None
    return reduced is not None and was_plain(facts, reduced) and facts.is_tensor(node)


def _is_number(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is a number of Python, or will be once it is rewritten."""
    if isinstance(node, ast.Subscript) and indexed_scalar(facts, node) == "number":
        return True
    return isinstance(facts.value(node), Number)


def _reads_part(use: Use) -> Iterable[Place] | None:
    """None for ``value.item()`` and the like; else where the value is then, as it is."""
    if use.kind in ("attribute", "item", "iterated", "method", "unpacked"):
        if not use.place.content:
            return None
    if use.kind in ("bound", "unpacked"):
        return use.named()
    if use.kind == "returned":
        return returned_anywhere(use)
    return use.result() if use.kind in ("element", "item") else ()


def _is_beside_number(use: Use) -> bool:
    """Whether what is calculated is a number where the value is one."""
    sides = [use.by.left, use.by.right] if isinstance(use.by, ast.BinOp) else []
    return all(s is use.node or isinstance(use.facts.value(s), Number) for s in sides)


def _keeps_places(call: ast.Call) -> bool:
    """``q.append(...)``, of which nothing is asked."""
    method = call.func
    return isinstance(method, ast.Attribute) and container_methods.adds(method.attr)


def _of_argument(use: Use, call: ast.Call) -> Iterable[Place] | None:
    facts, function = use.facts, call.func
    if use.kind != "argument":
        return None
    builtin = facts.names.builtin(function)
    if builtin in ("enumerate", "zip"):
        return use.result() if use.place.content else None
    if python_functions.is_arithmetic(builtin):
        return [Place(facts, call)]
    if python_functions.reports(builtin) or _is_noticing(facts, call):
        return ()
    if use.parameters():
        return use.taken()
    receiver = facts.value(function.value) if isinstance(function, ast.Attribute) else None
    if isinstance(receiver, Text):
        return ()
    if not isinstance(function, ast.Attribute) or function.attr != "append":
        return None
    if _is_own_list(facts, function.value):
        return use.held()
    return _held_by_object(facts, function.value, ("*", *use.place.content))


def _given_to(use: Use) -> Iterable[Place] | None:
    """Where the names and the items of an object's own that are given a value are read."""
    targets = [*use.targets()]
    if all(isinstance(target, ast.Name) for target, _ in targets):
        return use.named()
    if len(targets) > 1 or not isinstance(targets[0][0], ast.Subscript):
        return None
    return _held_by_object(use.facts, *targets[0])


def _held_by_object(facts: Facts, keeper: ast.expr, content: Content) -> list[Place] | None:
    """Where ``self.kept[key]`` is read, which is given a value; None where it is out of sight.

    So is ``kept``, a list that is put there: ``kept = self.kept[key]``.
    """
    if not isinstance(keeper, ast.Name):
        return _held_by_attribute(facts, keeper, content)
    found = [*kept_in(facts, keeper, content)]
    for value in facts.assigned(keeper) or [keeper]:
        held = _held_by_attribute(facts, value, content)
        if held is None:
            return None
        found += held
    return found


def _held_by_attribute(facts: Facts, keeper: ast.expr, content: Content) -> list[Place] | None:
    while isinstance(keeper, ast.Subscript):
        keeper, content = keeper.value, ("*", *content)
    read = reads_of_kept(facts, keeper) if isinstance(keeper, ast.Attribute) else None
    return None if read is None else [Place(p.facts, p.node, content) for p in read]


def _is_own_list(facts: Facts, kept: ast.expr) -> bool:
    """``q`` of ``q.append``: a list that is made in sight, all reads of which are."""
    if not isinstance(kept, ast.Name) or not isinstance(facts.value(kept), Sequence):
        return False
    return bool(facts.assigned(kept))


def _is_noticing(facts: Facts, call: ast.Call) -> bool:
    return (facts.name(call.func) or "").startswith(_NOTICING)


def _notices(use: Use) -> Iterable[Place] | None:
    """None for what does something else with a tensor than with a number; else the places after."""
    if use.kind == "formatted" and isinstance(use.by, ast.BinOp):
        written = use.by.right
        return None if writes_text_of(use.facts, use.by, written) else ()
    if use.kind == "added":
        # The total is a tensor then, on the GPU where that is.
        return None
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        is_written = python_functions.writes(use.facts.names.builtin(use.by.func))
        if is_written or _is_noticing(use.facts, use.by):
            return None
    return _may_want_tensor(use)


def _is_missed_by_caller(use: Use) -> Iterable[Place] | None:
    """None where it is returned among numbers; else the places after."""
    is_among = use.kind in ("operand", "returned") and _is_returned_beside_number(use)
    return None if is_among else _may_want_tensor(use)
