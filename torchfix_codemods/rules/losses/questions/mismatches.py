"""Which activation does not fit a loss, and what is said of the two."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.libraries.losses import FUNCTION_OF
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.losses.questions.last_activations import Activation
from torchfix_codemods.text.wording import LONGEST, worded_operand

CLASS_OF = {function: name.rpartition(".")[2] for name, function in FUNCTION_OF.items()}

LOSSES = frozenset(loss for loss in CLASS_OF if loss != "kl_div")

#: What a loss takes, and what to do about an activation that gives something else: where it was
#: applied, the loss itself, the loss to write instead.
MISMATCHES = {
    ("cross_entropy", "softmax"): (
        "{loss} applies softmax itself, and {where} has applied it before: pass it the scores that "
        "went in there",
        "",
    ),
    ("cross_entropy", "log_softmax"): (
        "{loss} applies log_softmax itself, and {where} has applied it before: write {instead}",
        "nll_loss",
    ),
    ("binary_cross_entropy_with_logits", "sigmoid"): (
        "{loss} applies the sigmoid itself, and {where} has applied it before: write {instead}",
        "binary_cross_entropy",
    ),
    ("nll_loss", "softmax"): (
        "{loss} takes log-probabilities, and {where} gives probabilities: write {log}",
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
APPLIED_TWICE = frozenset(pair for pair, (text, _) in MISMATCHES.items() if "before" in text)


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
    return text.format(
        loss=_written(pair[0], is_function),
        where=where,
        instead=_written(instead, is_function),
        log=_log_of(argument(call, 0, "input")),
    )


def _log_of(given: ast.expr | None) -> str:
    text = "" if given is None else worded_operand(given, "")
    return f"{text}.log()" if text else ".log() behind its input"


def _written(loss: str, is_function: bool) -> str:
    return loss if is_function else CLASS_OF.get(loss, "")
