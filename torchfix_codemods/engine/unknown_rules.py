"""Comments that name a rule which does not exist: they keep nothing away."""

from __future__ import annotations

from collections.abc import Iterator

from torchfix_codemods.engine.suppression import lists_of_rules, names_rule
from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.remarks import REMARKS, UNKNOWN_RULE
from torchfix_codemods.text.comments import comments
from torchfix_codemods.text.source import with_line_ends

_EMPTY = "names no rule: write # torchfix: ignore[TP301], or # torchfix: ignore for all rules"
_SEE = "see `torchfix rules`"


def unknown_rules(text: str) -> Iterator[Finding]:
    """A finding for each ``# torchfix: ignore[...]`` that names a rule which there is none of.

    Args:
        text: a module. One whose comments cannot be told from its strings gives none.
    """
    if "torchfix:" not in text.lower():
        return
    lines = with_line_ends(text, "\n").split("\n")
    for number, comment in (comments(text) or {}).items():
        for start, listed in lists_of_rules(comment):
            unknown = [name for name in listed if not _is_known(name)]
            if unknown or not listed:
                column = lines[number - 1].rfind(comment) + start + 1
                yield _finding(number, column, _said(unknown) if unknown else _EMPTY)


def _is_known(name: str) -> bool:
    from torchfix_codemods.rules import all_rules

    known = [(each.code, each.name) for each in all_rules()]
    known += [(each.code, each.name) for each in REMARKS]
    return any(names_rule(name, *each) for each in known)


def _said(unknown: list[str]) -> str:
    if len(unknown) > 1:
        return f"no such rules: {', '.join(unknown)}; nothing is left alone for them ({_SEE})"
    from torchfix_codemods.rules import meant_by

    name = unknown[0]
    meant = meant_by(name)
    perhaps = f", perhaps {meant}" if meant else ""
    return f"no such rule: {name}{perhaps}; nothing is left alone for it ({_SEE})"


def _finding(line: int, column: int, message: str) -> Finding:
    remark = UNKNOWN_RULE
    return Finding(line, column, remark.code, remark.name, message, Numerics.ADVICE, False)
