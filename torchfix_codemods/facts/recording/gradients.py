"""Where a value that needs no graph flows, and which statements to put under ``no_grad``."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import python_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.reach import reach_of
from torchfix_codemods.facts.paths.reading import may_come_before, only_reads
from torchfix_codemods.facts.paths.wrapping import is_moved_variable
from torchfix_codemods.facts.programs.training import is_harmless, reads_detached
from torchfix_codemods.facts.recording.company import company_of
from torchfix_codemods.facts.recording.fences import is_fence, is_stand_in
from torchfix_codemods.facts.tensors.integers import holds_integers
from torchfix_codemods.facts.values.lattice import Number, Packed, Tensor
from torchfix_codemods.facts.values.lattice import Sequence as SequenceValue
from torchfix_codemods.record import record

_NO_GRAD = frozenset({"torch.no_grad", "torch.inference_mode"})

#: The words one of which is in a file where :func:`is_under_no_grad` finds something.
NO_GRAD_CONTEXTS = ("no_grad", "inference_mode", "set_grad_enabled")

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@record
class Span:
    """Neighbouring statements of one block."""

    block: Sequence[ast.stmt]
    first: int
    last: int

    @property
    def statements(self) -> list[ast.stmt]:
        return list(self.block[self.first : self.last + 1])


def is_under_no_grad(node: ast.AST, facts: Facts) -> bool:
    """Whether ``node`` runs in a ``with torch.no_grad():`` or a function decorated so."""
    child = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, (ast.With, ast.AsyncWith)) and child in parent.body:
            for item in reversed(parent.items):
                mode = _grad_mode(item.context_expr, facts)
                if mode is not None:
                    return not mode
        if isinstance(parent, _FUNCTIONS) and child in parent.body:
            return _is_decorated_no_grad(parent, facts)
        child = parent
    return False


def no_grad_blocks(facts: Facts) -> list[ast.AST]:
    """The statements and functions inside of which :func:`is_under_no_grad` may find something."""
    if not any(word in facts.text for word in NO_GRAD_CONTEXTS):
        return []
    nodes = facts.names.nodes
    blocks = (n for cls in (ast.With, ast.AsyncWith) for n in nodes.get(cls, ()))
    functions = (n for cls in _FUNCTIONS for n in nodes.get(cls, ()))
    return [
        *(
            node
            for node in blocks
            if isinstance(node, (ast.With, ast.AsyncWith))
            and any(_grad_mode(item.context_expr, facts) is False for item in node.items)
        ),
        *(
            node
            for node in functions
            if isinstance(node, _FUNCTIONS) and _is_decorated_no_grad(node, facts)
        ),
    ]


def _is_decorated_no_grad(function: ast.FunctionDef | ast.AsyncFunctionDef, facts: Facts) -> bool:
    return any(
        facts.name(d.func if isinstance(d, ast.Call) else d) in _NO_GRAD
        for d in function.decorator_list
    )


def _grad_mode(context: ast.expr, facts: Facts) -> bool | None:
    """Whether a context switches gradients on or off (``set_grad_enabled(flag)``); else None.

    ``with torch.no_grad:``, which fails, is meant to be called, and counts as if it were.
    """
    name = facts.name(context.func if isinstance(context, ast.Call) else context)
    if name in _NO_GRAD:
        return False
    if name == "torch.enable_grad":
        return True
    if name == "torch.set_grad_enabled" and isinstance(context, ast.Call):
        flag = context.args[0] if context.args else None
        return isinstance(flag, ast.Constant) and bool(flag.value)
    return None


@record
class ValueFlow:
    """Where a value goes in its function.

    Attributes:
        statements: the innermost statements that use it, or what is computed from it.
        recording: those of them that do more than read it: only they may record a graph.
        expressions: what in them is computed from it with its graph, each with the bindings that
            give it another value on other paths: ``x`` of ``if test: x = …``.
        bindings: all that it is bound to, or what is computed from it.
        joined: further such expressions that something else goes into which may have a graph.
    """

    statements: frozenset[ast.stmt]
    recording: frozenset[ast.stmt]
    expressions: Mapping[ast.expr, frozenset[Binding]]
    bindings: frozenset[Binding]
    joined: Mapping[ast.expr, frozenset[Binding]] = field(default_factory=dict)


def flow_of(
    source: ast.Call | ast.Assign, facts: Facts, marked: ast.Name | None = None
) -> ValueFlow | None:
    """All that a value flows through in the function where it is made.

    Args:
        source: the call that makes the value; or the statement that marks it.
        facts: the facts of the module.
        marked: the name that a statement marks, as ``x.volatile = True`` does.

    Returns:
        the flow, with the statement of ``source``; None where the value itself, and not just what
        is computed from it, gets out of sight: returned, stored on an object, or made to need a
        graph again (``x.volatile = False``).
    """
    names = facts.names
    statement = facts.statement(source)
    scope = names.scope_of(statement)
    reached, recording = {statement}, {statement}
    expressions: list[tuple[ast.expr, frozenset[Binding]]] = []
    uncertain: list[tuple[ast.expr, frozenset[Binding]]] = []
    pending: list[tuple[Binding, bool]] = []
    seen: set[Binding] = set()
    whole: set[Binding] = set()
    company: dict[Binding, frozenset[Binding] | None] = {}

    if marked is not None:
        pending += [(binding, True) for binding in facts.flow.reaching(marked)]
    else:
        assert isinstance(source, ast.Call)
        if _lets_out(statement, facts, is_source=True):
            return None
        reach = reach_of(source, facts)
        beside = company_of(source, reach.expression, facts)
        if beside is not None:
            expressions.append((reach.expression, _that_hold_tensors(beside)))
        collectors = _collectors(source, statement, facts)
        if collectors is None:
            return None
        pending += [(binding, False) for binding in collectors]
        if not reach.ends:
            pending += [(b, False) for b in _overwritten(reach.expression, statement, facts)]
            bindings = bindings_of(statement, reach.expression, facts)
            company.update(
                {
                    b: beside if b.path else company_of(source, _given(b, reach.expression), facts)
                    for b in bindings
                }
            )
            pending += [(binding, reach.is_certain) for binding in bindings]
    while pending:
        binding, is_certain = pending.pop()
        if binding in seen:
            continue
        seen.add(binding)
        for use in names.uses_of(scope, binding.name):
            holder = names.statement(use)
            if holder is statement or binding not in facts.flow.reaching(use):
                continue
            if marked is not None and use is not marked and holder.lineno < statement.lineno:
                continue
            if names.scope_of(holder) is not scope or _is_deferred(use, facts):
                return None
            if _needs_graph_again(use, facts):
                return None
            if _is_only_read(use, facts):
                continue
            if not _is_written_to(use, holder) and _lets_out(holder, facts, is_source=False):
                return None
            if _is_handed_out(use, binding, facts):
                return None
            if _just_returns(holder):
                continue
            reach = reach_of(use, facts)
            if _stays_whole(use, reach.expression, facts):
                whole.update(bindings_of(holder, reach.expression, facts))
                continue
            reached.add(holder)
            if not only_reads(use, facts):
                recording.add(holder)
            certain = is_certain and reach.is_certain
            given = _that_hold_tensors(facts.flow.reaching(use))
            beside = _joined_company(
                company.get(binding, frozenset()), company_of(use, reach.expression, facts)
            )
            if beside is not None:
                given |= _that_hold_tensors(beside)
                (expressions if is_certain else uncertain).append((reach.expression, given))
            collectors = _collectors(use, holder, facts)
            if collectors is None:
                return None
            pending += [(binding, False) for binding in collectors]
            if not reach.ends:
                pending += [(b, False) for b in _overwritten(reach.expression, holder, facts)]
            if not reach.ends and isinstance(holder, _BINDS):
                onward = bindings_of(holder, reach.expression, facts)
                onward = [b for b in onward if not _is_bound_to_number(b, facts)]
                for b in onward:
                    around = (
                        beside
                        if b.path
                        else _joined_company(
                            beside, company_of(use, _given(b, reach.expression), facts)
                        )
                    )
                    company[b] = _joined_company(company.get(b, frozenset()), around)
                pending += [(b, certain) for b in onward]
    joined = [(e, given) for e, given in uncertain if _joins_graph(e, seen, facts)]
    expressions += [pair for pair in uncertain if pair not in joined]
    held = frozenset(seen | whole)
    others, joins = _from_elsewhere(expressions, held), _from_elsewhere(joined, held)
    return ValueFlow(frozenset(reached), frozenset(recording), others, held, joins)


def _given(binding: Binding, part: ast.expr) -> ast.expr:
    """What a name is given that holds ``part``: the whole display of ``xs = [x, y]``."""
    value = binding.value
    is_display = isinstance(value, (ast.Tuple, ast.List)) and part in value.elts
    return value if is_display and value is not None else part


def _that_hold_tensors(bindings: Iterable[Binding]) -> frozenset[Binding]:
    return frozenset(binding for binding in bindings if not _is_no_tensor(binding))


def _joined_company(
    one: frozenset[Binding] | None, other: frozenset[Binding] | None
) -> frozenset[Binding] | None:
    return None if one is None or other is None else one | other


def _from_elsewhere(
    expressions: Sequence[tuple[ast.expr, frozenset[Binding]]], held: frozenset[Binding]
) -> dict[ast.expr, frozenset[Binding]]:
    """Which bindings outside of a flow give expressions another value on other paths."""
    others: dict[ast.expr, frozenset[Binding]] = {}
    for expression, given in expressions:
        # One operand without a graph is enough.
        new = given - held
        others[expression] = min(new, others.get(expression, new), key=len)
    return others


def unrecorded(flows: Sequence[ValueFlow], facts: Facts) -> frozenset[ast.expr]:
    """What some values without a graph make go without one, whichever way they are reached."""
    bindings = frozenset[Binding]().union(*(flow.bindings for flow in flows))
    return frozenset(
        expression
        for flow in flows
        for expression, others in (*flow.expressions.items(), *flow.joined.items())
        if others <= bindings
        if expression in flow.expressions or _is_made_of(expression, bindings, facts)
    )


def _is_bound_to_number(binding: Binding, facts: Facts) -> bool:
    """``i`` of ``for i, loss in enumerate([a, b])``, which has no graph whatever the value has."""
    return isinstance(facts.inference.bound(binding), Number)


def _is_no_tensor(binding: Binding) -> bool:
    return binding.kind == "assign" and isinstance(binding.value, ast.Constant)


_BINDS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.With)


def _needs_graph_again(use: ast.Name, facts: Facts) -> bool:
    """``x.volatile = False`` and ``x.requires_grad = True`` end what ``volatile=True`` began."""
    parent = facts.parent(use)
    return (
        isinstance(parent, ast.Attribute)
        and isinstance(parent.ctx, ast.Store)
        and parent.attr in ("volatile", "requires_grad")
        and not _is_true(facts.statement(use), parent.attr == "volatile")
    )


def _is_true(statement: ast.stmt, wanted: bool) -> bool:
    value = statement.value if isinstance(statement, ast.Assign) else None
    return isinstance(value, ast.Constant) and bool(value.value) is wanted


def _joins_graph(expression: ast.expr, flow: Collection[Binding], facts: Facts) -> bool:
    """Whether something else that may have a graph goes into an expression."""
    return any(
        not (isinstance(node, ast.Name) and set(facts.flow.reaching(node)) & set(flow))
        for node in _with_graph(expression, facts)
    )


def _is_made_of(expression: ast.expr, flow: Collection[Binding], facts: Facts) -> bool:
    """Whether nothing with a graph goes into an expression but what is bound in a flow."""
    return all(
        isinstance(node, ast.Name) and set(facts.flow.reaching(node)) <= set(flow)
        for node in _with_graph(expression, facts)
    )


def _with_graph(expression: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    """The names and attributes in an expression that may have a graph."""
    called = {c.func for c in ast.walk(expression) if isinstance(c, ast.Call)}
    for node in ast.walk(expression):
        if not isinstance(node, (ast.Name, ast.Attribute)) or node in called:
            continue
        if isinstance(facts.parent(node), ast.Attribute):
            continue
        value = facts.value(node)
        if isinstance(value, Tensor) and value.grad is not False:
            yield node


def _is_deferred(use: ast.Name, facts: Facts) -> bool:
    """Whether a use stands in a lambda, which may run anywhere."""
    return facts.names.scope_of(use).kind == "lambda"


def _is_only_read(use: ast.Name, facts: Facts) -> bool:
    """``output.data``: nothing is computed from the value that could record a graph."""
    parent = facts.parent(use)
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        return facts.names.builtin(parent.func) == "len"
    while isinstance(parent, ast.Attribute):
        if torch_effects.cuts_graph(parent.attr):
            return True
        call = facts.parent(parent)
        if not may_come_before(parent.attr) or not isinstance(call, ast.Call):
            return False
        parent = facts.parent(call)
    return False


def _stays_whole(use: ast.Name, expression: ast.expr, facts: Facts) -> bool:
    """``indices.cpu()``: only methods of whole numbers are called, which never have a graph."""
    node: ast.AST = expression
    while node is not use:
        if isinstance(node, ast.Call) and (node.args or node.keywords):
            return False
        node = node.func if isinstance(node, ast.Call) else node
        if not isinstance(node, ast.Attribute):
            return False
        node = node.value
    return holds_integers(facts.value(use)) and holds_integers(facts.value(expression))


def _just_returns(statement: ast.stmt) -> bool:
    """``return total / n``: whatever is computed here has its history, or none, from before."""
    return isinstance(statement, ast.Return) and all(
        _gives_number(node.func) for node in ast.walk(statement) if isinstance(node, ast.Call)
    )


def _gives_number(function: ast.expr) -> bool:
    """``len``, ``x.size``, ``x.sum``, ``x.cpu``: what is called to return a number or a tensor."""
    if not isinstance(function, ast.Attribute):
        name = getattr(function, "id", "")
        return name == "sum" or python_functions.reports(name)
    return torch_effects.does(function.attr, "tells", "leaves", "moves") or (
        torch_effects.does(function.attr, "reduces") and torch_effects.is_recorded(function.attr)
    )


def bindings_of(statement: ast.stmt, part: ast.expr, facts: Facts) -> list[Binding]:
    """The bindings of a statement that get ``part`` of its value."""
    scope = facts.names.scope_of(statement)
    bindings = [
        binding
        for bindings in scope.bindings.values()
        for binding in bindings
        if binding.node is statement
    ]
    value = getattr(statement, "value", None)
    if isinstance(value, (ast.Tuple, ast.List)) and part in value.elts:
        position = value.elts.index(part)
        positions = position, position - len(value.elts)
        return [b for b in bindings if not b.path or b.path[0] in (*positions, "*")]
    return bindings


_COLLECTING = frozenset("append extend insert add appendleft".split())


def _collectors(value: ast.expr, statement: ast.stmt, facts: Facts) -> list[Binding] | None:
    """The list that ``items.append(value)`` keeps an input in; None where that is out of sight."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    method = call.func if isinstance(call, ast.Call) else None
    if not isinstance(method, ast.Attribute) or method.attr not in _COLLECTING:
        return []
    assert isinstance(call, ast.Call)
    held = next((a for a in call.args if any(node is value for node in ast.walk(a))), None)
    if held is None or not (held is value or _is_input(held, facts)):
        return []
    items = method.value
    scope = facts.names.scope_of(statement)
    found = scope.lookup(items.id) if isinstance(items, ast.Name) else None
    if not isinstance(items, ast.Name) or found is None or found[0] is not scope:
        return None
    bindings = list(facts.flow.reaching(items))
    return None if any(b.kind == "parameter" for b in bindings) else bindings


def _overwritten(value: ast.expr, statement: ast.stmt, facts: Facts) -> list[Binding]:
    """The bindings of the name whose tensor takes in a value: ``x[i] = value``, ``x.copy_(value)``.

    With the value it takes in its graph, unless ``x.volatile = False`` says that it has none.
    """
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if not isinstance(function, ast.Attribute) or not function.attr.endswith("_"):
            return []
        targets = [function.value] if value is not function.value else []
    else:
        return []
    scope = facts.names.scope_of(statement)
    return [
        binding
        for root in map(_root, targets)
        if isinstance(root, ast.Name) and isinstance(root.ctx, ast.Load)
        if not any(_needs_graph_again(u, facts) for u in facts.names.uses_of(scope, root.id))
        for binding in facts.flow.reaching(root)
    ]


def _root(target: ast.expr) -> ast.expr | None:
    """``x`` of ``x[i]`` and ``x.view(-1)[i]``; none of ``x.data[i]``, which takes in no graph."""
    while True:
        if isinstance(target, ast.Call) and isinstance(target.func, ast.Attribute):
            target = target.func
        if not isinstance(target, (ast.Subscript, ast.Attribute)):
            break
        if isinstance(target, ast.Attribute) and target.attr in ("data", "detach"):
            return None
        target = target.value
    return target


def _is_input(value: ast.expr, facts: Facts) -> bool:
    """Whether an expression is still the input, perhaps packed or in a list."""
    known = facts.value(value)
    return isinstance(known, Packed) or _is_raw(value, facts)


def _lets_out(statement: ast.stmt, facts: Facts, is_source: bool) -> bool:
    """Whether the value itself leaves the function or is kept; what is computed from it may."""
    if isinstance(statement, ast.Return):
        return statement.value is not None and _is_raw(statement.value, facts)
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        stored = any(
            isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store)
            for target in targets
            for node in ast.walk(target)
        )
        value = statement.value
        return stored and value is not None and (is_source or _is_raw(value, facts))
    return False


def _is_written_to(use: ast.Name, statement: ast.stmt) -> bool:
    """``z`` of ``z[:, i] = value``: the value itself stays where it is."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(use is node for target in targets for node in ast.walk(target))


_DISPLAYS = (ast.Tuple, ast.List, ast.Dict)


def _is_handed_out(use: ast.Name, binding: Binding, facts: Facts) -> bool:
    """``return x, size`` of the value itself, also where another branch gives ``x`` another one."""
    parent = facts.parent(use)
    while isinstance(parent, _DISPLAYS):
        parent = facts.parent(parent)
    value = binding.value
    return isinstance(parent, ast.Return) and value is not None and _is_raw(value, facts)


def _held_in(value: ast.expr, facts: Facts) -> list[ast.expr] | None:
    """The elements of ``[x, y]``, ``{"x": x}`` and ``dict(x=x)``; None of what holds nothing."""
    if isinstance(value, ast.Call):
        is_dict = facts.names.builtin(value.func) == "dict"
        return [keyword.value for keyword in value.keywords] if is_dict else None
    if isinstance(value, ast.Dict):
        return value.values
    return value.elts if isinstance(value, (ast.Tuple, ast.List)) else None


def _is_raw(value: ast.expr, facts: Facts) -> bool:
    """Whether an expression is still the input, perhaps in another shape: no module saw it."""
    held = _held_in(value, facts)
    if held is not None:
        return any(_is_raw(element, facts) for element in held)
    known = facts.value(value)
    if isinstance(known, SequenceValue):
        known = known.element
    is_without_graph = isinstance(known, Tensor) and known.grad is False
    return (is_without_graph and not reads_detached(value)) or is_moved_variable(value, facts)


def smallest_span(statements: Collection[ast.stmt], facts: Facts) -> Span | None:
    """The shortest run of neighbouring statements, in one block, that holds all of them."""
    some = next(iter(statements))
    holder: ast.stmt = some
    while True:
        block = facts.block(holder)
        positions = []
        for statement in statements:
            position = position_in(block, statement, facts)
            if position is None:
                break
            positions.append(position)
        else:
            return Span(block, min(positions), max(positions))
        parent = facts.parent(holder)
        while parent is not None and not isinstance(parent, ast.stmt):
            parent = facts.parent(parent)
        if parent is None or isinstance(parent, (*_FUNCTIONS, ast.ClassDef)):
            return None
        holder = parent


def position_in(block: Sequence[ast.stmt], statement: ast.stmt, facts: Facts) -> int | None:
    """Where in a block the statement stands that is, or holds, another one."""
    node: ast.AST | None = statement
    while node is not None:
        if isinstance(node, ast.stmt) and node in block:
            return block.index(node)
        node = facts.parent(node)
    return None


def runs_of(span: Span, flow: Collection[ast.stmt], facts: Facts) -> list[Span]:
    """The runs of neighbouring statements of a span that hold statements of the flow."""
    positions = sorted({p for s in flow if (p := position_in(span.block, s, facts)) is not None})
    runs: list[Span] = []
    for position in positions:
        if runs and runs[-1].last == position - 1:
            runs[-1] = Span(span.block, runs[-1].first, position)
        else:
            runs.append(Span(span.block, position, position))
    return runs


def trimmed(span: Span, recording: Collection[ast.stmt], facts: Facts) -> Span | None:
    """A span without what stands in it before and after all that may record a graph."""
    held = {position_in(span.statements, statement, facts) for statement in recording}
    positions = [position for position in held if position is not None]
    if not positions:
        return None
    return Span(span.block, span.first + min(positions), span.first + max(positions))


def hoisted(span: Span, needs_no_graph: Collection[ast.expr], facts: Facts) -> Span:
    """The loop around a span instead of the span, as long as the whole loop only infers.

    This is for looks, so any doubt about the other statements of the loop keeps the span.
    """
    while True:
        owner = facts.parent(span.block[0])
        if not isinstance(owner, _LOOPS) or span.block is not owner.body:
            return span
        if not is_harmless([owner], needs_no_graph, facts):
            return span
        block = facts.block(owner)
        position = block.index(owner)
        span = Span(block, position, position)


def suspends(span: Span) -> bool:
    """Whether statements let other code run in between, for which ``no_grad`` would be on too.

    So do those of two cells of a notebook, and of one that stays as it is.
    """
    return any(is_fence(s) or is_stand_in(s) for s in span.statements) or any(
        isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith))
        for statement in span.statements
        for node in ast.walk(statement)
    )
