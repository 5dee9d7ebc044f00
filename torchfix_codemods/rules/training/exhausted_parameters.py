"""`params = filter(…)` can be gone through once: the clipping after the optimizer gets nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.lists import as_list
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.stand_ins import Use, is_rewritten
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rewritten, Rule
from torchfix_codemods.rules.training.questions.asked_for_next import (
    asked_for_next,
    exhausted,
    taker_asked_for_next,
)
from torchfix_codemods.rules.training.questions.exhausted import claim


class ExhaustedParameters(Rule):
    """
    ## What it does
    Makes a list of the parameters that a name or an attribute holds as a generator, `filter` or
    `map` object, where they are gone through more than once.

    ## Why
    An iterator is empty after its first use. Where that was the optimizer's, `clip_grad_norm_` gets
    no parameters and clips nothing, without an error. `filter` gave a list in Python 2.

    ## Example
    ```python
    params = filter(lambda p: p.requires_grad, model.parameters())
    optimizer = optim.Adam(params, lr=1e-3)
    for x, y in loader:
        criterion(model(x), y).backward()
        clip_grad_norm_(params, 5)
        optimizer.step()
    ```
    becomes
    ```python
    params = list(filter(lambda p: p.requires_grad, model.parameters()))
    optimizer = optim.Adam(params, lr=1e-3)
    for x, y in loader:
        criterion(model(x), y).backward()
        clip_grad_norm_(params, 5)
        optimizer.step()
    ```

    ## Numbers
    Changed: every use gets all parameters, so that the clipping clips. Restored where a later use
    is an optimizer's, which refuses to be built without parameters.

    ## When it stays its hand
    Where only one use is certain, where one of the uses is not known (`next(params)` takes no
    list), and where other assignments reach them as well. A test that replaces `clip_grad_norm_`
    and takes `next(mock.call_args[0][0])` gets `next(iter(...))` in the same run; where it cannot,
    the parameters are only reported.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
    - https://docs.python.org/3/whatsnew/3.0.html#views-and-iterators-instead-of-lists
    """

    code = "TP608"
    name = "exhausted-parameters"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset({"parameters", "named_parameters", "next"})
    beside = frozenset({"parameters", "named_parameters", "patch"})
    message = "these parameters can be gone through once: the next use finds none"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        numerics = claim(facts, node)
        if numerics is None:
            return
        tests = asked_for_next(facts, node)
        left = [use for use in tests if not is_rewritten(facts, use, self.code)]
        if left:
            yield self.advice(node, _advice(left[0], facts))
        else:
            yield self.found(node, region=node.value, numerics=numerics)

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``next(mock_clip.call_args[0][0])`` of a test, where that is a list from now on."""
        taker = taker_asked_for_next(facts, call)
        if taker is not None and self._is_given_list(facts, taker):
            message = f"{taker} gets a list, of which next() takes nothing"
            yield self.found(call.args[0], message, is_asked=True)

    def _is_given_list(self, facts: Facts, taker: str) -> bool:
        """Whether this run makes a list of what the code of a test hands to a function."""
        return any(
            all(
                is_rewritten(facts, place, self.code)
                for place in (use, *asked_for_next(use.facts, use.node))
            )
            for use in exhausted(facts, taker)
            if isinstance(use.node, ast.Assign)
        )

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Rewritten:
        if self.data.get("is_asked"):
            assert isinstance(updated, cst.BaseExpression)
            return cst.Call(cst.Name("iter"), [cst.Arg(updated)])
        return super().on_leave(original, updated)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        return as_list(updated)

    def leave_GeneratorExp(
        self, original: cst.GeneratorExp, updated: cst.GeneratorExp
    ) -> cst.BaseExpression:
        return as_list(updated)


def _advice(test: Use, facts: Facts) -> str:
    called = test.path.name if facts.files is None else facts.files.called(test.path)
    place = f"{called}, line {test.facts.origin(test.node.lineno)}"
    return (
        f"{ExhaustedParameters.message}: make a list of them, together with {place}, where next()"
        " takes nothing from a list"
    )
