"""The sizes of tensors, as far as they are written down: also of what a function of the project
makes in the sizes that it is called with."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation.reached_returns import reached_returns
from torchfix_codemods.facts.evaluation.stores import appended_by
from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.language.arguments import argument, values_given, whole_number
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.torch_table import forms_of, is_method
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import (
    Device,
    Function,
    NoneValue,
    Number,
    Tensor,
    Text,
    Value,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.scopes import Binding
    from torchfix_codemods.facts.values.inference import Inference

#: The sizes of a tensor; None for one that is not known.
Sizes = tuple[int | None, ...]

#: What a name or an expression is worth: a number, several of them, or not known.
_Worth = int | Sizes | None

#: The parameters of the function that an expression stands in.
_Given = Mapping[ast.arg, _Worth]

_MAX_DEPTH = 6
_NO_TENSORS = (Number, Text, Device, NoneValue)


def sizes_of(inference: Inference, node: ast.expr) -> Sizes | None:
    """The sizes of a tensor; None where not even their number is known.

    ``torch.zeros(n, 2)`` has the sizes ``(None, 2)``, and so has ``make(n, 2)`` of a function that
    returns ``torch.rand(6).view(*sizes)``.

    Args:
        inference: the values of the file.
        node: an expression.
    """
    return _Reader(inference, {}, 0).sizes(node)


def shaped_by_call(
    inference: Inference,
    owner: Inference,
    function: ast.AST,
    call: ast.Call,
    result: Value,
    is_method: bool,
) -> Value:
    """What a call of a function gives, with the dimensions that the call gives it.

    Args:
        inference: the values of the file of the call.
        owner: those of the file of the function.
        function: what is called.
        call: the call.
        result: what the function gives whichever way it is called.
        is_method: whether the first parameter is not given in the call.
    """
    if not isinstance(result, Tensor) or result.ndim is not None:
        return result
    if not call.args and not call.keywords:
        return result
    reader = _Reader(inference, {}, 0)
    sizes = reader.sizes_returned(owner, function, call, is_method)
    if sizes is None:
        return result
    return replace(result, ndim=len(sizes), single=all(size == 1 for size in sizes))


class _Reader:
    """Reads sizes where the values of some parameters are known."""

    def __init__(self, inference: Inference, given: _Given, depth: int) -> None:
        self._inference = inference
        self._given = given
        self._depth = depth

    def _deeper(self) -> _Reader:
        return _Reader(self._inference, self._given, self._depth + 1)

    # Tensors

    def sizes(self, node: ast.expr) -> Sizes | None:
        """The sizes of an expression that is a tensor."""
        if self._depth > _MAX_DEPTH:
            return None
        if isinstance(node, ast.Name):
            return self._sizes_of_name(node)
        if isinstance(node, ast.Attribute):
            return self._deeper().sizes(node.value) if node.attr == "data" else None
        if isinstance(node, ast.BinOp):
            return self._sizes_of_operation(node)
        return self._sizes_of_call(node) if isinstance(node, ast.Call) else None

    def _sizes_of_name(self, name: ast.Name) -> Sizes | None:
        if may_be_reshaped(self._inference, name):
            return None
        found = [self._deeper().sizes(value) for value in self._assigned(name)]
        return _alike(found)

    def _assigned(self, name: ast.Name) -> Iterable[ast.expr]:
        """What a name is assigned; nothing where it may be bound otherwise."""
        bindings = self._inference.flow.reaching(name)
        is_plain = all(b.kind == "assign" and not b.path and b.value is not None for b in bindings)
        return [b.value for b in bindings if b.value is not None] if is_plain else []

    def _sizes_of_operation(self, node: ast.BinOp) -> Sizes | None:
        """``torch.rand(2, 3) * 0.5``; of two tensors, those that broadcasting leaves alone."""
        if isinstance(node.op, ast.MatMult):
            return None
        sides = [
            () if isinstance(self._inference.value(side), Number) else self._deeper().sizes(side)
            for side in (node.left, node.right)
        ]
        left, right = sides
        if left is None or right is None:
            return None
        if () in sides:
            return left or right
        return left if left == right and None not in left else None

    def _sizes_of_call(self, call: ast.Call) -> Sizes | None:
        name = self._inference.names.name(call.func)
        if name == "torch.autograd.Variable":
            return self._deeper().sizes(call.args[0]) if call.args else None
        if name is not None and name.startswith("torch."):
            return self._sizes_given(name, call, call.args)
        if isinstance(call.func, ast.Attribute):
            sizes = self._sizes_of_method(call, call.func)
            if sizes is not None:
                return sizes
        callee = self._inference.value(call.func)
        if isinstance(callee, Function):
            return self.sizes_returned(self._inference, callee.definition, call, is_method=False)
        if isinstance(callee, Imported) and isinstance(callee.value, Function):
            definition = callee.value.definition
            return self.sizes_returned(callee.owner, definition, call, is_method=False)
        return None

    def _sizes_of_method(self, call: ast.Call, method: ast.Attribute) -> Sizes | None:
        """``x.view(2, 3)`` of a tensor, and ``x.sin()``, which leaves the sizes of x."""
        tensor = method.value
        if torch_effects.keeps_sizes(method.attr):
            # A tensor that it is given may broadcast it.
            if all(map(self._is_no_tensor, values_given(call))):
                return self._deeper().sizes(tensor)
        if not isinstance(self._inference.value(tensor), Tensor):
            return None
        # The tensor is the first parameter in the table.
        return self._sizes_given(f"torch.Tensor.{method.attr}", call, [tensor, *call.args])

    def _is_no_tensor(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Starred):
            return False
        is_named = (self._inference.names.name(node) or "").startswith("torch.")
        return is_named or isinstance(self._inference.value(node), _NO_TENSORS)

    def _sizes_given(self, name: str, call: ast.Call, args: list[ast.expr]) -> Sizes | None:
        """The sizes that a function of torch is given, for which the table has its parameter."""
        for form in forms_of(name):
            if form.word != "tensor" or not form.results[0].ndim.startswith("#"):
                continue
            names = [parameter.name for parameter in form.parameters]
            index = names.index(form.results[0].ndim[1:])
            takes_several = form.parameters[index].kind == "V"
            by_name = argument(call, None, names[index])
            if any(isinstance(given, ast.Starred) for given in args[:index]):
                return None
            if by_name is not None:
                given = [by_name]
            elif takes_several:
                given = args[index:]
            else:
                given = args[index : index + 1]
            worth = self._several(given) if takes_several else self._only(given)
            if isinstance(worth, tuple) and worth and names[index] in ("size", "shape"):
                return tuple(None if size is not None and size < 0 else size for size in worth)
        return None

    def _several(self, given: list[ast.expr]) -> _Worth:
        """Sizes one by one, or all of them in one argument: a single unknown one may be either."""
        only = self._only(given)
        if isinstance(only, tuple):
            return only
        worth = self._worth_of_all(given)
        is_one = len(given) == 1 and not isinstance(given[0], ast.Starred)
        return None if is_one and only is None and not self._is_number(given[0]) else worth

    def _only(self, given: list[ast.expr]) -> _Worth:
        is_one = len(given) == 1 and not isinstance(given[0], ast.Starred)
        return self._worth(given[0]) if is_one else None

    # Functions of the project

    def sizes_returned(
        self, owner: Inference, function: ast.AST, call: ast.Call, is_method: bool
    ) -> Sizes | None:
        """The sizes of what a call of a function returns."""
        if self._depth > _MAX_DEPTH or not isinstance(function, ast.FunctionDef):
            return None
        exits = owner.exits.get(function, ())
        returns = [node for node in exits if isinstance(node, ast.Return)]
        if owner.classes.is_wrapped(function) or len(returns) != len(exits):
            return None
        all_values = [node.value for node in returns]
        reached = reached_returns(owner, function, call, is_method) or all_values
        given = self._parameters(owner, function, call, is_method)
        if given is None:
            return None
        inside = _Reader(owner, given, self._depth + 1)
        return _alike([None if value is None else inside.sizes(value) for value in reached])

    def _parameters(
        self, owner: Inference, function: ast.FunctionDef, call: ast.Call, is_method: bool
    ) -> dict[ast.arg, _Worth] | None:
        """What the parameters of a function are worth in a call; None where that is not seen."""
        if any(keyword.arg is None for keyword in call.keywords):
            return None
        arguments = function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        found: dict[ast.arg, _Worth] = {}
        for parameter, default in (
            *zip(reversed(positional), reversed(arguments.defaults), strict=False),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ):
            found[parameter] = None if default is None else _Reader(owner, {}, 0)._worth(default)
        by_name = {parameter.arg: parameter for parameter in (*positional, *arguments.kwonlyargs)}
        for keyword in call.keywords:
            if keyword.arg in by_name:
                found[by_name[keyword.arg]] = self._worth(keyword.value)
        positional = positional[is_method:]
        if any(isinstance(given, ast.Starred) for given in call.args):
            spread = self._worth_of_all(call.args)
            if not isinstance(spread, tuple):
                return None
            found |= zip(positional, spread, strict=False)
            rest: _Worth = spread[len(positional) :]
        else:
            found |= zip(positional, map(self._worth, call.args), strict=False)
            rest = self._worth_of_all(call.args[len(positional) :])
            if rest == (None,):
                # It may be several numbers.
                rest = None
        if arguments.vararg is not None:
            found[arguments.vararg] = rest
        return found

    # Numbers

    def _worth(self, node: ast.expr) -> _Worth:
        """The number or the numbers that an expression is."""
        if self._depth > _MAX_DEPTH:
            return None
        number = whole_number(node)
        if number is not None:
            return number
        if isinstance(node, (ast.Tuple, ast.List)):
            return self._worth_of_all(node.elts)
        if isinstance(node, ast.Name):
            return self._worth_of_name(node)
        if isinstance(node, ast.BinOp):
            return _calculated(node.op, self._worth(node.left), self._worth(node.right))
        if isinstance(node, ast.Attribute):
            return self._deeper().sizes(node.value) if node.attr == "shape" else None
        if isinstance(node, ast.Subscript):
            return _picked(self._worth(node.value), whole_number(node.slice))
        return self._worth_of_call(node) if isinstance(node, ast.Call) else None

    def _worth_of_all(self, nodes: Iterable[ast.expr]) -> _Worth:
        """Several numbers: ``2, *size``."""
        found: list[int | None] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                spread = self._worth(node.value)
                if not isinstance(spread, tuple):
                    return None
                found += spread
                continue
            worth = self._worth(node)
            if isinstance(worth, tuple):
                return None
            found.append(worth)
        return tuple(found)

    def _is_number(self, node: ast.expr) -> bool:
        return isinstance(self._inference.value(node), Number)

    def _worth_of_name(self, name: ast.Name) -> _Worth:
        bindings = self._inference.flow.reaching(name)
        if len(bindings) != 1:
            return None
        binding = bindings[0]
        if isinstance(binding.node, ast.arg):
            worth = self._given.get(binding.node)
        elif binding.kind == "assign" and not binding.path and binding.value is not None:
            worth = self._deeper()._worth(binding.value)
        else:
            return None
        return None if isinstance(worth, tuple) and self._may_grow(name, binding) else worth

    def _may_grow(self, name: ast.Name, binding: Binding) -> bool:
        """Whether several numbers may be a list that is changed where it is not only read."""
        names = self._inference.names
        arguments = names.parents.get(binding.node)
        if isinstance(arguments, ast.arguments) and arguments.vararg is binding.node:
            return False
        if isinstance(binding.value, (ast.Tuple, ast.Attribute)):
            return False
        found = names.scope_of(name).lookup(name.id)
        uses = [] if found is None else names.uses_of(found[0], name.id)
        return not all(map(self._is_only_read, uses))

    def _is_only_read(self, use: ast.Name) -> bool:
        names = self._inference.names
        parent = names.parents.get(use)
        method = parent.func if isinstance(parent, ast.Call) else None
        is_of_tensor = isinstance(method, ast.Attribute) and is_method(method.attr)
        return is_of_tensor or appended_by(names, use) == []

    def _worth_of_call(self, call: ast.Call) -> _Worth:
        """``x.size()``, ``x.size(0)``, ``len(size)``, ``tuple(size)`` and ``torch.Size(size)``."""
        method = call.func
        names = self._inference.names
        if isinstance(method, ast.Attribute) and method.attr == "size" and len(call.args) < 2:
            sizes = self._deeper().sizes(method.value)
            return _picked(sizes, whole_number(call.args[0])) if call.args else sizes
        if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
            return None
        builtin = names.builtin(method)
        is_copy = builtin in ("tuple", "list") or names.name(method) == "torch.Size"
        if not is_copy and builtin != "len":
            return None
        worth = self._worth(call.args[0])
        if not isinstance(worth, tuple):
            return None
        return worth if is_copy else len(worth)


def _alike(found: list[Sizes | None]) -> Sizes | None:
    """What several ways to make a tensor have in common; None where not even the number."""
    known = [sizes for sizes in found if sizes is not None]
    if not known or len(known) < len(found) or len({len(sizes) for sizes in known}) > 1:
        return None
    return tuple(one[0] if len(set(one)) == 1 else None for one in zip(*known, strict=True))


def _picked(worth: _Worth, index: int | None) -> _Worth:
    if not isinstance(worth, tuple) or index is None or not -len(worth) <= index < len(worth):
        return None
    return worth[index]


def _calculated(operator: ast.operator, left: _Worth, right: _Worth) -> _Worth:
    """``n * 2``, ``(2,) + size``."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return left + right if isinstance(operator, ast.Add) else None
    if not isinstance(left, int) or not isinstance(right, int):
        return None
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    return left // right if isinstance(operator, ast.FloorDiv) and right else None
