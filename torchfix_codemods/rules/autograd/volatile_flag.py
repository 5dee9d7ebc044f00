"""`volatile=True` has had no effect since 0.4: inference code goes under `torch.no_grad()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword, without_argument
from torchfix_codemods.edit.parameters import without_flag
from torchfix_codemods.edit.statements import under_with
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.outcomes.kept_apart import Apart, kept_apart
from torchfix_codemods.rules.autograd.questions.outcomes.marked import verdict_on_mark
from torchfix_codemods.rules.autograd.questions.volatile import kept, messages, switches, told
from torchfix_codemods.rules.autograd.questions.volatile.blocks import (
    is_inside_another,
    spans_of_uses,
)
from torchfix_codemods.rules.autograd.questions.volatile.calls import flag_given, volatile_option
from torchfix_codemods.rules.autograd.questions.volatile.elsewhere import (
    calls_elsewhere_by_flag,
    calls_that_pass,
    is_done_here,
    is_needed_elsewhere,
)
from torchfix_codemods.rules.autograd.questions.volatile.flows import marks_behind
from torchfix_codemods.rules.autograd.questions.volatile.given import Flag, is_never_set, is_off
from torchfix_codemods.rules.autograd.questions.volatile.graphless_reads import is_covered
from torchfix_codemods.rules.autograd.questions.volatile.helpers import Helper
from torchfix_codemods.rules.autograd.questions.volatile.marks import is_asked, is_of_tensor
from torchfix_codemods.rules.autograd.questions.volatile.spans import is_within
from torchfix_codemods.rules.autograd.questions.volatile.uses import (
    goes_nowhere,
    is_read_without_graph,
    runs_later,
)
from torchfix_codemods.rules.autograd.questions.volatile.wraps import only_makes
from torchfix_codemods.rules.questions.uncalled import is_uncalled_inside


class VolatileFlag(Rule):
    """
    ## What it does
    Puts the code that uses a `Variable(x, volatile=True)` under `with torch.no_grad():` and takes
    the flag away. The block is the loop, where a good part of it runs a model, else just the lines
    from the model to the end of its calculation, in other methods, too, where `self.x` keeps it.
    `y.volatile = False` ends the block, and goes. `volatile=flag` gives
    `with torch.set_grad_enabled(not flag):`, and asks `torch.is_grad_enabled()`, too, where a
    caller may record no graph. A helper, as `to_var(x, volatile=False)`, is followed to its calls,
    in other files, too, and loses its parameter once no file passes it, as is a lambda of just
    `Variable`. A flag that no call sets goes, as do `volatile=x.volatile` and `volatile=not train`
    below `if train:`. What is volatile behind `if train: … else:` gives `set_grad_enabled(train)`.

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
    Where the value is returned, kept where an object may keep another, used with `backward()` or
    `step()`, also by a function that takes it, and in a helper without calls; a finding says where
    to put `no_grad`. So it does of `if x.volatile:`, and of `x.volatile = True` of an unknown `x`.

    ## References
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/ ("What about volatile?")
    - https://pytorch.org/docs/stable/generated/torch.no_grad.html
    """

    code = "TP102"
    name = "volatile-flag"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    warns = True
    words = frozenset({"volatile", "Variable", "torch"})
    message = "volatile= has no effect since 0.4: torch.no_grad() keeps the graph away"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        flag = flag_given(call, facts)
        if flag is None or flag.value is None or not flag.is_off_by_default:
            yield from self.find_Dict(call, facts)
        elif is_off(flag.value) or (flag.of_variable and is_of_tensor(flag.value, facts)):
            yield from self._dropped(call, flag, facts)
        elif flag.of_variable and not isinstance(flag.value, ast.Constant):
            yield from self._follow_flag(call, flag, facts)
        else:
            yield from self._wrap(call, flag, facts)

    def find_Module(self, module: ast.Module, facts: Facts) -> Iterator[Found]:
        """``get_batch(source, i, evaluation=True)`` of another file."""
        for call in calls_elsewhere_by_flag(facts):
            yield from self.find_Call(call, facts)

    def find_Dict(self, options: ast.Dict | ast.Call, facts: Facts) -> Iterator[Found]:
        """``options = {"volatile": True}`` of ``Variable(x, **options)``."""
        if (flag := volatile_option(options, facts)) is not None:
            yield self._told(told.of_option(flag, options, facts), flag, facts)

    def find_FunctionDef(self, function: ast.FunctionDef, facts: Facts) -> Iterator[Found]:
        """Calls of a helper with its flag set, and the helper once they are all under no_grad."""
        helper = Helper.of(function, facts)
        if helper is None or kept.is_told_inside(helper, facts):
            return
        open_calls = [c for c in helper.calls_with_flag() if not is_under_no_grad(c, facts)]
        for call in (one for one in open_calls if not is_opaque(one)):
            given = helper.given(call) if helper.is_off_by_default() else None
            # Under a block, the helper keeps its own for now.
            yield from self._follow_flag(call, Flag(helper.flag_of(call), "", None), facts, given)
        if open_calls or helper.is_used_as_value():
            return
        is_needed = is_needed_elsewhere(helper, facts)
        passing = calls_that_pass(helper, is_needed, facts)
        for call in (one for one in passing if not is_opaque(one)):
            yield from self._dropped(call, helper.given(call), facts)
        if passing or is_needed:
            return
        if helper.is_for_callers_unseen():
            yield self._told(kept.said_of_unseen_calls(helper, facts), function, facts)
        else:
            yield self.found(function, parameter=helper.parameter)

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        verdict = verdict_on_mark(node, facts)
        if verdict is None:
            return
        if verdict.told:
            yield self._told(verdict.told, node, facts)
        elif verdict.span is None or verdict.spelling is None:
            yield self.found(node, messages.SET_FOR_NOTHING, lets_comment_go=True)
        else:
            context, needs = f"{verdict.spelling.text}()", verdict.spelling.needs
            block: dict[str, Any] = {"region": verdict.span.statements, "needs": needs}
            yield self.found(node, context=context, drops_first=True, **block)

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        """``if not x.volatile:``, which is always so since 0.4."""
        if isinstance(node.ctx, ast.Load) and is_asked(node, facts) and is_of_tensor(node, facts):
            yield self._told(messages.always_false(node, facts), node, facts)

    def _told(self, message: str, node: ast.AST, facts: Facts) -> Found:
        return self.advice(node, messages.spelled(message, node, facts))

    def _wrap(
        self, call: ast.Call, flag: Flag, facts: Facts, given: Flag | None = None
    ) -> Iterator[Found]:
        switch = switches.switch_of(flag.value)
        is_later = runs_later(call, facts)
        spans = None if is_later else spans_of_uses(call, switch, facts)
        is_inside = not is_later and is_under_no_grad(call, facts)
        is_needless = spans == [] or (is_inside and not spans) or goes_nowhere(call, facts)
        is_needless = is_needless or (spans is None and is_covered(call, facts))
        if is_needless or is_never_set(flag.value, facts) or is_read_without_graph(call, facts):
            yield from self._dropped(call, given or flag, facts)
            return
        spelling = switches.spelled_context(flag.value, call, facts)
        apart = None if is_later or spans is not None else kept_apart(call, facts)
        if apart is not None and flag.of_variable:
            yield from self._by_branch(apart, call, flag, facts)
            return
        if spans is None or spelling is None or told.is_half(call, flag, facts):
            if not is_uncalled_inside(call, facts) and (once := told.once(call, flag, facts)):
                yield self._told(once, call, facts)
            return
        if is_inside_another(call, switch, spans, facts):
            return  # It comes under the same block as that one.
        said = messages.spelled(told.alone(call, flag, facts), call, facts)
        statement, group = facts.statement(call), f"line {call.lineno}, column {call.col_offset}"
        held = {held for span in spans for held in span.statements}
        together: dict[str, Any] = {"group": group, "otherwise": said}
        if is_inside or not is_within(statement, held, facts):
            yield from self._dropped(call, (not is_inside and given) or flag, facts, **together)
        for span in spans:
            if len(spans) > 1 and all(only_makes(one, facts) for one in span.statements):
                if is_within(statement, {*span.statements}, facts):
                    yield from self._dropped(call, given or flag, facts, **together)
                continue
            block: dict[str, Any] = {"region": span.statements, "needs": spelling.needs}
            yield self.found(call, context=spelling.text, drops_first=False, **block, **together)

    def _by_branch(self, apart: Apart, call: ast.Call, flag: Flag, facts: Facts) -> Iterator[Found]:
        """``with torch.set_grad_enabled(train):`` for what is volatile behind ``else``."""
        if call is not apart.calls[0]:
            return
        said = messages.spelled(told.alone(call, flag, facts), call, facts)
        group = f"line {call.lineno}, column {call.col_offset}"
        together: dict[str, Any] = {"group": group, "otherwise": said}
        for one in apart.calls:
            if (its := flag_given(one, facts)) is not None:
                yield from self._dropped(one, its, facts, **together)
        block: dict[str, Any] = {"region": apart.span.statements, "needs": apart.spelling.needs}
        yield self.found(call, context=apart.spelling.text, drops_first=False, **block, **together)

    def _dropped(self, call: ast.Call, flag: Flag, facts: Facts, **more: Any) -> Iterator[Found]:
        """The flag goes, and ``x.volatile = False``, which ends its reach till then."""
        yield self.found(call, reason=flag.reason, **flag.place, **more)
        for mark in marks_behind(call, facts):
            yield self.found(mark, messages.SET_FOR_NOTHING, lets_comment_go=True, **more)

    def _follow_flag(
        self, call: ast.Call, flag: Flag, facts: Facts, given: Flag | None = None
    ) -> Iterator[Found]:
        helper = Helper.around(call, flag.value, facts)
        if helper is None:
            yield from self._wrap(call, flag, facts, given)
        elif is_done_here(helper, facts):
            yield from self._dropped(call, given or flag, facts)
        elif (text := kept.said_in_helper(helper, call, facts)) is not None:
            yield self._told(text, call, facts)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        index = index_of_keyword(updated, self.data["flag"])
        index = self.data["position"] if index is None else index
        is_given = index is not None and index < len(updated.args)
        return without_argument(updated, index) if is_given else updated

    def leave_FunctionDef(
        self, original: cst.FunctionDef, updated: cst.FunctionDef
    ) -> cst.FunctionDef:
        return without_flag(updated, self.data["parameter"], "volatile")

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
