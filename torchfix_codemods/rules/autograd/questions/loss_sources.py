"""Which modules and parameters a loss is calculated with."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods, torch_effects, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.writes import is_parameter
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Function, Module, Unknown, Value
from torchfix_codemods.facts.values.torch_api import MAKE_ANEW
from torchfix_codemods.record import record
from torchfix_codemods.rules.autograd.questions.parts_used import class_of_module, parts_used

_DATA = frozenset({"for", "parameter", "import", "function", "class", "except", "delete", "other"})

#: A chain of assignments is followed so far.
_MOST_FOLLOWED = 60

#: Expressions that hand on the graphs of the expressions below them.
_PLAIN = (
    *(ast.BinOp, ast.UnaryOp, ast.IfExp, ast.BoolOp, ast.Tuple, ast.List, ast.Dict, ast.Starred),
    *(ast.ListComp, ast.GeneratorExp, ast.comprehension, ast.NamedExpr),
)


@record
class Sources:
    """Modules and parameters that a loss was calculated with, as the code writes them."""

    found: frozenset[str]
    """``{"net", "net.head", "net[0]"}``: of a module of the project the parts that its method
    uses, of several results the one that is used: of other modules ``net.forward[0]``, where that
    is written."""
    unclear: frozenset[str]
    """Modules of the project of which it cannot be seen what their method uses."""


def sources_of(loss: ast.expr, facts: Facts) -> Sources | None:
    """What a loss was calculated with; None where a function is called that may use anything."""
    trace = _Trace(facts, loss)
    trace.follow(loss)
    if trace.is_lost:
        return None
    return Sources(frozenset(trace.found), frozenset(trace.unclear))


class _Trace:
    """The way back from a loss, through what its function assigns."""

    def __init__(self, facts: Facts, loss: ast.expr) -> None:
        self.found: set[str] = set()
        self.unclear: set[str] = set()
        self.is_lost = False
        self._depth = 0
        self._facts = facts
        function = facts.names.enclosing_function(loss)
        around = facts.tree if function is None else function
        self._stored = facts.remembered(("stored", around), lambda: _stores_in(around))
        self._seen: set[tuple[object, object]] = set()

    def follow(self, node: ast.expr | ast.comprehension, at: object = None) -> None:
        """Note what ``node``, or its item ``at`` where it holds several, was calculated with."""
        if isinstance(node, ast.expr) and is_parameter(node, self._facts):
            self.found.add(ast.unparse(node))
        elif isinstance(node, ast.Name):
            for binding in self._facts.flow.reaching(node):
                self._follow_binding(binding, at)
            self._follow_stores(node)
        elif isinstance(node, ast.Attribute):
            self._follow_attribute(node)
        elif isinstance(node, ast.Subscript):
            index = constant(node.slice)
            self.follow(node.value, index if isinstance(index, int) else None)
        elif isinstance(node, ast.Call):
            self._follow_call(node, at)
        elif isinstance(node, (ast.Tuple, ast.List)) and isinstance(at, int):
            self._follow_all(node.elts[at : at + 1] or node.elts)
        elif isinstance(node, _PLAIN):
            self._follow_all(_below(node))

    def _follow_all(self, nodes: Iterable[ast.expr | ast.comprehension]) -> None:
        for node in nodes:
            self.follow(node)

    def _follow_binding(self, binding: Binding, at: object) -> None:
        if binding.kind == "for" and binding.value is not None:
            self._once(binding, None, binding.value)
        elif binding.kind not in _DATA and binding.value is not None:
            if not is_under_no_grad(binding.node, self._facts):
                self._once(binding, binding.path[0] if binding.path else at, binding.value)
        if binding.kind == "augassign" and isinstance(binding.node, ast.AugAssign):
            for before in self._facts.flow.reaching_before(binding.node, binding.name):
                self._follow_binding(before, at) if before is not binding else None

    def _once(self, key: object, at: object, value: ast.expr) -> None:
        if (key, at) in self._seen:
            return
        self._seen.add((key, at))
        if self._depth == _MOST_FOLLOWED:
            self.is_lost = True
            return
        self._depth += 1
        self.follow(value, at)
        self._depth -= 1

    def _follow_stores(self, name: ast.Name) -> None:
        """What is put into a list or a dict: ``losses.append(x)``, ``losses["a"] = x``."""
        for value in self._stored.get(f"{name.id}[]", ()):
            self._once(value, None, value)

    def _follow_attribute(self, node: ast.Attribute) -> None:
        """``self.loss``, by what the same function assigns to it."""
        if torch_effects.cuts_graph(node.attr):
            return
        stored = self._stored.get(ast.unparse(node), [])
        for value in stored:
            self._once(value, None, value)
        if not stored and node.attr in self._facts.names.assigned_attributes:
            # A method out of sight may have given it a graph.
            self.is_lost |= isinstance(self._facts.value(node), Unknown)

    def _follow_call(self, call: ast.Call, at: object) -> None:
        function, facts = call.func, self._facts
        name = facts.name(function)
        if name is not None and (name in MAKE_ANEW or is_foreign(name)):
            return
        if name is not None or facts.names.builtin(function) is not None:
            self._follow_all(values_given(call))
            return
        if isinstance(function, ast.Attribute) and torch_effects.cuts_graph(function.attr):
            return
        value = facts.value(function)
        made = value.value if isinstance(value, Imported) else value
        if isinstance(made, Function) or _is_own_method(function, value, facts):
            self.is_lost = True
        elif isinstance(function, ast.Attribute) and not isinstance(value, Module):
            holder = facts.value(function.value)
            if isinstance(holder, Module) or not torch_table.is_method(function.attr):
                self._note(function, at)
            else:
                self.follow(function.value)
        else:
            self._note(function, at)
        self._follow_all(values_given(call))

    def _note(self, function: ast.expr, at: object) -> None:
        """Note a module that is called, or a method of one: its parts, where they can be seen."""
        holder, method = function, "forward"
        if isinstance(function, ast.Attribute):
            if not isinstance(self._facts.value(function), Module):
                holder, method = function.value, function.attr
        text = ast.unparse(holder if method == "forward" else function)
        seen = class_of_module(self._facts.value(holder), self._facts)
        if isinstance(at, int):
            self.found.add(f"{text if seen else ast.unparse(function)}[{at}]")
            return
        if seen is None:
            self.found.add(text)
            return
        parts = parts_used(*seen, method)
        if parts is None:
            self.unclear.add(text)
        else:
            self.found |= {f"{ast.unparse(holder)}.{part}" for part in parts}


def _below(node: ast.AST) -> Iterator[ast.expr | ast.comprehension]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.expr, ast.comprehension)):
            yield child


def _stores_in(function: ast.AST) -> dict[str, list[ast.expr]]:
    """What a function assigns to attributes, and what it puts into lists and dicts (``"xs[]"``)."""
    found: dict[str, list[ast.expr]] = {}
    for node in own_nodes(function):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in container_methods.keeping("list"):
                found.setdefault(f"{ast.unparse(node.func.value)}[]", []).extend(node.args)
        elif isinstance(node, (ast.Assign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            assert isinstance(node, (ast.Assign, ast.AugAssign))
            if isinstance(target, ast.Subscript):
                found.setdefault(f"{ast.unparse(target.value)}[]", []).append(node.value)
            elif isinstance(target, ast.Attribute):
                found.setdefault(ast.unparse(target), []).append(node.value)
    return found


def _is_own_method(function: ast.expr, value: Value, facts: Facts) -> bool:
    """``self.loss_of`` of a class, which may call whatever the object holds."""
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return False
    definition = facts.names.enclosing_class(function)
    if definition is None or isinstance(value, Module):
        return False
    method = facts.names.enclosing_function(function)
    is_self = isinstance(method, ast.FunctionDef) and (
        facts.classes.self_name(method) == function.value.id
    )
    return is_self and not facts.classes.attribute_sources(definition, function.attr)
