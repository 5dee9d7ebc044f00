"""How many dimensions a tensor can have, as what is done with it shows."""

from __future__ import annotations

import ast
import itertools

from torchfix_codemods.facts.evaluation.parameters import argument_for
from torchfix_codemods.facts.evidence.changes import reshapes
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.branches import tests_passed
from torchfix_codemods.facts.language.nodes import values_returned
from torchfix_codemods.facts.language.scopes import Binding, Path, part_of
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls
from torchfix_codemods.facts.paths.named import function_named, function_run, method_run
from torchfix_codemods.facts.values.imported import imported_as
from torchfix_codemods.facts.values.lattice import Instance, Module, Number, Tensor
from torchfix_codemods.facts.values.torch_api import FUNCTION_BASES
from torchfix_codemods.rules.losses.questions.asked_dimensions import ANY, MANY, by_use
from torchfix_codemods.rules.losses.questions.left_dimensions import after_call, after_index, behind
from torchfix_codemods.rules.losses.questions.stored_attributes import stored_just_above
from torchfix_codemods.rules.losses.questions.tested_dimensions import by_test, is_same

#: Through so many names, calls and operations a tensor is followed.
_MAX_DEPTH = 60
#: And into so many functions in functions.
_MAX_CALLS = 4

_Ndims = frozenset[int]
_At = tuple[Facts, ast.FunctionDef]


def shown_dimensions(facts: Facts, node: ast.expr) -> frozenset[int]:
    """The numbers of dimensions that a tensor can have: 3 and more of ``x.transpose(0, 2)``.

    Args:
        facts: the facts of the module.
        node: an expression that is a tensor wherever the code runs.

    Returns:
        some of 0 to 5, where 5 stands for more as well.
    """
    return _Reader().read(facts, node)


def after_layer(facts: Facts, module: Module, before: frozenset[int]) -> frozenset[int]:
    """The numbers of dimensions behind a layer that is given something.

    Args:
        facts: the facts of the module.
        module: the layer.
        before: the numbers of dimensions of what it is given.
    """
    return _Reader().after_layer(facts, module, before) or ANY


class _Reader:
    """Reads numbers of dimensions, where what a parameter gets may be known.

    What a loop makes of a tensor has at first none, then what one turn makes of it, and so on.
    """

    def __init__(
        self, given: dict[ast.arg, _Ndims] | None = None, depth: int = 0, calls: int = 0
    ) -> None:
        self._given = given or {}
        self._depth = depth
        self._calls = calls
        self._passed = set[ast.Call]()
        self._before: dict[ast.expr, _Ndims] = {}
        self._found: dict[ast.expr, _Ndims] = {}

    def read(self, facts: Facts, node: ast.expr) -> _Ndims:
        """What :func:`shown_dimensions` says."""
        while True:
            self._found = {}
            self._shown(facts, node)
            if self._found == self._before:
                return self._found[node] or ANY
            self._before = self._found

    def _shown(self, facts: Facts, node: ast.expr) -> _Ndims:
        if node not in self._found:
            self._found[node] = self._before.get(node, frozenset())
            self._depth += 1
            found = self._find(facts, node) if self._depth < _MAX_DEPTH else ANY
            self._depth -= 1
            self._found[node] |= found
        return self._found[node]

    def _find(self, facts: Facts, node: ast.expr) -> _Ndims:
        value = facts.value(node)
        if isinstance(value, Tensor) and value.ndim is not None:
            return frozenset({min(value.ndim, MANY)})
        if isinstance(value, Number):
            return frozenset({0})
        if isinstance(node, ast.Name):
            return self._of_name(facts, node)
        if isinstance(node, ast.Attribute):
            stored = node.value if node.attr == "data" else stored_just_above(facts, node)
            return ANY if stored is None else self._shown(facts, stored)
        if isinstance(node, ast.IfExp):
            return self._shown(facts, node.body) | self._shown(facts, node.orelse)
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            return self._broadcast(facts, node.left, node.right)
        if isinstance(node, ast.UnaryOp):
            return self._shown(facts, node.operand)
        if isinstance(node, ast.Subscript):
            return after_index(facts, node, self._shown(facts, node.value))
        return self._of_call(facts, node) if isinstance(node, ast.Call) else ANY

    def _broadcast(self, facts: Facts, left: ast.expr, right: ast.expr) -> _Ndims:
        sides = self._shown(facts, left), self._shown(facts, right)
        return frozenset(max(pair) for pair in itertools.product(*sides))

    def _of_name(self, facts: Facts, name: ast.Name) -> _Ndims:
        found = self._bound(facts, name, facts.flow.reaching(name))
        if changes := reshapes(facts.inference, name):
            # What was asked before may be so no more.
            return found.union(*(self._stored(facts, change) for change in changes))
        for test, came_out in tests_passed(facts.names, name):
            found &= by_test(facts, name, test, came_out)
        for use in facts.names.scope_of(name).uses.get(name.id, ()):
            is_before = use.lineno < name.lineno and facts.inference.branches.runs_with(use, name)
            if is_before and is_same(facts, use, name):
                found &= by_use(facts, use)
        return found

    def _stored(self, facts: Facts, change: ast.Attribute) -> _Ndims:
        """What ``x.data = y`` makes of x; any other change may leave any dimensions."""
        statement = facts.parent(change)
        if isinstance(statement, ast.Assign) and statement.targets == [change]:
            return self._shown(facts, statement.value)
        return ANY

    def _bound(self, facts: Facts, name: ast.Name, bindings: tuple[Binding, ...]) -> _Ndims:
        found: _Ndims = frozenset()
        for binding in bindings:
            written = binding.written() if binding.kind == "assign" else None
            if isinstance(binding.node, ast.AugAssign):
                found |= self._added_to(facts, binding.node)
            elif written is not None:
                found |= self._shown(facts, written)
            elif binding.kind == "assign" and isinstance(binding.value, ast.Call):
                found |= self._part_of_call(facts, binding.value, binding.path)
            else:
                found |= self._of_parameter(facts, binding.node)
        return found if bindings else ANY

    def _added_to(self, facts: Facts, statement: ast.AugAssign) -> _Ndims:
        """What ``x += y`` leaves: in place the dimensions of x, unless x was a number."""
        if not isinstance(statement.target, ast.Name):
            return ANY
        name = statement.target
        before = facts.flow.reaching_before(statement, name.id)
        kept = self._bound(facts, name, before)
        added = self._shown(facts, statement.value) if 0 in kept else frozenset()
        return kept | added

    def _of_parameter(self, facts: Facts, parameter: ast.AST) -> _Ndims:
        function = facts.parent(facts.parent(parameter) or parameter)
        if not isinstance(parameter, ast.arg) or not isinstance(function, ast.FunctionDef):
            return ANY
        if parameter in self._given:
            return self._given[parameter]
        given = arguments_of_all_calls(function, parameter, facts)
        return frozenset().union(*(self._shown(*each) for each in given)) if given else ANY

    def _of_call(self, facts: Facts, call: ast.Call) -> _Ndims:
        module = facts.value(call.func)
        if isinstance(module, Module):
            is_plain = bool(call.args) and not is_opaque(call)
            before = self._shown(facts, call.args[0]) if is_plain else ANY
            return self.after_layer(facts, module, before)
        found = function_named(call.func, facts)
        bases = module.definition.bases if isinstance(module, Instance) else ()
        # Its objects were called until torch 1.2: ``GradReverse(1.0)(x)``.
        if any(facts.name(base) in FUNCTION_BASES for base in bases):
            found = method_run(call.func, "forward", facts)
        if found is not None:
            return self._returned(facts, call, found)
        return after_call(facts, call, lambda tensor: self._shown(facts, tensor))

    def _part_of_call(self, facts: Facts, call: ast.Call, path: Path) -> _Ndims:
        """What stands at a place of the tuples that a function of the project returns."""
        found = None if is_opaque(call) else function_run(call.func, facts)
        return ANY if found is None else self._returned(facts, call, found, path)

    def _returned(self, facts: Facts, call: ast.Call, at: _At, path: Path = ()) -> _Ndims:
        """What a function of the project makes of what a call gives it."""
        there, function = at
        arguments, bound = function.args, there.classes.gets_object(function)
        given = {
            parameter: self._shown(facts, node)
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
        for part in built.args:
            layer = facts.value(part)
            before = self.after_layer(facts, layer, before) if isinstance(layer, Module) else ANY
        self._passed.discard(built)
        return before

    def _after_forward(self, facts: Facts, owner: ast.ClassDef, before: _Ndims) -> _Ndims:
        """What ``forward`` of a class of the project makes of its first argument."""
        forward = facts.classes.method(owner, "forward")
        if forward is None or len(forward.args.args) < 2:
            return ANY
        return self._inside((facts, forward), {forward.args.args[1]: before})

    def _inside(self, at: _At, given: dict[ast.arg, _Ndims], path: Path = ()) -> _Ndims:
        """What a function returns, at a place of it, where its parameters get something."""
        facts, function = at
        values = values_returned(function)
        if facts.classes.is_wrapped(function) or not values or self._calls >= _MAX_CALLS:
            return ANY
        inside = _Reader(given, self._depth, self._calls + 1)
        parts = [None if node is None else part_of(node, path) for node in values]
        found = [ANY if node is None else inside.read(facts, node) for node in parts]
        return frozenset[int]().union(*found)
