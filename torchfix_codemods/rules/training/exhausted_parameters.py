"""`params = filter(…)` can be gone through once: the clipping after the optimizer gets nothing."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import python_functions
from torchfix_codemods.facts.libraries.torch_names import last_part
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.uses import (
    bindings_by,
    uses_of,
    uses_of_attribute,
)
from torchfix_codemods.facts.programs.stand_ins import Use, is_rewritten, recorded
from torchfix_codemods.facts.values.lattice import Module, Optimizer, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rewritten, Rule

_LAZY = frozenset({"filter", "map", "zip"})
_TAKERS = frozenset(
    f"torch.nn.utils.{name}"
    for name in """clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grad.clip_grad_norm
    clip_grad.clip_grad_norm_ clip_grad.clip_grad_value_ parameters_to_vector""".split()
)


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
        numerics = _claim(facts, node)
        if numerics is None:
            return
        tests = _asked_for_next(facts, node)
        left = [use for use in tests if not is_rewritten(facts, use, self.code)]
        if left:
            yield self.advice(node, _advice(left[0]))
        else:
            yield self.found(node, region=node.value, numerics=numerics)

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``next(mock_clip.call_args[0][0])`` of a test, where that is a list from now on."""
        taker = _taker_asked_for_next(facts, call)
        if taker is not None and self._is_given_list(facts, taker):
            message = f"{taker} gets a list, of which next() takes nothing"
            yield self.found(call.args[0], message, is_asked=True)

    def _is_given_list(self, facts: Facts, taker: str) -> bool:
        """Whether this run makes a list of what the code of a test hands to a function."""
        return any(
            all(
                is_rewritten(facts, place, self.code)
                for place in (use, *_asked_for_next(use.facts, use.node))
            )
            for use in _exhausted(facts, taker)
            if isinstance(use.node, ast.Assign)
        )

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Rewritten:
        if self.data.get("is_asked"):
            assert isinstance(updated, cst.BaseExpression)
            return cst.Call(cst.Name("iter"), [cst.Arg(updated)])
        return super().on_leave(original, updated)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        bare = updated.with_changes(lpar=[], rpar=[])
        return cst.Call(cst.Name("list"), [cst.Arg(bare)], lpar=updated.lpar, rpar=updated.rpar)

    def leave_GeneratorExp(
        self, original: cst.GeneratorExp, updated: cst.GeneratorExp
    ) -> cst.ListComp:
        return cst.ListComp(
            updated.elt,
            updated.for_in,
            lbracket=cst.LeftSquareBracket(updated.lpar[-1].whitespace_after),
            rbracket=cst.RightSquareBracket(updated.rpar[0].whitespace_before),
            lpar=updated.lpar[:-1],
            rpar=updated.rpar[1:],
        )


def _claim(facts: Facts, node: ast.Assign) -> Numerics | None:
    """What a list changes where an assignment should make one; None where it should not."""
    if len(node.targets) != 1 or not _is_lazy(facts, node.value):
        return None
    if facts.names.scope_of(node).lookup("list") is not None:
        return None
    target = node.targets[0]
    if isinstance(target, ast.Name):
        return _claim_of_name(facts, node, target)
    is_kept = isinstance(target, ast.Attribute) and _is_kept_for_more(facts, target)
    return Numerics.CHANGED if is_kept else None


# What tests ask for


def _takers(facts: Facts, assign: ast.Assign) -> frozenset[str]:
    """The functions that go through what is assigned, by their plain names."""
    target = assign.targets[0]
    uses: Sequence[ast.expr] = ()
    if isinstance(target, ast.Name):
        uses = _uses_of_name(facts, assign, target)
    elif isinstance(target, ast.Attribute):
        uses = uses_of_attribute(facts, target)
    calls = (_call_of(facts, use) for use in uses)
    names = (facts.name(call.func) or "" for call in calls if call is not None)
    return frozenset(_plain(name) for name in names if name in _TAKERS)


def _plain(name: str) -> str:
    """The last part of a qualified name, without the underscore that it may have got since."""
    return last_part(name).rstrip("_")


def _files(facts: Facts, words: Collection[str]) -> list[tuple[Path, Facts]]:
    """This file, and the other ones of the project that hold one of some words."""
    if facts.files is None:
        return []
    others = {f for word in words for f in facts.files.mentioning(word) or ()}
    read = ((file.path, facts_of(file)) for file in sorted(others, key=lambda file: file.path))
    return [(facts.files.path, facts), *((p, there) for p, there in read if there is not None)]


def _spellings(takers: Collection[str]) -> list[str]:
    return [name + end for name in takers for end in ("", "_")]


def _asked_for_next(facts: Facts, assign: ast.Assign) -> list[Use]:
    """What ``next`` gets in tests that see a function called with what is assigned."""
    takers = _takers(facts, assign)
    return [
        Use(path, there, call.args[0])
        for path, there in _files(facts, _spellings(takers))
        for call in there.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call) and _plain(_taker_asked_for_next(there, call) or "") in takers
    ]


def _taker_asked_for_next(facts: Facts, call: ast.Call) -> str | None:
    """Which function a mock stands for of whose argument ``next`` takes something."""
    if not call.args or facts.names.builtin(call.func) != "next":
        return None
    name = recorded(facts, call.args[0])
    return last_part(name) if name is not None and name in _TAKERS else None


def _exhausted(facts: Facts, taker: str) -> list[Use]:
    """The assignments that should make a list for a function."""
    return [
        Use(path, there, node)
        for path, there in _files(facts, _spellings([_plain(taker)]))
        for node in there.names.nodes.get(ast.Assign, ())
        if isinstance(node, ast.Assign) and _claim(there, node) is not None
        if _plain(taker) in _takers(there, node)
    ]


def _advice(test: Use) -> str:
    place = f"{test.path.name}, line {test.node.lineno}"
    return (
        f"{ExhaustedParameters.message}: make a list of them, together with {place}, where next()"
        " takes nothing from a list"
    )


# What is gone through


def _is_lazy(facts: Facts, value: ast.expr) -> bool:
    """Whether an expression gives parameters one after the other, and only once."""
    if isinstance(value, ast.GeneratorExp):
        return any(_gives_parameters(facts, part) for part in walk(value))
    if not isinstance(value, ast.Call):
        return False
    if facts.names.builtin(value.func) in _LAZY:
        return any(_gives_parameters(facts, part) for part in walk(value))
    return _gives_parameters(facts, value)


def _gives_parameters(facts: Facts, node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    method = node.func
    if method.attr not in ("parameters", "named_parameters") or facts.name(method) is not None:
        return False
    receiver = facts.value(method.value)
    return isinstance(receiver, Module) or (
        isinstance(receiver, Unknown) and method.attr not in method_names(facts.names)
    )


def _claim_of_name(facts: Facts, statement: ast.Assign, target: ast.Name) -> Numerics | None:
    """What a list changes where a name is certainly gone through twice; None where it is not."""
    uses = _uses_of_name(facts, statement, target)
    function = facts.names.enclosing_function(statement)
    if any(
        facts.assigned(use) != [statement.value]
        or facts.names.enclosing_function(use) is not function
        or not (_goes_through(facts, use) or _only_asks(facts, use))
        for use in uses
    ):
        return None
    uses = sorted(
        (use for use in uses if _goes_through(facts, use)), key=lambda u: (u.lineno, u.col_offset)
    )
    if not (_is_one_after_another(facts, uses) or _is_repeated(facts, uses, statement)):
        return None
    # An optimizer refuses to be built without parameters.
    is_refused = any(_is_optimizers(facts, use) for use in uses[1:])
    return Numerics.RESTORED if is_refused else Numerics.CHANGED


def _uses_of_name(facts: Facts, statement: ast.Assign, target: ast.Name) -> list[ast.Name]:
    return [u for b in bindings_by(facts, statement, target.id) for u in uses_of(facts, b)]


def _is_one_after_another(facts: Facts, uses: Sequence[ast.expr]) -> bool:
    runs_with = facts.inference.branches.runs_with
    return any(runs_with(first, use) for i, use in enumerate(uses) for first in uses[:i])


def _is_kept_for_more(facts: Facts, target: ast.Attribute) -> bool:
    """Whether other methods go through what ``self.params`` is assigned, whenever they are called.

    One that builds an optimizer may be called just once.
    """
    method = facts.names.enclosing_function(target)
    uses = uses_of_attribute(facts, target)
    if not all(_goes_through(facts, use) or _only_asks(facts, use) for use in uses):
        return False
    return not _is_taken_elsewhere(facts, target.attr) and any(
        facts.names.enclosing_function(use) is not method
        and _goes_through(facts, use)
        and not _is_optimizers(facts, use)
        for use in uses
    )


def _is_taken_elsewhere(facts: Facts, attribute: str) -> bool:
    """Whether another file of the project writes ``next(callback.params)``."""
    if facts.files is None:
        return False
    asking = {*(facts.files.mentioning("next") or ())}
    holding = (facts_of(f) for f in facts.files.mentioning(attribute) or () if f in asking)
    return any(
        isinstance(call := there.parent(node), ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "next"
        for there in holding
        if there is not None
        for node in there.names.attributes(attribute)
    )


def _goes_through(facts: Facts, use: ast.expr) -> bool:
    """Whether the place takes all parameters out of the iterator."""
    parent = facts.parent(use)
    if isinstance(parent, (ast.For, ast.comprehension)):
        return parent.iter is use
    call = _call_of(facts, use)
    if call is None:
        return False
    builtin = facts.names.builtin(call.func)
    if builtin is not None:
        return python_functions.exhausts(builtin)
    return facts.name(call.func) in _TAKERS or isinstance(facts.value(call), Optimizer)


def _call_of(facts: Facts, use: ast.expr) -> ast.Call | None:
    """The call that gets ``use`` as its first argument."""
    parent = facts.parent(use)
    if isinstance(parent, ast.keyword) and parent.arg in ("params", "parameters"):
        call = facts.parent(parent)
        return call if isinstance(call, ast.Call) else None
    return parent if isinstance(parent, ast.Call) and parent.args[:1] == [use] else None


def _only_asks(facts: Facts, use: ast.expr) -> bool:
    """``params is None``."""
    parent = facts.parent(use)
    return isinstance(parent, ast.Compare) and all(
        isinstance(operator, (ast.Is, ast.IsNot)) for operator in parent.ops
    )


def _is_optimizers(facts: Facts, use: ast.expr) -> bool:
    call = _call_of(facts, use)
    return call is not None and isinstance(facts.value(call), Optimizer)


def _is_repeated(facts: Facts, uses: Sequence[ast.expr], statement: ast.Assign) -> bool:
    """Whether a loop that does not hold ``statement`` comes by one of the uses again and again."""
    loops = (_loop_around(facts, use) for use in uses)
    return any(
        loop is not None and all(node is not statement for node in walk(loop)) for loop in loops
    )


def _loop_around(facts: Facts, use: ast.expr) -> ast.For | ast.While | None:
    """The innermost loop whose body holds a use."""
    child: ast.AST = use
    for parent in facts.names.ancestors(use):
        if isinstance(parent, (ast.For, ast.While)) and child in parent.body:
            return parent
        child = parent
    return None
