"""What is to be said of a legacy function that is left to a person."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.nodes import is_docstring
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.named import is_self, line_named
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Instance, Value
from torchfix_codemods.rules.autograd.questions.legacy.functions import is_super_call, methods_of
from torchfix_codemods.rules.autograd.questions.legacy.kept_outputs import kept_outputs
from torchfix_codemods.rules.autograd.questions.legacy.moved_arguments import (
    is_without_arguments,
    said_of_constructor,
)
from torchfix_codemods.text.wording import listed

#: Functions of torch that projects made and called: what their constructors took, with what that
#: was by itself.
OF_TORCH = {
    "Broadcast": {"target_gpus": ""},
    "Gather": {"target_device": "", "dim": "0"},
    "ReduceAddCoalesced": {"destination": "", "num_inputs": ""},
    "Scatter": {"target_gpus": "", "chunk_sizes": "None", "dim": "0"},
}
#: A longer call is not written out.
_LONGEST_CALL = 60
_KNOWN = frozenset({"__init__", "forward", "backward"})


def further_advice(facts: Facts, node: ast.ClassDef) -> Iterator[str]:
    """What there is to do besides ``@staticmethod``, ``ctx`` and ``apply``.

    Args:
        facts: what is known of the file.
        node: a legacy function.
    """
    methods = methods_of(node)
    constructor = methods.get("__init__")
    kept_on = next(_kept_between_calls(facts, methods["forward"]), None)
    if kept_on is not None and not _is_made_for_each_call(facts, node):
        yield f"keep {kept_on} outside, as ctx is new in each call"
    elif constructor is not None and _does_something(constructor):
        yield said_of_constructor(constructor, methods["forward"], methods.get("backward"), facts)
    if all(method.args.args for method in methods.values()):
        kept = kept_outputs(facts, methods).left
        if kept is not None:
            yield f"keep {kept} by ctx.save_for_backward(...): ctx.{kept} would hold its memory"
    read = dict(_read_outside(facts, node))
    if read:
        yield f"{next(iter(read.values()))} cannot read {' and '.join(read)} of it then"
    called = dict(reversed([*_called_by_hand(facts, node)]))
    if called:
        methods_called = " and ".join(sorted(called, reverse=True))
        yield f"then {called[max(called)]} cannot call {methods_called} by hand"
    runs = _run(facts, methods)
    if own := sorted(runs.keys() - _KNOWN):
        kind = "a function" if len(own) == 1 else "functions"
        yield f"make {listed(own)} {kind}, as ctx has no such method{'s' * (len(own) > 1)}"
    if of_class := sorted(set(_of_class(facts, node, runs))):
        written = listed([f"{node.name}.{name} for {read}" for name, read in of_class])
        yield f"write {written}, as ctx has nothing of the class"


def called_by(node: ast.ClassDef) -> str:
    """What to write for the objects of a legacy function, which may be kept and called later."""
    constructor = methods_of(node).get("__init__")
    if constructor is None or is_without_arguments(constructor):
        return f"{node.name}.apply for {node.name}()"
    return f"{node.name}.apply(...)"


def _kept_between_calls(facts: Facts, forward: ast.FunctionDef) -> Iterator[str]:
    """``self.L`` of ``if self.L is None: self.L = …``, which only the first call does, and of
    ``self.L += 1``, which counts the calls."""
    for choice in ast.walk(forward):
        if isinstance(choice, ast.AugAssign):
            target = choice.target
            if isinstance(target, ast.Attribute) and is_self(facts, target.value):
                yield ast.unparse(target)
        if not isinstance(choice, ast.If):
            continue
        missing = _missing(choice.test)
        for node in (n for statement in choice.body for n in ast.walk(statement)):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                if isinstance(node.value, ast.Name) and is_self(facts, node.value):
                    if ast.unparse(node) == missing:
                        yield missing


def _is_made_for_each_call(facts: Facts, node: ast.ClassDef) -> bool:
    """Whether all that is done with a function is ``F(n)(x)``: no object lives for two calls."""
    files = (facts, *others_with(node.name, facts))
    if any(True for there in files for _ in there.names.attributes(node.name)):
        return False
    uses = [
        (there, use)
        for there in files
        for scope in there.names.scopes_using(node.name)
        for use in scope.uses[node.name]
        if not _is_asked_for_parent(there, use)
    ]
    return bool(uses) and all(_is_called_at_once(there, use) for there, use in uses)


def _is_asked_for_parent(facts: Facts, use: ast.Name) -> bool:
    around = facts.parent(use)
    return isinstance(around, ast.Call) and facts.names.builtin(around.func) == "super"


def _is_called_at_once(facts: Facts, use: ast.Name) -> bool:
    made = facts.parent(use)
    called = facts.parent(made) if isinstance(made, ast.Call) and made.func is use else None
    return isinstance(called, ast.Call) and called.func is made


def _run(facts: Facts, methods: Mapping[str, ast.FunctionDef]) -> dict[str, ast.FunctionDef]:
    """The methods of a function that run when it is called, with those that they call on it."""
    pending = [name for name in ("forward", "backward", "__init__") if name in methods]
    runs = dict[str, ast.FunctionDef]()
    while pending:
        name = pending.pop()
        runs[name] = methods[name]
        pending += {*_own_called(facts, methods[name])} & methods.keys() - {*runs}
    return runs


def _own_called(facts: Facts, method: ast.FunctionDef) -> Iterator[str]:
    """The names of what a method calls on ``self``."""
    for node in ast.walk(method):
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            if is_self(facts, function.value):
                yield function.attr


def _of_class(
    facts: Facts, node: ast.ClassDef, runs: Mapping[str, ast.FunctionDef]
) -> Iterator[tuple[str, str]]:
    """``kernel`` and ``self.kernel`` of what only the class holds, as ``kernel = None`` in it."""
    held = {
        target.id
        for statement in node.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    parts = [part for method in runs.values() for part in ast.walk(method)]
    own = [
        part
        for part in parts
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)
        if is_self(facts, part.value)
    ]
    stored = {part.attr for part in own if isinstance(part.ctx, ast.Store)}
    yield from ((p.attr, ast.unparse(p)) for p in own if p.attr in held - stored)


def _missing(test: ast.expr) -> str | None:
    """``self.L`` of ``self.L is None`` and of ``not self.L``."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return ast.unparse(test.operand)
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is):
        return ast.unparse(test.left) if constant(test.comparators[0]) is None else None
    return None


def _read_outside(facts: Facts, node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """What ``forward`` stores and code outside reads of an object, and in which line."""
    forward = methods_of(node)["forward"]
    stored = {
        target.attr
        for target in ast.walk(forward)
        if isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store)
        if isinstance(target.value, ast.Name) and is_self(facts, target.value)
    }
    for there in (facts, *others_with(node.name, facts)):
        for name in sorted(stored):
            for attribute in there.names.attributes(name):
                root = attribute.value
                if not isinstance(attribute.ctx, ast.Load) or not isinstance(root, ast.Name):
                    continue
                if not is_self(there, root) and _is_object_of(there.value(root), node):
                    yield name, line_named(attribute, there, facts)


def _does_something(constructor: ast.FunctionDef) -> bool:
    return any(
        not is_super_call(s) and not isinstance(s, ast.Pass) and not is_docstring(s)
        for s in constructor.body
    )


def _called_by_hand(facts: Facts, node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """The methods of a function that code calls itself, here or in another file, and where."""
    for there in (facts, *others_with(node.name, facts)):
        for method in ("forward", "backward"):
            for attribute in there.names.attributes(method):
                is_inside = there is facts and node in facts.names.ancestors(attribute)
                if not is_inside and _is_object_of(there.value(attribute.value), node):
                    yield method, line_named(attribute, there, facts)


def _is_object_of(value: Value, node: ast.ClassDef) -> bool:
    """Whether a value is an object of a class, which may be another file's."""
    if isinstance(value, Imported):
        there = value.value
        return isinstance(there, Instance) and there.definition.name == node.name
    return isinstance(value, Instance) and value.definition is node


def applied(function: str, made: ast.Call, call: ast.Call) -> str:
    """What is written for a function of torch: ``Broadcast.apply(ids, x)``, made of both calls.

    Args:
        function: its name.
        made: the call that makes it.
        call: the call of what is made.
    """
    parts = [
        ast.unparse(given) if (given := argument(made, place, name)) is not None else default
        for place, (name, default) in enumerate(OF_TORCH[function].items())
    ]
    written = f"{function}.apply({', '.join([*parts, *map(ast.unparse, call.args)])})"
    if is_opaque(made) or call.keywords or "" in parts or len(written) > _LONGEST_CALL:
        return f"{function}.apply(...), and give it what {function}(...)(...) gets, in that order"
    return written
