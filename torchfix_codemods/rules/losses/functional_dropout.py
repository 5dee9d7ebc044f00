"""`F.dropout(x)` in a module drops in evaluation, too: `training=self.training`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added, with_arguments
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rule import EVALUATION, TRAINING, Found, Rule

_ALWAYS_DROP = frozenset({"dropout", "dropout1d", "dropout2d", "dropout3d"})
_NEVER_DROP = frozenset({"alpha_dropout", "feature_alpha_dropout"})
_LAYERS = {f"torch.nn.D{name[1:]}": f"torch.nn.functional.{name}" for name in _ALWAYS_DROP}
_NEVER_DROPPED = (
    "drops in evaluation, too, and dropped nothing at all until torch 0.4: "
    "training={own}.training; training=False gives the numbers of then"
)
#: How comments speak of dropout that is meant for evaluation as well: Tacotron's prenet.
_MEANT = lazy_pattern(r"\b(always|even|also|monte|mc)\b", re.IGNORECASE)


class FunctionalDropout(Rule):
    """
    ## What it does
    Adds `training=self.training` to `F.dropout`, `F.dropout2d`, `F.dropout3d` and
    `F.alpha_dropout` in the methods of a module. `nn.Dropout(p)(x)` becomes such a call, because a
    layer that is made there is always in training mode.

    ## Why
    A function does not know the mode of the module it is called in. Since torch 1.0
    `F.dropout(x)` drops always, so that `model.eval()` has no effect on it and predictions are
    random; until 0.4 it never dropped, and `F.alpha_dropout(x)` does not to this day.

    ## Example
    ```python
    def forward(self, x):
        return self.fc2(F.dropout(F.relu(self.fc1(x)), p=0.2))
    ```
    becomes
    ```python
    def forward(self, x):
        return self.fc2(F.dropout(F.relu(self.fc1(x)), p=0.2, training=self.training))
    ```

    ## Numbers
    Changed: in evaluation mode nothing is dropped any more. In training mode they stay, but for
    `F.alpha_dropout`, which drops from now on.

    ## When it stays its hand
    Outside of modules; where `training` is given (`training=True` is Monte-Carlo dropout); where
    the method reads a mode or a flag decides over the call; where the method asks for
    `self.train()`, sets the rate to 0 itself (`if not training: p = 0.0`) or is given it; where a
    comment says that it always drops; with `*args` or `**kwargs`; where no `self` is in reach.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html
    """

    code = "TP308"
    name = "functional-dropout"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = EVALUATION
    words = _ALWAYS_DROP | _NEVER_DROP | {name.rpartition(".")[2] for name in _LAYERS}
    message = "drops in evaluation, too: training=self.training"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        name = facts.name(call.func) or ""
        if name in _LAYERS:
            yield from self._find_layer(call, _LAYERS[name], facts)
            return
        module, _, function = name.rpartition(".")
        if module != "torch.nn.functional" or function not in self.words or is_opaque(call):
            return
        rate = argument(call, 1, "p")
        if argument(call, 2, "training") is not None or constant(rate) == 0:
            return
        own = _self_at(call, facts)
        if own is None or _is_decided(call, rate, facts) or _is_said_to_be_meant(call, facts):
            return
        if function in _ALWAYS_DROP:
            message = _NEVER_DROPPED.format(own=own) if facts.numbers_before(call, (1, 0)) else None
            yield self.found(call, message, own=own, path=None)
        else:
            message = f"never drops: training={own}.training"
            yield self.found(call, message, moves=TRAINING, own=own, path=None)

    def _find_layer(self, layer: ast.Call, function: str, facts: Facts) -> Iterator[Found]:
        """``nn.Dropout(0.5)(x)``."""
        call = facts.parent(layer)
        if not (isinstance(call, ast.Call) and call.func is layer and len(call.args) == 1):
            return
        if call.keywords or len(layer.args) > 1 or is_opaque(layer) or is_opaque(call):
            return
        rate, own = argument(layer, 0, "p"), _self_at(call, facts)
        if constant(rate) == 0 or own is None or _is_decided(call, rate, facts):
            return
        path = spell(facts, function, call)
        if path is not None:
            yield self.found(layer, region=call, needs=path.needs, own=own, path=path.text)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        mode = cst.Attribute(cst.Name(self.data["own"]), cst.Name("training"))
        path, layer = self.data["path"], updated.func
        if path is not None:
            if not isinstance(layer, cst.Call):
                return updated
            updated = with_arguments(updated, [*updated.args, *layer.args])
            updated = updated.with_changes(func=cst.parse_expression(path))
        return with_argument_added(updated, keyword_argument("training", mode))


def _self_at(node: ast.AST, facts: Facts) -> str | None:
    """The name by which a method of a module knows the module, where ``node`` can read it."""
    method = _method_around(node, facts)
    own = None if method is None else facts.classes.self_name(method)
    if method is None or own is None or method.name == "__init__":
        return None
    owner = facts.parent(method)
    if not isinstance(owner, ast.ClassDef) or facts.classes.kind(owner) != "module":
        return None
    found = facts.names.scope_of(node).lookup(own)
    is_it = found is not None and [b.kind for b in found[1]] == ["parameter"]
    return own if is_it and found is not None and found[0].node is method else None


def _method_around(node: ast.AST, facts: Facts) -> ast.FunctionDef | None:
    for parent in facts.names.ancestors(node):
        if isinstance(parent, ast.FunctionDef) and isinstance(facts.parent(parent), ast.ClassDef):
            return parent
    return None


def _is_decided(call: ast.Call, rate: ast.expr | None, facts: Facts) -> bool:
    """Whether the method itself decides when to drop."""
    method = _method_around(call, facts)
    assert method is not None
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and node.attr in ("training", "train", "eval"):
            if not _is_argument(node, facts):
                return True
    if rate is not None and _may_be_turned_off(rate, facts):
        return True
    child: ast.AST = call
    for parent in facts.names.ancestors(call):
        if parent is method:
            return False
        if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
            if any(_is_flag(part, rate) for part in _parts(parent.test)):
                return True
        child = parent
    return False


def _is_said_to_be_meant(call: ast.Call, facts: Facts) -> bool:
    """Whether a comment beside or above the call says that it drops in evaluation, too."""
    last = call.end_lineno or call.lineno
    above = facts.lines[call.lineno - 2 : call.lineno - 1]
    beside = facts.lines[call.lineno - 1 : last]
    comments = [line for line in above if line.lstrip().startswith("#")]
    comments += [line.partition("#")[2] for line in beside]
    return any(_MEANT.search(comment) for comment in comments)


def _may_be_turned_off(rate: ast.expr, facts: Facts) -> bool:
    """Whether the rate is set to 0 on one way to the call: ``if not training: p = 0.0``.

    A rate that the method is given may be set to 0 by whoever calls it.
    """
    given: list[ast.expr | None] = [rate]
    if isinstance(rate, ast.Name):
        bindings = facts.flow.reaching(rate)
        if any(binding.kind == "parameter" for binding in bindings):
            return True
        given = [binding.value for binding in bindings if binding.kind == "assign"]
    return any(
        constant(value) == 0
        for choice in given
        for value in ((choice.body, choice.orelse) if isinstance(choice, ast.IfExp) else (choice,))
    )


def _is_argument(mode: ast.Attribute, facts: Facts) -> bool:
    """``training=self.training`` of another dropout."""
    parent = facts.parent(mode)
    if isinstance(parent, ast.keyword):
        return parent.arg == "training"
    return isinstance(parent, ast.Call) and argument(parent, 2, "training") is mode


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    """The conditions that a test is put together from."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _parts(value)
    elif isinstance(test, ast.UnaryOp):
        yield from _parts(test.operand)
    else:
        yield test


def _is_flag(part: ast.expr, rate: ast.expr | None) -> bool:
    """Whether a condition may ask for a mode; to compare numbers or ask for the rate is not to."""
    if rate is not None and ast.dump(part) == ast.dump(rate):
        return False
    if isinstance(part, ast.Compare):
        return any(
            isinstance(c, ast.Constant) and isinstance(c.value, (str, bool))
            for c in part.comparators
        )
    return not isinstance(part, ast.Constant)
