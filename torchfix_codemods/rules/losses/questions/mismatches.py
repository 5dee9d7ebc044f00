"""Which activation does not fit a loss, and what is said of the two."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.libraries.losses import FUNCTION_OF
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, ndim_of
from torchfix_codemods.rules.losses.questions.activations import is_plain
from torchfix_codemods.rules.losses.questions.choices import is_chosen
from torchfix_codemods.rules.losses.questions.criteria import takes_classes
from torchfix_codemods.rules.losses.questions.last_activations import Activation, activation_of
from torchfix_codemods.rules.losses.questions.ranks import ANY
from torchfix_codemods.text.wording import LONGEST, worded_operand

CLASS_OF = {function: name.rpartition(".")[2] for name, function in FUNCTION_OF.items()}

LOSSES = frozenset(loss for loss in CLASS_OF if loss != "kl_div")

#: What a loss takes, and that an activation gave something else; what to write, of the loss itself
#: or of the loss to write instead.
MISMATCHES = {
    ("cross_entropy", "softmax"): (
        "{loss} applies softmax itself, and {where} has applied it before",
        "pass it the scores that went in there",
    ),
    ("cross_entropy", "log_softmax"): (
        "{loss} applies log_softmax itself, and {where} has applied it before",
        "nll_loss",
    ),
    ("binary_cross_entropy_with_logits", "sigmoid"): (
        "{loss} applies the sigmoid itself, and {where} has applied it before",
        "binary_cross_entropy",
    ),
    ("nll_loss", "softmax"): (
        "{loss} takes log-probabilities, and {where} gives probabilities",
        "write {log}",
    ),
    ("nll_loss", "linear"): (
        "{loss} takes log-probabilities, and {where} gives scores",
        "cross_entropy",
    ),
    ("binary_cross_entropy", "linear"): (
        "{loss} takes probabilities, and {where} gives scores",
        "binary_cross_entropy_with_logits",
    ),
}

#: Losses that apply themselves what was applied before.
APPLIED_TWICE = frozenset(pair for pair, (text, _) in MISMATCHES.items() if "before" in text)
#: Of so many dimensions a softmax takes the classes.
_OF_ROWS = frozenset({2, 4})
_OF_PROBABILITIES = ("cross_entropy", "softmax")
_SAME_TWICE = ("cross_entropy", "log_softmax")


def mismatch_of(facts: Facts, call: ast.Call, loss: str) -> Activation | None:
    """The activation whose results a call of a loss takes, where the two do not fit.

    Args:
        facts: the facts of the module.
        call: the call of a loss.
        loss: the function that computes it.
    """
    given = None if is_opaque(call) else argument(call, 0, "input")
    activation = None if given is None else activation_of(facts, given)
    if activation is None or (loss, activation.kind) not in MISMATCHES:
        return None
    pair = loss, activation.kind
    is_meant = pair in APPLIED_TWICE and is_chosen(call, activation, facts)
    return None if is_meant else activation


def is_nested(call: ast.Call, activation: Activation) -> bool:
    """Whether an activation stands in the call of the loss, where it can be written without."""
    return argument(call, 0, "input") is activation.call and is_plain(activation)


def about_criterion(built: ast.Call, uses: Sequence[tuple[ast.Call, str]], facts: Facts) -> str:
    """What is said where a loss object is built, of which another one is to be written.

    Args:
        built: the call that builds it.
        uses: its calls, each with the function that computes it.
        facts: the facts of the module.

    Returns:
        the message; "" where not all calls get the same, where the loss itself is right, and where
        a call is written without the activation.
    """
    if not uses or uses[0][0] is built:
        return ""
    found = [mismatch_of(facts, use, loss) for use, loss in uses]
    kinds = {None if activation is None else activation.kind for activation in found}
    if any(one is not None and is_nested(u, one) for (u, _), one in zip(uses, found, strict=True)):
        return ""
    first = found[0] if len(kinds) == 1 else None
    pair = (uses[0][1], first.kind) if first is not None else ("", "")
    instead = CLASS_OF.get(MISMATCHES[pair][1]) if first is not None else None
    is_smooth = any(keyword.arg in (None, "label_smoothing") for keyword in built.keywords)
    if first is None or instead is None:
        return ""
    pairs = zip(uses, found, strict=True)
    is_harmless = all(one is not None and _is_harmless(use, one, facts) for use, one in pairs)
    # No other loss takes that.
    proposal = "" if is_smooth else f": write {instead}"
    return _fact(uses[0], first, facts, is_harmless) + proposal


def about_mismatch(
    pair: tuple[str, str], call: ast.Call, activation: Activation, facts: Facts
) -> str:
    """What is wrong between a loss and an activation, and what to write."""
    use, proposal = (call, pair[0]), MISMATCHES[pair][1]
    said = _fact(use, activation, facts, _is_harmless(use, activation, facts))
    if pair == _OF_PROBABILITIES and _is_made_elsewhere(call, activation, facts):
        return f"{said}: {_instead_of_probabilities(call, facts)}"
    if proposal not in CLASS_OF:
        return f"{said}: {proposal.format(log=_log_of(argument(call, 0, 'input')))}"
    if calls_function(call, facts):
        return f"{said}: write {proposal}"
    # Other calls of the same object give it something else.
    return f"{said}: write {CLASS_OF[proposal]} for this call"


def _is_made_elsewhere(call: ast.Call, activation: Activation, facts: Facts) -> bool:
    """Whether another function applies an activation, so that its scores are out of reach."""
    function = activation.facts.names.enclosing_function(activation.call)
    return function is not facts.names.enclosing_function(call)


def _instead_of_probabilities(call: ast.Call, facts: Facts) -> str:
    """What to write of a loss of scores that gets what a softmax of another function gives."""
    alone = "leave it out there if nothing else takes what it gives"
    if not calls_function(call, facts) or argument(call, None, "label_smoothing") is not None:
        return f"{alone}, or else return the scores as well"
    return f"{alone}, or else write nll_loss with {_log_of(argument(call, 0, 'input'))}"


def _is_harmless(use: tuple[ast.Call, str], activation: Activation, facts: Facts) -> bool:
    """Whether a loss applies what was applied along the same dimension, twice as good as once."""
    call, loss = use
    if (loss, activation.kind) != _SAME_TWICE:
        return False
    layer = activation.facts.value(activation.call.func)
    if isinstance(layer, Module):
        dim = None if layer.call is None else argument(layer.call, 0, "dim")
        is_known = layer.call is not None
    else:
        is_function = activation.facts.name(activation.call.func) is not None
        dim, is_known = argument(activation.call, int(is_function), "dim"), True
    number = None if dim is None else whole_number(dim)
    given = argument(call, 0, "input")
    is_flat = given is not None and ndim_of(facts.value(given)) == 2
    if dim is None:
        # Of the two or four dimensions that these losses took, it is the second.
        return is_known and (is_flat or (takes_classes(facts, call) or ANY) <= _OF_ROWS)
    return number == 1 or (number == -1 and is_flat)


def calls_function(call: ast.Call, facts: Facts) -> bool:
    """Whether a loss is called as a function, not as an object."""
    return facts.name(call.func) is not None


def _fact(
    use: tuple[ast.Call, str], activation: Activation, facts: Facts, is_harmless: bool
) -> str:
    call, loss = use
    written = activation.facts.segment(activation.call)
    is_short = len(written) <= LONGEST and "\n" not in written
    line = activation.facts.origin(activation.call.lineno)
    where = written if is_short else f"line {line}"
    files = activation.facts.files
    if activation.facts is not facts and files is not None:
        named = files.called(files.path)
        where += f" in {named}" if is_short else f" of {named}"
    called = loss if calls_function(call, facts) else CLASS_OF.get(loss, "")
    said = MISMATCHES[loss, activation.kind][0].format(loss=called, where=where)
    return f"{said}, which changes no value" if is_harmless else said


def _log_of(given: ast.expr | None) -> str:
    text = "" if given is None else worded_operand(given, "")
    return f"{text}.log()" if text else ".log() behind its input"
