"""What is said of models that infer in training mode where nothing is rewritten."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.questions.named_lines import also_in
from torchfix_codemods.rules.training.questions.infer_together import Company
from torchfix_codemods.text.wording import listed

_IN_TRAINING = "in training mode (dropout, BatchNorm)"
_ALONE = "{0} infers {1}: {0}.eval() comes first, and {0}.train() before training again"
_SEVERAL = "{0} infer {1}: eval() of each comes first, and train() of each before training again"
_UNCLEAR = (
    "{0} infer{s} {1}, and whether {2} does, beside {it}, is not in sight: eval() of all of them"
    " comes first"
)
_SHARED = (
    "{0} infer{s} {1}, but a BatchNorm of {2} is applied to several inputs in one forward(): in"
    " training each is normalized by itself, after eval() all by what is learned of them together,"
    " which gives other results; eval() comes first once each has a BatchNorm of its own, trained"
    " anew"
)
_RESTORED = (
    "{0} infer {1}, and who calls this is not in sight: eval() of each comes first, and on each way"
    " out train() with the mode that it had"
)


def must_be_told(company: Company) -> bool:
    """Whether not all of some models that infer side by side can get their ``eval()``."""
    members = company.members
    is_clear = all(one.resets is not None and not one.shares for one in members)
    is_kept = len(members) > 1 and any(one.restored for one in members)
    return not is_clear or is_kept or bool(company.unclear)


def told(company: Company, facts: Facts) -> dict[ast.stmt, str]:
    """What a person has to do for some models, all of them by their names, once in a function.

    Args:
        company: the models.
        facts: the facts of the module.

    Returns:
        the messages, by the first of the places in each function.
    """
    functions: dict[ast.AST | None, list[ast.stmt]] = {}
    places = {place for one in company.members for place in one.all_places}
    for place in sorted(places, key=start_of):
        functions.setdefault(facts.names.enclosing_function(place), []).append(place)
    return {
        first: _told(company, also_in([facts.origin(place.lineno) for place in others], facts))
        for first, *others in functions.values()
    }


def _told(company: Company, also: str) -> str:
    members, training = company.members, _IN_TRAINING + also
    several = len(members) > 1
    names = listed(dict.fromkeys(one.written for one in members))
    shared = dict.fromkeys(one.written for one in members if one.shares)
    words = {"s": "" if several else "s", "it": "them" if several else "it"}
    if shared:
        return _SHARED.format(names, training, listed(shared), **words)
    if company.unclear:
        return _UNCLEAR.format(names, training, listed(company.unclear), **words)
    if several and any(one.restored for one in members):
        return _RESTORED.format(names, training)
    return (_SEVERAL if several else _ALONE).format(names, training)
