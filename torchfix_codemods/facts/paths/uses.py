"""Where a value goes: the uses of a name, and whether a number could stand for a tensor there."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from string import Formatter

from torchfix_codemods.facts.evaluation.parameters import parameters_given
from torchfix_codemods.facts.language.arguments import call_taking, is_opaque
from torchfix_codemods.facts.language.nodes import LOOPS, walk
from torchfix_codemods.facts.language.scopes import Binding, Scope
from torchfix_codemods.facts.libraries import python_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import gets_object_before
from torchfix_codemods.facts.values.lattice import Text
from torchfix_codemods.patterns import lazy_pattern

#: ``%s`` and ``%(name)-8r`` of a text to format.
_TEXT_FORM = lazy_pattern(r"%(\(\w+\))?[-#0 +.*\d]*[sr]")


_FIELD_PART = lazy_pattern(r"[.\[]")


#: Statements whose parts run whenever they do, or once for each element.
_RUNS_PARTS = (
    *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return),
    *(ast.For, ast.With),
)


def uses_of(facts: Facts, binding: Binding) -> Iterator[ast.Name]:
    """The places that may read the value which ``binding`` gives to its name."""
    for use in facts.names.uses_of(_holder(facts, binding), binding.name):
        if binding in facts.flow.reaching(use):
            yield use


def is_read_first(facts: Facts, use: ast.expr, store: ast.expr, binding: Binding) -> bool:
    """Whether a use of what a name is bound to comes before a store into it, in each round.

    ``parts[0]`` of ``parts[0] = parts[0].data``, where the loop around gives ``parts`` anew first.
    """
    names = facts.names
    made, stored, used = binding.node, names.statement(store), names.statement(use)
    if not isinstance(made, ast.stmt) or names.scope_of(use) is not names.scope_of(store):
        return False
    if names.scope_of(made) is not names.scope_of(store):
        return False
    place = (used.lineno, used.col_offset)
    is_above = made.lineno < used.lineno and place <= (stored.lineno, stored.col_offset)
    loops = [
        next((around for around in names.ancestors(node) if isinstance(around, LOOPS)), None)
        for node in (made, stored)
    ]
    block = facts.block(made)
    return (
        is_above
        and loops[0] is loops[1]
        and any(part in block for part in (stored, *names.ancestors(stored)))
    )


def uses_of_attribute(facts: Facts, target: ast.Attribute) -> list[ast.Attribute]:
    """The places of a class that read the ``self.name`` which one of its methods assigns.

    There are none where that is no attribute of the method's own object.
    """
    method = facts.names.enclosing_function(target)
    owner = None if method is None else facts.parent(method)
    if method is None or not isinstance(owner, ast.ClassDef):
        return []
    if not isinstance(target.value, ast.Name) or facts.classes.self_name(method) != target.value.id:
        return []
    text = ast.unparse(target)
    return [
        node
        for node in walk(owner)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and node.attr == target.attr
        and ast.unparse(node) == text
    ]


def _holder(facts: Facts, binding: Binding) -> Scope:
    """The scope that holds the name of a binding."""
    return facts.names.remembered(_holders, lambda: _holders(facts))[binding]


def _holders(facts: Facts) -> dict[Binding, Scope]:
    return {
        binding: scope
        for scope in facts.names.scopes.values()
        for bindings in scope.bindings.values()
        for binding in bindings
    }


def bindings_by(facts: Facts, statement: ast.AST, name: str) -> list[Binding]:
    """The bindings that ``statement``, or a comprehension, makes of ``name``."""
    found = facts.names.scope_of(statement).lookup(name)
    return [] if found is None else [b for b in found[1] if b.node is statement]


def uses_given_by(facts: Facts, statement: ast.AST, name: str) -> list[ast.Name]:
    """The places that may read what ``statement``, or a comprehension, gives to ``name``."""
    return [use for b in bindings_by(facts, statement, name) for use in uses_of(facts, b)]


def uses_run_after(facts: Facts, node: ast.expr | ast.AugAssign) -> Iterator[ast.Name]:
    """Where a name that a number is given to is read, which happens whenever it is given.

    Args:
        facts: the facts of the module.
        node: what is calculated: all of what an assignment gives, or ``n /= 2``.
    """
    statement = node if isinstance(node, ast.AugAssign) else facts.parent(node)
    if isinstance(statement, ast.Assign) and statement.value is node:
        targets = statement.targets
    else:
        targets = [statement.target] if isinstance(statement, ast.AugAssign) else []
    for target in targets:
        if isinstance(target, ast.Name) and statement is not None:
            for use in uses_given_by(facts, statement, target.id):
                if len(facts.flow.reaching(use)) == 1 and _runs_after(use, statement, facts):
                    yield use


def _runs_after(use: ast.Name, statement: ast.AST, facts: Facts) -> bool:
    """Whether nothing between a statement and a use decides whether that is reached."""
    block = facts.parent(statement)
    return block is not None and runs_with(use, block, facts)


def runs_with(use: ast.AST, around: ast.AST, facts: Facts) -> bool:
    """Whether nothing between a use and what is around it decides whether that is reached.

    Args:
        use: an expression.
        around: a statement, or a block of them, that it is in.
        facts: the facts of the module.
    """
    return any(other is around for other in _always_around(use, facts))


def _always_around(use: ast.AST, facts: Facts) -> Iterator[ast.AST]:
    """What is around a use, out to what may leave it out."""
    for around in facts.names.ancestors(use):
        yield around
        is_other = isinstance(around, ast.stmt) and not isinstance(around, _RUNS_PARTS)
        if is_other or isinstance(around, (ast.IfExp, ast.BoolOp, ast.Lambda)):
            return


def is_called(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is what a call calls."""
    parent = facts.parent(node)
    return isinstance(parent, ast.Call) and parent.func is node


def augmented(facts: Facts, binding: Binding) -> list[Binding]:
    """The ``name += …`` that start from the value of ``binding``."""
    return [
        other
        for other in _holder(facts, binding).bindings[binding.name]
        if other.kind == "augassign"
        and isinstance(other.node, ast.stmt)
        and binding in facts.flow.reaching_before(other.node, binding.name)
    ]


def is_formatting(facts: Facts, operation: ast.BinOp, operand: ast.expr) -> bool:
    """Whether an operand is what ``"%d" % operand`` writes."""
    return (
        isinstance(operation.op, ast.Mod)
        and operation.right is operand
        and isinstance(facts.value(operation.left), Text)
    )


def is_formatted(facts: Facts, node: ast.expr) -> bool:
    """``"%d" % x``, ``"%s %s" % (x, y)``, ``f"{x}"`` and ``"{}".format(x)``."""
    outer = facts.parent(node)
    if isinstance(outer, ast.Tuple):
        node, outer = outer, facts.parent(outer)
    if isinstance(outer, ast.BinOp):
        return is_formatting(facts, outer, node)
    if isinstance(outer, ast.FormattedValue):
        return outer.value is node
    call = call_taking(facts.names, node)
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "format":
        return False
    return isinstance(facts.value(call.func.value), Text)


def writes_text_of(facts: Facts, operation: ast.BinOp, operand: ast.expr) -> bool:
    """Whether ``"%s" % x`` writes what ``str`` gives; ``%.3f`` makes a number of anything."""
    if not is_formatting(facts, operation, operand):
        return False
    form = operation.left
    return not isinstance(form, ast.Constant) or bool(_TEXT_FORM.search(str(form.value)))


def has_to_be_number(facts: Facts, node: ast.expr) -> bool:
    """Whether Python takes nothing but one number there: ``float(x)``, ``"%.3f" % x``."""
    parent = facts.parent(node)
    if isinstance(parent, ast.FormattedValue):
        return parent.conversion == -1 and _writes_number(_written_out(parent.format_spec))
    formatting = facts.parent(parent) if isinstance(parent, ast.keyword) else parent
    if isinstance(formatting, ast.Call) and _is_formatted(formatting, node):
        return True
    if isinstance(parent, ast.Tuple):
        node, parent = parent, facts.parent(parent)
    if isinstance(parent, ast.BinOp):
        return is_formatting(facts, parent, node) and not writes_text_of(facts, parent, node)
    return isinstance(parent, ast.Call) and python_functions.makes_number(
        facts.names.builtin(parent.func)
    )


def _is_formatted(call: ast.Call, node: ast.expr) -> bool:
    """Whether ``"{:.2f}".format(x)`` writes a number wherever it writes ``x``."""
    form = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(form, ast.Constant) or not isinstance(form.value, str):
        return False
    if getattr(call.func, "attr", "") != "format" or is_opaque(call):
        return False
    named = [keyword.arg for keyword in call.keywords if keyword.value is node]
    given = named[0] if named else str(call.args.index(node)) if node in call.args else ""
    try:
        parsed = [*Formatter().parse(form.value)]
    except ValueError:
        return False
    numbers = itertools.count()
    fields = [
        (name or str(next(numbers)), _writes_number(spec or "") and conversion is None)
        for _, name, spec, conversion in parsed
        if name is not None
    ]
    # ``{0.shape}`` writes something else of it.
    own = [field for field in fields if _FIELD_PART.split(field[0])[0] in ("", given)]
    return bool(own) and all(name == given and is_number for name, is_number in own)


def _written_out(spec: ast.expr | None) -> str:
    """``.2f`` of ``f"{x:.2f}"``; nothing where it is calculated."""
    parts = spec.values if isinstance(spec, ast.JoinedStr) else []
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return "".join(map(str, texts)) if len(texts) == len(parts) else ""


def _writes_number(spec: str) -> bool:
    """Whether a form of ``str.format`` is one of numbers alone: ``.2f``, ``5d``."""
    return spec[-1:] in tuple("dfFeEgGn%") and "{" not in spec


def parameter_bindings(
    facts: Facts, definition: ast.FunctionDef, call: ast.Call, node: ast.expr, there: Facts
) -> list[Binding]:
    """The parameter of a function that an argument of a call is given for, as a binding.

    Args:
        facts: the facts of the file that defines the function.
        definition: the function.
        call: the call of it, in whichever file.
        node: one of the arguments.
        there: the facts of the file that calls it.

    Returns:
        the bindings of the parameter, also of the methods that replace this one in the classes
        below; none where it is not known which parameter it is.
    """
    owner, run = facts.parent(definition), [definition]
    bound = gets_object_before(facts, definition, call, there)
    if isinstance(owner, ast.ClassDef) and definition.name != "__init__" and bound:
        run += facts.classes.overriding(owner, definition.name)
    given = [_parameters_of(facts, each, call, node, bound) for each in run]
    return [binding for bindings in given for binding in bindings] if all(given) else []


def _parameters_of(
    facts: Facts, definition: ast.FunctionDef, call: ast.Call, node: ast.expr, bound: bool
) -> list[Binding]:
    scope = facts.names.scopes[definition]
    return [
        binding
        for parameter in parameters_given(definition, node, call, bound)
        for binding in scope.bindings.get(parameter.arg, ())
        if binding.kind == "parameter"
    ]
