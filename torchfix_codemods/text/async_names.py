"""Parameters, variables and attributes of the user's own that are called `async`."""

from __future__ import annotations

import tokenize
from collections.abc import Collection, Iterator, Sequence

from torchfix_codemods.record import record

#: What follows ``async`` where it is the keyword.
_AFTER_KEYWORD = frozenset({"def", "for", "with"})
_NO_OPERAND = frozenset({"import", "from", "global", "nonlocal"})


@record
class _Bracket:
    """An open bracket: the function it calls or defines, if any."""

    callee: str
    is_definition: bool


@record
class _Use:
    """One place with the name."""

    token: tokenize.TokenInfo
    kind: str
    """``parameter``, ``keyword``, ``attribute`` or ``set attribute`` of self, ``name``; or
    ``unclear``."""
    bracket: _Bracket


def own_names(
    tokens: Sequence[tokenize.TokenInfo], methods: Collection[str]
) -> tuple[list[tokenize.TokenInfo], str]:
    """The places where a file uses `async` as a name of its own, and what to call it.

    Args:
        tokens: those of the file, without comments and line breaks inside of brackets.
        methods: the methods of tensors whose argument of that name is ``non_blocking`` today.

    Returns:
        the tokens, none where one of them may mean something of another file; ``non_blocking``
        where such a method gets the name or has that parameter, else ``async_``.
    """
    uses = list(_uses(tokens))
    taken = {token.string for token in tokens if token.type == tokenize.NAME}
    strings = (token.string for token in tokens if token.type == tokenize.STRING)
    if any(text.strip("rRuUbBfF'\"-") == "async" for text in strings):
        # What `getattr` or argparse calls so would be another name then.
        return [], ""
    own = {use.bracket.callee for use in uses if use.kind == "parameter"}
    rest = [use for use in uses if not (use.kind == "keyword" and use.bracket.callee in methods)]
    kinds = {use.kind for use in rest}
    is_own = all(use.bracket.callee in own for use in rest if use.kind == "keyword")
    is_handed_on = any(use.bracket.callee in methods for use in uses)
    new = "non_blocking" if is_handed_on else "async_"
    is_set_elsewhere = "attribute" in kinds and "set attribute" not in kinds
    if not own or not is_own or "unclear" in kinds or is_set_elsewhere or new in taken:
        return [], ""
    return [use.token for use in rest], new


def _uses(tokens: Sequence[tokenize.TokenInfo]) -> Iterator[_Use]:
    """All uses of the name, in order. A class is called by the name of its ``__init__``, too."""
    open_brackets = [_Bracket("", False)]
    classes: list[tuple[int, str]] = []
    for index, token in enumerate(tokens):
        before = [t.string for t in tokens[max(index - 2, 0) : index]]
        if token.string == "class" and token.type == tokenize.NAME:
            classes = [c for c in classes if c[0] < token.start[1]]
            classes.append((token.start[1], tokens[index + 1].string))
        elif token.type == tokenize.OP and token.string in "([{":
            open_brackets.append(_bracket(before, classes if token.string == "(" else []))
        elif token.type == tokenize.OP and token.string in ")]}" and len(open_brackets) > 1:
            open_brackets.pop()
        elif token.type == tokenize.NAME and token.string == "async":
            after = tokens[index + 1].string
            if after not in _AFTER_KEYWORD:
                yield _Use(token, _kind(before, after, open_brackets[-1]), open_brackets[-1])


def _bracket(before: list[str], classes: list[tuple[int, str]]) -> _Bracket:
    callee = before[-1] if before and before[-1].isidentifier() else ""
    is_definition = len(before) > 1 and before[-2] == "def"
    if callee == "__init__" and is_definition and classes:
        callee = classes[-1][1]
    return _Bracket(callee, is_definition)


def _kind(before: list[str], after: str, bracket: _Bracket) -> str:
    previous = before[-1] if before else ""
    if previous == ".":
        kind = "set attribute" if after == "=" else "attribute"
        return kind if before[0] == "self" else "unclear"
    if previous in _NO_OPERAND or before[:1] == ["import"]:
        return "unclear"
    if bracket.is_definition and previous in ("(", ",", "*"):
        return "parameter"
    if bracket.callee and after == "=" and previous in ("(", ","):
        return "keyword"
    return "name"
