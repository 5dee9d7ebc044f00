"""A checkpoint for resuming without the optimizer's state resumes another training."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import constant, values_given
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_same_at
from torchfix_codemods.facts.programs.unreached import reached
from torchfix_codemods.facts.values.lattice import Optimizer
from torchfix_codemods.finding import Numerics
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.record import record
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.checkpoints.questions.resumed_training import (
    fails_to_load,
    is_loaded_in_part,
    made_later,
    may_be_left_out,
    said_of_scheduler,
    steps_replayed,
)
from torchfix_codemods.rules.questions.named_lines import also_in, numbered

#: What a function is called that may save the optimizer that it gets, or load it.
_SAVING = lazy_pattern("save|load|checkpoint|resume|restore", re.IGNORECASE)


class OptimizerState(Rule):
    """
    ## What it does
    Reports a checkpoint that holds a model's state and the epoch, and nothing of the optimizer,
    where the same file goes on training from that epoch.

    ## Why
    Momentum, the averages of Adam and the learning rate of the moment live in the optimizer. A
    training that resumes without them starts them anew: the loss jumps, and the result is not that
    of a training that was not interrupted.

    ## Example
    ```python
    torch.save({"epoch": epoch, "model": model.state_dict()}, path)
    ```
    should be
    ```python
    state = {"epoch": epoch, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, path)
    ```
    and where it is loaded, after the optimizer was built
    ```python
    optimizer.load_state_dict(checkpoint["optimizer"])
    ```
    A scheduler that counts its own rounds wants the same.

    ## Numbers
    Nothing is rewritten: files that were saved before do not hold what would be loaded.

    ## When it stays its hand
    Where no loop of the file starts from the epoch that is loaded, where the file saves or loads
    the state of any optimizer, or hands the optimizer to a function that may, and where the
    optimizer has no state (`SGD` without momentum). Where only a part of what the checkpoint holds
    is loaded (`strict=False`, a filter of its keys), it may be that of another model. Where what an
    `nn.DataParallel` saved is loaded into the model that is wrapped below, no training goes on.

    ## References
    - https://pytorch.org/tutorials/beginner/saving_loading_models.html
    """

    code = "TP503"
    name = "optimizer-state"
    since = "0.1"
    numerics = Numerics.ADVICE
    words = frozenset({"state_dict"})
    message = "the checkpoint for resuming holds nothing of the optimizer"

    def find_Dict(self, node: ast.Dict, facts: Facts) -> Iterator[Found]:
        lacking = facts.remembered("lacking optimizers", lambda: [*_all_lacking(facts)])
        for one in lacking:
            if one.saved is node:
                alike = reached((o.saved for o in lacking if o.is_like(one)), facts)
                if alike[:1] == [node]:
                    yield self.advice(node, _advice(facts, one, alike[1:]))


@record
class _Lacking:
    """A checkpoint without the state of the optimizer that goes on from it."""

    saved: ast.Dict
    made: list[ast.Assign]
    """What makes that optimizer."""
    key: str
    resumed: ast.Assign
    """What reads ``key`` of it."""

    @property
    def name(self) -> ast.expr:
        return self.made[0].targets[0]

    def is_like(self, other: _Lacking) -> bool:
        return ast.unparse(self.name) == ast.unparse(other.name) and self.resumed is other.resumed


def _all_lacking(facts: Facts) -> Iterator[_Lacking]:
    for node in facts.names.nodes.get(ast.Dict, ()):
        if isinstance(node, ast.Dict) and (lacking := _lacking(facts, node)) is not None:
            yield lacking


def _lacking(facts: Facts, node: ast.Dict) -> _Lacking | None:
    models = [m for value in node.values if (m := _model_of_state(facts, value)) is not None]
    if not models or not isinstance(facts.parent(node), (ast.Call, ast.Assign)):
        return None
    made = _of_models(facts.remembered("lost optimizers", lambda: _lost(facts)), models)
    for key in map(constant, node.keys if made else ()):
        resumed = _resuming(facts, key, models) if isinstance(key, str) else None
        if resumed is None or not isinstance(key, str):
            continue
        # What another model saved has the state of an optimizer of other parameters.
        if is_loaded_in_part(facts, resumed) or fails_to_load(facts, node, resumed):
            return None
        return _Lacking(node, made, key, resumed)
    return None


def _advice(facts: Facts, lacking: _Lacking, others: list[ast.Dict]) -> str:
    optimizer, line = ast.unparse(lacking.name), facts.origin(lacking.resumed.lineno)
    where, later = "where it is loaded", made_later(facts, lacking.made, lacking.resumed)
    replays = steps_replayed(facts, lacking.resumed)
    if replays:
        loops = numbered([facts.origin(loop.lineno) for loop in replays])
        where = f"below the loop{'s' * (len(replays) > 1)} of {loops}, which would change its rate"
    elif not is_same_at(lacking.resumed, lacking.name, facts):
        where = "once it is made"
    elif later is not None:
        where = f"below line {facts.origin(later.lineno)}, which makes {optimizer}"
        if may_be_left_out(facts, lacking.resumed, later):
            where += f", if line {line} has run"
    lines = [facts.origin(other.lineno) for other in others]
    here = also_in(lines, facts).removeprefix(",") or " here"
    added = f'add "optimizer": {optimizer}.state_dict(){here}'
    if not all(is_same_at(place, lacking.name, facts) for place in (lacking.saved, *others)):
        there = facts.origin(lacking.made[0].lineno)
        added = f"hand that of line {there} on, to add its state_dict(){here}"
    # What counts up to the loaded epoch is where it was.
    again = "" if replays else said_of_scheduler(facts, lacking.made)
    return (
        f'training goes on from "{lacking.key}" (line {line}) with a new {optimizer}: '
        f"{added}, and {optimizer}.load_state_dict(...) {where}{again}"
    )


def _model_of_state(facts: Facts, node: ast.expr) -> str | None:
    """``model`` of ``model.state_dict()``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    owner = node.func.value if node.func.attr == "state_dict" else None
    return _written(owner) if owner is not None and _is_model(facts, owner) else None


def _of_models(made: list[ast.Assign], models: list[str]) -> list[ast.Assign]:
    """What makes the one optimizer there is, or of several the first that is given a model."""
    names = sorted({ast.unparse(each.targets[0]) for each in made})
    if len(names) > 1:
        given = [each for each in made if _names_any(each.value, models)]
        names = sorted({ast.unparse(each.targets[0]) for each in given})
    return [each for each in made if ast.unparse(each.targets[0]) == names[0]] if names else []


def _names_any(node: ast.AST, models: list[str]) -> bool:
    return any(isinstance(n, ast.expr) and ast.unparse(n) in models for n in ast.walk(node))


def _is_model(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is a module, or that within a ``DataParallel``."""
    is_inner = isinstance(node, ast.Attribute) and node.attr == "module"
    inner = node.value if is_inner and isinstance(node, ast.Attribute) else node
    return facts.is_module(node) or facts.is_module(inner)


def _lost(facts: Facts) -> list[ast.Assign]:
    """What makes the optimizers of the file; nothing where a state of one is saved or loaded."""
    owners = [
        node.value
        for node in facts.names.nodes.get(ast.Attribute, ())
        if isinstance(node, ast.Attribute) and node.attr in ("state_dict", "load_state_dict")
    ]
    models = {_written(owner) for owner in owners if _is_model(facts, owner)}
    if any(_written(owner) not in models for owner in owners):
        return []
    made = [
        statement
        for statement in facts.names.nodes.get(ast.Assign, ())
        if isinstance(statement, ast.Assign) and _builds_stateful(facts, statement.value)
    ]
    found = {ast.unparse(statement.targets[0]) for statement in made}
    handed_on = {
        ast.unparse(argument)
        for call in facts.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call) and _SAVING.search(ast.unparse(call.func))
        for argument in values_given(call)
    }
    return made if found.isdisjoint(handed_on) else []


def _written(model: ast.expr) -> str:
    return ast.unparse(model).removesuffix(".module")


def _builds_stateful(facts: Facts, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(facts.value(node), Optimizer):
        return False
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    is_plain = facts.name(node.func) == "torch.optim.SGD" and len(node.args) < 3
    return not is_plain or constant(given.get("momentum", ast.Constant(0))) != 0


def _resuming(facts: Facts, key: str, models: list[str]) -> ast.Assign | None:
    """What reads the start of a loop over epochs from a loaded checkpoint.

    Of several those of the function that has the loop, as others may only test, and of them that
    which stands where one of the models is loaded, if one does.
    """
    loops: dict[str, set[ast.AST | None]] = {}
    for call in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(call, ast.Call)
        if isinstance(call.func, ast.Name) and call.func.id in ("range", "xrange"):
            if len(call.args) > 1:
                around = facts.names.enclosing_function(call)
                loops.setdefault(_stored(call.args[0]), set()).add(around)
    found = []
    for node in facts.names.nodes.get(ast.Assign, ()):
        assert isinstance(node, ast.Assign)
        value = node.value.left if isinstance(node.value, ast.BinOp) else node.value
        if isinstance(value, ast.Subscript) and constant(value.slice) == key:
            functions = [loops[t] for t in map(_stored, node.targets) if t in loops]
            if functions:
                has_loop = any(facts.names.enclosing_function(node) in f for f in functions)
                found.append((has_loop, node))
    there = [node for has_loop, node in found if has_loop] or [node for _, node in found]
    beside = (n for n in there if any(_names_any(s, models) for s in facts.block(n)))
    return next(beside, there[0] if there else None)


def _stored(target: ast.expr) -> str:
    return ast.dump(target).replace("Load()", "Store()")
