"""How many dimensions layers and functions of the project make of what they are given."""

from __future__ import annotations

import abc
import ast

from torchfix_codemods.facts.evaluation.applications import as_applied
from torchfix_codemods.facts.evaluation.parameters import argument_for
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.nodes import values_returned
from torchfix_codemods.facts.language.scopes import Path, part_of
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.named import class_named, method_run, run_by_value
from torchfix_codemods.facts.tensors.library_models import ndims_of_torchvision
from torchfix_codemods.facts.values.imported import imported_as
from torchfix_codemods.facts.values.lattice import Instance, Module
from torchfix_codemods.facts.values.sequential import layers_in_order
from torchfix_codemods.facts.values.torch_api import ALL_FUNCTION_BASES
from torchfix_codemods.rules.losses.questions.dimensions.arrays import after_numpy, array_taken
from torchfix_codemods.rules.losses.questions.dimensions.one_step import behind
from torchfix_codemods.rules.losses.questions.left_dimensions import after_call
from torchfix_codemods.rules.losses.questions.ranks import ANY
from torchfix_codemods.rules.losses.questions.recurrent_dimensions import part_behind
from torchfix_codemods.rules.losses.questions.run_modules import functions_run, modules_run
from torchfix_codemods.rules.questions.listed_elements import elements

_Ndims = frozenset[int]
_At = tuple[Facts, ast.FunctionDef]


class CalledDimensions(abc.ABC):
    """Follows a tensor through calls; what is no call, the class below knows."""

    def __init__(self, given: dict[ast.arg, _Ndims], of_arrays: bool) -> None:
        self._passed = set[ast.Call]()
        self._given = given
        self._of_arrays = of_arrays

    @abc.abstractmethod
    def shown(self, facts: Facts, node: ast.expr) -> _Ndims:
        """The numbers of dimensions of an expression."""

    @abc.abstractmethod
    def read(self, facts: Facts, node: ast.expr) -> _Ndims:
        """The same of one that is asked for first."""

    @abc.abstractmethod
    def inside(self, given: dict[ast.arg, _Ndims], of_arrays: bool) -> CalledDimensions | None:
        """What reads a function whose parameters get something, or an array, whose methods are
        not those of tensors; None too deep inside.
        """

    @abc.abstractmethod
    def knows(self) -> object:
        """All on which its answers hang: readers that know the same answer alike."""

    def of_call(self, facts: Facts, call: ast.Call, path: Path = ()) -> _Ndims:
        """What a call gives, or what stands at a place of the tuples that it gives."""
        call = as_applied(facts.names, call)
        array = None if path else array_taken(facts, call)
        if array is not None:
            reader = self.inside(self._given, of_arrays=True)
            return ANY if reader is None else reader.read(facts, array)
        if not path and len(call.args) == 1 and not is_opaque(call):
            given = call.args[0]
            known = ndims_of_torchvision(facts, call.func, lambda: self.shown(facts, given))
            if known:
                return known
        modules = modules_run(facts, call.func)
        if modules:
            each = (self._of_module(facts, call, *module, path) for module in modules)
            return frozenset[int]().union(*each)
        applied = _applied(facts, call.func)
        if applied is not None:
            return ANY if is_opaque(call) else self._returned(facts, call, applied, path, True)
        found = functions_run(facts, call.func)
        called = facts.value(call.func)
        bases = called.definition.bases if isinstance(called, Instance) else ()
        # Its objects were called until torch 1.2: ``GradReverse(1.0)(x)``.
        if any(facts.name(base) in ALL_FUNCTION_BASES for base in bases):
            forward = method_run(call.func, "forward", facts)
            found = [] if forward is None else [forward]
        if found:
            each = (self._returned(facts, call, function, path) for function in found)
            return frozenset[int]().union(*each)
        if self._of_arrays:
            return ANY if path else after_numpy(facts, call, lambda part: self.shown(facts, part))
        return after_call(facts, call, lambda tensor: self.shown(facts, tensor), path)

    def _of_module(
        self, facts: Facts, call: ast.Call, home: Facts, module: Module, path: Path
    ) -> _Ndims:
        """What calling a module gives, or what stands at a place of it."""
        forward = run_by_value(module, home) if module.definition is not None else None
        if forward is not None:
            return ANY if is_opaque(call) else self._returned(facts, call, forward, path)
        is_plain = bool(call.args) and not is_opaque(call)
        before = self.shown(facts, call.args[0]) if is_plain else ANY
        if path:
            return part_behind(facts, call, module, before, path)
        return self.after_layer(home, module, before)

    def _returned(
        self, facts: Facts, call: ast.Call, at: _At, path: Path = (), has_context: bool = False
    ) -> _Ndims:
        """What a function of the project makes of what a call gives it."""
        there, function = at
        arguments = function.args
        bound = has_context or there.classes.gets_object(function)
        given = {
            parameter: self.shown(facts, node)
            for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            if (node := argument_for(function, parameter, call, bound)) is not None
        }
        return self._inside(at, given, path)

    def after_layer(self, facts: Facts, module: Module, before: _Ndims) -> _Ndims:
        """What :func:`after_layer` says."""
        origin = imported_as(module)
        home = facts if origin is None else facts_of(origin.owner)
        there = module if origin is None else origin.value
        if home is None or not isinstance(there, Module):
            return ANY
        if there.either:
            each = (self.after_layer(home, module, before) for module in there.either)
            return frozenset[int]().union(*each)
        if there.definition is not None:
            return self._after_forward(home, there.definition, before)
        if there.cls == "torch.nn.Sequential" and there.call is not None:
            return self._after_parts(home, there.call, before)
        return ANY if origin is not None else behind(facts, module, before)

    def _after_parts(self, facts: Facts, built: ast.Call, before: _Ndims) -> _Ndims:
        """What the layers of an ``nn.Sequential`` make of something, one after the other."""
        if built in self._passed:
            # It is made of itself.
            return ANY
        self._passed.add(built)
        for part in layers_in_order(facts.names, built):
            before = self.after_part(facts, part, before)
        self._passed.discard(built)
        return before

    def after_part(self, facts: Facts, part: ast.expr, before: _Ndims) -> _Ndims:
        """What a part of an ``nn.Sequential`` makes of something: a layer, or ``*layers``.

        Args:
            facts: the facts of the module.
            part: the part.
            before: the numbers of dimensions of what it is given.
        """
        layer = facts.value(part)
        if isinstance(layer, Module):
            return self.after_layer(facts, layer, before)
        listed = elements(facts, part.value) if isinstance(part, ast.Starred) else None
        while listed is not None:
            # They may come in any order, each as often as it is put in.
            after = before.union(*(self.after_part(facts, one, before) for one in listed))
            if after == before:
                return before
            before = after
        return ANY

    def _after_forward(self, facts: Facts, owner: ast.ClassDef, before: _Ndims) -> _Ndims:
        """What ``forward`` of a class of the project makes of its first argument."""
        forward = facts.classes.method(owner, "forward")
        if forward is None or len(forward.args.args) < 2:
            return ANY
        return self._inside((facts, forward), {forward.args.args[1]: before})

    def _inside(self, at: _At, given: dict[ast.arg, _Ndims], path: Path = ()) -> _Ndims:
        """What a function returns, at a place of it, where its parameters get something."""
        inside = self.inside(given, self._of_arrays)
        if inside is None:
            return ANY
        # The calls of a loop, and each of its turns, give it the same again.
        asked = ("dimensions returned", at[1], path, inside.knows())
        return at[0].remembered(asked, lambda: inside.returned_by(at, path))

    def returned_by(self, at: _At, path: Path) -> _Ndims:
        """What a function returns, at a place of it, where this is its reader."""
        facts, function = at
        values = values_returned(function)
        if facts.classes.is_wrapped(function) or not values:
            return ANY
        # What returns too few raises where it is unpacked.
        values = [node for node in values if not _lacks(node, path)]
        parts = [None if node is None else part_of(node, path) for node in values]
        found = [ANY if node is None else self.read(facts, node) for node in parts]
        return frozenset[int]().union(*found)


def _lacks(returned: ast.expr | None, path: Path) -> bool:
    """Whether a written tuple has no such place: the third of ``x, y``."""
    if not path or not isinstance(returned, ast.Tuple):
        return False
    is_open = any(isinstance(element, ast.Starred) for element in returned.elts)
    return not is_open and isinstance(path[0], int) and path[0] >= len(returned.elts)


def _applied(facts: Facts, function: ast.expr) -> _At | None:
    """The ``forward`` that ``Binarize.apply`` runs, of a function of autograd, also by a name."""
    made = facts.assigned(function) if isinstance(function, ast.Name) else None
    function = made[0] if made is not None and len(made) == 1 else function
    if not isinstance(function, ast.Attribute) or function.attr != "apply":
        return None
    found = class_named(function.value, facts)
    if found is None:
        return None
    there, cls = found
    forward = there.classes.method(cls, "forward")
    is_function = any(there.name(base) in ALL_FUNCTION_BASES for base in cls.bases)
    return (there, forward) if is_function and forward is not None else None
