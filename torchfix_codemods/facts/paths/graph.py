"""The graph of values: what takes the value of an expression, and which expressions have it then.

Every way of Python that a value can go stands here, once: names, attributes, containers, calls and
what they return, loops. What an operation makes of a value is no matter of the graph: whoever walks
it asks the tables. A question about where values go says what each use means for it
(:mod:`torchfix_codemods.facts.paths.walk`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from torchfix_codemods.facts.evaluation.parameters import call_sites
from torchfix_codemods.facts.evaluation.reached_returns import is_left_out
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import function_named, function_run
from torchfix_codemods.facts.paths.uses import (
    augmented,
    is_formatting,
    is_read_first,
    parameter_bindings,
    uses_of,
)
from torchfix_codemods.record import record

Step = int | str
"""Where in a container a value lies: a position, or the key of a dict; ``"*"`` is any place."""

Content = tuple[Step, ...]
"""Where in a value another one lies, outermost first; ``()`` is the value itself."""

Calling = tuple[Facts, ast.FunctionDef, ast.Call, "Calling | None"]
"""A call of a function, with the file that it stands in, and the call of what it stands in."""

Kind = Literal[
    "added",
    "argument",
    "asked",
    "attribute",
    "augmented",
    "bound",
    "chosen",
    "compared",
    "element",
    "formatted",
    "index",
    "item",
    "iterated",
    "method",
    "operand",
    "other",
    "put into",
    "returned",
    "statement",
    "tested",
    "unpacked",
    "yielded",
]
"""How a value is taken.

========== ===================================================================================
added      ``total += value``
argument   ``f(value)``, ``f(x=value)``; ``by`` is the call
asked      ``value is None``, ``value in kept``
attribute  ``value.attr``, which is not called
augmented  ``value += …``: the name goes on from it
bound      ``name = value``, ``x.attr = value``, ``x[…] = value``; ``by`` is the statement
chosen     ``value if … else …``, ``value or …``, ``await value``, ``*value``
compared   ``value < …``
element    ``[value]``, ``{k: value}``, ``[value for … in …]``
formatted  ``f"{value}"``, ``"%s" % value``, ``"%s %s" % (value, …)``
index      ``x[value]``, ``x[value:]``
item       ``value[…]``
iterated   ``for … in value``
method     ``value.method(…)``: ``by`` is the call
operand    ``value + …``, ``-value``
other      whatever else: what is called, deleted, raised
put into   ``value[…] = …``, ``value.attr = …``
returned   ``return value``
statement  ``value`` alone
tested     ``if value:``, ``not value``, ``assert value``
unpacked   ``a, b = value``, where the value is no tuple or list that was followed
yielded    ``yield value``
========== ===================================================================================
"""


@record(eq=False)
class Place:
    """An expression that has a value, or that holds one.

    Attributes:
        facts: what is known of its file.
        node: the expression.
        content: where in it the value lies.
        calling: the call that is meant of the function around; without one, all of them are.
    """

    facts: Facts
    node: ast.expr
    content: Content = ()
    calling: Calling | None = None


@record(eq=False)
class Use:
    """What takes a value.

    Attributes:
        place: the expression that has it.
        kind: how it is taken.
        by: what takes it: an expression, or a statement.
    """

    place: Place
    kind: Kind
    by: ast.AST

    @property
    def facts(self) -> Facts:
        return self.place.facts

    @property
    def node(self) -> ast.expr:
        return self.place.node

    @property
    def is_for_identity(self) -> bool:
        """``value is other``: whether it is this very object."""
        operators = self.by.ops if isinstance(self.by, ast.Compare) else ()
        return any(isinstance(operator, (ast.Is, ast.IsNot)) for operator in operators)

    def result(self) -> Iterator[Place]:
        """The expression that takes the value, as far as that one has it then."""
        if isinstance(self.by, ast.expr) and (content := _content_after(self)) is not None:
            yield Place(self.facts, self.by, content)

    def targets(self) -> Iterator[tuple[ast.expr, Content]]:
        """The names, attributes and items that a statement gives the value, or a part of it.

        Each with the place where the value lies in what it is given.
        """
        content = self.place.content
        if self.kind == "iterated":
            content = content[1:]
        if self.kind in ("added", "augmented", "bound", "iterated", "unpacked"):
            for target in _targets(self.by):
                yield from _parts_of(target, content)

    def named(self) -> Iterator[Place]:
        """Where the names that a statement gives the value, or a part of it, are read."""
        for target, content in self.targets():
            yield from self._reads_of(target, content)

    def _reads_of(self, target: ast.expr, content: Content) -> Iterator[Place]:
        if isinstance(target, ast.Name):
            for binding in _bindings_of(self.facts, target, self.by):
                yield from reads(self.facts, binding, content)

    def held(self) -> Iterator[Place]:
        """Where the names and attributes that hold the value now, and what keeps it, are read."""
        for target, content in self.targets():
            yield from self._reads_of(target, content)
            if not isinstance(target, ast.Name):
                yield from kept_in(self.facts, target, content)
        if self.kind == "argument" and isinstance(self.by, ast.Call):
            method = self.by.func
            if isinstance(method, ast.Attribute) and container_methods.keeps(method.attr):
                yield from kept_in(self.facts, method.value, ("*", *self.place.content))

    def returned(self) -> Iterator[Place]:
        """The calls in this file whose result the value is, or is a part of."""
        function = self.facts.names.enclosing_function(self.by)
        if self.kind in ("returned", "yielded") and function is not None:
            content, inference = self.place.content, self.facts.inference
            inside = ("*", *content) if self.kind == "yielded" else content
            for call in call_sites(inference, function):
                plain = function if isinstance(function, ast.FunctionDef) else None
                if plain is None or not is_left_out(inference, plain, call, self.by):
                    yield Place(self.facts, call, inside)

    def onward(self) -> Iterator[Place]:
        """All expressions of the file that have the value next, whatever is made of it there."""
        yield from self.result()
        yield from self.held()
        yield from self.returned()
        yield from (place for place in self.taken() if place.facts is self.facts)

    def callee(self) -> tuple[Facts, ast.FunctionDef] | None:
        """The function of the project that is given the value, and its file.

        Of a class that is its constructor, of a module its ``forward``.
        """
        if self.kind != "argument" or not isinstance(self.by, ast.Call):
            return None
        return function_run(self.by.func, self.facts) or function_named(self.by.func, self.facts)

    def parameters(self) -> list[tuple[Facts, Binding]]:
        """The parameter of a function of the project that gets the value, in its file.

        There is none where that function is not known, or not which of its parameters it is.
        """
        found = self.callee()
        if found is None or not isinstance(self.by, ast.Call):
            return []
        return [(found[0], b) for b in parameter_bindings(*found, self.by, self.node, self.facts)]

    def taken(self) -> Iterator[Place]:
        """Where the function of the project that is given the value reads it."""
        for there, binding in self.parameters():
            yield from reads(there, binding, self.place.content)


def use_of(place: Place) -> Use:
    """What takes the value of an expression."""
    kind, by = _taken(place.facts, place.node, place.facts.parent(place.node))
    is_taken_apart = kind == "bound" and not place.content and _has_parts(by)
    return Use(place, "unpacked" if is_taken_apart else kind, by)


def _has_parts(by: ast.AST) -> bool:
    return any(isinstance(target, (ast.Tuple, ast.List)) for target in _targets(by))


def reads(facts: Facts, binding: Binding, content: Content = ()) -> Iterator[Place]:
    """The places that read what a name is bound to, ``name += …`` among them."""
    for use in uses_of(facts, binding):
        yield Place(facts, use, content)
    for other in augmented(facts, binding):
        assert isinstance(other.node, ast.AugAssign)
        yield Place(facts, other.node.target, content)


def _taken(facts: Facts, node: ast.expr, parent: ast.AST | None) -> tuple[Kind, ast.AST]:
    if isinstance(parent, ast.Attribute):
        return _of_attribute(facts, parent)
    if isinstance(parent, ast.Call):
        return ("other" if parent.func is node else "argument"), parent
    if isinstance(parent, ast.keyword):
        call = facts.parent(parent)
        return "argument" if isinstance(call, ast.Call) else "other", call or parent
    if isinstance(parent, ast.Subscript):
        if parent.slice is node:
            return "index", parent
        return "item" if isinstance(parent.ctx, ast.Load) else "put into", parent
    if isinstance(parent, ast.Slice):
        outer = facts.parent(parent)
        return "index", (facts.parent(outer) if isinstance(outer, ast.Tuple) else outer) or parent
    if isinstance(parent, ast.BinOp):
        return ("formatted" if is_formatting(facts, parent, node) else "operand"), parent
    if isinstance(parent, ast.UnaryOp):
        return ("tested" if isinstance(parent.op, ast.Not) else "operand"), parent
    if isinstance(parent, ast.Compare):
        is_asked = any(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in parent.ops)
        return ("asked" if is_asked else "compared"), parent
    if isinstance(parent, ast.IfExp):
        return ("tested" if parent.test is node else "chosen"), parent
    if isinstance(parent, (ast.BoolOp, ast.Await, ast.Starred)):
        return "chosen", parent
    if isinstance(parent, ast.FormattedValue):
        return "formatted", parent
    if isinstance(parent, (ast.Tuple, ast.List, ast.Set, ast.Dict)):
        return _of_display(facts, node, parent)
    if isinstance(parent, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        return "element", parent
    if isinstance(parent, ast.comprehension):
        return ("iterated" if parent.iter is node else "tested"), parent
    if isinstance(parent, (ast.Yield, ast.YieldFrom)):
        return "yielded", parent
    return _of_statement(node, parent)


def _of_statement(node: ast.expr, parent: ast.AST | None) -> tuple[Kind, ast.AST]:
    by = node if parent is None else parent
    if isinstance(parent, (ast.If, ast.While, ast.Assert)):
        return "tested", by
    if isinstance(parent, ast.Expr):
        return "statement", by
    if isinstance(parent, ast.Return):
        return "returned", by
    if isinstance(parent, ast.AugAssign):
        return ("added" if parent.value is node else "augmented"), by
    if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.withitem)):
        return "bound", by
    if isinstance(parent, (ast.For, ast.AsyncFor)):
        return "iterated", by
    return "other", by


def _of_attribute(facts: Facts, attribute: ast.Attribute) -> tuple[Kind, ast.AST]:
    call = facts.parent(attribute)
    if isinstance(call, ast.Call) and call.func is attribute:
        return "method", call
    return ("attribute" if isinstance(attribute.ctx, ast.Load) else "put into"), attribute


def _of_display(
    facts: Facts, node: ast.expr, display: ast.Tuple | ast.List | ast.Set | ast.Dict
) -> tuple[Kind, ast.AST]:
    outer = facts.parent(display)
    if isinstance(outer, ast.BinOp) and is_formatting(facts, outer, display):
        return "formatted", outer
    if isinstance(outer, ast.Subscript) and outer.slice is display:
        return "index", outer
    is_key = isinstance(display, ast.Dict) and node not in display.values
    return ("other" if is_key else "element"), display


def _content_after(use: Use) -> Content | None:
    """Where in what takes a value it lies then; None where it does not."""
    content, by = use.place.content, use.by
    if use.kind == "argument" and content:
        builtin = use.facts.names.builtin(by.func) if isinstance(by, ast.Call) else None
        if builtin in ("enumerate", "zip"):
            at = 1 if builtin == "enumerate" else _position(use.node, by)
            return content[0], at, *content[1:]
    if use.kind == "element":
        return (_step_of(use.node, by), *content)
    if use.kind == "item" and isinstance(by, ast.Subscript) and content:
        return content[1:] if _may_be(content[0], by.slice) else None
    return content


def _step_of(node: ast.expr, display: ast.AST) -> Step:
    if isinstance(display, (ast.Tuple, ast.List)):
        position = display.elts.index(node)
        before = display.elts[:position]
        return "*" if any(isinstance(each, ast.Starred) for each in before) else position
    if isinstance(display, ast.Dict):
        key = display.keys[display.values.index(node)]
        if isinstance(key, ast.Constant) and isinstance(key.value, (int, str)):
            return key.value
    return "*"


def _position(node: ast.expr, call: ast.AST) -> Step:
    given = call.args if isinstance(call, ast.Call) else []
    is_plain = node in given and not any(isinstance(each, ast.Starred) for each in given)
    return given.index(node) if is_plain else "*"


def _may_be(step: Step, index: ast.expr) -> bool:
    """Whether an item may be the one that lies at a place; -1 may be any."""
    return step == "*" or not isinstance(index, ast.Constant) or bool(index.value == step)


def _bindings_of(facts: Facts, target: ast.Name, by: ast.AST) -> list[Binding]:
    found = facts.names.scope_of(target).lookup(target.id)
    binds = facts.parent(by) if isinstance(by, ast.withitem) else by
    return [] if found is None else [b for b in found[1] if b.node is binds]


def _targets(by: ast.AST) -> list[ast.expr]:
    if isinstance(by, ast.Assign):
        return by.targets
    if isinstance(by, (ast.AnnAssign, ast.AugAssign, ast.For, ast.AsyncFor, ast.comprehension)):
        return [by.target]
    if isinstance(by, ast.NamedExpr):
        return [by.target]
    return [by.optional_vars] if isinstance(by, ast.withitem) and by.optional_vars else []


def _parts_of(target: ast.expr, content: Content) -> Iterator[tuple[ast.expr, Content]]:
    """The targets that get a value, or a part of it: the parts of a value itself are that."""
    if isinstance(target, ast.Starred):
        yield from _parts_of(target.value, ("*", *content) if content else ())
    elif isinstance(target, (ast.Tuple, ast.List)):
        is_open = any(isinstance(element, ast.Starred) for element in target.elts)
        for position, element in enumerate(target.elts):
            if is_open or not content or content[0] in ("*", position):
                yield from _parts_of(element, content[1:])
    else:
        yield target, content


def kept_in(facts: Facts, keeper: ast.expr, content: Content = ()) -> Iterator[Place]:
    """Where what keeps a value is read: ``x`` of ``x[…] = value`` and of ``x.append(value)``."""
    while isinstance(keeper, ast.Subscript):
        index = keeper.slice
        is_known = isinstance(index, ast.Constant) and isinstance(index.value, (int, str))
        content = (index.value if is_known else "*", *content)  # type: ignore[attr-defined]
        keeper = keeper.value
    if isinstance(keeper, (ast.Tuple, ast.List)):
        for element in keeper.elts:
            yield from kept_in(facts, element, content)
    elif isinstance(keeper, ast.Name):
        is_read = isinstance(keeper.ctx, ast.Load)
        found = None if is_read else facts.names.scope_of(keeper).lookup(keeper.id)
        for binding in facts.flow.reaching(keeper) if found is None else found[1]:
            for place in reads(facts, binding, content):
                if not is_read_first(facts, place.node, keeper, binding):
                    yield place
    elif isinstance(keeper, ast.Attribute):
        for node in facts.names.attributes(keeper.attr):
            if isinstance(node.ctx, ast.Load):
                yield Place(facts, node, content)
