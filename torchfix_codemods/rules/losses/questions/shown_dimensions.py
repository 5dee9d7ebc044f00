"""How many dimensions a tensor can have, as what is done with it shows."""

from __future__ import annotations

import ast
import itertools

from torchfix_codemods.facts.evidence.changes import reshapes
from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.language.branches import tests_passed
from torchfix_codemods.facts.language.scopes import Binding, Path, part_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls
from torchfix_codemods.facts.values.lattice import Number, Tensor
from torchfix_codemods.rules.losses.questions.asked_dimensions import by_use
from torchfix_codemods.rules.losses.questions.called_dimensions import CalledDimensions
from torchfix_codemods.rules.losses.questions.criteria import takes_target
from torchfix_codemods.rules.losses.questions.dimensions.arrays import is_reshaped_array
from torchfix_codemods.rules.losses.questions.dimensions.one_step import after_index
from torchfix_codemods.rules.losses.questions.dimensions.operands import is_column_of
from torchfix_codemods.rules.losses.questions.following_uses import uses_beside
from torchfix_codemods.rules.losses.questions.left_dimensions import (
    after_broadcast,
    after_loop,
    after_product,
    is_number,
)
from torchfix_codemods.rules.losses.questions.ranks import ANY, MANY
from torchfix_codemods.rules.losses.questions.run_modules import (
    given_by_all_applications,
)
from torchfix_codemods.rules.losses.questions.stored_attributes import stored_just_above
from torchfix_codemods.rules.losses.questions.tested_dimensions import (
    by_choices_above,
    by_test,
)
from torchfix_codemods.rules.questions.listed_elements import elements, gone_through

#: Through so many names, calls and operations a tensor is followed.
_MAX_DEPTH = 60
#: And into so many functions in functions.
_MAX_CALLS = 4

_Ndims = frozenset[int]
_Given = dict[ast.arg, _Ndims]


def shown_dimensions(facts: Facts, node: ast.expr) -> frozenset[int]:
    """The numbers of dimensions that a tensor can have: 3 and more of ``x.transpose(0, 2)``.

    Args:
        facts: the facts of the module.
        node: an expression that is a tensor wherever the code runs.

    Returns:
        some of 0 to 5, where 5 stands for more as well.
    """
    return _Reader().read(facts, node)


def after_part(facts: Facts, part: ast.expr, before: frozenset[int]) -> frozenset[int]:
    """The numbers of dimensions behind a part of an ``nn.Sequential`` that is given something.

    Args:
        facts: the facts of the module.
        part: a layer, or ``*layers``.
        before: those of what it is given.
    """
    return _Reader().after_part(facts, part, before) or ANY


class _Reader(CalledDimensions):
    """Reads numbers of dimensions, where what a parameter gets may be known.

    What a loop makes of a tensor has at first none, then what one turn makes of it, and so on.
    """

    def __init__(
        self, given: _Given | None = None, depth: int = 0, calls: int = 0, of_arrays: bool = False
    ) -> None:
        super().__init__(given or {}, of_arrays)
        self._depth = depth
        self._calls = calls
        self._before: dict[ast.expr, _Ndims] = {}
        self._found: dict[ast.expr, _Ndims] = {}
        self._adding: set[ast.AugAssign] = set()

    def read(self, facts: Facts, node: ast.expr) -> _Ndims:
        """What :func:`shown_dimensions` says."""
        while True:
            self._found = {}
            self.shown(facts, node)
            if self._found == self._before:
                return self._found[node] or ANY
            self._before = self._found

    def inside(self, given: _Given, of_arrays: bool) -> _Reader | None:
        """The reader of a function whose parameters get something; None too deep inside."""
        is_deep = self._calls >= _MAX_CALLS
        return None if is_deep else _Reader(given, self._depth, self._calls + 1, of_arrays)

    def knows(self) -> object:
        """What its parameters get, and how deep inside it is."""
        return frozenset(self._given.items()), self._depth, self._calls, self._of_arrays

    def shown(self, facts: Facts, node: ast.expr) -> _Ndims:
        """What is known so far of an expression."""
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
            same = "T" if self._of_arrays else "data"
            stored = node.value if node.attr == same else stored_just_above(facts, node)
            return ANY if stored is None else self.shown(facts, stored)
        if isinstance(node, ast.IfExp):
            return self.shown(facts, node.body) | self.shown(facts, node.orelse)
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.MatMult):
                return after_product(self.shown(facts, node.left), self.shown(facts, node.right))
            return self._broadcast(facts, node.left, node.right)
        if isinstance(node, ast.Compare):
            # What asks for identity, or of several at once, gives True or False.
            return self._broadcast(facts, node.left, node.comparators[0])
        if isinstance(node, ast.UnaryOp):
            return self.shown(facts, node.operand)
        if isinstance(node, ast.Subscript):
            return self._of_item(facts, node)
        return self.of_call(facts, node) if isinstance(node, ast.Call) else ANY

    def _of_item(self, facts: Facts, node: ast.Subscript) -> _Ndims:
        """What ``x[0]`` gives: of a tensor, of a list, of what ``x = f()`` gives several of."""
        place = whole_number(node.slice)
        parts = None if place is None else elements(facts, node.value)
        if parts is not None:
            return frozenset[int]().union(*(self.shown(facts, part) for part in parts))
        found = ANY if place is None else self._of_part(facts, node.value, (place,))
        return after_index(facts, node, self.shown(facts, node.value)) if found == ANY else found

    def _of_part(self, facts: Facts, node: ast.expr, path: Path) -> _Ndims:
        """What stands at a place of the tuples that a call gives, by whatever name."""
        if isinstance(node, ast.Call):
            return self.of_call(facts, node, path)
        found: _Ndims = frozenset()
        for binding in facts.flow.reaching(node) if isinstance(node, ast.Name) else ():
            value = binding.value if binding.kind == "assign" else None
            inside = (*binding.path, *path)
            # Of a list, others may have changed what is written in it.
            written = part_of(value, inside) if isinstance(value, ast.Tuple) else None
            if isinstance(value, ast.Call):
                found |= self._of_part(facts, value, inside)
            else:
                found |= ANY if written is None else self.shown(facts, written)
        return found or ANY

    def _broadcast(self, facts: Facts, *operands: ast.expr) -> _Ndims:
        if any(is_column_of(facts, *pair) for pair in itertools.permutations(operands, 2)):
            return frozenset({2})
        sides = (
            frozenset({0}) if is_number(facts, each) else self.shown(facts, each)
            for each in operands
        )
        return after_broadcast(*sides)

    def _of_name(self, facts: Facts, name: ast.Name) -> _Ndims:
        found = self._bound(facts, name, facts.flow.reaching(name))
        if self._of_arrays:
            return ANY if is_reshaped_array(facts, name) else found
        if changes := reshapes(facts.inference, name):
            # What was asked before may be so no more.
            return found.union(*(self._stored(facts, change) for change in changes))
        for test, came_out in tests_passed(facts.names, name):
            found &= by_test(facts, name, test, came_out)
        for use in uses_beside(facts, name):
            found = found & by_use(facts, use) & (takes_target(facts, use) or ANY) or found
        return found

    def _stored(self, facts: Facts, change: ast.Attribute) -> _Ndims:
        """What ``x.data = y`` makes of x; any other change may leave any dimensions."""
        statement = facts.parent(change)
        if isinstance(statement, ast.Assign) and statement.targets == [change]:
            return self.shown(facts, statement.value)
        return ANY

    def _bound(self, facts: Facts, name: ast.Name, bindings: tuple[Binding, ...]) -> _Ndims:
        found: _Ndims = frozenset()
        for binding in bindings:
            passed = by_choices_above(facts, name, binding, bindings)
            found |= passed & self._of_binding(facts, binding)
        return found if bindings else ANY

    def _of_binding(self, facts: Facts, binding: Binding) -> _Ndims:
        if isinstance(binding.node, ast.AugAssign):
            return self._added_to(facts, binding.node)
        written = binding.written() if binding.kind == "assign" else None
        if written is not None:
            return self.shown(facts, written)
        if binding.kind == "assign" and isinstance(binding.value, ast.Call):
            return self.of_call(facts, binding.value, binding.path)
        if binding.kind == "for" and binding.value is not None:
            return self._of_elements(facts, binding.value, binding.path)
        return self._of_parameter(facts, binding.node)

    def _added_to(self, facts: Facts, statement: ast.AugAssign) -> _Ndims:
        """What ``x += y`` leaves: in place the dimensions of x, unless x was a number."""
        if not isinstance(statement.target, ast.Name):
            return ANY
        if statement in self._adding:
            # The turn before of a loop, which had what all turns have.
            return frozenset()
        name = statement.target
        before = facts.flow.reaching_before(statement, name.id)
        self._adding.add(statement)
        kept = self._bound(facts, name, before)
        self._adding.discard(statement)
        added = self.shown(facts, statement.value) if 0 in kept else frozenset()
        return kept | added

    def _of_parameter(self, facts: Facts, parameter: ast.AST) -> _Ndims:
        function = facts.parent(facts.parent(parameter) or parameter)
        if not isinstance(parameter, ast.arg) or not isinstance(function, ast.FunctionDef):
            return ANY
        if parameter in self._given:
            return self._given[parameter]
        given = arguments_of_all_calls(function, parameter, facts)
        given = given or given_by_all_applications(facts, function, parameter)
        return frozenset().union(*(self.shown(*each) for each in given)) if given else ANY

    def _of_elements(self, facts: Facts, iterated: ast.expr, path: Path) -> _Ndims:
        """What the elements have that a loop goes through: a list, or a tensor."""
        listed = gone_through(facts, iterated, path)
        parts = None if listed is None else elements(facts, listed)
        if parts is not None:
            return frozenset[int]().union(*(self.shown(facts, part) for part in parts))
        if listed is None or not isinstance(facts.value(listed), Tensor):
            return ANY
        return after_loop(self.shown(facts, listed))
