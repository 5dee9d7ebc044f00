"""Which activation does not fit a loss, and what is said of the two."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, call_taking
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.libraries.losses import FUNCTION_OF
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.rules.losses.questions.last_activations import Activation
from torchfix_codemods.text.wording import LONGEST

CLASS_OF = {function: name.rpartition(".")[2] for name, function in FUNCTION_OF.items()}

LOSSES = frozenset(loss for loss in CLASS_OF if loss != "kl_div")

#: What a loss takes, and what to do about an activation that gives something else: where it was
#: applied, the loss itself, the loss to write instead.
MISMATCHES = {
    ("cross_entropy", "softmax"): (
        "{loss} takes the softmax itself, after {where} a second time: give it the scores",
        "",
    ),
    ("cross_entropy", "log_softmax"): (
        "{loss} takes log_softmax itself, after {where} a second time: write {instead}",
        "nll_loss",
    ),
    ("binary_cross_entropy_with_logits", "sigmoid"): (
        "{loss} takes the sigmoid itself, after {where} a second time: write {instead}",
        "binary_cross_entropy",
    ),
    ("nll_loss", "softmax"): (
        "{loss} takes log-probabilities, and {where} gives probabilities: write log_softmax there",
        "",
    ),
    ("nll_loss", "linear"): (
        "{loss} takes log-probabilities, and {where} gives scores: write {instead}",
        "cross_entropy",
    ),
    ("binary_cross_entropy", "linear"): (
        "{loss} takes probabilities, and {where} gives scores: write {instead}",
        "binary_cross_entropy_with_logits",
    ),
}

#: Losses that apply themselves what was applied before.
APPLIED_TWICE = frozenset(pair for pair, (text, _) in MISMATCHES.items() if "second time" in text)

#: What is to be written under another name, where what the activation gives is read elsewhere.
_NAMED_ANEW = {
    ("cross_entropy", "softmax"): "the scores need a name of their own",
    ("nll_loss", "softmax"): "what log_softmax gives needs a name of its own",
}


def calls_function(call: ast.Call, facts: Facts) -> bool:
    """Whether a loss is called as a function, not as an object."""
    return facts.name(call.func) is not None


def about_mismatch(
    pair: tuple[str, str], call: ast.Call, activation: Activation, facts: Facts
) -> str:
    """What is wrong between a loss and an activation, and what to write."""
    text, instead = MISMATCHES[pair]
    is_function = calls_function(call, facts)
    written = activation.facts.segment(activation.call)
    is_short = len(written) <= LONGEST and "\n" not in written
    line = activation.facts.origin(activation.call.lineno)
    where = written if is_short else f"line {line}"
    files = activation.facts.files
    if activation.facts is not facts and files is not None:
        named = files.called(files.path)
        where += f" in {named}" if is_short else f" of {named}"
    said = text.format(
        loss=_written(pair[0], is_function), where=where, instead=_written(instead, is_function)
    )
    given = argument(call, 0, "input")
    other = _read_elsewhere(given, call, activation, facts) if pair in _NAMED_ANEW else None
    if other is None:
        return said
    read = f"line {facts.origin(other.lineno)} reads {other.id}, too"
    return f"{said}; {read}, so {_NAMED_ANEW[pair]}"


def _read_elsewhere(
    given: ast.expr | None, call: ast.Call, activation: Activation, facts: Facts
) -> ast.Name | None:
    """The first place that reads what an activation gave, beside calls of the same loss."""
    if not isinstance(given, ast.Name) or activation.facts is not facts:
        return None
    for binding in facts.flow.reaching(given):
        if binding.value is activation.call:
            for use in uses_of(facts, binding):
                taking = call_taking(facts.names, use)
                if taking is None or not same_expression(taking.func, call.func):
                    return use
    return None


def _written(loss: str, is_function: bool) -> str:
    return loss if is_function else CLASS_OF.get(loss, "")
