"""Tensors that show themselves by the ``.data`` that a module's result is asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evidence.asked_data import is_asked_for_data
from torchfix_codemods.facts.evidence.proofs import (
    may_be_of_project,
    method_called,
    mode_methods,
)
from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.values.lattice import Module, Unknown, without_none

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names
    from torchfix_codemods.facts.values.inference import Files, Inference, OtherFile

#: What makes the one thing besides tensors that modules of torch give, and that has ``.data``.
_PACKING = ("PackedSequence", "pack_padded_sequence", "pack_sequence")
#: What goes through a data set or is one; no module gives it.
_OF_DATA_SETS = frozenset({"__getitem__", "__iter__", "__len__", "__next__"})
#: What makes objects that may keep a plain tensor as their ``data``.
_KEEPING = (*_PACKING, "namedtuple", "NamedTuple", "SimpleNamespace", "dataclass")
#: Through so many names and sums an output is followed.
_MOST_FOLLOWED = 4


def is_output_with_data(
    inference: Inference, bindings: Iterable[Binding], uses: Iterable[ast.expr]
) -> bool:
    """Whether a name holds what a module gives, or a part of it, and is asked for ``.data``.

    So it is a tensor, where the project packs no sequences and has no class of its own for what
    has such an attribute: ``out = net(x)``, ``out.data.cpu()`` of whatever module.

    Args:
        inference: what is known of the file.
        bindings: what gives the name its value.
        uses: the reads of the name.
    """
    if not inference.names.attributes("data"):
        return False
    found = [*bindings]
    return (
        bool(found)
        and any(is_asked_for_data(inference.names, use) for use in uses)
        and _are_outputs(inference, found)
        and not _may_have_data(inference)
    )


def is_call_with_data(inference: Inference, node: ast.expr) -> bool:
    """Whether ``.data`` is asked of what a module gives at once: ``net(x).data``.

    Or of what comes to the CPU, whatever gave it, where no class has such a method: ``x.cpu()``.
    Not of ``net(Variable(x, volatile=True))``, which is told of as a whole as long as it says that.

    Args:
        inference: what is known of the file.
        node: the call, or a part of what it gives.
    """
    return (
        is_asked_for_data(inference.names, node)
        and not _gets_volatile(node)
        and (_is_output_of_its_kind(inference, node) or _comes_to_cpu(inference, node))
    )


def _is_output_of_its_kind(inference: Inference, node: ast.expr) -> bool:
    """Whether a module gives it, and nothing else of the project that has ``.data``."""
    return _is_output(inference, node) and (
        _is_made_by_tensor(inference, node) or not _may_have_data(inference)
    )


def _comes_to_cpu(inference: Inference, node: ast.expr) -> bool:
    method = node.func if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or not isinstance(method, ast.Attribute):
        return False
    if method.attr != "cpu" or node.args or node.keywords:
        return False
    # Packed sequences have both as well.
    return not may_be_of_project(inference.names, "cpu") and not _may_be_packed(inference)


def _may_be_packed(inference: Inference) -> bool:
    names, files = inference.names, inference.files

    def find() -> bool:
        if any(_speaks_of(names, word) for word in _PACKING):
            return True
        others = [] if files is None else map(files.mentioning, _PACKING)
        return any(
            found is None or any(files is None or files.may_meet(other.path) for other in found)
            for found in others
        )

    return names.remembered(_may_be_packed, find)


def _is_made_by_tensor(inference: Inference, node: ast.expr) -> bool:
    """``net(x).squeeze()``: what else has ``data``, in a project or packed, has no such method."""
    while isinstance(node, ast.Subscript):
        node = node.value
    method = node.func if isinstance(node, ast.Call) else None
    if not isinstance(method, ast.Attribute) or torch_effects.moves_or_casts(method.attr):
        return False
    is_known = _gives_tensor(method.attr) and inference.names.name(method) is None
    return is_known and not inference.names.is_method_of_project(method.attr)


def is_for_modules_with_data(inference: Inference, node: ast.expr) -> bool:
    """Whether a name holds what modules give and are given, and all that has ``.data`` is tensors.

    So ``x.data`` is of a tensor in ``forward(self, x)`` of a project that packs no sequences.

    Args:
        inference: what is known of the file.
        node: what ``.data`` is asked of.
    """
    bindings = inference.flow.reaching(node) if isinstance(node, ast.Name) else ()
    are_of_modules = bool(bindings) and all(
        _is_given_to_module(each, inference) or _is_given_by_module(each, inference)
        for each in bindings
    )
    return are_of_modules and not _may_have_data(inference)


def _is_given_to_module(binding: Binding, inference: Inference) -> bool:
    """A parameter of ``forward``."""
    if binding.kind != "parameter":
        return False
    around = inference.names.ancestors(binding.node)
    function = next((each for each in around if isinstance(each, ast.FunctionDef)), None)
    owner = inference.names.enclosing_class(binding.node)
    is_of_module = owner is not None and inference.classes.kind(owner) == "module"
    return is_of_module and function is not None and function.name == "forward"


def _is_given_by_module(binding: Binding, inference: Inference) -> bool:
    """``x = net(x)``, also where net is one of several and gives other things beside."""
    value = binding.value if binding.kind == "assign" else None
    return value is not None and _is_output(inference, value)


def may_keep_plain_data(inference: Inference) -> bool:
    """Whether something of the project that is no Variable may have a plain tensor as its ``data``.

    Otherwise ``x.data``, which ``Variable(x.data)`` was given in torch 0.3, was a Variable's.

    Args:
        inference: what is known of the file.
    """
    names, files = inference.names, inference.files
    return names.remembered(may_keep_plain_data, lambda: _find_keeping(names, files))


def _find_keeping(names: Names, files: Files | None) -> bool:
    own = names.attributes("data")
    if files is None or names.is_method_of_project("data"):
        return True
    if any(isinstance(each.value, ast.Name) and each.value.id == "self" for each in own):
        return True
    if any(_speaks_of(names, word) for word in _KEEPING):
        return True
    others = map(files.mentioning, (*_KEEPING, "self.data"))
    return any(found is None or any(files.may_meet(o.path) for o in found) for found in others)


def _gets_volatile(node: ast.expr) -> bool:
    given = node.args if isinstance(node, ast.Call) else []
    calls = (each for each in given if isinstance(each, ast.Call))
    return any(keyword.arg == "volatile" for call in calls for keyword in call.keywords)


def _are_outputs(inference: Inference, bindings: Iterable[Binding], depth: int = 0) -> bool:
    found = [b.value if b.kind == "assign" else None for b in bindings]
    return bool(found) and all(v is not None and _is_output(inference, v, depth) for v in found)


def _is_output(inference: Inference, node: ast.expr, depth: int = 0) -> bool:
    """Whether a module gives it, or it is a part of that, or calculated with one.

    As ``out.squeeze()`` and ``out.max(1)[1]`` are.
    """
    while isinstance(node, ast.Subscript) and whole_number(node.slice) is not None:
        node = node.value
    if depth > _MOST_FOLLOWED:
        return False
    if isinstance(node, ast.BinOp):
        return any(_is_output(inference, each, depth + 1) for each in (node.left, node.right))
    if isinstance(node, ast.Name):
        return _are_outputs(inference, inference.flow.reaching(node), depth + 1)
    if not isinstance(node, ast.Call):
        return False
    method = node.func
    if isinstance(method, ast.Attribute) and _gives_tensor(method.attr):
        if _is_output(inference, method.value, depth + 1):
            return True
    return is_module(inference, method)


def _gives_tensor(method: str) -> bool:
    """Not so ``numpy``, ``tolist`` and ``size``."""
    is_left = torch_effects.leaves_torch(method) or torch_effects.tells(method)
    return torch_effects.is_known(method) and not is_left


def is_module(inference: Inference, called: ast.expr) -> bool:
    """Whether what is called is a module, as its value shows, or that it has a mode.

    Args:
        inference: what is known of the file.
        called: ``net`` of ``net(x)``.
    """
    if inference.names.name(called) is not None:
        return False
    value = without_none(inference.possible(called))
    return isinstance(value, Module) or (
        isinstance(value, Unknown) and _has_mode(inference, called)
    )


def _has_mode(inference: Inference, called: ast.expr) -> bool:
    """Whether ``eval()`` or ``train()`` is called on the same: on the name, or on ``self.net``."""
    names = inference.names
    same: Iterable[ast.expr] = ()
    if isinstance(called, ast.Name):
        found, bindings = names.scope_of(called).lookup(called.id), inference.flow.reaching(called)
        uses = () if found is None else names.uses_of(found[0], called.id)
        same = (use for use in uses if inference.flow.reaching(use) == bindings)
    elif isinstance(called, ast.Attribute):
        text = ast.unparse(called)
        same = (each for each in names.attributes(called.attr) if ast.unparse(each) == text)
    modes = mode_methods(names)
    return bool(modes) and any(method_called(names, each) in modes for each in same)


def _may_have_data(inference: Inference) -> bool:
    """Whether something else of the project that a module may give has ``.data``."""
    names, files = inference.names, inference.files
    return names.remembered(is_output_with_data, lambda: _find_having_data(inference, names, files))


def _find_having_data(inference: Inference, names: Names, files: Files | None) -> bool:
    if names.is_method_of_project("data") or _has_class_with_data(inference):
        return True
    if any(_speaks_of(names, word) for word in _PACKING):
        return True
    others = [] if files is None else map(files.mentioning, (*_PACKING, "self.data"))
    return any(
        found is None or any(_may_give_data(other, files) for other in found) for found in others
    )


def _may_give_data(other: OtherFile, files: Files | None) -> bool:
    """Whether another file that packs, or says ``self.data``, may be part of the same program."""
    if files is None or not files.may_meet(other.path):
        return False
    there = other.inference
    return (
        there is None
        or any(_speaks_of(there.names, word) for word in _PACKING)
        or _has_class_with_data(there)
    )


def _speaks_of(names: Names, word: str) -> bool:
    is_read = names.attributes(word) or names.scopes_using(word)
    return bool(is_read) or names.module.lookup(word) is not None


def _has_class_with_data(inference: Inference) -> bool:
    """Whether a file has a class with an attribute ``data`` that is no module and no data set."""
    found = inference.names.nodes.get(ast.ClassDef, ())
    return any(
        isinstance(cls, ast.ClassDef)
        and inference.classes.has_own(cls, "data")
        and inference.classes.kind(cls) != "module"
        and not any(getattr(each, "name", "") in _OF_DATA_SETS for each in cls.body)
        for cls in found
    )
