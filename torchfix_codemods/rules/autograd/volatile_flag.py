"""`volatile=True` has had no effect since 0.4: inference code goes under `torch.no_grad()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from functools import partial

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword, without_argument
from torchfix_codemods.edit.below import changed_below
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.statements import under_with
from torchfix_codemods.facts.age.wrapped_variables import volatile_passed_on
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.wrapping import is_moved_for_variable
from torchfix_codemods.facts.programs.training import is_harmless
from torchfix_codemods.facts.recording.fences import by_cell
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.recording.spans import (
    Span,
    hoisted,
    runs_of,
    smallest_span,
    suspends,
    trimmed,
)
from torchfix_codemods.facts.values.lattice import Method, Tensor, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.value_flow import ValueFlow, flow_of, unrecorded
from torchfix_codemods.rules.autograd.questions.volatile import (
    VARIABLE,
    VOLATILE_POSITION,
    Helper,
    goes_into_backward,
    helper_elsewhere,
    is_kept_elsewhere,
    is_needed_elsewhere,
    may_be_needed_elsewhere,
    only_calculates,
    volatile_calls,
    volatile_option,
)

_NO_EFFECT = (
    "{} has no effect since 0.4: drop it, and put code that needs no graph "
    "under `with torch.no_grad():`"
)

_DOES_NOTHING = (
    "{0}.volatile = True does nothing: put the code that uses {0} under `with torch.no_grad():`"
)

_CALLERS_UNSEEN = (
    "volatile= has no effect since 0.4, and no call of {0} is to be seen: put those that set {1} "
    "under `with torch.no_grad():`, and drop it"
)

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class VolatileFlag(Rule):
    """
    ## What it does
    Puts the code that uses a `Variable(x, volatile=True)` under `with torch.no_grad():` and takes
    the flag away. The block is the loop, where all of the loop is inference, else just the
    statements that the value flows through. `volatile=flag` gives `with torch.set_grad_enabled(not
    flag):`. A helper such as `to_var(x, volatile=False)` is followed to its calls, in other files
    of the project, too; it loses its parameter once no file passes it any more. `Variable = lambda
    *args, **kwargs: autograd.Variable(*args, **kwargs)` counts as torch's own. `volatile=False`
    just goes, and so does `volatile=x.volatile`, which is False of all tensors: code around it
    decides.

    ## Why
    Since 0.4 the flag only warns: the graph of the whole evaluation is built and kept in memory.

    ## Example
    ```python
    for data, target in test_loader:
        data, target = Variable(data, volatile=True), Variable(target)
        output = model(data)
    ```
    becomes (together with TP101)
    ```python
    with torch.no_grad():
        for data, target in test_loader:
            output = model(data)
    ```

    ## Numbers
    Identical: `no_grad` changes what is recorded, not what is computed.

    ## When it stays its hand
    Where the value is returned, stored on an object that is not only read under `no_grad`, or used
    together with `backward()` or `step()`, so that no block holds all of its uses, and in a helper
    that nothing in the project calls; a finding says where to put `no_grad`. `if x.volatile:` is
    only reported, and so is `x.volatile = True` of an unknown `x` in files for torch 0.3.

    ## References
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/ ("What about volatile?")
    - https://pytorch.org/docs/stable/generated/torch.no_grad.html
    """

    code = "TP102"
    name = "volatile-flag"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"volatile", "Variable"})
    message = "volatile= has no effect since 0.4: torch.no_grad() keeps the graph away"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if is_opaque(call):
            return
        if facts.name(call.func) != VARIABLE:
            passed_on = volatile_passed_on(call, facts.names)
            if passed_on is None:
                yield from self._call_of_helper(call, facts)
            elif constant(passed_on) in (False, 0, None):
                yield self._dropped(call, None, facts)
            else:
                yield from self._wrap(call, *_context_of(passed_on), facts)
            return
        flag = argument(call, VOLATILE_POSITION, "volatile")
        if flag is None:
            return
        if constant(flag) in (False, 0, None) or _is_of_tensor(flag, facts):
            yield self.found(call, flag="volatile", position=VOLATILE_POSITION)
        elif isinstance(flag, ast.Constant):
            yield from self._wrap(call, "torch.no_grad", None, facts)
        else:
            yield from self._follow_flag(call, flag, facts)

    def find_Dict(self, options: ast.Dict, facts: Facts) -> Iterator[Found]:
        """``options = {"volatile": True}`` of ``Variable(x, **options)``."""
        flag = volatile_option(options, facts)
        if flag is not None:
            yield self.advice(flag, _NO_EFFECT.format("volatile="))

    def find_FunctionDef(self, function: ast.FunctionDef, facts: Facts) -> Iterator[Found]:
        """Calls of a helper with its flag set, and the helper once they are all under no_grad."""
        helper = Helper.of(function, facts)
        if helper is None:
            return
        flagged = list(helper.calls_with_flag())
        open_calls = [call for call in flagged if not is_under_no_grad(call, facts)]
        for call in open_calls:
            if helper.is_off_by_default() and _goes_nowhere(call, facts):
                yield self.found(call, flag=helper.parameter, position=helper.position(call))
            elif not is_opaque(call):
                yield from self._wrap(call, *_context_of(helper.flag_of(call)), facts)
        if open_calls or helper.is_used_as_value() or is_needed_elsewhere(helper, facts):
            return
        passing = [call for call in helper.calls() if helper.passes_flag(call)]
        for call in passing:
            if is_opaque(call):
                return
            yield self.found(call, flag=helper.parameter, position=helper.position(call))
        if passing:
            return
        if helper.is_for_callers_unseen():
            yield self.advice(function, _CALLERS_UNSEEN.format(function.name, helper.parameter))
        else:
            yield self.found(function, parameter=helper.parameter)

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        target = node.targets[0]
        if not isinstance(target, ast.Attribute) or target.attr != "volatile":
            return
        if not isinstance(target.value, ast.Name) or not facts.is_tensor(target.value):
            if constant(node.value) is True and _may_be_of_variable(target, facts):
                yield self.advice(node, _DOES_NOTHING.format(ast.unparse(target.value)))
            return
        if constant(node.value) in (False, 0) and _may_hold_volatile(node, facts):
            yield self.advice(
                node,
                f"{ast.unparse(target)} = False let gradients through again: write "
                f"{target.value.id} = {target.value.id}.detach() here, below the "
                "`with torch.no_grad():` that takes the place of volatile=True",
            )
            return
        if constant(node.value) in (False, 0) or is_under_no_grad(node, facts):
            yield self.found(node)
            return
        flow = flow_of(node, facts, marked=target.value)
        span = None if flow is None else smallest_span(flow.statements, facts)
        spelling = spell(facts, "torch.no_grad", node)
        is_first = span is not None and span.statements[0] is node
        is_first = is_first and span is not None and span.last > span.first
        fits = flow and span and not suspends(span)
        fits = (
            fits
            and flow
            and span
            and is_harmless(span.statements, unrecorded([flow], facts), facts)
        )
        if span is not None and spelling is not None and is_first and fits:
            yield self.found(
                node,
                region=span.statements,
                needs=spelling.needs,
                context=f"{spelling.text}()",
                drops_first=True,
            )
        else:
            yield self.advice(node, _DOES_NOTHING.format(target.value.id))

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        """``if not x.volatile:``, which is always so since 0.4."""
        if isinstance(node.ctx, ast.Load) and _decides(node, facts) and _is_of_tensor(node, facts):
            yield self.advice(
                node,
                f"{ast.unparse(node)} is False of all tensors since 0.4: "
                "torch.is_grad_enabled() tells whether a graph is recorded",
            )

    def _call_of_helper(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """A call of a helper of another file, which keeps its parameter while one passes it."""
        helper = helper_elsewhere(call, facts)
        flag = None if helper is None else argument(call, helper.position(call), helper.parameter)
        if helper is None or flag is None or not helper.is_off_by_default():
            return
        if constant(flag) in (False, 0, None):
            yield self.found(call, flag=helper.parameter, position=helper.position(call))
        else:
            yield from self._wrap(call, *_context_of(flag), facts)

    def _wrap(
        self, call: ast.Call, context: str, flag: ast.expr | None, facts: Facts
    ) -> Iterator[Found]:
        is_later = _runs_later(call, facts)
        spans = None if is_later else _remembered_spans(call, flag, facts)
        is_covered = not is_later and is_under_no_grad(call, facts)
        is_needless = spans == [] or (is_covered and not spans) or _goes_nowhere(call, facts)
        if is_needless or _is_read_without_graph(call, facts):
            yield self._dropped(call, None, facts)
            return
        # Written around the statement, which may see other names than a comprehension in it.
        spelling = spell(facts, context, facts.statement(call))
        if spans is None or spelling is None:
            own = facts.name(call.func) == VARIABLE
            what = "volatile=" if own else "the volatile flag that this call passes on"
            yield self.advice(call, _NO_EFFECT.format(what))
            return
        if _is_inside_another(call, flag, spans, facts):
            # Comes under the same block as that one.
            return
        test = "" if flag is None else _negated(flag)
        statement = facts.statement(call)
        group = f"line {call.lineno}, column {call.col_offset}"
        held = {held for span in spans for held in span.statements}
        if is_covered or not _is_within(statement, held, facts):
            yield self._dropped(call, group, facts)
        for span in spans:
            if span.statements == [statement] and len(spans) > 1 and _only_wraps(statement, facts):
                yield self._dropped(call, group, facts)
                continue
            yield self.found(
                call,
                region=span.statements,
                needs=spelling.needs,
                group=group,
                context=f"{spelling.text}({test})",
                drops_first=False,
            )

    def _dropped(self, call: ast.Call, group: str | None, facts: Facts) -> Found:
        """The flag alone goes; a helper of this file keeps its own for now."""
        if facts.name(call.func) == VARIABLE or volatile_passed_on(call, facts.names) is not None:
            return self.found(call, group=group, flag="volatile", position=VOLATILE_POSITION)
        helper = helper_elsewhere(call, facts)
        name, position = ("", None) if helper is None else (helper.parameter, helper.position(call))
        return self.found(call, group=group, flag=name, position=position)

    def _follow_flag(self, call: ast.Call, flag: ast.expr, facts: Facts) -> Iterator[Found]:
        helper = Helper.around(call, flag, facts)
        if helper is None:
            yield from self._wrap(call, "torch.set_grad_enabled", flag, facts)
        elif helper.has_safe_calls_only() and may_be_needed_elsewhere(helper, facts):
            yield self.found(call, flag="volatile", position=VOLATILE_POSITION)
        elif (
            helper.is_used_as_value() and not list(helper.calls_with_flag())
        ) or is_kept_elsewhere(helper, facts):
            yield self.advice(
                call,
                f"volatile= has no effect since 0.4: put the calls of {helper.function.name} that "
                "set it under `with torch.no_grad():`, and drop it",
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        index = index_of_keyword(updated, self.data["flag"])
        if index is None:
            index = self.data["position"]
        if index is None or index >= len(updated.args):
            return updated
        return without_argument(updated, index)

    def leave_FunctionDef(
        self, original: cst.FunctionDef, updated: cst.FunctionDef
    ) -> cst.FunctionDef:
        parameter = self.data["parameter"]
        body = _without_volatile(updated.body, parameter)
        kept = [p for p in updated.params.params if p.name.value != parameter]
        if kept:
            kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        only = [p for p in updated.params.kwonly_params if p.name.value != parameter]
        parameters = updated.params.with_changes(params=kept, kwonly_params=only)
        return updated.with_changes(params=parameters, body=body)

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        return cst.RemoveFromParent()

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        if self.data["drops_first"]:
            updated = updated.with_changes(body=updated.body[1:])
        return under_with(cst.parse_expression(self.data["context"]), updated, self.indent)


def _without_volatile(body: cst.BaseSuite, flag: str) -> cst.BaseSuite:
    """Take ``volatile=flag`` out of the calls of a function's body."""

    def without(original: cst.Call, updated: cst.Call) -> cst.Call:
        index = index_of_keyword(updated, "volatile")
        if index is None:
            return updated
        value = updated.args[index].value
        if not (isinstance(value, cst.Name) and value.value == flag):
            return updated
        return without_argument(updated, index)

    return changed_below(body, cst.Call, without)


def _is_of_tensor(flag: ast.expr, facts: Facts) -> bool:
    """``x.volatile`` of a tensor, which is False since 0.4; options have no ``size()``."""
    if not isinstance(flag, ast.Attribute) or flag.attr != "volatile":
        return False
    if isinstance(facts.value(flag.value), Unknown) and _is_one_of_several(flag.value, facts):
        return True
    around = facts.names.enclosing_function(flag) or facts.tree
    return facts.is_shown_tensor(flag.value) or any(
        isinstance(node, ast.Attribute)
        and node.attr in ("size", "is_cuda", "data", "register_hook")
        and ast.unparse(node.value) == ast.unparse(flag.value)
        for node in ast.walk(around)
    )


def _may_be_of_variable(flag: ast.Attribute, facts: Facts) -> bool:
    """Whether ``x.volatile = True`` of an unknown x is about a Variable, and no option to read."""
    if not facts.era_of(flag).before((0, 4)) or not isinstance(facts.value(flag.value), Unknown):
        return False
    text = ast.unparse(flag)
    uses = facts.names.attributes("volatile")
    return not any(isinstance(u.ctx, ast.Load) and ast.unparse(u) == text for u in uses)


def _is_one_of_several(node: ast.expr, facts: Facts) -> bool:
    """``input[0]``, or ``v`` of ``for v in inputs``: options are none of those."""
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Subscript)
    found = facts.names.scope_of(node).lookup(node.id)
    return found is not None and all(binding.kind == "for" for binding in found[1])


def _decides(flag: ast.expr, facts: Facts) -> bool:
    """Whether a flag is what a condition asks for, or a part of that."""
    node: ast.AST = flag
    above = facts.parent(node)
    while above is not None and _hands_on_truth(above, facts):
        node, above = above, facts.parent(above)
    return isinstance(above, (ast.If, ast.IfExp, ast.While)) and above.test is node


def _hands_on_truth(node: ast.AST, facts: Facts) -> bool:
    """``not x``, ``x and y``, ``x == False``, ``any(x for …)``."""
    if isinstance(node, ast.Compare):
        return all(isinstance(constant(other), bool) for other in node.comparators)
    if isinstance(node, ast.Call):
        return facts.names.builtin(node.func) in ("any", "all")
    return isinstance(node, (ast.BoolOp, ast.UnaryOp, ast.GeneratorExp, ast.ListComp))


def _spans_of_uses(call: ast.Call, flag: ast.expr | None, facts: Facts) -> list[Span] | None:
    """The statements to put under ``no_grad``, or None where some of them cannot go there.

    That is one span, with what stands between; or, where that must keep its graph, the runs of
    statements that the value flows through.
    """
    statement = facts.statement(call)
    found = _flow(call, facts)
    if found is None:
        return None
    flow = {s for s in found.statements if not _is_switched(s, flag, facts)}
    recording = {s for s in found.recording if not _is_switched(s, flag, facts)}
    if not recording or (flag is None and goes_into_backward(found, facts)):
        return []
    if recording == {statement} and _only_wraps(statement, facts):
        return None if found.statements == {statement} else []
    if flag is not None:
        span = smallest_span(recording, facts)
        if span is None or suspends(span) or _binds(span, flag):
            return None
        return [span] if is_harmless(span.statements, unrecorded([found], facts), facts) else None
    others = _other_flows(call, facts)
    flows = [found, *others]
    needs_no_graph = unrecorded(flows, facts)
    recording = recording.union(*(other.recording for other in others))
    calling = {s for s in recording if not only_calculates(s, flows, facts)}
    if all(is_under_no_grad(s, facts) for s in calling):
        return []
    cells = by_cell(flow, facts)
    if len(cells) > 1:
        # Where a cell only makes values, its flags just go.
        cells = [c for c in cells if not all(_only_wraps(s, facts) for s in c & recording)]
    parts = [
        _spans_of_part(cell, others, recording, calling, needs_no_graph, facts) for cell in cells
    ]
    return None if None in parts else [span for part in parts if part for span in part]


def _spans_of_part(
    flow: set[ast.stmt],
    others: list[ValueFlow],
    recording: set[ast.stmt],
    calling: set[ast.stmt],
    needs_no_graph: frozenset[ast.expr],
    facts: Facts,
) -> list[Span] | None:
    """The statements to put under ``no_grad`` in a cell of a notebook; in a file, all of them.

    Of several runs those go without a block in which nothing is ``calling`` what has a graph.
    """
    span = smallest_span(flow, facts)
    if span is None or suspends(span):
        return None
    near = [cell for other in others for cell in by_cell(other.statements, facts)]
    wider = _widened(span, flow, near, facts)
    for whole in (wider, span):
        if whole is None or suspends(whole):
            continue
        shorter = trimmed(whole, recording, facts) or whole
        if is_harmless(shorter.statements, needs_no_graph, facts):
            return [hoisted(shorter, needs_no_graph, facts)]
    runs = [trimmed(run, recording, facts) for run in runs_of(span, flow, facts)]
    kept = [
        run
        for run in runs
        if run is not None and any(_is_within(s, {*run.statements}, facts) for s in calling)
    ]
    if len(runs) > 1 and all(is_harmless(r.statements, needs_no_graph, facts) for r in kept):
        return kept
    return None


def _widened(
    span: Span, flow: set[ast.stmt], others: list[set[ast.stmt]], facts: Facts
) -> Span | None:
    """The span of a flow and of the flows that overlap it, or follow at once; None where none
    does."""
    widest: Span | None = None
    for other in others:
        statements = set((widest or span).statements)
        inside = {s for s in other if _is_within(s, statements, facts)}
        if inside != other and (inside or _adjoins(widest or span, other, facts)):
            flow = flow | other
            joined = smallest_span(flow, facts)
            if joined is not None and joined.block is span.block:
                widest = joined
    return widest


def _adjoins(span: Span, flow: Set[ast.stmt], facts: Facts) -> bool:
    """Whether the statements of a flow stand right above or below a span."""
    near = smallest_span(flow, facts)
    if near is None or near.block is not span.block:
        return False
    return near.first == span.last + 1 or near.last == span.first - 1


def _is_within(node: ast.stmt, statements: Set[ast.AST], facts: Facts) -> bool:
    return any(part in statements for part in (node, *facts.names.ancestors(node)))


def _remembered_spans(call: ast.Call, flag: ast.expr | None, facts: Facts) -> list[Span] | None:
    return facts.remembered(("TP102", call), lambda: _spans_of_uses(call, flag, facts))


def _context_of(flag: ast.expr | None) -> tuple[str, ast.expr | None]:
    """What takes the place of a flag: ``torch.no_grad()``, or ``set_grad_enabled(not flag)``."""
    if flag is None or isinstance(flag, ast.Constant):
        return "torch.no_grad", None
    return "torch.set_grad_enabled", flag


def _other_flows(call: ast.Call, facts: Facts) -> list[ValueFlow]:
    """Where the other volatile values of the same function flow."""
    function = facts.names.enclosing_function(call)
    flows = [
        _flow(other, facts)
        for other in volatile_calls(facts)
        if other is not call and facts.names.enclosing_function(other) is function
    ]
    return [flow for flow in flows if flow is not None]


def _may_hold_volatile(node: ast.Assign, facts: Facts) -> bool:
    """Whether a value that was made volatile in the same function gets out of sight, maybe here."""
    function = facts.names.enclosing_function(node)
    return any(
        _flow(call, facts) is None
        for call in volatile_calls(facts)
        if facts.names.enclosing_function(call) is function
    )


def _flow(call: ast.Call, facts: Facts) -> ValueFlow | None:
    return facts.remembered(("TP102 flow", call), partial(flow_of, call, facts))


def _goes_nowhere(call: ast.Call, facts: Facts) -> bool:
    """Whether nothing uses the value that ``x = Variable(x, volatile=True)`` makes."""
    statement = facts.statement(call)
    if not isinstance(statement, ast.Assign):
        return False
    flow = _flow(call, facts)
    return flow is not None and flow.statements == {statement} and [*flow.expressions] == [call]


def _is_read_without_graph(call: ast.Call, facts: Facts) -> bool:
    """Whether ``self.x = Variable(x, volatile=True)`` is read under ``no_grad`` alone."""
    target = _target_of(call, facts) if facts.name(call.func) == VARIABLE else None
    if not isinstance(target, ast.Attribute) or facts.is_used_elsewhere(target.attr):
        return False
    reads = [
        read
        for read in facts.names.attributes(target.attr)
        if isinstance(read.ctx, ast.Load) and _may_follow(read, call, facts)
    ]
    return bool(reads) and all(is_under_no_grad(read, facts) for read in reads)


def _may_follow(read: ast.expr, call: ast.Call, facts: Facts) -> bool:
    """Whether an expression may run after the statement of a call."""
    function = facts.names.enclosing_function(call)
    if facts.names.enclosing_function(read) is not function:
        return True
    above = list(facts.names.ancestors(call))
    if any(isinstance(node, _LOOPS) for node in above):
        return True
    if read.lineno <= call.lineno or facts.statement(read) is facts.statement(call):
        return False
    choices = [node for node in above if isinstance(node, ast.If)]
    others = {s for choice in choices for s in choice.orelse if s not in above}
    return others.isdisjoint(facts.names.ancestors(read))


def _target_of(call: ast.Call, facts: Facts) -> ast.expr | None:
    """``x`` of ``x = Variable(...)`` and of ``x, y = Variable(...), Variable(...)``."""
    statement = facts.statement(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=False))
        return next((t for t, v in pairs if v is call), None)
    return target if value is call else None


def _is_switched(statement: ast.stmt, flag: ast.expr | None, facts: Facts) -> bool:
    """Whether a statement is under ``no_grad``, or under the block that a flag asks for."""
    if is_under_no_grad(statement, facts):
        return True
    context = None if flag is None else f"torch.set_grad_enabled({_negated(flag)})"
    return context is not None and any(
        isinstance(block, ast.With)
        and any(ast.unparse(item.context_expr) == context for item in block.items)
        for block in (statement, *facts.names.ancestors(statement))
    )


def _is_inside_another(
    call: ast.Call, flag: ast.expr | None, spans: list[Span], facts: Facts
) -> bool:
    """Whether the block of another flag of the same value will hold this one's."""
    own = [statement for span in spans for statement in span.statements]
    for other in volatile_calls(facts) if flag is None else _flagged_alike(call, flag, facts):
        if other is call:
            continue
        is_first = flag is not None and other.lineno < call.lineno
        for span in _remembered_spans(other, flag, facts) or ():
            inside = set(span.statements)
            outside = [s for s in own if not _is_within(s, inside, facts)]
            if not outside and (own != span.statements or is_first):
                return True
    return False


def _flagged_alike(call: ast.Call, flag: ast.expr, facts: Facts) -> list[ast.Call]:
    """The Variables of the same function with the same ``volatile=not self.training``."""
    function = facts.names.enclosing_function(call)
    alike = []
    for other in facts.names.nodes.get(ast.Call, ()):
        if not isinstance(other, ast.Call) or facts.names.enclosing_function(other) is not function:
            continue
        if facts.name(other.func) == VARIABLE and not is_opaque(other):
            its = argument(other, VOLATILE_POSITION, "volatile")
            if its is not None and ast.unparse(its) == ast.unparse(flag):
                alike.append(other)
    return alike


def _runs_later(call: ast.Call, facts: Facts) -> bool:
    """Whether a call stands in a lambda that is kept for later: ``transforms.Lambda(lambda x: …)``.

    Python's own functions run what they are given, as ``map`` does.
    """
    for node in facts.names.ancestors(call):
        if isinstance(node, ast.stmt):
            return False
        if isinstance(node, ast.Lambda):
            taker = facts.parent(node)
            return isinstance(taker, ast.Call) and facts.names.builtin(taker.func) is None
    return False


def _only_wraps(statement: ast.stmt, facts: Facts) -> bool:
    """``x = Variable(x, volatile=True)``, with nothing around it that could record a graph."""
    if not isinstance(statement, (ast.Assign, ast.Return)) or statement.value is None:
        return False
    value = statement.value
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
    if not all(_has_no_graph(part, facts) for part in parts):
        return False
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return all(_records_nothing(call, facts) for call in calls)


def _has_no_graph(node: ast.expr, facts: Facts) -> bool:
    if isinstance(node, ast.Call) and volatile_passed_on(node, facts.names) is not None:
        return True
    value = facts.value(node)
    return isinstance(value, Tensor) and value.grad is False


def _records_nothing(call: ast.Call, facts: Facts) -> bool:
    """A call of torch, or of a method of a tensor; not ``net(x).data``."""
    if facts.name(call.func) is not None or volatile_passed_on(call, facts.names) is not None:
        return True
    if isinstance(call.func, ast.Name):
        return facts.names.builtin(call.func) is not None
    return isinstance(facts.value(call.func), Method) or is_moved_for_variable(call, facts)


def _binds(span: Span, flag: ast.expr) -> bool:
    """Whether a flag gets its value only inside the statements."""
    names = {node.id for node in ast.walk(flag) if isinstance(node, ast.Name)}
    return any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names
        for statement in span.statements
        for node in ast.walk(statement)
    )


def _negated(flag: ast.expr) -> str:
    if isinstance(flag, ast.UnaryOp) and isinstance(flag.op, ast.Not):
        return ast.unparse(flag.operand)
    text = ast.unparse(flag)
    return (
        f"not {text}" if isinstance(flag, (ast.Name, ast.Attribute, ast.Call)) else f"not ({text})"
    )
