"""Comments that ask to leave something alone where no rule finds anything."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from torchfix_codemods.engine.suppression import ignores, names_rule
from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.remarks import UNUSED_COMMENT
from torchfix_codemods.text.comments import comments
from torchfix_codemods.text.source import with_line_ends

#: A line, and which word of its comment kept something away; None: the comment names no rule.
Heeded = tuple[int, "str | None"]


def unused_comments(
    text: str, heeded: Collection[Heeded], enabled: Collection[str]
) -> Iterator[Finding]:
    """A finding for each ``# torchfix: ignore`` without which nothing else would be found.

    Args:
        text: a module. One whose comments cannot be told from its strings gives none.
        heeded: what kept something away.
        enabled: the codes of the rules that the settings leave: of others nothing can be said.
    """
    from torchfix_codemods.rules import all_rules

    rules = all_rules()
    are_all = all(rule.is_optional or rule.code in enabled for rule in rules)
    lines = with_line_ends(text, "\n").split("\n")
    for number, comment in (comments(text) or {}).items():
        for start, listed in ignores(comment):
            column = lines[number - 1].rfind(comment) + start + 1
            if listed is None:
                if are_all and (number, None) not in heeded:
                    yield _finding(number, column, _WHOLE)
                continue
            unused = []
            for word in listed:
                named = [rule for rule in rules if names_rule(word, rule.code, rule.name)]
                # A prefix need not mean those that are off by themselves.
                codes = {rule.code for rule in named if not rule.is_optional or len(named) == 1}
                if codes and codes <= set(enabled) and (number, word) not in heeded:
                    unused.append(word)
            if unused:
                yield _finding(number, column, _said(unused, len(unused) == len(listed)))


_WHOLE = "this comment keeps nothing away: take it out"


def _said(unused: list[str], are_all: bool) -> str:
    if are_all:
        return _WHOLE
    verb, it = ("keeps", "it") if len(unused) == 1 else ("keep", "them")
    return f"{', '.join(unused)} {verb} nothing away here: take {it} out of the comment"


def _finding(line: int, column: int, message: str) -> Finding:
    remark = UNUSED_COMMENT
    return Finding(line, column, remark.code, remark.name, message, Numerics.ADVICE, False)
